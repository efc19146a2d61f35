"""The two sides of a gap: new lines beside its upper or its lower anchor, in place of file lines or of none.

    file  a    lines L behind `a` may replace      nothing:   a L x y ..
          x                                        one line:  a L y ..
          y                                        two lines: a L ..

So it is above `b`, from the other end. Lines may also go in behind file lines that stay without a marker:
the rest of a block that `a` opens, or the comments that belong to `b`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.merge.gap import ReplacedRange, blank_lines
from fastapply.merge.likeness import is_attachment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.anchors import Anchor
    from fastapply.merge.gap import FeatureTable, Gap, Script, ScriptBuilder

EVERY_LINE = 10
"""File lines beside an anchor behind each of which a replacement may end; further away only blocks do."""
MOST_CUTS = 24
"""Places where a replacement may end, on one side of a gap."""
MOST_SIDE = 7
"""Alternatives of one side that are combined with those of the other side."""
FAR = 12
"""File lines beyond a cut that new lines are compared with."""


class ReplacedRanges:
    """Finds what new lines on each side of a gap may replace, the best first."""

    def __init__(self, builder: ScriptBuilder) -> None:
        self.builder, self.edit = builder, builder.edit
        self.file, self.features = builder.file, builder.features

    def _best(self, found: list[ReplacedRange], edge: int) -> list[ReplacedRange]:
        """The best, and the one that only puts new lines in beside the anchor."""
        ranked = sorted(found, key=lambda one: -one.score)
        plain = [one for one in ranked[MOST_SIDE:] if one.cut == edge]
        return ranked[:MOST_SIDE] + plain[:1]

    def _range(self, ops: Script, features: FeatureTable, cut: int) -> ReplacedRange:
        return ReplacedRange(tuple(ops), features, cut, self.builder.score(features))

    # --- behind the upper anchor ----------------------------------------------------------------

    def left(self, gap: Gap, lines: Sequence[int]) -> list[ReplacedRange]:
        """Edit lines behind the upper anchor; hidden lines follow from `cut` on."""
        mark = gap.marks[0] if gap.marks else None
        shown, blanks = self.builder.trim(lines, front=False)
        notes = [note for note in gap.notes if mark is None or note < mark]
        found: list[ReplacedRange] = []
        closed = self.features.closed_at(gap.a)
        for cut in self._cuts_down(gap, shown, notes):
            ops = self.builder.replace(gap.a, shown, gap.start, cut)
            kept = range(cut, min(gap.end, cut + FAR))
            features = self.features.of_side(ops, kept, gap, mark=mark, notes=notes, cut=cut, above=False)
            if mark is None:
                features["implied"] = float(cut > gap.start)
            if cut != max(gap.start, min(gap.transition.keep_from, gap.end)):
                features["unlike_step"] = 1.0
            if cut == gap.start < closed <= gap.end:
                features["closed.stays"] = 1.0
            elif gap.start < cut == closed:
                features["closed.goes"] = 1.0
            if cut < gap.end and self.file.keys[cut] and ops and ops[-1].kind == "insert":
                ops = [*ops, *blank_lines(blanks)]
            found.append(self._range(ops, features, cut))
        return self._best(found, gap.start)

    def _cuts_down(self, gap: Gap, lines: Sequence[int], notes: Sequence[int]) -> list[int]:
        """File lines before which what the upper lines replace may end."""
        texts = self.builder.texts(lines)
        cuts = {gap.start}
        if gap.start <= gap.transition.keep_from <= gap.end:
            cuts.add(gap.transition.keep_from)
        if notes:
            cuts |= {stop for _, stop in self.features.noted_units(notes, gap.start, gap.end)}
        if not texts and gap.start < (closed := self.features.closed_at(gap.a)) <= gap.end:
            cuts.add(closed)
        if texts or notes:
            cuts |= self._ends_below(gap, 2 * len(texts) + EVERY_LINE if texts else 4)
        return sorted(cuts)[:MOST_CUTS]

    def _ends_below(self, gap: Gap, reach: int) -> set[int]:
        file, start, end = self.file, gap.start, gap.end
        cuts: set[int] = set()
        for at in range(start + 1, min(end, start + reach) + 1):
            if file.keys[at - 1]:
                whole = at == end or file.depths[at] <= file.depths[start] + 0.3
                if at - start <= EVERY_LINE or whole:
                    cuts.add(at)
        if gap.a.kind not in {"bound", "end"}:
            cuts |= {stop for stop in self._block_ends(gap.a, 6) if start < stop <= end}
        return cuts

    def _block_ends(self, a: Anchor, most: int) -> list[int]:
        """Ends of the blocks that an anchor opens and stands in, the innermost first."""
        ends: list[int] = []
        at = a.start
        while at >= 0 and len(ends) < most:
            ends.append(self.file.ends[at])
            at = self.file.parents[at]
        return ends

    # --- above the lower anchor -----------------------------------------------------------------

    def right(self, gap: Gap, lines: Sequence[int]) -> list[ReplacedRange]:
        """Edit lines above the lower anchor; hidden lines end at `cut`."""
        mark = gap.marks[-1] if gap.marks else None
        shown, blanks = self.builder.trim(lines, front=True)
        texts = self.builder.texts(shown)
        notes = [note for note in gap.notes if mark is None or note > mark]
        file, start, end = self.file, gap.start, gap.end
        keep_to = max(gap.transition.keep_from, gap.transition.keep_to)
        bare = self._attached_above(gap)
        cuts = {end} | ({start} if gap.b.kind == "bound" or mark is None else set())
        if not texts and bare < end:
            cuts.add(bare)  # the edit may leave out comments and decorators because they go
        if start <= keep_to <= end:
            cuts.add(keep_to)
        if notes:
            cuts |= {first for first, _ in self.features.noted_units(notes, start, end)}
        if texts or notes:
            cuts |= self._starts_above(gap, 2 * len(texts) + EVERY_LINE)
        found: list[ReplacedRange] = []
        for cut in sorted(cuts, reverse=True)[:MOST_CUTS]:
            ops = self.builder.replace(gap.b, shown, cut, end)
            kept = range(cut - 1, max(start, cut - FAR) - 1, -1)
            features = self.features.of_side(ops, kept, gap, mark=mark, notes=notes, cut=cut, above=True)
            if mark is None:
                features["implied"] = float(cut < end)
            if cut != keep_to:
                features["unlike_step"] = 1.0
            if cut == bare < end and not texts:
                features["sheds"] = 1.0
            apart = cut == end and cut > start and file.keys[cut - 1] and file.ends[cut - 1] <= cut
            if apart and ops and ops[0].kind == "insert":
                ops = [*blank_lines(blanks), *ops]
            found.append(self._range(ops, features, cut))
        return self._best(found, gap.end)

    def _attached_above(self, gap: Gap) -> int:
        """First of the comments and decorators right above the lower anchor; its own line without any."""
        file, at = self.file, gap.end
        if gap.b.kind in {"bound", "end", "derived"} or is_attachment(self.builder.table.lines[gap.b.i]):
            return at
        while at > gap.start and file.keys[at - 1] and is_attachment(file.lines[at - 1]):
            at -= 1
        return at

    def _starts_above(self, gap: Gap, reach: int) -> set[int]:
        file, end = self.file, gap.end
        cuts: set[int] = set()
        for at in range(end - 1, max(gap.start, end - reach) - 1, -1):
            if file.keys[at]:
                whole = file.depths[at] <= min((d for d in file.depths[at:end] if d >= 0), default=0) + 0.3
                if end - at <= EVERY_LINE or whole:
                    cuts.add(at)
        return cuts
