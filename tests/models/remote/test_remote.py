"""A model on a server: asked as its kind wants it, waited for within limits, and never believed unread."""

from __future__ import annotations

import json
import pickle
import socket
import time
import traceback
from contextlib import contextmanager

import pytest

from fastapply import apply_edit
from fastapply.cli import main
from fastapply.errors import ModelTrouble, UsageError
from fastapply.models.opening import opener_of
from fastapply.models.remote.endpoint import Endpoint, Secret, find_endpoint, style_of
from fastapply.models.remote.model import RemoteModel

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
KEY = "sk-very-secret-0123456789"


@contextmanager
def remote(server, pauses=None, **settings):
    """A model on a server; pauses between attempts are noted and not made."""
    endpoint = Endpoint(server.url, settings.pop("model", "FastApply-1.5B-v1.0"), Secret(KEY), **settings)
    model = RemoteModel(endpoint, pause=(pauses if pauses is not None else []).append)
    try:
        yield model
    finally:
        model.close()


def ask(server, **settings):
    """Apply an edit that is open, with all of the file shown."""
    with remote(server, **settings) as model:
        return apply_edit(FILE, OPEN, path="a.py", model=model, full_file=True)


def tagged(text):
    """An answer in the form of the Kortix models."""
    return f"<updated-code>{text}</updated-code>"


def test_remote_model_decides_what_is_open(server):
    """Greedily, with the prompt of its kind, the key as bearer token; the numbers are told."""
    server.enqueue(tagged(MERGED))
    result = ask(server)
    assert (result.status, result.text, result.method) == ("applied", MERGED, "model")
    ((path, headers, body),) = server.requests
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert set(body) == {"model", "messages", "temperature", "stream"}
    assert (body["model"], body["temperature"], body["stream"]) == ("FastApply-1.5B-v1.0", 0, False)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert f"<code>{FILE}</code>" in body["messages"][1]["content"]
    (run,) = result.models
    assert (run.usage.prompt_tokens, run.usage.output_tokens, run.finish) == (11, 7, "eos")
    assert run.name == f"FastApply-1.5B-v1.0 at {server.url.split('/')[2]}"


def test_server_is_not_asked_about_what_is_certain(server):
    """No request at all."""
    edit = OPEN.replace("    return x\n=", "def two():\n    x = 0\n    return x\n=")
    with remote(server) as model:
        assert apply_edit(FILE, edit, path="a.py", model=model).status == "applied"
    assert server.requests == []


def test_the_only_model_of_the_server_is_found(server):
    """It is asked for once, and its name tells the prompt."""
    server.models = ["morph-v3-fast"]
    server.enqueue(MERGED)
    assert ask(server, model="").status == "applied"
    assert [path for path, _, _ in server.requests] == ["/v1/models", "/v1/chat/completions"]
    assert server.requests[1][2]["messages"][-1]["content"].startswith(f"<code>{FILE}</code>\n<update>")


@pytest.mark.parametrize("models", [[], ["a", "b"]])
def test_which_of_several_models_has_to_be_said(server, models):
    """Status 5, and how to say it."""
    server.models = models
    result = ask(server, model="")
    assert (result.status, result.reason, result.exit_status) == ("error", "no_model", 5)
    assert "--model" in result.hint


def test_options_of_the_server_are_sent_along(server):
    """Those of vLLM, say; they cannot set what is ours."""
    server.enqueue(tagged(MERGED))
    ask(server, body='{"chat_template_kwargs": {"enable_thinking": false}, "temperature": 0.1}')
    body = server.requests[0][2]
    assert body["chat_template_kwargs"] == {"enable_thinking": False}
    assert body["temperature"] == 0.1


BUSY = json.dumps({"error": {"message": f"slow down, {KEY}", "type": "rate"}}).encode()


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_busy_server_is_asked_again(server, status):
    """After pauses that grow."""
    for _ in range(3):
        server.enqueue_raw(status, BUSY)
    server.enqueue(tagged(MERGED))
    pauses: list[float] = []
    assert ask(server, pauses=pauses).status == "applied"
    assert len(server.requests) == 4
    assert 0.125 <= pauses[0] <= 0.25 <= pauses[1] <= 0.5 <= pauses[2] <= 1


