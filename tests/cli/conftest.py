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
