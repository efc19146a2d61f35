"""The same cases under several settings, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from fastapply.errors import UsageError
from fastapply.evaluate.outcomes import OUTCOMES
from fastapply.evaluate.tables import GROUPS, percentile, sign_test, wilson, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fastapply.evaluate.records import Record
    from fastapply.evaluate.tables import Table

Runs = dict[str, dict[str, "Record"]]
"""By the names of runs, records by the ids of their cases."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A case on which runs do not come to the same outcome."""

    id: str
    outcomes: tuple[str, ...]


def beside(named: Mapping[str, Sequence[Record]]) -> Runs:
    """Runs with the cases that all of them have. Raises `UsageError` where there is none."""
    by_id = {name: {record.case.id: record for record in records} for name, records in named.items()}
    common = set.intersection(*(set(records) for records in by_id.values())) if by_id else set()
    if not common:
        raise UsageError("the runs have no cases in common")
    return {name: {i: r for i, r in records.items() if i in common} for name, records in by_id.items()}


def outcome_columns(runs: Runs) -> Table:
    """A row an outcome, a column a run; the last rows are what is right, of all and of what was tried."""
    rows: list[tuple[str, ...]] = []
    counts = {name: [record.verdict.outcome for record in records.values()] for name, records in runs.items()}
    for outcome in OUTCOMES:
        cells = [counts[name].count(outcome) for name in runs]
        if any(cells):
            rows.append((words(outcome), *(str(cell) if cell else "" for cell in cells)))
    rows.append(("right", *(_right(records) for records in runs.values())))
    rows.append(("not as expected, of written", *(_wrong(records) for records in runs.values())))
    rows.append(("median seconds", *(_median(records) for records in runs.values())))
    return ("outcome", *runs), rows


def group_columns(runs: Runs, by: str) -> Table:
    """The share that is right in each group, a column a run; n/a where nothing of a group was tried."""
    first = next(iter(runs.values()))
    groups: dict[str, list[str]] = {}
    for one, record in first.items():
        groups.setdefault(GROUPS[by](record), []).append(one)
    rows: list[tuple[str, ...]] = []
    for name in sorted(groups):
        cells = [_right({i: records[i] for i in groups[name]}) for records in runs.values()]
        rows.append((name, str(len(groups[name])), *cells))
    return (by, "cases", *runs), rows


def pairs(runs: Runs) -> Table:
    """For each two runs: cases that only one has right, and how likely that is by chance."""
    rows: list[tuple[str, ...]] = []
    for one, other in combinations(runs, 2):
        both = [
            (runs[one][i].right is True, runs[other][i].right is True)
            for i in runs[one]
            if "not_applicable" not in {runs[name][i].verdict.outcome for name in (one, other)}
        ]
        only_one, only_other = both.count((True, False)), both.count((False, True))
        chance = sign_test(only_one, only_other)
        rows.append((one, other, str(len(both)), str(only_one), str(only_other), f"{chance:.3g}"))
    return ("run", "beside", "both tried", "only first right", "only second right", "by chance"), rows


def differences(runs: Runs) -> Iterator[Difference]:
    """The cases on which the runs differ, in the order of the first run."""
    for one in next(iter(runs.values())):
        outcomes = tuple(records[one].verdict.outcome for records in runs.values())
        if len(set(outcomes)) > 1:
            yield Difference(one, outcomes)


def _right(records: dict[str, Record]) -> str:
    tried = [record for record in records.values() if record.verdict.outcome != "not_applicable"]
    if not tried:
        return "n/a"
    right = sum(record.right is True for record in tried)
    low, high = wilson(right, len(tried))
    return f"{right}/{len(tried)} {100 * right / len(tried):.1f} % ({100 * low:.0f} to {100 * high:.0f})"


def _wrong(records: dict[str, Record]) -> str:
    written = [record for record in records.values() if record.attempt.merged is not None]
    if not written:
        return "n/a"
    wrong = sum(record.right is False for record in written)
    return f"{wrong}/{len(written)} {100 * wrong / len(written):.1f} %"


def _median(records: dict[str, Record]) -> str:
    times = sorted(r.attempt.seconds for r in records.values() if r.verdict.outcome != "not_applicable")
    return f"{percentile(times, 0.5):.3f}" if times else "n/a"
