"""Edits as a model writes them: a scripted server plays teacher and blind reader."""

from __future__ import annotations

import json

import pytest
from scripted_server import scripted_server

from fastapply.cli import main
from fastapply.errors import ModelTrouble
from fastapply.evaluate.cases import read_cases
from fastapply.models.remote.endpoint import find_endpoint
from fastapply_lab.chat import Chat
from fastapply_lab.data.history import FileChange, read_changes
from fastapply_lab.data.recipe import Recipe
from fastapply_lab.data.windows import read_windows
from fastapply_lab.data.written.ask import Dropped, Written, write_and_check
from fastapply_lab.data.written.characters import CHARACTERS, STYLES, part_for
from fastapply_lab.data.written.collect import DROPPED, EDITS, PAGE, Wanted, collect, finish

BEFORE = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
AFTER = BEFORE.replace("return 2", "return 3")
CHANGE = FileChange("shop", "c0ffee" * 6, "a.py", BEFORE, AFTER, "two is three")
EDIT = "# ... existing code ...\n\ndef two():\n    return 3\n"
WRITTEN = f"<instruction>I will make it 3</instruction>\n<edit>\n{EDIT}</edit>"


@pytest.fixture
def server():
    """A teacher that says what it is told to."""
    with scripted_server() as server:
        server.models = ["teacher"]
        yield server


@pytest.fixture
def chat(server):
    """It, asked without pauses."""
    endpoint = find_endpoint(server.url)
    assert endpoint is not None
    chat = Chat(endpoint, pause=lambda _seconds: None)
    yield chat
    chat.close()


def asked(server):
    """The questions that were put to the server: system and user."""
    return [[m["content"] for m in body["messages"]] for _, _, body in server.requests if body]


def test_an_edit_that_a_blind_reader_understands_is_kept(server, chat):
    """With where it is from, under which licence, and how it was written."""
    server.enqueue(WRITTEN)
    server.enqueue(f"<file>\n{AFTER}</file>")
    done = write_and_check(chat, CHANGE, "MIT", 1)
    assert isinstance(done, Written)
    case = done.case
    assert (case.original, case.edit, case.expected) == (BEFORE, EDIT, AFTER)
    assert (case.repository, case.commit, case.licence, case.path) == ("shop", CHANGE.commit, "MIT", "a.py")
    assert (case.instructions, case.language) == ("I will make it 3", "python")
    assert (case.style, done.subject, done.teacher) == (done.part.style, "two is three", "teacher")


def test_the_reader_does_not_see_the_change(server, chat):
    """Only file, edit and instruction; the writer sees the change, its character and its style."""
    secret = FileChange("shop", "c", "a.py", BEFORE, AFTER + "# SECRET\n", "SUBJECT")
    server.enqueue(WRITTEN)
    server.enqueue(f"<file>\n{AFTER}</file>")
    write_and_check(chat, secret, "MIT", 1)
    (writer, change), reader = asked(server)
    assert "SECRET" in change
    assert "SUBJECT" in change
    part = part_for(1, "shop/c/a.py")
    assert CHARACTERS[part.character] in writer
    assert STYLES[part.style][1] in writer
    assert "SECRET" not in "".join(reader)
    assert "SUBJECT" not in "".join(reader)
    assert EDIT.rstrip("\n") in reader[1]


@pytest.mark.parametrize(
    "read", [AFTER, AFTER.replace("\n\n\n", "\n"), f"```python\n{AFTER}```\n", AFTER.replace("3\n", "3  \n")]
)
def test_blank_lines_and_fences_are_no_difference(read, server, chat):
    """An edit rarely says how many blank lines it wants."""
    server.enqueue(WRITTEN)
    server.enqueue(f"<file>\n{read}</file>")
    assert isinstance(write_and_check(chat, CHANGE, "MIT", 1), Written)


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        (["<skip>too large</skip>"], "skipped"),
        (["Here you are."], "no_edit"),
        (["<edit>\n\n</edit>"], "no_edit"),
        ([f"<edit>\n{AFTER}</edit>"], "whole_file"),
        ([WRITTEN, "I cannot."], "no_file"),
        ([WRITTEN, f"<file>\n{BEFORE}</file>"], "misread"),
        ([WRITTEN, f"<file>\n{AFTER}# and more\n</file>"], "misread"),
    ],
)
def test_what_is_not_understood_is_dropped_with_its_reason(answers, reason, server, chat):
    """And counted."""
    for answer in answers:
        server.enqueue(answer)
    done = write_and_check(chat, CHANGE, "MIT", 1)
    assert isinstance(done, Dropped)
    assert (done.reason, done.told) == (reason, True)


