"""V4A scope lines: where ``@@ class Cart`` and ``@@ def pay(self):`` say that a hunk belongs.

A scope line must stand in the file, each below the one before it; white space, punctuation and a
shortened signature are forgiven. The hunk is then looked for in the block that the line opens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.merge.locate import LOOSE, STRICT, LineIndex, Region, locate_lines
from fastapply.merge.places import block_end, definition_name

if TYPE_CHECKING:
    from collections.abc import Sequence


def scope_blocks(index: LineIndex, scopes: Sequence[str]) -> list[Region] | str:
    """The blocks that the innermost scope line opens, one for each place where it stands.

    A scope that opens no block reaches to the end of the block around it. Returns the scope
    that is missing, as a string.
    """
    regions = [index.everywhere]
    for depth, scope in enumerate(scopes):
        inner = []
        for region in regions:
            for at in _scope_lines(index, scope, Region(region.low + (depth > 0), region.high)):
                end = block_end(index.lines, at)
                inner.append(Region(at, region.high if end is None else min(end, region.high)))
        if not inner:
            return scope.strip()
        regions = inner
    return regions


def _scope_lines(index: LineIndex, scope: str, region: Region) -> list[int]:
    wanted = scope.strip()
    for tier in (*STRICT, *LOOSE):
        if found := locate_lines(index, (wanted,), tier, region):
            return found
    bare = wanted.rstrip(" :{(")
    inside = range(region.low, region.high)
    found = [at for at in inside if bare and _starts(index.lines[at].strip(), bare)]
    if found:
        return found
    name = definition_name(wanted)
    if name is None:
        return []
    first = wanted.split()[0]
    return [
        at
        for at in inside
        if name in index.lines[at]
        and definition_name(index.lines[at]) == name
        and first in index.lines[at].split()
    ]


def _starts(line: str, wanted: str) -> bool:
    """Whether a line starts with these whole words: ``class Cart`` does not start ``class Cartoon``."""
    if not line.startswith(wanted):
        return False
    rest = line[len(wanted) :]
    return not rest or not (rest[0].isalnum() or rest[0] in "_$!?")
