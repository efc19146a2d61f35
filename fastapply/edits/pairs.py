"""Two fences that say together what a SEARCH/REPLACE block says.

Form, in a chat reply::

    Replace this:            words that announce what is there, then a fence of lines of the file
    ~~~
    return 1
    ~~~
    with:                    a few words that announce what it becomes, then a fence
    ~~~
    return 2
    ~~~

Only lines that the file has, one after the other, make the first half.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.edits.markers import find_markers
from fastapply.edits.reading import Piece, hunks_piece
from fastapply.edits.snippet import trim
from fastapply.edits.target import flat
from fastapply.types import Hunk, Segment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.edits.choose import Candidate
    from fastapply.edits.target import Target

_OLD = r"(?i)\b(?:change|replace|find|swap|from|before|old|current|currently|existing|original|instead of)\b"
_NEW = r"(?i)^\W*(?:to|with|by|into|after|becomes?|new|(?:and )?(?:replace|change) it (?:to|with|by))\b"


def take_pairs(
    candidates: Sequence[Candidate], target: Target
) -> tuple[tuple[Piece, ...], tuple[Candidate, ...]]:
    """Take the pairs of old and new out of a reply's fences; gives their pieces and the other fences."""
    pieces: list[Piece] = []
    others: list[Candidate] = []
    at = 0
    while at < len(candidates):
        if at + 1 < len(candidates) and _are_pair(candidates[at], candidates[at + 1], target):
            old, new = candidates[at : at + 2]
            segment = Segment(flat(trim(old.lines).lines), flat(trim(new.lines).lines))
            hunk = Hunk(1, old.first + 1, (segment,))
            pieces.append(hunks_piece("search_replace", (hunk,), old.label))
            at += 2
        else:
            others.append(candidates[at])
            at += 1
    return tuple(pieces), tuple(others)


def _are_pair(old: Candidate, new: Candidate, target: Target) -> bool:
    words = new.lead.strip()
    if len(words.split()) > 8 or not re.search(_NEW, words):
        return False
    if not re.search(_OLD, old.lead.strip()[-200:]) or find_markers((*old.lines, *new.lines)):
        return False
    return target.has_run(trim(old.lines).lines)