def test_pause_is_as_long_as_the_server_asks_for(server):
    """`Retry-After` in seconds."""
    server.enqueue_raw(429, BUSY, headers={"Retry-After": "7"})
    server.enqueue(tagged(MERGED))
    pauses: list[float] = []
    assert ask(server, pauses=pauses).status == "applied"
    assert pauses == [7.0]


def test_pause_beyond_the_time_limit_is_not_made(server):
    """The error comes at once."""
    server.enqueue_raw(429, BUSY, headers={"Retry-After": "7"})
    pauses: list[float] = []
    assert ask(server, pauses=pauses, timeout=5.0).reason == "endpoint_busy"
    assert pauses == []


@pytest.mark.parametrize(
    ("status", "data", "reason"),
    [
        (429, BUSY, "endpoint_busy"),
        (500, b"<html>oh no</html>", "endpoint_busy"),
        (401, BUSY, "endpoint_denied"),
        (403, b"", "endpoint_denied"),
        (400, json.dumps({"error": KEY}).encode(), "endpoint_refused"),
        (404, b'{"detail": "Not Found"}', "endpoint_refused"),
        (413, b"\x1b[31m\xff" * 500, "endpoint_refused"),
        (422, b'{"detail": [{"loc": ["body"]}]}', "endpoint_refused"),
        (302, b"", "endpoint_refused"),
        (200, b"", "endpoint_broken"),
        (200, b"{", "endpoint_broken"),
        (200, b"[" * 100_000, "endpoint_broken"),
        (200, b"[]", "endpoint_broken"),
        (
            200,
            b'{"choices": [{"message": {"content": "\xff"}, "finish_reason": "stop"}]}',
            "endpoint_broken",
        ),
        (200, b"{}", "endpoint_broken"),
        (200, b'{"choices": []}', "endpoint_broken"),
        (200, b'{"choices": [{"message": {"content": null}, "finish_reason": "stop"}]}', "endpoint_broken"),
        (200, b'{"choices": [{"message": {"content": 3}, "finish_reason": "stop"}]}', "endpoint_broken"),
        (200, b'{"choices": [{"message": {"content": "a"}}]}', "endpoint_broken"),
        (
            200,
            b'{"choices": [{"message": {"content": "\\ud800"}, "finish_reason": "stop"}]}',
            "endpoint_broken",
        ),
        (
            200,
            b'{"choices": [{"message": {"content": "a"}, "finish_reason": "content_filter"}]}',
            "endpoint_broken",
        ),
        (200, b'{"choices": [{"message": {"content": "a"}, "finish_reason": {}}]}', "endpoint_broken"),
        (200, b'data: {"choices": []}\n\ndata: [DONE]\n\n', "endpoint_broken"),
    ],
)
def test_server_that_gives_no_answer_is_model_trouble(server, status, data, reason):
    """Status 5, the text stays, and the key is nowhere in what is said."""
    headers = {"Location": "http://127.0.0.1:1/"} if status == 302 else {}
    server.enqueue_raw(status, data, headers=headers)
    result = ask(server)
    assert (result.status, result.reason, result.exit_status) == ("error", reason, 5)
    assert result.text == FILE
    assert KEY not in repr(result)
    assert result.message.isprintable()
    assert len(result.message) < 500


def test_another_fastapply_that_refuses_makes_a_refusal(server):
    """Status 1: nobody was certain."""
    error = {"error": {"message": "fits at 2 places", "type": "refused", "code": "ambiguous"}}
    server.enqueue_raw(422, json.dumps(error).encode())
    result = ask(server)
    assert (result.status, result.reason, result.exit_status) == ("refused", "answer_cannot", 1)
    assert len(result.candidates) == 2


