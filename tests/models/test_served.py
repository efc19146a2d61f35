"""The chosen model behind `fastapply serve`: real llama.cpp, in its worker, asked over HTTP."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from urllib.request import Request, urlopen

import pytest

from fastapply.cli import main
from fastapply.models.prompts import ShownToModel, expected_answer, render_prompt
from fastapply.models.worker.client import ask
from fastapply.models.worker.messages import all_addresses

FILE = "def one():\n    x = 1\n    return x\n\n\ndef two():\n    x = 1\n    return x\n"
OPEN = "<<<<<<< SEARCH\n    return x\n=======\n    return x, x\n>>>>>>> REPLACE\n"
MERGED = FILE[: FILE.rindex("return")] + "return x, x\n"


@pytest.mark.slow
def test_server_asks_the_chosen_model(answering, tmp_path, capfd):
    """Rules leave the edit open, the model's merge is verified, and a worker stays for the next one."""
    path = answering(render_prompt("nano", ShownToModel(FILE, OPEN)), expected_answer("nano", MERGED))
    assert main(["models", "use", str(path), "--style", "nano"]) == 0
    capfd.readouterr()
    command = [sys.executable, "-m", "fastapply", "serve", "--port", "0", "--jobs", "1"]
    body = json.dumps({"initial_code": FILE, "edit_snippet": OPEN, "filename": "a.py"}).encode()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=tmp_path) as server:
        assert server.stderr is not None
        address = server.stderr.readline().split()[-1]
        try:
            request = Request(f"{address}/v1/code/apply", body, {"Content-Type": "application/json"})  # noqa: S310
            for _ in range(2):
                with urlopen(request) as answer:  # noqa: S310 - an address of this test
                    assert json.loads(answer.read())["mergedCode"] == MERGED
            assert len(list(all_addresses())) == 1
        finally:
            server.terminate()
            server.wait(20)
            for _, worker in all_addresses():
                ask(worker, "stop")
    assert os.listdir(tmp_path) == [path.name]  # noqa: PTH208 - names only
