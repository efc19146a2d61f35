r"""V4A patches, the format of `apply_patch`.

Grammar (that of OpenAI's Codex, white space round markers allowed)::

    *** Begin Patch
    *** Add File: new.py              then lines that begin with +
    *** Delete File: old.py
    *** Update File: src/a.py
    *** Move to: src/b.py             optional
    @@ class A                        scope lines, any number: each stands above the hunk
    @@     def f(self):
     context
    -old
    +new
    *** End of File                   optional: the hunk ends the file
    *** End Patch

The first `@@` of a file may be missing. What surrounds the patch (a heredoc, a shell call) is not
looked at. A patch without its last line is cut off and refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.edits.gather import Piece
from fastapply.edits.target import flat
from fastapply.edits.udiff import read_body
from fastapply.errors import EditError
from fastapply.types import FileEdit, Hunk, HunkList, Snippet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.edits.target import Target

_BEGIN = "*** Begin Patch"
_END = "*** End Patch"
_EOF = "*** End of File"
_HEADER = re.compile(r"^\s*\*\*\* (Add|Delete|Update) File:\s*(.*?)\s*$")
_MOVE = re.compile(r"^\s*\*\*\* Move to:\s*(.*?)\s*$")
_RANGES = re.compile(r"^-(\d{1,9})(?:,\d+)? \+\d+(?:,\d+)?(?: @@ ?(.*))?$")
_KNOWN = "*** Add File: PATH, *** Delete File: PATH, *** Update File: PATH"


def find_patches(lines: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """First line and line behind each patch, 0-based; raises `EditError` for one that is cut off."""
    found: list[tuple[int, int]] = []
    begin: int | None = None
    for number, line in enumerate(lines):
        if "***" not in line:
            continue
        text = line.strip()
        if begin is None:
            if text == _BEGIN or (
                text.endswith(_BEGIN) and text.startswith(("apply_patch", "$ apply_patch"))
            ):
                begin = number
        elif text == _END:
            found.append((begin, number + 1))
            begin = None
    if begin is not None:
        raise EditError(
            f"the patch that begins at line {begin + 1} of the edit has no *** End Patch",
            reason="truncated",
            hint="send the whole patch again",
        )
    return tuple(found)


def stray_line(lines: Sequence[str], masked: Sequence[bool], target: Target) -> int | None:
    """First line, 0-based, that belongs into a patch and stands in none; None where there is none."""
    for number, line in enumerate(lines):
        if masked[number] or not line.startswith("*** ") or target.has_like(line):
            continue
        is_cut_off = len(line) > 5 and _BEGIN.startswith(line)
        if _HEADER.match(line) or line.strip() in {_BEGIN, _END, _EOF} or is_cut_off:
            return number
    return None


def read_patch(lines: Sequence[str], begin: int, end: int, target: Target) -> tuple[Piece, ...]:
    """Read one patch; raises `EditError` naming the line that can't be read."""
    pieces: list[Piece] = []
    at = begin + 1
    while at < end - 1:
        if not lines[at].strip():
            at += 1
            continue
        header = _HEADER.match(lines[at])
        if not header or not header[2]:
            raise EditError(
                f"line {at + 1} of the edit is not a patch file header: {lines[at].strip()[:80]!r}",
                hint=f"use one of {_KNOWN}",
            )
        stop = at + 1
        while stop < end - 1 and not _HEADER.match(lines[stop]):
            stop += 1
        pieces.append(_section(lines, at, stop, target))
        at = stop
    if not pieces:
        raise EditError("the patch is empty", reason="empty_edit")
    return tuple(pieces)


def _section(lines: Sequence[str], at: int, stop: int, target: Target) -> Piece:
    header = _HEADER.match(lines[at])
    kind, path = (header[1], header[2]) if header else ("", "")
    body = list(lines[at + 1 : stop])
    if kind == "Add":
        return Piece(at + 1, "v4a", FileEdit(path, "create", (_added(body, at + 1),)))
    while body and not body[-1].strip() and not body[-1].startswith(" "):
        body.pop()
    if kind == "Delete":
        if any(line.strip() for line in body):
            raise EditError(f"line {at + 2} of the edit follows *** Delete File, which takes no body")
        return Piece(at + 1, "v4a", FileEdit(path, "delete", ()))
    move = _MOVE.match(body[0]) if body else None
    first = at + 2 if move else at + 1
    hunks = _hunks(body[1:] if move else body, first, target)
    if not hunks and not move:
        raise EditError(f"the update of {path} at line {at + 1} of the edit is empty", reason="empty_edit")
    parts = (HunkList("v4a", hunks),) if hunks else ()
    return Piece(at + 1, "v4a", FileEdit(path, "update", parts, move[1] if move else None))


def _added(body: list[str], first: int) -> Snippet:
    while body and not body[-1].strip():
        body.pop()
    for number, line in enumerate(body, first + 1):
        if line and not line.startswith("+"):
            raise EditError(
                f"line {number} of the edit must start with +, as in every new file: {line[:70]!r}"
            )
    return Snippet(flat(line[1:] for line in body), first + 1, said_whole=True)


def _hunks(body: list[str], first: int, target: Target) -> tuple[Hunk, ...]:
    """Read the hunks of one file; `first` is the 0-based line of the edit that holds ``body[0]``."""
    hunks: list[Hunk] = []
    at = 0
    while at < len(body):
        begin = at
        scopes: list[str] = []
        start: int | None = None
        heading = ""
        while at < len(body) and (body[at].startswith("@@") or (not body[at].strip() and at == begin)):
            scope, number, said = _scope(body[at])
            start, heading = number or start, said or heading
            if scope:
                scopes.append(scope)
            at += 1
        shown = at
        while at < len(body) and not body[at].startswith(("@@", "*** ")) and body[at].strip() != _EOF:
            at += 1
        lines = body[shown:at]
        at_end = False
        if at < len(body) and not body[at].startswith("@@"):
            if body[at].strip() != _EOF:
                raise EditError(
                    f"line {first + at + 1} of the edit is not understood: {body[at].strip()[:80]!r}"
                )
            at_end = True
            at += 1
            while at < len(body) and not body[at].strip():
                at += 1
        while lines and not lines[-1] and (at_end or at < len(body)):
            lines.pop()
        if not lines:
            raise EditError(
                f"the hunk at line {first + begin + 1} of the edit is empty",
                hint="write context lines and lines that start with - or + below @@",
            )
        hunks.append(
            Hunk(
                number=len(hunks) + 1,
                edit_line=first + begin + 1,
                segments=(read_body(lines, target),),
                scopes=tuple(scopes),
                heading=heading,
                old_start=start,
                at_end=at_end,
            )
        )
    if hunks and all(segment.before == segment.after for hunk in hunks for segment in hunk.segments):
        raise EditError(f"the hunks at line {first + 1} of the edit change nothing", reason="empty_edit")
    return tuple(hunks)


def _scope(line: str) -> tuple[str, int | None, str]:
    """Read an ``@@`` line: its scope, or the line number and heading of a unified diff's header."""
    text = line.strip()[2:].strip()
    ranges = _RANGES.match(text)
    if ranges:
        return "", int(ranges[1]), (ranges[2] or "").strip()
    text = text.removesuffix("@@").strip()
    return ("", None, "") if text in {"...", "…"} else (text, None, "")
