"""`fastapply log`: the writes, how they were made, and what can be done about them."""

from __future__ import annotations

import re
from datetime import datetime

import pytest

BEFORE = b"one\ntwo words\n"
AFTER = b"one\n2 words\n"
CHANGE = "<<<<<<< SEARCH\ntwo words\n=======\n2 words\n>>>>>>> REPLACE\n"
WHEN = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  [0-9a-f]{8}", re.MULTILINE)


@pytest.fixture
def applied(fastapply, folder):
    """A file that fastapply has changed."""
    path = folder / "a.txt"
    path.write_bytes(BEFORE)
    assert fastapply("apply", "a.txt", edit=CHANGE).status == 0
    return path


def rows(run):
    """What was shown, without times and ids."""
    return WHEN.sub("WHEN WHICH", run.out.decode()).splitlines()


def test_log_lists_writes_newest_first(fastapply, applied, folder):
    """When, which, whether it can be undone, lines added and removed, how it was made, and the file."""
    (folder / "sub").mkdir()
    (folder / "sub/b.txt").write_bytes(BEFORE)
    assert fastapply("apply", "sub/b.txt", edit=CHANGE).status == 0
    applied.write_bytes(b"mine\n")
    shown = fastapply("log")
    assert rows(shown) == [
        "WHEN WHICH  yes  +1  -1  search_replace  exact  sub/b.txt",
        "WHEN WHICH  no   +1  -1  search_replace  exact  a.txt (changed since)",
    ]
    lines = shown.out.decode().splitlines()
    assert len(fastapply("log", "sub").out.decode().splitlines()) == 1
    assert fastapply("log", "sub").out.decode().startswith(lines[0][:29])
    assert fastapply("log", "a.txt").out.decode().startswith(lines[1][:29])
    assert rows(fastapply("log", "-n", "1")) == ["WHEN WHICH  yes  +1  -1  search_replace  exact  sub/b.txt"]


def test_log_gives_each_file_of_a_write_a_line(fastapply, folder):
    """The columns stand below each other; a path is never broken, however long."""
    long = "/".join(["a long name of a folder"] * 9) + "/new.txt"
    (folder / "a.txt").write_bytes(BEFORE)
    (folder / "c.txt").write_bytes(b"c\nc\n")
    edit = (
        "*** Begin Patch\n*** Update File: a.txt\n@@\n-two words\n+2 words\n+3\n"
        f"*** Add File: {long}\n+b\n*** Delete File: c.txt\n*** End Patch\n"
    )
    assert fastapply("patch", edit=edit).status == 0
    assert rows(fastapply("log")) == [
        "WHEN WHICH  yes  +2  -1  v4a  exact  a.txt",
        " " * 29 + f"       +1  -0  v4a  whole  {long} (new)",
        " " * 29 + "       +0  -2  v4a  exact  c.txt (deleted)",
    ]


def test_log_names_a_write_that_undo_and_redo_take(fastapply, applied):
    """The id in the list is what they are told."""
    name = fastapply("log").out.decode().split()[2]
    assert fastapply("undo", name).status == 0
    assert (applied.read_bytes(), rows(fastapply("log"))) == (
        BEFORE,
        ["WHEN WHICH  undone  +1  -1  search_replace  exact  a.txt"],
    )
    assert fastapply("redo", name).status == 0
    assert (applied.read_bytes(), rows(fastapply("log"))) == (
        AFTER,
        ["WHEN WHICH  yes  +1  -1  search_replace  exact  a.txt"],
    )


def test_log_answers_programs(fastapply, applied):
    """One object with all of it."""
    (entry,) = fastapply("log", "--json").object["entries"]
    written = datetime.fromisoformat(entry.pop("time"))
    assert abs((datetime.now(written.tzinfo) - written).total_seconds()) < 60
    file = {"file": "a.txt", "action": "update", "added": 1, "removed": 1}
    assert entry == {
        "entry": entry["entry"],
        "undoable": True,
        "undone": False,
        "changed": [],
        "files": [{**file, "format": "search_replace", "method": "exact"}],
    }
    applied.write_bytes(b"mine\n")
    (entry,) = fastapply("log", "--json").object["entries"]
    assert (entry["undoable"], entry["changed"]) == (False, ["a.txt"])
    applied.write_bytes(AFTER)
    assert fastapply("undo").status == 0
    (entry,) = fastapply("log", "--json").object["entries"]
    assert (entry["undoable"], entry["undone"]) == (False, True)


def test_log_of_another_folder_is_empty_and_all_is_not(fastapply, applied, tmp_path, monkeypatch):
    """A project's writes are its own; where there are none, that is said."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    run = fastapply("log")
    assert (run.status, run.out, run.err) == (
        0,
        b"",
        "no writes here; fastapply log --all lists all folders\n",
    )
    assert str(applied) in fastapply("log", "--all").out.decode()
    assert fastapply("undo").status == 1


def test_empty_log_says_why(fastapply, user_config):
    """There was no write yet, or none is kept."""
    assert fastapply("log", "--all").err == "no writes yet\n"
    assert fastapply("log", "--json").object == {"schema": 1, "entries": []}
    user_config.write_text("undo = false\n", encoding="utf-8")
    run = fastapply("log")
    assert (run.status, run.err) == (0, "no writes: undo is off in the configuration\n")


def test_log_has_titles_on_a_terminal(fastapply, applied, monkeypatch):  # noqa: ARG001 - a write to list
    """And no path is broken there either."""
    monkeypatch.setattr("fastapply.cli.log.wants_colour", lambda _stream: True)
    lines = fastapply("log").out.decode().splitlines()
    assert lines[0].replace("\x1b[1m", "").replace("\x1b[0m", "").split() == [
        "time",
        "id",
        "undo",
        "+",
        "-",
        "format",
        "method",
        "file",
    ]
    assert lines[1].endswith("search_replace  exact   a.txt")


def test_a_name_in_the_log_never_steers_the_terminal(fastapply, folder):
    """Control characters are shown as what they are."""
    (folder / "a\x1b[31m.txt").write_bytes(BEFORE)
    assert fastapply("apply", "a\x1b[31m.txt", edit=CHANGE).status == 0
    (row,) = rows(fastapply("log"))
    assert row.endswith(r"  a\x1b[31m.txt")
