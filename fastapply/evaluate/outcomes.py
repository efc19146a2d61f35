"""The classes of outcome, and which of them a result falls into as far as a program can tell.

The first six are those by which Relace counts what its apply models do; the others say why there is no merge.

They are explained in `help/evaluation.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal, get_args

from fastapply.evaluate.same_code import same_code

if TYPE_CHECKING:
    from fastapply.evaluate.cases import Case
    from fastapply.evaluate.engines import Attempt

MergeClass = Literal[
    "correct", "non_functional", "smoothing", "functional_error", "hallucination", "truncation"
]
Outcome = Literal[MergeClass, "refused", "crashed", "timed_out", "not_applicable"]
CLASSES: tuple[MergeClass, ...] = get_args(MergeClass)
OUTCOMES: tuple[Outcome, ...] = (*CLASSES, "refused", "crashed", "timed_out", "not_applicable")
RIGHT_CLASSES = frozenset(CLASSES[:3])

Decided = Literal["bytes", "blank", "tree", "answer", "suggested", "end"]
"""How an outcome is known.

`bytes` and `blank` (but for blank lines and white space at line ends) compare with the known answer, `tree`
says that both are the same code, `answer` that the edit had to be refused and was not, or was;
`suggested` is a guess of the lab that a person or a judge confirms; `end` is a run without a merge.
"""


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome, how it is known, and the line of the merge (1-based) that shows it."""

    outcome: Outcome
    decided: Decided
    why: str = ""
    line: int | None = None

    @property
    def right(self) -> bool:
        """Whether the outcome is one that a user wants."""
        if self.decided == "answer":
            return self.outcome == "refused"
        return self.outcome in RIGHT_CLASSES


def decide(case: Case, attempt: Attempt) -> Verdict:
    """The verdict on what was done with a case."""
    merged = attempt.merged
    if attempt.status == "refused":
        return Verdict("refused", "answer" if case.must_refuse else "end", attempt.reason)
    if attempt.status in {"timed_out", "not_applicable"}:
        return Verdict(attempt.status, "end", attempt.reason)
    if attempt.status == "crashed" or merged is None:
        return Verdict("crashed", "end", attempt.reason)
    if case.must_refuse:
        return Verdict("functional_error", "answer", "the edit had to be refused")
    if not case.answers:
        return _suggested(case, merged)
    if merged in case.answers:
        return Verdict("correct", "bytes")
    if any(squash(merged) == squash(answer) for answer in case.answers):
        return Verdict("non_functional", "blank", "blank lines or white space at line ends")
    if any(same_code(merged, answer, case.language) for answer in case.answers):
        return Verdict("non_functional", "tree", "the same code but for comments, formatting or order")
    return _suggested(case, merged)


def _suggested(case: Case, merged: str) -> Verdict:
    """What the lab takes a merge for that nothing decides; without the lab only whether it is as expected."""
    if find_spec("fastapply_lab") is None:
        if case.answers:
            return Verdict("functional_error", "suggested", "it is not the expected text")
        return Verdict("correct", "suggested", "the expected text is not known")
    lab = import_module("fastapply_lab.evaluate.suggest")
    if case.answers:
        guess = lab.suggest(case.original, case.edit, merged, case.answers[0], case.language)
    else:
        guess = lab.suggest_unknown(case.original, case.edit, merged, case.language)
    return Verdict(guess.outcome, "suggested", guess.why, guess.line)


def squash(text: str) -> list[str]:
    """The lines that say something, without white space at their ends."""
    return [line.rstrip() for line in text.replace("\r\n", "\n").split("\n") if line.strip()]
