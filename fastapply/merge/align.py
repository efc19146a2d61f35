"""Aligning a lazy edit with a file: the cheapest chain of anchors from the edit's start to its end.

An anchor says that an edit line is a file line (see `anchors`); between two neighbouring anchors of
the chain stand new lines, markers, and file lines that stay or go (see `transitions`). The chain takes
the weights of its anchors and pays for its transitions.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.merge.anchors import Anchor, closing_line, find_anchors
from fastapply.merge.effort import Effort
from fastapply.merge.indentation import indent_of, level_width
from fastapply.merge.likeness import subject
from fastapply.merge.lines import TAB
from fastapply.merge.transitions import Transition, Transitions
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from fastapply.merge.elements import LazyEdit
    from fastapply.merge.lines import LineTable

ORPHAN = 0.6
"""What an anchor counts inside a block whose opening line is nowhere in the file."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """A chain of anchors, the transitions around them (one more than anchors), and its score."""

    anchors: tuple[Anchor, ...]
    transitions: tuple[Transition, ...]
    score: float


def _ratio(edit: LineTable, file: LineTable, anchors: Sequence[Anchor]) -> float:
    """Columns of the file to one column of the edit, as lines that stand once in both show it."""
    counted = Counter(anchor.i for anchor in anchors if anchor.kind == "exact")
    deep = [p for p in anchors if p.kind == "exact" and edit.depths[p.i] > 0 and file.depths[p.start] > 0]
    known = [p for p in deep if counted[p.i] == 1] or deep
    if not known:
        spaced = not any(line.startswith("\t") for line in edit.lines)
        tabs = any(line.startswith("\t") for line in file.lines)
        step = level_width(indent_of(line) for line in edit.lines if line.strip())
        return (
            TAB / step if spaced and tabs and not any(line.startswith("  ") for line in file.lines) else 1.0
        )
    same = sum(edit.depths[p.i] == file.depths[p.start] for p in known)
    if 2 * same >= len(known):
        return 1.0
    units = [_unit(table) for table in (file, edit)]
    other = units[0] / units[1]
    steps = [
        (file.depths[q.start] - file.depths[p.start], edit.depths[q.i] - edit.depths[p.i])
        for p, q in pairwise(known)
    ]
    fits = {
        ratio: sum(abs(theirs - ratio * ours) < 0.6 for theirs, ours in steps if ours)
        for ratio in (1.0, other)
    }
    return other if fits[other] > fits[1.0] else 1.0


def _unit(table: LineTable) -> int:
    """Columns of one level; the lines of a doc comment are one column aside, and no level."""
    return level_width(indent_of(line) for line in table.lines if line.strip() and line.lstrip()[0] != "*")


class Aligner:
    """Finds the best chain for one edit and one file, as often as asked, without some anchors."""

    def __init__(
        self, edit: LazyEdit, file: LineTable, anchors: Sequence[Anchor], effort: Effort | None = None
    ) -> None:
        self.edit = edit
        self.file = file
        self.anchors = anchors
        size = len(edit.kinds)
        self.start = Anchor(-1, 0, 0, 0.0, "bound")
        self.finish = Anchor(size, len(file.lines), len(file.lines), 0.0, "bound")
        self.ratio = _ratio(edit.table, file, anchors)
        self.effort = effort or Effort()
        self.transitions = Transitions(edit, file, self.ratio, self.effort)
        for anchor in anchors:
            if anchor.kind != "end":
                self.transitions.blocks.places.setdefault(anchor.i, []).append(anchor.start)
        self._candidates = {anchor.i for anchor in anchors}
        self._share = self._shares()
        self.transitions.between.pinned = frozenset(
            anchor.i
            for anchor in anchors
            if anchor.kind == "exact"
            and self.transitions.stands_once(anchor.i)
            and self._share[anchor.i] > 0.5
            and edit.table.ends[anchor.i] == anchor.i + 1
        )
        self._number(anchors)

    def _number(self, anchors: Sequence[Anchor]) -> None:
        """What `solve` asks for time and again, by an anchor's number."""
        self._all = (self.start, *anchors, self.finish)
        present = {(p.i, p.start): n for n, p in enumerate(self._all) if p.kind in {"exact", "near"}}
        self._scores = [self._score(anchor) for anchor in self._all]
        self._forced = [self._diagonal(p, present) if p.kind == "exact" else -1 for p in self._all]
        self._costs: list[dict[int, float]] = [{} for _ in self._all]
        self._earlier: list[list[int] | None] = [None] * len(self._all)

    def solve(self, banned: Collection[Anchor] = ()) -> Alignment:
        """The best chain through all anchors but the `banned` ones."""
        anchors, last = self._all, len(self._all) - 1
        out = [anchor in banned for anchor in anchors] if banned else [False] * len(anchors)
        best = [float("-inf")] * len(anchors)
        came = [-1] * len(anchors)
        best[0] = 0.0
        for n in range(1, len(anchors)):
            score = self._scores[n]
            if out[n] or (score <= 0.0 and n < last):
                continue
            forced = self._forced[n]
            if forced >= 0 and (out[forced] or best[forced] == float("-inf")):
                forced = -1
            self.effort.spend(1 if forced >= 0 else n // 10)
            costs, most = self._costs[n], best[n]
            for m in (forced,) if forced >= 0 else self._before(n):
                value = best[m] + score
                if value <= most:
                    continue
                cost = costs.get(m)
                if cost is None:
                    cost = costs[m] = self.transitions.transition(anchors[m], anchors[n]).cost
                value -= cost
                if value > most:
                    most, came[n] = value, m
            best[n] = most
        chain: list[Anchor] = []
        n = came[last]
        while n > 0:
            chain.append(anchors[n])
            n = came[n]
        chain.reverse()
        ends = [self.start, *chain, self.finish]
        transitions = tuple(self.transitions.transition(a, b) for a, b in pairwise(ends))
        return Alignment(tuple(chain), transitions, best[-1])

    def _before(self, n: int) -> Sequence[int]:
        """The anchors that may come before one in a chain, the nearest first, by their numbers."""
        found = self._earlier[n]
        if found is None:
            anchor = self._all[n]
            found = self._earlier[n] = [
                m
                for m in range(n - 1, -1, -1)
                if self._all[m].i < anchor.i and self._all[m].end <= anchor.start
            ]
        return found

    def _diagonal(self, anchor: Anchor, present: dict[tuple[int, int], int]) -> int:
        """Number of the exact anchor just before this one in both texts, -1 where there is none."""
        i = anchor.i - 1
        while i >= 0 and self.edit.kinds[i] == "blank":
            i -= 1
        j = anchor.start - 1
        while j >= 0 and not self.file.keys[j]:
            j -= 1
        if i < 0 or j < 0 or self.edit.kinds[i] != "text" or self.edit.table.keys[i] != self.file.keys[j]:
            return -1
        return present.get((i, j), -1)

    def _score(self, anchor: Anchor) -> float:
        """Weight of an anchor; little where its block is opened by a line that is nowhere in the file."""
        if anchor.kind == "bound":
            return 0.0
        return anchor.weight * self._share[anchor.i]

    def _shares(self) -> list[float]:
        """What part of its weight a line's anchor counts: little where its block is opened by a new line.

        None at all where that line defines something, since nothing old stands in a new definition; but one
        with a marker in it is an old one with another header.
        """
        shares = [1.0] * len(self.edit.kinds)
        for i, kind in enumerate(self.edit.kinds):
            parent = self.edit.parents[i]
            if kind != "text" or parent < 0 or self.edit.kinds[parent] != "text":
                continue
            shares[i] = shares[parent]
            if parent not in self._candidates:
                new = self.transitions.blocks.defines[parent] and not hides(self.edit, parent)
                shares[i] = 0.0 if new else shares[i] * ORPHAN
        return shares


def align(edit: LazyEdit, file: LineTable, effort: Effort) -> tuple[Aligner, Alignment]:
    """The best alignment of an edit with a file, without anchors that the chain itself contradicts."""
    texts = [i for i, kind in enumerate(edit.kinds) if kind == "text"]
    anchors = find_anchors(edit.table, file, texts, edit.openers, edit.block_ends)
    while True:
        aligner = Aligner(edit, file, anchors, effort)
        best = aligner.solve()
        broken = contradicted(edit, file, best)
        if not broken:
            return aligner, best
        anchors = [anchor for anchor in anchors if anchor not in broken]


def contradicted(edit: LazyEdit, file: LineTable, best: Alignment) -> set[Anchor]:
    """Anchors that don't hold in the light of the whole chain.

    A line that closes a block can't close one whose opening line is another, and nothing old stands in
    a definition that is new.
    """
    at = {anchor.i: anchor for anchor in best.anchors}
    found: set[Anchor] = set()
    for anchor in best.anchors:
        if anchor.kind == "derived":
            opener = at.get(edit.openers[anchor.i])
            if opener is None or closing_line(file, opener.start) != anchor.start:
                found.add(anchor)
        parent = edit.parents[anchor.i]
        while parent >= 0 and (edit.kinds[parent] != "text" or subject(edit.table.lines[parent]) is None):
            parent = edit.parents[parent]
        if parent >= 0 and parent not in at and not hides(edit, parent):
            found.add(anchor)
    return found


def hides(edit: LazyEdit, opener: int) -> bool:
    """Whether a marker stands in the block that an edit line opens: then it is no new one."""
    end = max(edit.table.ends[opener], edit.closers.get(opener, 0))
    return "marker" in edit.kinds[opener + 1 : end]
