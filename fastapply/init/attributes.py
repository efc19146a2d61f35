"""The merge driver in `.gitattributes`: one line for each kind of source file that git tracks."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from fastapply.init.marked import with_marked
from fastapply.syntax import language_of

if TYPE_CHECKING:
    from collections.abc import Sequence

MARKS = ("# fastapply: begin, written by fastapply init", "# fastapply: end")
# made by programs, which write them anew
_NO_SOURCE = frozenset(
    {"json", "xml", "svg", "markdown", "rst", "ini", "properties", "gitignore", "gitattributes"}
)


def with_attributes(text: str, tracked: Sequence[str]) -> str | None:
    """Give the file's text with the driver's lines in it; None where no tracked file is source code."""
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
