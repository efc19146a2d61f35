"""Old lines that a new block takes in, or that come out of one: they get another indentation.

Edit and file are aligned line by line within what the edit names, whatever their depth: a marker covers the
file's lines up to the next shown one. Lines below a new header, or below one that goes, follow the edit.
"""

from __future__ import annotations

import re
from itertools import pairwise
from math import log1p
from typing import TYPE_CHECKING

from fastapply.merge.indentation import indent_of
from fastapply.merge.likeness import definition, holds_members, is_control, similarity
from fastapply.merge.lines import columns, is_closer
from fastapply.merge.plain.draft import Change, Draft

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.elements import MergeContext
    from fastapply.merge.fill import ScriptLine
    from fastapply.merge.plain.draft import Reindent
    from fastapply.merge.plain.outline import Outline

MOST_CELLS = 60_000
"""Pairs of lines that are compared."""
_OPENS = re.compile(r"(?:[{:(]|\b(?:do|then))\s*$")
"""How a line ends that opens a block."""
_LIKE = 0.78
"""From which likeness on a header is a new version of another one."""
_INSERT, _DELETE, _BLANK, _LEVEL, _TAIL = 0.06, 0.35, 0.03, 0.04, 1e-4

_Scope = tuple[int, int, int, int, bool]
"""A range of edit lines, one of file lines, and whether their first lines are one."""


