from __future__ import annotations

import os
import subprocess
import sys
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


def _other_bytes(path: Path) -> None:
    path.write_bytes(b"OLD\n")


def _other_bytes_same_size_and_time(path: Path) -> None:
    status = path.stat()
    path.write_bytes(b"OLD\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _gone(path: Path) -> None:
    path.unlink()


def _link_leads_elsewhere(path: Path) -> None:
    path.rename(path.with_name("b.py"))
    path.symlink_to("b.py")


@pytest.mark.parametrize(
    "change", [_other_bytes, _other_bytes_same_size_and_time, _gone, _link_leads_elsewhere]
)
def test_a_file_that_changed_since_it_was_read_is_left_alone(tmp_path, change):
    """Somebody else's change is never overwritten."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    with files.locked(path) as held:
        state = files.read(path)
        change(path)
        before = listing(tmp_path)

        assert reason_of(lambda: files.write(state, b"new\n", held, backup=True)) == "changed"

    assert listing(tmp_path) == before


def test_a_file_that_was_only_touched_is_written(tmp_path):
    """The twin: another time on the same bytes is no change."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    with files.locked(path) as held:
        state = files.read(path)
        os.utime(path, ns=(1, 1))
        files.write(state, b"new\n", held)

    assert listing(tmp_path) == {"a.py": b"new\n"}


def test_a_change_during_the_staging_is_noticed(tmp_path, monkeypatch):
    """The last look is directly before the replacing."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    fsync = os.fsync

    def change_meanwhile(descriptor: int) -> None:
        fsync(descriptor)
        path.write_bytes(b"theirs\n")

    with files.locked(path) as held:
        state = files.read(path)
        monkeypatch.setattr(os, "fsync", change_meanwhile)
        assert reason_of(lambda: files.write(state, b"new\n", held)) == "changed"

    assert listing(tmp_path) == {"a.py": b"theirs\n"}


def test_a_write_protected_file_is_left_alone(tmp_path):
    """Its folder would let us replace it, but somebody meant the protection."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    path.chmod(0o444)

    assert reason_of(lambda: put(path, b"new\n")) == "read_only"
    assert listing(tmp_path) == {"a.py": b"old\n"}
    path.chmod(0o644)


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_write_protected_folder_is_trouble(tmp_path):
    """No temporary file can be made there."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    tmp_path.chmod(0o555)

    assert reason_of(lambda: put(path, b"new\n")) == "read_only"
    tmp_path.chmod(0o755)
    assert listing(tmp_path) == {"a.py": b"old\n"}


@posix
def test_a_full_disk_leaves_the_old_file(tmp_path):
    """A write that the system cuts short is no new file, and its temporary file is gone."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    script = """
import resource, sys
from fastapply import errors
from fastapply.workspace import files
path = files.read(sys.argv[1]).path
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    with files.locked(path) as held:
        files.write(files.read(path), b"x" * 100_000, held, backup=True)
except errors.FileTrouble as trouble:
    print(trouble.reason)
"""
    ran = subprocess.run([sys.executable, "-c", script, path], check=True, capture_output=True, text=True)

    assert ran.stdout == "disk_full\n"
    assert listing(tmp_path) == {"a.py": b"old\n", "a.py~": b"old\n"}


def test_a_replacing_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    """A file held open by another program on Windows, say."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")

    def refuse(_source, _target):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "replace", refuse)

    assert reason_of(lambda: put(path, b"new\n")) == "write_failed"
    assert listing(tmp_path) == {"a.py": b"old\n"}


def test_writing_without_the_lock_is_a_bug_of_the_caller(tmp_path):
    """The proof of the lock must be for this file."""
    path, other = tmp_path / "a.py", tmp_path / "b.py"
    path.write_bytes(b"old\n")
    with files.locked(other) as held, pytest.raises(ValueError, match="without its lock"):
        files.write(files.read(path), b"new\n", held)

    assert listing(tmp_path) == {"a.py": b"old\n"}
