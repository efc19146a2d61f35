"""What stands at the borders of new lines: how natural it is that these lines become neighbours.

A border is open where the edit does not show what comes behind it, because a marker or its own end is there.
An entry that is put in stands as deep there as the next one and begins as that does; lines that should have
replaced others leave something like themselves behind.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from math import log, log1p
from typing import TYPE_CHECKING

from fastapply.edits.markers import is_marker
from fastapply.merge.certainty.shape import kind_of, net_of
from fastapply.merge.certainty.terms import key_of, skeleton_of
from fastapply.merge.likeness import definition, is_attachment, similarity
from fastapply.merge.lines import columns, is_closer
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.types import Splice

_LEAST = -40.0
_UNSEEN, _KINDS = 0.3, 6
"""Times that lines in a row count as seen which the file does not have, and how many sorts may come."""


@dataclass(frozen=True, slots=True)
class _Border:
    """One border of new lines: the old line there, the new one, and the new one at the other end."""

    old: str
    near: str
    far: str
    blank: bool
    below: bool


class Borders:
    """Asks what candidates of one edit make neighbours in one file."""

    def __init__(self, file: Sequence[str], edit: Sequence[str]) -> None:
        self._file = file
        told = [line for line in file if line.strip()]
        self._pairs = set(zip(map(skeleton_of, told), map(skeleton_of, told[1:]), strict=False))
        self._shown, self._behind, self._before = _neighbours(edit)
        self._under = _parents(edit)
        self._follows: Counter[tuple[str, str, int, bool]] = Counter()
        self._held: Counter[str] = Counter()
        last = -1
        for number, line in enumerate(file):
            if line.strip():
                if last >= 0:
                    self._follows[_step(file[last], line, blank=number - last > 1)] += 1
                    self._held[kind_of(file[last])] += 1
                last = number

    def of(self, splices: Iterable[Splice]) -> dict[str, float]:
        """Features of one candidate; those that are 0 are left out."""
        counts: defaultdict[str, float] = defaultdict(float)
        most: defaultdict[str, float] = defaultdict(float)
        odds, open_odds = list[float](), list[float]()
        for one in splices:
            gone, came = net_of(self._file[one.start : one.end], one.lines)
            new = [line for line in one.lines if line.strip()]
            above, below = self._around(one)
            if gone:
                self._scope(counts, one)
            if not new:
                if gone:
                    sides = f"{self._is_shown(above)}{self._is_shown(below)}"
                    counts[f"deleted_{sides}"] += 1
                    counts[f"deleted_lines_{sides}"] += len(gone)
                    if above and below:
                        odds.append(self._odds(above, below, blank=True))
                continue
            free_above, free_below = key_of(new[0]) not in self._before, key_of(new[-1]) not in self._behind
            way = "swap" if gone else "put"
            counts[f"{way}_{free_above:d}{free_below:d}"] += 1
            if gone:
                longer = len(gone) - len(came)
                counts[f"{'shrinks' if longer > 0 else 'grows'}_{free_above or free_below:d}"] += abs(longer)
            elif came:
                self._parents(counts, one, new[0])
            if above:
                border = _Border(
                    above, new[0], new[-1], not one.lines[0].strip() or self._blank(one.start - 1), False
                )
                odds.append(self._odds(above, new[0], blank=border.blank))
                if free_above:
                    open_odds.append(odds[-1])
                    self._open(counts, most, border, f"{way}.above")
                elif key_of(above) not in self._before[key_of(new[0])]:
                    counts["parted"] += 1
            if below:
                border = _Border(
                    below, new[-1], new[0], not one.lines[-1].strip() or self._blank(one.end), True
                )
                odds.append(self._odds(new[-1], below, blank=border.blank))
                if free_below:
                    open_odds.append(odds[-1])
                    self._open(counts, most, border, f"{way}.below")
                    counts[f"{way}.below.several"] += len(new) > 1
                    if gone:
                        counts["swap.below.as_many"] += len(gone) == len(came)
                        most["swap.below.first"] = max(most["swap.below.first"], similarity(gone[0], new[0]))
        features = {name: log1p(count) for name, count in counts.items()} | most
        if odds:
            features |= {"odds": max(_LEAST, sum(odds)), "least_odds": min(odds)}
        if open_odds:
            features |= {"open_odds": max(_LEAST, sum(open_odds)), "least_open_odds": min(open_odds)}
        return {f"border.{name}": value for name, value in features.items() if value}

    def _open(self, counts: dict[str, float], most: dict[str, float], border: _Border, name: str) -> None:
        """Features of a border behind which the edit shows nothing."""
        old, near, far = border.old, border.near, border.far
        depth = columns(old)
        counts[f"{name}.level"] += depth == columns(far)
        counts[f"{name}.deeper"] += depth > columns(far if border.below else near)
        counts[f"{name}.blank"] += border.blank
        counts[f"{name}.kind"] += kind_of(old) == kind_of(far)
        counts[f"{name}.closer"] += is_closer(key_of(old))
        counts[f"{name}.closes"] += is_closer(key_of(near))
        counts[f"{name}.attached"] += is_attachment(old)
        counts[f"{name}.defines"] += definition(old) is not None
        counts[f"{name}.skeleton"] += skeleton_of(old) == skeleton_of(far)
        pair = (near, old) if border.below else (old, near)
        counts[f"{name}.seen"] += (skeleton_of(pair[0]), skeleton_of(pair[1])) in self._pairs
        most[f"{name}.alike"] = max(most[f"{name}.alike"], similarity(old, far))
        most[f"{name}.alike_near"] = max(most[f"{name}.alike_near"], similarity(old, near))

    def _odds(self, above: str, below: str, *, blank: bool) -> float:
        """Log of how often the file has such a line behind such a one."""
        seen = self._follows[_step(above, below, blank=blank)]
        return log((seen + _UNSEEN) / (self._held[kind_of(above)] + _KINDS))

    def _around(self, one: Splice) -> tuple[str, str]:
        """The lines with text above and below a change; "" where there is none."""
        file = self._file
        above = next((file[n] for n in range(one.start - 1, -1, -1) if file[n].strip()), "")
        return above, next((file[n] for n in range(one.end, len(file)) if file[n].strip()), "")

    def _blank(self, number: int) -> bool:
        return 0 <= number < len(self._file) and not self._file[number].strip()

    def _is_shown(self, line: str) -> int:
        return int(key_of(line) in self._shown)

    def _scope(self, counts: dict[str, float], one: Splice) -> None:
        """What block it is that lines go from."""
        file = self._file
        first = next(n for n in range(one.start, one.end) if file[n].strip())
        parent = self._above(first, columns(file[first]))
        counts[
            "from_top" if parent is None else "from_shown" if self._is_shown(parent) else "from_hidden"
        ] += 1

    def _parents(self, counts: dict[str, float], one: Splice, new: str) -> None:
        """What block it is that lines are put in."""
        parent = self._above(one.start, columns(new))
        if parent is not None:
            told = self._under.get(key_of(new))
            counts["in_own_block"] += told == key_of(parent)
            counts["in_hidden_block"] += not self._is_shown(parent)

    def _above(self, number: int, depth: int) -> str | None:
        """The nearest line above that is less deep, closing brackets left aside."""
        file = self._file
        lines = (file[n] for n in range(number - 1, -1, -1))
        return next((x for x in lines if x.strip() and columns(x) < depth and len(key_of(x)) > 1), None)


def _step(above: str, below: str, *, blank: bool) -> tuple[str, str, int, bool]:
    """Sorts of two lines in a row, whether the second is deeper (1) or less (-1), and a blank between."""
    one, other = columns(above), columns(below)
    return kind_of(above), kind_of(below), (other > one) - (other < one), blank


def _neighbours(edit: Sequence[str]) -> tuple[set[str], dict[str, set[str]], dict[str, set[str]]]:
    """Lines that an edit shows, and which of them stand behind and before each with no marker between."""
    shown, behind, before = set[str](), dict[str, set[str]](), dict[str, set[str]]()
    last = ""
    for line in edit:
        if is_marker(line):
            last = ""
        elif key := key_of(line):
            shown.add(key)
            if last:
                behind.setdefault(last, set()).add(key)
                before.setdefault(key, set()).add(last)
            last = key
    return shown, behind, before


def _parents(edit: Sequence[str]) -> dict[str, str | None]:
    """The nearest line above that is less deep, of each line of an edit."""
    found: dict[str, str | None] = {}
    open_lines: list[tuple[int, str]] = []
    for line in edit:
        key = key_of(line)
        if key and not is_marker(line):
            depth = columns(line)
            while open_lines and open_lines[-1][0] >= depth:
                open_lines.pop()
            found.setdefault(key, open_lines[-1][1] if open_lines else None)
            if len(key) > 1:
                open_lines.append((depth, key))
    return found
