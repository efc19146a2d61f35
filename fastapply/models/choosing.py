"""Choosing among the candidates of an open edit, with what the model wrote beside them.

What a model writes and which candidate it finds likeliest speak for each other: where they are the same merge
that is nearly always right, and where they are not, the less so the likelier the model finds what it wrote.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from fastapply.models.prompts import expected_answer
from fastapply.models.region import predict
from fastapply.values import dataclass

if TYPE_CHECKING:
    from fastapply.models.engine import ChoosingModel, Completion, Task
    from fastapply.models.focus import Focus
    from fastapply.types import Candidate

MOST_BEHIND = 8.0
"""From this difference of logarithms on all choices are alike; that of an answer that came to no end."""
OWN_WEIGHT = 0.5
"""Of the model's logarithm of likelihood beside the engine's, which has seen more of the file."""
_LEAST_SHARE = 1e-4


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the candidates that are open; `number` is that of the whole edit's, 0-based."""

    number: int
    candidate: Candidate
    behind: float  # 0 to `MOST_BEHIND`: how much likelier what was written is, in natural logarithms


def choose(focus: Focus, task: Task, written: Completion, model: ChoosingModel) -> Choice | None:
    """The likeliest candidate by the engine and the model together; None where there is none.

    One that changes lines which the model does not see is none: nothing that it writes could speak for it.
    Nothing is scored where the model wrote the engine's first candidate. Raises `Refused` (``too_long``),
    `ModelTrouble`.
    """
    open_ = focus.proposal.questions[0].candidates if len(focus.proposal.questions) == 1 else ()
    shown = (
        [
            (number, one)
            for number, one in zip(focus.listed, open_, strict=True)
            if focus.region.holds(one.splices)
        ]
        if open_
        else []
    )
    if not shown:
        return None
    numbers, candidates = zip(*shown, strict=True)
    texts = [
        expected_answer(
            model.style,
            "".join(f"{line}\n" for line in predict(focus.source.lines, focus.region, one.splices)),
        )
        for one in candidates
    ]
    ended = written.finish in {"end_tag", "eos"}
    if ended and _same(written.text, texts[0]):
        return Choice(numbers[0], candidates[0], 0.0)
    ahead = [
        log(max(_LEAST_SHARE, 1 / len(candidates) if one.share is None else one.share)) for one in candidates
    ]
    leads = dict[str, float | None]()
    for text, share in zip(texts, ahead, strict=True):
        known = leads.get(text)
        leads[text] = share / OWN_WEIGHT if known is None else max(known, share / OWN_WEIGHT)
    if ended:
        leads[written.text] = None
    scores = model.score(task.prompt, list(leads), list(leads.values())) if len(leads) > 1 else ()
    likely = dict(zip(leads, (one.log_likelihood for one in scores), strict=False))
    odds = [share + OWN_WEIGHT * likely.get(text, 0.0) for share, text in zip(ahead, texts, strict=True)]
    best = max(range(len(odds)), key=odds.__getitem__)
    behind = MOST_BEHIND
    if ended:
        behind = likely.get(written.text, 0.0) - likely.get(texts[best], 0.0)
        behind = 0.0 if _same(written.text, texts[best]) else max(0.0, min(MOST_BEHIND, behind))
    return Choice(numbers[best], candidates[best], behind)


def _same(one: str, other: str) -> bool:
    """Whether two answers are the same but for blank lines and white space at the ends of lines."""
    left, right = ([line.rstrip() for line in text.splitlines() if line.strip()] for text in (one, other))
    return left == right
