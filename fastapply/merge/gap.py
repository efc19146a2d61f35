"""A gap: what stands between two neighbouring anchors of a chain, in the edit and in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.merge.certainty.features import Features
from fastapply.merge.fill import ScriptLine, fill
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastapply.merge.align import Aligner
    from fastapply.merge.anchors import Anchor
    from fastapply.merge.elements import MergeContext
    from fastapply.merge.transitions import Transition

BLANK = -2
"""Edit line of an operation that puts in a blank line which no edit line is."""

Script = list[ScriptLine]
FeatureTable = dict[str, float]


@dataclass(frozen=True, slots=True)
class Gap:
    """Edit lines (`inner`, of them `marks` and `notes`) and file lines `[start, end)` between two anchors."""

    a: Anchor
    b: Anchor
    transition: Transition
    inner: tuple[int, ...]
    marks: tuple[int, ...]
    notes: tuple[int, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ReplacedRange:
    """A script for the file lines between an anchor of a gap and `cut`, where hidden lines begin or end."""

    ops: tuple[ScriptLine, ...]
    features: FeatureTable
    cut: int
    score: float


class ScriptBuilder:
    """Builds edit scripts for the lines of a gap, and scores their features by `weights`."""

    def __init__(self, context: MergeContext, aligner: Aligner, weights: dict[str, float]) -> None:
        self.context, self.aligner, self.weights = context, aligner, weights
        self.edit, self.table, self.file = context.edit, context.table, context.file
        self.features = Features(context, aligner.ratio)

    def score(self, features: FeatureTable) -> float:
        """Score of features."""
        weights = self.weights
        return sum(weights.get(name, 0.0) * value for name, value in features.items())

    def texts(self, lines: Sequence[int]) -> list[int]:
        """Those of some edit lines that hold text."""
        return [x for x in lines if self.edit.kinds[x] == "text"]

    def bare(self, lines: Sequence[int]) -> list[int]:
        """Text and blank lines, without notes; of the blank lines around each note, one group stays."""
        kinds = self.edit.kinds
        kept: list[int] = []
        after_note = False
        for x in lines:
            if kinds[x] == "note":
                after_note = True
            elif kinds[x] == "blank" and after_note and kept and kinds[kept[-1]] == "blank":
                continue
            else:
                after_note = after_note and kinds[x] == "blank"
                kept.append(x)
        return kept

    def trim(self, lines: Sequence[int], *, front: bool) -> tuple[list[int], int]:
        """Lines without the blank ones at one end, and how many those were."""
        found = list(lines)
        at = 0 if front else -1
        while found and self.edit.kinds[found[at]] == "blank":
            found.pop(at)
        return found, len(lines) - len(found)

    def replace(self, ref: Anchor, lines: Sequence[int], start: int, end: int) -> Script:
        """Edit lines in place of file lines; lines that both have stay, with their bytes."""
        if start >= end:
            return insert(lines)
        if not lines:
            return [ScriptLine("delete", -1, f) for f in range(start, end)]
        self.aligner.effort.spend(len(lines) * (end - start))
        level = self._level(ref)
        return fill(self.table, self.file, lines, start, end, shown=self.context.shown, level=level)

    def _level(self, ref: Anchor) -> Callable[[int, int], bool]:
        """A test whether an edit line and a file line stand equally deep, seen from an anchor."""
        depths, file, ratio = self.edit.depths, self.file, self.aligner.ratio
        origin = at = 0.0
        if ref.kind == "end":
            opener = self.edit.block_ends[ref.i]
            base = next(
                (p.start for p in self.aligner.anchors if p.i == opener and file.ends[p.start] == ref.start),
                -1,
            )
            if base >= 0:
                origin, at = depths[opener], file.depths[base]
        elif ref.kind != "bound":
            origin, at = depths[ref.i], file.depths[ref.start]
        return lambda e, f: not file.keys[f] or abs((depths[e] - origin) * ratio - file.depths[f] + at) < 0.6


def insert(lines: Sequence[int]) -> Script:
    """Put edit lines in."""
    return [ScriptLine("insert", x, -1) for x in lines]


_KEEPS: list[ScriptLine] = []
"""An operation that keeps file line `n`, at `n`: most of a script are these."""
_AT_ONCE = 4096
"""Operations that are compared at once."""
_LONG = 5000
"""Operations of a script that is not looked at one by one."""


def keep(start: int, end: int) -> Script:
    """Leave file lines as they are."""
    _KEEPS.extend(ScriptLine("keep", -1, f) for f in range(len(_KEEPS), end))
    return _KEEPS[start:end] if start < end else []


def changed(ops: Sequence[ScriptLine]) -> list[tuple[int, ScriptLine]]:
    """The operations that do more than keep a line, each with its number; few of those of a large file."""
    if len(ops) < _LONG:
        return [(n, op) for n, op in enumerate(ops) if op.kind != "keep"]
    found: list[tuple[int, ScriptLine]] = []
    n = 0
    while n < len(ops):
        if ops[n].kind != "keep":
            found.append((n, ops[n]))
            n += 1
            continue
        f, size = ops[n].f + 1, 16
        n += 1
        while size and n < len(ops):  # whole pieces of the list of those that keep, and then parts of one
            piece = list(ops[n : n + size])
            if piece == _KEEPS[f : f + len(piece)]:
                n, f, size = n + len(piece), f + len(piece), min(4 * size, _AT_ONCE)
            else:
                size //= 4
    return found


def blank_lines(count: int) -> Script:
    """Put blank lines in."""
    return [ScriptLine("insert", BLANK, -1)] * count


def add_features(features: FeatureTable, more: FeatureTable) -> FeatureTable:
    """The sum of two tables of features."""
    both = dict(features)
    for name, value in more.items():
        both[name] = both.get(name, 0.0) + value
    return both
