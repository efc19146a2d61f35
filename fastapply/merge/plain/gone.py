"""Units that words or notes say go: ``remove createLegacy``, ``// log() is no longer needed``.

What an edit leaves out of a thing that it shows in part stays, but for what is named so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.merge.certainty.said import phrases_of_removal
from fastapply.merge.lines import is_closer
from fastapply.merge.plain.commas import code_of, ended
from fastapply.merge.plain.draft import Change
from fastapply.merge.plain.spoken import look_up

if TYPE_CHECKING:
    from fastapply.merge.plain.outline import Outline

_SURE, _AHEAD = 0.9, 0.05
"""How well words fit a unit that they name, and how much better than any other."""


def told_gone(outline: Outline, told: str) -> list[int]:
    """Units that sentences say go, each named by its own words and no other."""
    found: list[int] = []
    for what in phrases_of_removal(told):
        every = look_up(outline, what)
        fits = [(fit, n) for fit, n in every if not outline.kind(n).startswith("call:")] or every
        others = [fit for fit, n in fits[1:] if fits[0][1] not in outline.around(n)]
        if not fits or fits[0][0] < _SURE or (others and fits[0][0] - others[0] < _AHEAD):
            continue
        if fits[0][1] not in found:
            found.append(fits[0][1])
    return [n for n in found if not set(outline.around(n)) & set(found)]


def taken(outline: Outline, number: int) -> Change:
    """The change that takes a unit away, with blank lines on one side and the comma left over."""
    keys, lines = outline.table.keys, outline.lines
    start, end = outline.units[number].start, outline.units[number].end
    below = end
    while below < len(lines) and not keys[below]:
        below += 1
    if below < len(lines) and not is_closer(keys[below]):
        return Change(start, below, ())
    while start and not keys[start - 1]:
        start -= 1
    above = lines[start - 1] if start else ""
    if code_of(above).endswith(",") and not code_of(lines[end - 1]).endswith(","):
        return Change(start - 1, end, ((-1, ended(above, ",", "")),))
    return Change(start, end, ())
