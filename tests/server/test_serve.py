"""`fastapply serve` in a process of its own: the real `openai` client, many at a time, and bad company."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit
from urllib.request import urlopen

import openai
import pytest
from cart import CART, TOTAL, TOTALLED, UNCLEAR

from fastapply.cli import main
from fastapply.server.http.app import is_loopback

CODE = f"<code>{CART}</code>\n<update>{TOTAL}</update>"


@pytest.fixture(scope="module")
def address(serving):
    """A server with two jobs."""
    with serving("--jobs", "2") as address:
        yield address


@pytest.fixture
def client(address):
    """The real client, which sends nothing twice."""
    with openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0) as client:
        yield client


def ask(client, content, **more):
    """One chat completion."""
    return client.chat.completions.create(
        model="morph-v3-fast", messages=[{"role": "user", "content": content}], **more
    )


def exchange(address, data, *, close=False):
    """Send raw bytes and read until the server closes, or for a second."""
    where = urlsplit(address)
    with socket.create_connection((where.hostname, where.port), timeout=10) as connection:
        connection.sendall(data)
        if close:
            return b""
        connection.settimeout(2)
        received = b""
        try:
            while piece := connection.recv(65536):
                received += piece
        except TimeoutError:
            pass
        return received


def counted(address, line):
    """The value of a metric."""
    with urlopen(f"{address}/metrics") as answer:  # noqa: S310 - an address of this test
        text = answer.read().decode()
    return next((float(row.rpartition(" ")[2]) for row in text.splitlines() if row.startswith(line)), 0.0)


def test_openai_client_gets_the_merged_file(client):
    """Whole and streamed."""
    answer = ask(client, CODE)
    assert answer.choices[0].message.content == TOTALLED
    stream = ask(client, CODE, stream=True, stream_options={"include_usage": True})
    chunks = list(stream)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks[:-1]) == TOTALLED
    assert chunks[-1].usage.total_tokens == answer.usage.total_tokens
    predicted = ask(client, TOTAL, prediction={"type": "content", "content": CART})
    assert predicted.choices[0].message.content == TOTALLED
    assert [model.id for model in client.models.list()] == ["fastapply"]


@pytest.mark.parametrize("stream", [False, True])
def test_openai_client_raises_what_a_422_stands_for(client, stream):
    """Streaming or not: the first byte comes after the check."""
    with pytest.raises(openai.UnprocessableEntityError) as refused:
        ask(client, f"<code>{CART}</code><update>{UNCLEAR}</update>", stream=stream)
    assert refused.value.code == "ambiguous"
    assert "'first': 4" in str(refused.value.body)
    assert "hint: add context lines" in refused.value.message


def test_two_hundred_requests_from_eight_threads_are_neither_lost_nor_mixed_up(client):
    """Each gets the merge of its own file and edit, every other one streamed."""

    def one(number):
        code = f"first = {number}\nsecond = {number}\nthird = {number}\n"
        edit = f"# ... existing code ...\nsecond = {number} + 1\n# ... existing code ...\n"
        content = f"<code>{code}</code>\n<update>{edit}</update>"
        right = code.replace(f"second = {number}", f"second = {number} + 1")
        if number % 2:
            return (
                "".join(chunk.choices[0].delta.content or "" for chunk in ask(client, content, stream=True))
                == right
            )
        return ask(client, content).choices[0].message.content == right

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(one, range(200))) == [True] * 200


def test_client_that_goes_away_stops_its_merge(address):
    """The worker is free again long before the merge would have ended."""
    noise = "".join(f"{'abc{}'[number * number % 5]}\n" for number in range(8000))
    body = json.dumps({"initial_code": noise, "edit_snippet": noise[3000:12000] + "...\n" + noise}).encode()
    head = f"POST /v1/code/apply HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    for _ in range(2):
        exchange(address, head + body, close=True)
    until = time.monotonic() + 10
    while counted(address, 'fastapply_merges_total{outcome="cancelled"}') < 2 and time.monotonic() < until:
        time.sleep(0.05)
    assert counted(address, 'fastapply_merges_total{outcome="cancelled"}') == 2
    assert counted(address, "fastapply_open_requests") == 0
    with openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0) as client:
        assert ask(client, CODE, timeout=10).choices[0].message.content == TOTALLED


def test_queue_that_is_full_turns_requests_away(serving):
    """One runs, none may wait; the openai client would try again by itself."""
    noise = "".join(f"{'abc{}'[number * number % 5]}\n" for number in range(8000))
    slow = {"initial_code": noise, "edit_snippet": noise[3000:12000] + "...\n" + noise}
    body = json.dumps(slow).encode()
    head = f"POST /v1/code/apply HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with serving("--jobs", "1", "--queue", "0") as address:
        where = urlsplit(address)
        with socket.create_connection((where.hostname, where.port)) as connection:
            connection.sendall(head + body)
            until = time.monotonic() + 10
            while counted(address, "fastapply_open_requests") < 1 and time.monotonic() < until:
                time.sleep(0.02)
            with openai.OpenAI(base_url=f"{address}/v1", api_key="none", max_retries=0) as client:
                with pytest.raises(openai.InternalServerError) as full:
                    ask(client, CODE)
                assert (full.value.status_code, full.value.code) == (503, "queue_full")


@pytest.mark.parametrize(
    "head",
    [
        "POST /v1/code/apply HTTP/1.1\r\nHost: localhost\r\nX-Name: a\rb\r\n",
        "POST /v1/code/apply HTTP/1.1\r\nHost: localhost\nevil: 1\r\n bad\x00: x\r\n",
        "POST /v1/code/apply HTTP/1.1\r\nHost: localhost\r\nBad Name: x\r\n",
        "POST /v1/code/apply\r\nX: HTTP/1.1\r\nHost: localhost\r\n",
        "POST /v1/code/apply HTTP/1.1\r\n",
        "POST /v1/code/apply HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n",
        "POST /v1/code/apply HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n",
        "POST /v1/code/apply HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: x\r\n",
        "GET /%0d%0aSet-Cookie:%20a=b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n",
        "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n",
        "GET /" + "a" * 100_000 + " HTTP/1.1\r\nHost: localhost\r\n",
        "GET http://evil.example/v1/models HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n",
        "GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n",
        "GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n",
    ],
    ids=[
        "bare CR in a header",
        "NUL in a header",
        "blank in a header's name",
        "broken request line",
        "no host",
        "two lengths",
        "negative length",
        "unknown encoding",
        "line end in the path",
        "two hosts",
        "long path",
        "other host in the address",
        "path that climbs",
        "path that climbs, quoted",
    ],
)
def test_malformed_and_injected_heads_are_turned_away(address, head):
    """With one answer of 4xx, which holds no header of the client's."""
    received = exchange(address, head.encode("latin-1") + b"\r\n")
    status, _, rest = received.partition(b"\r\n")
    assert status.startswith(b"HTTP/1.1 4"), received[:200]
    headers = rest.partition(b"\r\n\r\n")[0].lower()
    assert b"set-cookie" not in headers
    assert b"evil" not in headers
    assert received.count(b"HTTP/1.1") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_the_server_and_a_running_merge_is_answered(sign, tmp_path):
    """Nobody new is let in, whoever is inside gets the answer."""
    server = subprocess.Popen(
        [sys.executable, "-m", "fastapply", "serve", "--port", "0", "--jobs", "1"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        start_new_session=True,
    )
    with server:
        assert server.stderr is not None
        where = urlsplit(server.stderr.readline().split()[-1])
        big = "".join(f"def f{number}(x):\n    return x + {number}\n\n\n" for number in range(4000))
        edit = "# ... existing code ...\n\n\ndef f17(x):\n    return x * 17\n\n\n# ... existing code ...\n"
        body = json.dumps({"initial_code": big, "edit_snippet": edit, "filename": "a.py"}).encode()
        head = f"POST /v1/code/apply HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection((where.hostname, where.port)) as connection:
            connection.sendall(head.encode() + body)
            while counted(f"http://{where.netloc}", "fastapply_open_requests") < 1:
                time.sleep(0.01)
            os.killpg(server.pid, sign)  # as a terminal does it: the workers get it as well
            answer = b"".join(iter(lambda: connection.recv(1 << 20), b""))
        assert answer.startswith(b"HTTP/1.1 200 "), answer[:300]
        assert server.wait(20) == (0 if sign == signal.SIGINT else -sign)
        assert server.stderr.read() == ""


def test_address_beyond_this_machine_needs_a_token(capfd, monkeypatch):
    """Status 2, before anything listens."""
    monkeypatch.delenv("FASTAPPLY_TOKEN", raising=False)
    assert main(["serve", "--host", "0.0.0.0", "--port", "0"]) == 2  # noqa: S104 - it is refused
    assert "needs a token" in capfd.readouterr().err


def test_token_from_the_environment_is_asked_for(serving):
    """The real client sends it as its key."""
    with serving("--host", "0.0.0.0", "--jobs", "1", FASTAPPLY_TOKEN="sesame") as address:  # noqa: S104, S106
        url = address.replace("0.0.0.0", "127.0.0.1") + "/v1"  # noqa: S104
        with openai.OpenAI(base_url=url, api_key="sesame") as client:
            assert ask(client, CODE).choices[0].message.content == TOTALLED
        with (
            openai.OpenAI(base_url=url, api_key="wrong") as client,
            pytest.raises(openai.AuthenticationError),
        ):
            ask(client, CODE)


def test_port_that_is_taken_is_a_usage_error(address, capfd):
    """With what to do."""
    assert main(["serve", "--port", str(urlsplit(address).port)]) == 2
    assert "choose another --port" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("LocalHost", True),
        ("0.0.0.0", False),  # noqa: S104
        ("::", False),
        ("192.168.1.2", False),
        ("localhost.example.org", False),
        ("127.1.example", False),
        ("", False),
    ],
)
def test_only_loopback_addresses_count_as_this_machine(host, local):
    """Whatever is not sure is not."""
    assert is_loopback(host) == local
