"""A chat server that does what a test tells it to, in this process."""

from __future__ import annotations

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ScriptedServer(ThreadingHTTPServer):
    """Gives the answers of its queue, the last one again and again; `requests` has what it was sent."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = []
        self.requests = []
        self.models = ["FastApply-1.5B-v1.0"]

    @property
    def url(self):
        """The base address."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def enqueue(self, text, finish="stop", **more):
        """Add a chat completion."""
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
        usage = {"prompt_tokens": 11, "completion_tokens": 7}
        self.enqueue_raw(200, json.dumps({"choices": [choice], "usage": usage, **more}).encode())

    def enqueue_raw(self, status, data, *, delay=0.0, headers=None, cut=0):
        """Add any bytes; `cut` of them at the end are promised and not sent."""
        self.answers.append((status, data, delay, headers or {}, cut))


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: ScriptedServer

    def do_GET(self):
        """The list of models."""
        self.server.requests.append((self.path, dict(self.headers), None))
        data = json.dumps({"data": [{"id": name} for name in self.server.models]}).encode()
        self._send(200, data, {}, 0)

    def do_POST(self):
        """The next answer of the queue."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, dict(self.headers), body))
        answers = self.server.answers
        status, data, delay, headers, cut = answers.pop(0) if len(answers) > 1 else answers[0]
        time.sleep(delay)
        self._send(status, data, headers, cut)

    def _send(self, status, data, headers, cut):
        try:
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data[: len(data) - cut])
        except OSError:  # nobody waits any more
            pass
        self.close_connection = True

    def log_message(self, *_arguments):
        """Say nothing."""


@contextmanager
def scripted_server():
    """Serve until the test has ended."""
    with ScriptedServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
