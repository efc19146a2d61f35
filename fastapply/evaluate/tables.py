"""What a run comes to, as tables: outcomes by class, format, language, repository and size, and latency.

The same cases under several settings stand side by side (`beside`).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from fastapply.errors import UsageError
from fastapply.evaluate.outcomes import OUTCOMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from fastapply.evaluate.outcomes import Outcome
    from fastapply.evaluate.records import Record


Table = tuple[tuple[str, ...], list[tuple[str, ...]]]
"""A head and rows, as text."""

SHORT: dict[Outcome, str] = {
    "correct": "correct",
    "non_functional": "non-funct.",
    "smoothing": "smoothed",
    "functional_error": "funct. err.",
    "hallucination": "hallucin.",
    "truncation": "truncated",
    "refused": "refused",
    "crashed": "crashed",
    "timed_out": "timed out",
    "not_applicable": "n/a",
}
_SIZES = (100, 300, 1000)  # lines, of a file or an edit
_Z = 1.959964  # of a 95 % interval
Runs = dict[str, dict[str, "Record"]]
"""By the names of runs, records by the ids of their cases."""


def wilson(count: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927); from 0 to 1 where there is nothing to count.

    >>> [round(end, 3) for end in wilson(9, 10)]
    [0.596, 0.982]
    """
    if not of:
        return 0.0, 1.0
    share = count / of
    centre = share + _Z * _Z / (2 * of)
    spread = _Z * math.sqrt(share * (1 - share) / of + _Z * _Z / (4 * of * of))
    scale = 1 + _Z * _Z / of
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which a share of ordered values lies, the nearest rank; 0 of none."""
    if not ordered:
        return 0.0
    return ordered[min(len(ordered), max(1, math.ceil(share * len(ordered)))) - 1]


def sign_test(better: int, worse: int) -> float:
    """The chance that pairs which differ fall so unevenly, or more so: McNemar's exact test, two-sided."""
    pairs = better + worse
    if not pairs:
        return 1.0
    tail = sum(math.comb(pairs, k) for k in range(min(better, worse) + 1))
    return min(1.0, 2.0 * tail / float(2**pairs))


@dataclass(frozen=True, slots=True)
class Sums:
    """The counts by which a scorer of case folders counts, of all records that were tried.

    `blank` is right but for blank lines; `other` is written, and neither: that may be the same code.
    """

    tried: int
    exact: int
    blank: int
    same_code: int
    refused: int
    other: int
    crashed: int
    timed_out: int
    right: int

    @property
    def written(self) -> int:
        """How many were written."""
        return self.exact + self.blank + self.same_code + self.other


def sums(records: Iterable[Record]) -> Sums:
    """Count records; `right` has the refusals that were asked for, and what is right by bytes or tree."""
    counts, right = Counter[str](), 0
    for record in records:
        verdict = record.verdict
        if verdict.outcome == "not_applicable":
            continue
        right += record.right is True
        if verdict.outcome in {"refused", "crashed", "timed_out"}:
            counts[verdict.outcome] += 1
        else:
            counts[verdict.decided if verdict.decided in {"bytes", "blank", "tree"} else "other"] += 1
    tried, counts["right"] = counts.total(), right
    order = ("bytes", "blank", "tree", "refused", "other", "crashed", "timed_out", "right")
    return Sums(tried, *(counts[name] for name in order))


def summary(records: Sequence[Record]) -> str:
    """Two lines that say it all: what is right, and what was written and is not."""
    one = sums(records)
    low, high = wilson(one.right, one.tried)
    unknown = sum(record.right is None for record in records) - _not_tried(records)
    said = (
        f"{one.tried} cases: {one.right} right ({_percent(one.right, one.tried)}, "
        f"{100 * low:.1f} to {100 * high:.1f} %): exact {one.exact}, blank lines {one.blank}, "
        f"same code {one.same_code}; refused {one.refused}, crashed {one.crashed}, timed out {one.timed_out}"
    )
    low, high = wilson(one.other - unknown, one.written)
    other = (
        f"not as expected {one.other - unknown} ({_percent(one.other - unknown, one.written)} of written, "
    )
    said += f"\n{other}{100 * low:.1f} to {100 * high:.1f} %)"
    if unknown:
        said += f"; {unknown} whose right result is not known"
    if _not_tried(records):
        said += f"; {_not_tried(records)} not tried"
    return said


