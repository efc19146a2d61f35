"""The worker process: loads one model, answers one request after the other, and ends when idle.

Started with one argument, a JSON object: `model` (a path), `adapter` (a path or null), `settings`, `cache`,
`address` (the file to publish itself in) and `idle_seconds`. What it has to say before it is ready goes to
standard output: one line, ``{"ready": true}`` or ``{"error": ...}``.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import select
import shutil
import socket
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapply.errors import FastapplyError, ModelTrouble
from fastapply.models.worker.messages import (
    Address,
    error_object,
    read_address,
    read_prompt,
    read_task,
    receive,
    send,
    write_address,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BufferedIOBase

    from fastapply.models.llama.model import LlamaModel

_REQUEST_SECONDS = 20.0  # for a request to arrive, once connected
_TELL_SECONDS = 0.1
_ONE_ANSWER = 1.0  # seconds of idling that a worker for one answer is given


def main(given: dict[str, Any]) -> int:
    """Run until nobody has asked for anything in `idle_seconds`, or somebody says stop."""
    path = Path(given["address"])
    try:
        model = _load(given)
    except FastapplyError as error:
        _say({"error": error_object(error)})
        return 1
    private = tempfile.mkdtemp(prefix="fastapply-")
    listener, where, port = _listen(private)
    address = Address(os.getpid(), secrets.token_hex(16), where, port, given["model"], given["idle_seconds"])
    try:
        write_address(path, address)
        _say({"ready": True})
        _serve(listener, model, address)
    finally:
        kept = read_address(path)
        if kept is not None and kept.pid == os.getpid():
            path.unlink(missing_ok=True)
        listener.close()
        shutil.rmtree(private, ignore_errors=True)
    return 0


def _load(given: dict[str, Any]) -> LlamaModel:
    """The model, with a step taken: what crashes does so before it is ready."""
    try:
        from fastapply.models.llama.library import Settings
        from fastapply.models.llama.model import LlamaModel
    except (ImportError, OSError, RuntimeError) as error:
        raise ModelTrouble(
            f"llama-cpp-python cannot be loaded: {error}",
            reason="no_model",
            hint="pip install '.[model]' in a checkout of fastapply; fastapply doctor says more",
        ) from None
    model = LlamaModel(
        Path(given["model"]),
        name="",
        style="nano",  # prompts come ready made
        settings=Settings(**given["settings"]),
        adapter=Path(given["adapter"]) if given.get("adapter") else None,
        cache=Path(given["cache"]) if given.get("cache") else None,
    )
    model.warm_up()
    return model


def _listen(private: str) -> tuple[socket.socket, str, int]:
    """A socket in a folder of the user's alone; one of this machine's where there are no such sockets."""
    unix = getattr(socket, "AF_UNIX", None)
    if unix is None:
        listener = socket.socket(socket.AF_INET)
        listener.bind(("127.0.0.1", 0))
        where, port = "", listener.getsockname()[1]
    else:
        listener = socket.socket(unix)
        where, port = str(Path(private) / "socket"), 0
        listener.bind(where)
        Path(where).chmod(0o600)
    listener.listen(16)
    return listener, where, port


def _serve(listener: socket.socket, model: LlamaModel, address: Address) -> None:
    listener.settimeout(address.idle_seconds)
    while True:
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            return
        connection.settimeout(_REQUEST_SECONDS)
        try:
            with connection, connection.makefile("rwb") as stream:
                if not _answer(stream, model, address):
                    return
        except OSError:  # who asked has gone away
            continue
        if address.idle_seconds > _ONE_ANSWER:  # else it is told to stop right away
            model.measure_more(lambda: bool(select.select([listener], [], [], 0)[0]))


def _answer(stream: BufferedIOBase, model: LlamaModel, address: Address) -> bool:
    """Answer one request; false for the one to stop."""
    request = receive(stream)
    if request is None or not hmac.compare_digest(str(request.get("token")), address.token):
        return True
    op = request.get("op")
    if op == "stop":
        send(stream, {"done": {"pid": address.pid}})
        return False
    if op == "status":
        send(stream, {"done": {"pid": address.pid, "model": address.model}})
        return True
    model.watch = _teller(stream)
    try:
        if op == "score":
            done = model.score(read_prompt(request["prompt"]), request["texts"], request["leads"])
            send(stream, {"done": asdict(done)})
        else:
            send(stream, {"done": asdict(model.complete(read_task(request["task"])))})
    except FastapplyError as error:
        send(stream, {"error": error_object(error)})
    except (KeyError, TypeError) as error:
        trouble = ModelTrouble(f"the worker does not understand the request: {error}", reason="model")
        send(stream, {"error": error_object(trouble)})
    return True


def _teller(stream: BufferedIOBase) -> Callable[[int, int], None]:
    """Tells how much is written, a few times a second."""
    told = time.monotonic()

    def tell(written: int, tokens: int) -> None:
        nonlocal told
        if time.monotonic() - told > _TELL_SECONDS:
            told = time.monotonic()
            send(stream, {"written": written, "tokens": tokens})

    return tell


def _say(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
