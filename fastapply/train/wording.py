"""Fitting what says whether a change was spoken of: vectors of words and features, and weights of fates.

A listwise logistic regression, as for the ranking and on top of it, with a weight for each pair of a word and
a feature and for each fate of a name; the table of pairs is then cut down to a product of low rank (singular
value decomposition; Eckart and Young 1936). See `wording` of the merge for how they are read.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from fastapply.merge.certainty.wording import FEATURES, Wording
from fastapply.train.forest import descend, matrix

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from fastapply.train.certainty import Part
    from fastapply.train.forest import Array

FEWEST = 15
"""Parts of edits that must have a word, or a fate."""
RANK = 20
"""Length of a vector."""
SPREAD = 6e-3
"""Weight of the squared weights of pairs in the loss, per part."""
SPREAD_FATES = 5e-4
"""The same of the weights of fates."""
SPREAD_ALONE = 3e-3
"""The same of a feature's own weight, whatever was said."""
SHAPE = "shape."


def is_feature(name: str) -> bool:
    """Whether a fact is one that words are paired with."""
    return name.startswith(SHAPE) or name in FEATURES


def fit_wording(parts: Sequence[Part], ranking: Mapping[str, float], *, rank: int = RANK) -> Wording:
    """Vectors for words and features, fitted on parts whose right candidate is known, on top of a ranking."""
    import numpy as np

    known = [part for part in parts if part.right >= 0]
    words = _common(part.words for part in known)
    fates = _common({fate for one in part.fates for fate in one} for part in known)
    names = sorted({name for part in known for facts in part.facts for name in facts if is_feature(name)})
    if not words or not names:
        return Wording({}, {}, {})
    features = [matrix(part.facts, names) for part in known]
    scale = np.concatenate(features).std(0) + 1e-2
    table = np.concatenate(
        [(rows - rows[part.right]) / scale for rows, part in zip(features, known, strict=True)]
    )
    ranked = np.concatenate([_scores(part, ranking) for part in known])
    said = sparse([dict.fromkeys(part.words, 1.0) for part in known], words)
    become = sparse([fate for part in known for fate in _beside_right(part)], fates)
    pairs, of_fates = _fit_pairs(table, ranked, said, become, np.array([len(part.facts) for part in known]))
    left, sizes, right = np.linalg.svd(pairs, full_matrices=False)
    kept = min(rank, len(sizes))
    vectors, paired = left[:, :kept] * sizes[:kept], right[:kept] / scale
    return Wording(
        {word: _plain(vectors[number]) for number, word in enumerate(words)},
        {name: _plain(paired[:, number]) for number, name in enumerate(names)},
        {
            fate: round(float(value), 4)
            for fate, value in zip(fates, of_fates, strict=True)
            if abs(value) > 5e-4
        },
    )


def _common(each: Iterable[Iterable[str]]) -> list[str]:
    counts = Counter(name for names in each for name in names)
    return sorted(name for name, count in counts.items() if count >= FEWEST)


def _beside_right(part: Part) -> Iterator[dict[str, float]]:
    """What becomes of names by each candidate, less what becomes of them by the right one."""
    if not part.fates:
        yield from ({} for _ in part.facts)
        return
    right = part.fates[part.right]
    for one in part.fates:
        yield {fate: one.get(fate, 0.0) - right.get(fate, 0.0) for fate in one.keys() | right.keys()}


def _plain(vector: Array) -> str:
    return " ".join(f"{value:.3g}" for value in vector)


def _scores(part: Part, ranking: Mapping[str, float]) -> Array:
    """Scores of a part's candidates, less that of the right one."""
    import numpy as np

    scores = [sum(ranking.get(name, 0.0) * value for name, value in facts.items()) for facts in part.facts]
    return np.array(scores) - scores[part.right]


def sparse(rows: Sequence[Mapping[str, float]], names: Sequence[str]) -> Any:  # noqa: ANN401 - no types
    """A sparse table with the columns `names`."""
    import numpy as np
    from scipy.sparse import csr_matrix

    number = {name: at for at, name in enumerate(names)}
    found = [
        [(number[name], value) for name, value in row.items() if name in number and value] for row in rows
    ]
    columns = np.array([at for row in found for at, _ in row], dtype=np.int64)
    values = np.array([value for row in found for _, value in row], dtype=float)
    starts = np.concatenate([[0], np.cumsum([len(row) for row in found])])
    return csr_matrix((values, columns, starts), shape=(len(rows), len(names)))


def _fit_pairs(
    table: Array,
    ranked: Array,
    said: Any,  # noqa: ANN401 - scipy has no types
    become: Any,  # noqa: ANN401
    sizes: Array,
) -> tuple[Array, Array]:
    """A weight for each word (row) and feature (column), and one for each fate."""
    import numpy as np

    count, width = said.shape[1], table.shape[1]
    starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    which: Any = np.repeat(np.arange(len(sizes)), sizes)
    ends = np.cumsum([count * width, become.shape[1], width])

    def loss(weights: Array) -> tuple[float, Array]:
        pairs, fates, alone, more = np.split(weights, ends)
        pairs = pairs.reshape(count, width)
        scores = (1 + more[0]) * ranked + (table * (said @ pairs + alone)[which]).sum(1) + become @ fates
        most = np.maximum.reduceat(scores, starts)
        odds = np.exp(scores - most[which])
        total = np.add.reduceat(odds, starts)
        share = odds / total[which] / len(sizes)
        each = np.add.reduceat(table * share[:, None], starts)
        value = (
            (most + np.log(total)).mean()
            + SPREAD * (pairs**2).sum()
            + SPREAD_FATES * (fates**2).sum()
            + SPREAD_ALONE * (alone**2).sum()
        )
        slope = np.concatenate(
            [
                (said.T @ each + 2 * SPREAD * pairs).ravel(),
                become.T @ share + 2 * SPREAD_FATES * fates,
                each.sum(0) + 2 * SPREAD_ALONE * alone,
                [(share * ranked).sum()],
            ]
        )
        return float(value), slope

    pairs, fates, _, _ = np.split(descend(loss, int(ends[-1]) + 1), ends)
    return pairs.reshape(count, width), fates


def write_wording(wording: Wording, path: Path) -> None:
    """Write the vectors and weights, one a line."""
    data = {"features": wording.features, "words": wording.words, "fates": wording.fates}
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
