"""`--clipboard`: a chat reply that was copied goes straight in; under Xvfb with a real clipboard."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pyperclip
import pytest

BEFORE = "one\ntwo\nthree\n"
REPLY = "Sure:\n\n```\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n```\n"


@pytest.fixture
def place(folder):
    """A folder with the file."""
    (folder / "list.txt").write_text(BEFORE, encoding="utf-8")
    return folder


@pytest.fixture
def copied(monkeypatch):
    """Let the clipboard hold a text, through the function that pyperclip calls."""

    def copy(text: str) -> None:
        monkeypatch.setattr(pyperclip, "paste", lambda: text)

    return copy


def test_a_copied_reply_goes_into_the_file(place, fastapply, copied):
    """In place of EDIT, whatever standard input is."""
    copied(REPLY)
    run = fastapply("apply", "--clipboard", "list.txt", terminal=True)
    assert (run.status, run.err) == (0, "list.txt: applied (+1 -1)\n")
    assert (place / "list.txt").read_text(encoding="utf-8") == "one\n2\nthree\n"


def test_a_clipboard_with_windows_line_ends_goes_in_as_well(place, fastapply, copied):
    """The file keeps its own."""
    copied(REPLY.replace("\n", "\r\n"))
    assert fastapply("apply", "--clipboard", "list.txt").status == 0
    assert (place / "list.txt").read_bytes() == b"one\n2\nthree\n"


def test_patch_takes_a_copied_edit_that_names_its_files(place, fastapply, copied):
    """Made and changed ones."""
    copied(
        "*** Begin Patch\n*** Update File: list.txt\n@@\n-two\n+2\n"
        "*** Add File: new.txt\n+new\n*** End Patch\n"
    )
    assert fastapply("patch", "--clipboard").status == 0
    found = {file.name: file.read_text(encoding="utf-8") for file in place.iterdir()}
    assert found == {"list.txt": "one\n2\nthree\n", "new.txt": "new\n"}


def test_patch_refuses_a_copied_edit_that_names_no_file(place, fastapply, copied):
    """The twin: nobody knows what it is for."""
    copied(REPLY)
    run = fastapply("patch", "--clipboard", "--json")
    assert (run.status, run.object["reason"]) == (1, "bad_edit")
    assert (place / "list.txt").read_text(encoding="utf-8") == BEFORE


def test_what_was_copied_and_is_no_edit_is_refused(place, fastapply, copied):
    """Such as the last address that somebody copied."""
    copied("https://example.org/")
    assert fastapply("apply", "--clipboard", "list.txt").status == 1
    assert (place / "list.txt").read_text(encoding="utf-8") == BEFORE


def test_an_empty_clipboard_is_said_plainly(fastapply, copied):
    """It may as well hold a picture."""
    copied("")
    run = fastapply("apply", "--clipboard", "list.txt")
    assert run.status == 2
    assert run.err == (
        "list.txt: the clipboard is empty or has no text "
        "[no_clipboard]\nhint: copy the model's whole reply first\n"
    )


def test_edit_and_clipboard_exclude_each_other(fastapply, copied):
    """One of them would be passed over in silence."""
    copied(REPLY)
    for command in (("apply", "--clipboard", "list.txt", "edit.txt"), ("patch", "--clipboard", "-")):
        run = fastapply(*command)
        assert (run.status, "--clipboard cannot be used with the edit" in run.err) == (2, True)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there always is a clipboard")
def test_a_system_without_clipboard_is_said_plainly(place, environment):
    """No display, and no program that reads one."""
    only_python = Path(environment["PATH"].split(os.pathsep)[0])
    environment |= {"PATH": str(only_python)}
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        environment.pop(name, None)
    done = subprocess.run(
        [str(only_python / "fastapply"), "apply", "--clipboard", "list.txt"],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stderr.splitlines()
    assert (done.returncode, said[0].startswith("list.txt: cannot read the clipboard: ")) == (2, True)
    assert said[0].endswith("[no_clipboard]")
    assert "install xclip" in said[1]


@pytest.fixture
def display(tmp_path):
    """Start a display of X11 with no screen behind it, and give its name."""
    if shutil.which("Xvfb") is None or shutil.which("xclip") is None:
        pytest.skip("needs Xvfb and xclip: apt-get install xvfb xclip")
    read, write = os.pipe()
    with (tmp_path / "xvfb.log").open("wb") as log:
        server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-nolisten", "tcp"], pass_fds=[write], stderr=log, stdout=log
        )
    os.close(write)
    with os.fdopen(read) as said:
        number = said.readline().strip()
    yield f":{number}"
    server.terminate()
    server.wait(10)


def test_the_clipboard_of_a_real_desktop_is_read(place, environment, display):
    """What xclip put there, letters beyond ASCII and all."""
    environment |= {"DISPLAY": display}
    environment.pop("WAYLAND_DISPLAY", None)
    reply = REPLY.replace("2\n", "zwei ü 二\n")
    subprocess.run(
        ["xclip", "-selection", "clipboard"],
        input=reply.encode(),
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(0.1)
    done = subprocess.run(
        ["fastapply", "apply", "--clipboard", "list.txt"],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "list.txt: applied (+1 -1)\n")
    assert (place / "list.txt").read_text(encoding="utf-8") == "one\nzwei ü 二\nthree\n"
