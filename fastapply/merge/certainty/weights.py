"""The weights of facts, read from one data file, and the two sums that are made with them."""

from __future__ import annotations

import json
from functools import lru_cache
from math import exp
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = Path(__file__).with_name("weights.json")


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights by the name of a fact.

    `local` ranks candidates by the facts of their gaps, `whole` by all facts, `sure` gives the log odds that
    the first one is right; `threshold` is the certainty from which on a merge is written.
    """

    local: dict[str, float]
    whole: dict[str, float]
    sure: dict[str, float]
    bias: float
    threshold: float

    def score(self, facts: Mapping[str, float]) -> float:
        """Score of a candidate."""
        return sum(self.whole.get(name, 0.0) * value for name, value in facts.items())

    def certainty(self, facts: Mapping[str, float]) -> float:
        """Chance, 0 to 1, that the first candidate is right."""
        odds = self.bias + sum(self.sure.get(name, 0.0) * value for name, value in facts.items())
        return 1 / (1 + exp(-max(-30.0, min(30.0, odds))))


@lru_cache(maxsize=2)
def load_weights(path: Path = FILE) -> Weights:
    """Read a file of weights; see `train certainty` for how it is made."""
    data = json.loads(path.read_text(encoding="utf-8"))
    facts = data["facts"]
    return Weights(
        {name: row[0] for name, row in facts.items() if row[0]},
        {name: row[1] for name, row in facts.items() if row[1]},
        {name: row[0] for name, row in data["sure"].items()},
        data["bias"],
        data["threshold"],
    )