@pytest.mark.parametrize(
    ("text", "finish", "reason"),
    [
        (tagged(MERGED), "length", "answer_length"),
        (tagged(MERGED)[:-30], "length", "answer_length"),
        (tagged(MERGED)[:-30], "stop", "answer_cut"),
        (tagged(FILE), "stop", "answer_unchanged"),
        (f"Here it is:\n{tagged(MERGED)}", "stop", "answer_around"),
        (f"<think>hm</think>{tagged(MERGED)}", "stop", "answer_around"),
        (tagged(MERGED.replace("one", "uno")), "stop", "answer_other"),
        (tagged(MERGED.replace("    x = 0\n", "    # ... existing code ...\n", 1)), "stop", "answer_other"),
        (tagged(MERGED + "x = 1\n" * 500), "stop", "answer_endless"),
        ("", "stop", "answer_around"),
    ],
)
def test_wrong_answer_is_refused(server, text, finish, reason):
    """Whatever the server says of it."""
    server.enqueue(text, finish)
    result = ask(server)
    assert (result.status, result.reason, result.text) == ("refused", reason, FILE)


def test_slow_server_is_given_up_in_time(server):
    """The limit holds for all attempts together."""
    server.enqueue_raw(200, b"{}", delay=3)
    started = time.monotonic()
    result = ask(server, timeout=0.3)
    assert (result.reason, result.exit_status) == ("endpoint_slow", 5)
    assert time.monotonic() - started < 2


def test_answer_that_breaks_off_is_asked_for_again(server):
    """A connection that ends before the promised bytes is no answer."""
    server.enqueue_raw(200, b'{"choices": []}' * 10, cut=20)
    server.enqueue(tagged(MERGED))
    assert ask(server).status == "applied"
    assert len(server.requests) == 2


def test_nobody_at_the_address_is_model_trouble():
    """After all attempts."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    pauses: list[float] = []
    model = RemoteModel(Endpoint(f"http://127.0.0.1:{port}/v1", "m"), pause=pauses.append)
    result = apply_edit(FILE, OPEN, path="a.py", model=model)
    model.close()
    assert (result.reason, result.exit_status, len(pauses)) == ("endpoint_unreachable", 5, 4)


def test_key_is_in_no_repr_and_no_traceback(server):
    """Neither of the settings, nor of the model, nor of an error."""
    endpoint = Endpoint(server.url, "m", Secret(KEY))
    assert KEY not in repr(endpoint)
    assert KEY not in str(endpoint.key)
    server.enqueue_raw(401, BUSY)
    with remote(server) as model, pytest.raises(ModelTrouble) as trouble:
        model._transport.post("/chat/completions", {})
    assert KEY not in "".join(traceback.format_exception(trouble.value))
    assert KEY not in f"{trouble.value!r} {vars(trouble.value)}"


@pytest.mark.parametrize(
    ("address", "base"),
    [
        ("http://box:8000", "http://box:8000/v1"),
        ("http://box:8000/", "http://box:8000/v1"),
        ("https://box/v1/", "https://box/v1"),
        ("https://box/v1/chat/completions", "https://box/v1"),
        ("https://box/v1/apply", "https://box/v1/apply"),
        ("http://[::1]:80/x", "http://[::1]:80/x"),
    ],
)
def test_address_may_be_written_in_several_ways(address, base):
    """As servers' documentation does."""
    found = find_endpoint(address, environment={})
    assert found is not None
    assert found.url == base


@pytest.mark.parametrize(
    "environment",
    [
        {"FASTAPPLY_ENDPOINT": "box:8000"},
        {"FASTAPPLY_ENDPOINT": "ftp://box"},
        {"FASTAPPLY_ENDPOINT": "http://"},
        {"FASTAPPLY_ENDPOINT": "http://box:99999"},
        {"FASTAPPLY_ENDPOINT": "http://[::1"},
        {"FASTAPPLY_ENDPOINT": "http://me:secret@box/v1"},
        {"FASTAPPLY_ENDPOINT": "http://box/v1?key=secret"},
        {"FASTAPPLY_ENDPOINT": "http://box/\r\nHost: evil"},
        {"FASTAPPLY_ENDPOINT": "http://box", "FASTAPPLY_ENDPOINT_KEY": "secret\r\nX-Injected: 1"},
        {"FASTAPPLY_ENDPOINT": "http://box", "FASTAPPLY_ENDPOINT_STYLE": "nano"},
        {"FASTAPPLY_ENDPOINT": "http://box", "FASTAPPLY_ENDPOINT_TIMEOUT": "soon"},
        {"FASTAPPLY_ENDPOINT": "http://box", "FASTAPPLY_ENDPOINT_TIMEOUT": "nan"},
        {"FASTAPPLY_ENDPOINT": "http://box", "FASTAPPLY_ENDPOINT_BODY": "[]"},
        {"FASTAPPLY_ENDPOINT": "http://box", "FASTAPPLY_ENDPOINT_BODY": '{"messages": []}'},
    ],
)
def test_settings_that_make_no_sense_are_usage_errors(environment):
    """And do not repeat a secret."""
    with pytest.raises(UsageError) as error:
        find_endpoint(environment=environment)
    assert error.value.reason == "bad_endpoint"
    assert "secret" not in f"{error.value.message} {error.value.hint}"


