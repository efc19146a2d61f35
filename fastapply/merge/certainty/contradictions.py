"""What a merge does at which an engineer stops: a name twice, a line of another block, words not followed.

Names of features: ``odd.twice``, ``odd.adopted``, ``odd.untouched``, ``odd.unused`` (imports that nothing
needs any more), ``odd.dangling`` (names whose definition goes, and that are used), ``odd.place_gone`` (what
words name as a place, ``after get``, and which goes), ``odd.copied`` (blocks that stand twice),
``odd.bodiless`` (markers of a new block that stand for nothing), ``odd.noted_stays`` (what a note says is
removed), ``odd.type_again`` (classes that stand in the file already), ``odd.bared`` (a brace below a
statement that ends, or none below the head of a function), ``odd.other_gone`` (lines that nobody names go,
and nothing that is said to go); of the edit alone ``seen.cut``.
"""

from __future__ import annotations

import re
from collections import Counter
from math import log1p
from typing import TYPE_CHECKING

from fastapply.edits.markers import comment_body
from fastapply.merge.certainty.said import DROPS, stems
from fastapply.merge.entries import KEYED, without_places
from fastapply.merge.likeness import defined_name, definition, is_function
from fastapply.merge.lines import columns, is_closer
from fastapply.merge.plain.outline import PROSE, kind_of, name_of
from fastapply.syntax import import_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapply.merge.elements import LazyEdit, MergeContext
    from fastapply.merge.fill import ScriptLine
    from fastapply.merge.lines import LineTable
    from fastapply.text import SourceText
    from fastapply.types import Splice

_NAMED = frozenset({"function", "holder", "key", "value", "rule", "import"})
_TOLD = re.compile(
    r"`([^`\n]+)`|\"([^\"\n]+)\"|\b([A-Za-z]\w*(?:[_.-]\w+)+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)\b"
)
"""Words of a sentence that are names: quoted, or written as no word of English is."""
_NAME = re.compile(r"(?<![.\w])[A-Za-z_]\w*")
_LONG, _BLOCK = 12, 3
"""Characters of a line that says something, and such lines of a block that nobody writes twice."""
_QUOTED = re.compile(r"(\"[^\"]*\"|'[^']*'|`[^`]*`)")
_DEFINES = re.compile(
    r"\b(?:def|defp|func|fun|fn|function|sub|class|struct|enum|interface|trait|type|module|record|protocol)\b|"
    r"^\s*(?:(?:public|private|protected|static|async|override|final|void|int|bool|string|String)\s)+.*\{\s*$"
)
_TYPE = re.compile(
    r"\s*(?:(?:export|default|public|private|protected|internal|static|final|abstract|sealed|data|open|inner|pub|case)"
    r"\s+)*(?:class|struct|enum|interface|trait|record)\s+\w"
)
_OPENING, _CLOSING = "([{", ")]}"
_PLACE_WORD = re.compile(r"[a-z_$][\w$]{2,}")
_SORTS = frozenset(
    re.findall(
        r"\w+",
        "the and its this that line lines function method class test key field entry import section block "
        "file case route routes end top start last first existing other others one property column call body",
    )
)
"""Words beside a name of a place that name none."""
_RARE = 3
"""Lines of a file in which a name stands at most that tells a place."""


