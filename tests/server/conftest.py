"""What tests of the servers share: a project to edit, tool calls, and a server in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager

import anyio
import pytest
from asking import BODY
from cart import CART


@pytest.fixture(scope="module")
def client():
    """A client of a server within this process, with one job."""
    from starlette.testclient import TestClient

    from fastapply.server.http.app import LOOPBACK, ServerLimits, make_app

    app = make_app(ServerLimits(jobs=1, queue=4, body=BODY, seconds=20), hosts=LOOPBACK, token=None)
    with TestClient(app, base_url="http://127.0.0.1:8765") as client:
        yield client


@pytest.fixture
def project(tmp_path):
    """A folder with two files."""
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "cart.py").write_bytes(CART.encode())
    (folder / "src/list.txt").write_bytes(b"one\ntwo\nthree\n")
    return folder


@pytest.fixture
def calls():
    """Call tools of an MCP server within this process; gives a list of (failed, text)."""
    from mcp import Client

    def run(server, *wanted, roots=None, mode="auto"):
        from mcp.types import ListRootsResult, Root

        async def named(_context):
            return ListRootsResult(roots=[Root(uri=folder.as_uri()) for folder in roots])

        async def session():
            answers = []
            asked = named if roots is not None else None
            async with Client(server, mode=mode, list_roots_callback=asked) as client:
                for name, arguments in wanted:
                    result = await client.call_tool(name, arguments)
                    (content,) = result.content
                    assert content.type == "text"
                    answers.append((result.is_error, content.text))
            return answers

        return anyio.run(session)

    return run


@pytest.fixture(scope="session")
def serving(tmp_path_factory):
    """Start `fastapply serve` on a free port; gives its address."""

    @contextmanager
    def start(*options, **environment):
        command = [sys.executable, "-m", "fastapply", "serve", "--port", "0", *options]
        folder, state = tmp_path_factory.mktemp("served"), tmp_path_factory.mktemp("served-state")
        with subprocess.Popen(
            command,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env={**os.environ, "FASTAPPLY_STATE_DIR": str(state), **environment},
        ) as server:
            assert server.stderr is not None
            line = server.stderr.readline()
            assert "http://" in line, line + server.stderr.read()
            try:
                yield line.split()[-1]
            finally:
                server.terminate()
                status = server.wait(20)
            assert status in {0, -15}
            assert server.stderr.read() == ""
            assert list(folder.iterdir()) == []

    return start
