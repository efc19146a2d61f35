"""Undo, below the command line: what is put back, what is refused, and what a kill leaves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from undoing import JOB, edit, posix, reason_of, state_of

from fastapply.errors import Refused
from fastapply.types import Options
from fastapply.workspace import files
from fastapply.workspace.changes import Job, change_file
from fastapply.workspace.files import entries
from fastapply.workspace.patches import change_files
from fastapply.workspace.undo import list_entries, text_before, undo_last


@pytest.mark.parametrize(
    "old",
    [
        b"one\ntwo words\n",
        b"one\r\ntwo words\r\n",
        b"one\r\ntwo words\nthree",
        b"\xef\xbb\xbftwo words",
        b"caf\xe9\ntwo words\n",
        "two words\n".encode("utf-16"),
    ],
    ids=["lf", "crlf", "mixed", "byte order mark", "latin-1", "utf-16"],
)
def test_undo_restores_the_bytes_of_any_text(tmp_path, old):
    """Line ends, byte order mark and encoding included."""
    path = tmp_path / "a.txt"
    path.write_bytes(old)
    change_file(str(path), edit("two words", "2 words"), JOB)
    assert path.read_bytes() != old
    undo_last(str(path))
    assert path.read_bytes() == old


@posix
@pytest.mark.parametrize("mode", [0o644, 0o600, 0o666, 0o755, 0o651])
def test_undo_restores_a_mode_that_a_patch_changed_and_a_deleted_file(tmp_path, mode):
    """Exactly, whatever the umask says, and also where the mode could not be told from the new one."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\n")
    path.chmod(mode)
    before = state_of(path)
    asked = "100644" if mode & 0o100 else "100755"
    header = f"diff --git a/a.txt b/a.txt\nold mode 100755\nnew mode {asked}\n"
    change_files(str(tmp_path), header.encode(), JOB)
    assert state_of(path) != before
    undo_last(str(tmp_path))
    assert state_of(path) == before
    change_files(str(tmp_path), b"*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n", JOB)
    assert state_of(path) is None
    undo_last(str(path))
    assert state_of(path) == before


PATCH = (
    b"*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+A\n*** Delete File: gone.txt\n"
    b"*** Update File: old.txt\n*** Move to: moved/new.txt\n@@\n-o\n+O\n"
    b"*** Add File: deep/er/b.txt\n+b\n*** End Patch\n"
)
TREE = {"a.txt": b"a\n", "gone.txt": b"g\r\nh", "old.txt": b"o\n"}


@pytest.fixture
def patched(tmp_path):
    """A folder after a patch that changes, deletes, moves and makes files."""
    root = tmp_path / "root"
    root.mkdir()
    for name, data in TREE.items():
        (root / name).write_bytes(data)
    change_files(str(root), PATCH, JOB)
    return root


def tree(root):
    """All files with their bytes, and all folders."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else None
        for path in root.rglob("*")
    }


def test_undo_of_a_patch_is_one_step(patched):
    """Changed, deleted, moved and new files, and the folders that were made for them."""
    undone = undo_last(str(patched))
    assert (tree(patched), undone.written) == (TREE, True)
    assert reason_of(patched) == "nothing_to_undo"


@pytest.mark.parametrize("name", ["a.txt", "gone.txt", "old.txt", "moved/new.txt", "deep/er/b.txt"])
def test_undo_of_a_patch_is_found_by_each_of_its_files(patched, name):
    """Also by a file that is gone."""
    undo_last(str(patched / name))
    assert tree(patched) == TREE


@pytest.mark.parametrize("name", ["a.txt", "gone.txt", "old.txt", "moved/new.txt", "deep/er/b.txt"])
def test_undo_of_a_patch_is_refused_whole_where_one_file_changed(patched, name):
    """None of the others is touched, and the write stays in the list."""
    (patched / name).write_bytes(b"foreign\n")
    before = tree(patched)
    with pytest.raises(Refused, match="changed after fastapply wrote") as caught:
        undo_last(str(patched))
    assert (caught.value.reason, name in caught.value.message, tree(patched)) == (
        "changed_since",
        True,
        before,
    )
    assert [Path(path).name for (past,) in [list_entries(str(patched))] for path in past.changed] == [
        Path(name).name
    ]


def test_undo_keeps_a_folder_in_which_somebody_put_a_file(patched):
    """What fastapply did not write is not removed."""
    (patched / "deep/mine.txt").write_bytes(b"mine")
    undo_last(str(patched))
    assert tree(patched) == {**TREE, "deep": None, "deep/mine.txt": b"mine"}


def test_undo_of_a_failure_in_the_middle_changes_nothing_and_can_be_repeated(patched, monkeypatch):
    """A disk that fills up while files are put back."""
    real, calls, before = os.replace, [], tree(patched)

    def fail(source, target):
        calls.append(target)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")
        real(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        with pytest.raises(Exception, match="No space left"):
            undo_last(str(patched))
    assert tree(patched) == before
    undo_last(str(patched))
    assert tree(patched) == TREE


def test_undo_takes_one_write_after_the_other(tmp_path):
    """The newest first, down to the first."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"0\n")
    for number in range(4):
        change_file(str(path), edit(str(number), str(number + 1)), JOB)
    seen = []
    for _ in range(4):
        undo_last(str(tmp_path))
        seen.append(path.read_bytes())
    assert seen == [b"3\n", b"2\n", b"1\n", b"0\n"]


