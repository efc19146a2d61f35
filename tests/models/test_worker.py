"""The worker process: found when it runs, started when not, and no harm where it dies."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import pytest

from fastapply.errors import ModelTrouble, Refused
from fastapply.models.engine import Drafts, Progress, Task
from fastapply.models.prompts import ShownToModel, expected_answer, render_prompt
from fastapply.models.worker import messages
from fastapply.models.worker.client import WorkerModel, ask
from fastapply.models.worker.messages import all_addresses, connect
from fastapply.models.worker.probe import uses_extra_buffers
from fastapply.values import replace

FILE = "def one():\n    x = 1\n    return x\n\n\ndef two():\n    x = 1\n    return x\n"
OPEN = "<<<<<<< SEARCH\n    return x\n=======\n    return x, x\n>>>>>>> REPLACE\n"
MERGED = FILE[: FILE.rindex("return")] + "return x, x\n"
posix = pytest.mark.skipif(not hasattr(signal, "SIGILL") or os.name == "nt", reason="signals of POSIX")


def task_of(edit=OPEN, answer=MERGED):
    """A task whose right answer is known."""
    prompt = render_prompt("nano", ShownToModel(FILE, edit))
    return Task(prompt, Drafts(expected_answer("nano", answer), FILE, edit), 400)


@pytest.fixture
def stop_workers(llama):  # noqa: ARG001 - skips
    """End the workers that a test has started."""
    yield
    for path, address in all_addresses():
        ask(address, "stop")
        path.unlink(missing_ok=True)


@pytest.fixture
def worker(stop_workers, answering):  # noqa: ARG001 - ends what is started here
    """Make a model that runs in a worker and answers the usual task."""

    def make(path=None, **options):
        found = path or answering(task_of().prompt, expected_answer("nano", MERGED))
        options = {"settings": {"threads": 1}, "idle_seconds": 60.0, **options}
        return WorkerModel(found, name="pointer", style="nano", context_length=1024, **options)

    return make


def pids():
    """Processes of the workers that say they run."""
    return [address.pid for _, address in all_addresses()]


def test_task_comes_through_the_messages_as_it_was():
    """Every field of it, with quotes and line ends."""
    task = task_of()
    assert messages.read_task(json.loads(json.dumps(asdict(task)))) == task


@pytest.mark.parametrize(
    "error", [Refused("a", reason="b", hint="c"), ModelTrouble("a", reason="b", hint="c")]
)
def test_error_comes_through_the_messages_as_it_was(error):
    """Its kind tells the exit status."""
    read = messages.read_error(messages.error_object(error))
    assert (type(read), read.message, read.reason, read.hint) == (type(error), "a", "b", "c")


def test_worker_answers_and_stays_for_the_next_run(worker):
    """The second one finds the model loaded and the prompt evaluated."""
    model = worker()
    first = model.complete(task_of())
    before = pids()
    second = worker(model._path).complete(task_of())
    assert [first.text, second.text] == [expected_answer("nano", MERGED)] * 2
    assert first.usage.load_seconds > 0
    assert (second.usage.load_seconds, second.usage.cached_tokens) == (0, first.usage.prompt_tokens - 1)
    assert len(before) == 1
    assert pids() == before


@posix
def test_socket_and_address_are_the_users_alone(worker):
    """Mode 0600, in folders that nobody else may look into."""
    worker().complete(task_of())
    path, address = next(iter(all_addresses()))
    for private in (path, Path(address.socket)):
        assert stat.S_IMODE(private.stat().st_mode) == 0o600
    for folder in (path.parent, Path(address.socket).parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_request_without_the_token_is_not_answered(worker):
    """Whoever reaches the socket has to have read the address file as well."""
    worker().complete(task_of())
    _, address = next(iter(all_addresses()))
    connection = connect(address)
    assert connection is not None
    with connection:
        stream = connection.makefile("rwb")
        messages.send(stream, {"token": "guess", "op": "stop"})
        assert messages.receive(stream) is None
    assert ask(address, "status") == {"pid": address.pid, "model": address.model}


def test_nonsense_on_the_socket_does_not_end_the_worker(worker):
    """Neither bytes that are no JSON nor a task that is none."""
    model = worker()
    model.complete(task_of())
    _, address = next(iter(all_addresses()))
    for line in (b"\xff\xfe\n", b"[]\n", b"no line end"):
        connection = connect(address)
        assert connection is not None
        with connection:
            connection.sendall(line)
    assert ask(address, "complete") is None
    assert model.complete(task_of()).text == expected_answer("nano", MERGED)


def test_idle_worker_ends(worker):
    """After the seconds that it was given, and leaves nothing behind."""
    model = worker(idle_seconds=1.0)
    address = model.start()
    for _ in range(100):
        time.sleep(0.1)
        if not Path(address.socket).exists() and not list(all_addresses()):
            break
    assert list(all_addresses()) == []
    assert not Path(address.socket).parent.exists()


def test_worker_that_is_not_to_stay_ends_with_its_answer(worker):
    """Idle seconds of zero."""
    assert worker(idle_seconds=0.0).complete(task_of()).text == expected_answer("nano", MERGED)
    for _ in range(50):
        if not list(all_addresses()):
            break
        time.sleep(0.1)
    assert list(all_addresses()) == []


def test_worker_puts_the_adapter_on_its_base(worker, tmp_path):
    """And is another one than that of the base alone."""
    from pointer_model import write_adapter

    plain = worker()
    adapter = write_adapter(tmp_path / "adapter.gguf")
    tuned = worker(plain._path, adapter=adapter)
    assert plain.complete(task_of()).text == tuned.complete(task_of()).text == expected_answer("nano", MERGED)
    assert len(pids()) == 2


def test_adapter_for_another_base_is_one_line_of_trouble(worker, tmp_path):
    """Of the worker that does not start."""
    from pointer_model import write_adapter

    adapter = write_adapter(tmp_path / "adapter.gguf", architecture="qwen2")
    with pytest.raises(ModelTrouble) as caught:
        worker(adapter=adapter).complete(task_of())
    assert caught.value.reason == "bad_adapter"


@posix
def test_answer_that_takes_too_long_is_refused_and_the_worker_stays(worker):
    """A clean refusal; the next run finds the worker where it was."""
    model = worker(timeout=60.0)
    model.complete(task_of())
    (pid,) = pids()
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(Refused) as caught:
            worker(model._path, timeout=0.5).complete(task_of())
    finally:
        os.kill(pid, signal.SIGCONT)
    assert (caught.value.reason, caught.value.exit_status) == ("model_timeout", 1)
    assert "--model-timeout" in caught.value.hint
    assert model.complete(task_of()).text == expected_answer("nano", MERGED)
    assert pids() == [pid]


def test_worker_that_loads_too_long_is_refused_and_ended(worker):
    """Nothing is left behind that would load on."""
    with pytest.raises(Refused) as caught:
        worker(timeout=0.05).complete(task_of())
    assert caught.value.reason == "model_timeout"
    assert pids() == []


def test_progress_says_what_the_model_does(worker):
    """It loads, reads and writes, and says what is asked; and comes to an end, whatever the answer."""
    seen: list[Progress | None] = []
    task = task_of()
    task = replace(task, prompt=replace(task.prompt, about="Where does `two` go?"))
    worker(watch=seen.append).complete(task)
    assert seen.pop() is None
    stages = [progress.stage for progress in seen if progress]
    assert stages[:2] == ["loading", "reading"]
    assert set(stages[2:]) <= {"reading", "writing"}
    assert {progress.about for progress in seen if progress} == {"Where does `two` go?"}


def test_worker_measures_on_while_nobody_waits(worker):
    """Its table has another round soon after an answer."""
    from fastapply.folders import cache_folder

    worker().complete(task_of())
    (kept,) = (cache_folder() / "widths").glob("*.json")
    until = time.monotonic() + 30
    while json.loads(kept.read_text())["rounds"] < 2 and time.monotonic() < until:
        time.sleep(0.05)
    assert json.loads(kept.read_text())["rounds"] >= 2


@posix
def test_killed_worker_is_replaced_by_the_next_run(worker):
    """Its address file is left over, and does no harm."""
    model = worker()
    model.complete(task_of())
    os.kill(pids()[0], signal.SIGKILL)
    time.sleep(0.2)
    assert worker(model._path).complete(task_of()).text == expected_answer("nano", MERGED)


def test_worker_scores_answers(worker):
    """The likeliest is the one that it writes; the process stays."""
    model = worker()
    texts = [expected_answer("nano", text) for text in (FILE, MERGED)]
    done = model.score(task_of().prompt, texts, [0.0, 0.0])
    scores = done.scores
    assert done.usage.prompt_tokens > 0
    assert done.usage.load_seconds > 0
    assert len(scores) == 2
    assert scores[1].log_likelihood > scores[0].log_likelihood
    assert scores[0].tokens > 0
    assert model.complete(task_of()).text == expected_answer("nano", MERGED)
    assert len(pids()) == 1


def test_refusal_of_the_model_comes_through(worker):
    """A prompt that does not fit, as the worker counted it."""
    with pytest.raises(Refused) as caught:
        worker(settings={"threads": 1, "ctx_size": 128}).complete(task_of())
    assert caught.value.reason == "too_long"


@pytest.mark.parametrize("damage", ["cut", "scribbled"])
def test_damaged_model_is_one_line_of_trouble(worker, tmp_path, damage):
    """Exit status 5, whatever llama.cpp does with it."""
    whole = worker()._path.read_bytes()
    path = tmp_path / "bad.gguf"
    path.write_bytes(whole[: len(whole) // 2] if damage == "cut" else whole[:2000] + b"\xff" * 9000)
    with pytest.raises(ModelTrouble) as caught:
        worker(path).complete(task_of())
    assert caught.value.exit_status == 5
    assert "\n" not in caught.value.message


# --- a llama.cpp that dies -------------------------------------------------------------------------

DIES = """
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name != "llama_cpp":
            return None
        sys.meta_path.remove(self)
        import llama_cpp.llama_cpp as low  # the package is run once more, and takes its names from there
        load = low.llama_model_load_from_file
        def dying(path, params):
            if CONDITION:
                os.kill(os.getpid(), signal.SIGNAL)
            return load(path, params)
        low.llama_model_load_from_file = dying
        return sys.modules["llama_cpp"].__spec__
