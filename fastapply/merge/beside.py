"""Lines at the end of a shown run that took the place of others, and could as well stand beside them.

From the end of a run, next to a marker, to its first line that stands once in the file nothing fixes the
place of what is shown but its order. A line of the file that goes there, and new lines that come: the
edit may replace the one by the others, or show a new neighbour of a line that stays. Each rule only asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.merge.doubts import Opening
from fastapply.merge.framed import SAYS
from fastapply.merge.likeness import (
    definition,
    identity,
    is_attachment,
    is_function,
    similarity,
)
from fastapply.merge.shortening import shortening
from fastapply.merge.spared import is_import

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.elements import Scene
    from fastapply.merge.fill import Op

_SLIGHT = 0.15  # weight of lines that say next to nothing
_SAME = 0.92  # similarity of a line with its new version
_FIXED = 1.5  # weight of lines that together fix a place


class Beside:
    """Looks for them, for one edit and one file."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.edit, self.table, self.file = scene.edit, scene.table, scene.file

    def find(self, ops: Sequence[Op]) -> list[Opening]:
        """Ends of runs, up to a line that stands once, where new lines stand for others, or come beside them.

        ``## 1.3``, entries, and a marker: put in above ``## 1.2``, rather than in place of its heading. What
        lies in a definition that is shown to its end has nothing beside it to stay.
        """
        texts = [f for f, key in enumerate(self.file.keys) if key]
        found: list[Opening] = []
        for run in runs_of(self._scene, ops, deleted=True):
            self._last = max(op.e for op in run)
            self._shown = {
                op.e for op in run if op.kind == "match" or (op.kind == "near" and self._keeps_name(op))
            }
            for ordered, outermost in ((run, texts[:1]), (run[::-1], texts[-1:])):
                if [op.f for op in ordered if op.f >= 0][:1] == outermost:
                    continue  # nothing is beyond the first or last line of the file
                end = next((n for n, op in enumerate(ordered) if self._stands_once(op)), len(ordered))
                given_up = self._given_up(ordered[:end])
                if given_up is not None:
                    found.append(given_up)
                    break
        return [*found, *self._hidden_by_none(ops)]

    def _hidden_by_none(self, ops: Sequence[Op]) -> list[Opening]:
        """Lines that give up their names, or go, right beside a marker that stands for nothing."""
        found: list[Opening] = []
        above: Op | None = None  # the last operation that an edit line or a lost line of the file has
        lost: Op | None = None
        stays = False
        for op in ops:
            if op.kind == "keep":
                stays = stays or bool(self.file.keys[op.f])
                continue
            if op.kind == "delete":
                lost = op if self._says(op.f) else lost
                continue
            if op.e < 0 or not self.table.keys[op.e]:
                continue
            if above is not None and not stays and "marker" in self.edit.kinds[above.e : op.e]:
                near = next((x for x in (above, op) if x.kind == "near" and not self._keeps_name(x)), lost)
                if near is not None:
                    line = near.e if near.e >= 0 else above.e
                    found.append(Opening(line, "replace_or_insert", near.f, near.f + 1))
            above, lost, stays = op, None, False
        return found

    def _given_up(self, ordered: Sequence[Op]) -> Opening | None:
        """A line of the file that new ones between weak anchors put out of its place."""
        new = shared = 0
        fixed = 0.0
        taken = lost = None
        for n, op in enumerate(ordered):
            if op.kind == "insert":
                new += self.table.weights[op.e] > _SLIGHT
            elif op.kind == "match":
                shared += self.table.weights[op.e] > _SLIGHT
                fixed += 0 if is_attachment(self.table.lines[op.e]) else self.table.weights[op.e]
                if fixed >= _FIXED and shared > 1 and not new and not taken and not lost:
                    break  # lines that stand twice each, but hardly so together
            elif op.kind == "near" and not taken and not self._keeps_name(op):
                taken = None if self._is_enclosed(op.e) else op
            elif op.kind == "delete" and not lost and self._says(op.f):
                lost = None if self._goes_within(ordered, n) else op
        gone = taken if new else None
        if gone is None and new > 1 and shared > 1:
            gone = lost
        if gone is None:
            return None
        line = gone.e if gone.e >= 0 else next(op.e for op in ordered if op.kind == "insert")
        return Opening(line, "replace_or_insert", gone.f, gone.f + 1)

    def _goes_within(self, ordered: Sequence[Op], n: int) -> bool:
        """Whether a line goes beside one that is enclosed, or right behind the header of a function."""
        above = next((op.e for op in ordered[n::-1] if op.e >= 0), -1)
        below = next((op.e for op in ordered[n:] if op.e >= 0), -1)
        if any(e >= 0 and self._is_enclosed(e) for e in (above, below)):
            return True
        first = min((e for e in (above, below) if e >= 0), default=-1)
        return first >= 0 and is_function(self.table.lines[first])

    def _says(self, f: int) -> bool:
        """Whether a line of the file that goes tells something that the edit shows nowhere."""
        if self.file.weights[f] <= SAYS or self.file.keys[f] in self._scene.shown:
            return False
        return not is_import(self.file.lines[f])

    def _stands_once(self, op: Op) -> bool:
        if op.kind != "match":
            return False
        if is_attachment(self.table.lines[op.e]):
            f = op.f
            while f + 1 < len(self.file.lines) and is_attachment(self.file.lines[f]):
                f += 1
            if definition(self.file.lines[f]) is not None:
                return False  # it is copied for what is new beside what it is about
        return self._scene.count[self.table.keys[op.e]] == 1 and self.table.weights[op.e] > SAYS

    def _keeps_name(self, op: Op) -> bool:
        """Whether a new version of a line is about what the old one is about."""
        new, old = self.table.lines[op.e], self.file.lines[op.f]
        if shortening(new, old) or self.table.keys[op.e].rstrip(",;") == self.file.keys[op.f].rstrip(",;"):
            return True
        if not is_attachment(new) and similarity(new, old) >= _SAME:
            return True
        if is_attachment(new) and not self._stands_alone(op.e):
            return True  # a comment goes with what it is about, and a heading with nothing
        return any(name(new) is not None and name(new) == name(old) for name in (definition, identity))

    def _stands_alone(self, e: int) -> bool:
        """Whether an edit line has a blank line, or none at all, on both sides."""
        sides = (e - 1, e + 1)
        return not any(0 <= x < len(self.table.keys) and self.table.keys[x] for x in sides)

    def _is_enclosed(self, inner: int) -> bool:
        """Whether a line lies in a function whose header is shown, or in a block that is shown to its end."""
        around, last = self.edit.parents[inner], self._last
        while around >= self._scene.run(inner).start:
            closer = self.edit.closers.get(around, -1)
            shows = around in self._shown and self.table.weights[around] > SAYS
            if shows and (around < closer <= last or self._ends_before(around, last)):
                return True
            if shows and is_function(self.table.lines[around]):
                return True
            around = self.edit.parents[around]
        return False

    def _ends_before(self, opener: int, last: int) -> bool:
        """Whether a block without a closing line has ended where its run does."""
        end = self.table.ends[opener]
        if end <= last:
            return opener not in self.edit.closers
        behind = next((x for x in range(last + 1, len(self.edit.kinds)) if self.edit.kinds[x] != "blank"), -1)
        return (
            behind >= 0
            and self.edit.kinds[behind] == "marker"
            and (self.edit.depths[behind] <= self.edit.depths[opener])
        )


def runs_of(scene: Scene, ops: Sequence[Op], *, deleted: bool = False) -> list[list[Op]]:
    """The operations of each run of an edit, blank lines left out; with removals if `deleted`."""
    runs: dict[int, list[Op]] = {}
    here: int | None = None
    for op in ops:
        if op.e >= 0:
            here = scene.run(op.e).start
            if scene.table.keys[op.e]:
                runs.setdefault(here, []).append(op)
        elif deleted and op.kind == "delete" and scene.file.keys[op.f] and here in runs:
            runs[here].append(op)
    return list(runs.values())
