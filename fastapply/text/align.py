"""Which lines of one text are which lines of another.

`align` is a patience diff: lines that are unique on both sides come first, the rest is settled
between them, so that it stays about linear for long files and does not tear blocks apart.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_SMALL = 250_000  # product of lengths up to which a full comparison is cheap


def align(left: Sequence[str], right: Sequence[str]) -> list[int]:
    """For each of `left` the index of its equal in `right`, or -1; matches never cross.

    ``align("abxc", "abc")`` is ``[0, 1, -1, 2]``.
    """
    found = [-1] * len(left)
    todo = [(0, len(left), 0, len(right))]
    while todo:
        a, b, c, d = todo.pop()
        while a < b and c < d and left[a] == right[c]:
            found[a] = c
            a, c = a + 1, c + 1
        while a < b and c < d and left[b - 1] == right[d - 1]:
            b, d = b - 1, d - 1
            found[b] = d
        if a == b or c == d:
            continue
        anchors = _unique_in_order(left, right, (a, b, c, d))
        if anchors:
            for i, j in [*anchors, (b, d)]:
                todo.append((a, i, c, j))
                if i < b:
                    found[i] = j
                a, c = i + 1, j + 1
        else:
            _settle(left, right, (a, b, c, d), found)
    return found


def _unique_in_order(
    left: Sequence[str], right: Sequence[str], where: tuple[int, int, int, int]
) -> list[tuple[int, int]]:
    """Lines that stand once in either range, the longest chain of them that does not cross."""
    a, b, c, d = where
    counts = Counter(left[a:b])
    places: dict[str, int] = {}
    twice: set[str] = set()
    for j in range(c, d):
        line = right[j]
        if counts.get(line) == 1 and line:
            if line in places:
                twice.add(line)
            places[line] = j
    pairs = [(i, places[left[i]]) for i in range(a, b) if left[i] in places and left[i] not in twice]
    tails: list[int] = []
    last: list[int] = []
    before: list[int] = [-1] * len(pairs)
    for index, (_, j) in enumerate(pairs):
        at = bisect_left(tails, j)
        before[index] = last[at - 1] if at else -1
        if at == len(tails):
            tails.append(j)
            last.append(index)
        else:
            tails[at] = j
            last[at] = index
    chain = []
    index = last[-1] if last else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]


def _settle(
    left: Sequence[str], right: Sequence[str], where: tuple[int, int, int, int], found: list[int]
) -> None:
    """Align ranges without a line that is unique in both."""
    from difflib import SequenceMatcher

    a, b, c, d = where
    small = (b - a) * (d - c) <= _SMALL
    matcher = SequenceMatcher(None, left[a:b], right[c:d], autojunk=not small)
    for i, j, size in matcher.get_matching_blocks():
        for step in range(size):
            found[a + i + step] = c + j + step
