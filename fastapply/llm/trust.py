"""How far a model may be believed: facts about what it chose, or about what it wrote, and a score of each.

Of a choice (see `choosing`):

=========  =============================================================================================
fact       meaning
=========  =============================================================================================
lead       log odds of the likeliest candidate among all, to engine and model together
total      natural logarithm of the model's probability of what it has of its own, at least `LEAST_TOTAL`
share      the engine's own share of it, 0 to 1
ranked     the engine ranked the candidates, and does not only know several places
certainty  the engine's certainty that its own first one is right, 0 to 1
=========  =============================================================================================

Of what it wrote:

========  ==============================================================================================
fact      meaning
========  ==============================================================================================
alike     it is one of the candidates that the deterministic engine ranked, blank lines aside
share     the engine's share of that candidate, 0 to 1; 0 where it is none
chosen    its share among the candidates to engine and model together, 0 to 1; 0 where it is none
total     natural logarithm of the probability of the whole answer, at least `LEAST_TOTAL`
least     the same of the token that the model was least sure of, at least `LEAST_TOKEN`
found     the verifier finds something that a right merge may have as well
========  ==============================================================================================

The weights of a model are fitted on edits of repositories that it was not trained on (`fastapply train
trust`) and stand in its entry of the registry. What always is an error (`verify.CONSTRAINTS`) does not count
here: the verifier refuses it.
"""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING, Any

from fastapply.text import splice
from fastapply.types import FileEdit
from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapply.llm.choosing import Choice
    from fastapply.llm.engine import Likelihood
    from fastapply.text import SourceText
    from fastapply.types import Candidate, Part, Proposal, Splice

CHOICE_FACTS = ("lead", "total", "share", "ranked", "certainty")
FACTS = ("alike", "share", "chosen", "total", "least", "found")
LEAST_TOTAL, LEAST_TOKEN = -20.0, -6.0
_LEAST_ODDS = 1e-4


@dataclass(frozen=True, slots=True)
class Trust:
    """Weights by the name of a fact, and the certainty from which on a merge is taken.

    `choosing` is the same of a choice; None of a model that only writes.
    """

    weights: dict[str, float]
    bias: float
    threshold: float
    choosing: Trust | None = None

    def certainty(self, facts: Mapping[str, float]) -> float:
        """The chance, 0 to 1, that a merge with these facts is right."""
        odds = self.bias + sum(self.weights.get(name, 0.0) * value for name, value in facts.items())
        return 1 / (1 + exp(-max(-30.0, min(30.0, odds))))


def read_trust(row: Mapping[str, Any]) -> Trust:
    """The score that a table says, as it stands in the registry. Raises `TypeError` for another table."""
    trust = Trust(**row)
    return replace(trust, choosing=Trust(**row["choosing"])) if row.get("choosing") else trust


def trust_object(trust: Trust) -> dict[str, Any]:
    """A score as a table, for files and ``--json``."""
    told: dict[str, Any] = {"weights": trust.weights, "bias": trust.bias, "threshold": trust.threshold}
    return {**told, "choosing": trust_object(trust.choosing)} if trust.choosing is not None else told


def facts_of_choice(choice: Choice, at: int, proposal: Proposal) -> dict[str, float]:
    """The facts of candidate `at`, 0-based, of a proposal that asks one question."""
    candidates = proposal.questions[0].candidates
    share, own = choice.shares[at], candidates[at].share
    return {
        "lead": log((share + _LEAST_ODDS) / (1 - share + _LEAST_ODDS)),
        "total": max(LEAST_TOTAL, choice.totals[at]),
        "share": 1 / len(candidates) if own is None else own,
        "ranked": float(own is not None),
        "certainty": proposal.certainty or 0.0,
    }


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
    """The facts of a merge that a model wrote; `chosen` are the shares of a choice, or ()."""
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
