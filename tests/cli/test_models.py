"""The options about models of `apply`, and what `doctor` says about them."""

from __future__ import annotations

import importlib.util
import json
import struct
import subprocess
import sys

import pytest

FILE = "def one():\n    return x\n\n\ndef two():\n    return x\n"
EDIT = "<<<<<<< SEARCH\n    return x\n=======\n    return y\n>>>>>>> REPLACE\n"
needs_llama = pytest.mark.skipif(
    importlib.util.find_spec("llama_cpp") is None, reason="llama-cpp-python is not installed"
)


def run(*arguments):
    """The command line."""
    return subprocess.run(
        [sys.executable, "-m", "fastapply", *arguments], capture_output=True, text=True, check=False
    )


@pytest.fixture
def texts(tmp_path):
    """A file, and an edit of it that fits twice."""
    file, edit = tmp_path / "a.py", tmp_path / "edit.txt"
    file.write_text(FILE)
    edit.write_text(EDIT)
    return str(file), str(edit)


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["--threads", "0"], 2),
        (["--ctx-size", "10"], 2),
        (["--gpu-layers", "-1"], 2),
        (["--model-timeout", "0"], 2),
        (["--model-timeout", "0", "--endpoint", "http://127.0.0.1:9/v1"], 2),
        (["--model", "nope", "--engine", "deterministic"], 2),
        (["--conversation", "no-such-file"], 4),
    ],
    ids=str,
)
def test_options_without_sense_are_told_before_anything_is_done(texts, options, status):
    """With the status of usage, or of files."""
    done = run("apply", *texts, *options)
    assert (done.returncode, done.stdout) == (status, "")
    assert "Traceback" not in done.stderr


@needs_llama
def test_model_that_is_named_and_not_here_is_model_trouble(texts):
    """Where it is needed, and only there: the file stays as it is."""
    done = run("apply", "--json", *texts, "--model", "fastapply-7b")
    assert (done.returncode, json.loads(done.stdout)["reason"]) == (5, "not_pulled")
    certain = run("apply", "--json", "--pick", "2", *texts, "--engine", "deterministic")
    assert certain.returncode == 0


def test_refusal_without_a_model_names_the_step_to_one(texts, tmp_path):
    """Whether llama-cpp-python is installed or not; of hunks no model decides."""
    lazy = tmp_path / "lazy.txt"
    lazy.write_text("# ...\ndef two():\n    return 2\n# ...\n", encoding="utf-8")
    done = run("apply", texts[0], str(lazy), "--min-certainty", "1")
    assert done.returncode == 1
    assert "hint: or let an apply model decide: `fastapply models pull apply-1.5b`" in done.stderr
    assert "apply model" not in run("apply", *texts).stderr


@needs_llama
def test_doctor_tells_which_model_is_asked(tmp_path):
    """None; then one that does not run, which is broken and not needed."""
    told = {one["name"]: one for one in json.loads(run("doctor", "--json").stdout)["checks"]}
    assert told["llama-cpp-python"]["status"] == "ok"
    assert (told["model"]["status"], told["model"]["detail"]) == ("missing", "no model is selected")
    path = tmp_path / "own.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 0))
    assert run("models", "use", str(path), "--style", "nano").returncode == 0
    done = run("doctor", "--json")
    told = {one["name"]: one for one in json.loads(done.stdout)["checks"]}
    assert (done.returncode, told["model"]["status"]) == (0, "broken")


def test_worker_without_a_model_says_how_to_have_one(fastapply, monkeypatch):
    """It is pulled first."""
    monkeypatch.setattr("fastapply.models.opening.open_model", lambda *_names, **_more: None)
    run = fastapply("worker", "start")
    assert (run.status, run.err.splitlines()[0]) == (5, "fastapply: no model is selected [no_model]")
    assert run.err.splitlines()[1].startswith(
        "hint: `fastapply models pull apply-1.5b`, then `fastapply models use"
    )
