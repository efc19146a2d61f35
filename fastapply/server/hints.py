"""Hints for those who have no command line: its options are left out, or said in other words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.pipeline import SMOOTH_STEP
from fastapply.pipeline.picks import is_model_step

if TYPE_CHECKING:
    from collections.abc import Iterable

_ALLOW = re.compile(r",? or accept this with --allow \w+")
_OTHERWISE = {
    "check the path, or use --create to create the file": "check the path",
    "use a path relative to the root, or change the root with --root": "use a path relative to the root",
    "use fastapply patch": "send one edit for each file",
    "use fastapply patch, or --only to apply the part for this file alone": "send one edit for each file",
    "use fastapply patch, which may do that": "send an edit that changes the text of the file",
    "run fastapply patch with the same edit, in the folder that its file names start from": (
        "send an edit that changes the text of the file; delete and move files by other means"
    ),
}


def plain_hints(hints: Iterable[str]) -> tuple[str, ...]:
    """Each of the hints once, in words that hold without a command line.

    What stands below a line that ends with a colon are lines of the file, which stay as they are.
    """
    said: list[str] = []
    for hint in hints:
        lines = hint.split("\n")
        words = next((at for at, line in enumerate(lines) if line.endswith(":")), len(lines)) + 1
        quoted = [line for line in lines[words:] if not is_model_step(line)]
        plain = [
            _OTHERWISE.get(line.replace("`", "")) or _ALLOW.sub("", line.removeprefix(SMOOTH_STEP))
            for line in lines[:words]
            if line and not is_model_step(line)
        ]
        if quoted:
            plain[-1] = "\n".join([plain[-1], *quoted])
        said += plain
    return tuple(dict.fromkeys(said))
