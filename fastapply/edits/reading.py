"""The piece of an edit that one reader found, before pieces of the same file are joined."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from fastapply.types import FileEdit, Hunk, HunkList
from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from fastapply.types import Snippet

HunkFormat = Literal["search_replace", "udiff", "v4a", "str_replace"]
PieceFormat = Literal["lazy", "search_replace", "udiff", "v4a", "str_replace", "whole"]


@dataclass(frozen=True, slots=True)
class Piece:
    """What a part of the edit's text says about one file."""

    line: int  # 1-based line of the edit text where it begins
    format: PieceFormat
    file: FileEdit
    other: bool = False  # it is code for another file than the one that the edit is read for


def hunks_piece(kind: HunkFormat, hunks: tuple[Hunk, ...], path: str | None) -> Piece:
    """Make a piece of hunks that change a file."""
    return Piece(hunks[0].edit_line, kind, FileEdit(path, "update", (HunkList(kind, hunks),)))


def snippet_piece(snippet: Snippet, kind: PieceFormat, path: str | None, *, create: bool = False) -> Piece:
    """Make a piece of code that is shown, or of a file that is written whole."""
    return Piece(snippet.edit_line, kind, FileEdit(path, "create" if create else "update", (snippet,)))


def moved(pieces: tuple[Piece, ...], lines: int) -> tuple[Piece, ...]:
    """Shift the line numbers of pieces that were read out of the middle of a text."""
    return tuple(
        replace(
            piece,
            line=piece.line + lines,
            file=replace(piece.file, parts=tuple(_moved(part, lines) for part in piece.file.parts)),
        )
        for piece in pieces
    )


def _moved(part: HunkList | Snippet, lines: int) -> HunkList | Snippet:
    if isinstance(part, HunkList):
        hunks = tuple(replace(hunk, edit_line=hunk.edit_line + lines) for hunk in part.hunks)
        return replace(part, hunks=hunks)
    return replace(part, edit_line=part.edit_line + lines)