class Rewrapper:
    """Finds wrapped and unwrapped code, for one edit and one file."""

    def __init__(self, context: MergeContext, edit: Outline, file: Outline, reindent: Reindent) -> None:
        self.context, self.edit, self.file, self.reindent = context, edit, file, reindent

    def drafts(self) -> list[Draft]:
        """The edit aligned within what its outermost units name, or with the whole file; blocks taken out."""
        freed = [one for one in map(self._freed, self.edit.children(-1)) if one is not None]
        return [*freed, *(draft for scopes in self._scopes() for draft in self._aligned(scopes))]

    def _freed(self, number: int) -> Draft | None:
        """What is in the one block of a thing of which only a marker is shown: the block itself goes."""
        match = self._same(number)
        if match is None:
            return None
        kinds, lines = self.context.edit.kinds, self.context.table.lines
        inner = range(*self.edit.body(number))
        marks = [e for e in inner if kinds[e] == "marker"]
        held = [n for n in self.file.children(match) if self.file.kind(n) != "comment"]
        if len(marks) != 1 or len(held) != 1 or not self.file.is_block(held[0]):
            return None
        if any(kinds[e] == "text" and self.context.table.keys[e] in self.context.count for e in inner):
            return None
        block = self.file.units[held[0]]
        start, end = self.file.body(held[0])
        low = columns(self.file.lines[block.head])
        ends = (
            f for f in range(start, end) if self.file.table.keys[f] and columns(self.file.lines[f]) <= low
        )
        end = next(ends, end)  # where `} catch` goes on
        full = [f for f in range(start, end) if self.file.table.keys[f]]
        if not full:
            return None
        least = min(full, key=lambda f: columns(self.file.lines[f]))
        target, base = indent_of(self.file.lines[block.head]), columns(lines[marks[0]])
        new: list[tuple[int, str]] = []
        for e in inner:
            if kinds[e] == "marker":
                new += [
                    (-1, _moved(self.file.lines[f], self.file.lines[least], target) if f in full else "")
                    for f in range(start, end)
                ]
            else:
                new.append((e, self.reindent.line(lines[e], base, target)))
        while new and not new[-1][1]:
            new.pop()
        features = {"wrap": 1.0, "wrap.freed": 1.0, "wrap.moved": log1p(len(full))}
        return Draft((Change(block.start, block.end, tuple(new)),), features)

    def _aligned(self, scopes: Sequence[_Scope]) -> list[Draft]:
        kinds = self.context.edit.kinds
        changes: list[Change] = []
        features: dict[str, float] = {}
        for first, last, start, end, near in scopes:
            if (last - first) * (end - start) > MOST_CELLS:
                return []
            found = self.align(first, last, start, end, near=near)
            if found is not None:
                changes.append(found[0])
                for name, value in found[1].items():
                    features[name] = features.get(name, 0.0) + value
        if not changes or "text" not in kinds or not features.get("wrap.moved"):
            return []
        changes.sort(key=lambda one: one.start)
        if any(a.end > b.start for a, b in pairwise(changes)):
            return []
        features["wrap"] = 1.0
        return [Draft(tuple(changes), features)]

    def _scopes(self) -> list[list[_Scope]]:
        """Ranges that belong together: those of the shown units, and all where some of these move apart."""
        edit, file = self.edit, self.file
        found: list[_Scope] = []
        shifts: set[float] = set()
        for number in edit.children(-1):
            unit = edit.units[number]
            match = self._same(number)
            if match is None:
                continue
            other = file.units[match]
            shifts.add(columns(file.lines[other.head]) - columns(edit.lines[unit.head]))
            if unit.end > unit.head + 1:
                found.append((unit.head, unit.end, other.head, other.end, True))
        every = [(0, len(self.context.table.lines), 0, len(file.lines), False)]
        if not found:
            return [every]
        return [found, every] if len(shifts) > 1 else [found]

    def _same(self, number: int) -> int | None:
        edit, file = self.edit, self.file
        key = edit.table.keys[edit.units[number].head]
        same = [n for n, one in enumerate(file.units) if file.table.keys[one.head] == key]
        if not same and edit.name(number) and edit.kind(number) in {"function", "holder"}:
            same = [n for n in range(len(file.units)) if file.name(n) == edit.name(number)]
        return same[0] if len(same) == 1 else None

    def align(
        self, first: int, last: int, start: int, end: int, *, near: bool
    ) -> tuple[Change, dict[str, float]] | None:
        """Edit lines ``[first, last)`` put over file lines ``[start, end)``; `near`: the first two are one.

        None where they are too many, or nothing of the one is in the other.
        """
        if (last - first) * (end - start) > MOST_CELLS:
            return None
        steps = self._steps(first, last, start, end, near=near)
        if steps is None:
            return None
        return self._write(steps, start, end, near=near)

    def _steps(
        self, first: int, last: int, start: int, end: int, *, near: bool
    ) -> list[tuple[str, int, int]] | None:
        """The cheapest way through both, in steps: ``same``, ``new``, ``gone``, ``hidden``, ``mark``."""
        kinds, keys = self.context.edit.kinds, self.context.table.keys
        file = self.file.table
        items = [e for e in range(first, last) if kinds[e] in {"text", "marker", "blank"}]
        held = set(file.keys[start:end])
        rows, width = len(items), end - start
        depth = columns(self.context.table.lines[first]) - columns(self.file.lines[start]) if near else 0
        shut: set[int] = set()  # ends of blocks that are new, and their braces on lines of their own
        for e, opener in self.context.edit.openers.items():
            head = opener
            if keys[opener] in {"{", "do", "begin"}:
                head = next((n for n in range(opener - 1, first - 1, -1) if keys[n]), opener)
            if keys[head] in held or (near and head == first):
                continue
            if not any(self._is_header(head, f, depth) for f in range(start, end)):
                shut |= {e} if head == opener else {e, opener}
        ends = self._ends(start, end)
        score = [[0.0] * (width + 1) for _ in range(rows + 1)]
        came = [[""] * (width + 1) for _ in range(rows + 1)]
        for r in range(rows + 1):
            e = items[r - 1] if r else -1
            marker = r > 0 and kinds[e] == "marker"
            free = marker or (not near and r in {0, rows})
            for c in range(width + 1):
                best, how = (0.0, "") if r == c == 0 else (float("-inf"), "")
                if c:
                    key = file.keys[start + c - 1]
                    cost = (
                        _TAIL * (r == rows) * (not marker)
                        if free
                        else _BLANK
                        if not key
                        else _DELETE * (0.3 + file.weights[start + c - 1])
                    )
                    value = score[r][c - 1] - cost
                    if value > best:
                        best, how = value, "hidden" if free else "gone"
                if r:
                    if marker:
                        value = score[r - 1][c]
                        if value > best:
                            best, how = value, "mark"
                    else:
                        value = score[r - 1][c] - (_BLANK if not keys[e] else _INSERT)
                        if value > best:
                            best, how = value, "new"
                        same = (
                            c > 0
                            and keys[e] == file.keys[start + c - 1]
                            and e not in shut
                            and ends.get(e, start + c - 1) == start + c - 1
                        )
                        if not same and c and e not in shut:
                            same = self._is_header(e, start + c - 1, depth)
                        if same or (c and near and r == c == 1):
                            value = score[r - 1][c - 1] + (file.weights[start + c - 1] or 0.04)
                            value += _LEVEL * (
                                columns(self.context.table.lines[e]) - depth == file.depths[start + c - 1]
                            )
                            if value > best:
                                best, how = value, "same"
                score[r][c], came[r][c] = best, how
        steps: list[tuple[str, int, int]] = []
        r, c = rows, width
        while r or c:
            how = came[r][c]
            e, f = items[r - 1] if r else -1, start + c - 1
            if how in {"hidden", "gone"}:
                steps.append((how, -1, f))
                c -= 1
            elif how == "same":
                steps.append((how, e, f))
                r, c = r - 1, c - 1
            else:
                steps.append((how, e, -1))
                r -= 1
        steps.reverse()
        return steps

    def _ends(self, start: int, end: int) -> dict[int, int]:
        """Of ends of shown blocks the file lines that they are, where their headers stand there once."""
        keys, file = self.context.table.keys, self.file.table
        lines: dict[str, list[int]] = {}
        for f in range(start, end):
            lines.setdefault(file.keys[f], []).append(f)
        found: dict[int, int] = {}
        for e, opener in self.context.edit.openers.items():
            heads = lines.get(keys[opener], [])
            if len(heads) == 1 and len(keys[opener]) > 1:
                head, at = heads[0], file.ends[heads[0]]
                level = [f for f in (at - 1, at) if f < end and file.depths[f] == file.depths[head]]
                for f in level:
                    if file.keys[f] == keys[e]:
                        found[e] = f
        return found

    def _is_header(self, e: int, f: int, depth: int) -> bool:
        """Whether an edit line is a new version of a file line that opens a block, just as deep."""
        line, old = self.context.table.lines[e], self.file.lines[f]
        if columns(line) - depth != self.file.table.depths[f] or is_closer(self.context.table.keys[e]):
            return False
        if holds_members(line) != holds_members(old):
            return False
        opened, before = _OPENS.search(line), _OPENS.search(old)
        if opened is None or before is None or opened[0].strip() != before[0].strip():
            return False
        return (
            line.split() != old.split()
            and similarity(line, old) >= _LIKE
            and is_control(line) == is_control(old)
        )

    def _write(
        self, steps: Sequence[tuple[str, int, int]], start: int, end: int, *, near: bool
    ) -> tuple[Change, dict[str, float]] | None:
        table, file = self.context.table, self.file
        parents = self.context.edit.parents
        new = {e for how, e, _ in steps if how == "new" and table.keys[e] and not is_closer(table.keys[e])}
        gone = {f for how, _, f in steps if how == "gone" and file.table.keys[f]}
        same = [(e, f) for how, e, f in steps if how == "same" and table.keys[e]]
        if not same or (not any(how == "mark" for how, _, _ in steps) and not gone):
            return None
        outer = next(((e, f) for e, f in same if not is_under(parents, e, new)), None)
        if outer is None:  # all that is shown goes into the first new block, as deep as it was
            outer = (next(iter(sorted(new)), same[0][0]), same[0][1])
        base, target = columns(table.lines[outer[0]]), indent_of(file.lines[outer[1]])
        hidden: dict[int, list[int]] = {}
        mark = -1
        for how, e, f in steps:
            if how == "mark":
                mark = e
            elif how != "hidden":
                mark = -1
            elif mark >= 0:
                hidden.setdefault(mark, []).append(f)
        left = {file.table.depths[f] for f in gone}
        shifts: dict[int, str] = {}
        beyond: set[int] = set()  # behind the block that a marker stands in
        for e, covered in hidden.items():
            full = [f for f in covered if file.table.keys[f]]
            if full and parents[e] >= 0:
                less = [f for f in full if columns(file.lines[f]) < columns(file.lines[full[0]])]
                beyond |= {f for f in less if file.table.depths[f] in left}
                full = full[: full.index(less[0])] if less else full
            if not full or not (
                is_under(parents, e, new) or is_under(self.file.table.parents, full[0], gone)
            ):
                continue
            least = min(full, key=lambda f: columns(file.lines[f]))
            header = table.lines[parents[e]]
            old = self.file.lines[least]
            takes = definition(header) and definition(old) and _OPENS.search(old)
            if parents[e] in new and takes and not holds_members(header):
                return None  # a new function takes in no other ones
            wanted = self.reindent.line(table.lines[e], base, target)
            shifts |= {
                f: _moved(file.lines[f], file.lines[least], indent_of(wanted))
                for f in full
                if f not in file.table.in_string
            }
        lines: list[tuple[int, str]] = []
        moved = 0
        for how, e, f in steps:
            if how == "hidden" and f not in beyond:
                lines.append((-1, shifts.get(f, file.lines[f])))
                moved += f in shifts and shifts[f] != file.lines[f]
            elif how == "new":
                lines.append((e, self.reindent.line(table.lines[e], base, target)))
            elif how == "same":
                text = file.lines[f]
                wrapped = is_under(parents, e, new) or is_under(self.file.table.parents, f, gone)
                if table.keys[e] != file.table.keys[f] or (wrapped and table.keys[e]):
                    source = text.lstrip() if table.keys[e] == file.table.keys[f] else table.lines[e].lstrip()
                    text = indent_of(self.reindent.line(table.lines[e], base, target)) + source
                    moved += text != file.lines[f]
                lines.append((e, text))
        features = {
            "wrap.moved": log1p(moved),
            "wrap.new": log1p(len(new)),
            "wrap.gone": log1p(len(gone | beyond)),
            "wrap.scoped": float(near),
            "wrap.hidden": float(bool(shifts)),
        }
        return Change(start, end, tuple(lines)), features


