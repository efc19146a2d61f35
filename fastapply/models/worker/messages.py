"""Where the worker of a model is, and what goes over its socket: one JSON object a line.

A file that only the user can read names its socket and its token.

A request has the worker's `token` and an `op`: ``status``, ``stop``, ``complete`` with a `task`, or
``score`` with a `prompt` and `texts`. The answer to ``complete`` is any number of ``{"written": bytes,
"tokens": number}``, then ``{"done": ...}``; every op may be answered by ``{"error": ...}``. Tasks, prompts
and answers are objects of their fields.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
from typing import TYPE_CHECKING, Any

from fastapply.errors import FastapplyError, ModelTrouble, Refused
from fastapply.folders import state_folder
from fastapply.models.engine import Drafts, Task
from fastapply.models.prompts import Message, Prompt, PromptPiece
from fastapply.values import dataclass, fields_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedIOBase
    from pathlib import Path

MOST_BYTES = 64 << 20
"""The longest line that is read."""
_CONNECT_SECONDS = 5.0


def send(stream: BufferedIOBase, value: dict[str, Any]) -> None:
    """Write one message."""
    stream.write(json.dumps(value).encode() + b"\n")
    stream.flush()


def receive(stream: BufferedIOBase) -> dict[str, Any] | None:
    """Read one message; None where the other side has gone, or says what is no message."""
    line = stream.readline(MOST_BYTES)
    if not line.endswith(b"\n"):
        return None
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def read_task(given: dict[str, Any]) -> Task:
    """The task that such an object says. Raises `KeyError` or `TypeError` for another one."""
    return Task(read_prompt(given["prompt"]), Drafts(**given["drafts"]), given["longest"])


def read_prompt(given: dict[str, Any]) -> Prompt:
    """The prompt that such an object says. Raises `KeyError` or `TypeError` for another one."""
    return Prompt(
        given["style"],
        tuple(Message(**one) for one in given["messages"]),
        tuple(PromptPiece(**one) for one in given["pieces"]),
        given["end"],
    )


def error_object(error: FastapplyError) -> dict[str, Any]:
    """An error as JSON."""
    return {
        "refused": isinstance(error, Refused),
        "message": error.message,
        "reason": error.reason,
        "hint": error.hint,
    }


def read_error(given: dict[str, Any]) -> FastapplyError:
    """The error that such an object says."""
    kind = Refused if given.get("refused") else ModelTrouble
    return kind(str(given["message"]), reason=str(given["reason"]), hint=str(given["hint"]))


@dataclass(frozen=True, slots=True)
class Address:
    """A worker that was ready when this was written."""

    pid: int
    token: str  # what a request has to name
    socket: str  # a path, or "" where the system has no such sockets
    port: int  # of 127.0.0.1, in that case
    model: str
    idle_seconds: float


def folder() -> Path:
    """The user's folder for workers, which nobody else may look into."""
    path = state_folder() / "workers"
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def address_file(model: Path, settings: dict[str, Any], *, adapter: Path | None = None) -> Path:
    """The file that names the worker of a model, with an adapter or without, and with these settings."""
    files = [(str(path), _version(path)) for path in (model, adapter) if path is not None]
    described = json.dumps([files, settings])
    return folder() / f"{hashlib.sha256(described.encode()).hexdigest()[:16]}.json"


def _version(path: Path) -> tuple[int, int] | None:
    known = path.stat() if path.exists() else None
    return known and (known.st_size, known.st_mtime_ns)


def write_address(path: Path, address: Address) -> None:
    """Publish a worker: all at once, and for the user alone."""
    partial = path.with_suffix(f".{os.getpid()}")
    handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(fields_of(address), file)
    partial.replace(path)


def read_address(path: Path) -> Address | None:
    """The worker that a file names; None where there is no such file, or it is damaged."""
    try:
        return Address(**json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def all_addresses() -> Iterator[tuple[Path, Address]]:
    """Every worker that was started and has not said good-bye."""
    for path in sorted(folder().glob("*.json")):
        address = read_address(path)
        if address is not None:
            yield path, address


def connect(address: Address) -> socket.socket | None:
    """A connection to a worker; None where it does not run any more."""
    unix = getattr(socket, "AF_UNIX", None)
    made = socket.socket(unix if address.socket and unix is not None else socket.AF_INET)
    made.settimeout(_CONNECT_SECONDS)
    try:
        made.connect(address.socket or ("127.0.0.1", address.port))
    except OSError:
        made.close()
        return None
    made.settimeout(None)
    return made
