"""Lines at the ends of new code that the file has beside it: they are those, or stand once more.

    file   a          edit  new        alignment   new        joined   new
           }                }                      }                   }
                            ...                    }  (a line too many)

An alignment that takes the edit's ``}`` for a new line gives one too many: it is tried as the file's as well.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from fastapply.merge.fill import ScriptLine
from fastapply.merge.gap import changed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastapply.merge.elements import MergeContext


def joined(context: MergeContext, ops: Sequence[ScriptLine]) -> tuple[list[ScriptLine], int]:
    """The script with new lines joined with the same file lines beside them, and how many those are."""
    script = list(ops)
    count = 0
    gone: set[int] = set()
    for first, stop in _runs(ops):
        below = _pairs(context, ops, range(stop - 1, first - 1, -1), range(stop, len(ops)))
        above = [] if below else _pairs(context, ops, range(first, stop), range(first - 1, -1, -1))
        for new, old in below or above:
            script[old] = ScriptLine("match", ops[new].e, ops[old].f)
            gone.add(new)
            count += 1
        if below:
            gone |= _blanks(context, ops, first, below[0][0], stop, seam=range(stop, below[0][1]))
        elif above:
            gone |= _blanks(context, ops, above[0][0] + 1, stop, first, seam=range(above[0][1] + 1, first))
    for n in sorted(gone, reverse=True):
        del script[n]
    return script, count


def _blanks(
    context: MergeContext, ops: Sequence[ScriptLine], first: int, stop: int, end: int, *, seam: range
) -> set[int]:
    """Blank lines put in that the file has: among joined lines, and beside them where `seam` has some.

    New lines that are left are `[first, stop)`; joined ones reach from there to `end`, or begin there.
    """
    joined_lines = range(stop, end) if end >= stop else range(end, first)
    found = {n for n in joined_lines if _is_blank(context, ops[n])}
    if any(not context.file.keys[ops[n].f] for n in seam):
        beside = range(stop - 1, first - 1, -1) if end >= stop else range(first, stop)
        for n in beside:
            if not _is_blank(context, ops[n]):
                break
            found.add(n)
    return found


def _is_blank(context: MergeContext, op: ScriptLine) -> bool:
    return op.kind == "insert" and (op.e < 0 or not context.table.keys[op.e])


def _runs(ops: Sequence[ScriptLine]) -> Iterator[tuple[int, int]]:
    """Where lines are put in, one after the other."""
    new = [n for n, op in changed(ops) if op.kind == "insert"]
    for _, run in groupby(enumerate(new), key=lambda pair: pair[1] - pair[0]):
        numbers = [n for _, n in run]
        yield numbers[0], numbers[-1] + 1


def _pairs(context: MergeContext, ops: Sequence[ScriptLine], new: range, old: range) -> list[tuple[int, int]]:
    """New lines and file lines with the same text, as many as there are from the seam between them on.

    Of two lines each, `new` is read away from the seam, and the file's lines towards it.
    """
    file, edit = context.file.keys, context.table.keys
    inserts = [n for n in new if ops[n].kind == "insert" and ops[n].e >= 0 and edit[ops[n].e]]
    keeps: list[int] = []
    for n in old:
        if ops[n].kind != "keep" or len(keeps) == len(inserts):
            break
        if file[ops[n].f]:
            keeps.append(n)
    for size in range(min(len(inserts), len(keeps)), 0, -1):
        pairs = list(zip(inserts[:size][::-1], keeps[:size], strict=True))
        if all(edit[ops[one].e] == file[ops[other].f] for one, other in pairs):
            return pairs
    return []
