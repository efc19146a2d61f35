"""Choosing instead of writing: how likely a model finds each of some answers, where they differ.

What all answers begin with is evaluated once, and so is what two neighbours begin with when the answers are
sorted by their tokens: the cache is cut back to where they part, and goes on from there. What all of them
end with is left out but for a few tokens: behind the same text the same tokens are about as likely, and
the first ones tell whether the model would have written something else there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fastapply.llm.engine import Score
from fastapply.llm.llama.decode import log_likelihoods

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from fastapply.llm.llama.decode import Evaluator

_AFTER = 8  # tokens behind the difference that count as well


def spans(answers: Sequence[Sequence[int]]) -> tuple[int, tuple[int, ...]]:
    """Where answers part, and for each of them where what counts of it ends.

    Of ``a b c z z`` and ``a d z z`` these are 1 and (5, 4): what follows is short enough to count.
    """
    shortest = min(map(len, answers))
    start = 0
    while start < shortest and len({answer[start] for answer in answers}) == 1:
        start += 1
    alike = 0
    while alike < shortest - start and len({answer[-1 - alike] for answer in answers}) == 1:
        alike += 1
    return start, tuple(min(len(answer), len(answer) - alike + _AFTER) for answer in answers)


def score_answers(
    evaluator: Evaluator, before: int, place: int, answers: Sequence[Sequence[int]]
) -> tuple[Score, ...]:
    """Score the tokens of answers that part at their first one.

    The cache holds what comes before the token `before`, whose position is `place` and which all answers
    follow. Afterwards it holds the answer that is the last one by its tokens, all but its last token.
    """
    sums = dict[int, Score]()
    last: Sequence[int] = ()
    likely: npt.NDArray[np.float64] = np.empty(0)
    for number in sorted(range(len(answers)), key=lambda one: tuple(answers[one])):
        answer = answers[number]
        shared = 0
        while shared < min(len(last), len(answer)) and last[shared] == answer[shared]:
            shared += 1
        parts = [likely[:shared]]
        if last and shared < len(answer):
            evaluator.forget(place + shared)
        for start in range(shared, len(answer), evaluator.widest):
            wanted = answer[start : start + evaluator.widest]
            given = [answer[start - 1] if start else before, *wanted[:-1]]
            logits = evaluator.evaluate(given, place + start, len(given))
            parts.append(log_likelihoods(logits, wanted))
        likely, last = np.concatenate(parts), answer
        sums[number] = Score(float(likely.sum()), len(answer))
    return tuple(sums[number] for number in range(len(answers)))
