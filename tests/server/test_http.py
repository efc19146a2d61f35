"""`fastapply serve` from within: forms of requests, refusals, limits, and who may ask."""

from __future__ import annotations

import json
import sys
import time

import pytest
from asking import APPLY, BODY, CHAT, MESSAGE
from cart import CART, TOTAL, TOTALLED, UNCLEAR
from starlette.testclient import TestClient

from fastapply import apply_edit
from fastapply.server.http.app import ServerLimits, make_app
from fastapply.server.http.work import Pool


def chat(content, **more):
    """The body of a chat completion."""
    return {"model": "morph-v3-fast", "messages": [{"role": "user", "content": content}], **more}


@pytest.mark.parametrize(
    "body",
    [
        chat(MESSAGE),
        chat(MESSAGE, stream=False, temperature=0, max_tokens=10, user="me", stop=["x"]),
        chat(f"<code>{CART}</code>\n<update>{TOTAL}</update>"),
        chat(f"\n<instructions>Mark it.</instructions>\n<code>{CART}</code>\n\n<update>{TOTAL}</update>\n"),
        chat([{"type": "text", "text": MESSAGE[:80]}, {"type": "text", "text": MESSAGE[80:]}]),
        chat(TOTAL, prediction={"type": "content", "content": CART}),
        chat(TOTAL, prediction={"type": "content", "content": [{"type": "text", "text": CART}]}),
        chat(MESSAGE, prediction={"type": "content", "content": CART}),
        chat(f"<update>{TOTAL}</update>", prediction={"type": "content", "content": CART}),
        {
            "model": "auto",
            "messages": [
                {"role": "system", "content": "You merge code."},
                {"role": "user", "content": MESSAGE},
            ],
        },
    ],
    ids=[
        "Morph's and Relace's",
        "options that mean nothing here",
        "no instruction",
        "wide tags",
        "content in parts",
        "prediction",
        "prediction in parts",
        "prediction twice told",
        "update and prediction",
        "system message",
    ],
)
def test_chat_answers_with_the_bare_merged_file(client, body):
    """As OpenAI's server does, one choice that stopped by itself."""
    answer = client.post(CHAT, json=body)
    assert answer.status_code == 200, answer.text
    completion = answer.json()
    (choice,) = completion["choices"]
    assert (choice["message"]["content"], choice["finish_reason"]) == (TOTALLED, "stop")
    assert completion["object"] == "chat.completion"
    assert completion["usage"]["total_tokens"] > completion["usage"]["completion_tokens"] > 0


def test_relaces_base_address_has_the_chat_as_well(client):
    """Its clients append the rest to /v1/apply."""
    answer = client.post("/v1/apply/chat/completions", json=chat(MESSAGE))
    assert answer.json()["choices"][0]["message"]["content"] == TOTALLED


@pytest.mark.parametrize(
    "body",
    [
        {"initialCode": CART, "editSnippet": TOTAL, "stream": False},
        {"initial_code": CART, "edit_snippet": TOTAL, "instruction": "Mark it.", "model": "relace-apply-3"},
        {"initial_code": CART, "edit_snippet": TOTAL, "instructions": None, "relace_metadata": {"a": "b"}},
        {"initialCode": CART, "initial_code": CART, "edit_snippet": TOTAL, "filename": "../../cart.py"},
    ],
    ids=["camel case", "snake case", "metadata", "both"],
)
def test_apply_answers_with_merged_code_and_usage(client, body):
    """In both spellings of its keys."""
    answer = client.post(APPLY, json=body)
    assert answer.status_code == 200, answer.text
    merged = answer.json()
    assert merged["mergedCode"] == TOTALLED
    assert set(merged["usage"]) == {"prompt_tokens", "completion_tokens", "total_tokens"}


def test_bytes_of_the_text_stay(client):
    """Line ends of every kind, no last one, letters of all planes."""
    original = "eins\r\nzwei 𝄞\ndrei\r\nvier"
    edit = "<<<<<<< SEARCH\nzwei 𝄞\n=======\nzwo\n>>>>>>> REPLACE\n"
    answer = client.post(APPLY, json={"initial_code": original, "edit_snippet": edit})
    assert answer.json()["mergedCode"] == apply_edit(original, edit).text
    assert answer.json()["mergedCode"].startswith("eins\r\nzwo")
    assert answer.json()["mergedCode"].endswith("drei\r\nvier")


