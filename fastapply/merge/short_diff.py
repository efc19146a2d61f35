"""The short diff of each of several merges: where it differs from the others, without blank lines.

    +    def remove(self, sku):
      ... 3 more lines
      ... lines 12-19 indented by 4
    +        return True

What another merge does as well is shortened first, and lines that are only indented anew are one row. A merge
that does nothing of its own is shown by the lines that another one takes away, or puts lines beside.
"""

from __future__ import annotations

from itertools import count, groupby
from typing import TYPE_CHECKING, TypeAlias

from fastapply.merge.effects import lines_of, shares, touched_lines
from fastapply.merge.indentation import indent_of
from fastapply.merge.lines import is_closer
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.effects import Effect
    from fastapply.merge.lines import LineTable
    from fastapply.types import Splice

MOST_DIFF = 8
"""Rows of a diff."""
_LEAST = 2
"""Rows that lines of one kind keep: the first of them, and how many are left out."""

_Key: TypeAlias = "tuple[int, int]"
"""A row's place: its file line and -1, or the file line above it and its number among new lines."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a diff; `others` is how many other merges have it, -1 where it only shows the place."""

    text: str
    others: int

    @property
    def kind(self) -> tuple[str, int]:
        """What rows that are shortened together have in common."""
        return self.text[:3] if self.text.startswith("  .") else self.text[:1], self.others


def short_diffs(file: LineTable, effects: Sequence[Effect]) -> list[tuple[str, ...]]:
    """For each merge its diff where it differs from the others, at most eight rows without blank lines."""
    changes = [each.changes for each in effects]
    gone = [_gone(file, each) for each in changes]
    new = [_new(each) for each in changes]
    moved = [_moved(file, *pair) for pair in zip(gone, new, strict=True)]
    became = []
    for n, lines in enumerate(gone):
        again = touched_lines(file, lines, new[n], ()) | moved[n]
        became.append(dict.fromkeys(lines, "") | {f: new[n][number][1] for number, f in again.items()})
    come = shares(new, gone, file)
    found = []
    for n, lines in enumerate(gone):
        rest = became[:n] + became[n + 1 :]
        go = {f: sum(other.get(f) == text for other in rest) for f, text in became[n].items()}
        every = _rows(file, changes[n], go, come[n], moved[n])
        own = {key: row for key, row in every.items() if not rest or row.others < len(rest)}
        if not own:  # what others take away, or where they put something
            kept = {f for other in rest for f in other} - lines
            places = (_shown_above(file, at) for other in effects for at, _ in other.new)
            beside = {f: f" {file.lines[f]}" for f in kept or [min(places, default=0)]}
            own = {(f, -1): _Row(f"-{text[1:]}" if f in lines else text, 0) for f, text in beside.items()}
        found.append(_cut(_places(file, own, every)))
    return found


def diff_of(file: LineTable, changes: Sequence[Splice]) -> tuple[str, ...]:
    """The short diff of changes that every merge makes."""
    gone, new = _gone(file, changes), _new(changes)
    rows = _rows(file, changes, dict.fromkeys(gone, 0), [0] * len(new), _moved(file, gone, new))
    return _cut(_places(file, rows, rows))


def _gone(file: LineTable, changes: Sequence[Splice]) -> set[int]:
    return {f for one in changes for f in lines_of(one) if file.keys[f]}


def _new(changes: Sequence[Splice]) -> list[tuple[int, str]]:
    return [(one.start, text) for one in changes for text in one.lines if text.strip()]


def _shown_above(file: LineTable, at: int) -> int:
    """The line that is not blank above a place, or the first one below it."""
    above = (f for f in range(at - 1, -1, -1) if file.keys[f])
    return next(above, next((f for f in range(at, len(file.keys)) if file.keys[f]), 0))


def _moved(file: LineTable, gone: set[int], new: Sequence[tuple[int, str]]) -> dict[int, int]:
    """New lines, by number, that are file lines with another indentation: two or more in a row, in order."""
    near = touched_lines(file, gone, new, ())
    same: dict[int, int] = {}
    last = -1
    for number, (_, text) in enumerate(new):
        beside = next((f for f in range(last + 1, len(file.keys)) if file.keys[f]), -1)
        f = near.get(number, beside if number - 1 in same else -1)
        if f > last and f in gone and file.lines[f].strip() == text.strip():
            same[number] = last = f
    return {number: f for number, f in same.items() if number - 1 in same or number + 1 in same}


