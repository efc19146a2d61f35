"""What an edit script changes: ranges of the file, and the lines that stand there instead."""

from __future__ import annotations

from bisect import bisect_left
from math import log1p
from typing import TYPE_CHECKING

from fastapply.merge.certainty.features import balance
from fastapply.merge.likeness import definition, identity, is_attachment, is_decorator
from fastapply.merge.lines import says_something
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.elements import MergeContext
    from fastapply.merge.fill import ScriptLine
    from fastapply.merge.lines import LineTable

_SIGNS = {
    **dict.fromkeys(("python", "java", "kotlin", "scala", "groovy", "swift", "dart"), "@"),
    **dict.fromkeys(("typescript", "tsx", "javascript"), "@"),
    **dict.fromkeys(("rust", "php"), "#"),
    **dict.fromkeys(("csharp", "fsharp"), "["),
}
"""What a decorator begins with, by language: elsewhere ``@name`` may be a variable, ``[name]`` a list."""
BETWEEN = 3
"""Unchanged lines with text between two changes that are still one change for whoever reads them."""


@dataclass(frozen=True, slots=True)
class Change:
    """File lines `[start, end)`, which may be none, and what comes in their place, as the edit writes it."""

    start: int
    end: int
    new: tuple[str, ...]


def changes_of(context: MergeContext, ops: Sequence[ScriptLine]) -> list[Change]:
    """The changes of a script, in the order of the file."""
    found: list[Change] = []
    gone, new = list[int](), list[str]()
    above = -1
    for op in ops:
        if op.kind in {"keep", "match"}:
            _add(found, gone, new, above)
            gone, new = [], []
            above = op.f
            continue
        if op.f >= 0:
            gone.append(op.f)
        if op.e >= 0 and op.kind != "delete":
            new.append(context.table.lines[op.e])
    _add(found, gone, new, above)
    return found


def _add(found: list[Change], gone: Sequence[int], new: Sequence[str], above: int) -> None:
    if gone:
        found.append(Change(gone[0], gone[-1] + 1, tuple(new)))
    elif new:
        found.append(Change(above + 1, above + 1, tuple(new)))


def joined(changes: Sequence[Change], file: LineTable) -> list[Change]:
    """Changes with those made one that only a few unchanged lines part; these stand in both texts."""
    found: list[Change] = []
    for one in changes:
        if found:
            last = found[-1]
            if last.end <= one.start and sum(map(bool, file.keys[last.end : one.start])) <= BETWEEN:
                between = file.lines[last.end : one.start]
                found[-1] = Change(last.start, one.end, (*last.new, *between, *one.new))
                continue
        found.append(one)
    return found


def parts_decorator(file: LineTable, changes: Sequence[Change], language: str | None) -> bool:
    """Whether a definition is put in between a decorator and what it decorates, and so would take it over."""
    sign = _SIGNS.get(language or "")
    return sign is not None and any(_parts_decorator(file, change, sign) for change in changes)


def _parts_decorator(file: LineTable, change: Change, sign: str) -> bool:
    at = change.start
    new = [line for line in change.new if line.strip()]
    return (
        at == change.end
        and 0 < at < len(file.lines)
        and bool(new)
        and bool(file.keys[at])
        and file.keys[at - 1].startswith(sign)
        and is_decorator(file.lines[at - 1])
        and balance(file.lines[at - 1]) == 0
        and not is_attachment(file.lines[at])
        and not is_attachment(new[-1])
        and any(definition(line) is not None for line in new)
    )


def anchored_of(
    context: MergeContext, ops: Sequence[ScriptLine], changes: Sequence[Change]
) -> dict[str, float]:
    """Features of shown lines amid changes: how many stand once in the file, how many several times.

    Where all of them stand several times, as in entries that are all alike, they hold nothing in its place:
    what is about another thing may as well be a new entry.
    """
    file = context.file
    matched = [op.f for op in ops if op.kind == "match" and says_something(file.lines[op.f])]
    once = several = new_things = 0
    for change in changes:
        inside = matched[bisect_left(matched, change.start) : bisect_left(matched, change.end)]
        unique = sum(context.count[file.keys[f]] == 1 for f in inside)
        once += unique
        several += len(inside) - unique
        if inside and not unique:
            old = file.lines[change.start : change.end]
            was = identity(next(filter(says_something, old), old[0]))
            now = identity(next(filter(str.strip, change.new), ""))
            new_things += was != now
    features = {"inside.unique": once, "inside.repeated": several, "inside.new_thing": new_things}
    return {name: log1p(value) for name, value in features.items() if value}
