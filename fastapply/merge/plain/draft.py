"""What a plain reading changes, line by line, and the splices and edit script that come of it."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.merge.fill import ScriptLine
from fastapply.merge.indentation import indent_of
from fastapply.merge.lines import TAB, columns
from fastapply.merge.writing import without_blank_end
from fastapply.types import Splice
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.merge.elements import MergeContext

_UNITS = frozenset({2, 3, 4, 8})
"""Columns that one level of indentation has in practice."""


@dataclass(frozen=True, slots=True)
class Change:
    """File lines ``[start, end)`` become `lines`: of each the edit line that it is, or -1, and its text."""

    start: int
    end: int
    lines: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """One plain reading: its changes, in order, and its features."""

    changes: tuple[Change, ...]
    features: dict[str, float]


def splices_of(changes: Sequence[Change], lines: Sequence[str]) -> tuple[Splice, ...]:
    """The changes without what they leave as it is; those that change nothing are left out."""
    found: list[Splice] = []
    for change in changes:
        start, end = change.start, change.end
        new = [text for _, text in change.lines]
        for tag, f1, f2, e1, e2 in SequenceMatcher(None, lines[start:end], new, autojunk=False).get_opcodes():
            if tag != "equal":
                found.append(Splice(start + f1, start + f2, tuple(new[e1:e2])))
    return without_blank_end(found, lines)


def script_of(context: MergeContext, changes: Sequence[Change]) -> list[ScriptLine]:
    """An operation for each line of the file and each new one."""
    keys, file = context.table.keys, context.file.keys
    ops: list[ScriptLine] = []
    used: set[int] = set()
    at = 0
    for change in changes:
        ops += [ScriptLine("keep", -1, f) for f in range(at, change.start)]
        new = ["".join(text.split()) for _, text in change.lines]
        matcher = SequenceMatcher(None, file[change.start : change.end], new, autojunk=False)
        for tag, f1, f2, e1, e2 in matcher.get_opcodes():
            if tag == "equal":
                for f, e in zip(range(change.start + f1, change.start + f2), range(e1, e2), strict=True):
                    number = change.lines[e][0]
                    ops.append(ScriptLine("match" if number >= 0 else "keep", number, f))
            else:
                ops += [ScriptLine("delete", -1, f) for f in range(change.start + f1, change.start + f2)]
                ops += [ScriptLine("insert", change.lines[e][0], -1) for e in range(e1, e2)]
        used.update(number for number, _ in change.lines)
        at = change.end
    ops += [ScriptLine("keep", -1, f) for f in range(at, len(file))]
    shown = [e for e, kind in enumerate(context.edit.kinds) if kind == "text" and keys[e] and e not in used]
    if not shown:
        return ops
    kept = [n for n, op in enumerate(ops) if op.kind == "keep" and file[op.f]]
    matcher = SequenceMatcher(None, [keys[e] for e in shown], [file[ops[n].f] for n in kept], autojunk=False)
    for a, b, size in matcher.get_matching_blocks():
        for step in range(size):
            n = kept[b + step]
            ops[n] = ScriptLine("match", shown[a + step], ops[n].f)
    return ops


class Reindent:
    """Gives an edit's lines the indentation of a place in the file."""

    def __init__(self, edit: Sequence[str], file: Sequence[str]) -> None:
        shown, held = _steps(edit), _steps(file)
        self._file = max(held, key=lambda step: (held[step], -step), default=0)
        self._edit = max(shown, key=lambda step: (step == self._file, shown[step], -step), default=0)
        self.tabs = sum(line[:1] == "\t" for line in file) > sum(line[:1] == " " for line in file)

    @property
    def level(self) -> str:
        """One level of indentation in the file."""
        return "\t" if self.tabs else " " * (self._file or self._edit or TAB)

    def line(self, text: str, base: int, target: str) -> str:
        """An edit line, whose block begins at column `base`, in a block of the file indented by `target`."""
        if not text.strip():
            return ""
        more = columns(text) - base
        if more < 0:
            return (target[:more] if len(target) >= -more else "") + text.lstrip()
        return target + self.inner(indent_of(text), more) + text.lstrip()

    def inner(self, indent: str, more: int) -> str:
        """Indentation in the file of what stands `more` columns deeper than its block in the edit."""
        edit = TAB if "\t" in indent else self._edit
        if self.tabs:
            levels, rest = divmod(more, edit or TAB)
            return "\t" * levels + " " * rest
        if edit != self._file and {edit, self._file} <= _UNITS and edit and more % edit == 0:
            return " " * (more // edit * self._file)
        return " " * more


def _steps(lines: Iterable[str]) -> Counter[int]:
    """How often a line of a text begins so many columns further in than the one above it."""
    depths = [columns(line) for line in lines if line.strip() and line.lstrip()[0] not in "*#/"]
    steps = Counter(b - a for a, b in pairwise(depths) if b > a)
    least = min((depth for depth in depths if depth), default=0)
    return steps or Counter({least: 1} if least else {})
