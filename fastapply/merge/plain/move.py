"""Units that words say are moved: ``move New below the Stack type``. The edit shows where, and nothing new.

file  a    edit  "move c after a"    result  a
      b          a                           c
      c          c                           b
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.merge.indentation import indent_of
from fastapply.merge.plain.draft import Change, Draft
from fastapply.merge.plain.gone import taken
from fastapply.merge.plain.place import Block
from fastapply.merge.plain.spoken import look_up

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from fastapply.merge.elements import MergeContext
    from fastapply.merge.plain.outline import Outline
    from fastapply.merge.plain.place import Placer
    from fastapply.merge.plain.spoken import Phrase

_MOVES = re.compile(
    r"\b(?:mov(?:e|es|ed|ing)|relocat\w+)\s+(?P<what>[^,;()\n]*?)(?=[,;()\n]|\.(?:\s|$)|$|\s(?:to|into|after|before|"
    r"below|above|behind|under|in\s+front|ahead|next|up|down|from|so|out|right|directly|just|first|last)\b)",
    re.IGNORECASE,
)


def moved(context: MergeContext, placer: Placer, phrases: Sequence[Phrase], said: str) -> Iterator[Draft]:
    """What words say is moved, at each place that they speak of and that the edit shows."""
    texts = [key for key, kind in zip(context.table.keys, context.edit.kinds, strict=True) if kind == "text"]
    held = set(context.file.keys)
    match = _MOVES.search(said)
    if match is None or not texts or not all(key in held for key in texts):
        return
    for _, number in look_up(placer.file, match["what"])[:1]:
        unit = placer.file.units[number]
        if placer.file.table.keys[unit.head] not in texts:
            return
        block = Block(unit.start, unit.end - 1, placer.file, (number,))
        for draft in placer.drafts(block, phrases):
            (put,) = draft.changes
            if put.start < unit.end and put.end > unit.start - 1:
                continue
            changes = sorted(
                (_verbatim(put, placer.file), taken(placer.file, number)), key=lambda one: one.start
            )
            if any(a.end > b.start for a, b in pairwise(changes)):
                continue
            if _shows(texts, _merged(changes, placer.file)):
                yield Draft(tuple(changes), draft.features | {"moved.told": 1.0})


def _verbatim(change: Change, file: Outline) -> Change:
    """A change whose lines are the file's own, as deep as it puts the first one."""
    first = next(n for n, _ in change.lines if n >= 0)
    old = indent_of(file.lines[first])
    new = indent_of(next(text for n, text in change.lines if n == first))
    lines = [
        (-1, text if n < 0 or not text else new + file.lines[n].removeprefix(old)) for n, text in change.lines
    ]
    return Change(change.start, change.end, tuple(lines))


def _merged(changes: Sequence[Change], file: Outline) -> Iterator[str]:
    at = 0
    for change in changes:
        yield from file.table.keys[at : change.start]
        yield from ("".join(text.split()) for _, text in change.lines)
        at = change.end
    yield from file.table.keys[at:]


def _shows(texts: Collection[str], keys: Iterator[str]) -> bool:
    """Whether lines stand among others in their order."""
    return all(text in keys for text in texts)
