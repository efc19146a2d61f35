"""What `fastapply init` writes into a repository: each piece is a file, and a function from text to text.

    top of the repository ─▶ `plan` ─▶ pieces with their changes ─▶ `write` ─▶ all files change, or none

A piece that already exists changes nothing, so that `init` may run again. The hook of pre-commit is put
in as text, so that comments stay, and verified by parsing.
"""

from __future__ import annotations

import os
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, get_args

from fastapply.config import load
from fastapply.config.keys import KEYS
from fastapply.config.read import fitted_certainty
from fastapply.errors import UsageError
from fastapply.syntax import language_of
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
_HEAD = """\
# fastapply settings for this repository. Users can set everything else themselves.
# `fastapply config` shows the current values and where they come from. This file cannot
# select a model, send code anywhere, weaken verification or turn off undo.
"""
_EXPLAINED = {
    "backup": "Keep the old version of a changed file as FILE~.",
    "require_clean": "Refuse to change a file with uncommitted changes.",
    "stage": "Run git add on changed files.",
    "quiet": "Print nothing on success.",
    "min_certainty": "Refuse lazy edits below this certainty. Can only be raised here.",
}
MARKS = ("# fastapply: begin, written by fastapply init", "# fastapply: end")
# made by programs, which write them anew
_NO_SOURCE = frozenset(
    {"json", "xml", "svg", "markdown", "rst", "ini", "properties", "gitignore", "gitattributes"}
)
HOOK_ID = "fastapply-markers"
_HOOK = {
    "id": HOOK_ID,
    "name": "no lazy markers left behind",
    "entry": "fastapply check-markers",
    "language": "system",
    "types": ["text"],
}
_ROWS = (
    "- repo: local",
    "  hooks:",
    f"    - id: {HOOK_ID}",
    *(f"      {key}: {_HOOK[key]}" for key in ("name", "entry", "language")),
    "      types: [text]",
)
_REPOS = re.compile(r"repos:\s*(?:#.*)?")
_EMPTY = re.compile(r"repos:\s*\[\s*\]\s*(?:#.*)?")


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


def settings_text() -> str:
    """The `fastapply.toml` of a new user: every setting that a project may have, commented out."""
    rows = [_HEAD]
    for key in KEYS.values():
        if key.project != "no":
            explained = f"# {_EXPLAINED[key.name]}\n" if key.name in _EXPLAINED else ""
            value = fitted_certainty() if key.name == "min_certainty" else key.default
            shown = str(value).lower() if isinstance(value, bool) else repr(value)
            rows.append(f"{explained}# {key.name} = {shown}\n")
    return "\n".join(rows)


def with_attributes(text: str, tracked: Sequence[str]) -> str | None:
    """Give the text of `.gitattributes` with the merge driver in it; None where no tracked file is code.

    It has a line for each kind of source file that git tracks.
    """
    suffixes = {PurePosixPath(name).suffix for name in tracked}
    wanted = sorted(
        suffix
        for suffix in suffixes
        if suffix and (language_of(f"file{suffix}") or "json") not in _NO_SOURCE and suffix.isascii()
    )
    if not wanted:
        return None
    rows = "\n".join(f"*{suffix} merge=fastapply" for suffix in wanted if " " not in suffix)
    return with_marked(text, rows, MARKS, ".gitattributes")


def with_marked(text: str, part: str, marks: tuple[str, str], name: str) -> str:
    """Give `text` with `part` between lines that hold the marks, at its end where they are not there yet.

    A later run replaces what stands between them.
    Raises `UsageError` (``marks``) where the marks in the file `name` are not one pair in order.
    """
    begin, end = marks
    part = f"{begin}\n{part.strip(chr(10))}\n{end}\n"
    lines = text.splitlines(keepends=True)
    begins = [number for number, line in enumerate(lines) if line.strip() == begin]
    ends = [number for number, line in enumerate(lines) if line.strip() == end]
    if not begins and not ends:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return f"{text}{gap}{part}"
    if len(begins) != 1 or len(ends) != 1 or begins[0] > ends[0]:
        raise UsageError(
            f"{name}: the fastapply begin and end marks do not match",
            reason="marks",
            hint=f"fix or remove the lines {begin!r} and {end!r}",
        )
    return "".join([*lines[: begins[0]], part, *lines[ends[0] + 1 :]])


def with_hook(text: str) -> str:
    """Give the configuration with the hook in it, as the last one; the same text where it has one already.

    Raises `UsageError` (``pre_commit``) for a file that it cannot be put into by adding lines alone.
    """
    before = _parse(text)
    if HOOK_ID in _hook_ids(before):
        return text
    if not text.strip():
        return "\n".join(["repos:", *(f"  {row}" for row in _ROWS), ""])
    lines = text.splitlines()
    starts = [number for number, line in enumerate(lines) if _REPOS.fullmatch(line) or _EMPTY.fullmatch(line)]
    if len(starts) != 1:
        raise _trouble("it has no 'repos:' line")
    start = starts[0]
    lines[start] = _EMPTY.sub("repos:", lines[start])
    end = _end_of_block(lines, start)
    indents = [
        line[: len(line) - len(line.lstrip())] for line in lines[start + 1 : end] if line.lstrip()[:2] == "- "
    ]
    indent = indents[0] if indents else "  "
    after = "\n".join([*lines[:end], *(f"{indent}{row}" for row in _ROWS), *lines[end:], ""])
    wanted = {**before, "repos": [*(before.get("repos") or []), {"repo": "local", "hooks": [_HOOK]}]}
    if _parse(after) != wanted:
        raise _trouble("its list of repositories cannot be extended line by line")
    return after


def _end_of_block(lines: list[str], start: int) -> int:
    """Where the block ends that begins at a line: behind its last line that is no comment."""
    end = start + 1
    for number in range(start + 1, len(lines)):
        line = lines[number]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not line.startswith((" ", "-")):
            break
        end = number + 1
    return end


def _parse(text: str) -> dict[str, Any]:
    import yaml

    try:
        found = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise _trouble(f"it is not valid YAML: {str(error).splitlines()[0]}") from None
    if found is not None and not isinstance(found, dict):
        raise _trouble("it is not a mapping")
    return found or {}


def _hook_ids(found: dict[str, Any]) -> set[str]:
    repositories = found.get("repos") or []
    if not isinstance(repositories, list) or not all(isinstance(one, dict) for one in repositories):
        raise _trouble("its 'repos' is not a list of repositories")
    hooks = [hook for one in repositories for hook in one.get("hooks") or [] if isinstance(hook, dict)]
    return {str(hook.get("id")) for hook in hooks}


def _trouble(why: str) -> UsageError:
    rows = "\n".join(_ROWS)
    return UsageError(
        f".pre-commit-config.yaml: {why}", reason="pre_commit", hint=f"add this to its repositories:\n{rows}"
    )
