"""The state of a cache in a file: its sha256, then its bytes. llama.cpp ends the process at a damaged one."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_DIGEST = hashlib.sha256().digest_size


def load_state(path: Path) -> bytes | None:
    """The state in a file; None where there is none, or it is damaged."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    digest, state = data[:_DIGEST], data[_DIGEST:]
    return state if state and hashlib.sha256(state).digest() == digest else None


def save_state(path: Path, state: bytes) -> None:
    """Keep a state; where that cannot be, it is made again next time."""
    partial = path.with_suffix(f".{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(hashlib.sha256(state).digest() + state)
        partial.replace(path)
    except OSError:
        return
