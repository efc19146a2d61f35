from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from fastapply import folders
from fastapply.errors import FileTrouble
from fastapply.workspace import files

_HOLD = """
import sys
from pathlib import Path
from fastapply.workspace import files
with files.locked(*map(Path, sys.argv[1:])):
    print("held", flush=True)
    sys.stdin.readline()
"""
_ADD_LINES = """
import sys
from pathlib import Path
from fastapply.workspace import files
path = Path(sys.argv[1])
for number in range(25):
    with files.locked(path, wait=60) as held:
        state = files.read(path)
        files.write(state, state.data + f"{sys.argv[2]} {number}\\n".encode(), held)
"""


def names_in(folder: Path) -> list[str]:
    """The names of what lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def other_run(tmp_path):
    """Start another process that holds the lock of `a.py` until it is told to go on."""
    (tmp_path / "a.py").write_bytes(b"old\n")
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(tmp_path / "a.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout
        process.stdout.readline()
        yield process
        process.kill()


@pytest.mark.usefixtures("other_run")
def test_a_file_held_by_another_run_is_locked_after_the_wait(tmp_path):
    """The wait is bounded, and no lock is left behind by it."""
    started = time.monotonic()
    with pytest.raises(FileTrouble) as caught, files.locked(tmp_path / "b.py", tmp_path / "a.py", wait=0.2):
        pytest.fail("the lock is held by another process")

    assert (caught.value.reason, caught.value.message) == (
        "locked",
        f"{tmp_path / 'a.py'} is being changed by another fastapply process",
    )
    assert 0.2 <= time.monotonic() - started < 5
    with files.locked(tmp_path / "b.py", wait=0):
        pass


@pytest.mark.usefixtures("other_run")
def test_another_file_is_not_locked(tmp_path):
    """The twin: runs on other files do not wait."""
    with files.locked(tmp_path / "b.py", wait=0) as held:
        assert held.covers(tmp_path / "b.py")


@pytest.mark.usefixtures("other_run")
@pytest.mark.parametrize("name", ["link.py", "sub/../a.py", "linked/a.py"])
def test_all_names_of_a_file_share_its_lock(tmp_path, name):
    """A link, a roundabout path and a linked folder lead to the same lock."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.py").symlink_to("a.py")
    (tmp_path / "linked").symlink_to(".", target_is_directory=True)

    with pytest.raises(FileTrouble, match="another fastapply"), files.locked(tmp_path / name, wait=0):
        pytest.fail("the lock is held by another process")


def test_the_lock_of_a_killed_run_is_free(tmp_path, other_run):
    """The system drops it; nothing has to be cleaned up."""
    other_run.kill()
    other_run.wait()

    with files.locked(tmp_path / "a.py", wait=5) as held:
        files.write(files.read(tmp_path / "a.py"), b"new\n", held)

    assert (tmp_path / "a.py").read_bytes() == b"new\n"


def test_a_waiting_run_goes_on_when_the_other_ends(tmp_path, other_run):
    """It reads after it got the lock, so it sees what the other wrote."""
    threading.Timer(0.3, lambda: other_run.stdin.write("go\n") and other_run.stdin.flush()).start()

    with files.locked(tmp_path / "a.py", wait=10):
        assert files.read(tmp_path / "a.py").data == b"old\n"


def test_runs_at_the_same_time_lose_nothing(tmp_path):
    """Two processes add lines to one file; every line is there."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"")
    runs = [subprocess.Popen([sys.executable, "-c", _ADD_LINES, str(path), name]) for name in "ab"]

    assert [run.wait() for run in runs] == [0, 0]
    lines = path.read_text().splitlines()
    assert sorted(lines) == sorted(f"{name} {number}" for name in "ab" for number in range(25))


def test_threads_wait_for_each_other(tmp_path):
    """A server's two requests on one file are two runs."""
    with files.locked(tmp_path / "a.py"):
        reasons: list[str] = []

        def ask() -> None:
            try:
                with files.locked(tmp_path / "a.py", wait=0):
                    reasons.append("held")
            except FileTrouble as trouble:
                reasons.append(trouble.reason)

        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()

    assert reasons == ["locked"]


def test_one_file_may_be_named_twice(tmp_path):
    """Two names of one file in one call ask for one lock."""
    with files.locked(tmp_path / "a.py", tmp_path / "." / "a.py", wait=0) as held:
        assert held.covers(tmp_path / "a.py")


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 300])
def test_a_name_that_no_file_can_have_is_missing_and_no_crash(tmp_path, name):
    """The lock comes before the reading, which says what is wrong."""
    path = tmp_path / name
    assert files.recover(path) == ()
    with files.locked(path), pytest.raises(FileTrouble) as caught:
        files.read(path)

    assert caught.value.reason in {"missing", "unreadable"}


def test_nothing_is_left_beside_the_file(tmp_path, state_dir):
    """Locks lie in the state folder."""
    (tmp_path / "a.py").write_bytes(b"old\n")
    with files.locked(tmp_path / "a.py"):
        assert names_in(tmp_path) == ["a.py"]

    assert len(names_in(state_dir / "locks")) == 1


def test_a_state_folder_that_cannot_be_made_is_trouble(tmp_path, monkeypatch):
    """The user named it, so no other is taken in its place."""
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv(folders.STATE_VARIABLE, str(tmp_path / "file" / "below"))

    with pytest.raises(FileTrouble) as caught, files.locked(tmp_path / "a.py"):
        pytest.fail("there is no place for locks")

    assert (caught.value.reason, caught.value.hint) == (
        "locked",
        "set FASTAPPLY_STATE_DIR to a folder that you own",
    )


@pytest.mark.skipif(sys.platform != "linux", reason="the usual folder is named by XDG_STATE_HOME there")
def test_without_a_home_a_private_temporary_folder_serves(tmp_path, monkeypatch):
    """As in a container that runs under a number without an account."""
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "tmp").mkdir()
    monkeypatch.delenv(folders.STATE_VARIABLE)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))

    folder = folders.state_folder()

    assert (folder, folder.stat().st_mode & 0o777) == (tmp_path / "tmp" / f"fastapply-{os.getuid()}", 0o700)
    folder.chmod(0o777)
    with pytest.raises(FileTrouble, match="not owned by you alone"):
        folders.state_folder()


@pytest.mark.skipif(sys.platform != "linux", reason="the usual folder is named by XDG_STATE_HOME there")
def test_the_usual_state_folder_is_the_systems(tmp_path, monkeypatch):
    """Where nothing is named, the platform decides."""
    monkeypatch.delenv(folders.STATE_VARIABLE)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    assert folders.state_folder() == Path(tmp_path / "state" / "fastapply")
