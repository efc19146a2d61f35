"""The texts that drafts are taken from, with their tokens, and where in them a model may leave the way.

The predicted answer and the original code are texts that an answer may follow to its end; the edit is one
whose markers nobody writes: drafts stop in front of them. Most tokens are all but certain. Less so are those
at forks, and the ends of lines that stand beside each other in the prediction alone: there
the closed form had to guess.

A model that copies finds its place by what it wrote last. Where the same words stand twice and go on
differently, it has to know which place it is at, and that is where it leaves the way: measured on a small
trained one, 0.3 % of its tokens were not those drafted; behind 4 to 7 tokens that stand elsewhere with
another one behind them it were 2 %, behind 8 to 15 12 %, and behind 16 and more 33 %.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np

from fastapply.edits.markers import is_marker
from fastapply.models.prompts import expected_answer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from fastapply.models.engine import Drafts
    from fastapply.models.prompts import StyleName

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