def test_refusal_is_a_422_with_the_reason(client):
    """And what to do about it, in the keys of `--json`."""
    body = {"initial_code": CART, "edit_snippet": UNCLEAR, "filename": "cart.py"}
    for path, wanted in [
        (APPLY, body),
        (CHAT, chat(UNCLEAR, prediction={"type": "content", "content": CART}, filename="cart.py")),
        (CHAT, chat(f"<code>{CART}</code><update>{UNCLEAR}</update>", stream=True)),
    ]:
        answer = client.post(path, json=wanted)
        assert answer.status_code == 422
        error = answer.json()["error"]
        assert (error["type"], error["code"], error["param"]) == ("refused", "ambiguous", None)
        assert "fits at 2 places" in error["message"]
        assert [place["first"] for place in error["candidates"]] == [4, 8]
        assert error["hint"].startswith("add context lines")
        assert error["message"].endswith(f"\nhint: {error['hint']}")
        assert not any(word in error["message"] for word in ("--", "pip install"))


def test_stream_is_openais_and_ends_with_done(client):
    """A role, pieces, a reason, the counts if asked for."""
    body = chat(MESSAGE, stream=True, stream_options={"include_usage": True})
    with client.stream("POST", CHAT, json=body) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        events = [line.removeprefix("data: ") for line in answer.iter_lines() if line]
    assert events.pop() == "[DONE]"
    *chunks, counts = [json.loads(event) for event in events]
    assert counts["choices"] == []
    assert counts["usage"]["total_tokens"] > 0
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
    assert len({chunk["id"] for chunk in chunks}) == 1
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert deltas[0]["role"] == "assistant"
    assert "".join(delta.get("content", "") for delta in deltas) == TOTALLED
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks] == [None] * (len(chunks) - 1) + ["stop"]


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        (CHAT, chat("no file here"), "bad_message"),
        (CHAT, chat("<update>a</update>"), "bad_message"),
        (CHAT, chat("<code>a</code>"), "bad_message"),
        (CHAT, chat("<code>a</code><update>b</code><update>c</update>"), "ambiguous_message"),
        (CHAT, chat(MESSAGE, prediction={"type": "content", "content": "x"}), "ambiguous_message"),
        (CHAT, chat(MESSAGE, prediction="x"), "bad_value"),
        (CHAT, chat(MESSAGE, n=2), "unsupported"),
        (CHAT, chat(MESSAGE, n={}), "unsupported"),
        (CHAT, chat(MESSAGE, stream="yes"), "bad_value"),
        (CHAT, chat(MESSAGE, stream=[]), "bad_value"),
        (CHAT, chat(None), "bad_value"),
        (CHAT, chat([{"type": "image_url", "image_url": {"url": "x"}}]), "bad_value"),
        (CHAT, {"model": "m"}, "missing_key"),
        (CHAT, {"messages": []}, "missing_key"),
        (CHAT, {"messages": ["x"]}, "bad_message"),
        (CHAT, {"messages": [{"role": {}, "content": MESSAGE}]}, "bad_message"),
        (CHAT, {"messages": [{"role": "user", "content": MESSAGE}] * 2}, "bad_message"),
        (CHAT, {"messages": [{"role": "assistant", "content": MESSAGE}]}, "bad_message"),
        (APPLY, {"initial_code": "a"}, "missing_key"),
        (APPLY, {"initial_code": "a", "edit_snippet": 3}, "bad_value"),
        (APPLY, {"initial_code": "a", "initialCode": "b", "edit_snippet": "c"}, "ambiguous_message"),
        (APPLY, {"initial_code": "a\0", "edit_snippet": "c"}, "bad_text"),
        (APPLY, {"initial_code": CART, "edit_snippet": TOTAL, "stream": True}, "unsupported"),
        (APPLY, [], "bad_json"),
    ],
)
def test_body_that_makes_no_sense_is_a_400(client, path, body, code):
    """With a code for programs."""
    answer = client.post(path, json=body)
    error = answer.json()["error"]
    assert (answer.status_code, error["type"], error["code"]) == (400, "invalid_request_error", code)


