"""A run: resumable, stoppable, with nothing lost to a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from making import CASE, WANTED, case, cases_file, make_run, record, tool

from fastapply.errors import UsageError
from fastapply.evaluate.engines import Attempt
from fastapply.evaluate.records import (
    RESULTS,
    append_line,
    read_records,
    read_whole_lines,
    run_cases,
    write_settings,
)

SETTINGS = {"schema": 1, "engine": "deterministic", "limit": 60.0}


class Scripted:
    """An engine that merges as expected and remembers what it was asked."""

    def __init__(self, asked):
        self.asked, self.closed = asked, False

    def apply(self, one):
        """Answer at once."""
        self.asked.append(one.id)
        return Attempt("applied", WANTED, 0.01)

    def close(self):
        """Remember that."""
        self.closed = True


def test_each_case_is_a_line_with_its_texts_and_what_was_done(tmp_path):
    """What comes back is what was kept."""
    write_settings(tmp_path / "run", SETTINGS)
    done = list(run_cases([CASE], tmp_path / "run", lambda: Scripted([]), jobs=1))
    assert done == list(read_records(tmp_path / "run"))
    assert (done[0].case, done[0].attempt.merged, done[0].verdict.outcome) == (CASE, WANTED, "correct")


def test_what_has_a_result_is_not_tried_again(tmp_path):
    """A line that a kill has cut off is."""
    run = make_run(tmp_path / "run", [record(WANTED, case(1)), record(WANTED, case(2))])
    text = (run / RESULTS).read_text(encoding="utf-8")
    (run / RESULTS).write_text(text[:-40], encoding="utf-8")
    asked: list[str] = []
    list(run_cases([case(1), case(2), case(3)], run, lambda: Scripted(asked), jobs=1))
    assert asked == ["store/2", "store/3"]
    assert sorted(one.case.id for one in read_records(run)) == ["store/1", "store/2", "store/3"]


def test_a_run_goes_on_only_with_the_same_settings(tmp_path):
    """Two engines in one table would be a lie."""
    make_run(tmp_path / "run", [])
    with pytest.raises(UsageError, match="another engine"):
        write_settings(tmp_path / "run", {**SETTINGS, "engine": "auto"})
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").touch()
    with pytest.raises(UsageError, match="not empty"):
        write_settings(tmp_path / "other", SETTINGS)


def test_a_stopped_run_ends_what_it_has_begun_and_begins_nothing(tmp_path):
    """What ran is on the disk."""
    write_settings(tmp_path / "run", SETTINGS)
    stop, asked = threading.Event(), list[str]()
    cases = [case(n) for n in range(50)]
    for _ in run_cases(cases, tmp_path / "run", lambda: Scripted(asked), jobs=1, stop=stop):
        stop.set()
    assert 1 <= len(asked) < 6
    assert sorted(one.case.id for one in read_records(tmp_path / "run")) == sorted(asked)


def test_cases_of_other_formats_are_not_tried(tmp_path):
    """A tool for diffs is not measured on snippets."""
    write_settings(tmp_path / "run", SETTINGS)
    asked: list[str] = []
    cases = [case(1, format="udiff"), case(2)]
    done = run_cases(cases, tmp_path / "run", lambda: Scripted(asked), jobs=1, formats=["udiff"])
    outcomes = {one.case.id: one.verdict.outcome for one in done}
    assert outcomes == {"store/1": "correct", "store/2": "not_applicable"}
    assert asked == ["store/1"]


def test_engines_are_closed_when_the_run_is_given_up(tmp_path):
    """No process stays behind."""
    write_settings(tmp_path / "run", SETTINGS)
    made: list[Scripted] = []

    def make():
        made.append(Scripted([]))
        return made[-1]

    records = run_cases([case(n) for n in range(9)], tmp_path / "run", make, jobs=2)
    next(records)
    records.close()  # type: ignore[attr-defined]
    assert made
    assert all(engine.closed for engine in made)


def test_two_processes_append_whole_lines(tmp_path):
    """Every line of both is there, in the order of each."""
    path = tmp_path / "lines.jsonl"
    script = (
        "import json, sys\nfrom pathlib import Path\nfrom fastapply.evaluate.records import append_line\n"
        "for n in range(60):\n"
        "    line = json.dumps({'by': sys.argv[2], 'number': n, 'fill': 'x' * 5000})\n"
        "    append_line(Path(sys.argv[1]), line + '\\n')\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", script, str(path), name]) for name in ("a", "b")]
    assert [writer.wait(30) for writer in writers] == [0, 0]
    lines = list(read_whole_lines(path))
    for name in ("a", "b"):
        assert [line["number"] for line in lines if line["by"] == name] == list(range(60))


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("delay", [0.02, 0.06, 0.13])
def test_a_kill_costs_no_line_that_was_answered(delay, tmp_path):
    """What the writer has said is kept is read, and the next line stands for itself."""
    path = tmp_path / "lines.jsonl"
    script = (
        "import json, sys\nfrom pathlib import Path\nfrom fastapply.evaluate.records import append_line\n"
        "print('ready', flush=True)\n"
        "for n in range(100000):\n"
        "    append_line(Path(sys.argv[1]), json.dumps({'n': n, 'fill': 'x' * 20000}) + '\\n')\n"
        "    print(n, flush=True)\n"
    )
    command = [sys.executable, "-c", script, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        time.sleep(delay)
        os.kill(writer.pid, signal.SIGKILL)
        said = [int(line) for line in writer.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    append_line(path, json.dumps({"n": -1}) + "\n")
    numbers = [line["n"] for line in read_whole_lines(path)]
    assert numbers[-1] == -1
    assert numbers[: len(said)] == said
    assert len(numbers) - 1 <= len(said) + 1


def test_a_line_that_was_cut_off_spoils_no_other(tmp_path):
    """Whatever a kill has left of it."""
    whole = json.dumps({"n": 1, "text": "\u00e4"}, ensure_ascii=False).encode() + b"\n"
    for cut in range(1, len(whole)):
        path = tmp_path / f"{cut}.jsonl"
        path.write_bytes(whole + whole[:cut])
        append_line(path, json.dumps({"n": 2}) + "\n")
        assert [line["n"] for line in read_whole_lines(path)] in ([1, 2], [1, 1, 2])


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to another process")
def test_an_interrupted_command_goes_on_where_it_was(tmp_path):
    """Ctrl-C lets the case that runs end; the same command then does the rest, each case once."""
    source = cases_file(tmp_path / "cases.jsonl", *(case(n) for n in range(6)))
    run = tmp_path / "run"
    command = [
        *(sys.executable, "-m", "fastapply", "evaluate", "run", source, "--out", str(run), "-j", "1"),
        *("--cmd", tool(tmp_path, "time.sleep(0.4)")),
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        results = run / RESULTS
        while not results.exists() or not results.stat().st_size:
            assert first.poll() is None
            time.sleep(0.02)
        first.send_signal(signal.SIGINT)
        _, said = first.communicate(timeout=20)
    assert first.returncode == 130
    assert "run the same command again to resume" in said
    begun = len(list(read_whole_lines(results)))
    assert 1 <= begun < 6
    again = subprocess.run(command, check=True, capture_output=True, text=True)
    assert f"{begun} of 6 cases have results already" in again.stderr
    assert sorted(one.case.id for one in read_records(run)) == [f"store/{n}" for n in range(6)]