class Contradictions:
    """Finds them for the merges of one edit into one file."""

    def __init__(self, source: SourceText, file: LineTable, said: str, language: str | None) -> None:
        self._file, self._language = file, language
        self._names: dict[int, tuple[str, str] | None] = {}
        self._inside: dict[int, list[int]] = {}
        for number, parent in enumerate(file.parents):
            if file.keys[number]:
                self._inside.setdefault(parent, []).append(number)
        self._imports: dict[str, int] = {}  # imported names, and the line that imports them
        for one in import_names(source.text, language):
            if one.first_line == one.last_line:
                self._imports |= dict.fromkeys(one.names, one.first_line)
        self._uses = Counter(name for line in file.lines for name in _NAME.findall(line))
        told = {next(part for part in found if part) for found in _TOLD.findall(without_places(said))}
        dropped = stems("\n".join(match["what"] for match in DROPS.finditer(said)))
        self._spoken = stems(said)
        self._removed = {word for word in dropped if word in stems("\n".join(file.lines))}
        spoken = _PLACE_WORD.findall(said.lower())
        elsewhere = set(_PLACE_WORD.findall(without_places(said).lower()))
        self._places = {word for word in spoken if word not in elsewhere and word not in _SORTS}
        self._told = [
            lines
            for name in told
            if (lines := {n for n, line in enumerate(file.lines) if name in line}) and len(lines) <= _RARE
        ]

    def of(self, splices: Sequence[Splice]) -> dict[str, float]:
        """Features of some changes of the file."""
        features: dict[str, float] = {}
        twice = sum(self._twice(splice) for splice in splices)
        if twice:
            features["odd.twice"] = log1p(twice)
        copied = sum(self._is_copy(splice, splices) for splice in splices)
        if copied:
            features["odd.copied"] = log1p(copied)
        went = [line for one in splices for line in file_lines(self._file, one)]
        came = [line for one in splices for line in one.lines]
        if again := self._types_again(went, came):
            features["odd.type_again"] = log1p(again)
        if not went:
            return features | self._told_features(splices)
        gone = Counter(name for line in went for name in _NAME.findall(line))
        gone.subtract(name for line in came for name in _NAME.findall(line))
        if self._imports:
            features["odd.unused"] = log1p(len(self._unused(splices, gone)))
        features["odd.bared"] = float(any(self._bared(one) for one in splices))
        features["odd.other_gone"] = float(self._other_gone(went, came))
        names = {name for line in went if _DEFINES.search(line) and (name := definition(line)) is not None}
        names -= {name for line in came if (name := definition(line)) is not None}
        features["odd.dangling"] = log1p(sum(self._uses[name] > gone[name] > 0 for name in names))
        if self._places:
            old = {word for line in went for word in _PLACE_WORD.findall(line.lower())}
            new = {word for line in came for word in _PLACE_WORD.findall(line.lower())}
            features["odd.place_gone"] = log1p(len(self._places & (old - new)))
        return features | self._told_features(splices)

    def _bared(self, splice: Splice) -> bool:
        """Whether a brace stands below a statement that ends, ``using x = y;``, or a function has none."""
        below = self._file.keys[splice.end] if splice.end < len(self._file.keys) else ""
        old = [line.rstrip() for line in file_lines(self._file, splice) if line.strip()]
        new = [line.rstrip() for line in splice.lines if line.strip()]
        if below == "{" and old and new and new[-1].endswith(";") and not old[-1].endswith(";"):
            return True
        head = next((n for n in range(splice.start - 1, -1, -1) if self._file.keys[n]), -1)
        shorn = head >= 0 and old[:1] and old[0].strip() == "{" and not (new and new[0].lstrip()[:1] == "{")
        return bool(shorn) and is_function(self._file.lines[head])

    def _other_gone(self, went: Sequence[str], came: Sequence[str]) -> bool:
        """Whether lines go that nobody speaks of, and nothing of what words say is removed."""
        if not self._removed or len(went) <= len(came):
            return False
        gone, new = Counter(map(str.strip, went)), Counter(map(str.strip, came))
        gone, new = gone - new, new - gone
        less = Counter(word for line in gone for word in stems(line))
        less.subtract(word for line in new for word in stems(line))
        named = any(less[word] > 0 for word in self._removed)
        return not named and any(stems(line) and not stems(line) & self._spoken for line in gone)

    def _types_again(self, went: Sequence[str], came: Sequence[str]) -> int:
        """Types that new lines define and the file does as well, once, in a line that stays."""
        new = Counter(name for line in came if (name := _type_of(line)))
        if not new:
            return 0
        held = Counter(name for line in self._file.lines if (name := _type_of(line)))
        held.subtract(name for line in went if (name := _type_of(line)))
        return sum(held[name] == count == 1 for name, count in new.items())

    def unused(self, splices: Sequence[Splice]) -> list[int]:
        """File lines with imports of which some changes leave none in use."""
        gone = Counter(
            name for one in splices for line in file_lines(self._file, one) for name in _NAME.findall(line)
        )
        gone.subtract(name for one in splices for line in one.lines for name in _NAME.findall(line))
        names = self._unused(splices, gone)
        lines = {self._imports[name] for name in names}
        return sorted(
            n for n in lines if all(name in names for name, number in self._imports.items() if number == n)
        )

    def _unused(self, splices: Sequence[Splice], gone: Mapping[str, int]) -> set[str]:
        """Imported names that nothing but their import holds any more."""
        return {
            name
            for name in gone.keys() & self._imports.keys()
            if gone[name] > 0
            and self._uses[name] - gone[name] == 1
            and not any(one.start <= self._imports[name] < one.end for one in splices)
        }

    def _told_features(self, splices: Sequence[Splice]) -> dict[str, float]:
        """How many names that the words speak of are not near any change."""
        features: dict[str, float] = {}
        if self._told:
            touched = {line for one in splices for line in range(one.start, one.end)}
            near = touched | {line for one in splices for line in range(one.start - 3, one.start + 3)}
            around = {self._file.parents[line] for line in near if 0 <= line < len(self._file.lines)}
            features["odd.untouched"] = sum(not lines & (near | around) for lines in self._told) / len(
                self._told
            )
        return features

    def _is_copy(self, splice: Splice, splices: Sequence[Splice]) -> bool:
        """Whether a change only puts in lines that stand in the file in a row, and stay."""
        new = [key for line in splice.lines if (key := "".join(line.split()))]
        if splice.start < splice.end or sum(len(key) > _LONG for key in new) < _BLOCK:
            return False
        keys = [(n, key) for n, key in enumerate(self._file.keys) if key]
        row = [key for _, key in keys]
        for at in (n for n, key in enumerate(row) if key == new[0]):
            if row[at : at + len(new)] == new:
                lines = {keys[n][0] for n in range(at, at + len(new))}
                return not any(one.start <= line < one.end for one in splices for line in lines)
        return False

    def _twice(self, splice: Splice) -> int:
        """New lines that open or set what a line beside them does already, and which stays."""
        file = self._file
        new = [line for line in splice.lines if line.strip()]
        if not new:
            return 0
        depth = min(columns(line) for line in new)
        beside = [n for n in (splice.start - 1, splice.end) if 0 <= n < len(file.lines)]
        beside += [n for n in range(splice.start - 1, -1, -1) if file.keys[n]][:1]
        homes = {file.parents[n] for n in beside if file.keys[n] and file.depths[n] == depth}
        homes |= {n for n in beside if file.keys[n] and file.depths[n] < depth}
        held = Counter(
            name
            for home in homes
            for n in self._inside.get(home, ())
            if not splice.start <= n < splice.end and (name := self._name(n)) is not None
        )
        own = [self._of(line) for line in new if columns(line) == depth]
        return sum(name is not None and held[name] == 1 for name in own)

    def _name(self, number: int) -> tuple[str, str] | None:
        if number not in self._names:
            self._names[number] = self._of(self._file.lines[number])
        return self._names[number]

    def _of(self, line: str) -> tuple[str, str] | None:
        kind = kind_of(line, self._language)
        if kind not in _NAMED and not kind.startswith("block:"):
            return None
        name = name_of(line, self._language)
        return None if name is None else (kind, name)


