"""Features of the text that a candidate gives: does it parse, what stands twice, what is gone but used.

The features of a gap (`features`) are about one place; these see the whole result, cost more, and are found
only for the candidates that come first.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from math import log1p
from typing import TYPE_CHECKING, Any

from fastapply.edits.markers import marker_inside
from fastapply.merge.certainty.said import GONE, is_code, names_of_removal, names_to_go, stems
from fastapply.merge.elements import tells_of_removal
from fastapply.merge.likeness import definition
from fastapply.merge.lines import is_closer
from fastapply.syntax import error_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.types import Splice

_REMOVES = re.compile(
    r"\b(?:remove|removing|drop|dropping|delete|deleting|get rid|"
    r"strip|trim|cut|replace|inline|simplif|clean|"
    r"merge|collapse|rewrite|reduce|instead)",
    re.IGNORECASE,
)
_ADDS = re.compile(
    r"\b(?:add|adding|introduce|insert|include|new|support|also|allow|implement|extend|another)\b",
    re.IGNORECASE,
)
_SPACING = re.compile(
    r"\b(?:re-?indent|indent\w*|format\w*|re-?format\w*|white ?space|spaces|tabs|align\w*|prettier|lint\w*|"
    r"style)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z_$][\w$]{2,}")
_USE = re.compile(r"(?<![\w$.])[A-Za-z_$][\w$]{2,}")


_ADDS_FIRST = re.compile(
    r"\s*(?:i(?:['\u2019](?:ll|m)|\s+will|\s+am|\s+want\s+to)?\s+(?:also\s+)?)?"
    r"(?:add|append|insert|introduc|includ|creat|declar|document|cover|register)",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:renam|chang|replac|updat|modif|mov|switch|convert|us(?:e|ing)\b|rewr|refactor|extract|fix|correct|bump|"
    r"upgrad|adjust|tweak|swap|wrap|turn|inline|mak(?:e|ing)\b|let\b|instead|no longer|rather|remov|drop|"
    r"delet|strip|trim|cut|simplif|clean|merg|collaps|reduc|shorten|split|reformat|align|expand|reorder|sort)",
    re.IGNORECASE,
)
"""Words for anything but adding: where none of them stands, no line of the file should go."""
_DOTS = re.compile(
    r"[{(\[<]\s*(?:\.{3}|\u2026)\s*[})\]>]"
    r"|\([\w\s,'-]*\b(?:unchanged|as before|omitted|stays?|same)\b[\w\s,'-]*\)\s*$"
)
"""Dots or words in brackets that stand for a part of a line."""
_MOST_LINES = 200


def speaks_of_spacing(said: str) -> bool:
    """Whether words speak of formatting, so that white space may be what an edit changes."""
    return _SPACING.search(said) is not None


def only_adds(said: str) -> bool:
    """Whether words begin with adding and speak of no other change."""
    return _ADDS_FIRST.match(said) is not None and not _CHANGES.search(said)


class Outcome:
    """Finds features of results, for one file, one edit and one line of instructions."""

    def __init__(
        self, file: Sequence[str], edit: Sequence[str], language: str | None, instructions: str
    ) -> None:
        self._file, self._language = file, language
        self._instructions = instructions
        self._line_keys = [_key(line) for line in file]
        self._keys = Counter(self._line_keys)
        self._size = sum(1 for key in self._line_keys if key)
        self._edit_keys = Counter(_key(line) for line in edit)
        self._edit_doubled = _doubled([_key(line) for line in edit])
        self._errors = len(error_lines("\n".join(file) + "\n", language))
        self._doubled = _doubled(self._line_keys)
        self._defined = _definitions(file)
        self._defined_by_edit = _definitions(edit)
        self._word_count = _words(file)
        self._edit_words = {word for line in edit for word in _WORD.findall(line)}
        self._use_count = _uses(file)
        self._inner_words = _words(line for line in file if not _IMPORTED.match(line))
        self._singles = _singles(file)
        self._bound = _bound(file)
        self._said = stems(instructions)
        self._to_remove = names_of_removal(instructions)
        self._to_go = names_to_go(instructions) & set(self._defined)
        self._only_adds = only_adds(instructions)
        joined = " ".join(file)
        self._words = {word for word in _WORD.findall(instructions) if is_code(word) and word in joined}

    def of(self, lines: Sequence[str], splices: Sequence[Splice]) -> dict[str, float]:
        """Features of one result and the splices that give it.

        All counts of the result are those of the file, less what goes and more what comes.
        """
        features: dict[str, float] = {}
        went = [line for change in splices for line in self._file[change.start : change.end]]
        came = [line for change in splices for line in change.lines]
        after = len(error_lines("\n".join(lines) + "\n", self._language))
        if after > self._errors:
            features["breaks"] = 1.0
            features["broken"] = log1p(after - self._errors)
        elif after < self._errors:
            features["mends"] = log1p(self._errors - after)
        doubled = _doubled(self._keys_after(splices)) - self._doubled
        twice = sum(max(0, count - self._edit_doubled[key]) for key, count in doubled.items())
        if twice:
            features["doubled"] = log1p(twice)
        defined = _Change(self._defined, _definitions(went), _definitions(came))
        again = sum(
            max(0, defined.now(name) - max(self._defined[name], self._defined_by_edit[name]))
            for name in defined.more
        )
        if again:
            features["defined_again"] = log1p(again)
        gone = [name for name in defined.vanished() if re.fullmatch(r"[\w$]{3,}", name)]
        if gone:
            text = "\n".join(lines)
            used = sum(
                re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text) is not None for name in gone[:20]
            )
            features["lost"] = log1p(len(gone))
            if self._instructions.strip():
                unsaid = sum(not self._speaks_of(name) for name in gone)
                features |= {"lost_unsaid": log1p(unsaid)} if unsaid else {"lost_said": 1.0}
            if used:
                features["lost_used"] = log1p(used)
        if not self._instructions.strip():
            features["unsaid"] = 1.0
        deleted = _deleted(self._file, splices)
        if not splices:
            features["idle"] = 1.0
        if deleted:
            features["deleted_share"] = len(deleted) / max(1, self._size)
            if not self._instructions.strip():
                pass  # nobody said what the edit is for
            elif _REMOVES.search(self._instructions):
                features["told_to_remove"] = log1p(len(deleted))
            elif _ADDS.search(self._instructions):
                features["told_to_add"] = log1p(len(deleted))
            else:
                features["told_neither"] = log1p(len(deleted))
        elif GONE.search(self._instructions):
            features["told_gone_but_keeps"] = 1.0
        if self._words:
            now = " ".join(lines)
            vanished = [word for word in self._words if word not in now]
            if vanished and _REMOVES.search(self._instructions):
                features["named_and_gone"] = float(len(vanished))
            elif vanished:
                features["named_and_lost"] = float(len(vanished))
        if speaks_of_spacing(self._instructions):
            features["told_spacing"] = 1.0
        orphans = self._orphans(_Change(self._use_count, _uses(went), _uses(came)))
        if orphans:
            features["orphaned"] = log1p(orphans)
        singles = _Change(self._singles, _singles(went), _singles(came))
        unused = self._unused(singles, went, came)
        if unused:
            features["unused_import"] = log1p(unused)
        defined_still = sum(
            defined.now(name) >= self._defined[name] and not self._defined_by_edit[name]
            for name in self._to_go
        )
        if defined_still:
            features["told_definition_stays"] = log1p(defined_still)
        lost = self._lost_though_adding(splices) if self._only_adds else 0
        if lost:
            features["only_adds_loses"] = log1p(lost)
        new = [line for line in came if _key(line) not in self._keys]
        dots = sum(bool(_DOTS.search(line) or marker_inside(line)) for line in new)
        if dots:
            features["dots_left"] = log1p(dots)
        stays = self._named_but_there(_Change(self._word_count, _words(went), _words(came)))
        if stays:
            features["removed_name_stays"] = log1p(stays)
        missed = self._unimported(lines, singles)
        if missed:
            features["unimported"] = log1p(missed)
        notes = sum(tells_of_removal(line) for line in new)
        if notes:
            features["tells_of_removal"] = log1p(notes)
        left = self._leftovers(_Change(self._keys, Counter(map(_key, went)), Counter(map(_key, came))))
        if left:
            features["edit_lines_missing"] = log1p(left)
        return features

    def _speaks_of(self, name: str) -> bool:
        """Whether the instructions have a name, or all words of it."""
        return name in self._instructions or stems(name) <= self._said

    def _keys_after(self, splices: Sequence[Splice]) -> list[str]:
        """Keys of the lines of a result."""
        keys: list[str] = []
        at = 0
        for change in splices:
            keys += self._line_keys[at : change.start]
            keys += map(_key, change.lines)
            at = change.end
        return keys + self._line_keys[at:]

    def _orphans(self, uses: _Change) -> int:
        """Names that the file defines or imports and uses, and the result defines and uses no more."""
        return sum(
            uses.then[name] > 1 and uses.now(name) == 1 and name not in self._edit_words
            for name in uses.less
            if name in self._bound
        )

    def _unimported(self, lines: Sequence[str], singles: _Change) -> int:
        """Names whose single imports went and that the result still uses."""
        gone = [name for key, name in singles.vanished() for _ in range(self._singles[key, name])]
        if not gone:
            return 0
        here = {word for line in lines if _IMPORTED.match(line) for word in _WORD.findall(line)}
        used = {word for line in lines if not _IMPORTED.match(line) for word in _USE.findall(line)}
        whole = any(_WILD.search(line) for line in lines if _IMPORTED.match(line))
        return 0 if whole else sum(name in used - here for name in gone)

    def _unused(self, singles: _Change, went: Sequence[str], came: Sequence[str]) -> int:
        """Names that a dotted import of the file binds, used in the file and in the result no more."""
        inner = _Change(
            self._inner_words,
            _words(line for line in went if not _IMPORTED.match(line)),
            _words(line for line in came if not _IMPORTED.match(line)),
        )
        last = set(inner.vanished())
        bound = {name for key, name in (*singles.then, *singles.more) if singles.now((key, name)) > 0}
        return len(bound & last) if last else 0

    def _lost_though_adding(self, splices: Sequence[Splice]) -> int:
        """File lines that go and whose words are not all in one new line: they were not only added to."""
        lost = 0
        for change in splices:
            new = [set(_WORD.findall(line)) for line in change.lines]
            for line in self._file[change.start : change.end]:
                words = set(_WORD.findall(line))
                lost += bool(words) and not any(words <= one for one in new[:_MOST_LINES])
        return lost

    def _named_but_there(self, words: _Change) -> int:
        """Names that the instructions want removed, and that stand in the result as often as in the file."""
        return sum(0 < words.then[name] <= words.now(name) for name in self._to_remove)

    def _leftovers(self, keys: _Change) -> int:
        """Edit lines with text that are not in the result."""
        return sum(
            max(0, count - keys.now(key))
            for key, count in self._edit_keys.items()
            if key and not is_closer(key)
        )


class _Change:
    """How often things stand in a file, and in a result: `less` is what goes of them, `more` what comes."""

    def __init__(self, then: Counter[Any], less: Counter[Any], more: Counter[Any]) -> None:
        self.then, self.less, self.more = then, less, more

    def now(self, thing: object) -> int:
        """How often something stands in the result."""
        return self.then[thing] - self.less[thing] + self.more[thing]

    def vanished(self) -> list[Any]:
        """What stands in the file and not in the result, in the order in which it went."""
        return [thing for thing in self.less if self.now(thing) <= 0]


def _deleted(file: Sequence[str], splices: Sequence[Splice]) -> list[str]:
    """Lines with text that splices take out and do not put in again."""
    gone: list[str] = []
    for change in splices:
        new = Counter(_key(line) for line in change.lines)
        for line in file[change.start : change.end]:
            key = _key(line)
            if key and new[key] > 0:
                new[key] -= 1
            elif key:
                gone.append(key)
    return gone


def _key(line: str) -> str:
    return "".join(line.split())


def _doubled(keys: Sequence[str]) -> Counter[str]:
    """Keys of lines that stand twice in a row, blank ones between them left aside."""
    told = [key for key in keys if key]
    return Counter(key for key, other in pairwise(told) if key == other)


def _words(lines: Iterable[str]) -> Counter[str]:
    return Counter(word for line in lines for word in _WORD.findall(line))


def _uses(lines: Iterable[str]) -> Counter[str]:
    return Counter(word for line in lines for word in _USE.findall(line))


def _singles(lines: Iterable[str]) -> Counter[tuple[str, str]]:
    """Dotted imports of one name each: the key of the line, and the name."""
    return Counter((_key(line), match.group(1)) for line in lines if (match := _SINGLE.match(line)))


def _definitions(lines: Sequence[str]) -> Counter[str]:
    """Names that lines declare, and how often."""
    found: Counter[str] = Counter()
    for line in lines:
        name = definition(line)
        if name is not None:
            found[name] += 1
    return found


_BINDS = re.compile(
    r"\s*(?:(?:export|pub|private|static|local|final)\s+)*(?:(?:const|let|var|val|local|def|fn|func|function|fun|type|class|struct|enum)\s+(?:mut\s+)?"
    r"(?P<one>[A-Za-z_$][\w$]*)|(?P<two>[A-Za-z_$][\w$]*)\s*:?=(?!=))"
)
_IMPORTED = re.compile(r"\s*(?:import|from|use|using|(?:const|let|var)\s.*require\()")
_SINGLE = re.compile(r"\s*import\s+(?:static\s+)?(?:[\w.]+\.)(\w{3,});?\s*$")
_WILD = re.compile(r"\*|\b_;?\s*$")


def _bound(lines: Sequence[str]) -> set[str]:
    """Names that lines import, or bind at their beginning."""
    found: set[str] = set()
    for line in lines:
        if _IMPORTED.match(line):
            found.update(word for word in _WORD.findall(line) if word not in _IMPORT_WORDS)
        else:
            match = _BINDS.match(line)
            if match:
                found.add(match.group("one") or match.group("two"))
    return {name for name in found if len(name) > 2}


_IMPORT_WORDS = frozenset(
    [
        "import",
        "from",
        "use",
        "using",
        "static",
        "const",
        "let",
        "var",
        "require",
        "type",
        "export",
        "default",
    ]
)
