from __future__ import annotations

import hashlib
import os
import stat
import sys
import time
from pathlib import Path

import pytest

from fastapply.errors import FileTrouble
from fastapply.workspace import files
from fastapply.workspace.files import Keep, Replaced, entries
from fastapply.workspace.files.recover import digest


def keep_one(path, old=b"old\n", new=b"new\n", keep=None):
    """Write a file as `apply` does, with its old bytes kept; the warnings."""
    path.write_bytes(old)
    with files.locked(path) as held:
        state = files.read(path)
        with files.remembered([of(state, new)], keep or Keep()) as warnings:
            files.write(state, new, held)
    return warnings


def of(state, new=b"new\n"):
    """What a write makes of a file."""
    return Replaced(state.path, state.data, state.mode, new, state.mode)


def kept_names():
    """The names of the files that were kept, newest first."""
    return [Path(each.files[0].path).name for each in entries.read_entries()]


def names(state_dir):
    """The names of all entries."""
    return sorted(path.name for path in (state_dir / "undo").iterdir())


def test_an_entry_holds_the_old_bytes_of_every_file(tmp_path):
    """Bytes of any kind, files that were not there, and what was written."""
    old = b"\xff\x00\r\nold"
    replaced = [
        Replaced(tmp_path / "a", old, 0o640, b"new", 0o640),
        Replaced(tmp_path / "new/deep/b", None, None, b"B"),
        Replaced(tmp_path / "c", b"", 0o600, None),
    ]
    with files.remembered(replaced, Keep()) as warnings:
        pass

    (entry,) = entries.read_entries()
    assert (warnings, entries.texts(entry)) == ([], ((old, b"new"), (None, b"B"), (b"", None)))
    assert [(each.path, each.mode, each.new_mode) for each in entry.files] == [
        (str(tmp_path / "a"), 0o640, 0o640),
        (str(tmp_path / "new/deep/b"), None, None),
        (str(tmp_path / "c"), 0o600, None),
    ]
    assert [each.new is None for each in entry.files] == [False, False, True]
    assert entry.folders == (str(tmp_path / "new"), str(tmp_path / "new/deep"))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no mode bits")
def test_only_the_user_may_read_what_is_kept(tmp_path, state_dir):
    """The folder is 0700 and an entry 0600, whatever the umask lets pass."""
    before = os.umask(0)
    try:
        keep_one(tmp_path / "a.txt")
    finally:
        os.umask(before)
    (name,) = names(state_dir)
    modes = [stat.S_IMODE((state_dir / "undo" / each).stat().st_mode) for each in (".", name)]
    assert modes == [0o700, 0o600]


def test_the_oldest_entries_go_first_by_number(tmp_path):
    """As many as the limit says are left, the newest."""
    for number in range(5):
        keep_one(tmp_path / f"{number}.txt", keep=Keep(entries=3))
    assert kept_names() == ["4.txt", "3.txt", "2.txt"]


def test_the_oldest_entries_go_first_by_size(tmp_path, state_dir):
    """All together stay below the limit, which counts the headers as well."""
    for number in range(5):
        keep_one(tmp_path / f"{number}.txt", old=b"x" * 400_000, keep=Keep(megabytes=1))
    assert kept_names() == ["4.txt", "3.txt"]
    assert sum((state_dir / "undo" / name).stat().st_size for name in names(state_dir)) <= 2**20


def test_entries_go_when_they_are_too_old(tmp_path, state_dir, monkeypatch):
    """Days are counted from the write."""
    keep_one(tmp_path / "a.txt", keep=Keep(days=2))
    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now + 3 * 86_400 * 10**9)
    keep_one(tmp_path / "b.txt", keep=Keep(days=2))
    assert kept_names() == ["b.txt"]
    assert len(names(state_dir)) == 1


def test_entries_stay_in_order_when_the_clock_is_put_back(tmp_path, monkeypatch):
    """The later write is the newer one, whatever the clock says."""
    keep_one(tmp_path / "a.txt")
    monkeypatch.setattr(time, "time_ns", lambda: 10**18)
    keep_one(tmp_path / "b.txt")
    assert kept_names() == ["b.txt", "a.txt"]


def test_a_write_that_is_too_large_to_keep_is_a_warning(tmp_path, state_dir):
    """It is written all the same, and the older entries stay."""
    keep_one(tmp_path / "a.txt")
    warnings = keep_one(tmp_path / "b.txt", old=b"x" * 2**20, keep=Keep(megabytes=1))
    assert warnings == [
        "this write cannot be undone: the old version was not saved (it is larger than 1 MiB)"
    ]
    assert (tmp_path / "b.txt").read_bytes() == b"new\n"
    assert len(names(state_dir)) == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limits for files")
