"""Where the worker of a model is: a file that only the user can read names its socket and its token."""

from __future__ import annotations

import hashlib
import json
import os
import socket
from typing import TYPE_CHECKING, Any

from fastapply.folders import state_folder
from fastapply.values import dataclass, fields_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_CONNECT_SECONDS = 5.0


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
