"""What a model is likely to write next: from the predicted merge, the file, and the edit.

A pointer stands in one of these texts. As long as the model writes what stands there, the next draft is
what follows. Where it writes something else, the pointer is found again by the longest end of what was
written that stands in any of the texts, places near where a pointer would be before others. Pointers are
offsets in bytes and not in tokens, since after an insertion the same text may fall into other tokens: the
text behind a pointer is made into tokens anew up to the next place where tokens begin alike.

How much is drafted is what promises the most tokens a second: each drafted token is taken to be right
with the chance that tokens had so far in the same situation, and a wider step costs what was measured.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LONGEST_MATCH = 64  # bytes of what was written that are looked for
_AHEAD, _BEHIND = 1500, 400  # bytes from a pointer that count as near it
_AHEAD_BONUS, _BEHIND_BONUS = 14, 6  # bytes of match that being near is worth
_LEVELS = (3, 6, 12, 24, 48, 96, 400)  # bytes in agreement, for the chances below
_CHANCES = (0.15, 0.5, 0.62, 0.87, 0.94, 0.965, 0.98, 0.996)  # that a drafted token is right, to begin with
_WEIGHTS = (12.0, 12.0, 12.0, 12.0, 20.0, 40.0, 80.0, 200.0)  # drafted tokens that those chances count for


class Drafter:
    """Drafts tokens for one answer, and learns from what became of them.

    `tokenise` gives the tokens of bytes, `piece` the bytes of a token, `step_seconds` the time of a step
    of so many tokens at once.
    """

    def __init__(
        self,
        texts: Sequence[bytes],
        tokenise: Callable[[bytes], list[int]],
        piece: Callable[[int], bytes],
        step_seconds: Callable[[int], float],
        *,
        widths: Sequence[int],
    ) -> None:
        self._sources = [_Source(text, tokenise, piece) for text in texts]
        self._piece, self._step_seconds = piece, step_seconds
        self._widths = [width - 1 for width in sorted(widths) if width > 1]
        self._written = bytearray()
        self._source, self._at = 0, 0
        self._agreed = LONGEST_MATCH * 8  # bytes written in agreement with the source at the pointer
        self._pointers = [0] * len(texts)  # where each source would go on
        self._right = [chance * weight for chance, weight in zip(_CHANCES, _WEIGHTS, strict=True)]
        self._tried = list(_WEIGHTS)
        self._level = len(_CHANCES) - 1

    def draft(self) -> list[int]:
        """The tokens that are likely to come next; none where that is not worth a wider step."""
        if not self._sources or self._agreed == 0:
            return []
        self._level = bisect_right(_LEVELS, self._agreed)
        width = self._best_width(self._right[self._level] / self._tried[self._level])
        return self._sources[self._source].tokens_from(self._at, width) if width else []

    def record(self, drafted: int, accepted: int, new: Sequence[int]) -> None:
        """Learn what a step came to: how much of the draft was right, and all tokens it gave."""
        if drafted:
            self._right[self._level] += accepted
            self._tried[self._level] += accepted + (accepted < drafted)
        if not self._sources:
            return
        text = b"".join([self._piece(token) for token in new])
        self._written += text
        source = self._sources[self._source]
        if self._agreed and source.text.startswith(text, self._at):
            self._at += len(text)
            self._agreed += len(text)
            self._pointers[self._source] = self._at
        else:
            self._find_again(text)

    def _best_width(self, chance: float) -> int:
        """The width with the most tokens a second; 0 for none drafted."""
        best, best_rate = 0, 1 / self._step_seconds(1)
        for width in self._widths:
            expected = (1 - chance ** (width + 1)) / (1 - chance) if chance < 1 else width + 1
            rate = expected / self._step_seconds(width + 1)
            if rate > best_rate:
                best, best_rate = width, rate
        return best

    def _find_again(self, text: bytes) -> None:
        """Set the pointer where the end of what was written stands."""
        if self._agreed:  # what the model wrote up to here it may have from its source
            shared = _shared(self._sources[self._source].text[self._at : self._at + len(text)], text)
            self._pointers[self._source] = self._at + shared
        tail = bytes(self._written[-LONGEST_MATCH:])
        best = (0, -1, -1, 0)
        for number, source in enumerate(self._sources):
            pointer = self._pointers[number]
            for low, high, bonus in (
                (pointer, pointer + _AHEAD, _AHEAD_BONUS),
                (max(0, pointer - _BEHIND), pointer, _BEHIND_BONUS),
                (0, None, 0),
            ):
                length, at = source.find_end(tail, low, high)
                score = length + bonus if length else 0
                if score > best[0]:
                    best = (score, number, at, length)
        _, self._source, self._at, self._agreed = best
        if self._agreed:
            self._pointers[self._source] = self._at


class _Source:
    """A text to draft from, with its tokens."""

    def __init__(
        self, text: bytes, tokenise: Callable[[bytes], list[int]], piece: Callable[[int], bytes]
    ) -> None:
        self.text = text
        self._tokenise, self._piece = tokenise, piece
        self._tokens: list[int] | None = None
        self._starts: list[int] = []

    def tokens_from(self, at: int, count: int) -> list[int]:
        """At most `count` tokens of the text behind an offset."""
        if self._tokens is None:
            self._tokens = self._tokenise(self.text)
            place = 0
            for token in self._tokens:
                self._starts.append(place)
                place += len(self._piece(token))
        index = bisect_right(self._starts, at - 1)
        if index == len(self._starts):
            return self._tokenise(self.text[at:])[:count]
        if self._starts[index] == at:
            return self._tokens[index : index + count]
        head = self._tokenise(self.text[at : self._starts[index]])
        return [*head, *self._tokens[index : index + count]][:count]

    def find_end(self, tail: bytes, low: int, high: int | None) -> tuple[int, int]:
        """How many last bytes of `tail` stand in the text between two offsets, and where they end.

        Of several places the first one; ``(0, -1)`` where not even one byte is found.
        """
        text, best, at = self.text, 0, -1
        shortest, longest = 1, len(tail)
        while shortest <= longest:
            length = (shortest + longest) // 2
            found = text.find(tail[-length:], max(0, low - length), high)
            if found < 0:
                longest = length - 1
            else:
                best, at, shortest = length, found + length, length + 1
        return best, at


def _shared(one: bytes, other: bytes) -> int:
    """Bytes that two texts begin with alike."""
    for count, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return count
    return min(len(one), len(other))
