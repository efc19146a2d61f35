"""Where lines of an edit stand in a file, by tiers of strictness.

A tier is a key: two lines are the same at a tier when their keys are equal. From the strictest:

=============  =====================================================================
exact          the line itself
trailing       without white space at its end
indentation    without white space at both ends, all lines shifted by one rule
whitespace     with runs of inner white space as one blank, then with none at all
unicode        the same, after NFKC, with typographic quotes and dashes made plain
=============  =====================================================================

This module finds all places of a contiguous run at one tier; `near` finds runs that only resemble
the edit, and `places` decides between several. Positions are 0-based line numbers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.merge.indentation import indent_of, one_rule
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastapply.types import Method

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\uff07", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\uff02", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d", "-"),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", ""),
    }
)
_SPACE = re.compile(r"\s+")


def _same(line: str) -> str:
    return line


def _collapse(line: str) -> str:
    return " ".join(line.split())


def _squeeze(line: str) -> str:
    return "".join(line.split())


def fold(line: str) -> str:
    r"""Key of the ``unicode`` tier: ``"x\u00a0= \u201cb\u201d"`` gives ``'x="b"'``."""
    if line.isascii():
        return _squeeze(line)
    from unicodedata import normalize

    return _SPACE.sub("", normalize("NFKC", line.translate(_PLAIN)))


@dataclass(frozen=True, slots=True)
class Tier:
    """One level of strictness; `one_shift` asks for one rule for the indentation of all lines."""

    method: Method
    key: Callable[[str], str]
    one_shift: bool = False


STRICT = (Tier("exact", _same), Tier("trailing", str.rstrip))
LOOSE = (
    Tier("indentation", str.strip, one_shift=True),
    Tier("whitespace", _collapse),
    Tier("whitespace", _squeeze),
    Tier("unicode", fold),
)


@dataclass(frozen=True, slots=True)
class Region:
    """The file lines `[low, high)` in which to look."""

    low: int
    high: int


class LineIndex:
    """The lines of a file, by their key at each tier; an index is made when it is first asked for."""

    __slots__ = ("_by_key", "_dense", "lines")

    def __init__(self, lines: tuple[str, ...]) -> None:
        self.lines = lines
        self._by_key: dict[Callable[[str], str], tuple[list[str], dict[str, list[int]]]] = {}
        self._dense: tuple[list[int], list[str], dict[str, list[int]]] | None = None

    @property
    def everywhere(self) -> Region:
        """The whole file."""
        return Region(0, len(self.lines))

    def keys(self, key: Callable[[str], str]) -> tuple[list[str], dict[str, list[int]]]:
        """Each line's key, and the lines that have a key."""
        found = self._by_key.get(key)
        if found is None:
            keys = [key(line) for line in self.lines]
            found = self._by_key[key] = keys, _positions(keys)
        return found

    @property
    def dense(self) -> tuple[list[int], list[str], dict[str, list[int]]]:
        """The lines that are not blank: their numbers, their folded keys, and the places of a key.

        The places count lines that are not blank, so that blank lines don't matter to them.
        """
        if self._dense is None:
            keys, _ = self.keys(fold)
            numbers = [number for number, key in enumerate(keys) if key]
            dense = [keys[number] for number in numbers]
            self._dense = numbers, dense, _positions(dense)
        return self._dense


def _positions(keys: Sequence[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for number, key in enumerate(keys):
        places.setdefault(key, []).append(number)
    return places


def locate_lines(
    index: LineIndex, wanted: Sequence[str], tier: Tier, region: Region | None = None
) -> list[int]:
    """All first lines of the places in the region where the wanted lines stand at this tier.

    Places may overlap each other. Time grows with the places of the rarest wanted line.
    """
    if not wanted:
        return []
    region = region or index.everywhere
    keys, places = index.keys(tier.key)
    sought = [tier.key(line) for line in wanted]
    empty: list[int] = []
    rarest = min(range(len(sought)), key=lambda i: len(places.get(sought[i], empty)))
    found = []
    for position in places.get(sought[rarest], empty):
        start = position - rarest
        end = start + len(sought)
        if start < region.low or end > region.high or keys[start:end] != sought:
            continue
        if tier.one_shift and not one_rule(
            (indent_of(ours), indent_of(theirs))
            for ours, theirs in zip(wanted, index.lines[start:end], strict=True)
            if ours.strip()
        ):
            continue
        found.append(start)
    return found
