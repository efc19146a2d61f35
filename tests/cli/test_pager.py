"""Long diffs go through the pager that git would start."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fastapply.terminal.pager import diff_pager, only_shows, text_pager

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")

SHORT = "def f():\n    return 1\n"
LONG = "".join(f"x{number} = {number}\n" for number in range(100))


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder with a repository, and nothing of the user's configuration."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name in ("GIT_PAGER", "PAGER", "LESS", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(folder / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.chdir(folder)
    return folder


def configure(key, value):
    """Set a value of the user's git."""
    subprocess.run(["git", "config", "--global", key, value], check=True)


def on_a_terminal(*arguments, rows=24):
    """Run fastapply with a terminal as its output; all that it shows."""
    import fcntl
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "fastapply", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # Linux says so where all have closed it
            break
        if not data:
            break
        shown += data
    os.close(ours)
    assert process.wait() == 0
    return shown.decode()


def edit(folder, text):
    """A file and an edit of all its numbers."""
    (folder / "a.py").write_text(text, encoding="utf-8")
    (folder / "edit.txt").write_text(text.replace("1", "2"), encoding="utf-8")
    return ("apply", "--format", "whole", "-n", "a.py", "edit.txt")


git = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")


@git
@pytest.mark.parametrize(
    ("settings", "variables", "pager"),
    [
        ({}, {"PAGER": "most"}, "most"),
        ({"core.pager": "delta"}, {"PAGER": "most"}, "delta"),
        ({"core.pager": "delta", "pager.diff": "diff-so-fancy | less"}, {}, "diff-so-fancy | less"),
        ({"core.pager": "delta", "pager.diff": "true"}, {}, "delta"),
        ({"core.pager": "delta", "pager.diff": "false"}, {}, None),
        ({"core.pager": "cat"}, {}, None),
        ({"core.pager": "delta"}, {"GIT_PAGER": "more"}, "more"),
        ({"core.pager": "delta", "pager.diff": "bat"}, {"GIT_PAGER": ""}, None),
    ],
)
def test_pager_of_diffs_is_that_of_git(home, monkeypatch, settings, variables, pager):
    """GIT_PAGER, pager.diff, core.pager, PAGER, in this order; cat and nothing are none."""
    assert home.is_dir()
    for key, value in settings.items():
        configure(key, value)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert diff_pager() == pager


def test_pager_without_git_is_that_of_other_programs(home, monkeypatch):
    """PAGER, else less."""
    monkeypatch.setenv("PATH", str(home))
    assert diff_pager() == "less"
    monkeypatch.setenv("PAGER", "more -d")
    assert (diff_pager(), text_pager()) == ("more -d", "more -d")


@pytest.mark.parametrize(
    ("pager", "shows"),
    [
        ("less", True),
        ("LESS=R /usr/bin/less -X", True),
        ("delta --dark", False),
        ("diff-so-fancy | less", False),
    ],
)
def test_pager_that_makes_its_own_of_a_diff_is_told_from_one_that_shows_it(pager, shows):
    """By the name of its program."""
    assert only_shows(pager) is shows


def test_long_diff_goes_through_the_pager_in_our_colours(home, monkeypatch):
    """A short one does not; `--no-pager` has none at all."""
    (home / "less").write_text("#!/bin/sh\necho BEGIN\ncat\necho END\n", encoding="utf-8")
    (home / "less").chmod(0o755)
    monkeypatch.setenv("PAGER", str(home / "less"))
    monkeypatch.setenv("GIT_PAGER", str(home / "less"))
    long = on_a_terminal(*edit(home, LONG))
    assert long.startswith("BEGIN\r\n")
    assert "\r\nEND\r\n" in long
    assert "\x1b[" in long.partition("BEGIN")[2].partition("@@")[0]
    assert "BEGIN" not in on_a_terminal(*edit(home, SHORT))
    assert "BEGIN" not in on_a_terminal(*edit(home, LONG), "--no-pager")
    assert "BEGIN" not in on_a_terminal("--no-pager", *edit(home, LONG))


@git
def test_pager_that_formats_diffs_gets_every_diff_as_git_writes_it(home):
    """What `core.pager` names, for a short diff too."""
    (home / "delta").write_text(f"#!/bin/sh\ncat > {home}/seen\necho FORMATTED\n", encoding="utf-8")
    (home / "delta").chmod(0o755)
    configure("core.pager", str(home / "delta"))
    assert on_a_terminal(*edit(home, SHORT)).startswith("FORMATTED\r\n")
    seen = (home / "seen").read_text(encoding="utf-8")
    assert "\x1b[31m-    return 1\x1b[0m\n\x1b[32m+    return 2\x1b[0m\n" in seen
    assert seen.startswith("\x1b[1mdiff --git a/a.py b/a.py\x1b[0m\n")
    assert on_a_terminal(*edit(home, SHORT), "--color", "never").startswith("FORMATTED\r\n")
    assert "\x1b[" not in (home / "seen").read_text(encoding="utf-8")


def test_pager_that_is_not_there_is_no_reason_to_show_nothing(home, monkeypatch):
    """The diff is written as without one."""
    monkeypatch.setenv("GIT_PAGER", str(home / "no-such-pager"))
    assert "x94" in on_a_terminal(*edit(home, LONG))


def test_pager_that_ends_early_is_no_error(home, monkeypatch):
    """As when somebody leaves less at the first page."""
    monkeypatch.setenv("GIT_PAGER", "head -n 1")
    shown = on_a_terminal(*edit(home, LONG * 50))
    assert "diff --git" in shown
    assert "would apply" in shown


def test_diff_in_a_pipe_is_plain_and_has_no_pager(home, monkeypatch):
    """So that `git apply` takes it."""
    monkeypatch.setenv("GIT_PAGER", "sed s/^/PAGED/")
    done = subprocess.run(
        [sys.executable, "-m", "fastapply", *edit(home, LONG)], capture_output=True, check=True, text=True
    )
    assert done.stdout.startswith("diff --git a/a.py b/a.py\n--- a/a.py\n")
    assert "\x1b" not in done.stdout


def test_long_topic_goes_through_the_pager(home, monkeypatch):
    """A topic is laid out for the terminal."""
    (home / "less").write_text("#!/bin/sh\necho BEGIN\ncat\n", encoding="utf-8")
    (home / "less").chmod(0o755)
    monkeypatch.setenv("PAGER", str(home / "less"))
    assert on_a_terminal("help", "evaluation").startswith("BEGIN\r\n")
    assert not on_a_terminal("help").startswith("BEGIN\r\n")