def _moved(line: str, least: str, target: str) -> str:
    """A file line shifted as the least indented of its lines is, when that one gets another indentation."""
    old, own = indent_of(least), indent_of(line)
    return target + (own[len(old) :] if own.startswith(old) else "") + line.lstrip()


def with_hidden_moved(
    context: MergeContext, ops: Sequence[ScriptLine], lines: Sequence[str], reindent: Reindent
) -> Change | None:
    """A merge in which lines that a marker hides follow it into a new block, or out of one that goes.

    `lines` are those of the merge as `ops` write them. None where nothing moves.
    """
    table, file, parents = context.table, context.file, context.edit.parents
    written = [op for op in ops if op.kind != "delete"]
    if len(written) != len(lines):
        return None
    at = {op.e: n for n, op in enumerate(written) if op.e >= 0}
    new = {op.e for op in written if op.kind == "insert" and not is_closer(table.keys[op.e])}
    gone = {op.f for op in ops if op.kind == "delete" and file.keys[op.f]}
    marks = [e for e, kind in enumerate(context.edit.kinds) if kind == "marker"]
    result = list(lines)
    for e in marks:
        above = max((n for shown, n in at.items() if shown < e), default=-1)
        below = min((n for shown, n in at.items() if shown > e), default=len(lines))
        hidden = [n for n in range(above + 1, below) if file.keys[written[n].f]]
        parent = parents[e]
        if not hidden or parent not in at:
            continue
        depths = [columns(file.lines[written[n].f]) for n in hidden]
        hidden = hidden[: next((n for n, depth in enumerate(depths) if depth < depths[0]), len(depths))]
        if not (is_under(parents, e, new) or is_under(file.parents, written[hidden[0]].f, gone)):
            continue
        more = columns(table.lines[e]) - columns(table.lines[parent])
        wanted = indent_of(lines[at[parent]]) + reindent.inner(indent_of(table.lines[e]), more)
        for n in hidden:
            if written[n].f not in file.in_string:
                result[n] = _moved(lines[n], lines[hidden[0]], wanted)
    if result == list(lines):
        return None
    return Change(0, len(file.lines), tuple((op.e, text) for op, text in zip(written, result, strict=True)))


def is_under(parents: Sequence[int], line: int, headers: set[int]) -> bool:
    """Whether a line stands below one of some headers."""
    while (line := parents[line]) >= 0:
        if line in headers:
            return True
    return False
