"""`fastapply bench`: what it measures adds up, on a small trained model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fastapply.bench.cases import BenchCase, built_in_cases, read_cases, stretched
from fastapply.errors import FileTrouble

MODEL = ("--model", str(Path(__file__).parent / "nano-4m.gguf"))


def run(*arguments):
    """The command line."""
    return subprocess.run(
        [sys.executable, "-m", "fastapply", "bench", *arguments], capture_output=True, text=True, check=False
    )


def test_built_in_edits_are_of_files_of_a_usual_length():
    """Twice each: so that the right merge is rather certain without a model, and so that it is not."""
    from fastapply import apply_edit

    cases = list(built_in_cases())
    assert len(cases) == 8
    for case in cases:
        assert 100 <= len(case.original.splitlines()) <= 400
        assert case.merged is not None
        clear = case.name.endswith("clear")
        result = apply_edit(case.original, case.edit, path=case.path, min_certainty=0.85 if clear else None)
        if clear:
            assert (result.status, result.text == case.merged) == ("applied", True), case.name
        else:
            assert result.status == "refused", case.name


def test_stretched_case_is_the_same_edit_in_a_longer_file():
    """Lines come before and behind; what changes stays."""
    case = BenchCase("a", "a.py", "x = 1\n", "x = 2\n", "x = 2\n")
    long = stretched(case, 100)
    assert len(long.original.splitlines()) == 100
    assert long.merged == long.original.replace("x = 1\n", "x = 2\n")


def test_cases_are_read_from_lines_of_json(tmp_path):
    """At most as many as wanted; what is no case is file trouble."""
    path = tmp_path / "some.jsonl"
    path.write_text('{"original": "a", "edit": "b", "merged": "c"}\n' * 3)
    assert read_cases(path, 2) == [
        BenchCase("some-1", "a.py", "a", "b", "c"),
        BenchCase("some-2", "a.py", "a", "b", "c"),
    ]
    path.write_text('{"edit": "b"}\n')
    with pytest.raises(FileTrouble):
        read_cases(path, 2)


@pytest.mark.slow
def test_bench_measures_an_edit_of_a_file(llama, tmp_path):  # noqa: ARG001 - skips
    """Ours, the limit and one at a time."""
    file, edit = tmp_path / "a.py", tmp_path / "edit.txt"
    body = "".join(f"def f{number}(a):\n    b = {number}\n    return a + b\n\n\n" for number in range(12))
    file.write_text(body)
    edit.write_text("def f5(a):\n    b = 55\n    return a + b\n")
    done = run("--json", *MODEL, "--rounds", "1", "--threads", "1", str(file), str(edit))
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    (row,) = told["cases"]
    assert row["steps"] + row["accepted"] >= row["output_tokens"]
    assert row["share_of_limit"] == pytest.approx(row["limit_seconds"] / row["seconds"])
    assert told["all"]["cases"] == told["compared"] == told["same_as_one_at_a_time"] == 1
    assert not told["replay"]
    assert told["complete"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals to a group of processes")
def test_bench_shows_what_it_has_when_it_is_interrupted(llama):  # noqa: ARG001 - skips
    """After the first of eight cases: that one's row, and the status of an interruption."""
    process = subprocess.Popen(
        [sys.executable, "-m", "fastapply", "bench", *MODEL, "--rounds", "1", "--threads", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        notes = []
        for line in process.stderr or ():
            notes.append(line)
            if "of the limit" in line:
                break
        os.killpg(process.pid, signal.SIGINT)
        shown, rest = process.communicate(timeout=60)
    assert any("case 1 of 8" in note for note in notes)
    assert process.returncode == 130
    assert "all: 1 cases" in shown or "all: 2 cases" in shown
    assert "worker:" not in shown
    assert "Traceback" not in rest


def test_bench_wants_a_file_and_an_edit(llama):  # noqa: ARG001 - skips
    """Both, or neither."""
    assert run(str(Path(__file__))).returncode == 2


def test_bench_wants_a_model(llama):  # noqa: ARG001 - skips
    """And says how to get one."""
    done = run()
    assert (done.returncode, done.stdout) == (5, "")
    assert "no model is selected" in done.stderr
    assert "[no_model]" in done.stderr


def test_bench_says_what_is_wrong_with_a_model(llama, tmp_path):  # noqa: ARG001 - skips
    """In one line, and with exit status 5."""
    path = tmp_path / "bad.gguf"
    path.write_bytes(b"GGUF nonsense")
    done = run("--model", str(path), "--style", "nano")
    assert (done.returncode, done.stdout) == (5, "")
    assert "[bad_model]" in done.stderr
