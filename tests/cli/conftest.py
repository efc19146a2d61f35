"""How the tests of the command line run it: in this process, in a folder of their own."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from fastapply.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True)
class Run:
    """What a run came to."""

    status: int
    out: bytes
    err: str

    @property
    def object(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        value: dict[str, Any] = json.loads(self.out)
        return value


class Input(io.TextIOWrapper):
    """A standard input that says whether it is a terminal."""

    terminal = False

    def isatty(self) -> bool:
        """Say what the test wants."""
        return self.terminal


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make an empty folder the present one."""
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def fastapply(
    folder: Path,  # noqa: ARG001 - every run is in a folder of its own
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> Callable[..., Run]:
    """Run the command line with arguments and, where given, an edit on standard input."""

    def run(*arguments: str, edit: str | bytes = b"", terminal: bool = False) -> Run:
        data = edit.encode() if isinstance(edit, str) else edit
        stdin = Input(io.BytesIO(data))
        stdin.terminal = terminal
        monkeypatch.setattr(sys, "stdin", stdin)
        capsysbinary.readouterr()
        status = main(list(arguments))
        said = capsysbinary.readouterr()
        return Run(status, said.out, said.err.decode())

    return run


@pytest.fixture
def git(folder: Path) -> Callable[..., str]:
    """Run git in the folder, in a repository of its own."""
    import subprocess

    def run(*arguments: str, data: bytes | None = None) -> str:
        settings = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "core.autocrlf=false"]
        done = subprocess.run(
            ["git", *settings, *arguments], cwd=folder, input=data, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode("utf-8", "surrogateescape")

    run("init", "-q")
    return run


@pytest.fixture
def place(folder):
    """A folder with the file and its edit."""
    from reviewing import BEFORE, EDIT

    (folder / "say.py").write_text(BEFORE, encoding="utf-8")
    (folder / "edit.txt").write_text(EDIT, encoding="utf-8")
    return folder


@pytest.fixture
def terminal(place, environment):
    """Start a command on a terminal of its own."""
    import pexpect

    started = []

    def start(command: str, **variables: str):
        child = pexpect.spawn(
            "/bin/sh",
            ["-c", command if "|" in command else f"exec {command}"],
            cwd=place,
            env={**environment, "TERM": "xterm-256color", "NO_COLOR": "1", **variables},
            encoding="utf-8",
            dimensions=(50, 120),
            timeout=60,
        )
        started.append(child)
        return child

    yield start
    for child in started:
        child.close(force=True)
