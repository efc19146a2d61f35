"""Where a merge that looks good may still not be what the edit meant.

Each check looks at one seam or stretch of a finished merge. What it finds is not wrong for sure;
it is a second way to read the edit that is too good to write the first one without asking.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.merge.framed import is_framed
from fastapply.merge.likeness import (
    definition,
    identity,
    is_attachment,
    renamed,
    similarity,
    subject,
)
from fastapply.merge.lines import is_closer
from fastapply.merge.spared import is_import
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.merge.anchors import Point
    from fastapply.merge.elements import Scene
    from fastapply.merge.fill import Op


@dataclass(frozen=True, slots=True)
class Opening:
    """Something undecided: the edit line it is about, and the file lines `[start, end)` concerned."""

    line: int
    reason: str
    start: int
    end: int


_ENDS = re.compile(r"(?:end|[)\]}]+[;,]?|`{3,})$")
_OPENS = re.compile(r"(?::|[{(\[]|\bdo(?:\s*\|[^|]*\|)?)$")
_ARM = re.compile(r"\s*(?:\}\s*)?(?:elif|elsif|else\s+if)\b")


class Doubts:
    """The checks, for one edit and one file."""

    def __init__(self, scene: Scene) -> None:
        self.edit = scene.edit
        self.table = scene.table
        self.file = scene.file
        self._scene = scene

    def drops(self, ops: Sequence[Op]) -> bool:
        """Whether operations delete two lines that say something and that the edit shows nowhere.

        A line that gives way to one about something else counts for two.
        """
        lost = 0
        for op in ops:
            if op.f < 0 or self.file.weights[op.f] <= 0.3 or self.file.keys[op.f] in self._scene.shown:
                continue
            if op.kind == "near" and self._other(op):
                return True
            lost += op.kind == "delete" and not is_import(self.file.lines[op.f])
        return lost >= 2

    def _other(self, op: Op) -> bool:
        """Whether the edit's line in place of a file line is about something else."""
        new, old = identity(self.table.lines[op.e]), identity(self.file.lines[op.f])
        if new is None or old is None or new == old:
            return False
        if subject(self.table.lines[op.e]) and subject(self.file.lines[op.f]):
            return not renamed(self.table, self.file, op.e, op.f)
        return " " in new and new.partition(" ")[0] == old.partition(" ")[0]  # one more entry of a list

    def bares(self, ops: Sequence[Op], b: Point) -> bool:
        """Whether a definition would lose comments or decorators above it, only for not being shown."""
        if b.kind not in {"exact", "near"} or definition(self.table.lines[b.i]) is None:
            return False
        if any(op.kind == "insert" and op.e >= 0 and self.table.keys[op.e] for op in ops):
            return False
        gone = [op.f for op in ops if op.kind == "delete" and self.file.keys[op.f]]
        return bool(gone) and gone[-1] == b.start - 1 and all(is_attachment(self.file.lines[f]) for f in gone)

    def bounds(self, a: Point, b: Point, done: Iterable[Op]) -> bool:
        """Whether both ends of a stretch without a marker are beyond doubt, or one is, and the other nearest.

        The nearest one is a line like which none stands between the two in the file.
        """
        between = self.file.keys[a.end : b.start]
        ends = [
            (self.holds(point, done), point.kind == "exact" and self.file.keys[point.start] not in between)
            for point in (a, b)
        ]
        return any(holds for holds, _ in ends) and all(holds or nearest for holds, nearest in ends)

    def holds(self, point: Point, done: Iterable[Op]) -> bool:
        """Whether a point is beyond doubt.

        Its line stands once in the file, or lines that edit and file have alike lead from it to one that
        does, or it defines something, or closes a block that it opens, or is in a definition whose first
        line is shown in the same run.
        """
        if point.kind == "derived":
            return True
        if point.kind == "exact" and self._scene.count[self.file.keys[point.start]] == 1:
            return True
        if any(self._leads_to_one(point, step) for step in (-1, 1)):
            return True
        at = point.i
        run = self._scene.run(at)
        shared = {op.e for op in done if op.e >= 0 and op.kind in {"match", "near"}}
        while at in run and at >= 0:
            if definition(self.table.lines[at]) is not None and (at == point.i or at in shared):
                return True
            at = self.edit.parents[at]
        return False

    def _leads_to_one(self, point: Point, step: int) -> bool:
        """Whether equal lines beside a point, in edit and file, reach a line that stands once in the file."""
        e, f = point.i, point.start
        run = self._scene.run(e)
        while e in run and 0 <= f < len(self.file.keys) and self.table.keys[e] == self.file.keys[f]:
            if self.file.weights[f] > 0.3 and self._scene.count[self.file.keys[f]] == 1:
                return True
            e, f = e + step, f + step
            while e in run and not self.table.keys[e]:
                e += step
            while 0 <= f < len(self.file.keys) and not self.file.keys[f]:
                f += step
        return False

    def misplaced(self, ops: Sequence[Op], ratio: float) -> list[Opening]:
        """Shared lines that a new line opens a block for in the edit, while the file's opening line stays.

        A new line deeper than the one that stays wraps some of its block, which is fine; one that is
        not should have taken its place.
        """
        new = {op.e: n for n, op in enumerate(ops) if op.kind == "insert" and op.e >= 0}
        stays = {op.f for op in ops if op.kind == "keep"}
        found: list[Opening] = []
        shared = [op for op in ops if op.kind in {"match", "near"} and self.table.keys[op.e]]
        # of each run, the depth of its least deep shared line, and its shift
        shift: dict[int, tuple[float, float]] = {}
        for op in shared:
            depth, run = self.edit.depths[op.e], self._scene.run(op.e).start
            if run not in shift or depth < shift[run][0]:
                shift[run] = depth, self.file.depths[op.f] - depth * ratio
        for op in shared:
            parent, holder = self.edit.parents[op.e], self.file.parents[op.f]
            opener = self.edit.openers.get(op.e, -1)
            if opener in new:
                parent, holder = opener, self._opener_of(op.f)
            if parent not in new or holder not in stays or is_framed(self._scene, ops, new[parent]):
                continue
            depth = self.edit.depths[parent] * ratio + shift[self._scene.run(op.e).start][1]
            if depth <= self.file.depths[holder] + 0.3:
                found.append(Opening(parent, "replace_or_insert", holder, holder + 1))
                break
        return found

    def emptied(self, ops: Sequence[Op]) -> list[Opening]:
        """Lines that opened a block and now say something complete, while the block stays below."""
        stays = {op.f for op in ops if op.kind == "keep"}
        found: list[Opening] = []
        for op in ops:
            if op.kind != "near" or self.file.ends[op.f] <= op.f + 1 or op.f + 1 not in stays:
                continue
            old, new = self.file.lines[op.f].rstrip(), self.table.lines[op.e].rstrip()
            if _OPENS.search(old) and not _OPENS.search(new) and self.table.ends[op.e] == op.e + 1:
                found.append(Opening(op.e, "unmarked_gap", op.f + 1, self.file.ends[op.f]))
        return found

    def closed_early(self, ops: Sequence[Op]) -> list[Opening]:
        """New lines that close a block of the file while lines of that block stay behind them."""
        shared = {op.e: op.f for op in ops if op.kind in {"match", "near"}}
        behind: Op | None = None  # the next line of the file that stays or goes, blank ones left out
        found: list[Opening] = []
        for op in reversed(ops):
            if op.f >= 0:
                behind = op if self.file.keys[op.f] else behind
                continue
            opener = shared.get(self.edit.openers.get(op.e, -1), -1)
            if opener < 0 or behind is None or behind.kind != "keep":
                continue
            if self.file.depths[behind.f] > self.file.depths[opener]:
                found.append(Opening(op.e, "unmarked_gap", behind.f, behind.f + 1))
        return found[-1:]

    def elided_news(self, ops: Sequence[Op]) -> list[Opening]:
        """New definitions with a marker in them: it stands for lines of the file, so one was renamed."""
        for n, op in enumerate(ops):
            if op.kind != "insert" or op.e < 0 or definition(self.table.lines[op.e]) is None:
                continue
            end = max(self.table.ends[op.e], self.edit.closers.get(op.e, -1))
            if "marker" in self.edit.kinds[op.e + 1 : end]:
                below = next((other.f for other in ops[n:] if other.kind in {"keep", "match", "near"}), -1)
                at = below if below >= 0 else len(self.file.lines)
                return [Opening(op.e, "replace_or_insert", at, at + 1)]
        return []

    def _opener_of(self, closer: int) -> int:
        """File line that opens the block which a closing file line closes, -1 where none shows."""
        for f in range(closer - 1, -1, -1):
            if 0 <= self.file.depths[f] <= self.file.depths[closer]:
                return f if self.file.ends[f] > f + 1 else -1
        return -1

    def replaces_top(self, a: Point, head: Sequence[Op], first: int) -> bool:
        """Whether new lines that begin the edit without a marker may replace the file's few first lines."""
        if a.kind != "bound" or not head or head[0].kind != "insert":
            return False
        if "marker" in self.edit.kinds[: max(head[0].e, 0)]:
            return False
        old = [f for f in range(first) if self.file.weights[f] > 0.15]
        new = [op.e for op in head if op.kind == "insert" and op.e >= 0]
        return len(old) <= 4 and any(
            similarity(self.table.lines[e], self.file.lines[f]) >= 0.4 for e in new for f in old
        )

    def edges(self, tail: Sequence[Op], head: Sequence[Op], used: int, first: int) -> list[Opening]:
        """Where a new line at a gap may as well replace the kept line beside it."""
        found = [
            Opening(op.e, "replace_or_insert", op.f, op.f + 1)
            for op in (*tail, *head)
            if op.kind == "near"
            and self.table.weights[op.e] > 0.6
            and self._scene.count[self.table.keys[op.e]]
        ]  # a line that stands in the file as it is has no need to take the place of another
        beside = used < first
        for ops, f, stop, step in ((tail[::-1], used, first, 1), (head, first - 1, used - 1, -1)):
            new: list[int] = []
            for op in ops:
                if op.kind != "insert":
                    break
                if op.e >= 0:
                    new.append(op.e)
            if ops is head and beside and self._closes_nothing(new):
                found.append(Opening(new[-1], "replace_or_insert", f, f + 1))
            outer = [e for e in new if self.edit.parents[e] not in new and not is_closer(self.table.keys[e])]
            outer = [e for e in outer if self.table.keys[e]]
            doubt = (
                beside
                and outer
                and (
                    self._may_replace(outer[0], f, stop, step)
                    or self._copies(new, outer[0], f, stop, step)
                    or self._repeats(outer, f, stop, step)
                )
            )
            if doubt or any(self._known_case(e) for e in outer):
                found.append(Opening(outer[0], "replace_or_insert", f, f + 1))
        return found

    def _closes_nothing(self, new: Sequence[int]) -> bool:
        """Whether the first of new lines, given last to first, closes a block that none of them opens."""
        edge = next((e for e in reversed(new) if self.table.keys[e]), -1)
        if edge < 0 or _ENDS.match(self.table.keys[edge]) is None:
            return False
        return self.edit.openers.get(edge, -1) not in new

    def _known_case(self, e: int) -> bool:
        """Whether a new line is a case that the file has, too."""
        line = self.table.lines[e]
        case = subject(line) is not None and definition(line) is None and not is_import(line)
        return case and self._scene.count[self.table.keys[e]] > 0

    def _repeats(self, outer: Sequence[int], f: int, stop: int, step: int) -> bool:
        """Whether a new line stands in the kept lines close by, or the outermost one anywhere in the file.

        Then it is context, and the lines between may have been left out.
        """
        near = {self.file.keys[j] for j in list(range(f, stop, step))[:8]}
        close = [j for j in range(f, stop, step) if self.file.keys[j]][:2]
        if any(self.file.keys[j] in {self.table.keys[e] for e in outer} for j in close):
            return True
        repeated = [
            e
            for e in outer
            if self.table.weights[e] > 0.3
            and self._scene.count[self.table.keys[e]]
            and (not is_attachment(self.table.lines[e]) or self._scene.count[self.table.keys[e]] == 1)
        ]
        hidden = range(min(f, stop + 1), max(f + 1, stop))
        if any(
            self._scene.count[self.table.keys[e]] == 1 and self.file.keys.index(self.table.keys[e]) in hidden
            for e in repeated
            if self.table.ends[e] == e + 1
        ):
            return True  # it stands in the gap, and nowhere else
        leaf = self.table.ends[outer[0]] == outer[0] + 1
        return any(self.table.keys[e] in near or (leaf and e == outer[0]) for e in repeated)

    def _copies(self, new: Sequence[int], outer: int, f: int, stop: int, step: int) -> bool:
        """Whether new lines repeat a line of the kept code beside them that stands nowhere else in the file.

        New functions and tests do so often; a new statement or case that does may replace the old one.
        """
        behind = [e for e in new if e > outer and self.edit.parents[e] not in new]
        following = min(behind, default=len(self.edit.kinds))
        ours = [self.table.keys[e] for e in sorted(new) if outer <= e <= following and self.table.keys[e]]
        beside = [j for j in range(f, stop, step) if self.file.keys[j]][: len(ours)]
        theirs = [self.file.keys[j] for j in sorted(beside)]
        if len(theirs) == len(ours) > 1 and ours[1:] == theirs[1:] and not is_closer(ours[1]):
            return True  # two blocks that differ in their first lines alone
        if definition(self.table.lines[outer]) is not None:
            return False
        keys = {self.table.keys[e] for e in new if self.table.weights[e] > 0.8}
        near = list(range(f, stop, step))[: len(new) + 3]
        return any(self.file.keys[j] in keys and self._scene.count[self.file.keys[j]] == 1 for j in near)

    def _may_replace(self, e: int, f: int, stop: int, step: int) -> bool:
        while f != stop and not self.file.keys[f]:
            f += step
        if f == stop or not self.table.keys[e] or self.file.keys[f] in self._scene.shown:
            return False
        if self.file.weights[f] <= 0.15 or self.table.weights[e] <= 0.15:
            return False
        one, two = self.table.keys[e].rstrip(";,"), self.file.keys[f].rstrip(";,")
        if min(len(one), len(two)) >= 8 and (one in two or two in one):
            return True
        new, old = self.table.lines[e], self.file.lines[f]
        if _ARM.match(new) and _ARM.match(old):
            return similarity(new, old) >= 0.5
        if (
            subject(new)
            or subject(old)
            or (identity(new) and identity(old) and identity(new) != identity(old))
        ):
            return False
        return similarity(new, old) >= 0.5
