"""Names as addresses in a file: where a function, class, method, key or section stands, and code beside it.

    "Store.get" ─▶ `find_symbol` ─▶ Symbol ─▶ `place_beside` ─▶ splices

A name is a definition that the grammar sees, else a unit that indentation shows: a key, a setting, a rule.
Nothing is guessed: a name that stands for nothing, or for several things, is refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.errors import Refused
from fastapply.merge.indentation import indent_of
from fastapply.merge.likeness import is_attachment
from fastapply.merge.lines import columns, is_closer, line_table
from fastapply.merge.plain.commas import code_of, ended, with_commas
from fastapply.merge.plain.draft import Reindent
from fastapply.merge.plain.graft import comma_as
from fastapply.merge.plain.outline import Outline
from fastapply.syntax import definitions
from fastapply.text import from_text
from fastapply.types import Splice
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.text import SourceText
    from fastapply.types import Side

_AT_LINE = re.compile(r"(.+):(\d{1,9})")
_CONSTANT = re.compile(r"\w+\s*(?::[^=]*)?=(?!=)")
"""What is set at top level, without a word that says so."""
_DECORATED = ("@", "#[", "[")
_UNNAMED = ("call", "import", "comment", "text")
"""Kinds of units that have words in them and no name."""
_JSON = frozenset({"json", "jsonc", "json5"})
_SHOWN = 6
"""Names that a message lists."""
_MEMBERLESS = frozenset({"function", "macro", "property", "test", "variable"})
"""Kinds of definitions that hold statements and no members."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named piece of a file. Lines are 0-based, `end` is the line behind it.

    `start` is where the comments and decorators above it begin, `first` its first decorator or modifier,
    `head` the line with its name.
    """

    name: str  # with all that it stands in: "Store.get"
    kind: str
    start: int
    first: int
    head: int
    end: int


def find_symbol(source: SourceText, language: str | None, name: str) -> Symbol:
    """Find what a name stands for: ``get``, ``Store.get``, ``impl Store``, ``## Usage``, ``get:12``.

    A number behind a colon is a line of what is meant. Raises `Refused` (``no_such_name``,
    ``ambiguous_name``).
    """
    every = [*_defined(source, language), *_outlined(source, language)]
    found = _named(every, name)
    at_line = _AT_LINE.fullmatch(name)
    if not found and at_line:
        line = int(at_line[2]) - 1
        found = [one for one in _named(every, at_line[1]) if one.start <= line < one.end]
        found = found[-1:]  # the innermost one
    if len(found) == 1:
        return found[0]
    if not found:
        raise Refused(f"there is no {name!r} in the file", reason="no_such_name", hint=_near(every, name))
    listed = ", ".join(f"{one.kind} {one.name} (line {one.head + 1})" for one in found[:_SHOWN])
    listed += f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    raise Refused(
        f"{name!r} matches {len(found)} definitions: {listed}",
        reason="ambiguous_name",
        hint=f"write the full name, or add a line number: {name}:{found[0].head + 1}",
    )


def place_beside(
    source: SourceText, language: str | None, symbol: Symbol, new: Sequence[str], side: Side
) -> tuple[Splice, ...]:
    """Put new lines after, before or in place of a symbol: as deep, with the file's blank lines and commas.

    A replaced definition keeps the comments and decorators that the new lines have none of.
    """
    lines = source.lines
    new = _indented(new, lines, indent_of(lines[symbol.head]))
    if side == "replace":
        start = symbol.first
        if is_attachment(new[0]) and not new[0].lstrip().startswith(_DECORATED):
            start = symbol.start
        elif new[0].lstrip().startswith(_DECORATED):
            start = min(symbol.first, _first_decorator(lines, symbol))
        elif lines[symbol.first].lstrip().startswith(_DECORATED):
            start = symbol.head
        last = comma_as(new[-1], lines[symbol.end - 1]) if language != "markdown" else new[-1]
        return (Splice(start, symbol.end, (*new[:-1], last)),)
    gap, above, below = _gap(lines, language, symbol, tall=len(new) > 1)
    if side == "after":
        at = symbol.end
        put = ("",) * gap + new + ("",) * (max(0, gap - below) if below >= 0 else 0)
    else:
        at = symbol.start
        listed = code_of(lines[symbol.end - 1]).endswith(",") or language in _JSON
        if listed and not code_of(new[-1]).endswith(","):
            new = (*new[:-1], ended(new[-1], "", ","))
        put = ("",) * (max(0, gap - above) if above >= 0 else 0) + new + ("",) * gap
    splices = (Splice(at, at, put),)
    return with_commas(splices, line_table(lines, language), language) or splices


def names_of(code: Sequence[str], language: str | None) -> set[str]:
    """What some code defines, without what it stands in."""
    source = from_text("".join(f"{line}\n" for line in code))
    every = [*_defined(source, language), *_outlined(source, language)]
    return {one.name.rpartition(".")[2] for one in every}


def last_member(source: SourceText, language: str | None, symbol: Symbol) -> Symbol | None:
    """The last of the things right inside of a symbol; None where it holds statements, or nothing."""
    if symbol.kind in _MEMBERLESS:
        return None
    inner = [
        one
        for one in _outlined(source, language, every=True)
        if one.start > symbol.head and one.end <= symbol.end
    ]
    least = min((columns(source.lines[one.head]) for one in inner), default=0)
    level = [one for one in inner if columns(source.lines[one.head]) == least]
    return level[-1] if level else None


def symbols_around(source: SourceText, language: str | None, first: int, last: int) -> list[Symbol]:
    """The symbols of several lines around 0-based lines, the innermost first."""
    every = _outlined(source, language, every=True)
    around = [one for one in every if one.start <= first and last < one.end and one.end > one.start + 1]
    return sorted(around, key=lambda one: one.end - one.start)


def symbol_from(source: SourceText, language: str | None, line: int) -> tuple[Symbol, Side] | None:
    """The thing that begins at a 0-based line, or below it if that is blank; else the last one above."""
    lines = source.lines
    line = next((n for n in range(line, len(lines)) if lines[n].strip()), len(lines))
    every = _outlined(source, language, every=True)
    begins = next((one for one in every if one.start <= line <= one.head), None)
    if begins is not None:
        return begins, "before"
    above = next((n for n in range(line - 1, -1, -1) if lines[n].strip()), -1)
    ends = [one for one in every if one.end == above + 1]
    if line < len(lines):  # what closes something: the last thing in it
        deeper = [one for one in ends if columns(lines[one.head]) > columns(lines[line])]
        return (deeper[0], "after") if deeper else None
    return (ends[0], "after") if ends else None


def _defined(source: SourceText, language: str | None) -> list[Symbol]:
    text = "\n".join((*source.lines, ""))
    return [
        Symbol(
            ".".join((*one.scope, one.name)),
            one.kind,
            one.attached_line,
            one.first_line,
            one.header_line,
            one.last_line + 1,
        )
        for one in definitions(text, language)
    ]


def _outlined(source: SourceText, language: str | None, *, every: bool = False) -> list[Symbol]:
    """What indentation shows, with a name; with `every` what has none as well."""
    outline = Outline(line_table(source.lines, language), language)
    found: list[Symbol] = []
    for number, unit in enumerate(outline.units):
        name = outline.name(number)
        constant = _CONSTANT.match(source.lines[unit.head]) and unit.parent < 0
        if not every and (name is None or (outline.kind(number).startswith(_UNNAMED) and not constant)):
            continue
        scope = [outline.name(parent) or "" for parent in outline.around(number)]
        full = ".".join(one for one in (*reversed(scope), name or "") if one)
        kind = "value" if constant else outline.kind(number).partition(":")[0]
        first = next((n for n in range(unit.start, unit.head) if _decorates(source.lines[n])), unit.head)
        found.append(Symbol(full, kind, unit.start, first, unit.head, unit.end))
    return found


def _named(every: Sequence[Symbol], name: str) -> list[Symbol]:
    """Those that a name can mean: the whole name goes before its end, a definition before a unit."""
    wanted = _plain(name)
    found: dict[int, Symbol] = {}
    for whole in (True, False):
        for one in every:
            full = _plain(one.name)
            same = wanted in {full, f"{one.kind} {full}"} if whole else full.endswith(f".{wanted}")
            if same and not any(one.start <= other.head < one.end for other in found.values()):
                found.setdefault(one.head, one)
        if found:
            break
    outer = tuple(f"{_plain(one.name)}." for one in found.values())
    return [
        one for one in found.values() if not _plain(one.name).startswith(outer)
    ]  # a class, no constructor


def _plain(name: str) -> str:
    """A name without the marks around it: ``Store::get()``, ``## Usage``, ``[tool.ruff]``."""
    name = name.strip().strip("`\"'").removesuffix("()")
    name = re.sub(r"^#+\s+", "", name)
    if name.startswith("[") and name.endswith("]"):
        name = name.strip("[]")
    return re.sub(r"::|(?<=\w)#(?=\w)", ".", name)


