"""Deciding whether a snippet without markers is the whole file, and putting it in if it is.

A snippet that shows nearly all that the file says, from its first line to its last, is the file.
One that says it is the file is believed as long as it does not drop most of it.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Literal

from fastapply.merge.imports import is_import
from fastapply.merge.likeness import definition, is_attachment, similarity
from fastapply.types import Splice
from fastapply.values import dataclass

if TYPE_CHECKING:
    from fastapply.merge.lines import LineTable

_FIRST = re.compile(
    r"(?:import|from|package|use|using|namespace|module|require|(?:const|let|var)\s.*=\s*require|#!|#\s*include|#\s*pragma|#ifndef|//|/\*|#|--|<\?|<!|"
    r"'use strict'|\"use strict\"|---)"
)
"""How a file begins, and an excerpt of one seldom does."""
TINY = 3
"""A file of at most so many lines with text may be replaced by a snippet that shares nothing with it."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a snippet is to be read: `unsure` where only the equality of both readings decides."""

    kind: Literal["part", "whole", "unsure", "drops"]
    kept: float  # share of the file's text that the snippet shows, 0 to 1


def read_extent(edit: LineTable, file: LineTable, *, said_whole: bool) -> Reading:
    """Judge whether a snippet without markers is the whole file, a part of it, or can't be told."""
    texts = [number for number, key in enumerate(file.keys) if key]
    shown = [number for number, key in enumerate(edit.keys) if key]
    if not texts:
        return Reading("whole", 1.0)
    if not shown:
        return Reading("part", 0.0)
    counted = Counter(edit.keys)
    total = kept = 0.0
    for number in texts:
        weight = file.weights[number] + 0.05
        total += weight
        if counted[file.keys[number]] > 0:
            counted[file.keys[number]] -= 1
            kept += weight
    share = kept / total
    bounded = _alike(edit, file, shown[0], texts[0]) and _alike(edit, file, shown[-1], texts[-1])
    if said_whole:
        if share >= 0.5 or (len(shown) >= 0.7 * len(texts) and (share >= 0.15 or len(texts) <= 3 * TINY)):
            return Reading("whole", share)
        return Reading("drops", share)
    if len(texts) <= TINY and share == 0.0:
        return Reading("whole", share)
    if bounded and (share >= 0.85 or (share >= 0.5 and len(shown) >= 0.9 * len(texts))):
        return Reading("whole", share)
    begins = _alike(edit, file, shown[0], texts[0])
    ends = _alike(edit, file, shown[-1], texts[-1])
    held = set(file.keys)
    cut = (not begins and edit.keys[shown[0]] in held) or (not ends and edit.keys[shown[-1]] in held)
    if (begins or ends) and not cut and share >= 0.5 and len(shown) >= len(texts) <= 3 * TINY:
        return Reading("whole", share)
    as_long = (begins or ends) and len(shown) >= 0.9 * len(texts) and share >= 0.6
    as_long = as_long and not _begins_below_imports(edit, file, shown[0])
    file_like = _FIRST.match(edit.lines[shown[0]]) is not None
    least = (0.35 if begins else 0.6) if file_like else 0.85
    if (
        as_long
        or (begins and share >= 0.5)
        or (bounded and (share >= 0.4 or (file_like and len(shown) >= 0.7 * len(texts))))
        or (share >= least and (file_like or definition(edit.lines[shown[0]]) is None))
    ):
        return Reading("unsure", share)
    return Reading("part", share)


def _alike(edit: LineTable, file: LineTable, a: int, b: int) -> bool:
    return edit.keys[a] == file.keys[b] or similarity(edit.lines[a], file.lines[b]) >= 0.6


def _begins_below_imports(edit: LineTable, file: LineTable, first: int) -> bool:
    """Whether a snippet begins with a definition of the file that only imports and comments stand above."""
    if definition(edit.lines[first]) is None or edit.keys[first] not in file.keys:
        return False
    above = range(file.keys.index(edit.keys[first]))
    told = [file.lines[f] for f in above if file.keys[f] and not is_attachment(file.lines[f])]
    return bool(told) and all(is_import(line) or line.startswith("package ") for line in told)


def replace_whole(edit: LineTable, file: LineTable) -> tuple[Splice, ...]:
    """Splices that make the file the snippet; lines that are equal stay with their bytes and ends."""
    from difflib import SequenceMatcher

    first, end, other = 0, len(file.lines), len(edit.lines)
    # an edit seldom shows the blank lines around a file's text
    while first < end and not file.keys[first] and (not edit.keys or edit.keys[0]):
        first += 1
    while end > first and not file.keys[end - 1] and (not edit.keys or edit.keys[-1]):
        end -= 1
    start = 0
    while min(end - first, other) > start and file.lines[first + start] == edit.lines[start]:
        start += 1
    first += start
    while min(end - first, other - start) > 0 and file.lines[end - 1] == edit.lines[other - 1]:
        end, other = end - 1, other - 1
    ours, theirs = edit.lines[start:other], file.lines[first:end]
    matcher = SequenceMatcher(None, theirs, ours, autojunk=len(theirs) > 5000)
    return tuple(
        Splice(first + f1, first + f2, tuple(ours[e1:e2]))
        for tag, f1, f2, e1, e2 in matcher.get_opcodes()
        if tag != "equal"
    )
