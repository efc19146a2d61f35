"""The weights of facts and the decision trees, read from one data file, and what is made of them.

Candidates are ranked by a sum of weighted facts. How likely the first one is right is no such sum: a fact
weighs otherwise beside another one. There small trees each add to the log odds (gradient boosting, Friedman
2001), and two numbers make a probability of them (Platt scaling).
"""

from __future__ import annotations

import json
from functools import lru_cache
from math import exp, log1p
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FILE = Path(__file__).with_name("weights.json")


@dataclass(frozen=True, slots=True)
class Tree:
    """A decision tree, its nodes in preorder: the left child of node `n` is node `n + 1`.

    A node asks whether the fact of number ``facts[n]`` is more than ``values[n]``; if so the way goes on at
    node ``rights[n]``. A leaf has -1 for a fact, and in `values` what it adds to the log odds.
    """

    facts: tuple[int, ...]
    values: tuple[float, ...]
    rights: tuple[int, ...]

    def adds(self, known: Sequence[float]) -> float:
        """What such facts add to the log odds; `known` are their values by number."""
        node = 0
        while self.facts[node] >= 0:
            node = self.rights[node] if known[self.facts[node]] > self.values[node] else node + 1
        return self.values[node]


@dataclass(frozen=True, slots=True)
class Forest:
    """Trees that say how likely a first candidate is right; `names` are those of the facts that they ask for.

    `shift` is what they add up to where there are none.
    """

    names: tuple[str, ...]
    trees: tuple[Tree, ...]
    shift: float = 0.0

    def odds(self, facts: Mapping[str, float]) -> float:
        """The sum of what the trees add."""
        known = [facts.get(name, 0.0) for name in self.names]
        return sum((tree.adds(known) for tree in self.trees), 0.0 if self.trees else self.shift)


GROUPS = 3
SMALL = 120
"""Lines of a small file."""


def group_of(facts: Mapping[str, float]) -> int:
    """The group of an edit, by what the certainty is made of.

    0 where only a plain reading says where it goes, 1 where it is for a small file, 2 for others: what the
    same odds are worth differs between them.
    """
    if facts.get("first.plain") and not facts.get("first.aligned"):
        return 0
    return 1 if facts.get("first.seen.file", 0.0) <= log1p(SMALL) else 2


def scaled(odds: float, slope: float, shift: float) -> float:
    """What trees add up to, as a probability."""
    return 1 / (1 + exp(-(slope * odds + shift)))


@dataclass(frozen=True, slots=True)
class Weights:
    """What ranks the candidates of an edit, and says how certain the first one is.

    All but the trees are weights by the name of a fact: `local` lists candidates by the facts of their gaps,
    `cheap` chooses those that are parsed and verified, `ranking` ranks these by all facts. `sure` says how
    likely the first one is right: what its trees add up to, times a slope, plus a shift, are the log odds;
    `scales` holds these two for each group of edits (`group_of`). From a certainty of `threshold` on a merge
    is written, of an edit without instructions from `quiet` on.
    """

    local: dict[str, float]
    cheap: dict[str, float]
    ranking: dict[str, float]
    sure: Forest
    scales: tuple[tuple[float, float], ...]
    threshold: float
    quiet: float

    def score(self, facts: Mapping[str, float]) -> float:
        """Score of a candidate."""
        return _sum(self.ranking, facts)

    def promise(self, facts: Mapping[str, float]) -> float:
        """Score of a candidate by what is known before it is parsed and verified."""
        return _sum(self.cheap, facts)

    def certainty(self, facts: Mapping[str, float]) -> float:
        """Chance, 0 to 1, that the first candidate is right."""
        return scaled(self.sure.odds(facts), *self.scales[group_of(facts)])


@lru_cache(maxsize=2)
def load_weights(path: Path = FILE) -> Weights:
    """Read a file of weights; see `train certainty` for how it is made."""
    data = json.loads(path.read_text(encoding="utf-8"))
    sure = data["sure"]
    trees = tuple(Tree(*(tuple(row) for row in tree)) for tree in sure["trees"])
    return Weights(
        data["local"],
        data["cheap"],
        data["ranking"],
        Forest(tuple(sure["facts"]), trees, sure["shift"]),
        tuple((slope, shift) for slope, shift in data["scales"]),
        data["threshold"],
        data["quiet"],
    )


def _sum(weights: Mapping[str, float], facts: Mapping[str, float]) -> float:
    return sum(weights.get(name, 0.0) * value for name, value in facts.items())
