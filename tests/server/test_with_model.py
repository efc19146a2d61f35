"""The servers with a model on another server behind them, and `serve` as such a server itself."""

from __future__ import annotations

import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from scripted_server import scripted_server

from fastapply.cli import main
from fastapply.models.opening import opener_of
from fastapply.models.remote.endpoint import Endpoint
from fastapply.models.remote.model import close_remotes
from fastapply.server.mcp.serve import make_server

FILE = """\
def one():
    x = 0
    return x


def two():
    x = 0
    return x
"""
OPEN = "<<<<<<< SEARCH\n    return x\n=======\n    return x + 1\n>>>>>>> REPLACE\n"
MERGED = FILE.replace("def two():\n    x = 0\n    return x\n", "def two():\n    x = 0\n    return x + 1\n")


@pytest.fixture(autouse=True)
def closed():
    """No connection of a test outlives it."""
    yield
    close_remotes()


@pytest.fixture
def model():
    """A server with a model that puts the edit into the second place."""
    with scripted_server() as server:
        server.enqueue(f"<updated-code>{MERGED}</updated-code>")
        yield server


def apply_over_http(address):
    """The status and the body of an answer."""
    body = json.dumps({"initial_code": FILE, "edit_snippet": OPEN, "filename": "a.py"}).encode()
    request = Request(f"{address}/v1/code/apply", body, {"Content-Type": "application/json"})  # noqa: S310
    try:
        with urlopen(request) as answer:  # noqa: S310 - an address of this test
            return answer.status, json.loads(answer.read())
    except HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def test_serve_asks_the_model_where_rules_do_not_decide(serving, model):
    """Its answer is verified; without one it is a 502, and a wrong one a 422."""
    with serving("--jobs", "1", "--endpoint", model.url, "--model", "FastApply-1.5B") as address:
        status, body = apply_over_http(address)
        assert (status, body["mergedCode"]) == (200, MERGED)
        model.answers.clear()
        model.enqueue(f"<updated-code>{MERGED.replace('one', 'uno')}</updated-code>")
        status, body = apply_over_http(address)
        assert (status, body["error"]["code"]) == (422, "answer_other")
        model.answers.clear()
        model.enqueue_raw(401, b"{}")
        status, body = apply_over_http(address)
        assert (status, body["error"]["code"], body["error"]["type"]) == (
            502,
            "endpoint_denied",
            "server_error",
        )


def test_edit_tool_asks_the_model_where_rules_do_not_decide(calls, model, tmp_path):
    """And writes the file."""
    (tmp_path / "a.py").write_text(FILE)
    endpoint = Endpoint(model.url, "FastApply-1.5B")
    arguments = {"target_file": "a.py", "instructions": "", "code_edit": OPEN}
    answers = calls(make_server(tmp_path, opener_of(endpoint)), ("edit_file", arguments))
    assert answers[0][0] is False
    assert (tmp_path / "a.py").read_text() == MERGED


def test_command_line_asks_another_fastapply(serving, model, tmp_path, monkeypatch, capfd):
    """A team's `serve` with its model: from the command line, over that, to the model and back."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(FILE)
    (tmp_path / "edit.txt").write_text(OPEN)
    with serving(
        "--jobs", "1", "--endpoint", model.url, FASTAPPLY_ENDPOINT_MODEL="FastApply-1.5B"
    ) as address:
        assert main(["apply", "a.py", "edit.txt", "--endpoint", address, "--json"]) == 0
        told = json.loads(capfd.readouterr().out)
        assert told["model"]["name"] == f"fastapply at {address.removeprefix('http://')}"
        assert (tmp_path / "a.py").read_text() == MERGED


def test_another_fastapply_without_a_model_refuses(serving, tmp_path, monkeypatch, capfd):
    """What it says is a refusal here as well."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(FILE)
    (tmp_path / "edit.txt").write_text(OPEN)
    with serving("--jobs", "1") as address:
        assert main(["apply", "a.py", "edit.txt", "--endpoint", address, "--json"]) == 1
        told = json.loads(capfd.readouterr().out)
    assert (told["reason"], len(told["candidates"])) == ("answer_cannot", 2)
    assert (tmp_path / "a.py").read_text() == FILE
