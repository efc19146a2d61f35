"""Bytes to lines and back, losing nothing.

A `SourceText` keeps what a merge must not touch: encoding, byte order mark, and each line's own
end. Lines end at CRLF, LF or CR and nowhere else (a form feed or U+2028 is text). This module
opens no file.
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from fastapply.errors import FileTrouble
from fastapply.types import SourceText as SourceText
from fastapply.values import replace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastapply.types import Splice

_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def split_lines(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    r"""Split at CRLF, LF and CR: ``"a\r\nb"`` gives ``("a", "b"), ("\r\n", "")``."""
    pairs = [match.groups() for match in _LINE.finditer(text) if match.group()]
    return tuple(pair[0] for pair in pairs), tuple(pair[1] for pair in pairs)


def from_text(text: str) -> SourceText:
    """Make a `SourceText` of a string, as UTF-8."""
    lines, endings = split_lines(text)
    return SourceText(lines, endings)


def decode(data: bytes) -> SourceText:
    """Read bytes as UTF-8, UTF-16 with a byte order mark, or else Latin-1.

    Raises `FileTrouble` (reason ``binary``) when a NUL byte shows that they are no text.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            try:
                text = data[len(bom) :].decode(encoding)
            except UnicodeDecodeError:
                break
            if "\0" in text:  # UTF-32, or no text at all
                break
            lines, endings = split_lines(text)
            return SourceText(lines, endings, encoding, bom)
    if b"\0" in data:
        raise FileTrouble("the file is binary (contains a NUL byte)", reason="binary")
    try:
        text, encoding = data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        text, encoding = data.decode("latin-1"), "latin-1"
    lines, endings = split_lines(text)
    return SourceText(lines, endings, encoding)


def encode(source: SourceText) -> bytes:
    """Bytes of a text in its own encoding, byte order mark first.

    Raises `FileTrouble` (reason ``encoding``) when the encoding has no such character.
    """
    try:
        return source.bom + source.text.encode(source.encoding)
    except UnicodeEncodeError as error:
        character = source.text[error.start]
        raise FileTrouble(
            f"the file is {source.encoding}, which cannot encode {character!r} of the edit",
            reason="encoding",
            hint="convert the file to UTF-8 first, or remove that character from the edit",
        ) from None


def splice(source: SourceText, splices: Iterable[Splice]) -> SourceText:
    """Replace line ranges; every kept line keeps its bytes and its end.

    A line that takes another one's place gets its end, any other new line the end that most lines have.
    Whether the text ends with a line end stays as it was, also where the last line is replaced or lines
    are added behind it.
    """
    newline = source.newline
    lines: list[str] = []
    endings: list[str] = []
    at = 0
    for change in splices:
        if not at <= change.start <= change.end <= len(source.lines):
            msg = f"splice {change.start}:{change.end} is out of order"
            raise ValueError(msg)
        lines += source.lines[at : change.start]
        endings += source.endings[at : change.start]
        lines += change.lines
        endings += _ends_of(source, change, newline)
        at = change.end
    lines += source.lines[at:]
    endings += source.endings[at:]
    endings = [end or newline for end in endings]
    if endings and not source.final_newline:
        endings[-1] = ""
    return replace(source, lines=tuple(lines), endings=tuple(endings))


def _ends_of(source: SourceText, change: Splice, newline: str) -> list[str]:
    """An end for each new line: that of the same line at either side, or of the line in its place."""
    old, ends = source.lines[change.start : change.end], source.endings[change.start : change.end]
    least, below = min(len(old), len(change.lines)), 0
    while below < least and old[-1 - below] == change.lines[-1 - below]:
        below += 1
    above = len(change.lines) - below
    kept = ends[: min(above, len(old) - below)]
    return [*kept, *[newline] * (above - len(kept)), *ends[len(old) - below :]]
