from __future__ import annotations

import os
import stat
import sys
import time
from typing import TYPE_CHECKING

import pytest

from fastapply.errors import FileTrouble
from fastapply.workspace import files

if TYPE_CHECKING:
    from pathlib import Path

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such files or permissions")


def put(path: Path, data: bytes, **options) -> files.Written:
    """Read a file and write it, as a run does."""
    with files.locked(path) as held:
        return files.write(files.read(path), data, held, **options)


def names_in(folder: Path) -> list[str]:
    """The names of what lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


def listing(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def reason_of(action) -> str:
    """The stable code of the trouble that an action meets."""
    with pytest.raises(FileTrouble) as caught:
        action()
    assert caught.value.exit_status == 4
    return caught.value.reason


@pytest.mark.parametrize(
    "data",
    [b"new\r\nlines\r\n", b"no final newline", b"", b"\xff\xfea\x00", b"\xe9 latin", b"x" * 5_000_000],
    ids=["crlf", "no_final_newline", "empty", "utf16", "latin1", "large"],
)
def test_exactly_the_bytes_given_are_written(tmp_path, data):
    """Nothing is translated, and nothing else is left in the folder."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")

    written = put(path, data)

    assert (written, listing(tmp_path)) == (files.Written(), {"a.py": data})


def test_writing_what_is_there_touches_nothing(tmp_path):
    """The twin: equal bytes leave the file and its time alone."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    before = path.stat()

    put(path, b"old\n", backup=True)

    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert listing(tmp_path) == {"a.py": b"old\n"}


@posix
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o664, 0o4711, 0o200 | 0o400])
def test_mode_bits_stay(tmp_path, mode):
    """Whatever the umask, and with the bits beyond permission."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    path.chmod(mode)

    put(path, b"new\n")

    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
@pytest.mark.parametrize(
    ("old", "asked", "expected"),
    [(0o644, 0o100755, 0o755), (0o640, 0o755, 0o750), (0o755, 0o100644, 0o644), (0o600, 0o644, 0o600)],
)
@pytest.mark.parametrize("data", [b"old\n", b"new\n"])
def test_a_mode_of_git_sets_or_takes_the_right_to_execute(tmp_path, old, asked, expected, data):
    """Git knows one bit; who may read stays as it was, with or without new bytes."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    path.chmod(old)

    put(path, data, mode=asked)

    assert (stat.S_IMODE(path.stat().st_mode), path.read_bytes()) == (expected, data)


def test_the_mode_of_a_link_is_not_one_of_a_file(tmp_path):
    """A diff that turns a file into a symbolic link or a submodule is refused."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")

    assert [reason_of(lambda mode=mode: put(path, b"new", mode=mode)) for mode in (0o120000, 0o160000)] == [
        "not_a_file",
        "not_a_file",
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="extended attributes are set by a call of Linux")
def test_extended_attributes_stay(tmp_path):
    """What other programs have written beside the bytes is kept."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    try:
        os.setxattr(path, "user.origin", b"here")
    except OSError:
        pytest.skip("this file system has no extended attributes")

    put(path, b"new\n")

    assert os.getxattr(path, "user.origin") == b"here"


@posix
@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only the superuser can give files away"
)
def test_the_owner_stays(tmp_path):
    """A run as superuser does not take a user's file."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    os.chown(path, 1234, 2345)

    put(path, b"new\n")

    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


def test_a_symbolic_link_stays_and_its_target_is_edited(tmp_path):
    """Links to links, out of other folders, lead to the file that is replaced."""
    (tmp_path / "real").mkdir()
    (tmp_path / "links").mkdir()
    target = tmp_path / "real" / "a.py"
    target.write_bytes(b"old\n")
    (tmp_path / "links" / "one").symlink_to("../real/a.py")
    (tmp_path / "links" / "two").symlink_to("one")

    put(tmp_path / "links" / "two", b"new\n")

    assert target.read_bytes() == b"new\n"
    assert [str((tmp_path / "links" / name).readlink()) for name in ("one", "two")] == ["../real/a.py", "one"]
    assert names_in(tmp_path / "links") + names_in(tmp_path / "real") == ["one", "two", "a.py"]


def test_a_link_in_the_way_is_followed_before_dots(tmp_path):
    """`link/../a.py` is beside the link's target, as the system has it."""
    (tmp_path / "far" / "deep").mkdir(parents=True)
    (tmp_path / "far" / "a.py").write_bytes(b"far\n")
    (tmp_path / "a.py").write_bytes(b"near\n")
    (tmp_path / "link").symlink_to("far/deep")

    assert files.read(tmp_path / "link" / ".." / "a.py").data == (b"far\n" if os.name != "nt" else b"near\n")


@pytest.mark.parametrize(("names", "said"), [(1, "another name"), (2, "2 other names")])
def test_a_broken_hard_link_is_a_warning(tmp_path, names, said):
    """The other names keep the old text, and the user is told so."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    for number in range(names):
        (tmp_path / f"other{number}").hardlink_to(path)

    written = put(path, b"new\n")

    assert written.warnings == (f"{path} has {said} (hard links), which keep the old version",)
    assert ((tmp_path / "other0").read_bytes(), path.read_bytes()) == (b"old\n", b"new\n")


def test_backups_are_numbered_and_never_overwritten(tmp_path):
    """Each backup holds the bytes before its own write, mode bits included."""
    path = tmp_path / "a.py"
    path.write_bytes(b"0\n")
    path.chmod(0o600)

    backups = [put(path, data, backup=True).backups for data in (b"1\n", b"2\n", b"3\n")]

    assert [[backup.name for backup in made] for made in backups] == [["a.py~"], ["a.py.~2~"], ["a.py.~3~"]]
    assert listing(tmp_path) == {"a.py": b"3\n", "a.py~": b"0\n", "a.py.~2~": b"1\n", "a.py.~3~": b"2\n"}
    assert {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()} == {
        0o600 if os.name != "nt" else 0o666
    }


def test_what_a_killed_run_left_is_removed_by_a_later_write(tmp_path):
    """Only after an hour, and only files that are named as ours."""
    names = {
        ".fastapply-00.tmp": 7200,
        ".fastapply-01.tmp": 60,
        "fastapply.tmp": 7200,
        ".fastapply-2.old": 7200,
    }
    for name, age in names.items():
        (tmp_path / name).write_bytes(b"x")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    (tmp_path / "a.py").write_bytes(b"old\n")

    put(tmp_path / "a.py", b"new\n")

    assert sorted(listing(tmp_path)) == [".fastapply-01.tmp", ".fastapply-2.old", "a.py", "fastapply.tmp"]
