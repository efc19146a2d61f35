"""`fastapply check-markers FILES|FOLDERS...`: finds lazy markers that were left in files; a pre-commit hook.

Only lines that can hardly be anything else count: comments with an ellipsis whose words say that
code was left out, such as ``# ... existing code ...``, also inside of strings over several lines, where an
edit of a query or of a page may have been put in. A lone ``...`` is code in Python, and ``// unchanged`` may
be a remark. Fences in Markdown, and files that are no text are passed over.
"""

from __future__ import annotations

import re
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Annotated

import typer

from fastapply.errors import FileTrouble

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastapply.text import SourceText

_DOTS = r"(?:\.{3,}|…)"
_ELLIPSIS = re.compile(_DOTS)
_LEADS = re.compile(rf"[\W_]*?{_DOTS}")
_SAYS_SO = re.compile(
    r"\b(?:existing|unchanged|rest\s+of|remaining|remainder|omitted|same\s+as\s+before|as\s+before|"
    r"other\s+(?:code|methods|functions|imports|fields|cases|tests)|previous\s+code|keep\s+(?:the|all)|"
    r"stays?\s+the\s+same)\b",
    re.IGNORECASE,
)
_DOCUMENTED = re.compile(r"\s*\*\s")  # a line of a comment in the style of Javadoc
_NOTE = re.compile(r"\b(?:TODO|FIXME|XXX)\b")
_MANY_WORDS = 7  # "# the rest of the file is unchanged ..." has 7; a longer one is a sentence that trails off
_MARKDOWN = (".md", ".markdown", ".mdx", ".rst")
_NO_TEXT = frozenset({"binary", "not_a_file"})


def command(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILES|FOLDERS...]", help="Files and folders to check. Default: the current directory."
        ),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option("--exclude", metavar="PATTERN", help="Skip matching files, such as 'prompts/*'."),
    ] = None,
) -> int:
    """Find lazy markers such as "... existing code ..." left in files.

    Folders are searched recursively. In a git repository, ignored files are skipped. The exit status is 1
    if a marker is found.
    """
    from fastapply.terminal.output import say, tell
    from fastapply.workspace.files import read
    from fastapply.workspace.git import files_of

    status = looked = found = 0
    for name in files_of(files or ["."]):
        if any(fnmatch(name, pattern) for pattern in exclude or ()):
            continue
        try:
            source = read(name).source
        except FileTrouble as trouble:
            if trouble.reason not in _NO_TEXT:
                tell(f"{trouble.message} [{trouble.reason}]")
                status = trouble.exit_status
            continue
        looked += 1
        for number, line in left_markers(name, source):
            say(f"{name}:{number}: lazy marker: {line.strip()}")
            found += 1
            status = status or 1
    tell(
        f"checked {_number(looked, 'file')}: {_number(found, 'lazy marker') if found else 'no lazy markers'}"
    )
    return status


def left_markers(name: str, source: SourceText) -> Iterator[tuple[int, str]]:
    """Yield the 1-based numbers of lines that are lazy markers, and the lines."""
    if not any(_ELLIPSIS.search(line) for line in source.lines):
        return
    from fastapply.edits.markers import find_markers
    from fastapply.syntax import language_of

    found = find_markers(source.lines, in_strings=True)
    if name.lower().endswith(_MARKDOWN):
        found -= _fenced(source.lines)
    if not found:
        return
    outside = find_markers(source.lines, language_of(name, source.lines[0]))
    for index in sorted(found):
        line = source.lines[index]
        if _is_left(line, in_string=index not in outside):
            yield index + 1, line


def _is_left(line: str, *, in_string: bool) -> bool:
    """Whether a marker cannot be a comment that somebody wrote for readers.

    ``# ... existing code ...`` is left, ``# such as the remaining ones of the list, and so on ...`` is not.
    """
    dots, words = _ELLIPSIS.search(line), _SAYS_SO.search(line)
    if dots is None or words is None or _DOCUMENTED.match(line) or _NOTE.search(line):
        return False
    leads = _LEADS.match(line) is not None
    if in_string:  # an example in a text says "# ...omitted"
        return leads and words.group().lower() != "omitted"
    return leads or len(re.findall(r"\w+", line)) <= _MANY_WORDS


def _fenced(lines: Sequence[str]) -> frozenset[int]:
    inside = False
    found = set[int]()
    for index, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            inside = not inside
        elif inside:
            found.add(index)
    return frozenset(found)


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