def test_undo_looks_at_the_place_that_is_named(tmp_path):
    """A newer write elsewhere is left alone."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_bytes(b"a\n")
        change_file(str(tmp_path / name / "a.txt"), edit("a", "b"), JOB)
    undo_last(str(tmp_path / "one"))
    assert ((tmp_path / "one/a.txt").read_bytes(), (tmp_path / "two/a.txt").read_bytes()) == (b"a\n", b"b\n")


def test_undo_removes_a_file_that_was_made_and_restores_an_output_that_was_replaced(tmp_path):
    """`--create` and `-o` are writes like all others, also over bytes that are no text."""
    made, source, output = (tmp_path / name for name in ("made.txt", "a.txt", "out.bin"))
    change_file(str(made), b"```\nhello\n```\n", Job(Options(create=True)))
    undo_last(str(made))
    assert not made.exists()
    source.write_bytes(b"a\n")
    output.write_bytes(b"\0\xff")
    change_file(str(source), edit("a", "b"), Job(Options(), output=output))
    assert output.read_bytes() == b"b\n"
    undo_last(str(output))
    assert (output.read_bytes(), source.read_bytes()) == (b"\0\xff", b"a\n")


@posix
def test_undo_follows_a_link_to_the_file_that_was_written(tmp_path):
    """The link stays a link, and the file behind it is restored by either name."""
    path, link = tmp_path / "a.txt", tmp_path / "link"
    path.write_bytes(b"a\n")
    link.symlink_to("a.txt")
    change_file(str(link), edit("a", "b"), JOB)
    undo_last(str(link))
    assert (link.is_symlink(), path.read_bytes()) == (True, b"a\n")


@posix
@pytest.mark.parametrize("change", ["bytes", "mode", "gone", "link", "folder", "folder is a link"])
def test_undo_is_refused_where_the_file_is_another_one(tmp_path, change):
    """Whatever it is now, it is left alone."""
    folder = tmp_path / "d"
    folder.mkdir()
    path = folder / "a.txt"
    path.write_bytes(b"a\n")
    change_file(str(path), edit("a", "b"), JOB)
    if change == "bytes":
        path.write_bytes(b"b \n")
    elif change == "mode":
        path.chmod(0o600)
    elif change == "folder is a link":
        folder.rename(tmp_path / "e")
        folder.symlink_to("e")
    else:
        path.unlink()
    if change == "link":
        (folder / "other.txt").write_bytes(b"b\n")
        path.symlink_to("other.txt")
    elif change == "folder":
        path.mkdir()
    assert reason_of(tmp_path) == "changed_since"


def test_text_before_the_last_write_is_there_whatever_the_file_is_now(tmp_path):
    """It can be had when undo refuses; a file that was made had none."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\r\n")
    change_file(str(path), edit("a", "b"), JOB)
    path.write_bytes(b"foreign")
    assert (reason_of(path), text_before(str(path))) == ("changed_since", b"a\r\n")
    change_file(str(tmp_path / "n.txt"), b"```\nhello\n```\n", Job(Options(create=True)))
    with pytest.raises(Refused, match="there is no older version"):
        text_before(str(tmp_path / "n.txt"))


def test_list_says_what_can_be_undone_in_turn(tmp_path):
    """An older write of the same file can be undone once the newer one is."""
    one, two = tmp_path / "1.txt", tmp_path / "2.txt"
    for path in (one, two, one):
        path.write_bytes(path.read_bytes() if path.exists() else b"x = 0\n")
        number = int(path.read_bytes()[4:])
        change_file(str(path), edit(f"x = {number}", f"x = {number + 1}"), JOB)
    two.write_bytes(b"foreign")
    listed = [(past.entry.files[0].path, past.changed) for past in list_entries(str(tmp_path))]
    assert listed == [(str(one), ()), (str(two), (str(two),)), (str(one), ())]
    assert len(list(list_entries(str(one)))) == 2
    assert len(list(list_entries(None))) == 3


def test_undo_says_that_other_names_of_the_file_keep_their_text(tmp_path):
    """A hard link is another file after a write, and after an undo."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\n")
    change_file(str(path), edit("a", "b"), JOB)
    (tmp_path / "other.txt").hardlink_to(path)
    assert undo_last(str(path)).warnings == (
        f"{path} has another name (hard links), which keep the old version",
    )
    assert (path.read_bytes(), (tmp_path / "other.txt").read_bytes()) == (b"a\n", b"b\n")


def test_undo_does_not_take_another_write_for_the_last_one(tmp_path, monkeypatch):
    """One that came while it waited for its turn."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\n")
    change_file(str(path), edit("a", "b"), JOB)
    real = files.locked

    def write_first(*paths):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(files, "locked", real)
            change_file(str(path), edit("b", "c"), JOB)
        return real(*paths)

    with monkeypatch.context() as patch:
        patch.setattr(files, "locked", write_first)
        assert reason_of(path) == "changed_since"
    undo_last(str(path))
    assert path.read_bytes() == b"b\n"


@pytest.mark.parametrize("now", ["before", "written", "foreign"])
def test_an_entry_that_a_kill_left_open_counts_where_the_file_is_what_was_written(tmp_path, now):
    """A write, or an undo, was cut off: the file tells whether it happened."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\n")
    change_file(str(path), edit("a", "b"), JOB)
    (entry,) = entries.read_entries()
    entries.reopen(entry)
    path.write_bytes({"before": b"a\n", "written": b"b\n", "foreign": b"c\n"}[now])
    if now == "written":
        undo_last(str(path))
        assert path.read_bytes() == b"a\n"
    else:
        assert reason_of(path) == "nothing_to_undo"


def test_nothing_to_undo_where_it_is_switched_off(tmp_path):
    """Nothing is kept."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\n")
    change_file(str(path), edit("a", "b"), Job(Options(), keep=None))
    assert (path.read_bytes(), reason_of(path)) == (b"b\n", "nothing_to_undo")
