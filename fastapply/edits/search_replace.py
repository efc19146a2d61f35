r"""SEARCH/REPLACE blocks, in the spellings of Aider, Cline and Roo.

Grammar::

    src/app.py                  a file name: above the block, above its fence, or in its info string
    <<<<<<< SEARCH              five or more `<`; also ORIGINAL; Cline: ------- SEARCH
    :start_line:12              Roo: where the lines are, a hint; closed by a line of dashes
    -------
    old lines
    =======                     five or more
    new lines
    >>>>>>> REPLACE             five or more `>`; also UPDATED; Cline: +++++++ REPLACE

A backslash before a marker inside a block makes it content. Conflict markers inside a block are
content together with their own `=======`. A `...` line that stands in both halves, equally often,
elides file lines. An empty SEARCH half gives a file that is new or empty its text.

A line that is only a name and stands before a block is remembered for the blocks that follow.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.edits.fences import is_fence_line
from fastapply.edits.gather import Piece, hunks_piece, snippet_piece
from fastapply.edits.markers import is_marker
from fastapply.edits.names import is_path, label_of, mentions, read_info
from fastapply.edits.target import flat
from fastapply.errors import EditError
from fastapply.types import Hunk, Segment, Snippet
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.edits.target import Target

_OPEN = re.compile(
    r"^([ \t]*)(?:<{5,}[ \t]*(?:SEARCH|ORIGINAL)|-{5,}[ \t]*SEARCH)\b[ \t]*[>:]?[ \t]*(.*?)[ \t]*$"
)
_DIVIDER = re.compile(r"^[ \t]*={5,}[ \t]*$")
_CLOSE = re.compile(r"^[ \t]*(?:>{5,}[ \t]*(?:REPLACE|UPDATED)|\+{5,}[ \t]*REPLACE)\b")
_CONFLICT = re.compile(r"^(<{7}|>{7})(?: |$)")
_ESCAPED = re.compile(r"^(\s*)\\(?=<{5,}|={5,}|>{5,}|-{5,}|\+{5,}|:(?:start|end)_line:)")
_START = re.compile(r"^\s*:start_line:\s*(\d{1,9})\s*$")
_HEAD = re.compile(r"^\s*(?::(?:start|end)_line:\s*\d*|-{5,})\s*$")


@dataclass(frozen=True, slots=True)
class Block:
    """Where a block stands, 0-based; `close` is None where its closing marker is missing."""

    open: int
    dividers: tuple[int, ...]
    close: int | None
    end: int  # first line behind it
    indent: int


def find_blocks(lines: Sequence[str], target: Target) -> tuple[Block, ...]:
    """All blocks of a text in order, except those that the file itself holds word for word."""
    found: list[Block] = []
    at = 0
    while at < len(lines):
        opening = _OPEN.match(lines[at]) if "SEARCH" in lines[at] or "ORIGINAL" in lines[at] else None
        if opening is None:
            at += 1
            continue
        block = _span(lines, at, len(opening[1]))
        if block.close is None or not target.has_run(lines[at : block.end]):
            found.append(block)
        at = block.end
    return tuple(found)


def stray_line(lines: Sequence[str], masked: Sequence[bool], target: Target) -> int | None:
    """First line, 0-based, that closes a block which nothing opened; None where there is none."""
    for number, line in enumerate(lines):
        told = "REPLACE" in line or "UPDATED" in line
        if told and not masked[number] and _CLOSE.match(line) and not target.has_like(line):
            return number
    return None


def is_cut_marker(line: str) -> bool:
    """Whether a last line is the beginning of an opening marker: ``<<<<<<< SEA``."""
    return len(line) > 4 and any(
        full.startswith(line.strip()) for full in ("<<<<<<< SEARCH", "<<<<<<< ORIGINAL")
    )


def _span(lines: Sequence[str], opened: int, indent: int) -> Block:
    dividers: list[int] = []
    for number in range(opened + 1, len(lines)):
        line = lines[number]
        if _CLOSE.match(line):
            return Block(opened, tuple(dividers), number, number + 1, indent)
        if _DIVIDER.match(line):
            dividers.append(number)
        elif _OPEN.match(line):
            return Block(opened, tuple(dividers), None, number, indent)
    return Block(opened, tuple(dividers), None, len(lines), indent)


def read_blocks(lines: Sequence[str], blocks: Sequence[Block], target: Target) -> tuple[Piece, ...]:
    """Read blocks that `find_blocks` found; raises `EditError` for a block that is cut off."""
    pieces: list[Piece] = []
    name: str | None = None
    floor = 0
    for number, block in enumerate(blocks, 1):
        name = _name_above(lines, block.open, floor, prose=not target.single) or name
        floor = block.end
        if block.close is None:
            raise EditError(
                f"the SEARCH/REPLACE block at line {block.open + 1} of the edit is never closed",
                reason="truncated",
                hint="send the whole block again, up to its >>>>>>> REPLACE line",
            )
        pieces.append(_read(lines, block, number, name, target))
    return tuple(pieces)


def _read(lines: Sequence[str], block: Block, number: int, name: str | None, target: Target) -> Piece:
    close = block.close or block.end
    first = block.open + 1
    start = None
    head = first
    while head < close and _HEAD.match(lines[head]):
        found = _START.match(lines[head])
        start = int(found[1]) if found else start
        head += 1
    if head > first and (start is not None or lines[first].lstrip().startswith(":")):
        first = head
    divider, skip = _divider(lines, block, first, target)
    before = _half(lines[first:divider], block.indent)
    after = _half(lines[divider + 1 : close - skip], block.indent)
    if not any(line.strip() for line in before) and len(before) <= 1:
        if target.known and target.count:
            hunk = Hunk(number, block.open + 1, (Segment((), after),), old_start=start)
            return hunks_piece("search_replace", (hunk,), name)
        snippet = Snippet(after, divider + 2, said_whole=True)
        return snippet_piece(snippet, "search_replace", name, create=not target.known)
    segments = split_elided(before, after, target)
    return hunks_piece("search_replace", (Hunk(number, block.open + 1, segments, old_start=start),), name)


def _half(lines: Sequence[str], indent: int) -> tuple[str, ...]:
    if indent and all(not line.strip() or not line[:indent].strip() for line in lines):
        lines = [line[indent:] for line in lines]
    return flat(_ESCAPED.sub(r"\1", line, count=1) if "\\" in line else line for line in lines)


def _divider(lines: Sequence[str], block: Block, first: int, target: Target) -> tuple[int, int]:
    """Return the line that parts the halves, and how many lines before the closing marker to leave out."""
    close = block.close or block.end
    depth = 0
    free: list[int] = []
    marks = set(block.dividers)
    for number in range(first, close):
        conflict = _CONFLICT.match(lines[number])
        if conflict:
            depth += 1 if conflict[1][0] == "<" else -1
        elif number in marks and depth <= 0:
            free.append(number)
    candidates = free or list(block.dividers)
    if not candidates:
        raise EditError(
            f"the SEARCH/REPLACE block at line {block.open + 1} of the edit has no ======= line",
            hint="write ======= on its own line between old and new lines",
        )
    if len(candidates) == 1:
        return candidates[0], 0
    held = [
        at
        for at in block.dividers[:20]
        if at > first and target.has_run(_half(lines[first:at], block.indent))
    ]
    # a second ======= right before the closing marker is a slip, unless the file has such lines
    has_rule = any(set(line) == {"="} for line in target.stripped)
    if candidates[-1] == close - 1 and len(candidates) == 2 and not target.is_prose and not has_rule:
        return candidates[0], 1
    # the longest before-side that the file has, unless the file goes on with a line of = there
    if held and not target.has_run(_half(lines[first : held[-1] + 1], block.indent)):
        return held[-1], 0
    raise EditError(
        f"the SEARCH/REPLACE block at line {block.open + 1} of the edit has {len(candidates)} lines of =, "
        "and it is unclear which one separates old and new",
        reason="ambiguous_edit",
        hint="escape those that belong to the file with a backslash: \\=======",
    )


def split_elided(before: tuple[str, ...], after: tuple[str, ...], target: Target) -> tuple[Segment, ...]:
    """Cut both halves at the `...` lines that they share; one segment where there are none.

    ``("a", "...", "b")`` and ``("a", "...", "c")`` give ``a -> a`` and ``b -> c``. Where the file
    holds the before-side word for word, its `...` are code.
    """
    marks = [at for at, line in enumerate(before) if is_marker(line)]
    others = [at for at, line in enumerate(after) if is_marker(line)]
    same = [before[at].strip() for at in marks] == [after[at].strip() for at in others]
    if not marks or not same or target.has_run(before):
        return (Segment(before, after),)
    segments = [
        Segment(before[left + 1 : right], after[other_left + 1 : other_right])
        for left, right, other_left, other_right in zip(
            [-1, *marks], [*marks, len(before)], [-1, *others], [*others, len(after)], strict=True
        )
    ]
    return tuple(segment for segment in segments if segment.before or segment.after)


def _name_above(lines: Sequence[str], opened: int, floor: int, *, prose: bool) -> str | None:
    opening = _OPEN.match(lines[opened])
    if opening and is_path(opening[2]):
        return opening[2]
    for number in range(opened - 1, max(floor, opened - 8) - 1, -1):
        line = lines[number]
        if not line.strip() or re.fullmatch(r"\s*</?\w+>\s*", line):
            continue
        if is_fence_line(line):
            named = read_info(line.strip().lstrip("`~"))[1]
            if named:
                return named
            continue
        label = label_of(line)
        if label:
            return label
        found = mentions(line) if prose else ()
        return found[0] if len(found) == 1 else None
    return None


def block_text(hunk: Hunk) -> str:
    """A hunk as a block; what was left out between its pieces is dots."""
    halves = []
    for side in ("before", "after"):
        pieces = ["".join(f"{line}\n" for line in getattr(segment, side)) for segment in hunk.segments]
        halves.append("...\n".join(pieces))
    return f"<<<<<<< SEARCH\n{halves[0]}=======\n{halves[1]}>>>>>>> REPLACE\n"
