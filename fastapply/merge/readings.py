"""Alignments that can be read in another way as a whole: what came may be new beside what it replaced.

`doubts` looks at single lines and gaps; here it is whole runs, entries and definitions. Each rule only asks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.merge.beside import runs_of
from fastapply.merge.doubts import Opening
from fastapply.merge.framed import SAYS
from fastapply.merge.likeness import definition, identity, is_attachment, is_function, similarity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.elements import Scene
    from fastapply.merge.fill import Op

_FIELD = re.compile(r"\s*(\w[\w\s]*)[:=]")  # ``pub number: u32``
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
                if self.table.weights[e] <= 0.6 or self._scene.count[key] != 1 or self._is_in_definition(e):
                    continue
                f = self.file.keys.index(key)
                if f in stays:
                    found.append(Opening(e, "no_anchor", f, f + 1))
                    break
        return found

    def _is_in_definition(self, e: int) -> bool:
        """Whether an edit line stands in a function of the same run: it may say what others say."""
        run = self._scene.run(e)
        while (e := self.edit.parents[e]) >= run.start:
            if is_function(self.table.lines[e]):
                return True
        return False

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
        for run in runs_of(self._scene, ops):
            # A line of the file at its end shows where an entry ends; one at its top every entry begins with
            ends = (run,) if run[-1].kind == "match" else (run, run[::-1])
            for ordered in ends:
                opening = self._sibling(ordered, stays, -1 if ordered is run else 1)
                if opening is not None:
                    found.append(opening)
                    break
        return found

    def _has_name(self, op: Op) -> bool:
        """Whether a line and its new version are about something that both name."""
        new, old = self.table.lines[op.e], self.file.lines[op.f]
        if (name := identity(new)) is not None:
            return name == identity(old)
        field, before = _FIELD.match(new), _FIELD.match(old)
        return field is not None and before is not None and field[1].split() == before[1].split()

    def _is_like(self, e: int, f: int, stays: set[int]) -> bool:
        """Whether a line of the edit is one more of a kind beside a line that stays."""
        return f in stays and similarity(self.table.lines[e], self.file.lines[f]) >= _ENTRY

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
        if not rewritten:
            return None
        first = rewritten[0]
        if shared and len(rewritten) > 1:
            listed = len(rewritten) + new >= 3
        else:
            item = next((op for op in rewritten if self.table.lines[op.e].lstrip().startswith("- ")), first)
            named = item is first and self._has_name(first)  # what an item of a list is called is no name
            named = named and not self.table.lines[item.e].lstrip().startswith("- ")
            listed = not named and self._is_like(item.e, first.f + step, stays)
        if not listed:
            return None
        return Opening(first.e, "replace_or_insert", first.f, first.f + 1)
