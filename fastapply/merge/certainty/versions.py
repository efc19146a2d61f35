"""Whether new lines are a new version of old ones, or stand beside them: learned from commits.

What a commit replaces, and what it puts in next to what, says how a new version looks: which words it keeps
and loses, whether it is more like the old lines than these are like their neighbours, whether names change.
Decision trees fitted on the commits of many repositories (`train versions`) tell the one from the other;
what they add up to, log odds, is a fact for the ranking of candidates.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import lru_cache
from math import log1p
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.merge.certainty.changes import Change
from fastapply.merge.certainty.weights import Forest, Tree
from fastapply.merge.likeness import definition, identity, is_attachment, is_control, similarity
from fastapply.merge.lines import columns, is_closer, says_something
from fastapply.merge.spared import is_import

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

FILE = Path(__file__).with_name("versions.json")
MOST = 40
"""Lines of each side that are looked at."""
LONGEST = 80
"""Lines from which on a change is too long to be asked about."""
MOST_CHANGES = 12
"""Changes of one candidate that are asked about."""
LIMIT = 6.0
"""Log odds from which on a version is certain enough."""
_NEIGHBOURS, _WINDOW = 10, 30
_FAR = 60
"""Lines above and below that are searched for one like the first new line."""
_SIBLINGS = 12
_ALIKE = 0.5
_LARGER = 6
"""Lines that a block may have beyond three times those of what might replace it."""
_NAMES = re.compile(r"[A-Za-z_$][\w$]{2,}")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ASSIGNS = re.compile(r"[\w$.\"'\[\]-]+\s*(?::=|=(?!=)|:(?!:))")


@lru_cache(maxsize=1 << 14)
def _names(line: str) -> frozenset[str]:
    return frozenset(_NAMES.findall(line))


@lru_cache(maxsize=1 << 14)
def _parts(text: str) -> frozenset[str]:
    return frozenset(part.lower() for part in _PARTS.findall(text))


@lru_cache(maxsize=1 << 14)
def _depth(line: str) -> int:
    return columns(line)


@lru_cache(maxsize=1 << 14)
def _closes(line: str) -> bool:
    return is_closer("".join(line.split()))


@lru_cache(maxsize=1 << 14)
def _kind(line: str) -> int:
    """What sort of a line it is, as a number."""
    text = line.strip()
    tests = (
        _closes(line),
        is_attachment(line),
        is_import(line),
        definition(line) is not None,
        is_control(line),
        text[:1] in "#*-+>|",
        text.endswith(","),
        _ASSIGNS.match(text) is not None,
        "(" in text,
    )
    return next((number for number, true in enumerate(tests) if true), len(tests))


def _alike(one: str, other: str) -> float:
    return 1.0 if one == other else similarity(one, other)


def _all(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)


def _in_common(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))


class Versions:
    """Asks about the changes of candidates of one file; each change is asked about once.

    Lines whose keys are in `shown` stay as they are, so that nothing is a new version of them alone.
    """

    def __init__(self, lines: Sequence[str], shown: Collection[str] = ()) -> None:
        self._lines, self._shown = lines, shown
        self._counts: Counter[str] | None = None
        self._known: dict[Change, float | None] = {}
        self._blank = [not line.strip() for line in lines]

    @property
    def counts(self) -> Counter[str]:
        """How often each name stands in the file."""
        if self._counts is None:
            self._counts = Counter(name for line in self._lines for name in _NAMES.findall(line))
        return self._counts

    def of(self, changes: Sequence[Change]) -> dict[str, float]:
        """Facts about the changes of a candidate, with a few unchanged lines between them left out."""
        facts: dict[str, float] = {}
        replaced, beside = list[float](), list[float]()
        for change in changes[:MOST_CHANGES]:
            if change.end - change.start > LONGEST or not any(map(says_something, change.new)):
                continue
            if any(map(says_something, self._lines[change.start : change.end])):
                odds = self.odds(change)
                replaced += [] if odds is None else [odds]
            else:
                others = [self.odds(other) for other in self.beside(change)]
                if any(odds is not None for odds in others):
                    beside.append(max(odds for odds in others if odds is not None))
        if replaced:
            facts["version.least"] = min(replaced)
            facts["version.not"] = max(-LIMIT, sum(min(0.0, odds) for odds in replaced))
        if beside:
            facts["version.kept"] = max(beside)
            facts["version.kept_sum"] = min(LIMIT, sum(max(0.0, odds) for odds in beside))
        return {name: value for name, value in facts.items() if value}

    def odds(self, change: Change) -> float | None:
        """Log odds that what comes is a new version of what goes; None where either says nothing."""
        if change not in self._known:
            row = self.row(change)
            self._known[change] = None if row is None else max(-LIMIT, min(LIMIT, load_versions().odds(row)))
        return self._known[change]

    def beside(self, change: Change) -> list[Change]:
        """What lines that are put in might have replaced: as many lines or the block, above and below.

        And as many lines from that one on, some way off, which is most like the first of them. Lines at both
        ends that are the same on both sides are left out.
        """
        size = sum(1 for line in change.new if line.strip())
        ranges = (*self._below(change.end, size), *self._above(change.start, size), *self._off(change, size))
        found = [
            one
            for start, end in dict.fromkeys(ranges)
            if (one := self._trimmed(start, end, change.new)) is not None
        ]
        return list(dict.fromkeys(found))

    def _off(self, change: Change, size: int) -> list[tuple[int, int]]:
        lines = self._lines
        head = next((line for line in change.new if says_something(line)), None)
        if head is None:
            return []
        best, at = _ALIKE, -1
        for f in range(max(0, change.start - _FAR), min(len(lines), change.end + _FAR)):
            if not change.start <= f < change.end and says_something(lines[f]):
                alike = _alike(head, lines[f])
                if best < alike < 1 and "".join(lines[f].split()) not in self._shown:
                    best, at = alike, f
        return self._below(at, size) if at >= 0 else []

    def _below(self, at: int, size: int) -> list[tuple[int, int]]:
        lines, blank = self._lines, self._blank
        first = next((f for f in range(at, len(lines)) if not blank[f]), None)
        if first is None:
            return []
        end, count = first, 0
        while end < len(lines) and count < size:
            count += not blank[end]
            end += 1
        depth = _depth(lines[first])
        stop = first + 1
        while stop < len(lines) and (blank[stop] or _depth(lines[stop]) > depth):
            stop += 1
        while stop < len(lines) and _closes(lines[stop]) and _depth(lines[stop]) == depth:
            stop += 1
        while stop > first + 1 and blank[stop - 1]:
            stop -= 1
        return [(first, end), *([(first, stop)] if stop - first <= 3 * size + _LARGER else [])]

    def _above(self, at: int, size: int) -> list[tuple[int, int]]:
        lines, blank = self._lines, self._blank
        end = next((f + 1 for f in range(at - 1, -1, -1) if not blank[f]), 0)
        if end == 0:
            return []
        start, count = end, 0
        while start > 0 and count < size:
            start -= 1
            count += not blank[start]
        opener = end - 1
        depth = _depth(lines[opener])
        if _closes(lines[opener]):
            while opener > 0 and (
                blank[opener - 1]
                or _depth(lines[opener - 1]) > depth
                or (_depth(lines[opener - 1]) == depth and _closes(lines[opener - 1]))
            ):
                opener -= 1
            opener = max(0, opener - 1)
        return [(start, end), *([(opener, end)] if end - opener <= 3 * size + _LARGER else [])]

    def _trimmed(self, start: int, end: int, new: Sequence[str]) -> Change | None:
        old = self._lines[start:end]
        most = min(len(old), len(new))
        top = 0
        while top < most and old[top].strip() == new[top].strip():
            top += 1
        tail = 0
        while tail < most - top and old[-1 - tail].strip() == new[-1 - tail].strip():
            tail += 1
        rest = tuple(new[top : len(new) - tail])
        gone = self._lines[start + top : end - tail]
        return (
            Change(start + top, end - tail, rest)
            if any(map(says_something, rest)) and any(map(says_something, gone))
            else None
        )

    def row(self, change: Change) -> dict[str, float] | None:
        """What the trees ask for; None where nothing is left on one of the sides."""
        lines = self._lines
        gone = [line for line in lines[change.start : change.end] if line.strip()][:MOST]
        new = [line for line in change.new if line.strip()][:MOST]
        if not gone or not new:
            return None
        above = [line for line in lines[max(0, change.start - _WINDOW) : change.start][::-1] if line.strip()]
        below = [line for line in lines[change.end : change.end + _WINDOW] if line.strip()]
        return _row(gone, new, above[:_NEIGHBOURS], below[:_NEIGHBOURS], self.counts) | {
            "blank_below": float(change.end >= len(lines) or self._blank[change.end]),
        }


def _row(
    gone: Sequence[str],
    new: Sequence[str],
    above: Sequence[str],
    below: Sequence[str],
    counts: Mapping[str, int],
) -> dict[str, float]:
    """Facts of old and new lines, of which at least one each has text, and of what stands around them."""
    old_says = [line for line in gone if not _closes(line)] or list(gone)
    new_says = [line for line in new if not _closes(line)] or list(new)
    first_old, first_new = old_says[0], new_says[0]
    table = [[_alike(one, other) for other in old_says] for one in new_says]
    best_new = [max(row) for row in table]
    best_old = [max(column) for column in zip(*table, strict=True)]
    names_old, names_new = _all(map(_names, gone)), _all(map(_names, new))
    parts_old, parts_new = _all(map(_parts, gone)), _all(map(_parts, new))
    about_old, about_new = identity(first_old) or "", identity(first_new) or ""
    defined_old = {name for line in gone if (name := definition(line))}
    defined_new = {name for line in new if (name := definition(line))}
    lost = names_old - names_new
    held = Counter(name for line in gone for name in _NAMES.findall(line))
    depth = _depth(first_old)
    siblings = [line for line in (*above, *below) if _depth(line) == depth and not _closes(line)][:_SIBLINGS]
    of_old = [_alike(first_old, line) for line in siblings]
    of_new = [_alike(first_new, line) for line in siblings]
    usual_old, usual_new = max(of_old, default=0.0), max(of_new, default=0.0)
    letters_old, letters_new = sum(len(line.strip()) for line in gone), sum(len(line.strip()) for line in new)
    return {
        "lines_old": log1p(len(gone)),
        "lines_new": log1p(len(new)),
        "lines_share": len(new) / (len(gone) + len(new)),
        "letters_share": letters_new / max(1, letters_old + letters_new),
        "new_alike": sum(best_new) / len(best_new),
        "old_alike": sum(best_old) / len(best_old),
        "least_alike": min(best_old),
        "last_alike": table[-1][-1],
        "first_best": max(table[0]),
        "last_best": max(table[-1]),
        "same_old": sum(value == 1 for value in best_old) / len(best_old),
        "names_shared": _in_common(names_old, names_new),
        "names_lost": log1p(len(lost)),
        "names_come": log1p(len(names_new - names_old)),
        "parts_shared": _in_common(parts_old, parts_new),
        "parts_lost": log1p(len(parts_old - parts_new)),
        "parts_come": log1p(len(parts_new - parts_old)),
        "begins_alike": _shared(first_old.strip(), first_new.strip()),
        "ends_alike": _shared(first_old.strip()[::-1], first_new.strip()[::-1]),
        "same_thing": float(bool(about_old) and about_old == about_new),
        "thing_shared": _in_common(_parts(about_old), _parts(about_new)),
        "definitions_lost": log1p(len(defined_old - defined_new)),
        "definitions_come": log1p(len(defined_new - defined_old)),
        "lost_used": log1p(sum(counts.get(name, 0) > held[name] for name in lost)),
        "sibling_old": usual_old,
        "sibling_new": usual_new,
        "beyond_siblings": _alike(first_new, first_old) - max(usual_old, usual_new),
        "siblings": log1p(sum(value >= _ALIKE for value in of_new)),
        "siblings_alike": sum(of_old) / len(of_old) if of_old else 0.0,
        "above_alike": _alike(first_new, above[0]) if above else 0.0,
        "kind_old": float(_kind(first_old)),
        "kind_new": float(_kind(first_new)),
        "depth_below": float(depth - _depth(below[0])) if below else 0.0,
    }


def _shared(one: str, other: str) -> float:
    """Share of the shorter text that both begin with."""
    size = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        size += 1
    return size / max(1, min(len(one), len(other)))


@lru_cache(maxsize=2)
def load_versions(path: Path = FILE) -> Forest:
    """Read the trees; see `train versions` for how they are made."""
    data = json.loads(path.read_text(encoding="utf-8"))
    trees = tuple(Tree(*(tuple(row) for row in tree)) for tree in data["trees"])
    return Forest(tuple(data["names"]), trees, 1.0, data["shift"])
