"""Old versions that would stay behind as second copies of what the edit shows anew."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.merge.doubts import Opening
from fastapply.merge.likeness import defined_name, definition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.elements import Scene
    from fastapply.merge.fill import Op

_MEMBERS = re.compile(r"\s*(?:\w+\s+)*(?:interface|struct|enum|type|record)\b")


class Copies:
    """Looks for them, for one edit and one file."""

    def __init__(self, scene: Scene) -> None:
        self.table = scene.table
        self.file = scene.file
        self._scene = scene

    def find(self, ops: Sequence[Op]) -> list[Opening]:
        """Stretches of new lines that the kept lines beside them repeat: the old version may have been left.

        A new definition may share lines with its neighbours; one that shares nearly all of them is an
        old one that was renamed.
        """
        found: list[Opening] = []
        group: list[int] = []
        for n, op in enumerate([*ops, None]):
            if op is not None and op.kind == "insert":
                if op.e >= 0:
                    group.append(op.e)
            elif op is None or op.kind != "delete":
                if len(group) >= 2:
                    defines = any(definition(self.table.lines[e]) is not None for e in group)
                    reach = 2 * len(group) + 10 if defines else len(group) + 5
                    kept = [
                        other.f
                        for other in ops[max(0, n - len(group) - reach) : n + reach]
                        if other.kind in {"keep", "match"}
                    ]
                    twins = self._twins(group, kept)
                    if twins:
                        found.append(Opening(group[0], "replace_or_insert", *twins))
                group = []
        return found

    def _twins(self, group: Sequence[int], kept: Sequence[int]) -> tuple[int, int] | None:
        """Kept file lines `[start, end)` that a stretch of new lines repeats; None where it doesn't."""
        places = {self.file.keys[f]: f for f in kept}
        telling = [e for e in group if self.table.weights[e] > 0.6]
        heads = {e for e in group if definition(self.table.lines[e]) is not None}
        if any(_MEMBERS.match(self.table.lines[e]) for e in heads):
            members = self._same_members([e for e in telling if e not in heads], kept)
            if members:
                return members[0], members[-1] + 1
        there = sorted(places[self.table.keys[e]] for e in telling if self.table.keys[e] in places)
        if not there:
            return None
        if heads:
            body = [self.table.keys[e] in places for e in telling if e not in heads]
            close = there[-1] - there[0] <= 1.5 * len(group) + 3
            alone = all(self._scene.count[self.table.keys[e]] == 1 for e in telling if e not in heads)
            nearly = sum(body) >= 3 and sum(body) >= 0.75 * len(body)
            doubled = close and (
                nearly or (len(body) >= 2 and all(body) and alone) or self._covers(group, kept)
            )
        else:
            once = [
                self.table.keys[e] in places and self._scene.count[self.table.keys[e]] == 1 for e in telling
            ]
            doubled = any(one and other for one, other in pairwise(once))
        return (there[0], there[-1] + 1) if doubled else None

    def _same_members(self, body: Sequence[int], kept: Sequence[int]) -> list[int]:
        """Kept lines beside a new type that give all the names which its own lines give; none otherwise."""
        names = [(defined_name(self.table.lines[e]) or "").rstrip("?") for e in body]
        there = {(defined_name(self.file.lines[f]) or "").rstrip("?"): f for f in kept}
        if len(names) < 2 or not all(name and name in there for name in names):
            return []
        return sorted(there[name] for name in names)

    def _covers(self, group: Sequence[int], kept: Sequence[int]) -> bool:
        """Whether new lines hold all that a kept definition beside them says, its first line left aside."""
        new = {self.table.keys[e] for e in group}
        beside = set(kept)
        for f in kept:
            block = range(f + 1, self.file.ends[f])
            told = [self.file.keys[j] for j in block if self.file.weights[j] > 0.6]
            if len(told) >= 4 and block[-1] in beside and all(key in new for key in told):
                return definition(self.file.lines[f]) is not None
        return False
