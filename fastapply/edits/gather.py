"""Joining the pieces of an edit, file by file, and picking the file that it was given for."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Literal

from fastapply.edits.names import agreement, fits, normal, same_file
from fastapply.errors import EditError
from fastapply.types import Edit, FileEdit, Hunk, HunkList
from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.edits.target import Target
    from fastapply.types import Action, FormatName, Part, Snippet

_NAMED = 6
"""Files that a message names."""
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


def gather(pieces: Sequence[Piece], target: Target, text: str, *, only: bool = False) -> Edit:
    """Join pieces to an edit: one entry a file, parts in the order of the text.

    With `only` what is for other files than the target is left out; without it, it is an error.
    """
    ordered = sorted(pieces, key=lambda piece: piece.line)
    groups = _by_file([piece for piece in ordered if not piece.other], target)
    others: tuple[str, ...] = ()
    if target.single:
        named = tuple(dict.fromkeys(piece.file.path for piece in ordered if piece.file.path))
        groups = _for_target(groups, target, named)
        mine = {piece.file.path for _, group in groups for piece in group}
        others = tuple(name for name in named if name not in mine)
        if others and not only:
            raise several_files(named)
    used = [piece for _, group in groups for piece in group]
    kinds = {piece.format for piece in used}
    name: FormatName = kinds.pop() if len(kinds) == 1 else "mixed"
    files = tuple(_file(path, group) for path, group in groups)
    return Edit(name, _numbered(files), text, others)


def _by_file(ordered: Sequence[Piece], target: Target) -> list[tuple[str | None, list[Piece]]]:
    groups: dict[str | None, list[Piece]] = {}
    for piece in ordered:
        key = normal(piece.file.path) if piece.file.path else None
        if target.single and key is not None:
            key = next((one for one in groups if one is not None and same_file(one, key)), key)
        groups.setdefault(key, []).append(piece)
    unnamed = groups.get(None)
    if unnamed and len(groups) == 2 and not target.single:
        # one file is named and some pieces name none: they belong to it
        name = next(key for key in groups if key is not None)
        return [(name, list(ordered))]
    if unnamed and len(groups) > 2 and not target.single:
        raise EditError(
            f"the part at line {unnamed[0].line} of the edit does not name its file",
            hint="write the file name on its own line before each part",
        )
    return list(groups.items())


def _for_target(
    groups: list[tuple[str | None, list[Piece]]], target: Target, names: Sequence[str]
) -> list[tuple[str | None, list[Piece]]]:
    """Keep what is for the one file: its name decides, then whether its lines are there."""
    named = [key for key, _ in groups if key is not None]
    if len(named) > 1:
        named = _fitting(groups, named, target, names)
    name = named[0] if named else None
    pieces = [piece for key, group in groups if key in {None, name} for piece in group]
    return [(name, sorted(pieces, key=lambda piece: piece.line))]


def _fitting(
    groups: list[tuple[str | None, list[Piece]]], named: list[str], target: Target, names: Sequence[str]
) -> list[str]:
    path = target.path or ""
    by_name = [key for key in named if fits(key, path)]
    if len(by_name) > 1:
        most = max(agreement(key, path) for key in by_name)
        by_name = [key for key in by_name if agreement(key, path) == most]
    if len(by_name) == 1:
        return by_name
    pieces = dict(groups)
    scores = {key: _share(pieces[key], target) for key in named}
    there = [key for key in named if scores[key] >= 0.7]
    if not by_name and len(there) == 1 and all(scores[key] < 0.3 for key in named if key not in there):
        return there
    raise several_files(names)


def _share(pieces: Iterable[Piece], target: Target) -> float:
    parts = [part for piece in pieces for part in piece.file.parts]
    shown = (part.before if isinstance(part, HunkList) else part.lines for part in parts)
    return target.evidence(line for lines in shown for line in lines)


def _file(path: str | None, group: Sequence[Piece]) -> FileEdit:
    files = [piece.file for piece in group]
    actions: set[Action] = {file.action for file in files}
    parts = _joined(part for file in files for part in file.parts)
    new_paths = {file.new_path for file in files if file.new_path}
    if len(new_paths) > 1:
        raise EditError(f"the edit moves {path} to several places: {', '.join(sorted(new_paths))}")
    modes = [file.new_mode for file in files if file.new_mode is not None]
    action: Action = "update"
    if len(actions) == 1:
        action = files[0].action
        if action == "create" and len(files) > 1:
            raise EditError(f"the edit creates {path} twice")
    elif actions == {"delete", "create"} and len(files) == 2:
        parts = next(file.parts for file in files if file.action == "create")
    elif actions == {"create", "update"} and files[0].action == "create":
        action = "create"
    else:
        raise EditError(f"the edit both changes and deletes or creates {path}")
    return FileEdit(
        next((file.path for file in files if file.path), path),
        action,
        parts,
        next(iter(new_paths), None),
        modes[-1] if modes else None,
    )


def _joined(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Put neighbouring lists of hunks together; those of str_replace apply one after the other."""
    joined: list[Part] = []
    for kind, group in groupby(parts, key=lambda part: part.format if isinstance(part, HunkList) else None):
        if kind is None or kind == "str_replace":
            joined += group
            continue
        lists = [part for part in group if isinstance(part, HunkList)]
        joined.append(replace(lists[0], hunks=tuple(hunk for part in lists for hunk in part.hunks)))
    return tuple(joined)


def _numbered(files: tuple[FileEdit, ...]) -> tuple[FileEdit, ...]:
    """Number the hunks through the whole edit."""
    number = 0
    counted: list[FileEdit] = []
    for file in files:
        parts: list[Part] = []
        for part in file.parts:
            if isinstance(part, HunkList):
                hunks = tuple(replace(hunk, number=number + at) for at, hunk in enumerate(part.hunks, 1))
                number += len(hunks)
                parts.append(replace(part, hunks=hunks))
            else:
                parts.append(part)
        counted.append(replace(file, parts=tuple(parts)))
    return tuple(counted)


def several_files(names: Sequence[str]) -> EditError:
    """Make the error of an edit that is for several files."""
    shown = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    return EditError(
        f"the edit is for {len(names)} files: {shown}",
        reason="several_files",
        hint="use `fastapply patch`, or `--only` to apply the part for this file alone",
    )
