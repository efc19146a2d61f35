from __future__ import annotations

import json
import os

import pytest

from fastapply.batch.ledger import Done, Ledger, alone_with
from fastapply.errors import FileTrouble, UsageError
from fastapply.workspace.files import Replaced

APPLIED = Done(0, {"status": "applied"})


@pytest.fixture
def path(tmp_path):
    """Where a ledger is to be."""
    return tmp_path / "ledger"


def test_what_is_done_is_done(path):
    """Refused lines are; lines that failed for another reason are tried again."""
    ledger = Ledger(str(path))
    ledger.finish("a", APPLIED)
    ledger.finish("b", Done(1, {"status": "refused"}))
    ledger.finish("c", Done(4, {"status": "error"}))
    assert Ledger(str(path)).finished() == {"a": APPLIED, "b": Done(1, {"status": "refused"})}


@pytest.mark.parametrize(
    ("now", "is_done"), [(b"old", False), (b"new", True), (b"other", False), (None, False)]
)
def test_a_line_that_was_cut_off_is_done_where_its_file_was_written(path, tmp_path, now, is_done):
    """Only the file can tell."""
    file = tmp_path / "a.py"
    Ledger(str(path)).announce("a", [Replaced(file, b"old", 0o644, b"new", 0o644)], APPLIED)
    if now is not None:
        file.write_bytes(now)
    assert Ledger(str(path)).finished() == ({"a": APPLIED} if is_done else {})


def test_a_line_that_was_cut_off_stays_done_when_its_file_changes_again(path, tmp_path):
    """It is noted as soon as it is known."""
    file = tmp_path / "a.py"
    file.write_bytes(b"new")
    Ledger(str(path)).announce("a", [Replaced(file, b"old", 0o644, b"new", 0o644)], APPLIED)
    assert Ledger(str(path)).finished() == {"a": APPLIED}
    file.write_bytes(b"newer")
    assert Ledger(str(path)).finished() == {"a": APPLIED}


def test_a_line_that_was_announced_and_failed_is_not_done(path, tmp_path):
    """The last word counts, whatever the file is now."""
    ledger = Ledger(str(path))
    ledger.announce("a", [Replaced(tmp_path / "a", None, None, b"new")], APPLIED)
    ledger.finish("a", Done(4, {"status": "error"}))
    (tmp_path / "a").write_bytes(b"new")
    assert ledger.finished() == {}


def test_a_change_of_the_mode_alone_is_made_again(path, tmp_path):
    """The bytes cannot tell whether it was, and twice is the same as once."""
    file = tmp_path / "a"
    file.write_bytes(b"same")
    Ledger(str(path)).announce("a", [Replaced(file, b"same", 0o644, b"same", 0o755)], APPLIED)
    assert Ledger(str(path)).finished() == {}


def test_an_end_that_was_cut_off_is_passed_over(path):
    """And what comes after it is read."""
    Ledger(str(path)).finish("a", APPLIED)
    data = path.read_bytes()
    path.write_bytes(data + b'{"key": "b", "sta')
    ledger = Ledger(str(path))
    ledger.finish("c", APPLIED)
    assert ledger.finished() == {"a": APPLIED, "c": APPLIED}
    assert json.loads(data.splitlines()[0]) == {"fastapply_ledger": 1}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no shared locks")
def test_a_run_waits_for_what_is_left_of_an_earlier_one(path):
    """A worker that outlives its run may still write for a moment."""
    other, own = Ledger(str(path)), Ledger(str(path))
    with pytest.raises(FileTrouble, match="another run uses the ledger"):
        own.wait_for_others(0.05)
    other.close()
    own.wait_for_others(0)


def test_two_runs_do_not_work_with_one_ledger(path):
    """The second gives up after a while; another ledger is nobody's business."""
    with alone_with(str(path)):
        with pytest.raises(FileTrouble) as caught, alone_with(str(path), 0.05):
            pytest.fail("two at a time")
        with alone_with(f"{path} 2", 0):
            pass
    assert caught.value.reason == "locked"
    with alone_with(str(path), 0):
        pass


def test_another_file_is_not_taken_for_a_ledger(path):
    """Nothing is appended to it."""
    path.write_bytes(b"my text\n")
    with pytest.raises(UsageError, match="is not a fastapply batch ledger"):
        Ledger(str(path))
    assert path.read_bytes() == b"my text\n"


def test_a_ledger_that_cannot_be_used_is_file_trouble(tmp_path):
    """A folder, for one."""
    with pytest.raises(FileTrouble, match="cannot use the ledger"):
        Ledger(str(tmp_path))
