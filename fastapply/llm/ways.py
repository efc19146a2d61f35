"""The few merges that an open edit can mean, for a model that chooses and does not write.

The best guess answers every open question in one way. Where lines may be *kept or removed*, or new lines
may *replace* old ones *or come beside* them, the other answer is a merge as well; where a question has
candidates, each of them is one.
"""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING

from fastapply.text import splice
from fastapply.types import Splice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastapply.text import SourceText
    from fastapply.types import LineRange, Proposal

MOST_WAYS = 12
_FLIPPED = frozenset({"unmarked_gap", "replace_or_insert"})


def list_ways(source: SourceText, proposal: Proposal) -> tuple[tuple[Splice, ...], ...]:
    """Merges that differ as texts, the best guess first, at most `MOST_WAYS`.

    None at all where a question is about something else than which of these is meant.
    """
    ways: dict[str, tuple[Splice, ...]] = {}
    questions = proposal.questions
    flips = [q.nearest for q in questions if q.reason in _FLIPPED and q.nearest is not None]
    placed = [q.candidates for q in questions if q.candidates]
    if len(flips) + len(placed) < len(questions) or (placed and len(questions) > 1):
        return ()
    made = [proposal.splices, *(one.splices for question in placed for one in question)]
    made += _flipped(source.lines, proposal.splices, flips)
    for way in made:
        if way and all(one.end <= other.start for one, other in pairwise(way)):
            ways.setdefault(splice(source, way).text, way)
    ways.pop(source.text, None)
    return tuple(ways.values())[:MOST_WAYS]


def _flipped(
    file: Sequence[str], guess: tuple[Splice, ...], ranges: Sequence[LineRange]
) -> Iterator[tuple[Splice, ...]]:
    """The guess with some of the ranges answered the other way, the fewest first."""
    for picked in sorted(product((False, True), repeat=min(len(ranges), 4)), key=sum):
        ways = [guess]
        for flip, lines in zip(picked, ranges, strict=False):
            if flip:
                ways = [other for way in ways for other in _flip(file, way, lines.first - 1, lines.last)]
        if any(picked):
            yield from ways


def _flip(file: Sequence[str], way: tuple[Splice, ...], start: int, end: int) -> Iterator[tuple[Splice, ...]]:
    """Keep the lines `[start, end)` where a merge removes them, remove them where it keeps them."""
    over = [one for one in way if one.start < end and start < one.end]
    rest = tuple(one for one in way if one not in over)
    if not over:
        yield _ordered((*rest, Splice(start, end, ())))
        above, below = start == 0 or not file[start - 1].strip(), end < len(file) and not file[end].strip()
        if above and below:
            yield _ordered((*rest, Splice(start, end + 1, ())))
        return
    if len(over) > 1:
        return
    one = over[0]
    low, high = max(start, one.start), min(end, one.end)
    yield _ordered((*rest, Splice(one.start, low, one.lines), Splice(high, one.end, ())))
    yield _ordered((*rest, Splice(one.start, low, ()), Splice(high, one.end, one.lines)))


def _ordered(splices: tuple[Splice, ...]) -> tuple[Splice, ...]:
    some = (one for one in splices if one.lines or one.start < one.end)
    return tuple(sorted(some, key=lambda one: (one.start, one.end)))
