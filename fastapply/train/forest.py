"""Growing the decision trees that say how certain a first candidate is, scaling their votes, and descent.

Extremely randomised trees (Geurts et al. 2006), grown by scikit-learn and kept as plain numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapply.merge.certainty.weights import NEVER_SURE, Forest, Tree
from fastapply.values import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

TREES, LEAVES, ASKED = 100, 40, 0.3
"""Decision trees, leaves of each, and the share of facts that each node may choose from."""

Array = Any
"""An array of numpy or torch, which are checked as Any."""
Row = tuple[dict[str, float], bool]
"""Certainty facts of a part's first candidate, and whether it is the right one."""


def fit_sure(rows: Sequence[Row], *, seed: int = 0) -> Forest:
    """Decision trees that tell right first candidates from wrong ones; their votes are not scaled yet."""
    import numpy as np
    from sklearn.ensemble import ExtraTreesClassifier

    names = sorted({name for facts, _ in rows for name in facts})
    table = matrix([facts for facts, _ in rows], names).astype(np.float32)
    right = np.array([is_right for _, is_right in rows])
    grown = ExtraTreesClassifier(
        TREES, max_leaf_nodes=LEAVES, max_features=ASKED, random_state=seed, n_jobs=1
    ).fit(table, right)
    found = [_tree(one.tree_, list(grown.classes_).index(True) if right.any() else -1) for one in grown]
    used = sorted({fact for tree in found for fact in tree.facts if fact >= 0})
    place = {fact: number for number, fact in enumerate(used)} | {-1: -1}
    trees = tuple(replace(tree, facts=tuple(place[fact] for fact in tree.facts)) for tree in found)
    return Forest(tuple(names[fact] for fact in used), trees)


def _tree(grown: Any, right: int) -> Tree:  # noqa: ANN401 - scikit-learn has no types
    """A tree of scikit-learn, its nodes in preorder; `right` is the number of the class of right ones."""
    facts, values, rights = list[int](), list[float](), list[int]()

    def add(node: int) -> None:
        at = len(facts)
        left = int(grown.children_left[node])
        leaf = left < 0
        shares = grown.value[node][0]
        share = float(shares[right] / shares.sum()) if right >= 0 else 0.0
        facts.append(-1 if leaf else int(grown.feature[node]))
        values.append(round(share if leaf else float(grown.threshold[node]), 4))
        rights.append(0)
        if not leaf:
            add(left)
            rights[at] = len(facts)
            add(int(grown.children_right[node]))

    add(0)
    return Tree(tuple(facts), tuple(values), tuple(rights))


def scale(shares: Sequence[float], right: Sequence[bool]) -> tuple[float, float]:
    """Slope and shift that make probabilities of shares of votes (Platt 1999), as log odds."""
    import numpy as np

    inner = np.clip(np.array(shares), NEVER_SURE, 1 - NEVER_SURE)
    odds = np.log(inner / (1 - inner))
    wanted = np.array(right, dtype=float)

    def loss(line: Array) -> tuple[float, Array]:
        value = odds * line[0] + line[1]
        slope = 1 / (1 + np.exp(-value)) - wanted
        away = line - np.array([1.0, 0.0])  # with few rows shares stay as they are
        found = np.logaddexp(0, value) - wanted * value
        return float(found.mean() + 1e-3 * away @ away), np.array(
            [(slope * odds).mean(), slope.mean()]
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
