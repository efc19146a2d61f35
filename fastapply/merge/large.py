"""A snippet for a very large file: merged in the pieces that it shows, where these are certain.

    file of 100,000 lines ─ lines of the edit that are in it only once ─▶ the pieces around them, and the head
                          ◀─ splices, moved to the file's own lines ──── merge of the edit in these alone

What is left out are lines that the edit does not show. Each run of lines between two markers must have a line
that is in the file only once; where a merge in the pieces is not certain, the whole file is looked at.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from fastapply.edits.markers import find_markers
from fastapply.merge.indentation import indent_of
from fastapply.merge.likeness import definition
from fastapply.types import Splice
from fastapply.values import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fastapply.text import SourceText
    from fastapply.types import Proposal, Snippet

LARGE = 20_000
"""Lines from which on a file is taken in pieces."""
_AROUND = 400
"""Lines on each side of a shown one that are looked at, at least."""
_HEAD = 200
"""Lines at the top of the file, where its imports are."""
_SPECIFIC = 8
"""Characters of a line, without white space, that is found only once by no chance."""
_FEW = 3
"""Places up to which all of a line's must be in the pieces."""


def merge_in_pieces(
    source: SourceText, snippet: Snippet, language: str | None, merge: Callable[[SourceText], Proposal]
) -> Proposal | None:
    """The merge of a snippet by the pieces that it shows; None where they do not settle it."""
    lines = source.lines
    marked = set(find_markers(snippet.lines, language))
    runs: list[list[str]] = [[]]
    for number, line in enumerate(snippet.lines):
        if number in marked:
            runs.append([])
        elif line.strip():
            runs[-1].append("".join(line.split()))
    places: dict[str, list[int]] = {key: [] for run in runs for key in run}
    for f, line in enumerate(lines):
        found = places.get("".join(line.split()))
        if found is not None:
            found.append(f)
    pins = [
        [places[key][0] for key in run if len(places[key]) == 1 and len(key) >= _SPECIFIC]
        for run in runs
        if run
    ]
    flat = [f for pinned in pins for f in pinned]
    if not flat or not all(pins) or flat != sorted(flat):
        return None
    pieces = _pieces(lines, flat)
    held = [any(first <= f < end for first, end in pieces) for found in places.values() for f in found[:_FEW]]
    few = [len(found) <= _FEW for found in places.values() for _ in found[:_FEW]]
    if sum(end - first for first, end in pieces) > len(lines) // 2 or not all(
        inside or not rare for inside, rare in zip(held, few, strict=True)
    ):
        return None
    numbers = [f for first, end in pieces for f in range(first, end)]
    part = replace(
        source,
        lines=tuple(lines[f] for f in numbers),
        endings=tuple(source.endings[f] for f in numbers),
    )
    proposal = merge(part)
    if not proposal.certain or proposal.method == "whole" or proposal.final_newline is not None:
        return None
    splices = _moved(proposal.splices, pieces)
    if splices is None or _is_used(lines, splices, set(numbers)):
        return None
    return replace(proposal, splices=splices)


def _pieces(lines: Sequence[str], pins: Iterable[int]) -> list[tuple[int, int]]:
    """The pieces of the file around some lines, from one line at the margin to another, half-open."""
    found = [(0, _end(lines, min(_HEAD, len(lines))))]
    for pin in pins:
        first = max(0, pin - _AROUND)
        while first > 0 and not _is_cut(lines, first):
            first -= 1
        end = _end(lines, min(len(lines), pin + _AROUND))
        if first <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((first, end))
    return found


def _end(lines: Sequence[str], end: int) -> int:
    while end < len(lines) and not _is_cut(lines, end):
        end += 1
    return end


def _is_cut(lines: Sequence[str], f: int) -> bool:
    """Whether a file may be cut before a line: it is at the margin, with a blank line above it."""
    line = lines[f]
    return bool(line.strip()) and not line[0].isspace() and not lines[f - 1].strip()


def _moved(splices: Sequence[Splice], pieces: Sequence[tuple[int, int]]) -> tuple[Splice, ...] | None:
    """Splices of the pieces as those of the file; None where one is at a border of a piece."""
    starts, total = [], 0
    for first, end in pieces:
        starts.append(total)
        total += end - first
    found = []
    for one in splices:
        n = bisect_right(starts, one.start) - 1
        first, end = pieces[n]
        size = end - first
        begin, stop = one.start - starts[n], one.end - starts[n]
        if (begin == 0 and first) or stop >= size:
            return None
        found.append(Splice(first + begin, first + stop, one.lines))
    return tuple(found)


def _is_used(lines: Sequence[str], splices: Sequence[Splice], seen: set[int]) -> bool:
    """Whether what goes defines a name that lines which were not looked at have."""
    gone = {name for one in splices for name in _defined(lines[one.start : one.end])}
    gone -= {name for one in splices for name in _defined(one.lines)}
    return bool(gone) and any(name in line for f, line in enumerate(lines) if f not in seen for name in gone)


def _defined(block: Sequence[str]) -> set[str]:
    """Names that the outermost lines of a block define."""
    told = [line for line in block if line.strip()]
    least = min((len(indent_of(line)) for line in told), default=0)
    return {name for line in told if len(indent_of(line)) == least and (name := definition(line))}
