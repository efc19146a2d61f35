"""The lab beside the program: its commands are listed and run where it is there, and nowhere else."""

from __future__ import annotations

import subprocess
import sys

import pytest

NO_LAB = "import sys; sys.modules['fastapply_lab'] = None; "
WITH = "import sys; from fastapply.cli import main; sys.exit(main(sys.argv[1:]))"
WITHOUT = f"{NO_LAB}{WITH}"


def run(*arguments, code=WITHOUT):
    """Call the command line in a process where the lab cannot be imported."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "words",
    [
        ["train", "lora", "x"],
        ["dataset", "--help"],
        ["evaluate", "view", "RUN"],
        ["evaluate", "report", "-o", "FILE", "RUN"],
    ],
    ids=" ".join,
)
def test_command_of_the_lab_says_that_it_needs_a_checkout(words):
    """In one line, with the status of a usage error."""
    done = run(*words)
    name = " ".join(words[: words.index("-o") + 1 if "-o" in words else 2])
    name = name if words[0] == "evaluate" else words[0]
    assert (done.returncode, done.stdout) == (2, "")
    said = f"fastapply: {name} needs a checkout of fastapply: pip install -e '.[dev]' there [not_installed]\n"
    assert done.stderr == said


def test_a_merge_is_told_from_the_expected_text_without_the_lab():
    """With it the reason says more."""
    code = (
        "from fastapply.evaluate.cases import Case; from fastapply.evaluate.engines import Attempt; "
        "from fastapply.evaluate.outcomes import decide; "
        "case = Case('1', 'a.py', 'x = 1\\n', 'x = 2\\n', 'x = 2\\n'); "
        "print(decide(case, Attempt('applied', 'x = 3\\n')))"
    )
    without, here = run(code=NO_LAB + code).stdout, run(code=code).stdout
    assert "functional_error" in without
    assert "it is not the expected text" in without
    assert "hallucination" in here


def test_commands_are_listed_where_the_lab_is_there():
    """Elsewhere the others are, and a group has those of its own."""
    for words, names in ((["--help"], ["train ", "dataset "]), (["evaluate", "--help"], ["view ", "align "])):
        without, here = run(*words).stdout, run(*words, code=WITH).stdout
        assert [f"\n  {name}" in without for name in names] == [False, False]
        assert [f"\n  {name}" in here for name in names] == [True, True]
    assert all(f"\n  {name} " in run("evaluate", "--help").stdout for name in ("run", "compare", "report"))


def test_list_of_commands_imports_nothing_of_the_lab():
    """Start-up is part of the product."""
    code = (
        "import sys; from fastapply.cli import main; main(['--help']); "
        "print([name for name in sys.modules if name.startswith('fastapply_lab')])"
    )
    assert run(code=code).stdout.endswith("\n[]\n")
