"""The plain call means the same whether Typer reads it or not."""

from __future__ import annotations

import itertools
import subprocess
import sys

import pytest

from fastapply.cli import apply, commands
from fastapply.cli.plain import SWITCHES, read_plain

NAMES = (["a.py"], ["a.py", "edit.txt"], ["a.py", "-"], ["", "two words"])
EXTRAS = (
    [],
    ["-i", "make it so"],
    ["--instructions", ""],
    ["-i", "one", "-i", "two"],
    *([switch] for switch in SWITCHES),
    list(SWITCHES),
)


def read_by_typer(arguments, monkeypatch):
    """Let Typer read a call, and give what it would run `apply_file` with."""
    calls = []
    monkeypatch.setattr(apply, "apply_file", lambda *given: calls.append(given))
    commands.make_group().main(arguments, prog_name="fastapply", standalone_mode=False)
    (call,) = calls
    return call


@pytest.mark.parametrize(("names", "extras"), list(itertools.product(NAMES, EXTRAS)))
def test_typer_reads_a_plain_call_alike(names, extras, monkeypatch):
    """Both ways give the same file, edit and options, wherever the options stand."""
    for arguments in (["apply", *names, *extras], ["apply", *extras, *names]):
        plain = read_plain(arguments)
        assert plain is not None
        assert (plain.request, plain.file, plain.edit, None) == read_by_typer(arguments, monkeypatch)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["apply"],
        ["patch", "edit.txt"],
        ["apply", "a.py", "e.txt", "third"],
        ["apply", "--help"],
        ["apply", "a.py", "-qv"],
        ["apply", "a.py", "--", "-"],
        ["apply", "a.py", "-i"],
        ["apply", "a.py", "-i", "--json"],
        ["apply", "a.py", "--instructions=x"],
        ["apply", "a.py", "-o", "-"],
        ["apply", "a.py", "--pick", "1"],
        ["--version"],
    ],
    ids=" ".join,
)
def test_every_other_call_is_left_to_typer(arguments):
    """What is not surely plain is not read here."""
    assert read_plain(arguments) is None


def test_plain_call_imports_no_slow_module(tmp_path):
    """Neither Typer nor Rich, GitPython or llama_cpp is imported on the plain path."""
    (tmp_path / "a.txt").write_text("one\ntwo words\n", encoding="utf-8")
    (tmp_path / "e.txt").write_text(
        "<<<<<<< SEARCH\ntwo words\n=======\nthree words\n>>>>>>> REPLACE\n", encoding="utf-8"
    )
    code = (
        "import sys; from fastapply.cli import main; status = main(['apply', 'a.txt', 'e.txt', '-q']); "
        "slow = {'typer', 'click', 'rich', 'git', 'llama_cpp', 'pydantic'} & {*sys.modules}"
        "; print(status, slow)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (ran.stdout, ran.stderr) == ("0 set()\n", "")
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "one\nthree words\n"
