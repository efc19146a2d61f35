"""Aligning a lazy edit with a file: the cheapest chain of points from the edit's start to its end.

A point says that an edit line is a file line (see `anchors`); between two neighbouring points of
the chain stand new lines, markers, and file lines that stay or go (see `steps`). The chain takes
the weights of its points and pays for its steps.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.merge.anchors import Point, closing_line, find_points
from fastapply.merge.effort import Effort
from fastapply.merge.indentation import indent_of, level_width
from fastapply.merge.likeness import subject
from fastapply.merge.lines import TAB
from fastapply.merge.steps import Step, Steps
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from fastapply.merge.elements import LazyEdit
    from fastapply.merge.lines import LineTable

ORPHAN = 0.6
"""What a point counts inside a block whose opening line is nowhere in the file."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """A chain of points, the steps around them (one more than points), and its score."""

    points: tuple[Point, ...]
    steps: tuple[Step, ...]
    score: float


def _ratio(edit: LineTable, file: LineTable, points: Sequence[Point]) -> float:
    """Columns of the file to one column of the edit, as lines that stand once in both show it."""
    counted = Counter(point.i for point in points if point.kind == "exact")
    deep = [p for p in points if p.kind == "exact" and edit.depths[p.i] > 0 and file.depths[p.start] > 0]
    known = [p for p in deep if counted[p.i] == 1] or deep
    if not known:
        spaced = not any(line.startswith("\t") for line in edit.lines)
        tabs = any(line.startswith("\t") for line in file.lines)
        step = level_width(indent_of(line) for line in edit.lines if line.strip())
        return (
            TAB / step if spaced and tabs and not any(line.startswith("  ") for line in file.lines) else 1.0
        )
    same = sum(edit.depths[p.i] == file.depths[p.start] for p in known)
    if 2 * same >= len(known):
        return 1.0
    units = [_unit(table) for table in (file, edit)]
    other = units[0] / units[1]
    steps = [
        (file.depths[q.start] - file.depths[p.start], edit.depths[q.i] - edit.depths[p.i])
        for p, q in pairwise(known)
    ]
    fits = {
        ratio: sum(abs(theirs - ratio * ours) < 0.6 for theirs, ours in steps if ours)
        for ratio in (1.0, other)
    }
    return other if fits[other] > fits[1.0] else 1.0


def _unit(table: LineTable) -> int:
    """Columns of one level; the lines of a doc comment are one column aside, and no level."""
    return level_width(indent_of(line) for line in table.lines if line.strip() and line.lstrip()[0] != "*")


class Aligner:
    """Finds the best chain for one edit and one file, as often as asked, without some points."""

    def __init__(
        self, edit: LazyEdit, file: LineTable, points: Sequence[Point], effort: Effort | None = None
    ) -> None:
        self.edit = edit
        self.file = file
        self.points = points
        size = len(edit.kinds)
        self.start = Point(-1, 0, 0, 0.0, "bound")
        self.finish = Point(size, len(file.lines), len(file.lines), 0.0, "bound")
        self.ratio = _ratio(edit.table, file, points)
        self.effort = effort or Effort()
        self.steps = Steps(edit, file, self.ratio, self.effort)
        for point in points:
            if point.kind != "end":
                self.steps.blocks.places.setdefault(point.i, []).append(point.start)
        self._candidates = {point.i for point in points}
        self._share = self._shares()
        self.steps.between.pinned = frozenset(
            point.i
            for point in points
            if point.kind == "exact"
            and self.steps.stands_once(point.i)
            and self._share[point.i] > 0.5
            and edit.table.ends[point.i] == point.i + 1
        )
        self._number(points)

    def _number(self, points: Sequence[Point]) -> None:
        """What `solve` asks for time and again, by a point's number."""
        self._all = (self.start, *points, self.finish)
        present = {(p.i, p.start): n for n, p in enumerate(self._all) if p.kind in {"exact", "near"}}
        self._worths = [self._worth(point) for point in self._all]
        self._forced = [self._diagonal(p, present) if p.kind == "exact" else -1 for p in self._all]
        self._costs: list[dict[int, float]] = [{} for _ in self._all]
        self._earlier: list[list[int] | None] = [None] * len(self._all)

    def solve(self, banned: Collection[Point] = ()) -> Alignment:
        """The best chain through all points but the `banned` ones."""
        points, last = self._all, len(self._all) - 1
        out = [point in banned for point in points] if banned else [False] * len(points)
        best = [float("-inf")] * len(points)
        came = [-1] * len(points)
        best[0] = 0.0
        for n in range(1, len(points)):
            worth = self._worths[n]
            if out[n] or (worth <= 0.0 and n < last):
                continue
            forced = self._forced[n]
            if forced >= 0 and (out[forced] or best[forced] == float("-inf")):
                forced = -1
            self.effort.spend(1 if forced >= 0 else n // 10)
            costs, most = self._costs[n], best[n]
            for m in (forced,) if forced >= 0 else self._before(n):
                value = best[m] + worth
                if value <= most:
                    continue
                cost = costs.get(m)
                if cost is None:
                    cost = costs[m] = self.steps.step(points[m], points[n]).cost
                value -= cost
                if value > most:
                    most, came[n] = value, m
            best[n] = most
        chain: list[Point] = []
        n = came[last]
        while n > 0:
            chain.append(points[n])
            n = came[n]
        chain.reverse()
        ends = [self.start, *chain, self.finish]
        steps = tuple(self.steps.step(a, b) for a, b in pairwise(ends))
        return Alignment(tuple(chain), steps, best[-1])

    def _before(self, n: int) -> Sequence[int]:
        """The points that may come before one in a chain, the nearest first, by their numbers."""
        found = self._earlier[n]
        if found is None:
            point = self._all[n]
            found = self._earlier[n] = [
                m
                for m in range(n - 1, -1, -1)
                if self._all[m].i < point.i and self._all[m].end <= point.start
            ]
        return found

    def _diagonal(self, point: Point, present: dict[tuple[int, int], int]) -> int:
        """Number of the exact point just before this one in both texts, -1 where there is none."""
        i = point.i - 1
        while i >= 0 and self.edit.kinds[i] == "blank":
            i -= 1
        j = point.start - 1
        while j >= 0 and not self.file.keys[j]:
            j -= 1
        if i < 0 or j < 0 or self.edit.kinds[i] != "text" or self.edit.table.keys[i] != self.file.keys[j]:
            return -1
        return present.get((i, j), -1)

    def _worth(self, point: Point) -> float:
        """Weight of a point; little where its block is opened by a line that is nowhere in the file."""
        if point.kind == "bound":
            return 0.0
        return point.weight * self._share[point.i]

    def _shares(self) -> list[float]:
        """What part of its weight a line's point counts: little where its block is opened by a new line.

        None at all where that line defines something, since nothing old stands in a new definition; but one
        with a marker in it is an old one with another header.
        """
        shares = [1.0] * len(self.edit.kinds)
        for i, kind in enumerate(self.edit.kinds):
            parent = self.edit.parents[i]
            if kind != "text" or parent < 0 or self.edit.kinds[parent] != "text":
                continue
            shares[i] = shares[parent]
            if parent not in self._candidates:
                new = self.steps.blocks.defines[parent] and not hides(self.edit, parent)
                shares[i] = 0.0 if new else shares[i] * ORPHAN
        return shares


def align(edit: LazyEdit, file: LineTable, effort: Effort) -> tuple[Aligner, Alignment]:
    """The best alignment of an edit with a file, without points that the chain itself contradicts."""
    texts = [i for i, kind in enumerate(edit.kinds) if kind == "text"]
    points = find_points(edit.table, file, texts, edit.openers, edit.block_ends)
    while True:
        aligner = Aligner(edit, file, points, effort)
        best = aligner.solve()
        broken = contradicted(edit, file, best)
        if not broken:
            return aligner, best
        points = [point for point in points if point not in broken]


def contradicted(edit: LazyEdit, file: LineTable, best: Alignment) -> set[Point]:
    """Points that don't hold in the light of the whole chain.

    A line that closes a block can't close one whose opening line is another, and nothing old stands in
    a definition that is new.
    """
    at = {point.i: point for point in best.points}
    found: set[Point] = set()
    for point in best.points:
        if point.kind == "derived":
            opener = at.get(edit.openers[point.i])
            if opener is None or closing_line(file, opener.start) != point.start:
                found.add(point)
        parent = edit.parents[point.i]
        while parent >= 0 and (edit.kinds[parent] != "text" or subject(edit.table.lines[parent]) is None):
            parent = edit.parents[parent]
        if parent >= 0 and parent not in at and not hides(edit, parent):
            found.add(point)
    return found


def hides(edit: LazyEdit, opener: int) -> bool:
    """Whether a marker stands in the block that an edit line opens: then it is no new one."""
    end = max(edit.table.ends[opener], edit.closers.get(opener, 0))
    return "marker" in edit.kinds[opener + 1 : end]
