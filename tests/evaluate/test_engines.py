"""Applying a case: in a process of ours, or by a command."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from dataclasses import replace

import pytest
from making import BLOCK, CASE, FILE, WANTED, tool

from fastapply.errors import UsageError
from fastapply.evaluate.engines import CommandEngine, EngineChoice, OwnEngine


@pytest.fixture
def own():
    """Our own engine, without a model."""
    engine = OwnEngine(EngineChoice("deterministic"), 20)
    yield engine
    engine.close()


def test_our_own_engine_merges_and_refuses_with_a_reason(own):
    """A block that fits goes in, one that does not is refused; one process does both."""
    done = own.apply(CASE)
    assert (done.status, done.merged, done.method) == ("applied", WANTED, "exact")
    refused = own.apply(replace(CASE, edit=BLOCK.replace("saving %s", "no such line")))
    assert (refused.status, refused.merged, refused.reason) == ("refused", None, "not_found")


def test_a_byte_order_mark_is_the_files_own(own):
    """As for a file on the disk, it plays no part in the merge and stays."""
    marked = replace(CASE, original="\ufeff" + FILE)
    assert own.apply(marked).merged == "\ufeff" + WANTED


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_process_that_dies_is_a_crash_and_the_next_case_has_another(own):
    """One bad case costs one case."""
    own.apply(CASE)
    os.kill(own._process.pid, signal.SIGKILL)
    assert own.apply(CASE).status == "crashed"
    assert own.apply(CASE).merged == WANTED


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGSTOP")
def test_a_process_that_gives_no_answer_is_ended(own):
    """After the time limit, and the next case has another."""
    own.apply(CASE)
    own._limit = 0.3
    os.kill(own._process.pid, signal.SIGSTOP)
    stopped = own.apply(CASE)
    assert (stopped.status, stopped.merged) == ("timed_out", None)
    own._limit = 20
    assert own.apply(CASE).merged == WANTED


@pytest.mark.parametrize(
    ("script", "status"),
    [
        ("open(F, 'w', newline='').write('one\\n')", "applied"),
        ("", "unchanged"),
        ("raise SystemExit(1)", "refused"),
        ("open(F, 'w').write('half'); raise SystemExit(1)", "crashed"),
        ("1 / 0", "crashed"),
        ("os.unlink(F)", "crashed"),
        ("os.kill(os.getpid(), 9)", "crashed"),
        ("time.sleep(5)", "timed_out"),
    ],
)
def test_a_command_is_judged_by_its_exit_status_and_the_file(script, status, tmp_path):
    """A refusal that changed the file is a crash, as is a traceback."""
    assert CommandEngine(tool(tmp_path, script), 1).apply(CASE).status == status


def test_a_time_limit_ends_all_that_a_command_started(tmp_path):
    """Also what its own children do."""
    late = tmp_path / "late"
    child = f"import time; time.sleep(1.5); open({str(late)!r}, 'w')"
    script = f"import subprocess\nsubprocess.run([sys.executable, '-c', {child!r}])"
    assert CommandEngine(tool(tmp_path, script), 0.7).apply(CASE).status == "timed_out"
    time.sleep(1.6)
    assert not late.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to another process")
def test_ctrl_c_does_not_reach_our_own_process(own):
    """Who runs the cases decides when it ends."""
    own.apply(CASE)
    os.kill(own._process.pid, signal.SIGINT)
    assert own.apply(CASE).merged == WANTED


def test_a_command_is_given_file_edit_and_instructions(tmp_path):
    """The file is under its own name, beside the edit, in a folder of its own."""
    script = "import json\nsaid = [sorted(os.listdir('.')), open(E).read(), I]\n"
    script += "open(F, 'w', newline='').write(json.dumps(said))"
    done = CommandEngine(tool(tmp_path, script), 20).apply(CASE)
    assert json.loads(done.merged or "") == [["edit.txt", "store.py"], BLOCK, CASE.instructions]


@pytest.mark.parametrize("command", ["tool {edit}", "tool '{file}", "tool {file} {other}"])
def test_a_command_that_is_none_is_a_usage_error(command):
    """Before anything runs."""
    with pytest.raises(UsageError):
        CommandEngine(command, 1)


def test_a_command_that_cannot_be_run_is_no_outcome(tmp_path):
    """Nothing is to be counted where there is no such tool."""
    with pytest.raises(UsageError, match="cannot run"):
        CommandEngine(f"{tmp_path}/nothing {{file}}", 1).apply(CASE)