def test_a_disk_without_room_is_a_warning_and_leaves_nothing(tmp_path, state_dir):
    """The file is written; the half entry is gone."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    (tmp_path / "a.txt").write_bytes(b"x" * 200_000)
    try:
        with files.locked(tmp_path / "a.txt") as held:
            state = files.read(tmp_path / "a.txt")
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
            with files.remembered([of(state, b"new")], Keep()) as warnings:
                files.write(state, b"new", held)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert warnings == ["this write cannot be undone: the old version was not saved (File too large)"]
    assert ((tmp_path / "a.txt").read_bytes(), names(state_dir)) == (b"new", [])


def test_a_folder_that_cannot_be_used_is_a_warning(tmp_path, state_dir):
    """Somebody put a file in its place."""
    (state_dir / "undo").write_bytes(b"")
    (warning,) = keep_one(tmp_path / "a.txt")
    assert warning.startswith("this write cannot be undone: the old version was not saved (")
    assert (tmp_path / "a.txt").read_bytes() == b"new\n"


def test_nothing_is_kept_where_that_is_switched_off(tmp_path, state_dir):
    """Not even the folder is made."""
    with files.remembered([Replaced(tmp_path / "a", b"old", 0o644, b"new", 0o644)], None) as warnings:
        pass
    assert (warnings, (state_dir / "undo").exists()) == ([], False)


def test_a_write_that_changes_nothing_is_no_entry(tmp_path, state_dir):
    """The same bytes and the same mode."""
    with files.remembered([Replaced(tmp_path / "a", b"old", 0o644, b"old", 0o644)], Keep()):
        pass
    assert not (state_dir / "undo").exists()


def test_a_write_that_fails_is_no_entry(tmp_path, state_dir):
    """What is kept goes when the error goes on."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"old\n")
    with files.locked(path) as held:
        state = files.read(path)
        path.write_bytes(b"changed meanwhile\n")
        with pytest.raises(FileTrouble, match="after it was read"), files.remembered([of(state)], Keep()):
            files.write(state, b"new\n", held)
    assert names(state_dir) == []


@pytest.mark.parametrize("end", ["old", "new"])
def test_an_interrupted_write_leaves_an_open_entry(tmp_path, monkeypatch, end):
    """Whether it counts, the file tells; see `fastapply.workspace.undo`."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"old\n")
    with files.locked(path) as held:
        state = files.read(path)

        def stop(*_given: object) -> None:
            if end == "new":
                state.path.write_bytes(b"new\n")
            raise KeyboardInterrupt

        monkeypatch.setattr(Path, "replace", stop)
        with pytest.raises(KeyboardInterrupt), files.remembered([of(state)], Keep()):
            files.write(state, b"new\n", held)
    (entry,) = entries.read_entries()
    assert entry.is_open


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: b"{" + data,
        lambda data: b"x" * len(data),
        lambda data: data.replace(b'"version": 2', b'"version": 3'),
        lambda _data: b"",
    ],
    ids=["cut off", "longer", "no header", "of a newer version", "empty"],
)
def test_a_damaged_entry_is_passed_over(tmp_path, state_dir, damage):
    """The others count."""
    keep_one(tmp_path / "a.txt")
    keep_one(tmp_path / "b.txt")
    path = state_dir / "undo" / names(state_dir)[-1]
    path.write_bytes(damage(path.read_bytes()))
    assert kept_names() == ["a.txt"]


@pytest.mark.parametrize("missing", [(), ("_sha2", "_sha256")], ids=["as it is", "without the small modules"])
def test_files_are_told_apart_by_their_sha256(monkeypatch, missing):
    """Whichever module of the standard library does it."""
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    assert digest(b"one\n") == hashlib.sha256(b"one\n").hexdigest()


def test_damaged_bytes_are_never_given_back(tmp_path, state_dir):
    """Checked by their sha256; the size is right."""
    keep_one(tmp_path / "a.txt")
    path = state_dir / "undo" / names(state_dir)[0]
    path.write_bytes(path.read_bytes()[:-4] + b"bad\n")
    (entry,) = entries.read_entries()
    with pytest.raises(FileTrouble, match="is damaged"):
        entries.texts(entry)
