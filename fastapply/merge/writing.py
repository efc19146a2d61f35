"""From every line's fate to splices: what each new or shared line reads like in the file.

Shared lines keep the file's bytes unless the edit meant to change them; new lines are indented as
the file is.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from fastapply.merge.gap import changed
from fastapply.merge.indentation import indent_of, level_width
from fastapply.merge.lines import TAB, columns
from fastapply.merge.shortening import shortening
from fastapply.types import Splice

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.elements import MergeContext
    from fastapply.merge.fill import ScriptLine


DOTS = frozenset({"dots"})
"""The way of shortening a line that never is the change itself."""
_OTHER_BLANKS = re.compile(r"[^\S ]")


class Writer:
    """Writes edit scripts of one edit and one file; `ratio` is columns of the file to one of the edit."""

    def __init__(self, context: MergeContext, ratio: float) -> None:
        self.table = context.table
        self.file = context.file
        self._parents = context.edit.parents
        self._context = context
        self._ratio = ratio
        self._short = DOTS
        self._verbatim = False
        self._tabs = _only_tabs(context.file.lines)
        self._tabs_shown = any(line.startswith("\t") for line in context.table.lines)
        self._alike = self._tabs == self._tabs_shown
        self._level = level_width(
            indent_of(line)
            for line in context.table.lines
            if line.strip() and not line.lstrip().startswith("*")  # a doc comment's are one column aside
        )

    def usual(self, ops: Sequence[ScriptLine]) -> tuple[Splice, ...]:
        """Splices with the file's white space; where that leaves nothing to change at all, with the edit's.

        A few lines that differ in white space alone, in an otherwise equal edit, are the change.
        """
        found = self.write(ops)
        if not found and self._ratio == 1.0 and self._alike:
            other = self.write(ops, literal=True)
            matched = sum(op.kind == "match" and bool(self.table.keys[op.e]) for op in ops)
            if 4 * sum(len(change.lines) for change in other) <= matched:
                return other
        return found

    def write(
        self, ops: Sequence[ScriptLine], *, literal: bool = False, short: frozenset[str] = DOTS
    ) -> tuple[Splice, ...]:
        """Splices for an edit script.

        With `literal`, lines that both have get the edit's white space, else they keep the file's. `short`
        are the ways of shortening a line (see `likeness.shortening`) that are taken for carelessness.
        """
        self._short = short
        return self._splices(ops, literal=literal)

    def verbatim(self, ops: Sequence[ScriptLine]) -> tuple[Splice, ...]:
        """Splices that give every line of the edit just as the edit has it."""
        self._verbatim = True
        try:
            return self.write(ops, literal=True)
        finally:
            self._verbatim = False

    def shortened(self, ops: Sequence[ScriptLine]) -> Counter[str]:
        """How many lines of the file an edit script only shortens, by the way in which it does."""
        return Counter(
            way
            for op in ops
            if op.kind == "near" and (way := shortening(self.table.lines[op.e], self.file.lines[op.f]))
        )

    def _splices(self, ops: Sequence[ScriptLine], *, literal: bool) -> tuple[Splice, ...]:
        live = changed(ops)
        pairs, meant = self._pairs(live)
        changes: list[Splice] = []
        at, last = 0, -1
        start, lines = 0, list[str]()

        def flush(upto: int) -> None:
            nonlocal lines
            if lines or start < upto:
                changes.append(Splice(start, upto, tuple(lines)))
            lines = []

        dirty = False
        for n, op in live:
            if n > last + 1:  # lines between that stay
                if dirty:
                    flush(at)
                    dirty = False
                at = ops[n - 1].f + 1
            keep, last, text = False, n, ""
            if op.kind in {"match", "near"}:
                text = self._line(op, n, pairs, meant)
                if literal and op.kind == "match" and self.table.keys[op.e]:
                    text = (
                        indent_of(self._indented(op.e, n, pairs, skip=op.e)) + self.table.lines[op.e].strip()
                    )
                keep = text == self.file.lines[op.f]
            elif op.kind == "insert":
                text = "" if op.e < 0 else self._indented(op.e, n, pairs)
            if keep:
                if dirty:
                    flush(at)
                    dirty = False
                at = op.f + 1
                continue
            if not dirty:
                start, dirty = at, True
            if op.kind != "delete":
                lines.append(text)
            if op.f >= 0:
                at = op.f + 1
        if dirty:
            flush(at)
        return tuple(_trimmed(change, self.file.lines) for change in changes)

    def _pairs(
        self, live: Sequence[tuple[int, ScriptLine]]
    ) -> tuple[list[tuple[int, int, str, str]], set[int]]:
        """Shared lines that show how edit indentation maps to the file's, and lines moved on purpose.

        `live` are operations that keep no line of the file, with their index. Of each shared line this index,
        the edit line, and the indentation in edit and file; a line that stands deeper or less deep than its
        run does was wrapped or unwrapped, and is no example.
        """
        shared = [
            (n, op.e, indent_of(self.table.lines[op.e]), indent_of(self.file.lines[op.f]))
            for n, op in live
            if op.kind in {"match", "near"} and self.table.keys[op.e] and op.e not in self.table.in_string
        ]
        alike = self._alike or any(ours and ours == theirs for _, _, ours, theirs in shared)
        ratio = self._ratio
        deltas: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for _, e, ours, theirs in shared:
            deltas[self._context.run(e).start].append(
                (columns(ours), columns(theirs) - ratio * columns(ours))
            )
        base = {run: _base(found) for run, found in deltas.items()}
        for _, e, ours, theirs in shared:
            run = self._context.run(e)
            first = next(x for x in run if self.table.keys[x])
            if e == first and abs(columns(theirs) - ratio * columns(ours)) < 0.6:
                base[run.start] = 0.0
        straight: list[tuple[int, int, str, str]] = []
        homes = {op.e: self.file.parents[op.f] for _, op in live if op.kind in {"match", "near"}}
        shown = {op.f for _, op in live}
        shifts: dict[int, set[float]] = defaultdict(set)  # of the lines in each block
        for _, e, ours, theirs in shared:
            shifts[homes[e]].add(round(columns(theirs) - ratio * columns(ours), 1))
        new = {op.e for _, op in live if op.kind == "insert"}
        gone = {op.f for _, op in live if op.kind == "delete"}
        unwrapped = {op.e for _, op in live if op.kind == "match" and self.file.parents[op.f] in gone}
        meant: set[int] = set()
        for pair in shared:
            shift = columns(pair[3]) - ratio * columns(pair[2])
            home = homes[pair[1]]
            lost = shift > 0 and home >= 0 and home not in shown and len(shifts[home]) == 1
            if lost or abs(shift - base[self._context.run(pair[1]).start]) < 0.6:
                straight.append(pair)  # nothing shows that a line leaves a block whose head is not shown
            elif (pair[2] or pair[1] > 0) and (
                alike
                or self._parents[pair[1]] in new
                or self._parents[pair[1]] in meant
                or pair[1] in unwrapped
            ):
                meant.add(pair[1])  # not so a snippet's very first line, which often lost its indentation
        return straight, meant

    def _indented(self, e: int, n: int, pairs: Sequence[tuple[int, int, str, str]], skip: int = -1) -> str:
        """An edit line with the file's indentation, as the nearest lines that both have show it."""
        line = self.table.lines[e]
        if not line.strip() or self._verbatim:
            return line
        reference = self._reference(e, n, pairs, skip)
        indent = indent_of(line)
        run = self._context.run(e)
        here = [(ours, theirs) for _, other, ours, theirs in pairs if other in run and other != skip]
        if (
            all(ours == theirs for ours, theirs in here)
            and (any(ours for ours, _ in here) or "\t" in indent or not self._tabs)
            and here
        ):
            return line  # the run is indented as the file is
        ours, theirs = reference or ("", "")
        if indent == ours:
            return theirs + line.lstrip()
        aside = " " if line.lstrip().startswith("*") and indent.endswith(" ") else ""
        return self._shifted(indent[len(aside) :], ours, theirs) + aside + line.lstrip()

    def _reference(
        self, e: int, n: int, pairs: Sequence[tuple[int, int, str, str]], skip: int
    ) -> tuple[str, str] | None:
        """Indentation in edit and file of the shared line that tells most about edit line `e`."""
        run = self._context.run(e)
        indent = indent_of(self.table.lines[e])
        best: tuple[tuple[bool, bool, bool, int], tuple[str, str]] | None = None
        for at, other, ours, theirs in pairs:
            if other != skip:
                rank = (other not in run, ours != indent, not indent.startswith(ours), abs(at - n))
                if best is None or rank < best[0]:
                    best = (rank, (ours, theirs))
        return best[1] if best else None

    def _shifted(self, indent: str, ours: str, theirs: str) -> str:
        """An indentation that stands to `theirs` as the edit's `indent` stands to `ours`."""
        more = indent[len(ours) :] if indent.startswith(ours) else None
        blanks = not self._tabs and "\t" not in theirs
        if more is not None and self._ratio == 1.0 and ("\t" in more or self._tabs_shown or blanks):
            return theirs + more  # blanks beside tabs align what goes on with the line above
        delta = columns(indent) - columns(ours)
        if self._tabs or "\t" in theirs:
            step, delta = "\t", round(delta / (TAB if "\t" in indent + ours else self._level))
        else:
            step, delta = " ", round(delta * self._ratio)
        if delta >= 0:
            return theirs + step * delta
        return theirs[:delta] if len(theirs) >= -delta else ""

    def _line(
        self, op: ScriptLine, n: int, pairs: Sequence[tuple[int, int, str, str]], meant: set[int]
    ) -> str:
        """Text of a line that both have: the file's own bytes unless the edit meant to change them."""
        file_line = self.file.lines[op.f]
        if not self.file.keys[op.f]:
            return file_line
        edit_line = self.table.lines[op.e]
        rewrapped = op.e in meant
        if op.kind == "match":
            if op.f in self.file.in_string:
                return file_line
            if not _same_spacing(edit_line, file_line):
                file_line = indent_of(file_line) + edit_line.strip() + file_line[len(file_line.rstrip()) :]
            if not rewrapped:
                return file_line
            indent = indent_of(self._indented(op.e, n, pairs, skip=op.e))
            return indent + file_line.lstrip()
        if shortening(edit_line, file_line) in self._short:
            return file_line
        indent = indent_of(file_line)
        if rewrapped:
            indent = indent_of(self._indented(op.e, n, pairs, skip=op.e))
        return indent + edit_line.strip() if op.f not in self.file.in_string else edit_line


