"""All that can happen between two neighbouring anchors of a chain: the alternatives of one gap.

A gap has edit lines (new ones, markers, removal notes) and file lines. Beside a marker the file's lines
stay, and the edit's lines next to the upper or the lower anchor go in there, in place of no file lines or
of some (`replaced_ranges`). Without a marker the file's lines go. Each
alternative is an edit script with the features that speak for or against it; nothing is decided here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.merge.fill import ScriptLine
from fastapply.merge.gap import Gap, ScriptBuilder, add_features, blank_lines, insert, keep
from fastapply.merge.replaced_ranges import ReplacedRanges
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.align import Aligner
    from fastapply.merge.anchors import Anchor
    from fastapply.merge.elements import MergeContext
    from fastapply.merge.gap import FeatureTable, Script
    from fastapply.merge.transitions import Transition

MOST_GAP = 14
"""Alternatives of one gap."""
FEW = 12
"""File lines at an end of the file that an edit may well leave out because they go."""
MOST_MIDDLE = 6
"""Places for new lines that stand between two markers."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """An edit script for one gap, its features by name, and what they weigh."""

    ops: tuple[ScriptLine, ...]
    features: FeatureTable
    score: float


class GapAlternatives:
    """Finds the alternatives of gaps, for one edit, one file and one table of weights."""

    def __init__(self, context: MergeContext, aligner: Aligner, weights: dict[str, float]) -> None:
        self.builder = ScriptBuilder(context, aligner, weights)
        self.features = self.builder.features
        self._ranges = ReplacedRanges(self.builder)
        self._kinds, self._file = context.edit.kinds, context.file
        self._known: dict[tuple[Anchor, Anchor], tuple[Alternative, ...]] = {}

    def between(self, a: Anchor, b: Anchor, transition: Transition) -> tuple[Alternative, ...]:
        """Alternatives of the gap between two anchors, the best first."""
        known = self._known.get((a, b))
        if known is None:
            found = sorted(self._find(a, b, transition), key=lambda one: -one.score)
            known = self._known[a, b] = tuple(found[:MOST_GAP])
        return known

    def _made(self, ops: Script, features: FeatureTable) -> Alternative:
        return Alternative(tuple(ops), features, self.builder.score(features))

    def _find(self, a: Anchor, b: Anchor, transition: Transition) -> list[Alternative]:
        kinds, start = self._kinds, a.end
        if a.kind == "bound" and kinds[:1] != ("blank",):
            while start < b.start and not self._file.keys[start]:  # nobody shows a file's first blank lines
                start += 1
        inner = tuple(x for x in range(a.i + 1, b.i) if kinds[x] != "end")
        gap = Gap(
            a,
            b,
            transition,
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
        above = self._ranges.left(gap, self.builder.bare(left))
        below = self._ranges.right(gap, self.builder.bare(right))
        head = keep(gap.a.end, gap.start)
        found: list[Alternative] = []
        for one in above:
            for other in below:
                if one.cut > other.cut:
                    continue
                features = add_features(one.features, other.features)
                empty = not any(self._file.keys[one.cut : other.cut]) and not self.builder.texts(middle)
                if marks and empty:
                    features["hidden_empty"] = 1.0
                if not marks:
                    features |= self._outside(gap, one.cut, other.cut)
                for ops, more in self._middle(gap, middle, one.cut, other.cut):
                    script = [*head, *one.ops, *ops, *other.ops]
                    found.append(self._made(script, add_features(features, more)))
        return found

    def _outside(self, gap: Gap, start: int, end: int) -> FeatureTable:
        """Features of file lines `[start, end)` that stay at an end of the edit which has no marker."""
        if gap.a.kind == gap.b.kind == "bound":
            return {"no_anchor": 1.0}
        count = sum(1 for key in self._file.keys[start:end] if key)
        end_of = "head" if gap.a.kind == "bound" else "tail"
        if not count or not self.builder.edit.has_markers:
            return {f"{end_of}.bare": 1.0} if count else {}
        return {f"{end_of}.unmarked": 1.0, f"{end_of}.few": float(count <= FEW)}

    def _middle(
        self, gap: Gap, lines: Sequence[int], start: int, end: int
    ) -> list[tuple[Script, FeatureTable]]:
        """New lines between two markers: somewhere in what is hidden, or in place of their like."""
        if not self.builder.texts(lines):
            notes = [n for n in gap.notes if gap.marks and gap.marks[0] < n < gap.marks[-1]]
            return [(keep(start, end), {}), *self._removals(gap, notes, start, end)]
        file = self._file
        apart = self._blank_around(lines)
        shown = self.builder.trim(self.builder.trim(self.builder.bare(lines), front=True)[0], front=False)[0]
        found: list[tuple[Script, FeatureTable]] = []
        for first, stop in self.features.places_for(shown, start, end):
            ops = [ScriptLine("delete", -1, f) for f in range(first, stop)] + insert(shown)
            around = [*range(max(start, first - 6), first), *range(stop, min(end, stop + 6))]
            features = self.features.of_side(
                ops, around, gap, mark=gap.marks[0], notes=[], cut=stop, above=False
            )
            features["unplaced"] = 1.0
            features["unplaced_insert"] = float(first == stop)
            features["unplaced_inside"] = float(first == stop and start < first < end)
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
            found.append((script, features))
        found.sort(key=lambda pair: -self.builder.score(pair[1]))
        return found[:MOST_MIDDLE] or [(keep(start, end), {"unplaced": 1.0, "dropped": 1.0})]

    def _blank_around(self, lines: Sequence[int]) -> bool:
        texts = self.builder.texts(lines)
        first, last = texts[0], texts[-1]
        kinds = self._kinds
        return kinds[first - 1] == "blank" or (last + 1 < len(kinds) and kinds[last + 1] == "blank")

    def _removals(
        self, gap: Gap, notes: Sequence[int], start: int, end: int
    ) -> list[tuple[Script, FeatureTable]]:
        """What notes between two markers say went: all of it, or the first."""
        keys = self._file.keys
        units = self.features.noted_units(notes, start, end)
        found: list[tuple[Script, FeatureTable]] = []
        for gone in dict.fromkeys((tuple(units), tuple(units[:1]))):
            drop = {f for first, stop in gone for f in range(first, stop)}
            for first, stop in gone:
                behind = stop
                while behind < end and not keys[behind] and (first == start or not keys[first - 1]):
                    drop.add(behind)
                    behind += 1
            if drop:
                ops = [ScriptLine("delete" if f in drop else "keep", -1, f) for f in range(start, end)]
                deleted = [op for op in ops if op.kind == "delete"]
                features = self.features.of_side(
                    deleted, [], gap, mark=None, notes=notes, cut=end, above=False
                )
                found.append((ops, features))
        return found

    # --- between two anchors without a marker ---------------------------------------------------

    def _unmarked(self, gap: Gap) -> list[Alternative]:
        """Two anchors without a marker between them: the file's lines go."""
        start, end = gap.start, gap.end
        lines = self.builder.bare(gap.inner)
        texts = self.builder.texts(lines)
        blank_file = not any(self._file.keys[start:end])
        if not texts and blank_file:
            return [self._made(keep(start, end) if start < end else insert(lines), {})]
        ops = self.builder.replace(gap.a, lines, start, end)
        if not texts and gap.notes:
            ops = self._noted(start, end)
        return [self._made(ops, self.features.of_unmarked(ops, gap))]

    def _noted(self, start: int, end: int) -> Script:
        """Delete what a note stands for, with the blank lines on one side of it."""
        file = self._file
        told = [f for f in range(start, end) if file.keys[f]]
        opens = start > 0 and file.ends[start - 1] > told[0]
        apart = told[0] - start if opens else end - told[-1] - 1
        return [ScriptLine("delete", -1, f) for f in range(start, end - apart)] + keep(end - apart, end)
