"""A text as a tree of units: definitions, statements, keys, list items, elements, sections, each a few lines.

Read off indentation, headings of Markdown and sections of TOML, alike in edit and file, without a grammar.
A unit begins with the comments and decorators right above it, and ends with the line that closes it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.merge.entries import KEYED, entry_name
from fastapply.merge.imports import is_import
from fastapply.merge.likeness import definition, holds_members, identity, is_attachment
from fastapply.merge.lines import continues, is_closer, turns
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from fastapply.merge.lines import LineTable

_HEADING = re.compile(r"(#{1,6})\s+\S")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_SECTION = re.compile(r"\s*\[\[?[^\[\]]+\]\]?\s*(?:[#;].*)?$")
_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
_TAG = re.compile(r"\s*<([\w.:-]+)")
_FIRST_WORD = re.compile(r"\s*([\w$@#.:!-]+)")
_MODIFIERS = re.compile(
    r"\s*(?:(?:public|private|protected|internal|static|final|async|export|default|override|abstract|virtual|"
    r"pub(?:\([^)]*\))?|inline|const|readonly|suspend|open|unsafe|extern|local)\s+)+(?=\S)"
)
_FUNCTION = re.compile(r"\b(?:def|defp|function|func|fn|fun|sub|macro)\b")
_CALLED = re.compile(r"\s*([\w$@.]+)\s*[(\s]")
_PINNED = re.compile(r"([A-Za-z][\w.-]*(?:\[[\w,]+\])?)\s*[=~<>!]=")
"""A requirement of pip."""
_ATTRIBUTE = re.compile(r"\b(?:id|name|key|href|src|to|path|for|rel)=\{?[\"']([^\"']+)[\"']")
_ACCESS = re.compile(r"\s*(?:public|private|protected|internal|signals|slots)(?:\s+\w+)?\s*:\s*$")
_TEMPLATE = re.compile(r"\s*template\s*<.*>\s*$")
_BLOCK = re.compile(r"\s*(?:extend\s+)?([A-Za-z]\w*)\s+([^\s=][^={]*?)\s*\{\s*$")
"""A named block of Terraform, GraphQL, Protocol Buffers or Prisma."""
_IMPL = re.compile(r"\s*(?:unsafe\s+)?impl\b(?:<[^{]*?>)?\s+([A-Z].*?)\s*\{\s*$")
_FIELD = re.compile(r"\s*([A-Za-z_]\w*)\b")
_PROPERTY = re.compile(r"\s*(--[\w-]+|[\w-]+|\$[\w-]+)\s*:")
_COLUMN = re.compile(r"\s*[`\"\[]?([a-z_][a-z0-9_]*)[`\"\]]?\s+[A-Za-z]")
_BRACES = frozenset({"{", "(", "["})
PROSE = frozenset({"markdown", "rst", "text"})
STYLES = frozenset({"css", "scss", "less"})
BLOCKS = frozenset({"hcl", "graphql", "proto", "prisma"})


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit: lines ``[start, end)``, the line `head` that names it, and what it stands in.

    `parent` is the number of the unit around it, -1 at top level; `depth` is in columns.
    """

    start: int
    head: int
    end: int
    parent: int
    depth: float


