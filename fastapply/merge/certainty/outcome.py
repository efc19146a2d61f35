"""Facts about the text that a candidate gives: does it parse, what stands twice, what is gone but used.

The facts of a gap (`facts`) are about one place; these see the whole result, cost more, and are found only
for the candidates that come first.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from math import log1p
from typing import TYPE_CHECKING

from fastapply.formats.markers import marker_inside
from fastapply.merge.elements import tells_of_removal
from fastapply.merge.likeness import definition
from fastapply.merge.lines import is_closer
from fastapply.syntax import error_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

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


class Outcome:
    """Finds facts about results, for one file, one edit and one line of instructions."""

    def __init__(
        self, file: Sequence[str], edit: Sequence[str], language: str | None, instructions: str
    ) -> None:
        self._file, self._edit, self._language = file, edit, language
        self._instructions = instructions
        self._keys = Counter(_key(line) for line in file)
        self._edit_keys = Counter(_key(line) for line in edit)
        self._errors = len(error_lines("\n".join(file) + "\n", language))
        self._doubled = _doubled(file)
        self._defined = _definitions(file)
        self._defined_by_edit = _definitions(edit)
        self._word_count = Counter(word for line in file for word in _WORD.findall(line))
        self._edit_words = {word for line in edit for word in _WORD.findall(line)}
        self._use_count = Counter(word for line in file for word in _USE.findall(line))
        self._bound = _bound(file)
        self._to_remove = _to_remove(instructions)
        self._to_go = _to_go(instructions) & set(self._defined)
        self._only_adds = _ADDS_FIRST.match(instructions) is not None and not _CHANGES.search(instructions)
        self._words = {word for word in _WORD.findall(instructions) if _is_code(word)}

    def of(self, lines: Sequence[str], splices: Sequence[Splice]) -> dict[str, float]:
        """Facts about one result and the splices that give it."""
        facts: dict[str, float] = {}
        after = len(error_lines("\n".join(lines) + "\n", self._language))
        if after > self._errors:
            facts["breaks"] = 1.0
            facts["broken"] = log1p(after - self._errors)
        elif after < self._errors:
            facts["mends"] = log1p(self._errors - after)
        doubled = _doubled(lines) - self._doubled
        excess = Counter(_doubled(self._edit))
        twice = sum(max(0, count - excess[key]) for key, count in doubled.items())
        if twice:
            facts["doubled"] = log1p(twice)
        defined = _definitions(lines)
        again = sum(
            max(0, count - max(self._defined[name], self._defined_by_edit[name]))
            for name, count in defined.items()
        )
        if again:
            facts["defined_again"] = log1p(again)
        gone = [name for name in self._defined if name not in defined and re.fullmatch(r"[\w$]{3,}", name)]
        if gone:
            text = "\n".join(lines)
            used = sum(
                re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", text) is not None for name in gone[:20]
            )
            facts["lost"] = log1p(len(gone))
            if used:
                facts["lost_used"] = log1p(used)
        if not self._instructions.strip():
            facts["unsaid"] = 1.0
        deleted = _deleted(self._file, splices)
        if not splices:
            facts["idle"] = 1.0
        if deleted:
            share = len(deleted) / max(1, sum(1 for key in self._keys.elements() if key))
            facts["deleted_share"] = share
            if not self._instructions.strip():
                pass  # nobody said what the edit is for
            elif _REMOVES.search(self._instructions):
                facts["told_to_remove"] = log1p(len(deleted))
            elif _ADDS.search(self._instructions):
                facts["told_to_add"] = log1p(len(deleted))
            else:
                facts["told_neither"] = log1p(len(deleted))
        elif _GONE.search(self._instructions):
            facts["told_gone_but_keeps"] = 1.0
        if self._words:
            before = " ".join(self._file)
            now = " ".join(lines)
            vanished = [word for word in self._words if word in before and word not in now]
            if vanished and _REMOVES.search(self._instructions):
                facts["named_and_gone"] = float(len(vanished))
            elif vanished:
                facts["named_and_lost"] = float(len(vanished))
        if speaks_of_spacing(self._instructions):
            facts["told_spacing"] = 1.0
        orphans = self._orphans(lines)
        if orphans:
            facts["orphaned"] = log1p(orphans)
        unused = self._unused(lines)
        if unused:
            facts["unused_import"] = log1p(unused)
        defined_still = sum(
            defined[name] >= self._defined[name] and not self._defined_by_edit[name] for name in self._to_go
        )
        if defined_still:
            facts["told_definition_stays"] = log1p(defined_still)
        lost = self._lost_though_adding(splices) if self._only_adds else 0
        if lost:
            facts["only_adds_loses"] = log1p(lost)
        dots = sum(
            _key(line) not in self._keys and bool(_DOTS.search(line) or marker_inside(line)) for line in lines
        )
        if dots:
            facts["dots_left"] = log1p(dots)
        stays = self._named_but_there(lines)
        if stays:
            facts["removed_name_stays"] = log1p(stays)
        missed = self._unimported(lines)
        if missed:
            facts["unimported"] = log1p(missed)
        notes = sum(_key(line) not in self._keys and tells_of_removal(line) for line in lines)
        if notes:
            facts["tells_of_removal"] = log1p(notes)
        left = self._leftovers(lines)
        if left:
            facts["edit_lines_missing"] = log1p(left)
        return facts

    def _orphans(self, lines: Sequence[str]) -> int:
        """Names that the file defines or imports and uses, and the result defines and uses no more."""
        now = Counter(word for line in lines for word in _USE.findall(line))
        then = self._use_count
        return sum(then[name] > 1 and now[name] == 1 and name not in self._edit_words for name in self._bound)

    def _unimported(self, lines: Sequence[str]) -> int:
        """Names whose single imports went and that the result still uses."""
        kept = {_key(line) for line in lines if _SINGLE.match(line)}
        gone = [match for line in self._file if (match := _SINGLE.match(line)) and _key(line) not in kept]
        if not gone:
            return 0
        here = {word for line in lines if _IMPORTED.match(line) for word in _WORD.findall(line)}
        used = {word for line in lines if not _IMPORTED.match(line) for word in _USE.findall(line)}
        whole = any(_WILD.search(line) for line in lines if _IMPORTED.match(line))
        return 0 if whole else sum(match.group(1) in used - here for match in gone)

    def _unused(self, lines: Sequence[str]) -> int:
        """Names that a dotted import of the file binds, used in the file and in the result no more."""
        bound = {match.group(1) for line in lines if (match := _SINGLE.match(line))}
        if not bound:
            return 0
        then, now = (
            {word for line in text if not _IMPORTED.match(line) for word in _WORD.findall(line)}
            for text in (self._file, lines)
        )
        return len((bound & then) - now)

    def _lost_though_adding(self, splices: Sequence[Splice]) -> int:
        """File lines that go and whose words are not all in one new line: they were not only added to."""
        lost = 0
        for change in splices:
            new = [set(_WORD.findall(line)) for line in change.lines]
            for line in self._file[change.start : change.end]:
                words = set(_WORD.findall(line))
                lost += bool(words) and not any(words <= one for one in new[:_MOST_LINES])
        return lost

    def _named_but_there(self, lines: Sequence[str]) -> int:
        """Names that the instructions want removed, and that stand in the result as often as in the file."""
        if not self._to_remove:
            return 0
        now = Counter(word for line in lines for word in _WORD.findall(line))
        return sum(0 < self._word_count[name] <= now[name] for name in self._to_remove)

    def _leftovers(self, lines: Sequence[str]) -> int:
        """Edit lines with text that are not in the result."""
        held = Counter(_key(line) for line in lines)
        return sum(
            max(0, count - held[key]) for key, count in self._edit_keys.items() if key and not is_closer(key)
        )


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


def _is_code(word: str) -> bool:
    return "_" in word or "$" in word or any(c.isupper() for c in word[1:])


def _doubled(lines: Sequence[str]) -> Counter[str]:
    """Lines that stand twice in a row, blank ones between them left aside."""
    keys = [key for line in lines if (key := _key(line))]
    return Counter(key for key, other in pairwise(keys) if key == other)


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
_GONE = re.compile(
    r"\b(?:remov\w+|drop\w*|delet\w+|get(?:ting)? rid of|no longer|not needed|isn't needed|unused|"
    r"goes? away|gone)\b",
    re.IGNORECASE,
)


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


_DROPS = re.compile(
    r"\b(?:remov\w+|drop\w*|delet\w+|get(?:ting)?\s+rid\s+of)\s+(?P<what>.*?)"
    r"(?=\s(?:from|in|of|on|to|so|because|since|as|by|which|that|inside|where|when|for)\b|[;:.](?:\s|$)|$"
    r"|\band\s+(?:add|use|let|make|move|rename|replace|return|call|pass|switch|keep|put|inline|turn|have)\b)",
    re.IGNORECASE,
)


def _to_go(text: str) -> set[str]:
    """Names of code that are the very thing which is said to be removed, not where it is removed from."""
    found: set[str] = set()
    for match in _DROPS.finditer(text):
        what = match.group("what")
        quoted = re.findall(r"`([^`]+)`", what)
        for part in quoted or [what]:
            found.update(
                word for word in _WORD.findall(part) if quoted or _is_code(word) or word[0].isupper()
            )
    return found


def _to_remove(text: str) -> set[str]:
    """Names of code in sentences that speak of removal."""
    found: set[str] = set()
    for sentence in re.split(r"[.;!?]\s|\n|\band\b(?=\s+(?:add|use|let|make|move))", text):
        match = _GONE.search(sentence)
        if match is None:
            continue
        quoted = re.findall(r"`([^`]+)`", sentence)
        for part in (*quoted, *([sentence[match.start() :]] if not quoted else [])):
            found.update(word for word in _WORD.findall(part) if _is_code(word) or quoted)
    return found
