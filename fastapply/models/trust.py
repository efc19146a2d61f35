"""How far the candidate that a model speaks for may be believed: facts about it, and one score of them.

========  ==============================================================================================
fact      meaning
========  ==============================================================================================
sure      log-odds of the engine's certainty of its first candidate, at most `MOST_SURE` from 0: it says as
          well how likely it is that the right merge is listed at all
far       how much likelier the engine finds its first candidate, natural logarithm, at most `MOST_FAR`
behind    root of how much likelier what the model would write in its place is, 0 where that is this merge
assumed   changes that all candidates have and the edit does not show in their place, at most `MOST_ASSUMED`
========  ==============================================================================================

The weights of a model are fitted on edits of repositories that it was not trained on (`fastapply train
trust`) and stand in its entry of the registry. What always is an error (`verify.CONSTRAINTS`) does not count
here: the verifier refuses it.
"""

from __future__ import annotations

from math import log, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapply.models.choosing import Choice
    from fastapply.models.focus import Focus
    from fastapply.types import Proposal

FACTS = ("sure", "far", "behind", "assumed")
MOST_SURE, MOST_FAR, MOST_ASSUMED = 4.6, 5.0, 3
_LEAST_SHARE = 1e-3


def facts_of(proposal: Proposal, choice: Choice, focus: Focus) -> dict[str, float]:
    """The facts of the candidate that an answer of a model speaks for."""
    shares = [one.share or 0.0 for one in proposal.questions[0].candidates]
    far = log((max(shares) + _LEAST_SHARE) / (shares[choice.number] + _LEAST_SHARE))
    chance = min(1 - 1e-9, max(1e-9, proposal.certainty or 0.0))
    return {
        "sure": max(-MOST_SURE, min(MOST_SURE, log(chance / (1 - chance)))),
        "far": min(MOST_FAR, far),
        "behind": sqrt(choice.behind),
        "assumed": float(min(MOST_ASSUMED, focus.assumed)),
    }
