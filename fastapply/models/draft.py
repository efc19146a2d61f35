"""What a model is likely to write next: from the predicted merge, the file, the edit, and its own answer.

A pointer stands in one of these texts. As long as the model writes what stands there, the next draft is
what follows. Where it writes something else, the pointer is found again by the longest end of what was
written that stands in any of the texts, places near where a pointer would be before others. Pointers are
offsets in bytes and not in tokens, since after an insertion the same text may fall into other tokens: the
text behind a pointer is made into tokens anew up to the next place where tokens begin alike.

How much is drafted is what promises the most tokens a second. A token is taken to be right with the chance
that tokens had so far with as much agreement before them, and with less where the text itself says that
the way may part there (`sources`); a wider step costs what was measured.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastapply.models.sources import Source, Written

LONGEST_MATCH = 64  # bytes of what was written that are looked for
_AHEAD, _BEHIND = 1500, 400  # bytes from a pointer that count as near it
_AHEAD_BONUS, _BEHIND_BONUS = 14, 6  # bytes of match that being near is worth
_OWN_MALUS = 8  # bytes that a match in the answer itself has to be longer
_LEVELS = (3, 6, 12, 24, 48, 96, 400)  # bytes in agreement, for the chances below
_CHANCES = (0.15, 0.36, 0.63, 0.85, 0.955, 0.98, 0.987, 0.996)  # that a token is right, to begin with
_WEIGHTS = (12.0, 12.0, 12.0, 12.0, 20.0, 40.0, 80.0, 200.0)  # tokens that those chances count for
_KIND_CHANCES = (1.0, 0.985, 0.92, 0.78, 0.3)  # the same for each kind of place, beside the above
_KIND_WEIGHTS = (1.0, 40.0, 12.0, 6.0, 2.0)
_HOST_SECONDS = 1.2e-4  # of a step, beside what was measured: drafting, and a graph of another width


class Drafter:
    """Drafts tokens for one answer, and learns from what became of them.

    `written` is the answer itself, nothing of it yet; without other sources nothing is drafted. `piece` gives
    the bytes of a token, `step_seconds` the time of a step of so many tokens at once. The answer is taken to
    begin as the first source does.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        written: Written,
        piece: Callable[[int], bytes],
        step_seconds: Callable[[int], float],
        *,
        widths: Sequence[int],
    ) -> None:
        self._sources = (*sources, written) if sources else ()
        self._own = written
        self._piece = piece
        self._usual = frozenset(width - 1 for width in widths)
        self._widest = max(widths, default=1) - 1
        # of a step with so many drafted tokens, and the least of one with as many or more
        self._seconds = [step_seconds(width) + _HOST_SECONDS for width in range(1, self._widest + 2)]
        self._least = list(accumulate(reversed(self._seconds), min))[::-1]
        self._source, self._at = 0, 0
        self._agreed = LONGEST_MATCH * 8  # bytes written in agreement with the source at the pointer
        self._pointers = [0] * len(self._sources)  # where each source would go on
        self._wrong = [(1 - chance) * weight for chance, weight in zip(_CHANCES, _WEIGHTS, strict=True)]
        self._tried = list(_WEIGHTS)
        pairs = zip(_KIND_CHANCES, _KIND_WEIGHTS, strict=True)
        self._missed = [(1 - chance) * weight for chance, weight in pairs]
        self._passed = list(_KIND_WEIGHTS)
        self._levels: list[int] = []  # of the last draft's tokens, as are
        self._kinds: list[int] = []

    def draft(self) -> list[int]:
        """The tokens that are likely to come next; none where that is not worth a wider step."""
        if not self._sources or self._agreed == 0:
            return []
        tokens, sizes, self._kinds = self._sources[self._source].tokens_from(self._at, self._widest)
        return tokens[: self._best_width(sizes)]

    def record(self, drafted: int, accepted: int, new: Sequence[int]) -> None:
        """Learn what a step came to: how much of the draft was right, and all tokens it gave."""
        if not self._sources:
            return
        if drafted:
            self._learn(accepted, missed=accepted < drafted)
        text = b"".join([self._piece(token) for token in new])
        self._own.append(new)
        source = self._sources[self._source]
        if (
            self._agreed
            and source.text.startswith(text, self._at)
            and not source.ends_at(self._at + len(text))
        ):
            self._at += len(text)
            self._agreed += len(text)
            self._pointers[self._source] = self._at
        else:
            self._find_again(text)

    def _learn(self, accepted: int, *, missed: bool) -> None:
        """Count what a draft came to for the chances of its levels and kinds."""
        for level, kind in zip(self._levels[:accepted], self._kinds, strict=False):
            self._tried[level] += 1
            self._passed[kind] += 1
        if missed:
            level, kind = self._levels[accepted], self._kinds[accepted]
            self._passed[kind] += 1
            if kind:
                self._missed[kind] += 1
            else:
                self._tried[level] += 1
                self._wrong[level] += 1

    def _best_width(self, sizes: Sequence[int]) -> int:
        """How many tokens, of so many bytes each, to draft for the most tokens a second."""
        chances = [1 - wrong / tried for wrong, tried in zip(self._wrong, self._tried, strict=True)]
        doubts = [1 - missed / passed for missed, passed in zip(self._missed, self._passed, strict=True)]
        level = bisect_right(_LEVELS, self._agreed)
        agreed, expected, chance = self._agreed, 1.0, 1.0
        seconds, least = self._seconds, self._least
        best, best_rate = 0, 1 / seconds[0]
        kinds, usual, whole = self._kinds, self._usual, len(sizes)
        self._levels = levels = []
        for count, size in enumerate(sizes, 1):
            levels.append(level)
            chance *= chances[level] * doubts[kinds[count - 1]]
            expected += chance
            agreed += size
            if level < len(_LEVELS) and agreed >= _LEVELS[level]:
                level = bisect_right(_LEVELS, agreed)
            # a step of a width that was used before takes less time; one that ends in front of doubt pays
            if count in usual or count == whole or kinds[count]:
                rate = expected / seconds[count]
                if rate > best_rate:
                    best, best_rate = count, rate
                # times are not convex in the width: only what no width can make up for ends the search
                elif expected + chance * (whole - count) <= best_rate * least[count]:
                    break
        return best

    def _find_again(self, text: bytes) -> None:
        """Set the pointer where the end of what was written stands."""
        if self._agreed:  # what the model wrote up to here it may have from its source
            ahead = self._sources[self._source].text[self._at : self._at + len(text)]
            pairs = zip(ahead, text, strict=False)
            shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            self._pointers[self._source] = self._at + shared
        tail = bytes(self._own.text[-LONGEST_MATCH:])
        best = (0, -1, -1, 0)
        for number, source in enumerate(self._sources):
            if source is self._own:
                length, at = source.find_end(tail, 0, None)
                if length - _OWN_MALUS > best[0]:
                    best = (length, number, at, length)
                break
            pointer = self._pointers[number]
            for low, high, bonus in (
                (pointer, pointer + _AHEAD, _AHEAD_BONUS),
                (max(0, pointer - _BEHIND), pointer, _BEHIND_BONUS),
                (0, None, 0),
            ):
                length, at = source.find_end(tail, low, high)
                score = length + bonus if length else 0
                if score > best[0] and not source.ends_at(at):
                    best = (score, number, at, length)
        _, self._source, self._at, self._agreed = best
        if self._agreed:
            self._pointers[self._source] = self._at
