"""The texts of the pieces: settings explained and commented out, parts between marks, git's attributes."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from fastapply.config.keys import KEYS
from fastapply.config.read import fitted_certainty
from fastapply.errors import UsageError
from fastapply.syntax import language_of

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def settings_text() -> str:
    """The `fastapply.toml` of a new user: every setting that a project may have, commented out."""
    rows = [_HEAD]
    for key in KEYS.values():
        if key.project != "no":
            explained = f"# {_EXPLAINED[key.name]}\n" if key.name in _EXPLAINED else ""
            value = fitted_certainty() if key.name == "min_certainty" else key.default
            rows.append(f"{explained}# {key.name} = {_shown(value)}\n")
    return "\n".join(rows)


def _shown(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)


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
