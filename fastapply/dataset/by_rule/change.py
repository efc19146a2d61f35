"""A change of one file, as lines: what was replaced by what, and which lines stayed.

`make_change` aligns before and after the way a person would read the change: a block that could
be said to begin at several lines begins where the indentation is least, and two replacements with
nothing but a blank or a bracket between them are one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import TYPE_CHECKING

from fastapply.text import split_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORD = re.compile(r"[^\W_]")
_KEYWORD_ONLY = re.compile(
    r"(?:else|end|try|finally|do|then|fi|done|esac|begin|ensure|rescue|default|break|continue|pass|return"
    r"|return (?:nil|null|None|true|false|True|False|err|0|1)|yield|loop|unsafe)[\s:;{]*"
)


@dataclass(frozen=True, slots=True)
class Replaced:
    """Before lines `[b0, b1)` became after lines `[a0, a1)`; 0-based, half-open."""

    b0: int
    b1: int
    a0: int
    a1: int


@dataclass(frozen=True)
class Change:
    """Before and after of one file as lines without ends, and what was replaced, in order."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    replaced: tuple[Replaced, ...]

    @cached_property
    def old_of(self) -> tuple[int | None, ...]:
        """For each after line the before line that it is, or None where it is new."""
        old: list[int | None] = []
        at = 0
        for r in self.replaced:
            old += range(at, r.b0)
            old += [None] * (r.a1 - r.a0)
            at = r.b1
        return (*old, *range(at, len(self.before)))


def indent_of(line: str) -> int:
    """Width of the leading white space, a tab counting as four."""
    lead = line[: len(line) - len(line.lstrip())]
    return len(lead.expandtabs(4))


def is_strong(line: str) -> bool:
    """Whether a line says enough to be recognised: `}`, `else:` or `return nil` do not."""
    text = line.strip()
    return len(_WORD.findall(text)) >= 4 and not _KEYWORD_ONLY.fullmatch(text)


def normalise(before: str, after: str) -> tuple[str, str] | None:
    """Make the after say only what an edit can: no trailing white space, line ends as before.

    None where the line ends are mixed or one side is empty.
    """
    lines, ends = split_lines(before)
    kinds = {end for end in ends if end}
    if not lines or len(kinds) > 1 or "\r" in kinds:
        return None
    newline = next(iter(kinds), "\n")
    known = set(lines)
    new, _ = split_lines(after)
    body = newline.join(line if line in known else line.rstrip() for line in new)
    return before, body + (newline if ends[-1] else "")


def make_change(before: Sequence[str], after: Sequence[str]) -> Change:
    """Align two texts given as lines. Changes of white space alone are undone in the after.

    No reader of an edit can tell them from context that was written down carelessly; a line that
    moves into or out of a block together with a real change stays as the after has it.
    """
    after = _keep_spacing(before, after)
    pieces = _coalesce(before, [_slide(before, after, r) for r in _opcodes(before, after)])
    after = _keep_spacing_inside(before, after, pieces)
    kept = [r for r in pieces if _squash(before[r.b0 : r.b1]) != _squash(after[r.a0 : r.a1])]
    lines: list[str] = []
    replaced: list[Replaced] = []
    at = 0
    for r in kept:
        lines += before[at : r.b0]
        replaced.append(Replaced(r.b0, r.b1, len(lines), len(lines) + r.a1 - r.a0))
        lines += after[r.a0 : r.a1]
        at = r.b1
    lines += before[at:]
    return Change(tuple(before), tuple(lines), tuple(replaced))


def changes_unit(change: Change, r: Replaced) -> bool:
    """Whether a replacement also indents lines by another unit: two columns become four, four become eight.

    Three lines or more whose text stays tell it, none of which keeps its depth, and which do not all move by
    one distance, as a block does that is wrapped.
    """
    old: dict[str, int] = {}
    for line in change.before[r.b0 : r.b1]:
        old.setdefault("".join(line.split()), indent_of(line))
    pairs = [
        (old[key], indent_of(line))
        for line in change.after[r.a0 : r.a1]
        if len(key := "".join(line.split())) > 2 and old.get(key)
    ]
    return len(pairs) >= 3 and all(was != new for was, new in pairs) and len({n - w for w, n in pairs}) > 1


