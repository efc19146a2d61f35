"""Which lines of a file a model is shown: those around all that is open, or all of them.

A model that writes sees the blocks around it (`BLOCKS`), one that chooses the lines beside it (`LINES`). The
only part of the model path that looks at the file as code; what it gives is line numbers (`Region`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.merge.places import block_end, definition_name, enclosing_lines
from fastapply.models.region import Region, whole_file
from fastapply.types import Snippet
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastapply.types import Candidate, Part, Proposal, Splice

MOST_REPLACED = 30
"""Of a change that takes the place of more lines than this only its two ends are shown."""
SMALL_HOLE = 4
"""So few lines between two shown ones are shown as well: the line in their place would be no shorter."""
_MOST_SHOWN = 0.95
_LEAST_SHARE = 0.02
"""A ranked candidate that is less likely than this says nothing about where to look; the first one does."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """How much is shown around what is open."""

    context: int  # lines above and below, where no block says what belongs together
    most_block: int  # a definition longer than this is not shown whole
    small_file: int  # a file of so few lines is shown whole, and so is one of which most would be
    heads: bool = False  # the lines that open what a place is in are shown as well: how deep it is


BLOCKS = Surroundings(6, 40, 30)
LINES = Surroundings(3, 10, 12, heads=True)


def is_likely(candidate: Candidate) -> bool:
    """Whether a candidate says something about where to look: one that is not ranked always does."""
    return candidate.share is None or candidate.share >= _LEAST_SHARE


def choose_region(
    file: Sequence[str], part: Part | None, proposal: Proposal, around: Surroundings = BLOCKS
) -> Region:
    """The lines around every place that the best guess, a candidate or a question names.

    With them go the lines that the edit shows as the head of something that is not shown whole: a model
    that sees ``class Cart {`` in the edit and not in the code would write it anew. `part` is None where none
    are to be shown for that.
    """
    places = list(_open_places(file, proposal))
    if not places or len(file) <= around.small_file:
        return whole_file(file)
    shown = set[int]()
    for start, end in places:
        shown.update(_block_around(file, start, end, around))
        if around.heads:
            shown.update(enclosing_lines(file, max(0, min(start, len(file)) - 1)))
    if part is not None:
        shown.update(_heads(file, part, shown))
    for above, below in pairwise(sorted(shown)):
        if below - above - 1 <= SMALL_HOLE:
            shown.update(range(above, below))
    if len(shown) >= _MOST_SHOWN * len(file):
        return whole_file(file)
    return Region(tuple(sorted(shown)))


def _open_places(file: Sequence[str], proposal: Proposal) -> Iterator[tuple[int, int]]:
    """Half-open ranges of lines."""
    for change in proposal.splices:
        yield from _ends(change)
    for question in proposal.questions:
        if question.nearest is not None:
            yield question.nearest.first - 1, question.nearest.last
        for number, candidate in enumerate(question.candidates):
            if number and not is_likely(candidate):
                continue
            if candidate.share is None:
                yield candidate.lines.first - 1, candidate.lines.last
            for change in candidate.splices:
                yield from _ends(change)
    if not file:
        yield 0, 0


def _ends(change: Splice) -> Iterator[tuple[int, int]]:
    """The lines that a change takes the place of; of very many only where they begin and end."""
    if change.end - change.start <= MOST_REPLACED:
        yield change.start, change.end
    else:
        yield change.start, change.start
        yield change.end, change.end


def _block_around(file: Sequence[str], start: int, end: int, around: Surroundings) -> range:
    low, high = max(0, start - around.context), min(len(file), end + around.context)
    for opener in enclosing_lines(file, start):
        stop = block_end(file, opener) or opener + 1
        if stop - opener > around.most_block:
            break
        if stop >= end and definition_name(file[opener]):
            low, high = min(low, opener), max(high, stop)
            break
    return range(low, high)


def _heads(file: Sequence[str], part: Part, shown: set[int]) -> set[int]:
    """Lines of the file that the edit shows and that stand there once, with the end of what they open."""
    lines = part.lines if isinstance(part, Snippet) else part.before
    wanted = {line.strip() for line in lines if len(line.strip()) > 3}
    found: dict[str, list[int]] = {}
    for number, line in enumerate(file):
        if line.strip() in wanted:
            found.setdefault(line.strip(), []).append(number)
    heads = {numbers[0] for numbers in found.values() if len(numbers) == 1} - shown
    ends = {stop - 1 for head in heads if (stop := block_end(file, head)) is not None}
    return heads | ends
