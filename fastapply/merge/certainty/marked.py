"""Features of the words of markers: what ``// ... list() and the guards ...`` names should stand there."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from fastapply.merge.certainty.said import stems, weigh
from fastapply.merge.elements import tells_of_removal
from fastapply.merge.likeness import definition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapply.merge.elements import MergeContext
    from fastapply.merge.fill import ScriptLine

_PHRASE = re.compile(r"\"([^\"]{3,60})\"|'([^']{3,60})'")
_NAME = re.compile(r"`([^`]+)`|([A-Za-z_$][\w$.]*)\(\)|\b([A-Za-z_$]*(?:[a-z][A-Z]|_)[\w$]*)\b")
_GONE = re.compile(
    r"\b(?:remov\w*|drop\w*|delet\w*|gone|no longer|moved?|without|replac\w*|renam\w*|instead)\b",
    re.IGNORECASE,
)
_MOST_LINES = 400

Named = dict[int, tuple[dict[str, float], frozenset[str], tuple[str, ...]]]
"""Of the markers with words of the file: those, weighted, the names of code among them, and quoted texts."""


def read_markers(context: MergeContext, held: Mapping[str, int]) -> Named:
    """Markers by the number of their line in the edit; `held` has in how many lines each word stands."""
    found: Named = {}
    for number, kind in enumerate(context.edit.kinds):
        if kind != "marker":
            continue
        line = context.table.lines[number]
        if tells_of_removal(line) or _GONE.search(line):
            continue
        words = weigh(sorted(stems(line)), held)
        if words:
            names = {
                next(filter(None, match.groups())).rpartition(".")[2].removesuffix("()")
                for match in _NAME.finditer(line)
            }
            phrases = tuple(next(filter(None, match.groups())) for match in _PHRASE.finditer(line))
            found[number] = words, frozenset(names), phrases
    return found


def marked_of(context: MergeContext, ops: Sequence[ScriptLine], named: Named) -> dict[str, float]:
    """Features of what markers name and what stands where they do."""
    if not named:
        return {}
    file = context.file
    numbers = sorted(named)
    stretches: dict[int, list[int]] = {number: [] for number in numbers}
    waiting = list[int]()
    last = -1
    for op in (*ops, None):
        if op is not None and op.e < 0:
            if op.kind == "keep" and file.keys[op.f]:
                waiting.append(op.f)
            continue
        upto = op.e if op is not None else len(context.edit.kinds)
        for number in numbers[bisect_right(numbers, last) : bisect_left(numbers, upto)]:
            stretches[number].extend(waiting)
        waiting, last = [], upto
    fits = []
    for number, (words, _, _) in named.items():
        there = {word for f in stretches[number][:_MOST_LINES] for word in stems(file.lines[f])}
        fits.append(sum(value for word, value in words.items() if word in there) / sum(words.values()))
    gone = {definition(file.lines[op.f]) for op in ops if op.kind in {"delete", "near"}} - {None}
    came = {
        definition(context.table.lines[op.e]) for op in ops if op.kind in {"insert", "near"} and op.e >= 0
    }
    lost = sum(len(names & (gone - came)) for _, names, _ in named.values())
    told = {text for _, names, phrases in named.values() for text in (*names, *phrases)}
    less = 0
    if told:
        old = [file.lines[op.f] for op in ops if op.kind in {"delete", "near"}]
        new = [context.table.lines[op.e] for op in ops if op.kind in {"insert", "near"} and op.e >= 0]
        less = sum(sum(text in line for line in old) > sum(text in line for line in new) for text in told)
    features = {
        "marker.fits": sum(fits) / len(fits),
        "marker.misses": 1 - sum(fits) / len(fits),
        "marker.named_gone": float(lost),
        "marker.named_less": float(less),
    }
    return {name: value for name, value in features.items() if value}