def _squash(lines: Sequence[str]) -> list[str]:
    return [text for line in lines if (text := "".join(line.split()))]


def _keep_spacing(before: Sequence[str], after: Sequence[str]) -> Sequence[str]:
    """Give new lines that differ from one before line only in inner white space that line's bytes."""
    known = set(before)
    gone = set(before) - set(after)
    spaced = {(indent_of(line), "".join(line.split())): line for line in before if line in gone}
    return [
        line if line in known else spaced.get((indent_of(line), "".join(line.split())), line)
        for line in after
    ]


def _keep_spacing_inside(
    before: Sequence[str], after: Sequence[str], pieces: Sequence[Replaced]
) -> Sequence[str]:
    """The same for lines that a replacement holds on both sides, also where the old one stays elsewhere."""
    lines = list(after)
    for r in pieces:
        old = [line for line in before[r.b0 : r.b1] if line.strip()]
        spaced = {(indent_of(line), "".join(line.split())): line for line in old}
        for i in range(r.a0, r.a1):
            lines[i] = spaced.get((indent_of(lines[i]), "".join(lines[i].split())), lines[i])
    return lines


def _opcodes(before: Sequence[str], after: Sequence[str]) -> list[Replaced]:
    head = 0
    limit = min(len(before), len(after))
    while head < limit and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < limit - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    middle = before[head : len(before) - tail], after[head : len(after) - tail]
    codes = SequenceMatcher(None, *middle, autojunk=False).get_opcodes()
    return [
        Replaced(b0 + head, b1 + head, a0 + head, a1 + head)
        for tag, b0, b1, a0, a1 in codes
        if tag != "equal"
    ]


def _slide(before: Sequence[str], after: Sequence[str], r: Replaced) -> Replaced:
    """Move a pure insertion or removal to where a reader would say that it begins."""
    if r.b0 < r.b1 and r.a0 < r.a1:
        return r
    lines, start, end = (after, r.a0, r.a1) if r.a0 < r.a1 else (before, r.b0, r.b1)
    other, there = (before, r.b0) if r.a0 < r.a1 else (after, r.a0)
    low = 0
    while (
        start + low > 0
        and there + low > 0
        and lines[start + low - 1] == lines[end + low - 1] == other[there + low - 1]
    ):
        low -= 1
    high = 0
    while (
        end + high < len(lines)
        and there + high < len(other)
        and lines[start + high] == lines[end + high] == other[there + high]
    ):
        high += 1

    def cost(shift: int) -> tuple[int, int, int]:
        first, above = lines[start + shift], lines[start + shift - 1] if start + shift else ""
        weak = not is_strong(first) and not first.lstrip().startswith(("@", "#", "/"))
        ends = _next_indent(lines, start + shift) + _next_indent(lines, end + shift)
        return (ends, int(weak) + int(bool(above.strip())), -shift)

    best = min(range(low, high + 1), key=cost)
    return Replaced(r.b0 + best, r.b1 + best, r.a0 + best, r.a1 + best)


def _next_indent(lines: Sequence[str], at: int) -> int:
    return next((indent_of(lines[i]) for i in range(at, len(lines)) if lines[i].strip()), 0)


def _coalesce(before: Sequence[str], pieces: list[Replaced]) -> list[Replaced]:
    joined: list[Replaced] = []
    for r in pieces:
        last = joined[-1] if joined else None
        if last is not None and r.b0 - last.b1 <= 3 and not any(is_strong(x) for x in before[last.b1 : r.b0]):
            joined[-1] = Replaced(last.b0, r.b1, last.a0, r.a1)
        else:
            joined.append(r)
    return joined
