"""What a merge takes away and nobody names, put back: entries of a list, members of a class, keys, cases.

An edit that shows some elements of a list and no marker drops the others, read to the letter; whoever wrote
it mostly left them out. So this is a candidate beside the other one.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from fastapply.merge.likeness import is_attachment
from fastapply.merge.lines import is_closer
from fastapply.types import Splice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.entries import Entry, Losses
    from fastapply.merge.lines import LineTable


def with_lost(
    splices: Sequence[Splice],
    file: LineTable,
    losses: Losses,
    lost: Sequence[Entry],
    *,
    new_first: bool = True,
) -> tuple[Splice, ...] | None:
    """Changes that leave these entries where they are; None where that cannot be done.

    Each stays behind what it stands behind in the file, as far as the new lines have that, by line or by
    name; with `new_first`, behind what is new there.
    """
    found: list[Splice] = []
    for one in splices:
        back = _lines_of(lost, file, one)
        if not back:
            found.append(one)
            continue
        old, new = range(one.start, one.end), list(one.lines)
        ours, theirs = (
            [losses.name_of(line) or "".join(line.split()) for line in lines]
            for lines in (new, file.lines[one.start : one.end])
        )
        matcher = SequenceMatcher(None, theirs, ours, autojunk=False)
        at = {a + k: b + k for a, b, size in matcher.get_matching_blocks() for k in range(size)}
        lines: list[str] = []
        done, shown = 0, sorted(at.values())
        for n in old:
            if n in back:
                upto = next((m for m in shown if m >= done), len(new)) if new_first and done else done
                lines += new[done:upto]
                done = upto
                lines.append(file.lines[n])
            elif n - one.start in at:
                upto = max(done, at[n - one.start] + 1)
                lines += new[done:upto]
                done = upto
        found.append(Splice(one.start, one.end, (*lines, *new[done:])))
    return tuple(found) if found != list(splices) else None


def _lines_of(lost: Sequence[Entry], file: LineTable, splice: Splice) -> set[int]:
    """Lines of a splice that belong to lost entries: what is above them, their blocks, a blank line."""
    lines: set[int] = set()
    for one in lost:
        if not splice.start <= one.line < splice.end:
            continue
        first, end = one.line, file.ends[one.line]
        if end < len(file.keys) and is_closer(file.keys[end]) and file.depths[end] == file.depths[first]:
            end += 1
        while first > splice.start and is_attachment(file.lines[first - 1]):
            first -= 1
        if first > splice.start and not file.keys[first - 1]:
            first -= 1
        lines |= set(range(first, min(end, splice.end)))
    return lines
