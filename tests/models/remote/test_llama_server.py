"""llama-cpp-python's own server, with a real GGUF file, as the server of a remote model."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from fastapply import apply_edit
from fastapply.models.prompts import ShownToModel, expected_answer, render_prompt
from fastapply.models.remote.endpoint import find_endpoint
from fastapply.models.remote.model import open_remote

FILE = """\
def one():
    x = 1
    return x


def two():
    x = 1
    return x
"""
OPEN = "<<<<<<< SEARCH\n    return x\n=======\n    return x, x\n>>>>>>> REPLACE\n"
SECOND = FILE.replace("def two():\n    x = 1\n    return x\n", "def two():\n    x = 1\n    return x, x\n")


@contextmanager
def llama_server(path, folder):
    """Start it on a free port; gives its address."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    arguments = ["--model", str(path), "--model_alias", "FastApply-pointer", "--chat_format", "chatml"]
    log = folder / "server.log"
    with (
        log.open("wb") as said,
        subprocess.Popen(
            [sys.executable, "-m", "llama_cpp.server", *arguments, "--n_ctx", "2048", "--port", str(port)],
            stdout=said,
            stderr=said,
        ) as server,
    ):
        try:
            address = f"http://127.0.0.1:{port}/v1"
            for _ in range(600):
                assert server.poll() is None, log.read_text()
                try:
                    urlopen(f"{address}/models").close()  # noqa: S310 - an address of this test
                    break
                except URLError:
                    time.sleep(0.1)
            yield address
        finally:
            server.terminate()


@pytest.mark.slow
@pytest.mark.usefixtures("server")  # it closes connections at the end
def test_llama_cpp_server_answers_and_its_merge_is_verified(answering, tmp_path):
    """The model is found by the server's list, asked in its own form, and cut short where it may not end."""
    prompt = render_prompt("kortix", ShownToModel(FILE, OPEN))
    path = answering(prompt, expected_answer("kortix", SECOND))
    with llama_server(path, tmp_path) as address:
        endpoint = find_endpoint(address, environment={})
        assert endpoint is not None
        result = apply_edit(FILE, OPEN, path="a.py", model=open_remote(endpoint), full_file=True)
        assert (result.status, result.text, result.method) == ("applied", SECOND, "model")
        (run,) = result.models
        assert run.name.startswith("FastApply-pointer at ")
        assert run.usage.prompt_tokens > run.usage.output_tokens > 0
        short = find_endpoint(address, environment={"FASTAPPLY_ENDPOINT_BODY": '{"max_tokens": 20}'})
        assert short is not None
        result = apply_edit(FILE, OPEN, path="a.py", model=open_remote(short), full_file=True)
        assert (result.status, result.reason, result.text) == ("refused", "answer_length", FILE)
