"""What a text is made of besides its statements: definitions, keys, entries and sections, by name.

A file loses one of these only if the edit or the words around it name it (`unnamed_losses`). Read line by
line, for any language: the names that a function's body sets are statements, and do not count.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from fastapply.formats.markers import comment_body
from fastapply.merge.certainty.said import GONE, stems
from fastapply.merge.likeness import defined_name, definition, holds_members, is_control
from fastapply.merge.lines import line_table
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.merge.lines import LineTable

KEYED = frozenset({"yaml", "json", "jsonc", "json5", "toml", "ini", "properties", "dotenv", "hcl"})
"""Languages of data: there every key counts, however deep."""
_PLAIN = frozenset({"markdown", "rst", "text", "csv", "html", "xml", "css", "scss"})
"""Languages whose lines set nothing; of Markdown the headings count."""
_KEY = re.compile(
    r"\s*(?:-\s+)*(?:export\s+)?(?P<key>\"[^\"]+\"|'[^']+'|[A-Za-z_$.@/*][\w$.@/*-]*)\s*(?::(?=\s|$)|=(?!=))"
)
_LISTED = re.compile(r"\s*-\s+(?:name|id|key|title)\s*:\s*(?P<name>.+)")
_SECTION = re.compile(r"\s*\[\[?(?P<name>[^\[\]]+)\]\]?\s*(?:[#;].*)?$")
_HEADING = re.compile(r"#{1,6}\s+(?P<name>\S.*)")
_REPLACES = re.compile(
    r"\b(?:replac\w*|renam\w*|rewrit\w*|swap\w*|instead|convert\w*|chang\w*|turn\w*|mov\w*|merg\w*|inlin\w*|"
    r"collaps\w*|simplif\w*|split\w*|switch\w*|migrat\w*|extract\w*|updat\w*)\b",
    re.IGNORECASE,
)
_EVERYTHING = re.compile(
    r"\b(?:whole|entire|complete|full)\s+(?:\w+\s+)?(?:file|content\w*|module|page|script|document)\b|"
    r"\bfrom scratch\b|\breplac\w*\s+(?:the\s+)?(?:file|everything|all)\b",
    re.IGNORECASE,
)


_PLACES = re.compile(
    r"\b(?:after|before|below|above|behind|beneath|under|following|next to|beside|alongside|between|like|"
    r"similar to|same as|ahead of|in front of)\s+[^,;:.()\n]*?(?=[,;:()\n]|\.(?:\s|$)|$|"
    r"\s(?:so|that|which|when|if|is|are|was|has|have|for|with|by|instead|while|because|but)\b|"
    r"\sand\s+(?:remov|drop|delet|replac|renam)\w*\b)",
    re.IGNORECASE,
)
"""Words that name where something goes, or what it is like, and nothing that goes away."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A definition, key or section, and the line, 0-based, that opens or sets it."""

    name: str
    line: int


def find_entries(table: LineTable, language: str | None) -> list[Entry]:
    """The entries of a text, in order."""
    found: list[Entry] = []
    inner: set[int] = set()  # lines that open a body of statements, and those in one that open more
    keyed = language in KEYED
    for number, line in enumerate(table.lines):
        if not table.keys[number] or number in table.in_string:
            continue
        if not keyed and table.parents[number] in inner:
            inner.add(number)
            continue
        name = _name(line, language)
        if name is not None:
            found.append(Entry(name, number))
        if not keyed and _opens_body(line):
            inner.add(number)
    return found


def _opens_body(line: str) -> bool:
    """Whether statements stand in the block that a line opens: no members, and no keys of a value."""
    if holds_members(line):
        return False
    return is_control(line) or (definition(line) is not None and not re.search(r"[=:]\s*[{\[(]\s*$", line))


def _name(line: str, language: str | None) -> str | None:
    if language in {"markdown", "rst"}:
        heading = _HEADING.match(line)
        return heading["name"].strip() if heading else None
    if language not in {"c", "cpp"} and comment_body(line) is not None:
        return None
    if language in KEYED:
        match = _LISTED.match(line) or _SECTION.match(line)
        if match:
            return match["name"].strip().strip("\"'")
        key = _KEY.match(line)
        return key["key"].strip("\"'") if key else None
    if language in _PLAIN:
        return None
    name = definition(line) if language == "sql" else defined_name(line)
    return name.strip("\"'`") if name else None


def unnamed_losses(
    before: Sequence[str], after: Sequence[str], *, edit: Sequence[str], said: str, language: str | None
) -> list[Entry]:
    """Entries that the file has, the merged text has not, and neither the edit's comments nor the words name.

    An entry inside one that is named goes with it.
    """
    table = line_table(before, language)
    had, has = find_entries(table, language), find_entries(line_table(after, language), language)
    gone = Counter(one.name for one in had)
    gone.subtract(Counter(one.name for one in has))
    lost = [one for one in had if gone[one.name] > 0]
    if not lost or _EVERYTHING.search(said):
        return []
    notes = [body for line in edit if (body := comment_body(line)) is not None]
    told = _PLACES.sub(" ", "\n".join([said, *notes]))
    words, plain = stems(told), set(re.findall(r"[\w$]+", told.lower()))
    goes = GONE.search(told) is not None
    if goes and language in KEYED:  # one of many equal keys is not what tells an element from another
        still = {one.name for one in has}
        lost = [one for one in lost if one.name not in still]
    speaks = goes or _REPLACES.search(told) is not None
    named = set[int]()
    for one in lost:
        parts = stems(table.lines[one.line]) if goes else stems(one.name)
        if _is_named(one.name, parts, words, plain, speaks=speaks):
            named.add(one.line)
    still: list[Entry] = []
    for one in lost:  # of those that share a name, as many as went
        if named & {one.line, *_around(table, one.line)}:
            gone[one.name] -= 1
    for one in lost:
        if gone[one.name] > 0 and not named & {one.line, *_around(table, one.line)}:
            gone[one.name] -= 1
            still.append(one)
    if goes and len(still) == 1:  # "drop one lint exception": the section says which kind of thing
        around = {word for line in _around(table, still[0].line) for word in stems(table.lines[line])}
        return [] if around & words else still
    return still


def _is_named(
    name: str, parts: frozenset[str], words: frozenset[str], plain: Iterable[str], *, speaks: bool
) -> bool:
    """Whether words name an entry: all of its name, or of one that is told to go or change a part."""
    own = stems(name)
    if not own:
        return set(re.findall(r"[\w$]+", name.lower())) <= set(plain)
    return own <= words or (speaks and bool(parts & words))


def _around(table: LineTable, line: int) -> Iterable[int]:
    """Lines that open what a line stands in, the innermost first; sections of TOML and INI files too."""
    above = line
    while (above := table.parents[above]) >= 0:
        yield above
    section = next((f for f in range(line, -1, -1) if _SECTION.match(table.lines[f])), -1)
    if section >= 0:
        yield section
