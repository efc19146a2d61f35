"""New lines put in beside lines that say about the same and stay: those may be their old version.

A model that shows the new form of a block behind a marker means the old form to go; one that adds a
further block of a kind means it to stay. The text alone does not tell the two apart, so this asks.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from fastapply.merge.doubts import Opening
from fastapply.merge.likeness import definition, identity, is_attachment, similarity
from fastapply.merge.lines import is_closer
from fastapply.merge.spared import is_import

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastapply.merge.elements import Scene
    from fastapply.merge.fill import Op

ALIKE = 0.6
"""Similarity from which on one line may be another's new version."""
_SAYS = 0.15  # weight of lines that count: no closers
_MOVED = 0.75  # similarity of two imports of one thing from two places
_REACH = 60  # so many new lines are looked at from each end
_ROOM = 3  # so many lines more than are new may be those they stand for
_MANY = 4  # lines, half of which being equal is no accident
_CLOSERS = 2  # so many shared closing lines may lie between


class Twins:
    """Looks for them, for one edit and one file."""

    def __init__(self, scene: Scene) -> None:
        self.table, self.file = scene.table, scene.file

    def find(self, ops: Sequence[Op]) -> list[Opening]:
        """Stretches of new lines of which half or more are like the lines that stay right beside them."""
        found: list[Opening] = []
        at = 0
        for new, group in groupby(ops, lambda op: op.kind == "insert"):
            stretch = list(group)
            start, at = at, at + len(stretch)
            ours = [op.e for op in stretch if op.e >= 0 and self.table.weights[op.e] > _SAYS] if new else []
            if not ours:
                continue
            for side, beside in (
                (range(start - 1, -1, -1), ours[:_REACH]),
                (range(at, len(ops)), ours[-_REACH:]),
            ):
                theirs = list(self._staying((ops[n] for n in side), len(beside) + _ROOM))
                between = any(ops[n].kind == "match" and self.file.keys[ops[n].f] for n in side[:_CLOSERS])
                if theirs and self._are_twins(beside, theirs, between):
                    first, last = min(theirs), max(theirs)
                    found.append(Opening(ours[0], "replace_or_insert", first, last + 1))
                    break
        return found

    def _staying(self, side: Iterator[Op], most: int) -> Iterator[int]:
        """File lines that stay next to new ones, nearest first, a few shared closing lines left aside."""
        count = closers = 0
        for op in side:
            if op.kind == "keep":
                if self.file.weights[op.f] > _SAYS:
                    count += 1
                    yield op.f
            elif op.kind == "match" and not self.file.keys[op.f]:
                continue
            elif op.kind == "match" and not count and closers < _CLOSERS and is_closer(self.file.keys[op.f]):
                closers += 1
            else:
                return
            if count == most:
                return

    def _are_twins(self, ours: Sequence[int], theirs: Sequence[int], between: bool) -> bool:
        if len(ours) == 1:
            return any(self._are_one(ours[0], f) for f in theirs)
        like = sum(any(self._alike(e, f) for f in theirs) for e in ours)
        if 2 * like >= len(ours) and self._same_name(ours, theirs):
            return True
        if any(definition(self.table.lines[e]) is not None for e in ours):
            return False  # one more of a kind, with a name of its own
        same = sum(any(self.table.keys[e] == self.file.keys[f] for f in theirs) for e in ours)
        return (len(ours) >= _MANY and 2 * same >= len(ours)) or (between and like == len(ours))

    def _are_one(self, e: int, f: int) -> bool:
        """Whether a single new line is the same as one that stays, or imports the same from elsewhere."""
        new, old = self.table.lines[e], self.file.lines[f]
        if self.table.keys[e] == self.file.keys[f]:
            return True
        return (
            is_import(new)
            and is_import(old)
            and new.split()[:2] == old.split()[:2]
            and (similarity(new, old) >= _MOVED)
        )

    def _same_name(self, ours: Sequence[int], theirs: Sequence[int]) -> bool:
        """Whether a line that begins the new ones is about what one of the lines beside them is about."""
        depth = min(self.table.depths[e] for e in ours)
        shown = [self.table.lines[e] for e in ours if self.table.depths[e] == depth]
        new = {identity(line) for line in shown if not is_attachment(line)}
        old = {identity(self.file.lines[f]) for f in theirs}
        return bool((new & old) - {None})

    def _alike(self, e: int, f: int) -> bool:
        if self.table.keys[e] == self.file.keys[f]:
            return True
        return similarity(self.table.lines[e], self.file.lines[f]) >= ALIKE