@pytest.mark.parametrize(
    ("data", "status", "code"),
    [
        (b"{", 400, "bad_json"),
        (b"", 400, "bad_json"),
        (b"\xff\xfe{", 400, "bad_json"),
        (b"[" * 100_000, 400, "bad_json"),
        (b'{"n": ' + b"9" * 5000 + b"}", 400, "bad_json"),
        (b'{"initial_code": "a", "initial_code": "b", "edit_snippet": "c"}', 400, "bad_json"),
        (b'{"initial_code": "\\ud800", "edit_snippet": "c"}', 400, "bad_text"),
        (b" " * (BODY + 1), 413, "too_large"),
    ],
    ids=["cut off", "empty", "not UTF-8", "deep", "long number", "key twice", "surrogate", "too large"],
)
def test_bytes_that_are_no_json_of_the_size_are_turned_away(client, data, status, code):
    """Before anything is merged."""
    answer = client.post(APPLY, content=data, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_body_of_no_told_length_is_cut_at_the_limit(client):
    """A chunked body says its size at the end only."""
    sent = []

    def pieces():
        for _ in range(100):
            sent.append(1)
            yield b" " * 10_000

    answer = client.post(APPLY, content=pieces(), headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Host": "evil.example"}, 403, "bad_host"),
        ({"Host": "127.0.0.1.evil.example:8765"}, 403, "bad_host"),
        ({"Host": "localhost@evil.example"}, 403, "bad_host"),
        ({"Host": "[::1"}, 403, "bad_host"),
        ({"Host": ""}, 403, "bad_host"),
        ({"Origin": "http://evil.example"}, 403, "bad_origin"),
        ({"Origin": "null"}, 403, "bad_origin"),
        ({"Origin": "http://127.0.0.1:3000"}, 403, "bad_origin"),
        ({"Origin": "http://127.0.0.1:8765.evil.example"}, 403, "bad_origin"),
        ({"Content-Type": "text/plain"}, 415, "content_type"),
        ({"Host": "LOCALHOST:8765"}, 200, None),
        ({"Host": "[::1]:8765"}, 200, None),
        ({"Origin": "http://127.0.0.1:8765"}, 200, None),
        ({"Content-Type": "application/json; charset=utf-8"}, 200, None),
    ],
)
def test_pages_of_other_origins_cannot_ask(client, headers, status, code):
    """DNS rebinding shows in Host, a foreign page in Origin, a form without a check in Content-Type."""
    data = json.dumps({"initial_code": CART, "edit_snippet": TOTAL})
    answer = client.post(APPLY, content=data, headers={"Content-Type": "application/json", **headers})
    assert answer.status_code == status
    assert code is None or answer.json()["error"]["code"] == code


@pytest.mark.parametrize(
    ("given", "status"),
    [
        (None, 401),
        ("", 401),
        ("Bearer", 401),
        ("Bearer wrong", 401),
        ("Bearer sesame ", 200),
        ("bearer sesame", 200),
        ("Basic sesame", 401),
        ("Bearer sésame", 401),
        ("Bearer sesam", 401),
        ("sesame", 401),
    ],
)
def test_token_is_asked_for_on_all_but_health(given, status):
    """The answer says what scheme is meant."""
    app = make_app(ServerLimits(1, 1, BODY, 5), hosts=None, token="sesame")  # noqa: S106 - a test's
    client = TestClient(app, base_url="http://any.example")
    headers = {} if given is None else {"Authorization": given.encode("latin-1")}
    for path in ("/v1/models", "/metrics"):
        answer = client.get(path, headers=headers)
        assert answer.status_code == status
        if status == 401:
            assert answer.headers["www-authenticate"] == "Bearer"
            assert answer.json()["error"]["type"] == "authentication_error"
    assert client.get("/healthz", headers=headers).json() == {"status": "ok"}


