"""How far the candidate that a model speaks for may be believed: facts about it, and one score of them.

========  ==============================================================================================
fact      meaning
========  ==============================================================================================
sure      log-odds of the engine's certainty of its first candidate, at most `MOST_SURE` from 0: it says as
          well how likely it is that the right merge is listed at all
behind    root of how much likelier the model finds what it wrote, 0 where that is this merge (see `choosing`)
assumed   changes that all candidates have and the edit does not show in their place, at most `MOST_ASSUMED`
share     the engine's share of that candidate, 0 to 1
total     natural logarithm of the probability of the whole answer, at least `LEAST_TOTAL`
least     the same of the token that the model was least sure of, at least `LEAST_TOKEN`
found     the verifier finds something that a right merge may have as well
========  ==============================================================================================

The weights of a model are fitted on edits of repositories that it was not trained on (`fastapply train
trust`) and stand in its entry of the registry. What always is an error (`verify.CONSTRAINTS`) does not count
here: the verifier refuses it.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import TYPE_CHECKING

from fastapply.text import splice
from fastapply.types import FileEdit
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastapply.llm.choosing import Choice
    from fastapply.llm.rewrite import Answer
    from fastapply.text import SourceText
    from fastapply.types import Part, Proposal

FACTS = ("sure", "behind", "assumed", "share", "total", "least", "found")
LEAST_TOTAL, LEAST_TOKEN = -20.0, -6.0
MOST_ASSUMED, MOST_SURE = 3, 4.6


@dataclass(frozen=True, slots=True)
class Trust:
    """Weights by the name of a fact, and the certainty from which on a merge is taken."""

    weights: dict[str, float]
    bias: float
    threshold: float

    def certainty(self, facts: Mapping[str, float]) -> float:
        """The chance, 0 to 1, that a merge with these facts is right."""
        odds = self.bias + sum(self.weights.get(name, 0.0) * value for name, value in facts.items())
        return 1 / (1 + exp(-max(-30.0, min(30.0, odds))))


def facts_of(
    source: SourceText,
    part: Part,
    proposal: Proposal,
    choice: Choice,
    answer: Answer,
    *,
    language: str | None,
) -> dict[str, float]:
    """The facts of the candidate that an answer of a model speaks for."""
    from fastapply.verify import CONSTRAINTS, verify

    candidates = proposal.questions[0].candidates
    chosen = candidates[choice.number]
    merged = splice(source, chosen.splices)
    findings = verify(source, FileEdit(None, "update", (part,)), merged, language=language)
    likelihood = answer.completion.likelihood
    total, least = (likelihood.total, likelihood.least) if likelihood else (LEAST_TOTAL, LEAST_TOKEN)
    return {
        "share": 1 / len(candidates) if chosen.share is None else chosen.share,
        "sure": _log_odds(proposal.certainty or 0.0),
        "behind": sqrt(choice.behind),
        "assumed": float(min(MOST_ASSUMED, answer.focus.assumed)),
        "total": max(LEAST_TOTAL, total),
        "least": max(LEAST_TOKEN, least),
        "found": float(any(one.code not in CONSTRAINTS for one in findings)),
    }


def _log_odds(chance: float) -> float:
    held = min(1 - 1e-9, max(1e-9, chance))
    return max(-MOST_SURE, min(MOST_SURE, log(held / (1 - held))))
