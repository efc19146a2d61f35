"""Two changes of one text put side by side, where they do not meet.

    base ─┬─ ours   ─┐
          └─ theirs ─┴─▶ `merge_bytes` ─▶ both changes, or None

Changes meet where they touch the same line or lines next to each other, as for `git merge-file`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.verify.compare import align

if TYPE_CHECKING:
    from collections.abc import Sequence

_Change = tuple[int, int, tuple[str, ...]]  # base[start:end] becomes these lines


def merge_bytes(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    r"""The text with both changes; None where they meet. The bytes of every line stay as they are.

    ``merge_bytes(b"a\\nb\\nc\\n", b"A\\nb\\nc\\n", b"a\\nb\\nC\\n")`` is ``b"A\\nb\\nC\\n"``.
    """
    lines = _lines(base)
    changes = _together(_changes(lines, _lines(ours)), _changes(lines, _lines(theirs)))
    if changes is None:
        return None
    for start, end, new in reversed(changes):
        lines[start:end] = new
    return "".join(lines).encode("latin-1")


def _together(one: Sequence[_Change], other: Sequence[_Change]) -> list[_Change] | None:
    """Both lists of changes in order; a change that is in both counts once."""
    both = sorted({*one, *other})
    if any(first[1] >= second[0] for first, second in pairwise(both)):
        return None
    return both


def _changes(base: Sequence[str], changed: Sequence[str]) -> list[_Change]:
    found: list[_Change] = []
    at = other = 0
    for number, partner in enumerate([*align(base, changed), len(changed)]):
        if partner < 0:
            continue
        if number > at or partner > other:
            found.append((at, number, tuple(changed[other:partner])))
        at, other = number + 1, partner + 1
    return found


def _lines(data: bytes) -> list[str]:
    """Lines that end at a line feed, a character a byte."""
    lines = data.decode("latin-1").split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])
