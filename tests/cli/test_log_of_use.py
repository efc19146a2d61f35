"""The log of use: what is kept, by whose wish, how it is summed up, and that it can be evaluated."""

from __future__ import annotations

import json
import os
import stat

import pytest

from fastapply.cli import main
from fastapply.evaluate.cases import read_cases
from fastapply.values import replace
from fastapply.workspace.files import Keep
from fastapply.workspace.files.calls import Call, keep_call, read_calls

BEFORE = "one\ntwo words\nthree\n"
AFTER = "one\n2 words\nthree\n"
CHANGE = "<<<<<<< SEARCH\ntwo words\n=======\n2 words\n>>>>>>> REPLACE\n"
NOWHERE = CHANGE.replace("two words", "no such line").replace("2 words", "nothing either")
PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-two words\n+2 words\n{more}*** End Patch\n"


@pytest.fixture
def path(folder):
    """A file of three lines."""
    file = folder / "a.txt"
    file.write_text(BEFORE, encoding="utf-8")
    return file


@pytest.fixture
def kept(user_config):
    """Switch the log of use on."""
    user_config.write_text("keep_log = true\n", encoding="utf-8")


def calls():
    """All calls, the oldest first."""
    return list(reversed(list(read_calls())))


def short(call):
    """What a call was, and what came of it."""
    return call.command, call.outcome, call.reason, call.format, call.method, call.written


def test_nothing_is_kept_by_default(fastapply, path, state_dir):
    """Not even a folder is made, and the sum says how to have one."""
    assert fastapply("apply", "a.txt", edit=CHANGE).status == 0
    run = fastapply("log", "--stat")
    assert (run.status, run.out, run.err) == (
        0,
        b"",
        "no usage log; set keep_log = true in your configuration to keep one\n",
    )
    assert not (state_dir / "calls").exists()
    assert path.read_text(encoding="utf-8") == AFTER


@pytest.mark.usefixtures("kept")
def test_every_call_is_kept_with_its_texts(fastapply, path):
    """Applied, tried, refused, in the file already, and one whose file is not there."""
    assert fastapply("apply", "a.txt", "-n", "-i", "fewer letters", edit=CHANGE).status == 0
    assert fastapply("apply", "a.txt", edit=NOWHERE).status == 1
    assert fastapply("apply", "a.txt", edit=CHANGE).status == 0
    assert fastapply("apply", "a.txt", edit=CHANGE).status == 0
    assert fastapply("apply", "no.txt", edit=CHANGE).status == 4
    assert [short(call) for call in calls()] == [
        ("apply", "applied", None, "search_replace", "exact", False),
        ("apply", "refused", "not_found", None, None, False),
        ("apply", "applied", None, "search_replace", "exact", True),
        ("apply", "unchanged", None, "search_replace", "exact", False),
        ("apply", "error", "missing", None, None, False),
    ]
    first, refused, written, again, missing = calls()
    assert (first.path, first.original, first.edit) == (str(path), BEFORE, CHANGE)
    assert (first.instructions, first.merged) == ("fewer letters", AFTER)
    assert (refused.original, refused.edit, refused.merged) == (BEFORE, NOWHERE, None)
    assert "no such line" in refused.message
    assert (written.original, written.merged, again.original) == (BEFORE, AFTER, AFTER)
    assert (missing.path, missing.original) == (str(path.parent / "no.txt"), None)
    assert all(0 < call.seconds < 10 for call in calls())


@pytest.mark.usefixtures("kept")
def test_calls_of_patch_and_batch_are_kept(fastapply, path):
    """A patch of one file with its texts, one of several without."""
    more = "*** Add File: b.txt\n+b\n"
    assert fastapply("patch", "-n", edit=PATCH.format(more=more)).status == 0
    assert fastapply("patch", edit=PATCH.format(more="").replace("two words", "nothing like it")).status == 1
    assert fastapply("patch", edit=PATCH.format(more="")).status == 0
    lines = [{"file": "a.txt", "edit": edit} for edit in (CHANGE.replace("two", "2", 1), NOWHERE)]
    batch = "".join(json.dumps(line) + "\n" for line in lines)
    assert fastapply("batch", "--jobs", "1", edit=batch).status == 1
    several, refused, one, unchanged, nowhere = calls()
    assert (several.files, several.original, several.edit) == (2, None, PATCH.format(more=more))
    assert (refused.outcome, refused.original, refused.path) == ("refused", BEFORE, str(path))
    assert (one.command, one.original, one.merged, one.path) == ("patch", BEFORE, AFTER, str(path))
    assert [(call.command, call.path) for call in (unchanged, nowhere)] == [("batch", str(path))] * 2
    assert nowhere.reason == "not_found"


