from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from fastapply.errors import FileTrouble
from fastapply.workspace import files

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such files or permissions")


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


def test_a_new_file_is_made_with_the_users_umask(tmp_path):
    """As any other program would make it, executable where git says so."""
    names = {"a.py": None, "b.sh": 0o100755}
    old = os.umask(0o027)
    try:
        for name, mode in names.items():
            with files.locked(tmp_path / name) as held:
                files.create(tmp_path / name, b"new\n", held, mode=mode)
    finally:
        os.umask(old)

    assert listing(tmp_path) == {"a.py": b"new\n", "b.sh": b"new\n"}
    if os.name != "nt":
        assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in names] == [0o640, 0o750]


@pytest.mark.parametrize("links", [True, False], ids=["hard_links", "no_hard_links"])
def test_making_a_file_never_replaces_one(tmp_path, monkeypatch, links):
    """Neither a file nor a dangling link, and no matter what the file system can do."""
    (tmp_path / "a.py").write_bytes(b"old\n")
    (tmp_path / "link").symlink_to("nowhere")
    if not links:
        monkeypatch.setattr(os, "link", _no_links)

    for name in ("a.py", "link"):
        path = tmp_path / name
        with files.locked(path) as held:
            assert reason_of(lambda path=path, held=held: files.create(path, b"new\n", held)) == "exists"
    with files.locked(tmp_path / "b.py") as held:
        files.create(tmp_path / "b.py", b"new\n", held)

    assert listing(tmp_path) == {"a.py": b"old\n", "b.py": b"new\n"}


def _no_links(*_arguments: object, **_options: object) -> None:
    raise OSError(95, "Operation not supported")


def test_a_new_file_needs_its_folder(tmp_path):
    """A mistyped folder is not made."""
    path = tmp_path / "none" / "a.py"
    with files.locked(path) as held:
        assert reason_of(lambda: files.create(path, b"new\n", held)) == "missing"

    assert listing(tmp_path) == {}


def test_output_goes_where_the_user_says_whatever_is_there(tmp_path):
    """An existing file, binary or not, is replaced and keeps its mode; a new one is made."""
    (tmp_path / "old").write_bytes(b"\0")
    (tmp_path / "old").chmod(0o600)
    (tmp_path / "link").symlink_to("behind")
    for name in ("old", "new", "link"):
        with files.locked(tmp_path / name) as held:
            files.save(tmp_path / name, b"out\n", held)

    assert listing(tmp_path) == dict.fromkeys(("behind", "link", "new", "old"), b"out\n")
    assert (tmp_path / "link").is_symlink()
    if os.name != "nt":
        assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o600


@posix
def test_output_to_a_device_is_written_into_it():
    """/dev/null is not replaced by a file."""
    with files.locked(Path("/dev/null")) as held:
        files.save(Path("/dev/null"), b"out\n", held)

    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_output_to_a_folder_or_a_protected_file_is_trouble(tmp_path):
    """The twin: these are left alone."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "old").write_bytes(b"old\n")
    (tmp_path / "old").chmod(0o444)

    found = []
    for name in ("folder", "old"):
        with files.locked(tmp_path / name) as held:
            found.append(reason_of(lambda name=name, held=held: files.save(tmp_path / name, b"out\n", held)))

    assert (found, listing(tmp_path)) == (["not_a_file", "read_only"], {"old": b"old\n"})
    (tmp_path / "old").chmod(0o644)