def outcome_table(records: Sequence[Record]) -> Table:
    """A row an outcome that occurs: how often, its share with the interval, how many are only suggested."""
    tried = [record for record in records if record.verdict.outcome != "not_applicable"]
    counts = Counter(record.verdict.outcome for record in tried)
    guessed = Counter(record.verdict.outcome for record in tried if record.verdict.decided == "suggested")
    rows: list[tuple[str, ...]] = []
    for outcome in OUTCOMES:
        count = counts[outcome]
        if count:
            low, high = wilson(count, len(tried))
            interval = f"{100 * low:.1f} to {100 * high:.1f} %"
            rows.append(
                (words(outcome), str(count), _percent(count, len(tried)), interval, str(guessed[outcome]))
            )
    return ("outcome", "cases", "share", "95 % interval", "of it suggested"), rows


def words(outcome: str) -> str:
    """An outcome as people read it."""
    return {"non_functional": "non-functional", "not_applicable": "n/a"}.get(
        outcome, outcome.replace("_", " ")
    )


GROUPS: dict[str, Callable[[Record], str]] = {
    "format": lambda record: record.case.format or record.attempt.format or "?",
    "language": lambda record: record.case.language or "?",
    "repository": lambda record: record.case.repository or "?",
    "lines of file": lambda record: size_of(record.case.original),
    "lines of edit": lambda record: size_of(record.case.edit),
    "reason": lambda record: record.attempt.reason or "-",
}


def group_table(records: Sequence[Record], by: str) -> Table:
    """A row a group, by one of `GROUPS`: right with its interval, and each outcome that occurs anywhere."""
    tried = [record for record in records if record.verdict.outcome != "not_applicable"]
    groups: dict[str, list[Record]] = {}
    for record in tried:
        groups.setdefault(GROUPS[by](record), []).append(record)
    present = [o for o in OUTCOMES if any(record.verdict.outcome == o for record in tried)]
    rows: list[tuple[str, ...]] = []
    for name in sorted(groups, key=_group_order):
        group = groups[name]
        right = sum(record.right is True for record in group)
        low, high = wilson(right, len(group))
        counts = Counter(record.verdict.outcome for record in group)
        told = (str(counts[o]) if counts[o] else "" for o in present)
        interval = f"{100 * low:.0f} to {100 * high:.0f} %"
        rows.append((name, str(len(group)), str(right), _percent(right, len(group)), interval, *told))
    return (by, "cases", "right", "share", "95 %", *(SHORT[o] for o in present)), rows


def latency_table(records: Sequence[Record]) -> Table:
    """Seconds to the whole answer, and characters of the merge a second, over all of that time."""
    tried = [record for record in records if record.verdict.outcome not in {"not_applicable", "timed_out"}]
    written = [record for record in tried if record.attempt.merged is not None]
    rows: list[tuple[str, ...]] = []
    groups = (("all", tried), ("written", written), ("by a model", [r for r in written if r.attempt.model]))
    for name, group in groups:
        if not group:
            continue
        times = sorted(record.attempt.seconds for record in group)
        cells = [f"{percentile(times, share):.3f}" for share in (0.5, 0.9, 0.99, 1)]
        seconds = sum(r.attempt.seconds for r in group if r.attempt.merged is not None)
        characters = sum(len(r.attempt.merged) for r in group if r.attempt.merged is not None)
        rate = f"{characters / seconds:,.0f}" if seconds else ""
        rows.append((name, str(len(group)), *cells, rate))
    return ("seconds", "cases", "median", "90 %", "99 %", "most", "characters/s"), rows


def size_of(text: str) -> str:
    """The size of a text in lines, as a group."""
    lines, low = text.count("\n") + 1, 1
    for high in _SIZES:
        if lines <= high:
            return f"{low} to {high}"
        low = high + 1
    return f"{low} and more"


def _group_order(name: str) -> tuple[int, str]:
    first = name.partition(" ")[0]
    return (int(first), name) if first.isdecimal() else (0, name)


def _not_tried(records: Sequence[Record]) -> int:
    return sum(record.verdict.outcome == "not_applicable" for record in records)


def _percent(count: int, of: int) -> str:
    return f"{100 * count / of:.1f} %" if of else "n/a"


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
