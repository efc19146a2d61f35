"""A merge driver of git's: git merges, and where it finds a conflict, fastapply tries.

A conflict of git's may be none: one side moved a function, or put it into a block, and the other changed a
line of it. So what "theirs" changed is put into "ours" as an edit. Only a place that is certain by its own
lines is good enough here; else git's conflict stays, with its markers.
"""

from __future__ import annotations

from pathlib import Path

from fastapply.errors import FastapplyError
from fastapply.pipeline import merge_edit, read_edit
from fastapply.text import decode, encode
from fastapply.text.diff import Sides, render_diff
from fastapply.types import Options
from fastapply.workspace import git

_CERTAIN = frozenset({"exact", "trailing", "indentation"})


def merge_conflict(base: str, ours: str, theirs: str, name: str, marker_size: int = 7) -> bool:
    """Merge `theirs` into the file `ours`; False where a conflict is left in it, or in the index.

    The three are paths of files that git made; `name` is the path of the file that they are versions of.
    """
    merged = git.merge_file(Path(ours), Path(base), Path(theirs), marker_size)
    if merged is None:
        return False  # a binary file: ours stays, as git itself leaves it
    text, conflicts = merged
    if conflicts:
        tried = _try(Path(base).read_bytes(), Path(ours).read_bytes(), Path(theirs).read_bytes(), name)
        if tried is not None:
            text, conflicts = tried, 0
    Path(ours).write_bytes(text)
    return not conflicts


def _try(base: bytes, ours: bytes, theirs: bytes, name: str) -> bytes | None:
    """What `ours` becomes with the change from `base` to `theirs`; None where that is not certain."""
    options = Options(engine="deterministic", format_name="udiff")
    try:
        before, own, other = decode(base), decode(ours), decode(theirs)
        if other.encoding != before.encoding:
            return None
        change = render_diff(Sides(name, before, other))
        edit = read_edit(change, path=name, original=own, options=options)
        if len(edit.files) != 1:
            return None
        merged = merge_edit(own, edit, edit.files[0], path=name, options=options)
        certain = merged.method in _CERTAIN and not merged.unchanged
        return encode(merged.text) if certain else None
    except FastapplyError:
        return None