def test_parts_are_drawn_in_the_shares_of_the_styles():
    """The same for the same change and seed."""
    parts = [part_for(1, f"change {n}") for n in range(2000)]
    assert parts == [part_for(1, f"change {n}") for n in range(2000)]
    assert 0.63 < sum(part.style == "lazy" for part in parts) / 2000 < 0.73
    assert {part.character for part in parts} == set(CHARACTERS)
    assert {part.style for part in parts} == set(STYLES)


def understood(server, changes):
    """Queue answers under which every other change is kept."""
    for number, change in enumerate(changes):
        server.enqueue(f"<instruction>x</instruction><edit>\n# ... existing code ...\nx{number} = 1\n</edit>")
        server.enqueue(f"<file>\n{change.after if number % 2 == 0 else change.before}</file>")


@pytest.mark.usefixtures("licences")
def test_a_folder_is_filled_and_a_stopped_run_goes_on(server, chat, repos, tmp_path):
    """Nothing is asked about twice; cases, windows and statistics are of all that is there."""
    wanted = Wanted(Recipe(seed=1, per_repo=4), longest=600)
    changes = list(read_changes(repos["first"], seed=1, per_path=4))
    assert all(change.subject == "step" for change in changes)
    out = tmp_path / "out"
    understood(server, changes)
    few = Wanted(wanted.recipe, 600, most=1)
    first = list(collect([repos["first"]], out, chat, few, jobs=1))
    rest = list(collect([repos["first"]], out, chat, wanted, jobs=1))
    assert (len(first), len(rest)) == (1, 3)
    assert list(collect([repos["first"]], out, chat, wanted, jobs=1)) == []
    counts = finish(out, wanted, chat.model)
    assert (counts.kept, counts.dropped) == (2, {"misread": 2})
    lines = [json.loads(line) for line in (out / EDITS).read_text(encoding="utf-8").splitlines()]
    assert {(one["licence"], one["repository"], one["teacher"], one["subject"]) for one in lines} == {
        ("MIT", "first", "teacher", "step")
    }
    assert len(list(read_cases([out / EDITS]))) == 2
    windows = [w for split in ("train", "valid", "test") for w in read_windows(out / f"{split}.jsonl")]
    assert {window.licence for window in windows} == {"MIT"}
    page = (out / PAGE).read_text(encoding="utf-8")
    assert "2 edits of 4 commits asked about were kept: 50.0%" in page
    assert "| first | MIT | 2 |" in page
    assert "| misread | 2 |" in page


@pytest.mark.usefixtures("licences")
def test_a_server_that_only_makes_trouble_ends_the_run(server, chat, repos, tmp_path):
    """And its trouble is not held against the commits."""
    server.enqueue_raw(400, b'{"error": "too long"}')
    with pytest.raises(ModelTrouble, match="5 times in a row"):
        list(collect([repos["first"]], tmp_path / "out", chat, Wanted(Recipe(per_repo=20)), jobs=1))
    assert not (tmp_path / "out" / DROPPED).exists()


@pytest.mark.usefixtures("licences")
def test_write_edits_from_the_command_line(server, repos, tmp_path, capsys):
    """What was kept and why the rest was not."""
    server.enqueue("<skip>no</skip>")
    listed = tmp_path / "list.txt"
    listed.write_text(f"{repos['first']}\n", encoding="utf-8")
    out = tmp_path / "out"
    command = ["dataset", "write-edits", "--repos", str(listed), "--endpoint", server.url, "--out", str(out)]
    assert main([*command, "--per-repo", "2"]) == 0
    assert capsys.readouterr().out == f"{out}: 0 of 2 edits kept, 2 asked about now\n      2 skipped\n"
    assert main([*command, "--per-repo", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["asked"], found["kept"], found["dropped"]) == (1, 0, {"skipped": 3})
