"""The decoding loop: drafts are evaluated many tokens at once, and the model's own choice counts.

Greedy: at each place the token with the highest logit. What comes out is what the same model writes one
token at a time, but for the last bits of sums that batches of different widths add up in another order.

A model may choose instead of writing: `score_answers` says how likely it finds each of some answers, where
they differ.
What all answers begin with is evaluated once, and so is what one begins with like the one before it: the
cache is cut back to where they part, and goes on from there. What all of them end with is left out but for a
few tokens: behind the same text the same tokens are about as likely, and the first ones tell whether the
model would have written something else there. So is all behind the first `_MOST` tokens of an answer: what is
copied from there on is as good as sure. The one that is furthest ahead comes first, and those that cannot win
any more are left out.
"""

from __future__ import annotations

import time
from math import inf
from typing import TYPE_CHECKING, Protocol

import numpy as np

from fastapply.models.engine import Score
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from fastapply.models.draft import Drafter
    from fastapply.types import Finish


_ROWS_AT_ONCE = 16  # of logits that are made into probabilities, so that this takes little memory
_AFTER = 8  # tokens behind the difference that count as well
_MOST = 64  # tokens of an answer that count


class Evaluator(Protocol):
    """What the loop needs of a context; see `library.Context`."""

    widest: int

    def evaluate(self, tokens: Sequence[int], start: int, outputs: int) -> npt.NDArray[np.float32]: ...  # noqa: D102

    def forget(self, start: int) -> bool: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Decoded:
    """What the loop wrote: tokens without the one that ended them, their bytes, and the effort."""

    tokens: tuple[int, ...]
    text: bytes
    finish: Finish
    steps: int
    drafted: int
    accepted: int
    seconds: float
    times: tuple[tuple[int, float], ...] = ()  # width and seconds of each step


@dataclass(frozen=True, slots=True)
class Limits:
    """Where an answer ends: behind these bytes ("" for none).

    So many bytes no right answer has; so many tokens is what there is room for.
    """

    end: bytes
    most_bytes: int
    most_tokens: int


def decode(
    evaluator: Evaluator,
    first: int,
    start: int,
    drafter: Drafter,
    *,
    piece: Callable[[int], bytes],
    ends: Callable[[int], bool],
    refuses: Callable[[int], bool],
    limits: Limits,
    choose: Callable[[npt.NDArray[np.float32], int], list[int]] | None = None,
    watch: Callable[[int, int], None] | None = None,
) -> Decoded:
    """Write an answer whose first token is `first`, from position `start` on.

    `choose` gives the token of each row of logits, for places that begin at the number of tokens written;
    without it the highest logit does. Of the tokens that end the answer, those that `refuses` knows say that
    it is none, whatever stands before them. `watch` is told the bytes and the tokens written so far.
    """
    began = time.perf_counter()
    tokens, text = list[int](), bytearray()
    new, drafted, accepted = [first], 0, 0
    times = list[tuple[int, float]]()
    searched = 0
    while True:
        ended: int | None = None
        for token in new:
            if ends(token):
                ended = token
                break
            tokens.append(token)
            text += piece(token)
        if limits.end:
            found = text.find(limits.end, max(0, searched - len(limits.end)))
            searched = len(text)
            if found >= 0:
                del text[found + len(limits.end) :]
                return _done(tokens, text, "end_tag", (times, drafted, accepted), began)
        if ended is not None:
            finish: Finish = "cannot" if refuses(ended) else "eos"
            return _done(tokens, text, finish, (times, drafted, accepted), began)
        if len(text) >= limits.most_bytes:
            return _done(tokens, text, "endless", (times, drafted, accepted), began)
        if len(tokens) >= limits.most_tokens:
            return _done(tokens, text, "length", (times, drafted, accepted), began)
        if watch is not None:
            watch(len(text), len(tokens))
        room = min(evaluator.widest, limits.most_tokens - len(tokens) + 1)
        draft = drafter.draft()[: room - 1]
        place = start + len(tokens) - 1
        started = time.perf_counter()
        logits = evaluator.evaluate([tokens[-1], *draft], place, len(draft) + 1)
        chosen = logits.argmax(axis=1).tolist() if choose is None else choose(logits, len(tokens))
        times.append((len(draft) + 1, time.perf_counter() - started))
        right = 0
        while right < len(draft) and chosen[right] == draft[right]:
            right += 1
        if right < len(draft):
            evaluator.forget(place + right + 1)
        new = chosen[: right + 1]
        drafted, accepted = drafted + len(draft), accepted + right
        drafter.record(len(draft), right, new)


