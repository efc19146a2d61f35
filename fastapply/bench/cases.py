"""The edits of the benchmark: the user's own, those of a file of cases, or some of fastapply's own code.

The built-in ones change one function of a module of 100 to 400 lines, each twice: so that the closed form
is certain of the right result, and with nothing that says where the new lines go, so that it is not.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import fastapply
from fastapply.errors import FileTrouble
from fastapply.syntax import definitions
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapply.syntax import Definition

_MODULES = ("text/diff.py", "edits/fences.py", "models/region.py", "edits/v4a.py")
_LINES = (100, 400)


@dataclass(frozen=True, slots=True)
class BenchCase:
    """One edit of one file; `merged` is the right result, where it is known."""

    name: str
    path: str
    original: str
    edit: str
    merged: str | None = None


def built_in_cases() -> Iterator[BenchCase]:
    """Two edits for each of some modules of fastapply."""
    folder = Path(fastapply.__file__).parent
    for module in _MODULES:
        text = (folder / module).read_text(encoding="utf-8")
        lines = text.splitlines()
        if not _LINES[0] <= len(lines) <= _LINES[1]:
            continue
        functions = [one for one in definitions(text, "python") if _ends_plainly(one, lines)]
        if functions:
            yield from _edits_of(module, lines, functions[len(functions) // 2])


def read_cases(path: Path, most: int) -> list[BenchCase]:
    """The cases of a JSON-lines file: `original`, `edit`, and perhaps `merged` and `path`.

    Raises `FileTrouble` (``unreadable``).
    """
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        return [
            BenchCase(
                f"{path.stem}-{number}",
                row.get("path", "a.py"),
                row["original"],
                row["edit"],
                row.get("merged"),
            )
            for number, row in enumerate(rows[:most], 1)
        ]
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise FileTrouble(f"{path} has no cases that can be read: {error}", reason="unreadable") from None


def stretched(case: BenchCase, lines: int) -> BenchCase:
    """The same edit in a file of about so many lines: others like them stand before and behind it."""
    missing = max(0, lines - len(case.original.splitlines()))
    body = [f"x{number} = {number % 7}" for number in range(missing)]
    head, tail = body[: missing // 2], body[missing // 2 :]

    def around(text: str) -> str:
        return "".join(f"{line}\n" for line in (*head, *text.splitlines(), *tail))

    merged = around(case.merged) if case.merged is not None else None
    return BenchCase(f"{case.name} in {lines} lines", case.path, around(case.original), case.edit, merged)


def _ends_plainly(one: Definition, lines: list[str]) -> bool:
    """Whether a function of middling length ends with a ``return`` of one line."""
    last = lines[one.last_line]
    long = 9 <= one.last_line - one.header_line <= 40
    return (
        one.kind == "function"
        and long
        and last.startswith("    return ")
        and last.count("(") == last.count(")")
    )


def _edits_of(module: str, lines: list[str], function: Definition) -> Iterator[BenchCase]:
    first, last = function.header_line, function.last_line
    body, end = lines[first:last], lines[last]
    new = ["    checked = True  # added", "    assert checked"]
    marker, inner = "# ... existing code ...", "    # ... existing code ..."
    sure = [marker, "", *body, *new, f"{end}  # changed", "", marker]
    # nothing beside the new lines says where they go
    unsure = [marker, "", body[0], inner, *new, inner, "", marker]
    changed = [*lines[:last], *new, f"{end}  # changed", *lines[last + 1 :]]
    added = [*lines[:last], *new, *lines[last:]]
    for kind, edit, merged in (("clear", sure, changed), ("open", unsure, added)):
        texts = ("".join(f"{line}\n" for line in part) for part in (lines, edit, merged))
        yield BenchCase(f"{module}, {kind}", module, *texts)
