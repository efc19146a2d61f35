"""`fastapply check-markers FILES...`: a pre-commit hook that finds lazy markers left in files.

Only lines that can hardly be anything else count: comments with an ellipsis whose words say that
code was left out, such as ``# ... existing code ...``. A lone ``...`` is code in Python, and
``// unchanged`` may be a remark. Strings over several lines, fences in Markdown, and files that
are no text are passed over.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from fastapply.errors import FileTrouble

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapply.text import SourceText

_ELLIPSIS = re.compile(r"\.{3}|…")
_SAYS_SO = re.compile(
    r"\b(?:existing|unchanged|rest\s+of|remaining|remainder|omitted|same\s+as\s+before|as\s+before|"
    r"other\s+(?:code|methods|functions|imports|fields|cases|tests)|previous\s+code|keep\s+(?:the|all)|"
    r"stays?\s+the\s+same)\b",
    re.IGNORECASE,
)
_MARKDOWN = (".md", ".markdown", ".mdx", ".rst")


def command(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="FILES...", help="The files to look at.")
    ] = None,
) -> int:
    """Fail where lazy markers such as "... existing code ..." were left in files."""
    from fastapply.cli.output import say, tell
    from fastapply.files import read

    status = 0
    for name in files or ():
        try:
            source = read(name).source
        except FileTrouble as trouble:
            if trouble.reason not in {"binary", "not_a_file"}:
                tell(f"{trouble.message} [{trouble.reason}]")
                status = trouble.exit_status
            continue
        for number, line in left_markers(name, source):
            say(f"{name}:{number}: a lazy marker was left in: {line.strip()}")
            status = status or 1
    return status


def left_markers(name: str, source: SourceText) -> Iterator[tuple[int, str]]:
    """Yield the 1-based numbers of lines that are lazy markers, and the lines."""
    from fastapply.formats.markers import find_markers

    if not any(_ELLIPSIS.search(line) for line in source.lines):
        return
    in_fence = _fenced(source.lines) if name.lower().endswith(_MARKDOWN) else frozenset()
    for index in sorted(find_markers(source.lines) - in_fence):
        line = source.lines[index]
        if _ELLIPSIS.search(line) and _SAYS_SO.search(line):
            yield index + 1, line


def _fenced(lines: tuple[str, ...]) -> frozenset[int]:
    inside = False
    found = set[int]()
    for index, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            inside = not inside
        elif inside:
            found.add(index)
    return frozenset(found)
