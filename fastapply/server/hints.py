"""Hints for those who have no command line: its options are left out, or said in other words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.picked import MODEL_STEP

if TYPE_CHECKING:
    from collections.abc import Iterable

_ALLOW = re.compile(r",? or accept this with --allow \w+")
_OTHERWISE = {
    "check the path; a whole file is created with --create": "check the path",
    "name the file relative to the root, or choose another one with --root": (
        "name a file of the root, relative to it"
    ),
    "use fastapply patch": "send one edit a file",
    "use fastapply patch, which may do that": "send an edit that changes the text of the file",
    "run fastapply patch with the same edit, in the folder that its file names start from": (
        "send an edit that changes the text of the file; delete and move files by other means"
    ),
}


def plain_hints(hints: Iterable[str]) -> tuple[str, ...]:
    """Each line of the hints once, in words that hold without a command line."""
    lines = [line for hint in hints for line in hint.splitlines() if line and line != MODEL_STEP]
    said = [_OTHERWISE.get(line.replace("`", "")) or _ALLOW.sub("", line) for line in lines]
    return tuple(dict.fromkeys(said))