def test_addresses_that_there_are_not_answer_in_the_same_form(client):
    """404 and 405 as errors of OpenAI's form."""
    assert client.get("/v1/nothing").json()["error"]["code"] == "not_found"
    answer = client.get(CHAT)
    assert (answer.status_code, answer.json()["error"]["code"]) == (405, "method_not_allowed")
    assert [model["id"] for model in client.get("/v1/models").json()["data"]] == ["fastapply"]


def test_full_queue_is_a_503_at_once(client, monkeypatch):
    """With a time to try again; others are not harmed."""
    monkeypatch.setattr(Pool, "merge", _raise_full)
    answer = client.post(APPLY, json={"initial_code": CART, "edit_snippet": TOTAL})
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "queue_full")
    assert answer.headers["retry-after"] == "1"


async def _raise_full(_pool, _wanted):
    from fastapply.server.http.work import Full

    raise Full


def test_merge_that_takes_too_long_is_stopped():
    """The worker is ended, the next request gets another."""
    noise = "".join(f"{'abc{}'[number * number % 5]}\n" for number in range(4000))
    app = make_app(ServerLimits(1, 1, BODY, 1.5), hosts=None, token=None)
    with TestClient(app) as client:
        started = time.monotonic()
        answer = client.post(
            APPLY, json={"initial_code": noise, "edit_snippet": noise[1500:6000] + "...\n" + noise}
        )
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "too_slow"), answer.text
        assert time.monotonic() - started < 5
        assert client.post(APPLY, json={"initial_code": CART, "edit_snippet": TOTAL}).status_code == 200


def test_metrics_count_outcomes(client):
    """As Prometheus text."""
    client.post(APPLY, json={"initial_code": CART, "edit_snippet": TOTAL})
    client.post(APPLY, json={"initial_code": CART, "edit_snippet": UNCLEAR})
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert 'fastapply_answers_total{endpoint="/v1/code/apply",status="422"}' in answer.text
    assert 'fastapply_merges_total{outcome="refused"}' in answer.text
    assert 'fastapply_merge_seconds_bucket{le="+Inf"}' in answer.text
    assert "fastapply_open_requests 0.0" in answer.text


@pytest.mark.parametrize(
    "name",
    ["x\r\nSet-Cookie: a=b", "x\nX-Injected: 1", "../../etc/passwd", "/etc/passwd", "a" * 5000, "\u2028"],
)
def test_nothing_that_a_client_names_gets_into_headers(client, name):
    """Neither file names, nor models, nor instructions."""
    body = chat(MESSAGE, filename=name, user=name) | {"model": name}
    for wanted in (body, body | {"stream": True}):
        answer = client.post(CHAT, json=wanted)
        assert answer.status_code == 200
        assert not set(answer.headers) & {"set-cookie", "x-injected"}
        assert not any("passwd" in value or "Set-Cookie" in value for value in answer.headers.values())


def test_no_file_is_opened_for_a_name_that_a_client_sends(tmp_path, monkeypatch):
    """The name tells the language; what lies there on the disk is not looked at."""
    from fastapply.server.http.bodies import read_apply, read_chat

    monkeypatch.chdir(tmp_path)
    (tmp_path / "cart.py").write_text("secret = 1\n")
    touched = []
    apply_edit(CART, TOTAL, path="cart.py")  # what is imported for a merge is now
    watching = [True]

    events = ("open", "os.", "shutil.", "subprocess.")

    def watch(event, arguments):
        # of a text that is no Python, CPython looks for the line in a file of the name that `compile` got
        if watching and arguments[:1] != ("<unknown>",) and event.startswith(events):
            touched.append((event, arguments))

    sys.addaudithook(watch)
    for path in ("cart.py", str(tmp_path / "cart.py"), "../../etc/passwd"):
        for wanted in (
            read_apply({"initial_code": CART, "edit_snippet": TOTAL, "path": path}),
            read_chat(chat(MESSAGE, target_file=path)),
        ):
            assert wanted.path == path.rpartition("/")[2]
            assert apply_edit(wanted.original, wanted.edit, path=wanted.path).text == TOTALLED
    watching.clear()
    assert touched == []
    assert (tmp_path / "cart.py").read_text() == "secret = 1\n"
