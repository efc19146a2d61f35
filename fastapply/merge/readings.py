"""Alignments that can be read in another way as a whole: what came may be new beside what it replaced.

`doubts` looks at single lines and gaps; here it is whole runs, entries and definitions. Each rule only asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.merge.doubts import Opening
from fastapply.merge.framed import SAYS
from fastapply.merge.likeness import definition, identity, is_abbreviation, is_attachment, similarity
from fastapply.merge.spared import is_import

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.elements import Scene
    from fastapply.merge.fill import Op

_SLIGHT = 0.15  # weight of lines that say next to nothing
_ENTRY = 0.6  # similarity of two entries of a list


class Readings:
    """Finds what else an alignment could mean."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self.edit, self.table, self.file = scene.edit, scene.edit.table, scene.file

    def find(self, ops: Sequence[Op]) -> list[Opening]:
        """All that has to be asked about these operations."""
        return [
            *self.adrift(ops),
            *self.siblings(ops),
            *self.beside(ops),
            *self.overtaken(ops),
            *self.doubled_head(ops),
        ]

    def adrift(self, ops: Sequence[Op]) -> list[Opening]:
        """Runs of which all lines are new, although one of them stands once in the file, and stays there."""
        stays = {op.f for op in ops if op.kind == "keep"}
        kinds: dict[int, set[str]] = {}
        for op in ops:
            if op.e >= 0 and self.table.keys[op.e]:
                kinds.setdefault(self._scene.run(op.e).start, set()).add(op.kind)
        found: list[Opening] = []
        for start, there in kinds.items():
            for e in self._scene.run(start) if there == {"insert"} else ():
                key = self.table.keys[e]
                if self.table.weights[e] <= 0.6 or self._scene.count[key] != 1:
                    continue
                f = self.file.keys.index(key)
                if f in stays:
                    found.append(Opening(e, "no_anchor", f, f + 1))
                    break
        return found

    def doubled_head(self, ops: Sequence[Op]) -> list[Opening]:
        """An edit's first line that comes in anew, although the file begins with it: ``---``, a shebang."""
        told = [op for op in ops if op.kind != "delete" and (op.e >= 0 or op.f >= 0)]
        first = next((n for n, key in enumerate(self.table.keys) if key), -1)
        top = next((f for f, key in enumerate(self.file.keys) if key), -1)
        if first < 0 or top < 0 or self.table.keys[first] != self.file.keys[top]:
            return []
        if any(kind == "marker" for kind in self.edit.kinds[:first]):
            return []
        if not any(op.kind == "insert" and op.e == first for op in told):
            return []
        return [Opening(first, "replace_or_insert", top, top + 1)]

    def overtaken(self, ops: Sequence[Op]) -> list[Opening]:
        """Lines that go below a comment and come in above it: the comment may be a copy, for what is new.

        A new overload under a comment like that of the old one is a definition more, and no move.
        """
        came: dict[str, int] = {}
        for n, op in enumerate(ops):
            if op.kind == "insert" and op.e >= 0 and self.table.weights[op.e] > 0.6:
                came[self.table.keys[op.e]] = n
        found: list[Opening] = []
        for n, op in enumerate(ops):
            key = self.file.keys[op.f] if op.kind == "delete" else ""
            if key not in came or self._scene.count[key] != 1:
                continue
            first, last = sorted((came[key], n))
            between = [self.file.lines[o.f] for o in ops[first:last] if o.kind in {"match", "near"}]
            told = [line for line in between if line.strip()]
            if told and all(is_attachment(line) or line.lstrip().startswith("*") for line in told):
                found.append(Opening(ops[came[key]].e, "replace_or_insert", op.f, op.f + 1))
                break
        return found

    def siblings(self, ops: Sequence[Op]) -> list[Opening]:
        """Ends of runs that rewrite one entry of a list of alike ones, or are a new entry beside it.

        Up to the first line that stands once there are only new versions of lines, none of which keeps its
        name, around lines that every entry has: ``## 1.2`` may have become ``## 1.3``, or have got company.
        """
        found: list[Opening] = []
        stays = {op.f for op in ops if op.kind == "keep"}
        for run in self._runs(ops):
            # A line of the file at its end shows where an entry ends; one at its top every entry begins with
            ends = (run,) if run[-1].kind == "match" else (run, run[::-1])
            for ordered in ends:
                opening = self._sibling(ordered, stays, -1 if ordered is run else 1)
                if opening is not None:
                    found.append(opening)
                    break
        return found

    def _is_like(self, e: int, f: int, stays: set[int]) -> bool:
        """Whether a line of the edit is one more of a kind beside a line that stays."""
        return f in stays and similarity(self.table.lines[e], self.file.lines[f]) >= _ENTRY

    def _runs(self, ops: Sequence[Op], *, deleted: bool = False) -> list[list[Op]]:
        """The operations of each run of the edit, blank lines left out; with removals if `deleted`."""
        runs: dict[int, list[Op]] = {}
        here: int | None = None
        for op in ops:
            if op.e >= 0:
                here = self._scene.run(op.e).start
                if self.table.keys[op.e]:
                    runs.setdefault(here, []).append(op)
            elif deleted and op.kind == "delete" and self.file.keys[op.f] and here in runs:
                runs[here].append(op)
        return list(runs.values())

    def beside(self, ops: Sequence[Op]) -> list[Opening]:
        """Ends of runs, up to a line that stands once, where new lines stand for others, or come beside them.

        ``## 1.3``, entries, and a marker: put in above ``## 1.2``, rather than in place of its heading. What
        lies in a definition that is shown to its end has nothing beside it to stay.
        """
        texts = [f for f, key in enumerate(self.file.keys) if key]
        found: list[Opening] = []
        for run in self._runs(ops, deleted=True):
            shown = [op for op in run if op.e >= 0]
            for ordered, outermost in ((run, texts[:1]), (run[::-1], texts[-1:])):
                if [op.f for op in ordered if op.f >= 0][:1] == outermost:
                    continue  # nothing is beyond the first or last line of the file
                end = next((n for n, op in enumerate(ordered) if self._stands_once(op)), len(ordered))
                given_up = self._given_up(ordered[:end], shown)
                if given_up is not None:
                    found.append(given_up)
                    break
        return found

    def _given_up(self, ordered: Sequence[Op], shown: Sequence[Op]) -> Opening | None:
        """A line of the file that new ones between weak anchors put out of its place."""
        new = shared = 0
        taken = lost = None
        last: Op | None = None
        for op in ordered:
            last = op if op.e >= 0 else last
            if op.kind == "insert":
                new += self.table.weights[op.e] > _SLIGHT
            elif op.kind == "match":
                shared += self.table.weights[op.e] > _SLIGHT
            elif op.kind == "near" and not taken and not self._keeps_name(op):
                taken = None if self._is_enclosed(op, shown) else op
            elif op.kind == "delete" and not lost and self._says(op.f):
                lost = None if last is not None and self._is_enclosed(last, shown) else op
        gone = taken if new else None
        if gone is None and new > 1 and shared > 1:
            gone = lost
        if gone is None:
            return None
        line = gone.e if gone.e >= 0 else next(op.e for op in ordered if op.kind == "insert")
        return Opening(line, "replace_or_insert", gone.f, gone.f + 1)

    def _says(self, f: int) -> bool:
        """Whether a line of the file that goes tells something that the edit shows nowhere."""
        if self.file.weights[f] <= SAYS or self.file.keys[f] in self._scene.shown:
            return False
        return not is_import(self.file.lines[f])

    def _stands_once(self, op: Op) -> bool:
        if op.kind != "match" or is_attachment(self.table.lines[op.e]):
            return False  # a comment is copied for what is new beside it
        return self._scene.count[self.table.keys[op.e]] == 1 and self.table.weights[op.e] > SAYS

    def _keeps_name(self, op: Op) -> bool:
        """Whether a new version of a line is about what the old one is about."""
        new, old = self.table.lines[op.e], self.file.lines[op.f]
        if is_abbreviation(new, old) or self.table.keys[op.e].rstrip(",;") == self.file.keys[op.f].rstrip(
            ",;"
        ):
            return True
        if is_attachment(new) and self._is_above_definition(op.e):
            return True  # a comment goes with what it is about
        return any(name(new) is not None and name(new) == name(old) for name in (definition, identity))

    def _is_above_definition(self, e: int) -> bool:
        while e + 1 < len(self.table.lines) and self.table.keys[e] and is_attachment(self.table.lines[e]):
            e += 1
        return definition(self.table.lines[e]) is not None

    def _is_enclosed(self, inner: Op, run: Sequence[Op]) -> bool:
        """Whether a line lies in a block of the file that the edit shows from its first line to its last."""
        shared = {op.e for op in run if op.kind == "match" or (op.kind == "near" and self._keeps_name(op))}
        around, last = self.edit.parents[inner.e], run[-1].e
        while around >= run[0].e:
            closer = self.edit.closers.get(around, -1)
            shows = around in shared and self.table.weights[around] > SAYS
            if shows and (around < closer <= last or self._ends_before(around, last)):
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

    def _sibling(self, ordered: Sequence[Op], stays: set[int], step: int) -> Opening | None:
        rewritten: list[Op] = []
        shared = new = 0
        for op in ordered:
            key, weight = self.table.keys[op.e], self.table.weights[op.e]
            if op.kind == "match":
                if self._scene.count[key] == 1 and weight > SAYS:
                    break
                shared += weight > 0.1
            elif op.kind == "near":
                name = definition(self.table.lines[op.e])
                if name is not None and name == definition(self.file.lines[op.f]):
                    return None
                rewritten.append(op)
            else:
                new += 1
        else:
            return None
        if len(rewritten) < 2:
            return None
        first = rewritten[0]
        if shared:
            listed = len(rewritten) + new >= 3
        else:
            listed = not new and self._is_like(first.e, first.f + step, stays)
        if not listed:
            return None
        return Opening(first.e, "replace_or_insert", first.f, first.f + 1)
