"""Removals that an edit states outright: comments that name what goes, beside nothing but unchanged lines.

    class Store:
        # ... existing code ...

        # (removed dump)

        def get(self, key):

Each name must be that of one unit of the file, and what is shown between two markers must be there in a row,
each note in place of what it names. Where the ranking is sure of another merge, `lazy` asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.merge.elements import read_lazy
from fastapply.merge.entries import REPLACES
from fastapply.merge.lines import is_closer
from fastapply.merge.plain.outline import Outline
from fastapply.types import Splice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.lines import LineTable
    from fastapply.merge.listing import Request
    from fastapply.merge.plain.outline import Unit


def noted_removals(request: Request) -> tuple[Splice, ...]:
    """What goes by the notes of an edit; nothing where it says more than that, or a note fits otherwise."""
    file = request.file
    edit = read_lazy(request.snippet.lines, file, request.language)
    names = [name for gone in edit.removed.values() for name in gone]
    notes = [edit.table.lines[e] for e in edit.removed]
    if not names or not all(edit.removed.values()) or REPLACES.search("\n".join([request.said, *notes])):
        return ()
    units = _named(Outline(file, request.language), names)
    row = _row(file, units)
    runs: list[list[str]] = [[]]
    for e, kind in enumerate(edit.kinds):
        if kind == "marker":
            runs.append([])
        elif kind == "note":
            runs[-1] += [_token(name) for name in edit.removed[e]]
        elif kind == "text":
            runs[-1].append(edit.table.keys[e])
    if len(units) < len(names) or not all(_stands(run, row) for run in runs):
        return ()
    going: list[tuple[int, int]] = []
    for start, end in sorted((unit.start, unit.end) for unit in units.values()):
        beside = going and not any(file.keys[going[-1][1] : start])
        going[-1:] = [(going[-1][0], end)] if beside else [*going[-1:], (start, end)]
    return tuple(_without(file, start, end) for start, end in going)


def _token(name: str) -> str:
    """What stands for a unit among keys of lines, which have no white space."""
    return f"removed {name}"


def _named(outline: Outline, names: Sequence[str]) -> dict[str, Unit]:
    """The unit of each name that one alone has; none of them is inside another."""
    found: dict[str, Unit] = {}
    for name in names:
        called = [unit for number, unit in enumerate(outline.units) if outline.name(number) == name]
        if len(called) == 1 and all(
            unit.end <= called[0].start or called[0].end <= unit.start for unit in found.values()
        ):
            found[name] = called[0]
    return found


def _row(file: LineTable, units: dict[str, Unit]) -> list[str]:
    """Keys of the file's lines with text, one entry in place of each unit."""
    begins = {unit.start: _token(name) for name, unit in units.items()}
    inside = {f for unit in units.values() for f in range(unit.start + 1, unit.end)}
    return [begins.get(f, key) for f, key in enumerate(file.keys) if key and f not in inside]


def _stands(run: Sequence[str], row: Sequence[str]) -> bool:
    """Whether what is shown in a row stands in a row; notes alone stand wherever their units do."""
    if all(" " in one for one in run):
        return True
    return any(list(row[at : at + len(run)]) == list(run) for at in range(len(row) - len(run) + 1))


def _without(file: LineTable, start: int, end: int) -> Splice:
    """Lines that go, with the blank ones below them, or above them where they are the last of their block."""
    keys, below = file.keys, end
    while below < len(keys) and not keys[below]:
        below += 1
    if below < len(keys) and not is_closer(keys[below]) and file.depths[below] >= file.depths[start]:
        return Splice(start, below, ())
    while start and not keys[start - 1]:
        start -= 1
    return Splice(start, end, ())