@pytest.mark.usefixtures("kept")
def test_a_call_can_be_kept_out_of_the_log_and_put_into_it(fastapply, path, user_config):
    """Options win over the configuration; a call that no edit came to is none."""
    assert fastapply("apply", "a.txt", "--no-keep-log", edit=NOWHERE).status == 1
    assert fastapply("apply", "a.txt", "no-edit.txt").status == 4
    assert fastapply("patch", "--no-keep-log", edit=PATCH.format(more="")).status == 0
    assert calls() == []
    user_config.write_text("", encoding="utf-8")
    path.write_text(BEFORE, encoding="utf-8")
    assert fastapply("apply", "a.txt", "--keep-log", "--check", "-v", "--format", "lazy", edit=CHANGE).status
    assert fastapply("apply", "a.txt", "--keep-log", edit=CHANGE).status == 0
    assert len(calls()) == 2


def test_a_project_cannot_switch_the_log_on(fastapply, path, state_dir):
    """A clone would keep a log of what its reader does."""
    (path.parent / "fastapply.toml").write_text("keep_log = true\n", encoding="utf-8")
    run = fastapply("apply", "a.txt", edit=CHANGE)
    assert (run.status, "keep_log is ignored" in run.err) == (0, True)
    assert not (state_dir / "calls").exists()


@pytest.mark.usefixtures("kept", "path")
def test_calls_are_summed_up(fastapply, path):
    """By reason, format, command and day, the most frequent first; empty columns stay empty."""
    for edit in (NOWHERE, NOWHERE, CHANGE):
        fastapply("apply", "a.txt", edit=edit)
    run = fastapply("log", "--stat", "--json")
    value = run.object
    assert {**value, "by": None, "median_seconds": None} == {
        "schema": 1,
        "calls": 3,
        "applied": 1,
        "unchanged": 0,
        "refused": 2,
        "error": 0,
        "median_seconds": None,
        "by": None,
    }
    shown = {name: {key: sums["calls"] for key, sums in group.items()} for name, group in value["by"].items()}
    (day,) = shown.pop("day")
    assert shown == {
        "reason": {"not_found": 2},
        "format": {"search_replace": 1},
        "command": {"apply": 3},
        "model": {},
    }
    rows = [line.split() for line in fastapply("log", "--stat").out.decode().splitlines() if line]
    assert [row[:-1] for row in rows] == [
        ["calls", "applied", "unchanged", "refused", "error", "median"],
        ["all", "3", "1", "2"],
        ["by"],
        ["not_found", "2", "2"],
        ["by"],
        ["search_replace", "1", "1"],
        ["by"],
        ["apply", "3", "1", "2"],
        ["by"],
        [day, "3", "1", "2"],
    ]
    (path.parent / "sub").mkdir()
    assert fastapply("log", "--stat", "sub").err == (
        "the usage log has no calls here; use --all for all folders\n"
    )
    assert fastapply("log", "--stat", "--export", "x").status == 2


