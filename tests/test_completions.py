"""The shells' completion scripts, and the answers that they ask for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = ("_fastapply", "fastapply.bash", "fastapply.fish", "fastapply.ps1")


def test_completion_scripts_are_those_that_the_generator_writes(tmp_path):
    """What is in the repository is what comes out of the installed Typer."""
    subprocess.run([sys.executable, str(ROOT / "completions" / "generate.py"), str(tmp_path)], check=True)
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    kept = {name: (ROOT / "completions" / name).read_bytes() for name in SCRIPTS}
    assert written == kept


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        (
            "fastapply ",
            [
                "apply",
                "patch",
                "batch",
                "undo",
                "redo",
                "log",
                "config",
                "doctor",
                "prompt",
                "mcp",
                "serve",
                "check-markers",
                "init",
                "git",
                "models",
                "worker",
                "bench",
                "evaluate",
                "dataset",
                "train",
            ],
        ),
        ("fastapply apply --dr", ["--dry-run"]),
        ("fastapply apply a.py --engine ", ["auto", "deterministic", "model"]),
        ("fastapply patch --ro", ["--root"]),
        ("fastapply apply --no-such", []),
    ],
)
def test_bash_is_told_what_may_come_next(line, answers, monkeypatch, capfd):
    """Commands, options, and the values of an option."""
    from fastapply.cli import main

    monkeypatch.setenv("_FASTAPPLY_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split(" ")) - 1))
    assert main([]) == 0
    assert capfd.readouterr().out.split() == answers


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_reads_its_script_and_completes_a_command():
    """The script defines its function, and that one asks the real program."""
    script = (
        "source completions/fastapply.bash; COMP_WORDS=(fastapply check-); COMP_CWORD=1; "
        '_fastapply_completion fastapply; echo "${COMPREPLY[@]}"'
    )
    run = subprocess.run(
        ["bash", "-c", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "check-markers\n"


@pytest.mark.skipif(sys.platform == "win32", reason="no bash there")
def test_lines_of_the_readme_install_the_scripts(tmp_path):
    """Those for bash, zsh and fish, as they stand there, in a home of the test's."""
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Shell completion")[2]
    lines = text.partition("```sh\n")[2].partition("```")[0].splitlines()
    lines = [line for line in lines if "PowerShell" not in line]
    assert len(lines) == 3
    folders = [tmp_path / ".zfunc", tmp_path / ".config/fish/completions"]
    for folder in folders:
        folder.mkdir(parents=True)
    subprocess.run(
        ["bash", "-ec", "\n".join(lines)], cwd=ROOT, env={**os.environ, "HOME": str(tmp_path)}, check=True
    )
    assert [[file.name for file in folder.iterdir()] for folder in folders] == [
        ["_fastapply"],
        ["fastapply.fish"],
    ]