def _same_spacing(edit_line: str, file_line: str) -> bool:
    """Whether two lines that differ in white space alone do so by the edit's carelessness.

    They do where the edit only has single blanks for the blanks that align the file's columns, or plain ones
    for those that do not break.
    """
    ours, theirs = edit_line.split(), file_line.split()
    plain = _OTHER_BLANKS.sub(" ", file_line).strip()
    return ours == theirs and edit_line.strip() in {" ".join(ours), file_line.strip(), plain}


def _base(found: Sequence[tuple[int, float]]) -> float:
    """Shift of a run's indentation, of each line's depth in the edit and shift.

    None where one of the least deep lines stands as in the file, else the commonest.
    """
    least = min(depth for depth, _ in found)
    if any(abs(delta) < 0.6 for depth, delta in found if depth == least):
        return 0.0
    counted = Counter(round(delta, 1) for _, delta in found)
    return max(counted, key=lambda delta: counted[delta])


def _only_tabs(lines: Sequence[str]) -> bool:
    """Whether a text indents with tabs, a few aligned lines left aside."""
    tabs = sum(line[:1] == "\t" and bool(line.strip()) for line in lines)
    return tabs > 4 * sum(line[:2] == "  " and bool(line.strip()) for line in lines)


def _trimmed(change: Splice, lines: Sequence[str]) -> Splice:
    """Leave equal lines at a splice's ends to the file, so that their bytes stay."""
    start, end, new = change.start, change.end, list(change.lines)
    while start < end and new and new[0] == lines[start]:
        start, new = start + 1, new[1:]
    while start < end and new and new[-1] == lines[end - 1]:
        end, new = end - 1, new[:-1]
    return Splice(start, end, tuple(new))


def without_blank_end(splices: Sequence[Splice], lines: Sequence[str]) -> tuple[Splice, ...]:
    """Splices that put no blank lines at the end of a file which has none there."""
    if not splices or splices[-1].end < len(lines) or (lines and not lines[-1].strip()):
        return tuple(splices)
    last = splices[-1]
    kept = list(last.lines)
    while kept and not kept[-1].strip():
        kept.pop()
    trimmed = [Splice(last.start, last.end, tuple(kept))] if kept or last.start < last.end else []
    return (*splices[:-1], *trimmed)
