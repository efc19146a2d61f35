"""Edits for files that the caller names: all change, or none; several edits of one file follow each other."""

from __future__ import annotations

import pytest

from fastapply.cli import main
from fastapply.errors import FileTrouble, Refused
from fastapply.types import Options
from fastapply.workspace.patches import NamedEdit, change_named_files


def swap(path, old, new, **options):
    """A SEARCH/REPLACE edit of one line."""
    edit = f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"
    return NamedEdit(path, edit.encode(), Options(**options))


@pytest.fixture
def root(tmp_path):
    """Two files, one of them in a folder."""
    (tmp_path / "src").mkdir()
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    (tmp_path / "src/b.txt").write_bytes(b"three\nfour\n")
    return tmp_path


def test_files_change_together(root):
    """Each keeps its own line ends."""
    outcome = change_named_files(root, [swap("a.txt", "two", "2"), swap("src/b.txt", "four", "4")])
    assert outcome.written
    assert [change.path for change in outcome.changes] == ["a.txt", "src/b.txt"]
    assert (root / "a.txt").read_bytes() == b"one\r\n2\r\n"
    assert (root / "src/b.txt").read_bytes() == b"three\n4\n"


def test_one_refused_edit_leaves_all_files_alone(root):
    """The error names the file."""
    with pytest.raises(Refused) as refused:
        change_named_files(root, [swap("a.txt", "two", "2"), swap("src/b.txt", "no such line", "4")])
    assert refused.value.reason == "not_found"
    assert refused.value.message.startswith("src/b.txt: ")
    assert (root / "a.txt").read_bytes() == b"one\r\ntwo\r\n"


def test_second_edit_of_a_file_sees_what_the_first_made(root):
    """One change comes of both, however the file is written."""
    edits = [swap("a.txt", "two", "second"), swap("./src/../a.txt", "second", "2nd")]
    outcome = change_named_files(root, edits)
    (change,) = outcome.changes
    assert change.counts == (1, 1)
    assert (root / "a.txt").read_bytes() == b"one\r\n2nd\r\n"


def test_second_edit_that_takes_the_first_back_changes_nothing(root):
    """Nothing is written, and nothing is said to have changed."""
    before = (root / "a.txt").stat()
    outcome = change_named_files(root, [swap("a.txt", "two", "2"), swap("a.txt", "2", "two")])
    assert (outcome.written, outcome.unchanged, outcome.changes[0].diff) == (False, True, "")
    assert (root / "a.txt").stat().st_mtime_ns == before.st_mtime_ns


def test_edit_of_a_file_that_an_earlier_one_creates_is_refused(root):
    """The new file is sent whole."""
    new = NamedEdit("new.txt", b"made\nhere\n", Options(create=True))
    with pytest.raises(Refused) as refused:
        change_named_files(root, [new, swap("new.txt", "here", "there")])
    assert refused.value.reason == "conflict"
    assert not (root / "new.txt").exists()


def test_file_is_created_only_where_that_is_asked_for(root):
    """With the folders it needs."""
    edit = b"made\nhere\n"
    with pytest.raises(FileTrouble) as trouble:
        change_named_files(root, [NamedEdit("new/made.txt", edit, Options())])
    assert trouble.value.reason == "missing"
    change_named_files(root, [NamedEdit("new/made.txt", edit, Options(create=True))])
    assert (root / "new/made.txt").read_bytes() == edit


def test_dry_run_writes_nothing(root):
    """The change is told all the same."""
    outcome = change_named_files(root, [swap("a.txt", "two", "2")], write=False)
    assert (outcome.written, outcome.changes[0].counts) == (False, (1, 1))
    assert (root / "a.txt").read_bytes() == b"one\r\ntwo\r\n"


def test_caller_may_still_give_up_before_the_write(root):
    """What it raises comes out, and the files stay."""

    def give_up():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        change_named_files(root, [swap("a.txt", "two", "2")], before_write=give_up)
    assert (root / "a.txt").read_bytes() == b"one\r\ntwo\r\n"


def test_edit_that_deletes_or_moves_the_file_is_refused(root):
    """Only texts change here."""
    patch = b"*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n"
    with pytest.raises(Refused) as refused:
        change_named_files(root, [NamedEdit("a.txt", patch, Options())])
    assert refused.value.reason == "needs_patch"
    assert (root / "a.txt").exists()


def test_files_that_changed_together_are_put_back_together(root):
    """One call is one step for `undo`."""
    change_named_files(root, [swap("a.txt", "two", "2"), swap("src/b.txt", "four", "4")])
    assert main(["undo", str(root)]) == 0
    assert (root / "a.txt").read_bytes() == b"one\r\ntwo\r\n"
    assert (root / "src/b.txt").read_bytes() == b"three\nfour\n"


def test_nothing_is_kept_for_undo_where_nothing_is_to_be_kept(root):
    """`keep=None` is what `undo = false` in a configuration comes to."""
    change_named_files(root, [swap("a.txt", "two", "2")], keep=None)
    assert main(["undo", str(root)]) == 1
    assert (root / "a.txt").read_bytes() == b"one\r\n2\r\n"
