"""The difference of two texts as blocks of lines, with marks on the words that changed within a line.

Marks are, by the number of a line in its half of a block, the stretches ``(start, end)`` that differ, in
UTF-16 units, as browsers count.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Marks = dict[int, list[tuple[int, int]]]
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_ALIKE = 0.5  # share of words in common, from which on two lines are shown as one that changed
_MOST_PAIRS = 60  # lines of a block within which pairs are looked for
_LONGEST = 500  # characters of a line within which words are compared


@dataclass(frozen=True, slots=True)
class Block:
    """Lines `[first, first + deleted)` of the old text become lines `[start, end)` of the new one."""

    first: int
    deleted: int
    start: int
    end: int
    old_marks: Marks
    new_marks: Marks


def diff_lines(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """The blocks that make `new` of `old`, in order. Equal ends are set aside first, for speed."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    before, after = old[start : len(old) - end], new[start : len(new) - end]
    blocks = []
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            old_marks, new_marks = _marks(before[a:b], after[c:d])
            blocks.append(Block(start + a, b - a, start + c, start + d, old_marks, new_marks))
    return blocks


def _marks(old: Sequence[str], new: Sequence[str]) -> tuple[Marks, Marks]:
    """What differs within lines that changed a little; each line is compared with the next one alike."""
    old_marks: Marks = {}
    new_marks: Marks = {}
    at = 0
    if len(old) > _MOST_PAIRS or len(new) > _MOST_PAIRS:
        return old_marks, new_marks
    for number, line in enumerate(old):
        words = _words(line)
        for other in range(at, len(new)):
            match = SequenceMatcher(None, words, _words(new[other]), autojunk=False)
            if match.real_quick_ratio() < _ALIKE or match.quick_ratio() < _ALIKE or match.ratio() < _ALIKE:
                continue
            old_marks[number], new_marks[other] = _stretches(match, words, _words(new[other]))
            at = other + 1
            break
    return old_marks, new_marks


def _words(line: str) -> list[str]:
    return _WORD.findall(line[:_LONGEST])


def _width(word: str) -> int:
    """How long a word is in a browser's strings: two for a character beyond the first plane."""
    return len(word) if word.isascii() else len(word.encode("utf-16-le", "surrogatepass")) // 2


def _stretches(
    match: SequenceMatcher[str], old: list[str], new: list[str]
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    olds, news = [0], [0]
    for word in old:
        olds.append(olds[-1] + _width(word))
    for word in new:
        news.append(news[-1] + _width(word))
    changed = [code for code in match.get_opcodes() if code[0] != "equal"]
    return (
        [(olds[a], olds[b]) for _, a, b, _, _ in changed if b > a],
        [(news[c], news[d]) for _, _, _, c, d in changed if d > c],
    )
