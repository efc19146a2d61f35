"""All that can happen between two neighbouring points of a chain: the alternatives of one gap.

A gap has edit lines (new ones, markers, removal notes) and file lines. Beside a marker the file's lines
stay, and the edit's lines next to the upper or the lower point go in there, in place of no file lines or
of some (`sides`). Without a marker the file's lines go. Each
alternative is an edit script with the facts that speak for or against it; nothing is decided here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.merge.fill import Op
from fastapply.merge.gap import Gap, Workshop, add_facts, blank_lines, insert, keep
from fastapply.merge.sides import Sides
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.align import Aligner
    from fastapply.merge.anchors import Point
    from fastapply.merge.elements import Scene
    from fastapply.merge.gap import FactTable, Script
    from fastapply.merge.steps import Step

MOST_GAP = 14
"""Alternatives of one gap."""
FEW = 12
"""File lines at an end of the file that an edit may well leave out because they go."""
MOST_MIDDLE = 6
"""Places for new lines that stand between two markers."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """An edit script for one gap, its facts by name, and what they weigh."""

    ops: tuple[Op, ...]
    facts: FactTable
    score: float


class Gaps:
    """Finds the alternatives of gaps, for one edit, one file and one table of weights."""

    def __init__(self, scene: Scene, aligner: Aligner, weights: dict[str, float]) -> None:
        self.shop = Workshop(scene, aligner, weights)
        self.facts = self.shop.facts
        self._sides = Sides(self.shop)
        self._kinds, self._file = scene.edit.kinds, scene.file
        self._known: dict[tuple[Point, Point], tuple[Alternative, ...]] = {}

    def between(self, a: Point, b: Point, step: Step) -> tuple[Alternative, ...]:
        """Alternatives of the gap between two points, the best first."""
        known = self._known.get((a, b))
        if known is None:
            found = sorted(self._find(a, b, step), key=lambda one: -one.score)
            known = self._known[a, b] = tuple(found[:MOST_GAP])
        return known

    def _made(self, ops: Script, facts: FactTable) -> Alternative:
        return Alternative(tuple(ops), facts, self.shop.worth(facts))

    def _find(self, a: Point, b: Point, step: Step) -> list[Alternative]:
        kinds, start = self._kinds, a.end
        if a.kind == "bound" and kinds[:1] != ("blank",):
            while start < b.start and not self._file.keys[start]:  # nobody shows a file's first blank lines
                start += 1
        inner = tuple(x for x in range(a.i + 1, b.i) if kinds[x] != "end")
        gap = Gap(
            a,
            b,
            step,
            inner,
            tuple(x for x in inner if kinds[x] == "marker"),
            tuple(x for x in inner if kinds[x] == "note"),
            start,
            b.start,
        )
        if not gap.marks and "bound" not in {a.kind, b.kind}:
            return self._unmarked(gap)
        return self._marked(gap)

    # --- beside a marker, or at an end of the edit ----------------------------------------------

    def _marked(self, gap: Gap) -> list[Alternative]:
        marks, kinds = gap.marks, self._kinds
        left, right, middle = list[int](), list(gap.inner), list[int]()
        if marks:
            left = [x for x in gap.inner if x < marks[0]]
            right = [x for x in gap.inner if x > marks[-1]]
            middle = [x for x in gap.inner if marks[0] < x < marks[-1] and kinds[x] not in {"marker", "note"}]
        elif gap.b.kind == "bound" and gap.a.kind != "bound":
            left, right = right, left
        above = self._sides.left(gap, self.shop.bare(left))
        below = self._sides.right(gap, self.shop.bare(right))
        head = keep(gap.a.end, gap.start)
        found: list[Alternative] = []
        for one in above:
            for other in below:
                if one.cut > other.cut:
                    continue
                facts = add_facts(one.facts, other.facts)
                empty = not any(self._file.keys[one.cut : other.cut]) and not self.shop.texts(middle)
                if marks and empty:
                    facts["hidden_empty"] = 1.0
                if not marks:
                    facts |= self._outside(gap, one.cut, other.cut)
                for ops, more in self._middle(gap, middle, one.cut, other.cut):
                    script = [*head, *one.ops, *ops, *other.ops]
                    found.append(self._made(script, add_facts(facts, more)))
        return found

    def _outside(self, gap: Gap, start: int, end: int) -> FactTable:
        """Facts of file lines `[start, end)` that stay at an end of the edit which has no marker."""
        if gap.a.kind == gap.b.kind == "bound":
            return {"no_anchor": 1.0}
        count = sum(1 for key in self._file.keys[start:end] if key)
        end_of = "head" if gap.a.kind == "bound" else "tail"
        if not count or not self.shop.edit.has_markers:
            return {f"{end_of}.bare": 1.0} if count else {}
        return {f"{end_of}.unmarked": 1.0, f"{end_of}.few": float(count <= FEW)}

    def _middle(self, gap: Gap, lines: Sequence[int], start: int, end: int) -> list[tuple[Script, FactTable]]:
        """New lines between two markers: somewhere in what is hidden, or in place of their like."""
        if not self.shop.texts(lines):
            notes = [n for n in gap.notes if gap.marks and gap.marks[0] < n < gap.marks[-1]]
            return [(keep(start, end), {}), *self._removals(gap, notes, start, end)]
        file = self._file
        apart = self._blank_around(lines)
        shown = self.shop.trim(self.shop.trim(self.shop.bare(lines), front=True)[0], front=False)[0]
        found: list[tuple[Script, FactTable]] = []
        for first, stop in self.facts.places_for(shown, start, end):
            ops = [Op("delete", -1, f) for f in range(first, stop)] + insert(shown)
            around = [*range(max(start, first - 6), first), *range(stop, min(end, stop + 6))]
            facts = self.facts.of_side(ops, around, gap, mark=gap.marks[0], notes=[], cut=stop, above=False)
            facts["unplaced"] = 1.0
            facts["unplaced_insert"] = float(first == stop)
            facts["unplaced_inside"] = float(first == stop and start < first < end)
            opens = first > start and file.ends[first - 1] > first
            lead = apart and first == stop and first > start and file.keys[first - 1] and not opens
            behind = apart and first == stop and stop < end and file.keys[stop]
            script = [
                *keep(start, first),
                *blank_lines(int(bool(lead))),
                *ops,
                *blank_lines(int(bool(behind))),
                *keep(stop, end),
            ]
            found.append((script, facts))
        found.sort(key=lambda pair: -self.shop.worth(pair[1]))
        return found[:MOST_MIDDLE] or [(keep(start, end), {"unplaced": 1.0, "dropped": 1.0})]

    def _blank_around(self, lines: Sequence[int]) -> bool:
        texts = self.shop.texts(lines)
        first, last = texts[0], texts[-1]
        kinds = self._kinds
        return kinds[first - 1] == "blank" or (last + 1 < len(kinds) and kinds[last + 1] == "blank")

    def _removals(
        self, gap: Gap, notes: Sequence[int], start: int, end: int
    ) -> list[tuple[Script, FactTable]]:
        """What notes between two markers say went: all of it, or the first."""
        keys = self._file.keys
        units = self.facts.noted_units(notes, start, end)
        found: list[tuple[Script, FactTable]] = []
        for gone in dict.fromkeys((tuple(units), tuple(units[:1]))):
            drop = {f for first, stop in gone for f in range(first, stop)}
            for first, stop in gone:
                behind = stop
                while behind < end and not keys[behind] and (first == start or not keys[first - 1]):
                    drop.add(behind)
                    behind += 1
            if drop:
                ops = [Op("delete" if f in drop else "keep", -1, f) for f in range(start, end)]
                deleted = [op for op in ops if op.kind == "delete"]
                facts = self.facts.of_side(deleted, [], gap, mark=None, notes=notes, cut=end, above=False)
                found.append((ops, facts))
        return found

    # --- between two points without a marker ----------------------------------------------------

    def _unmarked(self, gap: Gap) -> list[Alternative]:
        """Two points without a marker between them: the file's lines go."""
        start, end = gap.start, gap.end
        lines = self.shop.bare(gap.inner)
        texts = self.shop.texts(lines)
        blank_file = not any(self._file.keys[start:end])
        if not texts and blank_file:
            return [self._made(keep(start, end) if start < end else insert(lines), {})]
        ops = self.shop.replace(gap.a, lines, start, end)
        if not texts and gap.notes:
            ops = self._noted(start, end)
        return [self._made(ops, self.facts.of_unmarked(ops, gap))]

    def _noted(self, start: int, end: int) -> Script:
        """Delete what a note stands for, with the blank lines on one side of it."""
        file = self._file
        told = [f for f in range(start, end) if file.keys[f]]
        opens = start > 0 and file.ends[start - 1] > told[0]
        apart = told[0] - start if opens else end - told[-1] - 1
        return [Op("delete", -1, f) for f in range(start, end - apart)] + keep(end - apart, end)
