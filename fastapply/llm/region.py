"""What a model gets to see and to rewrite of a file: the blocks around all that is open, or all of it.

A region is some of the file's lines, in their order; what is between and around them is spliced back
untouched, so that the cost of an edit does not grow with its file. An answer is compared with the shown
lines, and only what differs becomes a splice: every line that the model kept keeps its own bytes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.merge.places import block_end, definition_name, enclosing_lines
from fastapply.merge.rewrite import changed_runs
from fastapply.types import Finding, Snippet, Splice
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastapply.types import Part, Proposal

CONTEXT = 6
"""Lines that are shown above and below what is open, where no block says what belongs together."""
MOST_BLOCK = 150
"""A definition longer than this is not shown whole."""
SMALL_FILE = 60
"""A file of so few lines is shown whole, and so is one of which most would be."""
_MOST_SHOWN = 0.8


@dataclass(frozen=True, slots=True)
class Region:
    """The numbers of the shown lines, 0-based and in order."""

    lines: tuple[int, ...]

    def texts(self, file: Sequence[str]) -> tuple[str, ...]:
        """The shown lines."""
        return tuple(file[number] for number in self.lines)


def whole_file(file: Sequence[str]) -> Region:
    """The region that is all of a file."""
    return Region(tuple(range(len(file))))


def choose_region(file: Sequence[str], part: Part, proposal: Proposal) -> Region:
    """The blocks around every place that the best guess, a candidate or a question names.

    With them go the lines that the edit shows as the head of something that is not shown whole: a model
    that sees ``class Cart {`` in the edit and not in the code would write it anew.
    """
    places = list(_open_places(file, proposal))
    if not places or len(file) <= SMALL_FILE:
        return whole_file(file)
    shown = set[int]()
    for start, end in places:
        shown.update(_block_around(file, start, end))
    shown.update(_heads(file, part, shown))
    if len(shown) >= _MOST_SHOWN * len(file):
        return whole_file(file)
    return Region(tuple(sorted(shown)))


def _open_places(file: Sequence[str], proposal: Proposal) -> Iterator[tuple[int, int]]:
    """Half-open ranges of lines."""
    for change in proposal.splices:
        yield change.start, change.end
    for question in proposal.questions:
        if question.nearest is not None:
            yield question.nearest.first - 1, question.nearest.last
        for candidate in question.candidates:
            yield candidate.lines.first - 1, candidate.lines.last
            for change in candidate.splices:
                yield change.start, change.end
    if not file:
        yield 0, 0


def _block_around(file: Sequence[str], start: int, end: int) -> range:
    low, high = max(0, start - CONTEXT), min(len(file), end + CONTEXT)
    for opener in enclosing_lines(file, start):
        stop = block_end(file, opener) or opener + 1
        if stop - opener > MOST_BLOCK:
            break
        if stop >= end and definition_name(file[opener]):
            low, high = min(low, opener), max(high, stop)
            break
    return range(low, high)


def _heads(file: Sequence[str], part: Part, shown: set[int]) -> set[int]:
    """Lines of the file that the edit shows and that stand there once, with the end of what they open."""
    wanted = {line.strip() for line in _edit_lines(part) if len(line.strip()) > 3}
    found: dict[str, list[int]] = {}
    for number, line in enumerate(file):
        if line.strip() in wanted:
            found.setdefault(line.strip(), []).append(number)
    heads = {numbers[0] for numbers in found.values() if len(numbers) == 1} - shown
    ends = {stop - 1 for head in heads if (stop := block_end(file, head)) is not None}
    return heads | ends


def _edit_lines(part: Part) -> Iterator[str]:
    if isinstance(part, Snippet):
        yield from part.lines
        return
    for hunk in part.hunks:
        for segment in hunk.segments:
            yield from segment.before


def predict(file: Sequence[str], region: Region, splices: Sequence[Splice]) -> tuple[str, ...]:
    """The shown lines as they would be after these splices; those outside of the region are left out."""
    place = {number: at for at, number in enumerate(region.lines)}
    lines: list[str] = []
    at = 0
    for change in splices:
        known = place.get(change.start)
        if known is None:
            known = place.get(change.start - 1, -2) + 1
        stop = known + change.end - change.start
        fits = known >= at and stop <= len(region.lines)
        if not fits or any(number not in place for number in range(change.start, change.end)):
            continue
        lines += [file[number] for number in region.lines[at:known]]
        lines += change.lines
        at = stop
    return (*lines, *(file[number] for number in region.lines[at:]))


def find_splices(file: Sequence[str], region: Region, answer: Sequence[str]) -> tuple[Splice, ...] | Finding:
    """What an answer changes in the file.

    Blank lines around the answer are those of the file, and so is white space at the end of a line that
    is the same otherwise. A change that reaches over lines which the model did not see is a finding.
    """
    shown = region.texts(file)
    answer = _with_blank_edges(answer, shown)
    ops = changed_runs([line.rstrip() for line in shown], [line.rstrip() for line in answer])
    splices: list[Splice] = []
    for a, b, c, d in ops:
        numbers = region.lines[max(0, a - 1) : b + 1] if a == b else region.lines[a:b]
        if any(other != one + 1 for one, other in pairwise(numbers)):
            return Finding(
                "answer_beyond",
                f"the model changed more than the lines that it saw, near line {numbers[0] + 1}",
                numbers[0] + 1,
                "functional_error",
            )
        start = region.lines[a] if a < len(region.lines) else (region.lines[-1] + 1 if region.lines else 0)
        splices.append(Splice(start, start + b - a, tuple(answer[c:d])))
    return tuple(splices)


def _with_blank_edges(answer: Sequence[str], shown: Sequence[str]) -> list[str]:
    """The answer with as many blank lines at its start and end as what was shown has."""
    lines = list(answer)
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        return lines
    first = next((n for n, line in enumerate(shown) if line.strip()), len(shown))
    last = next((n for n, line in enumerate(reversed(shown)) if line.strip()), 0)
    return [*shown[:first], *lines, *(shown[-last:] if last and first < len(shown) else ())]