def _type_of(line: str) -> str | None:
    """Name of the class or the like that a line defines, where a second one of that name is a mistake."""
    return definition(line) if _TYPE.match(line) and not line.rstrip().endswith(";") else None


def file_lines(file: LineTable, splice: Splice) -> Sequence[str]:
    """The lines that a change takes away."""
    return file.lines[splice.start : splice.end]


def adopted(context: MergeContext, ops: Sequence[ScriptLine]) -> float:
    """Lines that a new block takes from one that stays, without moving them: log of one more than these."""
    table, file = context.table, context.file
    new = {op.e for op in ops if op.kind == "insert"}
    stay = {op.f for op in ops if op.kind in {"keep", "match", "near"}}
    count = 0
    for op in ops:
        if op.kind != "match" or not file.keys[op.f] or is_closer(file.keys[op.f]):
            continue
        header, home = context.edit.parents[op.e], file.parents[op.f]
        if header in new and home in stay and columns(table.lines[header]) == file.depths[home]:
            count += 1
    return log1p(count)


def bodiless(context: MergeContext, ops: Sequence[ScriptLine]) -> float:
    """Markers in a new block that stand for no line of the file: log of one more than these."""
    kinds, parents = context.edit.kinds, context.edit.parents
    new = {op.e for op in ops if op.kind == "insert"}
    marks = [e for e, kind in enumerate(kinds) if kind == "marker" and parents[e] in new]
    at = [n for n, op in enumerate(ops) if op.e >= 0 and op.kind != "delete"]
    count = 0
    for e in marks:
        above = max((n for n in at if ops[n].e < e), default=-1)
        below = min((n for n in at if ops[n].e > e), default=len(ops))
        count += not any(op.kind == "keep" and context.file.keys[op.f] for op in ops[above + 1 : below])
    return log1p(count)


def noted_stays(edit: LazyEdit, lines: Sequence[str]) -> float:
    """Names that a note of the edit says were removed, and that a merge still defines: log of one more."""
    names = {name for told in edit.removed.values() for name in told}
    return log1p(sum(defined_name(line) in names for line in lines)) if names else 0.0


def seems_cut(edit: LazyEdit, language: str | None) -> float:
    """Whether an edit ends in the middle, 0 to 1: brackets stay open, or its last line ends unlike others."""
    texts = [e for e, kind in enumerate(edit.kinds) if kind == "text"]
    if not texts or "marker" in edit.kinds[texts[-1] :]:
        return 0.0
    lines, last = edit.table.lines, edit.table.lines[texts[-1]].rstrip()
    code = "".join(_QUOTED.sub("", lines[e]) for e in texts)
    opened = sum(map(code.count, _OPENING)) > sum(map(code.count, _CLOSING))
    if texts[-1] not in edit.table.in_string and _is_open(last, language):
        return 1.0
    if last[-1:] in "{([:," or language in KEYED - {"json", "jsonc", "json5", "hcl"}:
        return 0.0
    same = [lines[e].rstrip() for e in texts[:-1] if columns(lines[e]) == columns(last)]
    ends = sum(line.endswith(";") for line in same)
    unlike = bool(same) and ends == len(same) and not last.endswith((";", "}", ">"))
    return (float(opened) + float(unlike)) / 2


def _is_open(line: str, language: str | None) -> bool:
    """Whether a text begins on a line of code and does not end on it."""
    prose = language in PROSE or comment_body(line) is not None or '"""' in line or '"#' in line
    return not prose and _QUOTED.sub("", line).count('"') % 2 == 1
