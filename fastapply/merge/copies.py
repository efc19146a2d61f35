"""Old versions that would stay behind as second copies of what the edit shows anew."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.merge.doubts import Opening
from fastapply.merge.fill import Op
from fastapply.merge.framed import is_framed
from fastapply.merge.likeness import defined_name, definition, is_attachment, similarity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.elements import Scene

ALIKE = 0.75
"""Mean similarity of its lines from which on a new definition may be the one beside it, renamed."""
SAME = 0.9
"""The same for two whose names have nothing in common."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_COMMON = frozenset(
    ["test", "tests", "it", "should", "when", "can", "does", "is", "has", "the", "a", "to", "of"]
)
_MEMBERS = re.compile(r"\s*(?:\w+\s+)*(?:interface|struct|enum|type|record)\b")


def keep_attached(scene: Scene, ops: Sequence[Op]) -> list[Op]:
    """Leave a definition that stays the comments and decorators right above it.

    A new definition put in before it may begin with equal ones, or much the same; those are its own.
    """
    out = list(ops)
    for n in range(len(ops) - 1, -1, -1):
        op = out[n]
        if op.kind not in {"match", "near"} or not is_attachment(scene.file.lines[op.f]):
            continue
        end = n + 1
        while end < len(out) and out[end].kind == "insert":
            end += 1
        stays = end < len(out) and out[end] == Op("keep", -1, op.f + 1) and bool(scene.file.keys[op.f + 1])
        new = [other.e for other in out[n + 1 : end] if other.e >= 0]
        if stays and any(definition(scene.table.lines[e]) is not None for e in new):
            out[n] = Op("insert", op.e, -1)
            out.insert(end, Op("keep", -1, op.f))
    return out


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
        first = 0
        heads = {op.f for op in ops if op.kind == "match" and definition(self.file.lines[op.f]) is not None}
        for n, op in enumerate([*ops, None]):
            if op is not None and op.kind == "insert":
                if op.e >= 0:
                    first = first if group else n
                    group.append(op.e)
            elif op is None or op.kind != "delete":
                if len(group) >= 2 and not is_framed(self._scene, ops, first):
                    defines = any(definition(self.table.lines[e]) is not None for e in group)
                    reach = 2 * len(group) + 10 if defines else len(group) + 5
                    near = ops[max(0, n - len(group) - reach) : n + reach]
                    hidden = {other.f for other in near if other.kind == "keep"}
                    shown = [other.f for other in near if other.kind == "match"]
                    kept = sorted(hidden.union(f for f in shown if not self._is_shown_whole(f, heads)))
                    at = next((other.f for other in ops[n:] if other.f >= 0), len(self.file.keys))
                    twins = self._renamed(group, hidden, at)
                    if not twins and (twins := self._twins(group, kept)) and defines:
                        twins = None if self._are_apart(at, group, range(*twins), hidden) else twins
                    if twins:
                        found.append(Opening(group[0], "replace_or_insert", *twins))
                group = []
        return found

    def _is_shown_whole(self, f: int, heads: set[int]) -> bool:
        """Whether a file line is in a definition whose first line is shown: no old form of another."""
        while (f := self.file.parents[f]) >= 0:
            if f in heads:
                return True
        return False

    def _are_apart(self, at: int, group: Sequence[int], twins: range, hidden: set[int]) -> bool:
        """Whether other definitions stand between file line `at` and all that hold what new lines repeat."""
        new = {self.table.keys[e] for e in group if self.table.weights[e] > 0.6}
        heads = Counter(self._head(f) for f in twins if f in hidden and self.file.keys[f] in new)
        most = max(heads.values(), default=0)
        return bool(heads) and all(
            self._is_beyond(head, at) for head, count in heads.items() if 2 * count >= most
        )

    def _head(self, f: int) -> int:
        """First line of the definition that a file line is in, else that of the outermost block around it."""
        while definition(self.file.lines[f]) is None and self.file.parents[f] >= 0:
            f = self.file.parents[f]
        return f

    def _is_beyond(self, head: int, at: int) -> bool:
        """Whether a definition stands between file line `at` and the block that line `head` opens."""
        behind = self.file.ends[head]
        between = range(behind, at) if behind <= at else range(at, head)
        depth = self.file.depths[head]
        return any(
            definition(self.file.lines[f]) is not None and self.file.depths[f] <= depth for f in between
        )

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
            doubled = any(one and other for one, other in pairwise(once)) or self._in_a_row(telling, kept)
        return (there[0], there[-1] + 1) if doubled else None

    def _in_a_row(self, telling: Sequence[int], kept: Sequence[int]) -> bool:
        """Whether two new lines follow one another as two kept lines do that do so once in the file."""
        ours = {(self.table.keys[a], self.table.keys[b]) for a, b in pairwise(telling) if b == a + 1}
        if not ours:
            return False
        beside = set(kept)
        rows = [
            f for f in range(len(self.file.keys) - 1) if (self.file.keys[f], self.file.keys[f + 1]) in ours
        ]
        return len(rows) == 1 and rows[0] in beside and rows[0] + 1 in beside

    def _renamed(self, group: Sequence[int], hidden: set[int], at: int) -> tuple[int, int] | None:
        """A hidden definition next to new ones, at file line `at`, that says about what one of them says.

        One that shares no word of its name with the other has to say nearly the same.
        """
        heads = [e for e in group if definition(self.table.lines[e]) is not None]
        for e in heads:
            ours = [x for x in group if e < x < self.table.ends[e] and self.table.weights[x] > 0.6]
            for f in sorted(hidden) if len(ours) >= 3 else ():
                block = range(f, self.file.ends[f])
                theirs = [j for j in block[1:] if self.file.weights[j] > 0.6]
                if len(theirs) != len(ours) or definition(self.file.lines[f]) is None:
                    continue
                if self._is_beyond(f, at):
                    continue
                pairs = zip(ours, theirs, strict=True)
                alike = sum(similarity(self.table.lines[x], self.file.lines[j]) for x, j in pairs)
                least = ALIKE if _share_a_word(self.table.lines[e], self.file.lines[f]) else SAME
                if alike >= least * len(ours) and all(j in hidden for j in block if self.file.keys[j]):
                    return f, self.file.ends[f]
        return None

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


def _share_a_word(line: str, other: str) -> bool:
    """Whether two lines define names with a word in common that says something."""
    first, second = (
        {word.lower() for word in _WORD.findall(definition(text) or "")} - _COMMON for text in (line, other)
    )
    return bool(first & second)