@pytest.mark.parametrize(
    ("model", "style"),
    [
        ("Kortix/FastApply-7B-v1.0", "kortix"),
        ("FastApply-1.5B-v1.0-Q4_K_M.gguf", "kortix"),
        ("fastedit-1.7b", "fastedit"),
        ("osmosis-ai/Osmosis-Apply-1.7B", "osmosis"),
        ("aiXapply-4B", "aixapply"),
        ("morph-v3-large", "morph"),
        ("relace-apply-3", "morph"),
        ("fastapply", "morph"),
        ("Qwen/Qwen3-Coder-30B", "instruct"),
    ],
)
def test_name_of_the_model_tells_its_prompt(model, style):
    """What is not known follows instructions."""
    assert style_of(model) == style


def test_command_line_asks_the_endpoint(server, tmp_path, monkeypatch, capfd):
    """By option and by environment; the file is written as ever."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edit.txt").write_text(OPEN)
    server.enqueue(tagged(MERGED))
    monkeypatch.setenv("FASTAPPLY_ENDPOINT_KEY", KEY)
    for arguments in (["--endpoint", server.url, "--model", "FastApply-1.5B-v1.0", "--json"], ["--json"]):
        (tmp_path / "a.py").write_text(FILE)
        if "--endpoint" not in arguments:
            monkeypatch.setenv("FASTAPPLY_ENDPOINT", server.url)
        assert main(["apply", "a.py", "edit.txt", *arguments]) == 0
        told = json.loads(capfd.readouterr().out)
        assert (told["method"], told["model"]["finish"]) == ("model", "eos")
        assert (tmp_path / "a.py").read_text() == MERGED
    (tmp_path / "a.py").write_text(FILE)
    assert main(["apply", "a.py", "edit.txt", "--engine", "auto", "--endpoint", ""]) == 1  # none, for once
    assert main(["apply", "a.py", "edit.txt", "--engine", "deterministic", "--endpoint", server.url]) == 2


def test_address_in_a_file_of_the_project_is_not_read(server, tmp_path, monkeypatch, capfd):
    """A cloned project must not be able to send code anywhere."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text(f"FASTAPPLY_ENDPOINT={server.url}\n")
    (tmp_path / "fastapply.toml").write_text(f'endpoint = "{server.url}"\n')
    (tmp_path / "a.py").write_text(FILE)
    (tmp_path / "edit.txt").write_text(OPEN)
    assert main(["apply", "a.py", "edit.txt"]) == 1
    assert "fits at 2 places" in capfd.readouterr().err
    assert server.requests == []


def test_doctor_asks_the_endpoint_of_the_environment(server, monkeypatch, capfd):
    """Whether it answers, in a row of its own; that is nothing that has to work."""
    monkeypatch.setenv("FASTAPPLY_ENDPOINT", server.url)
    assert main(["doctor"]) == 0
    assert f"{server.url.split('/')[2]} answers" in capfd.readouterr().out
    monkeypatch.setenv("FASTAPPLY_ENDPOINT", "nowhere")
    assert main(["doctor"]) == 0
    assert "broken   endpoint" in capfd.readouterr().out


def test_settings_go_to_another_process_with_their_key():
    """The workers of `serve` open the model themselves; a pickle on a pipe is no log."""
    endpoint = Endpoint("http://box/v1", "m", Secret(KEY))
    again = pickle.loads(pickle.dumps(opener_of(endpoint)))  # noqa: S301 - our own
    assert again.args == (endpoint,)
    assert again.args[0].key.reveal() == KEY