sys.meta_path.insert(0, Finder())
"""


@pytest.fixture
def dying(tmp_path, monkeypatch):
    """Let llama.cpp die in the worker, as a processor without an instruction would have it."""

    def prepare(condition, name):
        folder = tmp_path / "dying"
        folder.mkdir()
        code = DIES.replace("CONDITION", condition).replace("SIGNAL", name)
        (folder / "sitecustomize.py").write_text(code)
        monkeypatch.setenv("PYTHONPATH", str(folder))

    return prepare


@posix
def test_instruction_that_kills_is_avoided_and_remembered(worker, dying):
    """The second try goes without repacked weights; the next worker does so at once."""
    dying("params.use_extra_bufts", "SIGILL")
    model = worker()
    assert model.complete(task_of()).text == expected_answer("nano", MERGED)
    assert uses_extra_buffers() is False


@posix
@pytest.mark.parametrize(
    ("name", "words"), [("SIGILL", "instruction"), ("SIGKILL", "memory"), ("SIGSEGV", "signal 11")]
)
def test_death_of_the_worker_is_one_line_of_trouble(worker, dying, name, words):
    """Which says what it died of; the caller lives."""
    dying("True", name)
    with pytest.raises(ModelTrouble) as caught:
        worker().complete(task_of())
    assert (caught.value.reason, caught.value.exit_status) == ("crashed", 5)
    assert words in caught.value.message
    assert "\n" not in caught.value.message


@posix
def test_command_line_reports_a_crash_and_leaves_the_file(worker, dying, tmp_path):
    """One line, exit status 5."""
    path = worker()._path
    dying("True", "SIGSEGV")
    file, edit = tmp_path / "a.py", tmp_path / "edit.txt"
    file.write_text(FILE)
    edit.write_text(OPEN)
    done = run("models", "use", str(path), "--style", "nano")
    assert done.returncode == 0
    done = run("apply", str(file), str(edit))
    assert done.returncode == 5
    assert [line for line in done.stderr.splitlines() if not line.startswith("hint:")] == [
        f"{file}: the process of pointer was killed by signal 11 [crashed]"
    ]
    assert file.read_text() == FILE


def run(*arguments):
    """The command line, as a user has it."""
    return subprocess.run(
        [sys.executable, "-m", "fastapply", *arguments], capture_output=True, text=True, check=False
    )


def test_apply_uses_the_chosen_model_by_itself(worker, tmp_path):
    """Cold, then warm; told in the JSON; and not asked for what is certain."""
    path = worker()._path
    assert run("models", "use", str(path), "--style", "nano").returncode == 0
    file, edit = tmp_path / "a.py", tmp_path / "edit.txt"
    edit.write_text(OPEN)
    told = []
    for _ in range(2):
        file.write_text(FILE)
        done = run("apply", "--json", str(file), str(edit))
        assert (done.returncode, done.stderr) == (0, "")
        assert file.read_text() == MERGED
        told.append(json.loads(done.stdout))
    assert [one["method"] for one in told] == ["model", "model"]
    assert [one["model"]["finish"] for one in told] == ["eos", "eos"]
    assert told[0]["model"]["load_seconds"] > 0
    assert told[1]["model"]["load_seconds"] == 0
    assert told[1]["model"]["cached_tokens"] == told[0]["model"]["prompt_tokens"] - 1
    edit.write_text("def two():\n    x = 1\n    y = 2\n    return x, x\n")
    done = run("apply", "--json", str(file), str(edit))
    assert json.loads(done.stdout)["model"] is None


def test_worker_command_starts_tells_and_stops(worker):
    """As apply does by itself."""
    path = worker()._path
    assert run("worker", "status").stdout == "no background processes\n"
    assert run("worker", "start").returncode == 5
    assert run("models", "use", str(path), "--style", "nano").returncode == 0
    started = run("worker", "start", "--idle", "30")
    assert started.returncode == 0
    pid = pids()[0]
    assert started.stdout == f"pointer: process {pid}, exits after 30 s without a request\n"
    assert json.loads(run("worker", "status", "--json").stdout) == {
        "schema": 1,
        "workers": [{"pid": pid, "model": str(path), "idle_seconds": 30.0}],
    }
    assert run("worker", "stop").stdout == f"process {pid}: stopped\n"
    assert run("worker", "status").stdout == "no background processes\n"
