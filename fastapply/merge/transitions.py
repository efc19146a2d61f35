"""What may stand between two anchors of an alignment, and what it costs.

A marker is a free gap in the file; file lines where no marker stands are deleted by omission, at a
cost; skipping them without a marker costs as well. Blocks bound both: a marker stands for lines of
the block that it is in, and a block that the edit shows closed is consumed to its end.
"""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING

from fastapply.merge.between import Betweens
from fastapply.merge.blocks import Blocks
from fastapply.merge.costs import (
    EDGE,
    IMPOSSIBLE,
    LEAVES_BLOCK,
    LEAVES_SHOWN,
    LONG,
    MARK,
    NEW_DEFINITION,
    NEW_PARENT,
    PASSED,
    REWRITTEN,
    SHIFTED,
    SKIP,
    SKIP_BARE,
    SKIP_INSIDE,
    STOLEN,
    UNCLOSED,
    UNPLACED,
)
from fastapply.merge.effort import TRANSITION
from fastapply.merge.likeness import definition, is_attachment, is_function
from fastapply.merge.lines import DepthFloor, continues, is_closer
from fastapply.values import dataclass

if TYPE_CHECKING:
    from fastapply.merge.anchors import Anchor
    from fastapply.merge.between import Between
    from fastapply.merge.effort import Effort
    from fastapply.merge.elements import LazyEdit
    from fastapply.merge.lines import LineTable


@dataclass(frozen=True, slots=True)
class Transition:
    """What stands between two anchors: the file keeps `[keep_from, keep_to)`, the rest is the edit's.

    `question` names what could not be decided, "" when nothing is open.
    """

    cost: float
    keep_from: int
    keep_to: int
    question: str = ""


