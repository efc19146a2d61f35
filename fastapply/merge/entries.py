"""What a text is made of besides its statements: definitions, keys, entries and sections, by name.

A file loses one of these only if the edit or the words around it name it (`Losses`). Read line by
line, for any language: the names that a function's body sets are statements, and do not count.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from typing import TYPE_CHECKING

from fastapply.edits.markers import comment_body
from fastapply.merge.certainty.said import DROPS, GOES, GONE, stems
from fastapply.merge.likeness import defined_name, definition, holds_members, is_control
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from fastapply.merge.lines import LineTable
    from fastapply.types import Splice

KEYED = frozenset({"yaml", "json", "jsonc", "json5", "toml", "ini", "properties", "dotenv", "hcl"})
"""Languages of data: there every key counts, however deep."""
_PLAIN = frozenset({"markdown", "rst", "text", "csv", "html", "xml", "css", "scss"})
"""Languages whose lines set nothing; of Markdown the headings count."""
_KEY = re.compile(
    r"\s*(?:-\s+)*(?:export\s+)?(?P<key>\"[^\"]+\"|'[^']+'|[A-Za-z_$.@/*][\w$.@/*{}-]*)\s*(?::(?=\s|$)|=(?!=))"
)
LISTED = re.compile(r"\s*-\s+(?:name|id|key|title)\s*:\s*(?P<name>.+)")
"""An element of a YAML list that begins with what it is called."""
_SECTION = re.compile(r"\s*\[\[?(?P<name>[^\[\]]+)\]\]?\s*(?:[#;].*)?$")
_HEADING = re.compile(r"#{1,6}\s+(?P<name>\S.*)")
REPLACES = re.compile(
    r"\b(?:replac\w*|renam\w*|rewrit\w*|swap\w*|instead|convert\w*|turn\w*|mov\w*|merg\w*|inlin\w*|"
    r"collaps\w*|simplif\w*|split\w*|switch\w*|migrat\w*|extract\w*)\b",
    re.IGNORECASE,
)
_TYPE = re.compile(r"\b(?:struct|interface|protocol|trait|class|record)\b")
_PROPERTY = re.compile(
    r"\s*(?:(?:public|private|protected|internal|static|readonly|required|virtual|final)\s+)+"
    r"[\w<>\[\]?,. ]+?\s(?P<name>\w+)\s*(?:\{|=(?!=)|;)"
)
"""A field or property of C#, Java or PHP: ``public int Port { get; set; } = 80;``."""
_FIELD = re.compile(
    r"\s*(?:(?:pub(?:\([^)]*\))?|public|private|readonly|static|const|final|func|fn|var|let)\s+)*(?P<name>[A-Za-z_]\w*)\b"
)
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
"""A word of a name."""
_USUAL = 4
"""Entries whose lines have a word from which on it names none of them."""
_HOLDS_ELEMENTS = re.compile(
    r"(?:(?<![!=<>])=|:|=>|\breturn|\()\s*[&*]?(?:[\w.:<>\[\]]*\s*)?[\[{]\s*$|"
    r"\b(?:switch|match|enum|when)\b.*\{\s*$|\b(?:case|cond)\b.*\bdo\s*$|\bmatch\b.*:\s*$"
)
"""Opens a list, a mapping or a choice, of which every line that is not deeper is an element."""
_LITERAL = re.compile(r"(?:^|[\s&(])[A-Z][\w.:]*\s*\{\s*$")
"""Opens the fields of a value in Rust and Go: ``Self {``, ``&Pool{``."""
_HOLDS_STATEMENTS = re.compile(
    r"\)\s*(?:->|=>|:)?.*[{:]\s*$|=>\s*\{\s*$|\b(?:class|impl|struct|trait|module)\b"
)
_ELEMENT = re.compile(
    r"\s*(?:case\s+)?(?P<name>\"[^\"]+\"|'[^']+'|[\w$:.#]+)\s*(?:=>|->|:(?!:)|=(?!=)|,?\s*$)"
)
_FROM = re.compile(
    r"(\b(?:remov|drop|delet|tak)\w*\s[^.;\n]*?)\sfrom\s(?!scratch)[^,;:.()\n]*", re.IGNORECASE
)
"""What something is taken from, which stays."""
_ALIKE = 0.5
"""Share of an element's words that a new line has that takes its place."""
_SHOWN_NAME = 40
"""Characters of an element that a question shows."""
_EVERYTHING = re.compile(
    r"\b(?:whole|entire|complete|full)\s+(?:\w+\s+)?(?:file|content\w*|module|page|script|document)\b|"
    r"\bfrom scratch\b|\breplac\w*\s+(?:the\s+)?(?:file|everything|all)\b",
    re.IGNORECASE,
)


