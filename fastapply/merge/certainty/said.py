"""Features of what was said: which words of the instructions stand in what goes, comes and stays.

A word counts without its ending, names are taken apart (``getUserNames`` is get, user, name), and a word that
is rare in the file says more.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import fsum, log
from typing import TYPE_CHECKING

from fastapply.merge.lines import is_closer
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fastapply.merge.elements import MergeContext
    from fastapply.merge.fill import ScriptLine

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_ENDING = re.compile(r"(?:ing|ed|es|s)$")
_SENTENCE = re.compile(r"[.;!?]\s|\n|,\s|\b(?:and|then)\b(?=\s+(?:add|use|let|make|move|remove|drop|delete))")
_REMOVES = re.compile(
    r"\b(?:remov\w*|drop\w*|delet\w*|get(?:ting)? rid|no longer|unused|replac\w*|instead|renam\w*|switch\w*|"
    r"from|inlin\w*|simplif\w*|rewrit\w*|merg\w*|without|gone|goes|no more)\b",
    re.IGNORECASE,
)
_COMMON = frozenset(
    re.findall(
        r"\w+",
        """
        a about add after all also an and any are as at be before below above both but by can change code do
        does each end every existing file first for from get had has have here how i if in instead into is it
        its keep last let ll line lines make more new no not now of off old on one only or other our out over
        own part previous remaining remove rest same set should show shown so some that the their them then
        there these they this those to too two unchanged up update use used using was way we were what when
        where which while who will with you your further omitted brevity stay remain original section
        everything nothing else various etc
        """,
    )
)
_MOST_WORDS = 24
_MOST_LINES = 400


@lru_cache(maxsize=1 << 15)
def stems(text: str) -> frozenset[str]:
    """Words of a text that say something, lower case, without their endings."""
    found: set[str] = set()
    for part in _PART.findall(text):
        word = part.lower()
        stem = _ENDING.sub("", word) if len(word) > 4 else word
        if len(stem) > 1 and word not in _COMMON and stem not in _COMMON:
            found.add(stem)
    return frozenset(found)


def weigh(words: Iterable[str], held: Mapping[str, int]) -> dict[str, float]:
    """Those words that the file has, in their order: 1 for one that a single line has, less for others."""
    return {word: 1 / (1 + log(held[word])) for word in words if held.get(word)}


@dataclass(frozen=True, slots=True)
class Instructions:
    """Words that were said along with an edit and that its file has.

    `weights` has all of them, 1 for one that a single line of the file has, less for others; `removal` are
    those of sentences that speak of removing or replacing.
    """

    weights: dict[str, float]
    removal: frozenset[str]


def count_stems(lines: Iterable[str]) -> Counter[str]:
    """In how many lines each word stands."""
    held: Counter[str] = Counter()
    for line in lines:
        held.update(stems(line))
    return held


def read_instructions(said: str, held: Counter[str]) -> Instructions:
    """What was said, as far as it is about the file; `held` has in how many of its lines each word stands."""
    every, removal = set[str](), set[str]()
    for sentence in _SENTENCE.split(said[:2000]):
        words = stems(sentence)
        every |= words
        if _REMOVES.search(sentence):
            removal |= words
    known = sorted((word for word in every if held[word]), key=lambda word: (held[word], word))[:_MOST_WORDS]
    return Instructions(weigh(known, held), frozenset(removal & set(known)))


def said_of(context: MergeContext, ops: Sequence[ScriptLine], instructions: Instructions) -> dict[str, float]:
    """Features of what was said and what a candidate does."""
    if not instructions.weights:
        return {}
    lines, weights, removal = context.file.lines, instructions.weights, instructions.removal
    skipped, omitted = _silent(context, ops)
    away: Counter[str] = Counter()
    came: Counter[str] = Counter()
    for op in ops:
        if op.kind in {"delete", "near"} and _tells(context, op.f):
            away.update(stems(lines[op.f]))
        if op.kind in {"insert", "near"} and op.e >= 0:
            came.update(stems(context.table.lines[op.e]))
    total = sum(weights.values())
    less = {word for word in weights if away[word] > came[word]}
    features = {
        "told.less": fsum(weights[word] for word in less - removal) / total,
        "told.less_removal": fsum(weights[word] for word in less & removal) / total,
        "told.more": fsum(weights[word] for word in weights if came[word] > away[word]) / total,
        "told.skipped": _most(lines, skipped, weights),
        "told.skipped_removal": _most(lines, skipped, {word: weights[word] for word in removal}),
        "told.omitted": _most(lines, omitted, weights),
        "told.omitted_removal": _most(lines, omitted, {word: weights[word] for word in removal}),
    }
    if removal:
        spoken = fsum(weights[word] for word in removal)
        features["told.stays"] = fsum(weights[word] for word in removal - less) / spoken
    if omitted:
        features["told.omitted_unsaid"] = float(not features["told.omitted"])
    return {name: value for name, value in features.items() if value}


def _tells(context: MergeContext, f: int) -> bool:
    return bool(context.file.keys[f]) and not is_closer(context.file.keys[f])


def _silent(context: MergeContext, ops: Sequence[ScriptLine]) -> tuple[list[int], list[int]]:
    """File lines between two shown ones, without a marker or a new line there: those that stay, that go."""
    kinds, keys = context.edit.kinds, context.table.keys
    skipped, omitted = list[int](), list[int]()
    kept, gone = list[int](), list[int]()
    last = -1
    fresh = False
    for op in ops:
        if op.kind in {"keep", "delete"}:
            if _tells(context, op.f):
                (kept if op.kind == "keep" else gone).append(op.f)
        elif op.e >= 0 and keys[op.e]:
            if last >= 0 and "marker" not in kinds[last + 1 : op.e]:
                skipped += kept
                if not fresh and op.kind != "insert":
                    omitted += gone
            kept, gone = [], []
            last, fresh = op.e, op.kind == "insert"
    return skipped, omitted


def _most(lines: Sequence[str], numbers: Iterable[int], weights: dict[str, float]) -> float:
    """The most that one of some lines has of weighted words."""
    most = 0.0
    for number in list(numbers)[:_MOST_LINES]:
        words = stems(lines[number])
        most = max(most, sum(value for word, value in weights.items() if word in words))
    return most


GONE = re.compile(
    r"\b(?:remov\w+|drop\w*|delet\w+|get(?:ting)? rid of|no longer|no more|not needed|isn't needed|unused|"
    r"goes? away|gone)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\b(?:no longer|not needed|isn't needed|goes? away|gone|"
    r"(?:is|are|was|were|been)\s+(?:remov|dropp|delet)ed)\b",
    re.IGNORECASE,
)
"""Words for removal that follow what goes: ``set is gone``."""
_NAME = re.compile(r"[A-Za-z_$][\w$]{2,}")
DROPS = re.compile(
    r"\b(?:remov\w+|drop\w*|delet\w+|get(?:ting)?\s+rid\s+of)\s+(?P<what>.*?)"
    r"(?=\s(?:from|in|of|on|to|so|because|since|as|by|which|that|inside|where|when|for)\b|[;:.](?:\s|$)|$"
    r"|\band\s+(?:add|use|let|make|move|rename|replace|return|call|pass|switch|keep|put|inline|turn|have)\b)",
    re.IGNORECASE,
)


GOES = re.compile(
    r"(?P<what>[^,;:.\n]{2,60}?)\s+(?:(?:is|are|was|were|gets?|has been|have been|can be|will be)\s+)?"
    r"(?:removed|dropped|deleted|gone|no longer (?:needed|used|exists?|supported)|"
    r"(?:not|isn.t|aren.t) needed|unused|superfluous|obsolete|outdated|go(?:es)? (?:as well|too|away)|"
    r"go(?=[.,;]|\s*$)|goes(?!\s+(?:after|before|below|above|in|into|to|at|on|between|under|first|last|next|right|inside)\b))\b",
    re.IGNORECASE,
)
"""What words that follow it say goes: ``log() is no longer needed``."""


_AND = re.compile(r",\s*(?:and\s+)?|\s+and\s+|\s*&\s*")


def phrases_of_removal(text: str) -> list[str]:
    """What a text says goes, each thing by itself: ``remove the flag and its test`` gives two."""
    found = (match["what"] for pattern in (DROPS, GOES) for match in pattern.finditer(text))
    return [part for what in found for part in _AND.split(what) if part.strip()]


def is_code(word: str) -> bool:
    """Whether a word is written as names of code are."""
    return "_" in word or "$" in word or any(c.isupper() for c in word[1:])


def names_to_go(text: str) -> set[str]:
    """Names of code that are the very thing which is said to be removed, not where it is removed from."""
    found: set[str] = set()
    for match in DROPS.finditer(text):
        what = match.group("what")
        quoted = re.findall(r"`([^`]+)`", what)
        for part in quoted or [what]:
            found.update(word for word in _NAME.findall(part) if quoted or is_code(word) or word[0].isupper())
    return found


def names_of_removal(text: str) -> set[str]:
    """Names of code in sentences that speak of removal."""
    found: set[str] = set()
    for sentence in re.split(r"[.;!?]\s|\n|\band\b(?=\s+(?:add|use|let|make|move))", text):
        match = GONE.search(sentence)
        if match is None:
            continue
        quoted = re.findall(r"`([^`]+)`", sentence)
        told = sentence if _BEFORE.search(sentence) else sentence[match.start() :]
        for part in quoted or [told]:
            found.update(word for word in _NAME.findall(part) if is_code(word) or quoted)
    return found
