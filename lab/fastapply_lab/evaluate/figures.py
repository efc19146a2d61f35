"""The figures of the README that this checkout can count anew: no model takes part, and no chance.

    python -m fastapply_lab figures [--sample N] [--jobs N]

The table is that of the README, from the sets that its last figures were scored on. What is predicted for
other edits is printed by `fastapply train certainty`.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.evaluate.cases import read_cases
from fastapply_lab.train.ruler import measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply_lab.train.ruler import Row

EDITS = Path(__file__).parents[3] / "tests" / "edits"
SETS = {
    "everyday edits of small and medium-sized files": "everyday-ninth.jsonl.xz",
    "commits of 8 repositories that were not used before": "twentyfirst.jsonl.xz",
}
"""The rows, and the set that each is of: the latest that were frozen before they were scored."""
HEAD = "| edits | clear ones | right | refused | silently wrong |\n|---|---|---|---|---|"
REFUSE = "edits that must be refused"


def figures(*, sample: int = 0, jobs: int = 2) -> str:
    """The table, of `sample` edits of each set, evenly spread; 0: all."""
    refused: list[Row] = []
    rows = [HEAD]
    with ProcessPoolExecutor(jobs) as pool:
        for name, file in SETS.items():
            cases = list(read_cases([EDITS / file]))
            if 0 < sample < len(cases):
                cases = [cases[number * len(cases) // sample] for number in range(sample)]
            found = list(pool.map(measure, cases, chunksize=4))
            refused += [row for row in found if row.to_refuse]
            rows.append(row_of(name, [row for row in found if not row.to_refuse]))
    return "\n".join([*rows, row_of(REFUSE, refused)])


def row_of(name: str, rows: Sequence[Row]) -> str:
    """One row of the table; what must be refused is right where it is, and wrong where it is written."""
    wrong = sum(row.outcome != "refused" if row.to_refuse else row.outcome == "wrong" for row in rows)
    refused = sum(row.outcome == "refused" for row in rows)
    right = refused if name == REFUSE else len(rows) - refused - wrong
    share = "" if name == REFUSE or not rows else f" ({100 * right / len(rows):.1f} %)"
    return f"| {name} | {len(rows)} | {right}{share} | {refused} | {wrong} |"