def _rows(
    file: LineTable,
    changes: Sequence[Splice],
    go: dict[int, int],
    come: Sequence[int],
    moved: dict[int, int],
) -> dict[_Key, _Row]:
    """All that a merge changes, a row each; `go` and `come` say how many others have a line."""
    rows = {(f, -1): _Row(f"-{file.lines[f]}", others) for f, others in go.items()}
    numbers = count()
    run: list[int] = []  # file lines of the last row of moved ones
    way = ""
    for one in changes:
        new = list(zip(filter(str.strip, one.lines), numbers, strict=False))
        for text, number in new:
            f = moved.get(number)
            if f is None:
                ahead = (moved[later] - 1 for _, later in new if later > number and later in moved)
                rows[next(ahead, one.end - 1), number] = _Row(f"+{text}", come[number])
                continue
            goes_on = run and not any(file.keys[run[-1] + 1 : f]) and go[run[0]] == go[f]
            if not goes_on or way != _way(file.lines[f], text):
                run, way = [], _way(file.lines[f], text)
            rows[f, -1] = _Row("", go[f])
            run.append(f)
            lines = f"lines {run[0] + 1}-{f + 1}" if len(run) > 1 else f"line {f + 1}"
            rows[run[0], -1] = _Row(f"  ... {lines} {way}", go[f])
    return rows


def _way(old: str, new: str) -> str:
    """How a line is indented anew: ``indented by 4``, ``unindented by 1 tab``."""
    before, after = indent_of(old), indent_of(new)
    by = abs(len(after) - len(before))
    unit = f" tab{'s' if by > 1 else ''}" if "\t" in before + after else ""
    return f"{'un' if len(after) < len(before) else ''}indented by {by}{unit}"


def _places(file: LineTable, own: dict[_Key, _Row], every: dict[_Key, _Row]) -> list[list[_Row]]:
    """The rows that are a merge's own, with the ones around them, a list a place."""
    rows = {key: _Row(row.text, -1) for key, row in every.items()}
    for f, _ in own:
        above = next((g for g in range(f - 1, -1, -1) if file.keys[g]), f)
        below = next((g for g in range(f + 1, len(file.keys)) if file.keys[g]), f)
        for g in (above, f, below):
            if g >= 0 and file.keys[g]:
                rows.setdefault((g, -1), _Row(f" {file.lines[g]}", -1))
    rows |= own
    keys = [key for key in sorted(rows) if rows[key].text or key not in every]
    near = {m for n, key in enumerate(keys) if key in own for m in (n - 1, n, n + 1)}
    found: list[list[_Row]] = []
    last = -2
    for n in sorted(near & set(range(len(keys)))):
        if n - last > 1 or any(
            file.keys[f] and (f, -1) not in every for f in range(keys[last][0] + 1, keys[n][0])
        ):
            found.append([])
        found[-1] += [rows[keys[n]]] if rows[keys[n]].text else []
        last = n
    return [place for place in found if place]


def _cut(places: Sequence[Sequence[_Row]]) -> tuple[str, ...]:
    """At most eight rows: what is around is left out first, then the middle of what others have as well.

    Then the middle of the rest, and then whole places, the last ones or those that others have.
    """
    if not places:
        return ()
    order = sorted(
        range(len(places)), key=lambda n: min(row.others if row.others >= 0 else 99 for row in places[n])
    )
    for shown in range(len(places), 0, -1):
        room = MOST_DIFF - (shown < len(places))
        parts = [_parts(places[n]) for n in sorted(order[:shown])]
        if sum(_least(part) for place in parts for part in place) <= room:
            break
    else:
        parts = [[[row for row in places[order[0]] if row.others >= 0]]]
        room = MOST_DIFF - (len(places) > 1)
        shown = 1
    found = _fitted(parts, room)
    left = len(places) - shown
    return (*found, f"  ... and at {left} more place{'s' if left > 1 else ''}") if left else found


def _parts(place: Sequence[_Row]) -> list[list[_Row]]:
    return [list(rows) for _, rows in groupby(place, key=lambda row: row.kind)]


def _least(part: Sequence[_Row]) -> int:
    return min(_LEAST, len(part)) if part[0].others >= 0 else 0


def _fitted(places: Sequence[Sequence[Sequence[_Row]]], room: int) -> tuple[str, ...]:
    """The rows of all places in the room there is for them."""
    parts = [part for place in places for part in place]
    sizes = [len(part) if part[0].others >= 0 else 0 for part in parts]
    lone = sum(sizes) > room and sum(map(bool, sizes)) == 1  # nothing but the lines around shows where it is
    while sum(sizes) > (room - 2 if lone else room):
        able = [n for n, size in enumerate(sizes) if size > _LEAST]
        sizes[max(able, key=lambda n: (parts[n][0].others, sizes[n]))] -= 1
    for n, part in enumerate(parts):
        if part[0].others < 0 and sum(sizes) + len(part) <= room:
            sizes[n] = len(part)
    found: list[str] = []
    for part, size in zip(parts, sizes, strict=True):
        texts = [row.text for row in part]
        out = len(texts) - size + 1
        if not size or out == 1:
            found += texts[:size]
            continue
        # closers say least; of what says as much, the middle
        first = max(
            range(1, size),
            key=lambda n: (
                sum(is_closer("".join(text[1:].split())) for text in texts[n : n + out]),
                -abs(2 * n - size),
            ),
        )
        found += [*texts[:first], f"  ... {out} more lines", *texts[first + out :]]
    return tuple(found)
