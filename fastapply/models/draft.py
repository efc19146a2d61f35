"""What a model is likely to write next: from the predicted merge, the file, the edit, and its own answer.

A pointer stands in one of these texts. As long as the model writes what stands there, the next draft is
what follows. Where it writes something else, the pointer is found again by the longest end of what was
written that stands in any of the texts, places near where a pointer would be before others. Pointers are
offsets in bytes and not in tokens, since after an insertion the same text may fall into other tokens: the
text behind a pointer is made into tokens anew up to the next place where tokens begin alike.

How much is drafted is what promises the most tokens a second. A token is taken to be right with the chance
that tokens had so far with as much agreement before them, and with less where the text itself says that
the way may part there; a wider step costs what was measured.

Of the texts that drafts are taken from, the predicted answer and the original code are texts that an answer
may follow to its end; the edit is one whose markers nobody writes: drafts stop in front of them. Most tokens
are all but certain. Less so are those at forks, and the ends of lines that stand beside each other in the
prediction alone: there the closed form had to guess.

A model that copies finds its place by what it wrote last. Where the same words stand twice and go on
differently, it has to know which place it is at, and that is where it leaves the way: measured on a small
trained one, 0.3 % of its tokens were not those drafted; behind 4 to 7 tokens that stand elsewhere with
another one behind them it were 2 %, behind 8 to 15 12 %, and behind 16 and more 33 %.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, pairwise, takewhile
from typing import TYPE_CHECKING

import numpy as np

from fastapply.edits.markers import is_marker
from fastapply.models.prompts import expected_answer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from fastapply.models.engine import Drafts
    from fastapply.models.prompts import StyleName

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
LENGTHS = (4, 8, 16)
"""Tokens before a place that are compared; each length is twice the one before."""
_FACTORS = {
    2: 0x1E37_79B9_7F4A_7C15,
    4: 0x3F58_476D_1CE4_E5B9,
    8: 0x14D0_49BB_1331_11EB,
    16: 0x2545_F491_4F6C_DD1D,
}
"""By which codes of halves are put together to codes of wholes: so odd that different ones stay different."""
GUESSED = len(LENGTHS) + 1
"""The kind of a place where two lines were put together by a guess; lower ones are those of `find_forks`."""
_NEVER_WRITTEN = ("<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE", "...")
_STOP = b"\0"


class Source:
    """A text to draft from, with its tokens; `end` is the token behind its last one, if it is a whole answer.

    `kinds` says of each token how doubtful it is, from 0 to `GUESSED`.
    """

    def __init__(
        self,
        text: bytes,
        tokenise: Callable[[bytes], list[int]],
        piece: Callable[[int], bytes],
        *,
        end: int | None = None,
    ) -> None:
        self.text: bytes | bytearray = text
        self._tokenise, self._end = tokenise, end
        self.tokens = tokenise(text)
        if end is not None:
            self.tokens.append(end)
        self._piece = piece
        self._sizes = [len(piece(token)) for token in self.tokens]
        self._starts = [0, *accumulate(self._sizes)][: len(self.tokens)]
        self.kinds = [0] * len(self.tokens)

    def ends_at(self, at: int) -> bool:
        """Whether there is nothing to draft behind an offset."""
        return (at == len(self.text) and self._end is None) or self.text[at : at + 1] == _STOP

    def tokens_from(self, at: int, count: int) -> tuple[list[int], list[int], list[int]]:
        """At most `count` tokens of the text behind an offset, with the bytes and the kind of each."""
        index = bisect_right(self._starts, at - 1)
        head: list[int] = []
        if index == len(self._starts) or self._starts[index] != at:
            until = self._starts[index] if index < len(self._starts) else len(self.text)
            head = self._tokenise(bytes(self.text[at:until]))[:count]
        last = index + count - len(head)
        stop = self.text.find(_STOP, at)
        if stop >= 0:
            last = min(last, bisect_right(self._starts, stop - 1))
        tokens, sizes, kinds = self.tokens[index:last], self._sizes[index:last], self.kinds[index:last]
        if not head:
            return tokens, sizes, kinds
        return [*head, *tokens], [*map(len, map(self._piece, head)), *sizes], [*[0] * len(head), *kinds]

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

    def doubt(self, place: int) -> None:
        """Note that what stands behind the line feed at an offset was put there by a guess."""
        index = bisect_right(self._starts, place) - 1
        while index < len(self.tokens):
            if self._starts[index] > place + 1 and self.text[place : self._starts[index]].strip():
                break
            self.kinds[index] = GUESSED
            index += 1


class Written(Source):
    """The answer itself, as far as it goes: models repeat themselves, and weak ones do so without end."""

    def __init__(self, tokenise: Callable[[bytes], list[int]], piece: Callable[[int], bytes]) -> None:
        super().__init__(b"", tokenise, piece)
        self.text = bytearray()

    def append(self, tokens: Sequence[int]) -> None:
        """Note what the model has written."""
        for token in tokens:
            piece = self._piece(token)
            self._starts.append(len(self.text))
            self.text += piece
            self._sizes.append(len(piece))
        self.tokens += tokens
        self.kinds += [0] * len(tokens)

    def tokens_from(self, at: int, count: int) -> tuple[list[int], list[int], list[int]]:
        """See `Source`; behind the end of what was written it begins again, as in a loop."""
        tokens, sizes, kinds = super().tokens_from(at, count)
        rounds = count // len(tokens) + 1
        return (tokens * rounds)[:count], (sizes * rounds)[:count], (kinds * rounds)[:count]

    def find_end(self, tail: bytes, low: int, high: int | None) -> tuple[int, int]:
        """See `Source`; the last place counts, and never the end itself."""
        best, at = super().find_end(tail, low, high if high is not None else len(self.text) - 1)
        if best:
            at = self.text.rfind(tail[-best:], low, len(self.text) - 1) + best
        return best, at


def draft_sources(
    drafts: Drafts,
    style: StyleName,
    tokenise: Callable[[bytes], list[int]],
    piece: Callable[[int], bytes],
    end: int,
) -> tuple[Source, ...]:
    """The sources of one answer in a style; `end` is the token that such an answer ends with."""
    predicted, original = drafts.predicted, expected_answer(style, drafts.original)
    edit = [
        "\0" if line in _NEVER_WRITTEN or is_marker(line) else line
        for line in drafts.edit.removesuffix("\n").split("\n")
    ]
    sources = (
        Source(predicted.encode(), tokenise, piece, end=end),
        Source(original.encode(), tokenise, piece, end=end),
        Source("\n".join(edit).encode(), tokenise, piece),
    )
    for source, kinds in zip(sources, find_forks([source.tokens for source in sources]), strict=True):
        source.kinds = kinds
    for place in find_guesses(predicted.split("\n"), original.split("\n"), edit):
        sources[0].doubt(place)
    return sources


def find_guesses(lines: Sequence[str], *others: Sequence[str]) -> list[int]:
    """The offsets, in bytes, of line feeds between lines that stand beside each other in no other text."""
    known = {pair for other in others for pair in pairwise(other)}
    found, at = [], 0
    for pair in pairwise(lines):
        at += len(pair[0].encode())
        if pair not in known:
            found.append(at)
        at += 1
    return found


def find_forks(texts: Sequence[Sequence[int]]) -> list[list[int]]:
    """For each token of some texts how many of `LENGTHS` stand before it and elsewhere before another one.

    Of ``a b c d x`` and ``a b c d y`` that is 0 0 0 0 1 for each of them. The end of a text is another one.
    """
    if not texts:
        return []
    parts: list[Sequence[int]] = []
    for number, text in enumerate(texts):
        parts += [text, [-1 - number]]  # between two texts stands what stands nowhere else
    tokens = np.concatenate([np.asarray(part, np.int64) for part in parts])
    kinds: npt.NDArray[np.int8] = np.zeros(len(tokens), np.int8)
    with np.errstate(over="ignore"):
        codes = tokens
        for length, factor in _FACTORS.items():
            half = length // 2
            if len(codes) <= half + 1:
                break
            codes = codes[: len(codes) - half] * factor + codes[half:]
            if length in LENGTHS:
                kinds[_forks(codes[:-1], tokens[length:]) + length] += 1
    found, at = [], 0
    for text in texts:
        found.append(kinds[at : at + len(text)].tolist())
        at += len(text) + 1
    return found


def _forks(before: npt.NDArray[np.int64], behind: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    """The places whose code stands at another place as well, and with something else behind it."""
    order = np.argsort(before)
    codes, follows = before[order], behind[order]
    alike = codes[1:] == codes[:-1]
    group = np.concatenate(([0], np.cumsum(~alike)))
    parted: npt.NDArray[np.bool_] = np.zeros(len(codes), bool)
    parted[group[1:][alike & (follows[1:] != follows[:-1])]] = True
    return order[parted[group]]


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