_PLACES = re.compile(
    r"\b(?:after|before|below|above|behind|beneath|under|following|next to|beside|alongside|between|like|"
    r"similar to|same as|ahead of|in front of|(?:body|implementation|signature|contents?|docstring) of)\s+"
    r"[^,;:.()\n]*?(?=[,;:()\n]|\.(?:\s|$)|$|"
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
        name = entry_name(line, language) or _member(table, number)
        if name is not None:
            found.append(Entry(name, number))
        if not keyed and _opens_body(line):
            inner.add(number)
    return found


def _member(table: LineTable, number: int) -> str | None:
    """Name of a field or method that a type holds, on one line: ``Timeout time.Duration`` in a struct."""
    parent, line = table.parents[number], table.lines[number]
    if parent < 0 or not _TYPE.search(table.lines[parent]) or comment_body(line) is not None:
        return None
    property_ = _PROPERTY.match(line)
    if property_ is not None:
        return property_["name"]
    if "class" in table.lines[parent].split():
        return None
    match = _FIELD.match(line)
    return match["name"] if match else None


def find_elements(table: LineTable, language: str | None) -> dict[int, Entry]:
    """Elements of lists, mappings and choices, by line, each named by its text."""
    if language in KEYED | _PLAIN:
        return {}
    opens = {
        n
        for n, line in enumerate(table.lines)
        if table.keys[n] and n not in table.in_string and _holds_elements(line, language)
    }
    return {
        n: Entry(_name_of_element(line), n)
        for n, line in enumerate(table.lines)
        if table.parents[n] in opens and _is_element(line)
    }


def _name_of_element(line: str) -> str:
    match = _ELEMENT.match(line)
    return match["name"].strip("\"'") if match else line.strip()[:_SHOWN_NAME]


def _holds_elements(line: str, language: str | None) -> bool:
    if re.search(r"\b(?:switch|match|when|enum|case|cond)\b", line):
        return _HOLDS_ELEMENTS.search(line) is not None
    if is_control(line) or _HOLDS_STATEMENTS.search(line):
        return False
    literal = language in {"rust", "go"} and _LITERAL.search(line) is not None
    return literal or _HOLDS_ELEMENTS.search(line) is not None


def _same_opener(old: str, new: str, language: str | None) -> bool:
    """Whether two lines open what has one name, or a choice of one kind: ``match a {``, ``match b {``."""
    if not _holds_elements(new, language):
        return False
    name = definition(old)
    return definition(new) == name if name is not None else old.split()[:1] == new.split()[:1]


def _is_element(line: str) -> bool:
    text = line.strip()
    return text[:1] not in {"}", "]", ")", ""} and comment_body(line) is None and bool(stems(text))


def _opens_body(line: str) -> bool:
    """Whether statements stand in the block that a line opens: no members, and no keys of a value."""
    if holds_members(line):
        return False
    return is_control(line) or (definition(line) is not None and not re.search(r"[=:]\s*[{\[(]\s*$", line))


def entry_name(line: str, language: str | None) -> str | None:
    """Name of the definition, key or section that a line begins; None where it begins none."""
    if language in {"markdown", "rst"}:
        heading = _HEADING.match(line)
        return heading["name"].strip() if heading else None
    if language not in {"c", "cpp"} and comment_body(line) is not None:
        return None
    if language in KEYED:
        match = LISTED.match(line) or _SECTION.match(line)
        if match:
            return match["name"].strip().strip("\"'")
        key = _KEY.match(line)
        return key["key"].strip("\"'") if key else None
    if language in _PLAIN:
        return None
    name = definition(line) if language == "sql" else defined_name(line)
    return name.strip("\"'`") if name else None


_SENTENCE = re.compile(r"[;\n]|\.(?:\s|$)")
_CLAUSE = re.compile(r"[.;,:]\s|\n|\s(?:and|but|while)\s")
_STAYS = re.compile(
    r"\b(?:stays?|keeps?|kept|remains?|unchanged|untouched|as (?:it|they) (?:is|are|was|were))\b",
    re.IGNORECASE,
)


def _without_stays(said: str) -> str:
    """What was said without what it says stays."""

    def speaks(text: str) -> bool:
        return bool(not _STAYS.search(text) or GONE.search(text) or REPLACES.search(text))

    parts = [one if speaks(one) else "" for one in _SENTENCE.split(said)]
    return "\n".join(
        ", ".join(one for one in _CLAUSE.split(part) if not _STAYS.search(one))
        if _STAYS.search(part)
        else part
        for part in parts
    )


def without_places(said: str) -> str:
    """What was said without the words that name where something goes, or what it is like."""
    return _PLACES.sub(" ", said)


class Losses:
    """Finds what merges would take away and nobody names, for one file, one edit and what was said.

    Named is what the instructions, the words around the code or the edit's comments speak of, other than as a
    place; what stands in a thing that is named goes with it.
    """

    def __init__(self, table: LineTable, edit: Sequence[str], said: str, language: str | None) -> None:
        self._table, self._language = table, language
        self._elements = find_elements(table, language)
        self._entries = self._elements | {one.line: one for one in find_entries(table, language)}
        self._has_members = any(_TYPE.search(line) for line in table.lines)
        self._sections = [n for n, line in enumerate(table.lines) if _SECTION.match(line)]
        self._all = _EVERYTHING.search(said) is not None
        used = Counter(word for line in self._entries for word in stems(table.lines[line]))
        self._usual = {word for word, count in used.items() if count > _USUAL}  # which tell none from others
        notes = [body for line in edit if (body := comment_body(line)) is not None]
        spoken = "\n".join([said, *notes])
        told = _FROM.sub(r"\1 ", without_places(_without_stays(spoken)))
        dropped = "\n".join(match["what"] for pattern in (DROPS, GOES) for match in pattern.finditer(told))
        changed = "\n".join(one for one in _CLAUSE.split(told) if REPLACES.search(one))
        self._dropped = stems(f"{dropped}\n{changed}") if dropped else frozenset()
        self._words, self._plain = stems(told), set(re.findall(r"[\w$]+", told.lower()))
        self._parts = {part.lower() for part in _PART.findall(told)}
        self._places = set(re.findall(r"[\w$]+", spoken.lower())) - self._plain
        self._goes = GONE.search(told) is not None
        self._speaks = self._goes or REPLACES.search(told) is not None

    def name_of(self, line: str) -> str | None:
        """Name of the entry that any line would begin."""
        match = _ELEMENT.match(line)
        return entry_name(line, self._language) or (match["name"].strip("\"'") if match else None)

    def of(self, splices: Sequence[Splice]) -> list[Entry]:
        """Entries that no longer stand anywhere after these changes, and that nobody names."""
        went = [
            self._entries[line]
            for change in splices
            for line in range(change.start, change.end)
            if line in self._entries
        ]
        away = {line for change in splices for line in range(change.start, change.end)}
        came = [line for change in splices for line in change.lines]
        went = [one for one in went if not self._goes_along(one, away, came)]
        if not went or self._all:
            return []
        gone = Counter(one.name for one in went)
        for change in splices:
            gone.subtract(name for line in change.lines for name in self._names(line))
        lost = [one for one in went if gone[one.name] > 0 and not self._is_replaced(one, splices)]
        if lost and self._goes and self._language in KEYED:
            # one of many equal keys of an element that goes does not tell it from another
            left = Counter(one.name for one in self._entries.values())
            parents = self._table.parents
            lost = [one for one in lost if left[one.name] <= gone[one.name] or parents[one.line] not in away]
        named = {one.line for one in lost if self._is_named(one)}
        told = {one.line for one in lost if one.line in named and stems(one.name) <= self._dropped}
        if told and any(stems(one.name) for one in lost if one.line in told):
            named = told  # where words say what goes, no other words do
        still: list[Entry] = []
        for one in lost:  # of those that share a name, as many as went
            if named & {one.line, *self._around(one.line)}:
                gone[one.name] -= 1
        for one in lost:
            if gone[one.name] > 0 and not named & {one.line, *self._around(one.line)}:
                gone[one.name] -= 1
                still.append(one)
        if self._goes and len(still) == 1 and not told:
            # "drop one lint exception": the section says which kind of thing
            lines = self._table.lines
            around = {word for line in self._around(still[0].line) for word in stems(lines[line])}
            return [] if around & self._words else still
        return still

    def _goes_along(self, one: Entry, away: Collection[int], came: Sequence[str]) -> bool:
        """Whether the list or choice that an element stands in goes as well."""
        opener = self._table.parents[one.line]
        if self._elements.get(one.line) is not one or opener not in away:
            return False
        old = self._table.lines[opener]
        return not any(_same_opener(old, line, self._language) for line in came)

    def _names(self, line: str) -> set[str]:
        """All names that a line may have as an entry, wherever it stands."""
        found = {entry_name(line, self._language)}
        if self._elements:
            found.add(_name_of_element(line))
        for pattern in (_PROPERTY, _FIELD):
            match = pattern.match(line)
            found.add(match["name"] if match and self._has_members else None)
        return {name for name in found if name}

    def _is_replaced(self, one: Entry, splices: Sequence[Splice]) -> bool:
        """Whether a new line takes the place of an element: it has the half of what only this one says."""
        if self._elements.get(one.line) is not one:
            return False
        lines, parents = self._table.lines, self._table.parents
        others = {
            word
            for n in self._elements
            if n != one.line and parents[n] == parents[one.line]
            for word in stems(lines[n])
        }
        own = stems(lines[one.line]) - others or stems(lines[one.line])
        here = next(change for change in splices if change.start <= one.line < change.end)
        names = {self._entries[n].name for n in range(here.start, here.end) if n in self._entries}
        new = [
            line for line in here.lines if _name_of_element(line) not in names
        ]  # the others have their own
        return any(len(own & stems(line)) > _ALIKE * len(own) for line in new)

    def _is_named(self, one: Entry) -> bool:
        """Whether words name an entry: all of its name, or of one that is told to go or change a part."""
        own, full = stems(one.name), set(re.findall(r"[\w$]+", one.name.lower()))
        if full and full <= self._places:  # "after get": which is to stay
            return False
        if not own:
            return full <= self._plain
        spelt = {part.lower() for part in _PART.findall(one.name)}
        if len(spelt) > len(own) and own <= self._words and not spelt <= self._parts | self._words:
            return False  # of `get_invoice` only the invoice is spoken of
        parts = stems(self._table.lines[one.line]) if self._goes else own
        if not self._goes and self._elements.get(one.line) is one:
            return own <= self._words
        return own <= self._words or (self._speaks and bool(parts & self._words - self._usual))

    def _around(self, line: int) -> Iterator[int]:
        """Lines that open what a line stands in, the innermost first; sections of TOML and INI files too."""
        above = line
        while (above := self._table.parents[above]) >= 0:
            yield above
        at = bisect_right(self._sections, line)
        if at:
            yield self._sections[at - 1]
