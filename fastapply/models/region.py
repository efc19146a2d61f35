"""What a model gets to see and to rewrite of a file, as line numbers, and what its answer changes there.

A region is some of the file's lines, in their order. Lines between them that are not shown stand there as one
line, which says so and which the model repeats::

    class Cart:
    [lines 12-40 not shown]
        def pay(self):

What is between and around the shown lines is spliced back untouched, so that the cost of an edit does not
grow with its file. Between two such lines an answer is compared with what was shown there, and only what
differs becomes a splice: every line that the model kept keeps its own bytes, and nothing reaches over what is
hidden.

A model that writes sees the blocks around it (`BLOCKS`), one that chooses the lines beside it (`LINES`). The
only part of the model path that looks at the file as code; what it gives is line numbers (`Region`).
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

    from fastapply.types import Candidate, Part, Proposal

MOST_REPLACED = 30
"""Of a change that takes the place of more lines than this only its two ends are shown."""
SMALL_HOLE = 4
"""So few lines between two shown ones are shown as well: the line in their place would be no shorter."""
_MOST_SHOWN = 0.95
_LEAST_SHARE = 0.02
"""A ranked candidate that is less likely than this says nothing about where to look; the first one does."""


@dataclass(frozen=True, slots=True)
class Region:
    """The numbers of the shown lines, 0-based and in order."""

    lines: tuple[int, ...]

    @property
    def runs(self) -> tuple[tuple[int, int], ...]:
        """The shown lines as half-open ranges; of an empty file one that is empty."""
        if not self.lines:
            return ((0, 0),)
        breaks = [at for at, (one, other) in enumerate(pairwise(self.lines), 1) if other != one + 1]
        edges = [0, *breaks, len(self.lines)]
        return tuple((self.lines[a], self.lines[b - 1] + 1) for a, b in pairwise(edges))

    @property
    def holes(self) -> tuple[str, ...]:
        """The lines that stand for what is not shown between the runs."""
        return tuple(f"[lines {one[1] + 1}-{other[0]} not shown]" for one, other in pairwise(self.runs))

    def holds(self, splices: Sequence[Splice]) -> bool:
        """Whether all that these change is shown, nothing of it in a hole."""
        return all(any(low <= one.start and one.end <= high for low, high in self.runs) for one in splices)

    def texts(self, file: Sequence[str]) -> tuple[str, ...]:
        """What is shown: the lines, and one in the place of each hole."""
        return predict(file, self, ())


def whole_file(file: Sequence[str]) -> Region:
    """The region that is all of a file."""
    return Region(tuple(range(len(file))))


def predict(file: Sequence[str], region: Region, splices: Sequence[Splice]) -> tuple[str, ...]:
    """What is shown, as it would be after these splices; those that lie outside of it are left out."""
    lines: list[str] = []
    for (low, high), hole in zip(region.runs, (*region.holes, None), strict=True):
        at = low
        for change in splices:
            if at <= change.start <= high and change.end <= high:
                lines += file[at : change.start]
                lines += change.lines
                at = change.end
        lines += file[at:high]
        lines += [hole] if hole is not None else []
    return tuple(lines)


def find_splices(file: Sequence[str], region: Region, answer: Sequence[str]) -> tuple[Splice, ...] | Finding:
    """What an answer changes in the file.

    Blank lines around the answer are those of the file, and so is white space at the end of a line that
    is the same otherwise. An answer that does not repeat the line of each hole, once and in their order, is a
    finding: what it changed may lie where the model saw nothing.
    """
    holes = region.holes
    lines = _with_blank_edges(answer, region.texts(file))
    places = [at for at, line in enumerate(lines) if line.strip() in holes]
    if tuple(lines[at].strip() for at in places) != holes:
        return Finding(
            "answer_beyond",
            "the model changed placeholders of lines that it did not see",
            region.runs[0][1] + 1,
            "functional_error",
        )
    splices: list[Splice] = []
    for (low, high), (before, behind) in zip(region.runs, pairwise((-1, *places, len(lines))), strict=True):
        written = lines[before + 1 : behind]
        ops = changed_runs([line.rstrip() for line in file[low:high]], [line.rstrip() for line in written])
        splices += [Splice(low + a, low + b, tuple(written[c:d])) for a, b, c, d in ops]
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
