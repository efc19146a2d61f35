"""What words ask for and a merge does not do: something is to go and stays, is to be added and replaces.

Names of features: ``heed.stays`` and ``heed.goes`` (things that words or notes say go, of which nothing goes,
and something; log of one more), ``heed.replaced`` (definitions that words say are added, put over those of
their name), ``heed.taken_over`` (names that go and that words do not have, though they only speak of adding),
``heed.import_below`` (imports below the code of a file that has its own above it), ``heed.import_again`` (new
imports of what the file imports in another way, and goes on to).
"""

from __future__ import annotations

import re
from collections import Counter
from math import log1p
from typing import TYPE_CHECKING

from fastapply.edits.markers import comment_body
from fastapply.merge.certainty.outcome import only_adds
from fastapply.merge.certainty.said import phrases_of_removal, stems
from fastapply.merge.elements import tells_of_removal
from fastapply.merge.imports import is_import
from fastapply.merge.likeness import definition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapply.merge.lines import LineTable
    from fastapply.types import Splice

_RARE = 8
"""Lines of a file in which a word stands at most that tells one thing from others."""
_ADDS = re.compile(
    r"\b(?:add\w*|introduc\w+|insert\w*|append\w*|creat\w+|second|another|further|overload\w*)\s+(?P<what>.*?)"
    r"(?=\s(?:to|from|so|because|since|as|by|which|that|where|when)\b|[;:.](?:\s|$)|$)",
    re.IGNORECASE,
)
_KEY = re.compile(r"\s*(?:-\s+)?[\"']?([A-Za-z_][\w.-]*)[\"']?\s*(?::(?!:)|=(?!=))")
_MODULE = re.compile(r"\s*(?:import|from|use|using|#\s*include)\s+(?:static\s+)?([\w.:/@-]+)")
_QUOTED = re.compile(r"[\"'<]([^\"'<>]+)[\"'>]\W*$")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


class Heeded:
    """Finds them for the merges of one edit into one file; `held` has in how many lines each word stands."""

    def __init__(self, file: LineTable, edit: Sequence[str], said: str, held: Mapping[str, int]) -> None:
        notes = [comment_body(line) or "" for line in edit if tells_of_removal(line)]
        told = "\n".join([said, *notes])
        self._defined = _definitions(file.lines)
        phrases = list(dict.fromkeys(phrases_of_removal(told)))
        self._to_go = [found for phrase in phrases if any(found := self._named(phrase, held))]
        self._to_come = {name for match in _ADDS.finditer(said) for name in _NAME.findall(match["what"])}
        self._file, self._said = file, said
        self._only_adds = only_adds(said)
        self._imports = [(line.strip(), _module(line)) for line in file.lines if is_import(line)]
        imports = [n for n, line in enumerate(file.lines) if line[:1].strip() and is_import(line)]
        code = (
            n
            for n in range(imports[-1] + 1 if imports else 0, len(file.lines))
            if file.keys[n] and _begins_code(file.lines[n])
        )
        self._below = next(code, len(file.lines)) if imports else len(file.lines) + 1

    def _named(self, phrase: str, held: Mapping[str, int]) -> tuple[set[str], set[str]]:
        """What a phrase names of the file: definitions, and words that few of its lines have."""
        defined = {name for name in _NAME.findall(phrase) if self._defined[name]}
        return defined, {word for word in stems(phrase) if 0 < held.get(word, 0) <= _RARE}

    def of(self, splices: Sequence[Splice]) -> dict[str, float]:
        """Features of some changes of the file."""
        features: dict[str, float] = {}
        went = [line for one in splices for line in self._file.lines[one.start : one.end]]
        came = [line for one in splices for line in one.lines]
        if self._to_go:
            less = Counter(word for line in went for word in stems(line))
            less.subtract(word for line in came for word in stems(line))
            gone = _definitions(went)
            gone.subtract(_definitions(came))
            goes = sum(
                any(gone[name] > 0 for name in names) if names else any(less[word] > 0 for word in words)
                for names, words in self._to_go
            )
            features["heed.goes"] = log1p(goes)
            features["heed.stays"] = log1p(len(self._to_go) - goes)
        if self._to_come:
            old, new = _definitions(went), _definitions(came)
            features["heed.replaced"] = log1p(
                sum(old[name] == new[name] > 0 for name in old if name in self._to_come)
            )
        if self._only_adds:
            lost = _named(went) - _named(came)
            features["heed.taken_over"] = log1p(sum(name not in self._said for name in lost))
        again = {line.strip() for line in came if is_import(line)}
        if again:
            stay = Counter(self._imports)
            stay.subtract((line.strip(), _module(line)) for line in went)
            held = {module for (line, module), count in stay.items() if count > 0 and line not in again}
            features["heed.import_again"] = log1p(sum(_module(line) in held for line in again))
        below = (line for one in splices if one.start > self._below for line in one.lines)
        if any(line[:1].strip() and is_import(line) for line in below):
            features["heed.import_below"] = 1.0
        return features


def _begins_code(line: str) -> bool:
    """Whether a line at the left edge is code: no comment, import, or end of a list of imports."""
    return bool(line[:1].strip()) and line[0] not in ")}]/#*-<" and not is_import(line)


def _module(line: str) -> str:
    """What a line imports from: the text in quotes, or the first word."""
    found = _QUOTED.search(line) or _MODULE.match(line)
    return found[1] if found else line.strip()


def _named(lines: Sequence[str]) -> set[str]:
    """What lines define, as keys or by name."""
    keys = (match[1] for line in lines if (match := _KEY.match(line)))
    return {*keys, *_definitions(lines)}


def _definitions(lines: Sequence[str]) -> Counter[str]:
    """How often lines define each name."""
    return Counter(name for line in lines if (name := definition(line)) is not None)
