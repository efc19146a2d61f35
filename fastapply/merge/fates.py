"""Every line's fate under an alignment: shared, new, gone or kept, and the blank lines at the seams."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.merge.beside import Beside
from fastapply.merge.copies import Copies, keep_attached
from fastapply.merge.doubts import Doubts, Opening
from fastapply.merge.fill import Op, fill
from fastapply.merge.gaps import Gaps
from fastapply.merge.likeness import definition, is_attachment, is_decorator, similarity
from fastapply.merge.lines import words
from fastapply.merge.readings import Readings
from fastapply.merge.spared import spare_imports
from fastapply.merge.twins import Twins
from fastapply.values import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.align import Aligner, Alignment
    from fastapply.merge.anchors import Point
    from fastapply.merge.elements import Scene
    from fastapply.merge.steps import Step

_DOCSTRING = re.compile(r"\s*[rRuU]?(?:\"\"\"|''')")
BLANK = -2
"""Edit line of an operation that puts in a blank line which no edit line is."""


@dataclass(slots=True)
class Rendering:
    """The merge as operations in file order, and what is open about it."""

    ops: list[Op] = field(default_factory=list)
    open: list[Opening] = field(default_factory=list)


class Fates:
    """Decides them for one edit and one file, an alignment at a time."""

    def __init__(self, scene: Scene, aligner: Aligner) -> None:
        self.scene = scene
        self.aligner = aligner
        self.edit = scene.edit
        self.table = scene.table
        self.file = scene.file
        self._doubts = Doubts(scene)
        self._copies = Copies(scene)
        self._readings = Readings(scene)
        self._beside = Beside(scene)
        self._twins = Twins(scene)
        self._gaps = Gaps(scene, aligner)
        self._chain: list[Point] = []

    def render(self, alignment: Alignment) -> Rendering:
        """Every line's fate under an alignment."""
        done = Rendering()
        aligner = self.aligner
        ends = self._chain = [aligner.start, *alignment.points, aligner.finish]
        for a, b, step in zip(ends, ends[1:], alignment.steps, strict=False):
            if step.question:
                line = next(
                    (x for x in range(max(a.i, 0), len(self.edit.kinds)) if self.edit.kinds[x] == "text"), 0
                )
                done.open.append(Opening(line, step.question, a.end, b.start))
            self._between(a, b, step, done)
            if b.kind not in {"bound", "end"}:
                same = self.table.keys[b.i] == self.file.keys[b.start]
                done.ops.append(Op("match" if same else "near", b.i, b.start))
        done.ops = keep_attached(self.scene, done.ops)
        spared = spare_imports(self.scene, done.ops)
        left_out = [n for n, op in enumerate(done.ops) if op is not spared[n]]
        for n in left_out:
            above = next((op.e for op in reversed(done.ops[:n]) if op.e >= 0), 0)
            run = self.scene.run(above)
            shown_only = not any(op.kind in {"insert", "near"} and op.e in run for op in done.ops)
            # One of several is hardly an excerpt, nor is a run that shows nothing new: they may have to go
            if len(left_out) == 1 or shown_only:
                done.open.append(Opening(above, "unmarked_gap", done.ops[n].f, done.ops[n].f + 1))
                break
        done.ops = spared
        done.open += self._copies.find(done.ops)
        done.open += self._doubts.misplaced(done.ops, self.aligner.ratio)
        done.open += self._doubts.emptied(done.ops)
        done.open += self._doubts.elided_news(done.ops)
        done.open += self._doubts.closed_early(done.ops)
        done.open += self._readings.find(done.ops)
        done.open += self._beside.find(done.ops)
        done.open += self._twins.find(done.ops)
        return done

    def _lines(self, a: Point, b: Point) -> tuple[list[int], list[int], int, int]:
        """Edit lines left and right of a gap, and how many blank lines stood at its seams."""
        kinds = self.edit.kinds
        inner = [x for x in range(a.i + 1, b.i) if kinds[x] != "end"]
        marks = [x for x in inner if kinds[x] == "marker"]
        if marks:
            left = [x for x in inner if x < marks[0]]
            right = [x for x in inner if x > marks[0] and kinds[x] != "marker"]
            middle = [x for x in right if x < marks[-1]]
            right = right if any(kinds[x] == "text" for x in middle) else [x for x in right if x > marks[-1]]
        elif a.kind == "bound":
            left, right = [], inner
        elif b.kind == "bound":
            left, right = inner, []
        else:
            deeper = [x for x in inner if kinds[x] == "text"]
            cut = 0
            closed = None if a.kind == "end" else self.aligner.steps.blocks.closed_opener(a.i, b.i)
            for x in deeper:
                if closed is not None and self.edit.depths[x] >= self.edit.depths[closed]:
                    cut = x
            left = [x for x in inner if x <= cut]
            right = [x for x in inner if x > cut]
        left, right = self._without_notes(left), self._without_notes(right)
        texts = len(left), len(right)
        while left and kinds[left[-1]] == "blank":
            left.pop()
        while right and kinds[right[0]] == "blank":
            right.pop(0)
        lead = texts[1] - len(right)
        while right and b.kind in {"derived", "end"} and kinds[right[-1]] == "blank":
            right.pop()
        return left, right, texts[0] - len(left), lead

    def _without_notes(self, lines: list[int]) -> list[int]:
        """Drop removal notes; of the blank lines around each, the larger number stays."""
        kept: list[int] = []
        spare = 0
        for x in lines:
            if self.edit.kinds[x] == "note":
                spare = 0
                while spare < len(kept) and self.edit.kinds[kept[-1 - spare]] == "blank":
                    spare += 1
            elif self.edit.kinds[x] == "blank" and spare:
                spare -= 1
            else:
                spare = 0
                kept.append(x)
        return kept

    def _between(self, a: Point, b: Point, step: Step, done: Rendering) -> None:
        file, table, kinds = self.file, self.table, self.edit.kinds
        start, end = a.end, b.start
        if a.kind == "bound" and kinds[:1] != ("blank",):
            first = next((f for f in range(start, end) if file.keys[f]), end)
            done.ops += [
                Op("keep", -1, f) for f in range(start, first)
            ]  # nobody shows a file's first blank line
            start = first
        near_a, near_b = self._gaps.levels(a), self._gaps.levels(b)
        has_gap = step.keep_from < end or any(kinds[x] == "marker" for x in range(a.i + 1, b.i))
        has_gap = has_gap or a.kind == "bound" or b.kind == "bound"
        if not has_gap:
            inner = self._without_notes(
                [x for x in range(a.i + 1, b.i) if kinds[x] in {"text", "blank", "note"}]
            )
            if not any(kinds[x] == "text" for x in inner) and not any(file.keys[start:end]) and start < end:
                done.ops += [Op("keep", -1, f) for f in range(start, end)]
                return
            noted = any(kinds[x] == "note" for x in range(a.i + 1, b.i))
            if noted and not any(kinds[x] == "text" for x in inner) and any(file.keys[start:end]):
                # what is named goes with the blank lines above it, the first of a block with those below
                told = [f for f in range(start, end) if file.keys[f]]
                opens = start > 0 and file.ends[start - 1] > told[0]
                apart = told[0] - start if opens else end - told[-1] - 1
                done.ops += [Op("delete", -1, f) for f in range(start, end - apart)]
                done.ops += [Op("keep", -1, f) for f in range(end - apart, end)]
                return
            self.aligner.effort.spend(len(inner) * (end - start))
            ops = fill(table, file, inner, start, end, shown=self.scene.shown, level=near_a)
            done.ops += ops
            if self._doubts.bares(ops, b) and not step.question:
                done.open.append(Opening(b.i, "unmarked_gap", start, end))
            elif (
                self._doubts.drops(ops)
                and not self._doubts.bounds(self._end(a, -1), self._end(b, 1), done.ops)
                and not step.question
                and not any(kinds[x] == "note" for x in range(a.i + 1, b.i))
            ):
                done.open.append(Opening(max(a.i, 0), "unmarked_gap", start, end))
            return
        left, right, blanks_left, blanks_right = self._lines(a, b)
        keep_from, keep_to = step.keep_from, max(step.keep_from, step.keep_to)
        if b.kind == "bound" and a.kind != "bound" and right and (keep_to < end or not step.question):
            self._behind(left + right, start, keep_to, blanks_right, done)
            return
        reach = min(keep_to, keep_from + 2 * len(left) + 8) if left else keep_from
        reach = self._gaps.within(a, left, keep_from, reach)
        tail = self._gaps.fill(left, start, reach, near_a, keep_tail=keep_from)
        used = max((op.f + 1 for op in tail if op.kind not in {"keep", "insert"}), default=start)
        used = max(used, keep_from)
        reach_back = max(used, keep_to - 2 * len(right) - 8) if right else keep_to
        reach_back = self._gaps.within(b, right, keep_to, reach_back)
        head = self._own_blanks_before(self._gaps.fill(right, reach_back, end, near_b, keep_head=keep_to))
        tail = [op for op in tail if not (op.kind == "keep" and op.f >= keep_from)]
        tail, used = self._file_blanks_behind(tail, used, keep_from)
        tail, used = self._own_blanks_within(tail, used, keep_from)
        done.ops += self._docstring(a, tail, used, end)
        used = max([used, *(op.f + 1 for op in done.ops if op.kind == "delete")])
        first = next((op.f for op in head if op.kind != "keep" and op.f >= 0), end)
        head = [op for op in head if op.kind != "keep"]
        head, first = self._attached(b, head, first, used, done)
        above = self._above_attachments(b, head, first, used)
        done.open += self._doubts.edges(tail, head, used, first)
        if self._doubts.replaces_top(a, head, first):
            done.open.append(Opening(head[0].e, "replace_or_insert", 0, first))
        if tail and tail[-1].kind == "insert" and blanks_left and used < first and file.keys[used]:
            done.ops += [Op("insert", BLANK, -1)] * max(blanks_left, self._blanks_before_new(tail))
        kept_behind = [Op("keep", -1, f) for f in range(above, first)]
        first = above
        done.ops += [Op("keep", -1, f) for f in range(used, first)]
        if head and head[0].kind == "insert" and first > 0:
            before = first - 1
            opener = file.keys[before] and file.ends[before] > first
            apart = self._blanks_behind_new(head) if b.kind not in {"bound", "end"} else 0
            gap = used < first or a.kind == "end"
            if file.keys[before] and not opener and ((blanks_right and gap) or (apart and not blanks_right)):
                done.ops += [Op("insert", BLANK, -1)] * max(blanks_right, apart)
        done.ops += head
        done.ops += kept_behind

    def _end(self, point: Point, step: int) -> Point:
        """The next point of the chain in the same run, from a point on, that is no new version of a line.

        Between two of these all of the file goes, whichever of its lines the new versions are of.
        """
        n = self._chain.index(point)
        while self._chain[n].kind == "near":
            n += step
        end = self._chain[n]
        return point if end.kind == "bound" or end.i not in self.scene.run(point.i) else end

    def _above_attachments(self, b: Point, head: Sequence[Op], first: int, used: int) -> int:
        """Where new lines go in front of `b`: above the comments and decorators that the file has there."""
        new = [op.e for op in head if op.kind == "insert" and op.e >= 0 and self.table.keys[op.e]]
        if not new or first != b.start or b.kind in {"bound", "end", "derived"}:
            return first
        if any(op.kind != "insert" for op in head) or is_attachment(self.table.lines[new[-1]]):
            return first
        if definition(self.table.lines[b.i]) is None or is_attachment(self.table.lines[b.i]):
            return first
        while first > used and self.file.keys[first - 1] and is_attachment(self.file.lines[first - 1]):
            first -= 1
        return first

    def _file_blanks_behind(self, tail: list[Op], used: int, keep_from: int) -> tuple[list[Op], int]:
        """Leave the file's blank lines behind new code that follows shown code; the edit's go before it."""
        lead = 0
        while lead < len(tail) and tail[lead].kind == "match" and not self.file.keys[tail[lead].f]:
            lead += 1
        rest = tail[lead:]
        if not lead or not rest or any(op.kind != "insert" for op in rest) or tail[0].f < keep_from:
            return tail, used
        if is_attachment(self.table.lines[rest[-1].e]):
            return tail, used  # a comment stands right above what it is about
        return [Op("insert", BLANK, -1)] * lead + rest, tail[0].f

    def _own_blanks_within(self, tail: list[Op], used: int, keep_from: int) -> tuple[list[Op], int]:
        """Leave the file the blank lines that stood for some of the new code's: those set it apart."""
        last = max((n for n, op in enumerate(tail) if op.f >= 0 and self.file.keys[op.f]), default=-1)
        new = [n for n, op in enumerate(tail) if op.kind == "insert" and op.e >= 0 and self.table.keys[op.e]]
        between = [n for n, op in enumerate(tail) if new and new[0] < n < new[-1] and op.kind == "match"]
        if not between or between[0] <= last or tail[between[0]].f < keep_from:
            return tail, used
        taken = tail[between[0]].f
        kept = [op for op in tail[new[-1] :] if op.kind != "match"]
        return [
            *(Op("insert", BLANK, -1) if n in between else op for n, op in enumerate(tail[: new[-1]])),
            *kept,
        ], taken

    def _own_blanks_before(self, head: list[Op]) -> list[Op]:
        """The same for new code in front of shown code: blank lines of the file do not go into it."""
        new = [n for n, op in enumerate(head) if op.kind == "insert" and op.e >= 0 and self.table.keys[op.e]]
        between = range(new[0], new[-1]) if new else range(0)
        shown = [n for n, op in enumerate(head) if op.kind not in {"insert", "keep"} and self.file.keys[op.f]]
        if shown and new and shown[0] < new[-1]:
            return head
        return [
            Op("insert", BLANK, -1) if n in between and op.kind == "match" else op
            for n, op in enumerate(head)
        ]

    def _behind(self, lines: Sequence[int], start: int, at: int, blanks: int, done: Rendering) -> None:
        """Put the edit's last lines behind the block that ends at file line `at`; what follows stays."""
        done.ops += [Op("keep", -1, f) for f in range(start, at)]
        if at and self.file.keys[at - 1]:
            done.ops += [Op("insert", BLANK, -1)] * blanks
        done.ops += [Op("insert", e, -1) for e in lines]
        if blanks and at < len(self.file.keys) and self.file.keys[at]:
            done.ops += [Op("insert", BLANK, -1)] * blanks
        done.ops += [Op("keep", -1, f) for f in range(at, len(self.file.keys))]

    def _blanks_behind_new(self, head: Sequence[Op]) -> int:
        """How many blank lines of the file set the last new lines apart from what follows them."""
        last = max(
            (n for n, op in enumerate(head) if op.kind == "insert" and self.table.keys[op.e]), default=-1
        )
        return sum(op.kind == "match" and not self.file.keys[op.f] for op in head[last + 1 :])

    def _blanks_before_new(self, tail: Sequence[Op]) -> int:
        """How many blank lines of the file stand just before the first new lines."""
        count = 0
        for op in tail:
            if op.kind == "insert" and op.e >= 0 and self.table.keys[op.e]:
                return count
            count = count + 1 if op.kind == "match" and not self.file.keys[op.f] else 0
        return 0

    def _docstring(self, a: Point, tail: list[Op], used: int, end: int) -> list[Op]:
        """A new docstring right below a header takes the place of the old one.

        Not of one that goes on behind file line `end`, where the next shown line stands: it is shown in part.
        """
        inserts = [op for op in tail if op.kind == "insert" and self.table.keys[op.e]]
        if not inserts or a.kind in {"bound", "end"} or inserts[0].e != self._next_text(a.i):
            return tail
        if not _DOCSTRING.match(self.table.lines[inserts[0].e]) or used >= len(self.file.lines):
            return tail
        at = used
        if not _DOCSTRING.match(self.file.lines[at]):
            return tail
        quote = '"""' if '"""' in self.file.lines[at] else "'''"
        last = at
        if self.file.lines[at].count(quote) < 2:
            last = next((n for n in range(at + 1, len(self.file.lines)) if quote in self.file.lines[n]), at)
        return tail + [Op("delete", -1, f) for f in range(at, last + 1)] if last < end else tail

    def _next_text(self, i: int) -> int:
        return next((x for x in range(i + 1, len(self.edit.kinds)) if self.edit.kinds[x] != "blank"), -1)

    def _attached(
        self, b: Point, head: list[Op], first: int, used: int, done: Rendering
    ) -> tuple[list[Op], int]:
        """New comments and decorators right above `b` take the place of those that the file has there."""
        if b.kind in {"bound", "end", "derived"} or first != b.start or not head:
            return head, first
        if any(op.kind != "insert" for op in head):
            return head, first
        edit_lines = [self.table.lines[op.e] for op in head]
        attached: list[str] = []
        for line in reversed(edit_lines):
            if not line.strip() or not is_attachment(line):
                break
            attached.append(line)
        if not attached:
            return head, first
        at = first
        while at > used and self.file.lines[at - 1].strip() and is_attachment(self.file.lines[at - 1]):
            at -= 1
        old = self.file.lines[at:first]
        if not old:
            return head, first
        same = [line for line in old if any(_same_attachment(line, new) for new in attached)]
        within = is_attachment(self.table.lines[b.i]) and not is_decorator(self.table.lines[b.i])
        if not same or within:
            kinds = {is_decorator(line) for line in old} & {is_decorator(line) for line in attached}
            if kinds:
                done.open.append(Opening(head[0].e, "replace_or_insert", at, first))
            return head, first
        at = min(n for n in range(at, first) if self.file.lines[n] in same)
        return [Op("delete", -1, f) for f in range(at, first)] + head, at


def _same_attachment(old: str, new: str) -> bool:
    """Whether a decorator or comment is the new version of another one."""
    if is_decorator(old) != is_decorator(new):
        return False
    if is_decorator(old):
        return words(old)[1:2] == words(new)[1:2]
    return similarity(old, new) >= 0.4
