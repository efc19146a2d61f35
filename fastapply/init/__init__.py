"""What `fastapply init` writes into a repository: each piece is a file, and a function from text to text.

    top of the repository ─▶ `plan` ─▶ pieces with their changes ─▶ `write` ─▶ all files change, or none

A piece that already exists changes nothing, so that `init` may run again.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, get_args

from fastapply.config import load
from fastapply.init.texts import settings_text, with_attributes, with_hook, with_marked
from fastapply.text import SourceText, encode, from_text, split_lines
from fastapply.text.diff import Sides
from fastapply.values import dataclass, replace
from fastapply.workspace import files, git

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from fastapply.workspace.files import FileState, Keep, Written

Piece = Literal["settings", "pre-commit", "agents", "merge-driver"]
PIECES: tuple[Piece, ...] = get_args(Piece)
FILES: dict[Piece, str] = {
    "settings": "fastapply.toml",
    "pre-commit": ".pre-commit-config.yaml",
    "agents": "AGENTS.md",
    "merge-driver": ".gitattributes",
}
GIT_CONFIG_LINE = "git config merge.fastapply.driver 'fastapply git merge-driver %O %A %B %P'"
_AGENTS = ("<!-- fastapply: begin, written by fastapply init -->", "<!-- fastapply: end -->")


@dataclass(frozen=True, slots=True)
class Planned:
    """A piece: what it makes of its file, or why it leaves that alone."""

    piece: Piece
    place: Path
    state: FileState | None
    after: SourceText | None  # None: the file stays as it is
    why_not: str = ""

    @property
    def sides(self) -> Sides:
        """The change, for a diff."""
        before = self.state.source if self.state else None
        return Sides(FILES[self.piece], before, self.after)


def plan(top: Path, pieces: Sequence[Piece] = ()) -> tuple[Planned, ...]:
    """Plan the pieces for a repository, or for a folder that is in none; all of them where none is named.

    The hook of pre-commit is only for repositories that have its file, unless it is named.
    Raises `UsageError` for a file that a piece cannot be put into, and `FileTrouble`.
    """
    return tuple(_plan(top, piece, named=bool(pieces)) for piece in PIECES if not pieces or piece in pieces)


def write(top: Path, planned: Sequence[Planned], keep: Keep | None) -> Written:
    """Write what was planned: all files, or none. Raises `FileTrouble`."""
    operations: list[files.Operation] = []
    replaced: list[files.Replaced] = []
    for one in planned:
        if one.after is None:
            continue
        data = encode(one.after)
        replaced += files.replaced_at(one.place, data)
        operations.append(files.Write(one.state, data) if one.state else files.Create(one.place, data))
    files.recover(top)
    with files.locked(*(one.place for one in planned)) as held, files.remembered(replaced, keep):
        return files.commit(top, operations, held)


def _plan(top: Path, piece: Piece, *, named: bool) -> Planned:
    place = files.inside(top, FILES[piece])
    state = files.read(place) if os.path.lexists(place) else None
    text = "\n".join((*state.source.lines, "")) if state and state.source.lines else "" if state else None
    after, why_not = _after(top, piece, text, named=named)
    if after is None or after == text:
        return Planned(piece, place, state, None, why_not or "is already up to date")
    if state is None:
        return Planned(piece, place, None, from_text(after))
    lines, _ = split_lines(after)
    ends = (state.source.newline,) * len(lines)
    return Planned(piece, place, state, replace(state.source, lines=lines, endings=ends))


def _after(top: Path, piece: Piece, text: str | None, *, named: bool) -> tuple[str | None, str]:
    """The text of a piece's file, or None and why it is left alone."""
    if piece == "settings":
        found = load(top).project_file
        is_there = text is not None or (found is not None and found.parent == top)
        return (None, "already exists") if is_there else (settings_text(), "")
    if piece == "agents":
        from fastapply.edits.prompt_text import agents_text

        return with_marked(text or "", agents_text(), _AGENTS, FILES[piece]), ""
    if piece == "pre-commit":
        if text is None and not named:
            return None, "does not exist; create it with fastapply init pre-commit"
        return with_hook(text or ""), ""
    if git.top_of_folder(top) is None:
        return None, "needs a git repository"
    after = with_attributes(text or "", git.tracked_files(top))
    return after, "" if after is not None else "is not needed: git tracks no source files here"