def _near(every: Sequence[Symbol], name: str) -> str:
    from difflib import get_close_matches

    names = {one.name.rpartition(".")[2]: one.name for one in reversed(every)}
    names |= {one.name: one.name for one in every}
    near = [names[one] for one in get_close_matches(_plain(name), names, n=3)]
    if near:
        return f"did you mean {' or '.join(dict.fromkeys(near))}?"
    told = list(dict.fromkeys(one.name for one in every))[:_SHOWN]
    return f"it has {', '.join(told)}" if told else ""


def _indented(new: Sequence[str], lines: Sequence[str], target: str) -> tuple[str, ...]:
    """New lines as deep as `target`: their first one tells how deep they are."""
    reindent = Reindent(new, lines)
    tabs = {line[0] == "\t" for line in new if line[:1] in {"\t", " "} and line.strip()}
    if indent_of(new[0]) == target and tabs <= {reindent.tabs}:
        return tuple(new)
    base = columns(new[0])
    return tuple(reindent.line(line, base, target) for line in new)


def _first_decorator(lines: Sequence[str], symbol: Symbol) -> int:
    return next((n for n in range(symbol.start, symbol.head) if _decorates(lines[n])), symbol.head)


def _decorates(line: str) -> bool:
    return line.lstrip().startswith(_DECORATED)


def _gap(lines: Sequence[str], language: str | None, symbol: Symbol, *, tall: bool) -> tuple[int, int, int]:
    """Blank lines between a symbol and what comes beside it, and those that are above and below it now.

    The last two are -1 where nothing of the same depth stands there.
    """
    depth = columns(lines[symbol.head])
    up = next((n for n in range(symbol.start - 1, -1, -1) if lines[n].strip()), -1)
    down = next((n for n in range(symbol.end, len(lines)) if lines[n].strip()), len(lines))
    above = symbol.start - 1 - up if up >= 0 and columns(lines[up]) >= depth else -1
    below = down - symbol.end if down < len(lines) else -1
    if below >= 0 and (columns(lines[down]) != depth or is_closer("".join(lines[down].split()))):
        below = -1
    usual = 2 if language == "python" and not depth else 1
    beside = [one for one in (above, below) if one >= 0]
    if symbol.end > symbol.first + 1:
        gap = max(beside, default=usual) if tall else min(beside, default=usual)
    elif tall:
        gap = max(beside, default=0) if depth else max([usual, *beside])
    else:
        gap = int(language == "markdown")
    return gap, above, below
