"""How far judge, annotators and known answers agree on the same merges.

A *rater* gives a merge one of the six classes. ``answer`` is the known answer: where bytes, blank lines or
the syntax tree do not make a merge right, it is wrong, and its class is the suggested one. ``suggestion`` is
that guess alone, where it was one. ``judge NAME`` and ``person NAME`` are who they say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapply.evaluate.outcomes import CLASSES, RIGHT_CLASSES
from fastapply.evaluate.tables import SHORT, wilson, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fastapply.evaluate.records import Record
    from fastapply.evaluate.tables import Table
    from fastapply_lab.evaluate.annotations import Annotation
    from fastapply_lab.evaluate.judgements import Judgement

Ratings = dict[str, str]
"""Classes by the ids of cases; ``refused`` is a person's word for a merge that ought not to be."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two raters on the cases that both have rated; the first is the one that the second is held against.

    `counts` has a row a class of the first, a column a class of the second. A false positive is a merge
    that the second calls right and the first wrong, a false negative the other way round.
    """

    reference: str
    rater: str
    cases: int
    same: int
    counts: tuple[tuple[int, ...], ...]
    kappa: float | None
    false_positives: tuple[int, int]  # so many, of what the first calls wrong
    false_negatives: tuple[int, int]  # so many, of what the first calls right
    differ: tuple[tuple[str, str, str], ...]  # case, class by the first, by the second


def ratings_of(
    records: Sequence[Record], annotations: Iterable[Annotation], judgements: Iterable[Judgement]
) -> dict[str, Ratings]:
    """All raters of a run: people first, then the known answer, the suggestion, and judges."""
    merges = {record.case.id: record for record in records if record.attempt.merged is not None}
    people: dict[str, Ratings] = {}
    for one in annotations:
        if one.choice is not None and one.case in merges:
            people.setdefault(f"person {one.who}", {})[one.case] = one.choice
    answer: Ratings = {
        case: record.verdict.outcome
        for case, record in merges.items()
        if record.case.answers or record.case.must_refuse
    }
    guesses: Ratings = {
        case: record.verdict.outcome
        for case, record in merges.items()
        if record.verdict.decided == "suggested"
    }
    judges: dict[str, Ratings] = {}
    prompts = {(one.judge, one.prompt) for one in judgements}
    for said in judgements:
        if said.choice is not None and said.case in merges:
            several = sum(judge == said.judge for judge, _ in prompts) > 1
            name = f"judge {said.judge}" + (f" ({said.prompt})" if several else "")
            judges.setdefault(name, {})[said.case] = said.choice
    raters: dict[str, Ratings] = {**people, "answer": answer, "suggestion": guesses, **judges}
    return {name: ratings for name, ratings in raters.items() if ratings}


def compare(reference: str, rater: str, ratings: Mapping[str, Ratings]) -> Agreement:
    """How far a rater agrees with another one that is taken for right."""
    first, second = ratings[reference], ratings[rater]
    both = [case for case in first if case in second]
    pairs = [(first[case], second[case]) for case in both]
    counts = tuple(tuple(pairs.count((one, other)) for other in CLASSES) for one in CLASSES)
    wrong = [other for one, other in pairs if one not in RIGHT_CLASSES]
    right = [other for one, other in pairs if one in RIGHT_CLASSES]
    return Agreement(
        reference,
        rater,
        len(pairs),
        sum(one == other for one, other in pairs),
        counts,
        kappa(counts),
        (sum(other in RIGHT_CLASSES for other in wrong), len(wrong)),
        (sum(other not in RIGHT_CLASSES for other in right), len(right)),
        tuple((case, first[case], second[case]) for case in both if first[case] != second[case]),
    )


def class_table(one: Agreement) -> Table:
    """Six by six: rows are the reference, columns the rater."""
    head = (f"{one.reference} \\ {one.rater}", *(SHORT[name] for name in CLASSES))
    rows: list[tuple[str, ...]] = [
        (words(name), *(str(count) if count else "." for count in row))
        for name, row in zip(CLASSES, one.counts, strict=True)
    ]
    return head, rows


def sentence(one: Agreement) -> str:
    """The agreement in words, with 95 % intervals."""
    said = f"the same class in {share(one.same, one.cases)}"
    if one.kappa is not None:
        said += f", kappa {one.kappa:.2f}"
    return (
        f"{one.cases} merges: {said}\n"
        f"false positives (called right, and wrong by {one.reference}): {share(*one.false_positives)}\n"
        f"false negatives (called wrong, and right by {one.reference}): {share(*one.false_negatives)}"
    )


def share(count: int, of: int) -> str:
    """A share with its interval: ``3 of 40, 7.5 % (2.6 to 19.9)``."""
    if not of:
        return "0 of 0"
    low, high = wilson(count, of)
    return f"{count} of {of}, {100 * count / of:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def kappa(table: Sequence[Sequence[int]]) -> float | None:
    """Cohen's kappa of two raters, from a square table of counts; None where it is not defined.

    >>> kappa([[20, 5], [10, 15]])
    0.4
    """
    total = sum(map(sum, table))
    if not total:
        return None
    size = range(len(table))
    agree = sum(table[i][i] for i in size) / total
    chance = sum(sum(table[i]) * sum(row[i] for row in table) for i in size) / total**2
    return None if chance == 1 else round((agree - chance) / (1 - chance), 10)