class Outline:
    """The units of a text in the order in which they begin, each before those inside it."""

    __slots__ = ("_children", "_kinds", "_names", "language", "lines", "table", "units")

    def __init__(self, table: LineTable, language: str | None, skip: Collection[int] = ()) -> None:
        """Read a text; lines in `skip` (markers of an edit) belong to no unit."""
        self.table, self.language, self.lines = table, language, table.lines
        self.units: tuple[Unit, ...] = tuple(_read(table, language, skip))
        self._children: dict[int, list[int]] = {}
        for number, unit in enumerate(self.units):
            self._children.setdefault(unit.parent, []).append(number)
        self._names: dict[int, str | None] = {}
        self._kinds: dict[int, str] = {}

    def children(self, number: int) -> Sequence[int]:
        """Numbers of the units right inside one; those at top level for -1."""
        return self._children.get(number, ())

    def name(self, number: int) -> str | None:
        """What a unit is called."""
        if number not in self._names:
            line = self.lines[self.units[number].head]
            name = name_of(line, self.language)
            if name is None and self._is_field(number) and (field := _FIELD.match(_MODIFIERS.sub("", line))):
                name = field[1]
            self._names[number] = name
        return self._names[number]

    def _is_field(self, number: int) -> bool:
        """Whether a unit is one line of what a type holds: ``Timeout time.Duration`` in a struct of Go."""
        unit = self.units[number]
        return unit.parent >= 0 and not self.is_block(number) and self.kind(unit.parent) == "holder"

    def kind(self, number: int) -> str:
        """What sort of unit it is: those of one kind stand beside each other."""
        if number not in self._kinds:
            kind = kind_of(self.lines[self.units[number].head], self.language)
            plain = kind.startswith("call:") and kind != "call:case" and self._is_field(number)
            self._kinds[number] = "value" if plain else kind
        return self._kinds[number]

    def is_block(self, number: int) -> bool:
        """Whether a unit has lines below its header."""
        unit = self.units[number]
        return unit.end > unit.head + 1

    def at(self, line: int) -> int:
        """The innermost unit that a line belongs to, -1 where there is none."""
        found = -1
        for number, unit in enumerate(self.units):
            if unit.start > line:
                break
            if line < unit.end:
                found = number
        return found

    def around(self, number: int) -> Iterator[int]:
        """The units around one, the innermost first."""
        while number >= 0 and (number := self.units[number].parent) >= 0:
            yield number

    def body(self, number: int) -> tuple[int, int]:
        """Lines of a unit between its header and its closing line; the whole text for -1."""
        if number < 0:
            return 0, len(self.lines)
        unit = self.units[number]
        first = unit.head + 1
        while first < unit.end and self.table.keys[first] in _BRACES:
            first += 1
        last = unit.end
        keys = self.table.keys
        while last > first and (
            not keys[last - 1] or (is_closer(keys[last - 1]) and self._shallow(last - 1, unit))
        ):
            last -= 1
        return first, last

    def _shallow(self, line: int, unit: Unit) -> bool:
        return self.table.depths[line] <= unit.depth + 0.6


def name_of(line: str, language: str | None) -> str | None:
    """Name of the unit that a line heads."""
    if language in BLOCKS and (block := _BLOCK.match(line)):
        return block[2].replace('"', "")
    if language in STYLES:
        if line.rstrip().endswith(("{", ",")):
            return " ".join(line.rstrip(" {,\t").split())
        own = _PROPERTY.match(line)
        return own[1] if own else None
    if language in KEYED or language in PROSE:
        return entry_name(line, language)
    if language is None and (pinned := _PINNED.match(line)):
        return pinned[1]
    if _TAG.match(line):
        attribute = _ATTRIBUTE.search(line)
        return attribute[1] if attribute else None
    if impl := _IMPL.match(line):
        return impl[1]
    name = definition(line) or identity(line)
    if name is None and language == "sql" and (column := _COLUMN.match(line)):
        return column[1]
    return name.strip("\"'`") if name else None


def kind_of(line: str, language: str | None) -> str:
    """Kind of the unit that a line heads: ``import``, ``function``, ``key``, ``call:app``, ``tag:li``."""
    if language in PROSE:
        heading = _HEADING.match(line)
        if heading:
            return heading[1]
        bullet = _BULLET.match(line)
        return bullet[0].strip()[-1:] if bullet else "|" if line.lstrip().startswith("|") else "text"
    if _BULLET.match(line) and language == "yaml":
        return "-"
    if language in BLOCKS and (block := _BLOCK.match(line)):
        return f"block:{block[1]}"
    if language in STYLES and not _is_attached(line):
        return "rule" if line.rstrip().endswith(("{", ",")) else "key"
    if language == "sql" and not _is_attached(line) and not _COLUMN.match(line):
        return "(" if line.lstrip().startswith("(") else " ".join(line.split()[:2]).upper()
    if language in KEYED:
        return "section" if _SECTION.match(line) else "key"
    if is_import(line):
        return "import"
    tag = _TAG.match(line)
    if tag:
        return f"tag:{tag[1]}"
    if _is_attached(line):
        return "comment"
    if _IMPL.match(line) or (holds_members(line.partition("(")[0]) and definition(line) is not None):
        return "holder"
    bare = _MODIFIERS.sub("", line)
    name = definition(line)
    if name is not None:
        called = _CALLED.match(bare)
        if " " in name and called:
            return f"call:{called[1].partition('.')[0]}"
        return "function" if "(" in line or _FUNCTION.search(bare) else "value"
    if re.match(r"\s*[\"'\w$.-]+\s*(?::(?!:)|=>)", line) and not bare.lstrip().startswith(
        ("case ", "default")
    ):
        return "key"
    if language is None and _PINNED.match(line):
        return "value"
    word = _FIRST_WORD.match(bare)
    return f"call:{word[1].partition('.')[0]}" if word else line.strip()[:1]


def _is_attached(line: str) -> bool:
    """Whether a line belongs to what follows: no quoted key, which is a comment in Visual Basic alone."""
    return is_attachment(line) and not is_import(line) and line.lstrip()[:1] not in {"'", '"'}


