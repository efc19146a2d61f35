"""Fetching models from a hub: a local server that speaks what huggingface_hub asks for."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

BODY = b"GGUF" + bytes(range(256)) * 4000
SHA256 = hashlib.sha256(BODY).hexdigest()
NAME = "fastapply-1.5b"
FILE = "FastApply-1.5B-v1.0-Q4_K_M.gguf"
ROUTE = f"/bartowski/FastApply-1.5B-v1.0-GGUF/resolve/main/{FILE}"


class Hub(ThreadingHTTPServer):
    """One file, and what is wrong with it."""

    body: bytes = BODY
    etag: str = SHA256
    length: int | None = None
    status: int = 200
    error_code: str = ""
    breaks_after: int | None = None
    gets: int = 0


class Handler(BaseHTTPRequestHandler):
    """HEAD and GET of the one route; 404 for all else."""

    server: Hub
    protocol_version = "HTTP/1.1"

    def do_HEAD(self):
        """What the file is."""
        self._head()

    def do_GET(self):
        """The file, or the rest of it."""
        hub = self.server
        if not self._head():
            return
        hub.gets += 1
        body = hub.body[self._from() :]
        if hub.breaks_after is not None:
            self.wfile.write(body[: hub.breaks_after])
            self.close_connection = True
        else:
            self.wfile.write(body)

    def _from(self):
        asked = self.headers.get("Range", "")
        return int(asked.removeprefix("bytes=").partition("-")[0]) if asked else 0

    def _head(self):
        hub = self.server
        found = self.path == ROUTE and hub.status == 200
        start = self._from()
        length = len(hub.body) if hub.length is None else hub.length
        self.send_response((206 if start else 200) if found else hub.status if hub.status != 200 else 404)
        if hub.error_code:
            self.send_header("X-Error-Code", hub.error_code)
        self.send_header("ETag", f'"{hub.etag}"')
        self.send_header("X-Repo-Commit", "0" * 40)
        self.send_header("Accept-Ranges", "bytes")
        if start:
            self.send_header("Content-Range", f"bytes {start}-{length - 1}/{length}")
        self.send_header("Content-Length", str(length - start if found else 0))
        self.end_headers()
        return found

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def hub():
    """A hub that has one model."""
    server = Hub(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def run(hub, tmp_path):
    """The command line, with that hub; huggingface_hub reads its address once, at import."""

    def run(*arguments, endpoint=None):
        environment = {
            **os.environ,
            "HF_ENDPOINT": endpoint or f"http://127.0.0.1:{hub.server_port}",
            "HF_HOME": str(tmp_path / "hf"),
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "NO_PROXY": "*",
        }
        return subprocess.run(
            [sys.executable, "-m", "fastapply", "models", *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )

    return run


def models(state_dir):
    """Everything in the models folder."""
    folder = state_dir / "models"
    return (
        sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*")) if folder.exists() else []
    )


def test_pulled_model_is_whole_and_found_by_its_name(hub, run, state_dir):
    """Nothing else is left in the folder; a second pull fetches nothing."""
    done = run("pull", NAME)
    assert (done.returncode, done.stderr) == (0, "")
    path = state_dir / "models" / FILE
    assert done.stdout == f"{NAME}: {path}\n"
    assert path.read_bytes() == BODY
    assert models(state_dir) == [FILE]
    assert run("pull", NAME).returncode == 0
    assert hub.gets == 1
    listed = json.loads(run("list", "--json").stdout)
    assert [one["name"] for one in listed["models"] if one["pulled"]] == [NAME]


def test_removed_model_is_gone_and_may_be_pulled_again(run, state_dir):
    """To remove one that is not there is an error."""
    assert run("pull", NAME).returncode == 0
    assert run("remove", NAME).stdout == f"{NAME}: removed\n"
    assert models(state_dir) == []
    again = run("remove", NAME)
    assert (again.returncode, "[not_pulled]" in again.stderr) == (5, True)


def test_damaged_file_is_fetched_anew(hub, run, state_dir):
    """A pull checks what is there."""
    assert run("pull", NAME).returncode == 0
    (state_dir / "models" / FILE).write_bytes(BODY[:-1] + b"x")
    assert run("pull", NAME).returncode == 0
    assert (state_dir / "models" / FILE).read_bytes() == BODY
    assert hub.gets == 2


def refused(done, reason, state_dir):
    """Whether a pull failed for a reason in one line and a hint, and left nothing behind."""
    rows = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (5, "")
    assert rows[0].endswith(f"[{reason}]")
    assert rows[1].startswith("hint: ")
    assert models(state_dir) == []


def test_body_that_does_not_match_its_hash_is_refused(hub, run, state_dir):
    """Though it has the right length."""
    hub.body = BODY[:-1] + b"x"
    refused(run("pull", NAME), "bad_download", state_dir)


def test_body_with_a_git_hash_is_checked_as_well(hub, run, state_dir):
    """Small files have the hash of a git blob for an ETag."""
    hub.etag = hashlib.sha1(b"blob %d\0" % len(BODY) + BODY, usedforsecurity=False).hexdigest()
    assert run("pull", NAME).returncode == 0
    assert run("remove", NAME).returncode == 0
    hub.body = BODY[:-1] + b"x"
    refused(run("pull", NAME), "bad_download", state_dir)


@pytest.mark.slow
def test_download_that_breaks_off_leaves_nothing(hub, run, state_dir):
    """No half file that looks whole."""
    hub.breaks_after = 100_000
    refused(run("pull", NAME), "offline", state_dir)


def test_hub_that_is_not_there_is_told(run, state_dir):
    """With what to do instead."""
    refused(run("pull", NAME, endpoint="http://127.0.0.1:9"), "offline", state_dir)


def test_gated_model_is_told(hub, run, state_dir):
    """Where its terms are, and how to log in."""
    hub.status, hub.error_code = 403, "GatedRepo"
    done = run("pull", NAME)
    refused(done, "gated", state_dir)
    assert "https://huggingface.co/bartowski/FastApply-1.5B-v1.0-GGUF" in done.stderr


def test_model_that_the_hub_does_not_have_is_told(hub, run, state_dir):
    """A file that was moved, or a registry that is out of date."""
    hub.status, hub.error_code = 404, "EntryNotFound"
    refused(run("pull", NAME), "not_on_hub", state_dir)


def test_model_without_a_file_says_what_to_do(run, state_dir):
    """Nobody has converted it, as far as the registry knows."""
    refused(run("pull", "osmosis-1.7b"), "no_file", state_dir)


def test_unknown_name_lists_those_that_there_are(run, state_dir):
    """As a hint."""
    done = run("pull", "nope")
    refused(done, "unknown_model", state_dir)
    assert NAME in done.stderr
