"""What becomes of the names of a file, and of the words that they are made of.

A change that was asked for rarely takes away words of which nobody spoke; it rather does where a new entry is
taken for a new version of the one beside it, and that one's own words are gone.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import fsum, log, log1p
from typing import TYPE_CHECKING

from fastapply.edits.markers import is_marker
from fastapply.merge.certainty.shape import net_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fastapply.merge.certainty.shape import Hunk
    from fastapply.types import Splice

RARE = 2
"""Times that a name stands at most in a file which tells one place from others."""
_SHORT = 3
_NAME = re.compile(r"[A-Za-z_$][\w$]{2,}")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ENDING = re.compile(r"(?:ing|ed|es|s|e)$")
_VALUE = re.compile(r"\"[^\"]*\"|'[^']*'|`[^`]*`|[A-Za-z_$][\w$]*|\d+")
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        """
        the and for with that this into from when will not its use add new test only also are was has have all
        one two
        """,
    )
)


@lru_cache(maxsize=1 << 14)
def _names(line: str) -> frozenset[str]:
    return frozenset(_NAME.findall(line))


@lru_cache(maxsize=1 << 14)
def _words(line: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORD.findall(line))


@lru_cache(maxsize=1 << 14)
def _stem(word: str) -> str:
    return _ENDING.sub("", word) if len(word) > _SHORT else word


@lru_cache(maxsize=1 << 14)
def skeleton_of(line: str) -> str:
    """A line without its names and values: ``f(a, 1)`` and ``g(b, 2)`` have the same."""
    return _VALUE.sub("x", line.strip())


def key_of(line: str) -> str:
    """A line without its white space."""
    return "".join(line.split())


class Terms:
    """Asks what candidates of one edit do to the names of a file."""

    def __init__(self, file: Sequence[str], edit: Sequence[str], said: str) -> None:
        self._file = file
        self._counts = Counter(name for line in file for name in _NAME.findall(line))
        self._words = Counter(word for line in file for word in _words(line))
        self._skeletons = Counter(map(skeleton_of, file))
        self._shown = {key_of(line) for line in edit if line.strip() and not is_marker(line)}
        self._marked = {word for line in edit if is_marker(line) for word in _words(line)}
        self._said = set(_NAME.findall(said))
        words = {word for word in _words(said.replace("_", " ")) if len(word) >= _SHORT}
        self._spoken = {_stem(word) for word in words - _EMPTY}

    def of(self, splices: Iterable[Splice]) -> dict[str, float]:
        """Features of one candidate; those that are 0 are left out."""
        hunks = list(self._hunks(splices))
        came = Counter(word for _, (_, new), _ in hunks for line in new for word in _words(line))
        hidden = Counter(word for _, (gone, _), shown in hunks if not shown for word in _all(gone))
        went = hidden + Counter(word for _, (gone, _), shown in hunks if shown for word in _all(gone))
        less = {_stem(word) for word, count in went.items() if count > came[word]}
        more = {_stem(word) for word, count in came.items() if count > went[word]}
        away = {word for word, count in hidden.items() if count > came[word]}
        lines = [line for _, (gone, _), _ in hunks for line in gone]
        features = {
            "unsaid": log1p(len(less - self._spoken - more)),
            "unsaid_hidden": log1p(len({_stem(word) for word in away} - self._spoken)),
            "said_more": log1p(len(more & self._spoken)),
            "said_gone": log1p(len(self._vanished(lines, hunks) & self._said)),
            "marked": log1p(fsum(map(self._rarity, away & self._marked - self._spoken))),
            "hidden": log1p(sum(len(gone) for _, (gone, _), shown in hunks if not shown)),
            "deleted_unsaid": log1p(sum(self._is_unsaid(gone) for _, (gone, new), _ in hunks if not new)),
        }
        for end, hunk, shown in hunks:
            for name, value in self._of_hunk(end, hunk, shown=shown):
                features[name] = max(features.get(name, 0.0), value)
        rare = {True: 0, False: 0}
        for _, (gone, new), shown in hunks:
            rare[shown] += len(self._rare(gone) - _all_names(new))
        features |= {"rare": log1p(rare[True]), "rare_hidden": log1p(rare[False])}
        return {f"terms.{name}": value for name, value in features.items() if value}

    def _hunks(self, splices: Iterable[Splice]) -> Iterator[tuple[int, Hunk, bool]]:
        """End of each splice, lines that go and come, and whether the edit shows the lines around it."""
        for one in splices:
            hunk = net_of(self._file[one.start : one.end], one.lines)
            if any(hunk):
                around = (
                    self._next(range(one.start - 1, -1, -1)),
                    self._next(range(one.end, len(self._file))),
                )
                yield one.end, hunk, self._shown.issuperset(around)

    def _next(self, numbers: range) -> str:
        """Key of the first line with text; "" where there is none."""
        return next((key for number in numbers if (key := key_of(self._file[number]))), "")

    def _of_hunk(self, end: int, hunk: Hunk, *, shown: bool) -> Iterator[tuple[str, float]]:
        gone, new = hunk
        names = _all_names(new)
        if gone and new:
            if shown and (rare := self._rare(gone)):
                yield "lost", 1 - len(rare & names) / len(rare)
            first, kept = set(_words(gone[0])), set(_words(new[0]))
            if total := fsum(map(self._rarity, first)):
                yield "head", 1 - fsum(map(self._rarity, first & kept)) / total
            old, fresh = set(_all(gone)), set(_all(new))
            for name, side in (("overlap", old), ("overlap_new", fresh)):
                if whole := fsum(map(self._rarity, side)):
                    yield name, 1 - fsum(map(self._rarity, old & fresh)) / whole
            told = Counter(skeleton_of(line) for line in gone if len(line.strip()) > _SHORT)
            if told:
                alike = {skeleton_of(line) for line in new}
                same = sum(count for skeleton, count in told.items() if skeleton in alike) / told.total()
                others = sum(self._skeletons[skeleton] > count for skeleton, count in told.items())
                yield "sibling", same * others / len(told)
        elif new:
            below = [line for line in self._file[end : end + 3 * len(new) + 3] if line.strip()][: len(new)]
            if rare := self._rare(below):
                yield "kept_below", len(rare & names) / len(rare)

    def _is_unsaid(self, lines: Iterable[str]) -> bool:
        return self._spoken.isdisjoint(map(_stem, _all(lines)))

    def _rarity(self, word: str) -> float:
        """1 for a word that the file lacks, less for one that it has often."""
        size = len(self._file)
        return max(0.0, log((1 + size) / (1 + self._words[word])) / log(2 + size))

    def _rare(self, lines: Iterable[str]) -> set[str]:
        return {name for line in lines for name in _names(line) if self._counts[name] <= RARE}

    def _vanished(self, lines: Iterable[str], hunks: Sequence[tuple[int, Hunk, bool]]) -> set[str]:
        """Names that stand nowhere any more."""
        held = Counter(name for line in lines for name in _NAME.findall(line))
        come = {name for _, (_, new), _ in hunks for line in new for name in _names(line)}
        return {name for name, count in held.items() if self._counts[name] <= count} - come


def _all(lines: Iterable[str]) -> Iterator[str]:
    return (word for line in lines for word in _words(line))


def _all_names(lines: Iterable[str]) -> set[str]:
    return {name for line in lines for name in _names(line)}
