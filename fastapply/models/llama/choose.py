"""Choosing instead of writing: how likely a model finds each of some answers, where they differ.

What all answers begin with is evaluated once, and so is what one begins with like the one before it: the
cache is cut back to where they part, and goes on from there. What all of them end with is left out but for a
few tokens: behind the same text the same tokens are about as likely, and the first ones tell whether the
model would have written something else there. So is all behind the first `_MOST` tokens of an answer: what is
copied from there on is as good as sure. The one that is furthest ahead comes first, and those that cannot win
any more are left out.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import numpy as np

from fastapply.models.engine import Score
from fastapply.models.llama.decode import log_likelihoods

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from fastapply.models.llama.decode import Evaluator

_AFTER = 8  # tokens behind the difference that count as well
_MOST = 64  # tokens of an answer that count


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
