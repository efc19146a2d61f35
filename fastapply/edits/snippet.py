"""Code that an edit shows: a lazy edit with markers, only what changed, or the whole file.

Grammar: any lines; some of them may be markers (see `markers`). A first line that only names the
file (``// src/app.ts``) is a label and no content, unless the file has it::

    // src/app.ts
    // ... existing code ...
    const retries = 5;
    // ... existing code ...

Which of the three a snippet is, the merge decides with the file at hand; here it is only said
whether the edit's own words claim a complete file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.edits.gather import Piece, snippet_piece
from fastapply.edits.markers import find_markers
from fastapply.edits.names import comment_label, fits, label_of
from fastapply.edits.prose import is_bullet, is_sentence, is_statement, opens_chat
from fastapply.edits.target import flat
from fastapply.types import Snippet
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.edits.target import Target

_LICENCE = re.compile(r"(?i)\b(?:copyright|licen[cs]e)")


@dataclass(frozen=True, slots=True)
class Shown:
    """Lines of a snippet, the 0-based line of the edit that holds the first, and the name they bear."""

    lines: tuple[str, ...]
    first: int
    name: str | None = None


def take_label(lines: Sequence[str], first: int, target: Target) -> Shown:
    """Take a first line off that only names the file: a comment, or the bare name."""
    at = next((number for number, line in enumerate(lines) if line.strip()), None)
    if at is None:
        return Shown(tuple(lines), first)
    line = lines[at]
    behind = tuple(lines[at + 1 :])
    said = comment_label(line)
    if said and not target.has_like(line):
        name, explicit = said
        if not explicit and _goes_on(line, behind, target):
            return Shown(tuple(lines), first)
        path = target.path
        same_kind = path is None or name.rpartition(".")[2] == path.rpartition(".")[2]
        if explicit or (target.known and (fits(name, path) or same_kind)):
            return Shown(behind, first + at + 1, name)
        return Shown(tuple(lines), first, name)  # a comment may well be about another file
    bare = label_of(line)
    sure = fits(bare, target.path) or ("/" in (bare or "") and not target.holds_words)
    if bare and sure and not target.has_like(line) and any(other.strip() for other in behind):
        return Shown(behind, first + at + 1, bare)
    return Shown(tuple(lines), first)


def _goes_on(line: str, behind: Sequence[str], target: Target) -> bool:
    """Whether a comment that names a file is the first line of a licence's head, and so content.

    Above a head that the file has already it is a label like any other.
    """
    sign = re.match(r"\s*(?:#|//|--|;|%|\*|/\*)+ ", line)
    if sign is None or not behind or behind[0][:1] != line[:1]:
        return False
    return any(_LICENCE.search(other) and not target.has_like(other) for other in behind[:3])


def make_piece(
    shown: Shown,
    *,
    name: str | None,
    language: str = "",
    whole: bool = False,
    final_newline: bool = True,
    ended: bool = True,
) -> Piece:
    """Make the piece of a snippet; `whole` says that words around it claim the complete file.

    `ended` is false for a text without a fence, which may be cut off.
    """
    lines = flat(shown.lines)
    marked = bool(find_markers(lines))
    said = whole and not marked
    snippet = Snippet(
        lines, shown.first + 1, language, said_whole=said, final_newline=final_newline, ended=ended
    )
    return snippet_piece(snippet, "whole" if said else "lazy", name)


def trim(lines: Sequence[str], first: int = 0) -> Shown:
    """Leave out blank lines at both ends."""
    begin, end = 0, len(lines)
    while begin < end and not lines[begin].strip():
        begin += 1
    while end > begin and not lines[end - 1].strip():
        end -= 1
    return Shown(tuple(lines[begin:end]), first + begin)


def without_chat(shown: Shown, target: Target) -> tuple[Shown, bool]:
    """Take sentences off both ends of bare code; the flag says that it's not clear what is chat.

    Only whole paragraphs at the margin go, and only in a file that holds code; in a text file a
    sentence is content, so a reply's opening words leave it unclear.
    """
    lines = shown.lines
    begin, end = 0, len(lines)
    first = _paragraph(lines, 0, 1)
    if target.holds_words:
        head = lines[:first]
        unclear = bool(head) and opens_chat(head[0]) and is_sentence(head[0]) and not target.has_like(head[0])
        return shown, unclear
    while begin < end:
        stop = _paragraph(lines, begin, 1)
        if stop == end or not _is_chat(lines[begin:stop], target):
            break
        begin = stop
        while begin < end and not lines[begin].strip():
            begin += 1
    while end > begin:
        start = _paragraph(lines, end - 1, -1) + 1
        if start == begin or not _is_chat(lines[start:end], target):
            break
        end = start
        while end > begin and not lines[end - 1].strip():
            end -= 1
    head = lines[begin : _paragraph(lines, begin, 1)]
    unclear = bool(head) and is_statement(head[0]) and opens_chat(head[0]) and not target.has_like(head[0])
    return Shown(lines[begin:end], shown.first + begin), unclear


def _paragraph(lines: Sequence[str], at: int, step: int) -> int:
    while 0 <= at < len(lines) and lines[at].strip():
        at += step
    return at


def _is_chat(lines: Sequence[str], target: Target) -> bool:
    told = [line for line in lines if line.strip()]
    if not told or any(line[:1].isspace() or target.has_like(line) or not is_sentence(line) for line in told):
        return False
    items = [line for line in told if is_bullet(line)]
    words = [line for line in told if not is_bullet(line)]
    if not words:
        return len(items) == len(told)
    return is_statement(words[0].rstrip(".:!?,;") + ".") and words[-1].rstrip()[-1] in ".:!?"
