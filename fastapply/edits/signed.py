"""Bodies of diff hunks: lines that begin with a blank, `-` or `+`, put right where models slip.

Models forget the blank in front of context lines, so that ``    x`` may mean three blanks or
four. The file decides line by line where it is known; otherwise the hunk's other lines do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.edits.target import flat
from fastapply.types import Segment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.edits.target import Target


def read_body(body: Sequence[str], target: Target, *, counted: bool = False) -> Segment:
    r"""Both sides of a hunk's body: ``[" a", "-b", "+c"]`` gives before ``a b`` and after ``a c``.

    `counted` says that a header's counts are right, which only whole context lines can make them.
    """
    context = [line for line in body if line[:1] not in {"+", "-", "\\"}]
    bare = _lacks_blanks(context, body, target) if target.known or not counted else False
    before: list[str] = []
    after: list[str] = []
    for line in body:
        sign = line[:1]
        if sign == "\\":
            continue
        # a list item of the file may be shown as context without its blank
        is_item = bare and target.known and target.has_line(line) and not target.has_like(line[1:])
        if sign in {"+", "-"} and not is_item:
            (after if sign == "+" else before).append(line[1:])
            continue
        shown = _context(line, target, bare=bare)
        before.append(shown)
        after.append(shown)
    return Segment(flat(before), flat(after))


def has_change(body: Sequence[str]) -> bool:
    """Whether any line of a body is removed or added."""
    return any(line[:1] in {"+", "-"} for line in body)


def _lacks_blanks(context: Sequence[str], body: Sequence[str], target: Target) -> bool:
    told = [line for line in context if line.strip()]
    unprefixed = any(line[0] != " " for line in told)
    if target.known:
        cut = sum(target.has_line(line.removeprefix(" ")) for line in told)
        raw = sum(target.has_line(line) for line in told)
        if cut != raw:
            return raw > cut
    if unprefixed:
        return True
    indented = [_indent(line[1:]) for line in told if line.startswith("  ")]
    signed = [_indent(line[1:]) for line in body if line[:1] in {"+", "-"} and line[1:].strip()]
    return (
        bool(indented)
        and len(indented) == len(told)
        and bool(signed)
        and all(width % 2 for width in indented)
        and not any(width % 2 for width in signed)
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _context(line: str, target: Target, *, bare: bool) -> str:
    cut = line.removeprefix(" ")
    if cut == line or not line.strip():
        return cut
    if target.known:
        in_cut, in_raw = target.has_line(cut), target.has_line(line)
        if in_cut != in_raw:
            return cut if in_cut else line
    return line if bare else cut
