"""The weights of features and the decision trees, read from one data file, and what is made of them.

Candidates are ranked by a sum of weighted features. How likely the first one is right is no such sum: a
feature weighs otherwise beside another one. There small trees each add to the log odds (gradient boosting,
Friedman 2001), and two numbers make a probability of them (Platt scaling).
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

    A node asks whether the feature of number ``features[n]`` is more than ``values[n]``; if so the way goes
    on at node ``rights[n]``. A leaf has -1 for a feature, and in `values` what it adds to the log odds.
    """

    features: tuple[int, ...]
    values: tuple[float, ...]
    rights: tuple[int, ...]

    def adds(self, known: Sequence[float]) -> float:
        """What such features add to the log odds; `known` are their values by number."""
        node = 0
        while self.features[node] >= 0:
            node = self.rights[node] if known[self.features[node]] > self.values[node] else node + 1
        return self.values[node]


@dataclass(frozen=True, slots=True)
class Forest:
    """Trees that say how likely a first candidate is right; `names` are those of their features.

    `shift` is what they add up to where there are none.
    """

    names: tuple[str, ...]
    trees: tuple[Tree, ...]
    shift: float = 0.0

    def odds(self, features: Mapping[str, float]) -> float:
        """The sum of what the trees add."""
        known = [features.get(name, 0.0) for name in self.names]
        return sum((tree.adds(known) for tree in self.trees), 0.0 if self.trees else self.shift)


GROUPS = 3
SMALL = 120
"""Lines of a small file."""


def group_of(features: Mapping[str, float]) -> int:
    """The group of an edit, by what the certainty is made of.

    0 where only a plain reading says where it goes, 1 where it is for a small file, 2 for others: what the
    same odds are worth differs between them.
    """
    if features.get("first.plain") and not features.get("first.aligned"):
        return 0
    return 1 if features.get("first.seen.file", 0.0) <= log1p(SMALL) else 2


def scaled(odds: float, slope: float, shift: float) -> float:
    """What trees add up to, as a probability."""
    return 1 / (1 + exp(-(slope * odds + shift)))


@dataclass(frozen=True, slots=True)
class Weights:
    """What ranks the candidates of an edit, and says how certain the first one is.

    All but the trees are weights by the name of a feature: `local` lists candidates by the features of their
    gaps, `cheap` chooses those that are parsed and verified, `ranking` ranks these by all features. `sure`
    says how likely the first one is right: what its trees add up to, times a slope, plus a shift, are the
    log odds; `scales` holds these two for each group of edits (`group_of`). From a certainty of `threshold`
    on a merge is written, of an edit without instructions from `threshold_without_instructions` on.
    """

    local: dict[str, float]
    cheap: dict[str, float]
    ranking: dict[str, float]
    sure: Forest
    scales: tuple[tuple[float, float], ...]
    threshold: float
    threshold_without_instructions: float

    def score(self, features: Mapping[str, float]) -> float:
        """Score of a candidate."""
        return _sum(self.ranking, features)

    def promise(self, features: Mapping[str, float]) -> float:
        """Score of a candidate by what is known before it is parsed and verified."""
        return _sum(self.cheap, features)

    def certainty(self, features: Mapping[str, float]) -> float:
        """Chance, 0 to 1, that the first candidate is right."""
        return scaled(self.sure.odds(features), *self.scales[group_of(features)])


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
        Forest(tuple(sure["features"]), trees, sure["shift"]),
        tuple((slope, shift) for slope, shift in data["scales"]),
        data["threshold"],
        data["threshold_without_instructions"],
    )


def _sum(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    return sum(weights.get(name, 0.0) * value for name, value in features.items())
