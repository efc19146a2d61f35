"""Fitting the trees that tell a new version of lines from lines put in beside them, on the commits of clones.

A commit replaces lines (the one kind of example), or puts lines in: then what stands above and below, as much
or the block, is what they might have replaced and did not (the other kind). See `versions` of the merge.
"""

from __future__ import annotations

import json
from math import log
from typing import TYPE_CHECKING

from fastapply.dataset.by_rule.history import read_changes, repository_name
from fastapply.merge.certainty.changes import Change, joined
from fastapply.merge.certainty.versions import LONGEST, Versions
from fastapply.merge.lines import line_table, says_something
from fastapply.merge.rewrite import changed_runs
from fastapply.train.forest import Growth, grow, matrix
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from fastapply.dataset.by_rule.history import FileChange

MOST_HUNKS = 8
"""Changes of a file from which on a commit is too large to learn from."""
TAKEN = 4
"""Changes of a file that are taken."""
GROWTH = Growth(trees=240, depth=5, rate=0.15, asked=0.4, drawn=0.3, fewest=20)


@dataclass(frozen=True, slots=True)
class Example:
    """Facts of old and new lines, whether a commit replaced these by those, and how much it counts."""

    facts: dict[str, float]
    replaced: bool
    weight: float


def collect_examples(
    repo: Path, *, most: int, seed: int = 0, without: Collection[tuple[str, str]] = ()
) -> list[Example]:
    """Examples of at most `most` changes of a clone.

    `without` has repositories, as ``owner/name`` or ``name``, and paths of files in them that are left out.
    """
    name = repository_name(repo).replace("+", "/").lower()
    known = {path for owner, path in without if owner.lower() == name or owner.lower().endswith(f"/{name}")}
    found: list[Example] = []
    taken = 0
    for change in read_changes(repo, seed=seed, prose=0.5):
        if change.path in known:
            continue
        for examples in _examples(change):
            found += examples
            taken += 1
        if taken >= most:
            break
    return found


def collect_all(
    repos: Sequence[Path],
    *,
    most: int,
    seed: int = 0,
    without: Collection[tuple[str, str]] = (),
    jobs: int = 1,
) -> list[Example]:
    """Examples of all clones, in their order."""
    from concurrent.futures import ProcessPoolExecutor
    from functools import partial

    read = partial(collect_examples, most=most, seed=seed, without=without)
    if jobs == 1:
        return [example for repo in repos for example in read(repo)]
    with ProcessPoolExecutor(jobs) as pool:
        return [example for found in pool.map(read, repos) for example in found]


def _examples(change: FileChange) -> Iterator[list[Example]]:
    old, new = change.before.splitlines(), change.after.splitlines()
    hunks = [Change(a, b, tuple(new[c:d])) for a, b, c, d in changed_runs(old, new)]
    if not 0 < len(hunks) <= MOST_HUNKS:
        return
    asked = Versions(old)
    for one in joined(hunks, line_table(old))[:TAKEN]:
        if one.end - one.start > LONGEST or not any(map(says_something, one.new)):
            continue
        replaced = any(map(says_something, old[one.start : one.end]))
        rows = [asked.row(other) for other in ([one] if replaced else asked.beside(one))]
        known = [row for row in rows if row is not None]
        if known:
            yield [Example(row, replaced, 1 / len(known)) for row in known]


def fit_versions(examples: Sequence[Example], *, seed: int = 0) -> dict[str, object]:
    """Decision trees as `versions.json` has them: `names` of facts, `trees`, `shift` of the log odds."""
    import numpy as np

    names = sorted({name for one in examples for name in one.facts})
    table = matrix([one.facts for one in examples], names).astype(np.float32)
    right = np.array([one.replaced for one in examples])
    weights = np.array([one.weight for one in examples])
    trees = grow(table, right, GROWTH, seed=seed, weights=weights, digits=3)
    share = float(weights[right].sum() / weights.sum())
    return {
        "names": names,
        "shift": round(log(share / (1 - share)), 4),
        "trees": [[tree.facts, tree.values, tree.rights] for tree in trees],
    }


def write_versions(fitted: dict[str, object], path: Path) -> None:
    """Write the trees, one a line."""
    trees = fitted["trees"]
    assert isinstance(trees, list)  # noqa: S101 - see fit_versions
    lines = ",\n".join("  " + json.dumps(tree, separators=(",", ":")) for tree in trees)
    names, shift = json.dumps(fitted["names"]), json.dumps(fitted["shift"])
    path.write_text(
        f'{{\n "names": {names},\n "shift": {shift},\n "trees": [\n{lines}\n ]\n}}\n', encoding="utf-8"
    )
