"""Settling the lines beside a gap: where a marker lets the file's lines stay, and no match is forced.

Beside a gap an equal line may be another one that reads alike, and a similar one may be a
neighbour that stays; so a match has to fit what is around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.merge.fill import Op, fill
from fastapply.merge.likeness import is_attachment
from fastapply.merge.lines import is_closer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastapply.merge.align import Aligner
    from fastapply.merge.anchors import Point
    from fastapply.merge.elements import Scene


class Gaps:
    """Fills the lines beside gaps, for one edit and one file."""

    def __init__(self, scene: Scene, aligner: Aligner) -> None:
        self.scene = scene
        self.aligner = aligner
        self.edit = scene.edit
        self.table = scene.table
        self.file = scene.file

    def fill(
        self,
        lines: Sequence[int],
        start: int,
        end: int,
        level: Callable[[int, int], bool],
        *,
        keep_head: int | None = None,
        keep_tail: int | None = None,
    ) -> list[Op]:
        """Fill beside a gap, where a line is the file's only if the line that opens its block is, too."""
        if not lines and start >= end:
            return []
        here = set(lines)
        held = frozenset(x for x in lines if self.edit.parents[x] in here or self.edit.openers.get(x) in here)
        alone: set[int] = set()
        while True:
            self.aligner.effort.spend(len(lines) * max(0, end - start))
            ops = fill(
                self.table,
                self.file,
                lines,
                start,
                end,
                shown=self.scene.shown,
                level=level,
                keep_head=keep_head,
                keep_tail=keep_tail,
                held=held | alone,
            )
            known = {op.e for op in ops if op.kind in {"match", "near"}}
            freed = frozenset(
                x
                for x in held
                if (self.edit.parents[x] not in here or self.edit.parents[x] in known)
                and (self.edit.openers.get(x) not in here or self.edit.openers.get(x) in known)
            )
            stray = self._strays(ops, tail=keep_tail is not None) | self._bereaved(
                ops, end if keep_tail is None else -1
            )
            if not freed and not stray:
                return ops
            held -= freed
            alone |= stray

    def within(self, point: Point, lines: Sequence[int], near: int, far: int) -> int:
        """How far, from `near` to `far`, lines beside a gap may be looked for without leaving the block."""
        texts = [self.edit.depths[x] for x in lines if self.edit.kinds[x] == "text"]
        if point.kind in {"bound", "end"} or not texts:
            return far
        least = min(texts) - self.edit.depths[point.i]
        floor = self.file.depths[point.start] + (0.3 if least > 0 else least * self.aligner.ratio - 0.3)
        step = 1 if far >= near else -1
        for f in range(near, far, step):
            at = f if step > 0 else f - 1
            if 0 <= self.file.depths[at] < floor:
                return f
        return far

    def levels(self, ref: Point) -> Callable[[int, int], bool]:
        """A test whether an edit line and a file line stand equally deep, seen from a point."""
        depths, file, ratio = self.edit.depths, self.file, self.aligner.ratio
        if ref.kind == "bound":
            return lambda e, f: abs(depths[e] * ratio - file.depths[f]) < 0.6 or not file.keys[f]
        at = file.depths[ref.start] if ref.kind != "end" else -1.0
        if ref.kind == "end":
            opener = self.edit.block_ends[ref.i]
            base = next(
                (p.start for p in self.aligner.points if p.i == opener and file.ends[p.start] == ref.start),
                -1,
            )
            if base < 0:
                return lambda _e, f: not file.keys[f]
            at = file.depths[base]
            origin = depths[opener]
        else:
            origin = depths[ref.i]
        return lambda e, f: (
            not file.keys[f] or abs((depths[e] - origin) * ratio - (file.depths[f] - at)) < 0.6
        )

    def _strays(self, ops: Sequence[Op], *, tail: bool) -> set[int]:
        """Edit lines matched away from the shown lines beside the gap, and not the only ones like them."""
        stray: set[int] = set()
        beside, new, gone = True, False, 0
        for op in ops if tail else reversed(ops):
            beside = beside and op.kind in {"match", "near"}
            gone += op.kind == "delete" and bool(self.file.keys[op.f])
            if op.kind == "match" and not beside and gone != 1 and self._repeated(op.e):
                stray.add(op.e)
        for op in reversed(ops) if tail else ops:
            new = new or (op.kind == "insert" and bool(self.table.keys[op.e]))
            if op.kind == "match" and new and self._repeated(op.e):
                stray.add(op.e)
        return stray

    def _bereaved(self, ops: Sequence[Op], shown: int) -> set[int]:
        """New versions of a header, comment or decorator whose file lines below it would stay without it.

        File line `shown` is one that the edit shows below the gap.
        """
        settled = {shown, *(op.f for op in ops if op.kind in {"match", "near", "delete"})}
        new = {op.e for op in ops if op.kind == "insert"}
        found: set[int] = set()
        for op in ops:
            if op.kind != "near" or op.e + 1 not in new or not self.table.keys[op.e + 1]:
                continue
            old = self.file.lines[op.f]
            bears = self.file.ends[op.f] > op.f + 1 or is_attachment(old)
            if (
                bears
                and op.f + 1 not in settled
                and op.f + 1 < len(self.file.keys)
                and self.file.keys[op.f + 1]
            ):
                found.add(op.e)
        return found

    def _repeated(self, e: int) -> bool:
        key = self.table.keys[e]
        return bool(key) and self.scene.count[key] > 1 and not is_closer(key)