@pytest.mark.usefixtures("kept", "path")
def test_calls_are_exported_as_cases(fastapply, folder):
    """Oldest first, with what came of each; those of several files are left out, and that is said."""
    fastapply("apply", "a.txt", "-i", "fewer", edit=NOWHERE)
    fastapply("patch", "-n", edit=PATCH.format(more="*** Add File: b.txt\n+b\n"))
    fastapply("apply", "a.txt", edit=CHANGE)
    run = fastapply("log", "--export", "cases.jsonl")
    assert (run.status, run.out) == (0, b"")
    assert run.err == "2 cases from the usage log; 1 skipped (several files or none)\n"
    refused, applied = read_cases([folder / "cases.jsonl"])
    assert (refused.original, refused.edit, refused.instructions, refused.merged) == (
        BEFORE,
        NOWHERE,
        "fewer",
        None,
    )
    assert (applied.original, applied.merged, applied.format) == (BEFORE, AFTER, "search_replace")
    lines = [json.loads(line) for line in (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["outcome"] for line in lines] == ["refused", "applied"]
    assert lines[0]["reason"] == "not_found"
    shown = fastapply("log", "--export", "-", "-n", "1")
    assert [json.loads(line)["outcome"] for line in shown.out.decode().splitlines()] == ["applied"]
    assert fastapply("log", "--export", "no-folder/x").status == 4


@pytest.mark.usefixtures("kept", "path")
def test_the_log_of_use_can_be_evaluated(fastapply, folder, monkeypatch, tmp_path):
    """From any folder; beside other cases or alone, and an empty one is said to be."""
    run = fastapply("evaluate", "run", "--from-log", "--out", "run", "-q")
    assert (run.status, "keep_log = true" in run.err) == (2, True)
    fastapply("apply", "a.txt", edit=CHANGE)
    fastapply("apply", "a.txt", edit=NOWHERE)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    run = fastapply("evaluate", "run", "--from-log", "--out", "run", "-q", "--json", "--jobs", "1")
    assert (run.status, run.object["schema"]) == (0, 1)
    results = (tmp_path / "elsewhere/run/results.jsonl").read_text(encoding="utf-8")
    records = [json.loads(line) for line in results.splitlines()]
    assert sorted(record["attempt"]["status"] for record in records) == ["applied", "refused"]
    assert fastapply("evaluate", "run", "--from-log", "-q").status == 2
    assert fastapply("evaluate", "run", "--out", "other", "-q").status == 2
    assert folder.exists()


CALL = Call(
    "apply", "/r/a", "a", "b", "", "applied", 0.1, format="lazy", method="exact", merged="c", written=True
)


def test_the_log_keeps_within_the_limits_of_undo(state_dir, monkeypatch):
    """The oldest calls go first: by number, by size and by age; for the user alone to read."""
    for _ in range(5):
        assert keep_call(CALL, Keep(entries=3)) is None
    names = sorted(os.listdir(state_dir / "calls"))  # noqa: PTH208
    assert len(names) == 3
    if os.name != "nt":
        modes = [stat.S_IMODE((state_dir / "calls" / name).stat().st_mode) for name in (".", names[0])]
        assert modes == [0o700, 0o600]
    random = os.urandom(400_000).hex()
    for _ in range(3):
        assert keep_call(replace(CALL, original=random), Keep(megabytes=1)) is None
    assert len(os.listdir(state_dir / "calls")) == 2  # noqa: PTH208
    assert keep_call(CALL, Keep(megabytes=0)) == "this call was not logged: it is larger than 0 MiB"
    monkeypatch.setattr("time.time_ns", lambda: 2 * 10**18)
    assert keep_call(CALL, Keep(days=1)) is None
    assert [call.nanoseconds for call in read_calls()] == [2 * 10**18]


def test_a_damaged_call_is_passed_over(state_dir):
    """And the others count."""
    for _ in range(3):
        keep_call(CALL, Keep())
    one, two, _ = sorted((state_dir / "calls").iterdir())
    one.write_bytes(one.read_bytes()[:-1])
    two.write_bytes(b"x" * len(two.read_bytes()))
    assert len(list(read_calls())) == 1


@pytest.mark.usefixtures("kept")
def test_a_call_that_cannot_be_kept_is_a_warning(fastapply, path, state_dir):
    """The edit goes in all the same."""
    (state_dir / "calls").write_bytes(b"in the way")
    run = fastapply("apply", "a.txt", edit=CHANGE)
    assert (run.status, path.read_text(encoding="utf-8")) == (0, AFTER)
    assert run.err.startswith("warning: this call was not logged: ")


def test_a_plain_call_reads_the_switch(path, capsys, user_config):  # noqa: ARG001
    """The call that is read without Typer knows it as well."""
    assert main(["apply", "a.txt", str(path), "--keep-log", "--check"]) in {0, 1}
    assert len(calls()) == 1
