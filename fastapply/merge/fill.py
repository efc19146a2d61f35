"""Matching the lines between two anchors one by one: closers, blank lines, new versions of lines.

The chain of anchors fixes what matters; this settles which of the remaining edit lines are file
lines already (their bytes stay), which are new, and which file lines go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from fastapply.merge.anchors import NEAR_CONTROL
from fastapply.merge.likeness import (
    identity,
    is_control,
    same_kind,
    same_name,
    similarity,
    subject,
)
from fastapply.merge.lines import is_closer, words
from fastapply.merge.shortening import shortening
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastapply.merge.lines import LineTable

_LARGE = 250_000
_UNPAIRED = -10.0
NEAR_GAP = 0.68
"""Similarity from which on a line beside a gap is taken for the new version of a file line."""


@dataclass(frozen=True, slots=True)
class ScriptLine:
    """What becomes of one line: `e` is an edit line or -1, `f` a file line or -1."""

    kind: Literal["match", "near", "insert", "delete", "keep"]
    e: int
    f: int


def pair_score(
    edit: LineTable, file: LineTable, e: int, f: int, shown: frozenset[str], *, level: bool, loose: bool
) -> tuple[float, Literal["match", "near"]]:
    """Worth of making edit line `e` file line `f`; `level` says that both stand equally deep.

    `loose` allows an equal line at another depth (code that was wrapped or unwrapped) and a new
    version of a line that is less alike.
    """
    key, other = edit.keys[e], file.keys[f]
    if key == other:
        if not key:
            return 0.35, "match"
        if is_closer(key):
            return (0.7, "match") if level else (_UNPAIRED, "match")
        if level:
            return 1.0 + edit.weights[e], "match"
        return (0.6 + edit.weights[e] / 2, "match") if loose else (_UNPAIRED, "match")
    if not key or not other or not level or other in shown or is_closer(key) or is_closer(other):
        return _UNPAIRED, "near"
    score = similarity(edit.lines[e], file.lines[f])
    if shortening(edit.lines[e], file.lines[f]) in {"dots", "trailing", "comment"}:
        return 1.2, "near"
    name, own = identity(edit.lines[e]), identity(file.lines[f])
    if name is not None and name == own and same_kind(edit.lines[e], file.lines[f]):
        score = same_name(score)
    elif not loose and (
        (name is not None and own is not None) or subject(edit.lines[e]) or subject(file.lines[f])
    ):
        return _UNPAIRED, "near"
    control = is_control(edit.lines[e]) and is_control(file.lines[f])
    if score < (0.5 if loose else NEAR_CONTROL if control else NEAR_GAP):
        return _UNPAIRED, "near"
    if not loose and name is None and words(edit.lines[e])[:1] != words(file.lines[f])[:1]:
        return _UNPAIRED, "near"
    return min(1.0, score) * 1.1, "near"


def fill(
    edit: LineTable,
    file: LineTable,
    lines: Sequence[int],
    start: int,
    end: int,
    *,
    shown: frozenset[str],
    level: Callable[[int, int], bool],
    keep_head: int | None = None,
    keep_tail: int | None = None,
    held: frozenset[int] = frozenset(),
) -> list[ScriptLine]:
    """Match edit `lines` (text and blank) with file lines `[start, end)`, in order.

    File lines before `keep_head`, up to the first that is matched, may stay; so may those from
    `keep_tail` on, behind the last that is matched. All others are matched or deleted. Edit lines
    in `held` are new whatever the file holds.
    """
    rows, columns = len(lines), end - start
    loose = keep_head is None and keep_tail is None
    if not rows:
        return _without_lines(start, end, keep_head, keep_tail)
    if rows * columns > _LARGE:
        return [ScriptLine("delete", -1, f) for f in range(start, end)] + [
            ScriptLine("insert", e, -1) for e in lines
        ]
    lowest = start if keep_head is None else keep_head
    highest = end if keep_tail is None else keep_tail
    drop = [
        0.1 if not file.keys[f] else 0.4 if is_closer(file.keys[f]) else 0.5 if lowest <= f < highest else 3.0
        for f in range(start, end)
    ]
    free = [bool(key) and key not in shown and not is_closer(key) for key in file.keys[start:end]]
    free_head = (keep_head - start) if keep_head is not None else 0
    score = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    came: list[list[str]] = [[""] * (columns + 1) for _ in range(rows + 1)]
    for c in range(1, columns + 1):
        if c <= free_head:
            came[0][c] = "k"
        else:
            score[0][c], came[0][c] = score[0][c - 1] - drop[c - 1], "d"
    for r in range(1, rows + 1):
        e = lines[r - 1]
        key = edit.keys[e]
        blank, renews = not key, bool(key) and not is_closer(key)
        add = 0.08 if blank else 0.12
        row, above = score[r], score[r - 1]
        row[0], came[r][0] = above[0] - add, "i"
        for c in range(1, columns + 1):
            f = start + c - 1
            value, how = above[c] - add, "i"
            other = row[c - 1] - drop[c - 1]
            if other >= value:
                value, how = other, "d"
            if e not in held and (file.keys[f] == key or (renews and free[c - 1] and level(e, f))):
                worth, kind = pair_score(edit, file, e, f, shown, level=level(e, f), loose=loose)
                if worth > 0 and above[c - 1] + worth > value:
                    value, how = above[c - 1] + worth, "m" if kind == "match" else "n"
            row[c], came[r][c] = value, how
    c = columns
    if keep_tail is not None:
        least = max(0, keep_tail - start)
        c = max(range(least, columns + 1), key=lambda at: (score[rows][at], -at))
    ops = [ScriptLine("keep", -1, start + at) for at in range(columns - 1, c - 1, -1)]
    r = rows
    while r or c:
        how = came[r][c]
        if how == "k":
            ops += [ScriptLine("keep", -1, start + at) for at in range(c - 1, -1, -1)]
            break
        if how in {"m", "n"}:
            r, c = r - 1, c - 1
            ops.append(ScriptLine("match" if how == "m" else "near", lines[r], start + c))
        elif how == "i":
            r -= 1
            ops.append(ScriptLine("insert", lines[r], -1))
        else:
            c -= 1
            ops.append(ScriptLine("delete", -1, start + c))
    ops.reverse()
    return ops


def _without_lines(start: int, end: int, keep_head: int | None, keep_tail: int | None) -> list[ScriptLine]:
    """Fate of file lines where the edit shows none, by the bounds alone."""
    ops: list[ScriptLine] = []
    for f in range(start, end):
        kept = (keep_head is not None and f < keep_head) or (keep_tail is not None and f >= keep_tail)
        ops.append(ScriptLine("keep" if kept else "delete", -1, f))
    return ops
