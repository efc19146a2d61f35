"""Which words changed inside of a line: for eyes, so that a long line need not be read twice.

``total = a + b`` and ``total = a - b`` differ in ``+`` and ``-``. Lines that have little in common are two
different lines, in which nothing is marked.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Spans = tuple[tuple[int, int], ...]  # columns, 0-based, the second one exclusive

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)
_IN_COMMON = 0.5  # of the characters that are no white space: below, a pair is of two different lines
_LONGEST = 2000  # characters of a line up to which its words are compared
_MOST = 60  # lines of a run up to which those of unequal runs are paired by likeness


def pair_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pair the removed lines of a run with the added ones that stand in their place, by number.

    Runs of equal length are paired in order; else each line with the next one that is like it.
    """
    if len(old) == len(new):
        yield from zip(range(len(old)), range(len(new)), strict=True)
        return
    if max(len(old), len(new)) > _MOST:
        return
    free = 0
    for number, line in enumerate(old):
        for other in range(free, len(new)):
            if changed_words(line, new[other]) != ((), ()):
                yield number, other
                free = other + 1
                break


def changed_words(old: str, new: str) -> tuple[Spans, Spans]:
    """The spans of both lines that differ; none where they are equal, or have little in common."""
    if old == new or max(len(old), len(new)) > _LONGEST:
        return (), ()
    words, others = _WORD.findall(old), _WORD.findall(new)
    blocks = SequenceMatcher(None, words, others, autojunk=False).get_opcodes()
    same = sum(len("".join(words[a:b]).replace(" ", "")) for tag, a, b, _, _ in blocks if tag == "equal")
    most = max(len(old.replace(" ", "")), len(new.replace(" ", "")))
    if same < most * _IN_COMMON:
        return (), ()
    changed = [block[1:] for block in blocks if block[0] != "equal"]
    return _spans(words, [(a, b) for a, b, _, _ in changed]), _spans(
        others, [(c, d) for _, _, c, d in changed]
    )


def _spans(words: Sequence[str], ranges: Sequence[tuple[int, int]]) -> Spans:
    """Columns of ranges of words; ranges that only a space parts are one."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    spans: list[tuple[int, int]] = []
    for first, last in ranges:
        if first == last:
            continue
        if spans and not "".join(words)[spans[-1][1] : starts[first]].strip():
            spans[-1] = (spans[-1][0], starts[last])
        else:
            spans.append((starts[first], starts[last]))
    return tuple(spans)
