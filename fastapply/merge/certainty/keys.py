"""Keys that stand twice in one mapping of a YAML, JSON or TOML file: such a text says one thing twice."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from fastapply.merge.lines import columns

if TYPE_CHECKING:
    from collections.abc import Sequence

LANGUAGES = frozenset({"yaml", "json", "toml"})
MOST_LINES = 5_000
_KEY = {
    "yaml": re.compile(r"\s*(?:- +)*(?P<key>[^\s'\"#{\[][^#{}]*?|\"[^\"]+\"|'[^']+') *:(?:\s|$)"),
    "json": re.compile(r"\s*(?P<key>\"(?:[^\"\\]|\\.)+\")\s*:"),
    "toml": re.compile(r"\s*(?P<key>[\w.\"'-]+)\s*="),
}
_TABLE = re.compile(r"\s*(\[\[?)([^\[\]]+)\]")
_ITEM = re.compile(r"\s*((?:- +)+)")
_SCALAR = re.compile(r":\s*[|>][+-]?\d*\s*(?:#.*)?$")


def doubled_keys(lines: Sequence[str], language: str | None) -> int:
    """How many keys stand in a mapping that has them already.

    0 for other languages, for templates, and for texts too long to be read for each candidate.
    """
    if language not in LANGUAGES or len(lines) > MOST_LINES:
        return 0
    if any(line.lstrip().startswith("{{") for line in lines):
        return 0
    seen = Counter(_toml(lines) if language == "toml" else _nested(lines, language))
    return sum(count - 1 for count in seen.values())


def _toml(lines: Sequence[str]) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    table: tuple[object, ...] = ("",)
    for number, line in enumerate(lines):
        header = _TABLE.match(line)
        if header:
            many = header[1] == "[["
            table = (header[2].strip(), number if many else -1)
            if not many:
                found.append(("table", *table))
        elif (match := _KEY["toml"].match(line)) and not line[:1].isspace():
            found.append((*table, match["key"]))
    return found


def _nested(lines: Sequence[str], language: str) -> list[tuple[object, ...]]:
    """Each key with the line that opened its mapping, by indentation, or by brackets in JSON."""
    found: list[tuple[object, ...]] = []
    stack: list[tuple[int, int]] = []  # column, and line, of what is open
    scalar = -1  # column of a key whose text goes on below it
    root = -1  # a file may hold several documents
    for number, line in enumerate(lines):
        stripped = line.strip()
        if stripped.startswith("---"):
            stack, root = [], -2 - number
        if not stripped or stripped.startswith(("#", "//", "---")):
            continue
        column = columns(line)
        if scalar >= 0 and column > scalar:
            continue
        scalar = -1
        item = _ITEM.match(line) if language == "yaml" else None
        while stack and stack[-1][0] >= column:
            stack.pop()
        if item:
            stack.append((column, number))
            column += len(item[1])
        elif language == "json" and stripped[0] in "{[":
            stack.append((column, number))
        match = _KEY[language].match(line)
        if match:
            found.append((stack[-1][1] if stack else root, column, match["key"].strip("\"'")))
            if language == "yaml" and _SCALAR.search(line):
                scalar = column
            stack.append((column, number))
    return found