class Transitions:
    """Transitions between anchors of one edit and one file, each found once.

    `ratio` is columns of the file to one column of the edit.
    """

    def __init__(self, edit: LazyEdit, file: LineTable, ratio: float, effort: Effort) -> None:
        self.edit = edit
        self.file = file
        self.ratio = ratio
        self._effort = effort
        self.blocks = Blocks(edit, file, ratio)
        size = len(edit.kinds)
        self._floor = DepthFloor(file)
        self.between = Betweens(edit, self.blocks)
        self._transitions: dict[tuple[int, int], Transition] = {}
        shown = Counter(edit.table.keys[i] for i in range(size) if edit.kinds[i] == "text")
        held = Counter(file.keys)
        # lines that stand once in both: where one is not in the chain, it was moved
        self._shown = {key for key, count in shown.items() if count == 1 and held[key] == 1}
        self._definitions: list[int] = []  # before each file line, once it is asked for
        self._delete = [0.0]
        total = 0.0
        for j, key in enumerate(file.keys):
            if key:
                if is_closer(key):
                    total += 0.05
                elif key in self._shown:
                    total += 0.08
                else:
                    total += 0.25 + 0.15 * file.weights[j]
            self._delete.append(total)
        texts = [kind == "text" for kind in edit.kinds]
        self._attached = [texts[i] and is_attachment(edit.table.lines[i]) for i in range(size)]
        self._attached.append(False)

    def deletion(self, start: int, end: int) -> float:
        """Cost of deleting file lines `[start, end)`."""
        return self._delete[end] - self._delete[start] if end > start else 0.0

    def transition(self, a: Anchor, b: Anchor) -> Transition:
        """What stands between two anchors in that order, and what it costs."""
        pair = id(a), id(b)  # the anchors live as long as their aligner
        known = self._transitions.get(pair)
        if known is None:
            self._effort.spend(TRANSITION)
            known = self._transitions[pair] = self._transition(a, b)
        return known

    def _transition(self, a: Anchor, b: Anchor) -> Transition:
        info = self.between.find(a.i, b.i)
        cost = self._structure(a, b, info)
        if info.markers:
            plan = self._marked(a, b, info)
        elif a.kind == "bound" or b.kind == "bound":
            plan = self._edge(a, b, info)
        else:
            plan = self._unmarked(a, b, info)
        return Transition(cost + plan.cost, plan.keep_from, plan.keep_to, plan.question)

    def _structure(self, a: Anchor, b: Anchor, info: Between) -> float:
        """Cost of disagreeing with the edit about which blocks are left and entered on the way."""
        cost = 0.0
        depths, file = self.edit.depths, self.file
        if b.kind not in {"bound", "end"}:
            parent = self.edit.parents[b.i]
            if parent > a.i and self.edit.kinds[parent] == "text":
                cost += NEW_DEFINITION if self.blocks.defines[parent] else NEW_PARENT
        cost += PASSED * info.passed
        if a.kind in {"bound", "end"}:
            return cost
        cost += UNCLOSED * info.unclosed
        if self._attached[a.i] and b.i != a.i + 1 and self._bears(a.i + 1):
            cost += STOLEN
        if b.kind == "bound":
            return cost
        here = depths[a.i]
        low = min(info.floor, depths[b.i]) - here
        floor = self._floor.over(a.end, b.start)
        if b.kind != "end":
            floor = min(floor, file.depths[b.start])
        if floor < 1e8 and floor - file.depths[a.start] < low * self.ratio - 0.3:
            shared = (
                next((x for x in self.blocks.around[b.i] if x in self.blocks.around[a.i]), -1)
                if b.i >= 0
                else -1
            )
            out = shared >= 0 and floor <= file.depths[a.start] + (depths[shared] - here) * self.ratio + 0.3
            cost += LEAVES_SHOWN if out and self.blocks.defines[shared] else LEAVES_BLOCK
        if b.kind not in {"end", "derived"}:
            shown = (depths[b.i] - here) * self.ratio
            if abs(file.depths[b.start] - file.depths[a.start] - shown) > 0.3:
                cost += SHIFTED
        return cost

    def _edge(self, a: Anchor, b: Anchor, info: Between) -> Transition:
        """Before the first anchor or behind the last, where no marker stands."""
        if a.kind == "bound":
            cost = EDGE if self.deletion(0, b.start) else 0.0
            if b.kind == "bound":
                return Transition(cost + UNPLACED, 0, b.start, "no_anchor" if info.texts else "")
            return Transition(cost, 0, b.start)
        keep_from, cost, question = a.end, 0.0, ""
        closed = self.blocks.closed_at_end(a)
        if closed is not None:
            end = self.blocks.block_end(a, closed)
            lost = self.deletion(a.end, end)
            if info.texts:
                keep_from = end
                longer = sum(weight > 0.15 for weight in self.file.weights[a.end : end]) > len(info.texts)
                ends = closed != a.i or not longer or self._leaves(info.texts[-1])
                ends = ends or closed in self.edit.closers
                cost += self._body(a, lost * 0.6) if closed == a.i and ends else lost * 0.6
                question = "unmarked_gap" if lost and not ends else ""  # or the body goes on as before
            elif lost and not self._long(a.end, end):
                question = "unmarked_gap"
        elif info.texts and self._goes_deeper(a, info) and self.deletion(a.end, self.file.ends[a.start]):
            question = "unmarked_gap"
        return Transition(
            cost + (EDGE if self.deletion(keep_from, b.start) else 0.0), keep_from, b.start, question
        )

    def _leaves(self, i: int) -> bool:
        """Whether an edit line leaves the function that it is in, so that no old line can follow it."""
        return self.edit.table.lines[i].lstrip().startswith(("return", "raise", "throw"))

    def _body(self, a: Anchor, cost: float) -> float:
        """Cost of a rewritten body below `a`: capped where that is a definition which stands once."""
        known = a.kind == "exact" and self.blocks.defines[a.i] and self.stands_once(a.i)
        return min(cost, REWRITTEN) if known else cost

    def _goes_deeper(self, a: Anchor, info: Between) -> bool:
        """Whether the edit ends with new lines in a block that `a` opens, and that needs no closing line."""
        if a.kind == "end" or self.blocks.open[a.i]:
            return False
        return all(self.edit.depths[x] > self.edit.depths[a.i] for x in info.texts)

    def _unmarked(self, a: Anchor, b: Anchor, info: Between) -> Transition:
        """Two anchors with no marker between them: what stands between in the file goes, or was forgotten."""
        whole = self.deletion(a.end, b.start)
        if whole == 0.0:
            return Transition(0.0, b.start, b.start)
        inside = b.start <= self.file.ends[a.start] and a.kind != "end"
        delete = whole * (0.6 if info.texts else 1.0) * (0.7 if inside else 1.0)
        if info.texts and b.kind == "derived" and self.edit.openers.get(b.i, -1) == a.i:
            delete = self._body(a, delete)
        if info.notes and self._noted(info, a.end, b.start):
            return Transition(0.1, b.start, b.start)
        if self.edit.has_markers:
            skip, keep_from = SKIP, a.end
        else:
            between = definition(self.edit.table.lines[b.i]) is not None and not self._in_function(b.i)
            skip, keep_from = SKIP_BARE if between else SKIP_INSIDE, a.end
            closed = None if a.kind == "end" else info.closed
            if closed is not None:
                keep_from = min(self.blocks.block_end(a, closed), b.start)
                skip += self.deletion(a.end, keep_from) * (0.6 if info.texts else 1.0)
        if info.texts and keep_from == a.end:
            skip += 1.0
        if keep_from >= b.start or delete <= skip:
            clear = (
                0.1
                if a.kind == b.kind == "exact" and self.stands_once(a.i) and self.stands_once(b.i)
                else 0.6
            )
            sure = keep_from >= b.start or (skip - delete > clear and (a.kind != "end" or whole < 0.3))
            return Transition(min(delete, skip), b.start, b.start, "" if sure else "unmarked_gap")
        open_gap = self.edit.has_markers or (delete - skip < 1.0 and not self._defines(keep_from, b.start))
        open_gap = open_gap or self._in_function(b.i)
        question = "unmarked_gap" if open_gap else ""
        if info.texts and keep_from == a.end:
            question = "unmarked_gap"
        return Transition(skip, keep_from, b.start, question)

    def _in_function(self, i: int) -> bool:
        """Whether an edit line stands in a function whose first line is shown."""
        while (i := self.edit.parents[i]) >= 0:
            if self.edit.kinds[i] == "text" and is_function(self.edit.table.lines[i]):
                return True
        return False

    def _defines(self, start: int, end: int) -> bool:
        """Whether one of the file lines `[start, end)` defines something."""
        if not self._definitions:
            self._definitions = [0, *accumulate(definition(line) is not None for line in self.file.lines)]
        return self._definitions[end] > self._definitions[start]

    def _long(self, start: int, end: int) -> bool:
        """Whether file lines `[start, end)` are so many that nobody removes them by not showing them."""
        return sum(weight > 0.15 for weight in self.file.weights[start:end]) >= LONG

    def _bears(self, i: int) -> bool:
        """Whether an edit line is one that a comment or decorator above it belongs to."""
        return self.edit.kinds[i] == "text" and not self._attached[i] and self.edit.table.weights[i] > 0.1

    def stands_once(self, i: int) -> bool:
        """Whether an edit line stands once in the edit and once in the file."""
        return self.edit.table.keys[i] in self._shown

    def _moved(self, start: int, end: int) -> bool:
        """Whether the edit shows each of the file lines `[start, end)` somewhere, so that none is lost."""
        return all(key in self._shown for key in self.file.keys[start:end] if key and not is_closer(key))

    def _noted(self, info: Between, start: int, end: int) -> bool:
        """Whether a removal note names something that file lines `[start, end)` hold."""
        names = {name for note in info.notes for name in self.edit.removed.get(note, ())}
        return not names or any(
            name in self.file.lines[j] for name in names for j in range(start, min(end, start + 400))
        )

    def _marked(self, a: Anchor, b: Anchor, info: Between) -> Transition:
        """Two anchors with a marker between them: its gap is free within the block that it stands in."""
        kinds, parents = self.edit.kinds, self.edit.parents
        cost, question, placed = MARK, "", False
        first, last = info.markers[0], info.markers[-1]
        keep_from, keep_to = a.end, b.start
        for marker in info.markers:
            parent = parents[marker]
            if parent > a.i and kinds[parent] == "text":
                cost += IMPOSSIBLE  # a marker inside a block that is not in the file
        if a.kind not in {"bound", "end"}:
            closed = info.closed
            if closed is not None:
                end = min(self.blocks.block_end(a, closed), b.start)
                lost = self.deletion(a.end, end)
                tail = any(x < first for x in info.texts)
                delete, skip = lost * (0.6 if tail else 1.0), SKIP
                if all(is_closer(key) for key in self.file.keys[a.end : end] if key):
                    pass  # closing lines that the marker stands for as well
                elif not tail and self._goes_on(a, closed, end):
                    pass  # the block has ended there, and the marker stands for the next clause
                elif delete <= skip:
                    keep_from = end
                    cost += delete
                    if lost and (skip - delete < 0.6 or not (tail or self._moved(a.end, end))):
                        question = "unmarked_gap"
                else:
                    cost += skip
                    question = "" if self._long(a.end, end) else "unmarked_gap"
            covered = self._covered_to(a, b, info)
            if b.kind == "bound":
                if covered is not None and keep_from <= covered and any(x > last for x in info.texts):
                    keep_to, placed = (
                        covered,
                        True,
                    )  # the edit goes on behind the block that the markers are in
            elif covered is not None and keep_from <= covered < b.start:
                lost = self.deletion(covered, b.start)
                if info.notes and self._noted(info, covered, b.start):
                    keep_to = covered
                    while keep_to < b.start and not self.file.keys[keep_to]:
                        keep_to += (
                            1  # what sets the block apart from what goes sets it apart from what follows
                        )
                    cost += 0.1
                elif any(not is_closer(key) for key in self.file.keys[covered : b.start] if key):
                    head = any(x > last for x in info.texts)
                    delete = lost * (0.6 if head else 1.0)
                    if delete <= SKIP:
                        keep_to = covered
                        cost += delete
                        if not self._moved(covered, b.start):
                            question = "unmarked_gap"
                    else:
                        cost += SKIP
                        question = question if self._long(covered, b.start) else "unmarked_gap"
        middle = info.middle
        if middle and b.kind in {"derived", "end"} and self.blocks.defines[middle[0]]:
            cost += UNPLACED / 3  # a new member between two markers goes to the end of its block
        elif middle:
            cost += UNPLACED
            question = question or "no_anchor"
        if a.kind == "bound" and any(x < first for x in info.texts):
            cost += UNPLACED
            question = question or "no_anchor"
        if a.kind == "bound" and b.kind == "bound":
            question = question or ("no_anchor" if info.texts else "")
        if b.kind == "bound" and any(x > last for x in info.texts) and not placed:
            cost += UNPLACED / 2
            question = question or "no_anchor"
        return Transition(cost, keep_from, keep_to, question)

    def _goes_on(self, a: Anchor, opener: int, end: int) -> bool:
        """Whether what follows `a` up to `end` is another clause of the statement that `opener` opens."""
        at = next((f for f in range(a.end, end) if self.file.keys[f]), -1)
        if at < 0 or not continues(self.file.lines[at]):
            return False
        shown = (self.edit.depths[opener] - self.edit.depths[a.i]) * self.ratio
        return abs(self.file.depths[at] - 0.5 - self.file.depths[a.start] - shown) < 0.3

    def _covered_to(self, a: Anchor, b: Anchor, info: Between) -> int | None:
        """End of what the markers between two anchors can stand for; None where it reaches to `b`."""
        if info.covers is None:
            return None
        ends = [self.blocks.block_end(a, parent) for parent in info.covers]
        if not ends:
            return None
        end = max(ends)
        # the closing line of the block belongs to what the edit shows next
        return end if end < b.start or b.kind == "bound" else None
