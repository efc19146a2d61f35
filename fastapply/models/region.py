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
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.merge.rewrite import changed_runs
from fastapply.types import Finding, Splice
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence


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
