"""Growing the decision trees that say how certain a first candidate is, scaling what they add, and descent.

Stochastic gradient boosting (Friedman 2002), done by scikit-learn and kept as plain numbers.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Any

from fastapply.merge.certainty.weights import Forest, Tree
from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Growth:
    """How trees are grown.

    Their number, and the facts that one asks for on a way; `rate` is the share of what a tree has found out
    that it adds (shrinkage); `asked` and `drawn` are the shares of facts that a node may choose from and of
    rows that a tree is grown on; `fewest` rows come to a leaf.
    """

    trees: int
    depth: int
    rate: float
    asked: float
    drawn: float
    fewest: int


SURE = Growth(trees=120, depth=4, rate=0.08, asked=0.1, drawn=0.5, fewest=5)
GROWN = 3
"""Times that trees are grown, since chance has a part in it."""

Array = Any
"""An array of numpy or torch, which are checked as Any."""
Row = tuple[dict[str, float], bool]
"""Certainty facts of a part's first candidate, and whether it is the right one."""


def fit_sure(rows: Sequence[Row], *, seed: int = 0) -> Forest:
    """Decision trees that tell right first candidates from wrong ones; what they add is not scaled yet."""
    import numpy as np

    right = np.array([is_right for _, is_right in rows])
    odds = log((right.sum() + 0.5) / (len(right) - right.sum() + 0.5))
    if right.all() or not right.any():
        return Forest((), (), shift=odds)
    names = sorted({name for facts, _ in rows for name in facts})
    table = matrix([facts for facts, _ in rows], names).astype(np.float32)
    found = []
    for number in range(GROWN):
        found += grow(table, right, SURE, seed=GROWN * seed + number, share=1 / GROWN)
    used = sorted({fact for tree in found for fact in tree.facts if fact >= 0})
    place = {fact: number for number, fact in enumerate(used)} | {-1: -1}
    trees = tuple(replace(tree, facts=tuple(place[fact] for fact in tree.facts)) for tree in found)
    return Forest(tuple(names[fact] for fact in used), trees, shift=odds)


def grow(
    table: Array,
    right: Array,
    growth: Growth,
    *,
    seed: int,
    weights: Array | None = None,
    share: float = 1.0,
    digits: int = 4,
) -> list[Tree]:
    """Trees that tell right rows from others; each adds `share` of what it would, to so many digits."""
    from sklearn.ensemble import GradientBoostingClassifier

    grown = GradientBoostingClassifier(
        n_estimators=growth.trees,
        max_depth=growth.depth,
        learning_rate=growth.rate,
        subsample=growth.drawn,
        max_features=growth.asked,
        min_samples_leaf=growth.fewest,
        random_state=seed,
    ).fit(table, right, sample_weight=weights)
    return [_plain(one.tree_, growth.rate * share, digits) for one in grown.estimators_[:, 0]]


def _plain(grown: Any, rate: float, digits: int) -> Tree:  # noqa: ANN401 - scikit-learn has no types
    """A tree of scikit-learn, its nodes in preorder, its leaves times `rate`."""
    facts, values, rights = list[int](), list[float](), list[int]()

    def add(node: int) -> None:
        at = len(facts)
        left = int(grown.children_left[node])
        leaf = left < 0
        facts.append(-1 if leaf else int(grown.feature[node]))
        values.append(round(float(grown.value[node][0][0] * rate if leaf else grown.threshold[node]), digits))
        rights.append(0)
        if not leaf:
            add(left)
            rights[at] = len(facts)
            add(int(grown.children_right[node]))

    add(0)
    return Tree(tuple(facts), tuple(values), tuple(rights))


def scale(odds: Sequence[float], right: Sequence[bool]) -> tuple[float, float]:
    """Slope and shift that make probabilities of what trees add up to (Platt 1999)."""
    import numpy as np

    found_odds = np.array(odds)
    wanted = np.array(right, dtype=float)

    def loss(line: Array) -> tuple[float, Array]:
        value = found_odds * line[0] + line[1]
        slope = 1 / (1 + np.exp(-value)) - wanted
        away = line - np.array([1.0, 0.0])  # with few rows odds stay as they are
        found = np.logaddexp(0, value) - wanted * value
        return float(found.mean() + 1e-3 * away @ away), np.array(
            [(slope * found_odds).mean(), slope.mean()]
        ) + 2e-3 * away

    slope, shift = descend(loss, 2)
    return round(float(slope), 4), round(float(shift), 4)


def matrix(rows: Sequence[Mapping[str, float]], names: Sequence[str]) -> Array:
    """Facts as a table of floats, a row each, with the columns `names`; 0 where a row lacks one."""
    import numpy as np

    index = {name: at for at, name in enumerate(names)}
    table = np.zeros((len(rows), len(names)))
    for at, facts in enumerate(rows):
        for name, value in facts.items():
            if name in index:
                table[at, index[name]] = value
    return table


def descend(loss: Callable[[Array], tuple[float, Array]], size: int) -> Array:
    """The weights with the least loss, by L-BFGS from zero."""
    import torch

    weights = torch.zeros(size, dtype=torch.float64, requires_grad=True)
    steps = torch.optim.LBFGS([weights], max_iter=400, history_size=20, line_search_fn="strong_wolfe")

    def closure() -> Array:
        value, slope = loss(weights.detach().numpy())
        weights.grad = torch.from_numpy(slope)
        return torch.tensor(value)

    steps.step(closure)
    return weights.detach().numpy()
