"""Whether a model's file is the one that is meant: by its size and its hash."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_SHA256 = re.compile(r"[0-9a-f]{64}")
_GIT_SHA1 = re.compile(r"[0-9a-f]{40}")
_CHUNK = 1 << 20


def is_right(path: Path, size: int, digest: str) -> bool:
    """Whether a file has this size (0: any) and this hash, a sha256 or that of a git blob.

    A hash of no known kind is passed over.
    """
    if size and path.stat().st_size != size:
        return False
    if _SHA256.fullmatch(digest):
        hashed = hashlib.sha256()
    elif _GIT_SHA1.fullmatch(digest):
        hashed = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
    else:
        return True
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            hashed.update(chunk)
    return hashed.hexdigest() == digest