def _level(table: LineTable, number: int, language: str | None, *, fenced: bool) -> float:
    line = table.lines[number]
    if language in PROSE:
        heading = None if fenced else _HEADING.match(line)
        return float(len(heading[1])) if heading else 7.0 + table.depths[number]
    if language in {"toml", "ini", "dotenv", "properties"}:
        return 0.0 if _SECTION.match(line) else 1.0 + table.depths[number]
    if language == "yaml" and line.lstrip().startswith("- "):
        return table.depths[number] + 0.5
    return table.depths[number]


def _read(table: LineTable, language: str | None, skip: Collection[int]) -> Iterator[Unit]:
    keys, lines = table.keys, table.lines
    found: list[list[float]] = []  # start, head, end, parent, depth
    stack: list[int] = []
    closed: set[int] = set()  # units whose closing line has come
    pending = -1  # the first of the comments and decorators right above
    fenced = False
    for number, key in enumerate(keys):
        if not key:
            if pending >= 0:
                found.append([pending, pending, number, stack[-1] if stack else -1, table.depths[pending]])
            pending = -1
            continue
        if number in skip:
            pending = -1
            _grow(found, [one for one in stack if found[one][4] < table.depths[number] - 0.3], number)
            continue
        if language in PROSE and _FENCE.match(lines[number]):
            fenced = not fenced
        level = _level(table, number, language, fenced=fenced)
        if number in table.in_string and stack:
            _grow(found, stack, number)
            continue
        while stack and (
            found[stack[-1]][4] > level + 0.3
            or (
                found[stack[-1]][4] < level - 0.6
                and (stack[-1] in closed or _holds_none(table, found[stack[-1]], language))
            )
        ):
            stack.pop()
        same = bool(stack) and abs(found[stack[-1]][4] - level) <= 0.6
        if same and pending < 0 and _goes_on(table, found[stack[-1]], number, language):
            _grow(found, stack, number)
            (closed.add if is_closer(key) else closed.discard)(stack[-1])
            continue
        if language in {"cpp", "c"} and stack and _ACCESS.match(lines[number]):
            _grow(found, [one for one in stack if found[one][4] < level + 0.3], number)
            pending = -1
            continue
        sections = language in {"toml", "ini", "dotenv", "properties"} and _SECTION.match(lines[number])
        attached = _is_attached(lines[number]) or _TEMPLATE.match(lines[number])
        if language not in PROSE and attached and not sections:
            while stack and found[stack[-1]][4] > level - 0.3:
                stack.pop()
            pending = number if pending < 0 else pending
            _grow(found, stack, number)
            continue
        if is_closer(key):  # of something whose header is not indented as it is
            pending = -1
            tag = key[2:].rstrip(">") if key.startswith("</") else ""
            around = [one for one in stack if not tag or keys[int(found[one][1])].startswith(f"<{tag}")]
            _grow(found, stack[: stack.index(around[-1]) + 1] if around else [], number)
            continue
        while stack and found[stack[-1]][4] > level - 0.3:
            stack.pop()
        start = pending if pending >= 0 else number
        found.append([start, number, number + 1, stack[-1] if stack else -1, level])
        stack.append(len(found) - 1)
        _grow(found, stack, number)
        pending = -1
    if pending >= 0:
        found.append([pending, pending, len(keys), stack[-1] if stack else -1, table.depths[pending]])
    for one in found:
        yield Unit(int(one[0]), int(one[1]), int(one[2]), int(one[3]), one[4])


def _holds_none(table: LineTable, unit: Sequence[float], language: str | None) -> bool:
    """Whether deeper lines behind a unit belong to something else, as in an edit of several places."""
    if int(unit[2]) != int(unit[1]) + 1:
        return False
    key = table.keys[int(unit[1])]
    return key.endswith(";") or (language == "python" and key[-1] not in ":([{,\\=" and '"""' not in key)


def _goes_on(table: LineTable, above: Sequence[float], number: int, language: str | None) -> bool:
    """Whether a line as deep as the header of the unit above it is part of that unit."""
    key = table.keys[number]
    head, last = int(above[1]), table.keys[int(above[2]) - 1]
    if key.startswith("</"):  # of pages whose elements are not indented
        return table.keys[head].startswith(f"<{key[2:].rstrip('>')}")
    if language == "sql" and above[3] < 0:
        together = all(table.keys[int(above[2]) : number]) and not last.endswith((";", "$$"))
        return is_closer(key) or (together and last[:2] != "--" and key[:2] != "--")
    if language in STYLES and last.endswith(",") and int(above[2]) == number:
        return True
    return is_closer(key) or turns(key) or continues(table.lines[number]) or key in _BRACES


def _grow(found: list[list[float]], stack: Sequence[int], number: int) -> None:
    for number_of in stack:
        found[number_of][2] = number + 1
