from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from fastapply.errors import FileTrouble
from fastapply.workspace import files

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such files or permissions")


def reason_of(action) -> str:
    """The stable code of the trouble that an action meets."""
    with pytest.raises(FileTrouble) as caught:
        action()
    assert caught.value.exit_status == 4
    return caught.value.reason


def test_a_file_is_read_with_all_that_writing_needs(tmp_path):
    """The value holds bytes, text, mode bits and the number of names."""
    path = tmp_path / "a.py"
    path.write_bytes(b"caf\xe9\r\n")
    path.chmod(0o640)

    state = files.read(path)

    mode = 0o640 if os.name != "nt" else 0o666
    assert (state.asked, state.path) == (path, Path(os.path.realpath(path)))
    assert (state.data, state.source.text, state.source.encoding) == (b"caf\xe9\r\n", "café\r\n", "latin-1")
    assert (state.mode, state.links) == (mode, 1)


def test_a_relative_path_is_read_from_the_working_folder(tmp_path, monkeypatch):
    """The name as typed works, and stays right when the working folder changes later."""
    (tmp_path / "a.py").write_bytes(b"x\n")
    monkeypatch.chdir(tmp_path)

    assert files.read("a.py").asked == tmp_path / "a.py"


@pytest.mark.parametrize("name", ["none.py", "none/a.py", "a.py/below", "dangling", "nul\0byte"])
def test_a_missing_file_is_missing(tmp_path, name):
    """Also behind a dangling link, below a file, and under an impossible name."""
    (tmp_path / "a.py").write_bytes(b"")
    (tmp_path / "dangling").symlink_to("nowhere")

    assert reason_of(lambda: files.read(tmp_path / name)) == "missing"


def test_a_folder_is_not_a_file(tmp_path):
    """A folder is refused by name."""
    with pytest.raises(FileTrouble, match="is a folder, not a file") as caught:
        files.read(tmp_path)

    assert caught.value.reason == "not_a_file"


@posix
def test_pipes_sockets_and_devices_are_not_files_and_are_not_waited_for(tmp_path):
    """Opening a pipe that nobody writes to would hang."""
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(tmp_path / "s"))
        found = [
            reason_of(lambda path=path: files.read(path))
            for path in (tmp_path / "pipe", tmp_path / "s", "/dev/null")
        ]

    assert found == ["not_a_file"] * 3


@posix
def test_a_loop_of_links_is_unreadable(tmp_path):
    """Two links to each other lead to no file."""
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    assert reason_of(lambda: files.read(tmp_path / "a")) == "unreadable"


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_permission_is_unreadable(tmp_path):
    """What the system does not let us read is said so."""
    path = tmp_path / "a.py"
    path.write_bytes(b"x\n")
    path.chmod(0)

    assert reason_of(lambda: files.read(path)) == "unreadable"


def test_a_binary_file_is_refused_by_name(tmp_path):
    """The message says which file of several it is."""
    path = tmp_path / "a.bin"
    path.write_bytes(b"\0")

    with pytest.raises(FileTrouble) as caught:
        files.read(path)

    assert (caught.value.reason, caught.value.message) == (
        "binary",
        f"{path}: the file is binary (contains a NUL byte)",
    )
