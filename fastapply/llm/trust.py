"""How far a merge that a model wrote may be believed: facts about it, and one score of them.

========  ==============================================================================================
fact      meaning
========  ==============================================================================================
alike     it is one of the candidates that the deterministic engine ranked, blank lines aside
share     the engine's share of that candidate, 0 to 1; 0 where it is none
chosen    the model's own share of it among the candidates, 0 to 1 (see `choosing`); 0 where it is none
total     natural logarithm of the probability of the whole answer, at least `LEAST_TOTAL`
least     the same of the token that the model was least sure of, at least `LEAST_TOKEN`
found     the verifier finds something that a right merge may have as well
========  ==============================================================================================

The weights of a model are fitted on edits of repositories that it was not trained on (`fastapply train
trust`) and stand in its entry of the registry. What always is an error (`verify.CONSTRAINTS`) does not count
here: the verifier refuses it.
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

from fastapply.text import splice
from fastapply.types import FileEdit
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapply.llm.engine import Likelihood
    from fastapply.text import SourceText
    from fastapply.types import Candidate, Part, Splice

FACTS = ("alike", "share", "chosen", "total", "least", "found")
LEAST_TOTAL, LEAST_TOKEN = -20.0, -6.0


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
    splices: tuple[Splice, ...],
    *,
    candidates: Sequence[Candidate],
    chosen: Sequence[float],
    likelihood: Likelihood | None,
    language: str | None,
) -> dict[str, float]:
    """The facts of a merge that a model wrote; `chosen` is what it gives each of the candidates, or ()."""
    from fastapply.merge.candidates import told
    from fastapply.verify import CONSTRAINTS, verify

    merged = splice(source, splices)
    texts = [told(splice(source, one.splices).lines) for one in candidates]
    at = texts.index(told(merged.lines)) if told(merged.lines) in texts else None
    findings = verify(source, FileEdit(None, "update", (part,)), merged, language=language)
    share = candidates[at].share if at is not None else 0.0
    total, least = (likelihood.total, likelihood.least) if likelihood else (LEAST_TOTAL, LEAST_TOKEN)
    return {
        "alike": float(at is not None),
        "share": 1 / len(candidates) if share is None else share,
        "chosen": chosen[at] if at is not None and chosen else 0.0,
        "total": max(LEAST_TOTAL, total),
        "least": max(LEAST_TOKEN, least),
        "found": float(any(one.code not in CONSTRAINTS for one in findings)),
    }