def _done(
    tokens: Sequence[int],
    text: bytearray,
    finish: Finish,
    effort: tuple[list[tuple[int, float]], int, int],
    began: float,
) -> Decoded:
    times, drafted, accepted = effort
    seconds = time.perf_counter() - began
    return Decoded(tuple(tokens), bytes(text), finish, len(times), drafted, accepted, seconds, tuple(times))


def log_likelihoods(logits: npt.NDArray[np.float32], tokens: Sequence[int]) -> npt.NDArray[np.float64]:
    """For one token of each row the logarithm of its probability, and how far that is below the highest."""
    found = np.empty((2, len(tokens)))
    for start in range(0, len(tokens), _ROWS_AT_ONCE):
        wanted = np.asarray(tokens[start : start + _ROWS_AT_ONCE])
        rows = logits[start : start + len(wanted)]
        highest = rows.max(axis=1, keepdims=True)
        all_together = np.exp(rows - highest).sum(axis=1, dtype=np.float64)
        chosen = rows[np.arange(len(wanted)), wanted] - highest[:, 0]
        found[:, start : start + len(wanted)] = chosen - np.log(all_together), -chosen
    return found


def spans(answers: Sequence[Sequence[int]]) -> tuple[int, tuple[int, ...]]:
    """Where answers part, and for each of them where what counts of it ends.

    Of ``a b c z z`` and ``a d z z`` these are 1 and (5, 4): what follows is short enough to count. Answers
    that are all the same have nothing that counts.
    """
    shortest = min(map(len, answers))
    start = 0
    while start < shortest and len({answer[start] for answer in answers}) == 1:
        start += 1
    alike = 0
    while alike < shortest - start and len({answer[-1 - alike] for answer in answers}) == 1:
        alike += 1
    ends = (min(len(answer), len(answer) - alike + _AFTER, start + _MOST) for answer in answers)
    return start, tuple(ends)


def score_answers(
    evaluator: Evaluator,
    before: int,
    place: int,
    answers: Sequence[Sequence[int]],
    leads: Sequence[float],
) -> tuple[tuple[Score, ...], Sequence[int]]:
    """Score the tokens of answers that part at their first one; for `leads` see `ChoosingModel.score`.

    The cache holds what comes before the token `before`, whose position is `place` and which all answers
    follow. Afterwards it holds the answer that is given back beside the scores, all but its last token.
    """
    sums = [Score(-inf, 0)] * len(answers)
    best = -inf
    last: Sequence[int] = ()
    likely: npt.NDArray[np.float64] = np.empty((2, 0))
    for number in sorted(range(len(answers)), key=lambda number: (-leads[number], tuple(answers[number]))):
        answer, lead = answers[number], leads[number]
        if lead < best:
            break
        shared = 0
        while shared < min(len(last), len(answer)) and last[shared] == answer[shared]:
            shared += 1
        if shared < len(answer):
            if last:
                evaluator.forget(place + shared)
            parts = [likely[:, :shared]]
            for start in range(shared, len(answer), evaluator.widest):
                wanted = answer[start : start + evaluator.widest]
                given = [answer[start - 1] if start else before, *wanted[:-1]]
                logits = evaluator.evaluate(given, place + start, len(given))
                parts.append(log_likelihoods(logits, wanted))
            likely, last = np.concatenate(parts, axis=1), answer
        total, behind = likely[:, : len(answer)].sum(axis=1)
        sums[number] = Score(float(total), len(answer), float(behind))
        best = max(best, lead + sums[number].log_likelihood)
    return tuple(sums), last
