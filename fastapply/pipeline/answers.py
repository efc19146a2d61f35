"""A caller's answers to what is open: a candidate for each question, by its number or lines, or asked now."""

from __future__ import annotations

from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.errors import ModelTrouble, Refused
from fastapply.types import HunkList, may_answer
from fastapply.values import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.pipeline.picks import Answers
    from fastapply.text import SourceText
    from fastapply.types import Candidate, LineRange, Options, Part, Proposal, Question

_STEP = "or let an apply model decide: "
_COMMANDS = "`fastapply models pull apply-1.5b`, then `fastapply models use apply-1.5b`"
_EXTRA = "needs the extra `model`: install this checkout with `pip install -e '.[model]'`"


def way_to_a_model() -> str:
    """What it takes to have an apply model here."""
    return _COMMANDS if find_spec("llama_cpp") is not None else f"{_COMMANDS} ({_EXTRA})"


def no_model(message: str, otherwise: str) -> ModelTrouble:
    """The trouble of having no model to ask; `otherwise` says what else can be done."""
    return ModelTrouble(message, reason="no_model", hint=f"{way_to_a_model()}; or {otherwise}")


def is_model_step(line: str) -> bool:
    """Whether a line of a hint is the step to a model."""
    return line.startswith(_STEP)


def answered(
    proposal: Proposal, part: Part, options: Options, answers: Answers, source: SourceText
) -> Proposal:
    """The proposal that the caller chose, with `--at`, `--pick` or asked now.

    Raises `Refused` where not all is chosen.

    A candidate of a lazy edit is a merge of its own, so that only one question can be answered. Hunks
    go in side by side: each open one is answered for itself, and the certain ones are in already.
    """
    questions = proposal.questions
    if len(questions) > 1 and not isinstance(part, HunkList):
        raise _refusal(proposal, options)
    chosen = [_chosen(question, proposal, options, answers, source) for question in questions]
    if len(chosen) == 1:
        ranked = chosen[0].share is not None  # the caller has seen what speaks against it
        return replace(proposal, splices=chosen[0].splices, questions=(), weighed=ranked)
    taken = take_each(proposal, chosen)
    if taken is None:
        raise _refusal(proposal, options, "the chosen places overlap")
    return taken


def take_each(proposal: Proposal, chosen: Sequence[Candidate]) -> Proposal | None:
    """A merge of hunks with a candidate for each question; None where two of them change the same lines."""
    splices = {*proposal.splices, *(change for one in chosen for change in one.splices)}
    ordered = tuple(sorted(splices, key=lambda change: (change.start, change.end)))
    if any(one.end > other.start or one.start == other.start for one, other in pairwise(ordered)):
        return None
    return replace(proposal, splices=ordered, questions=())


def _chosen(
    question: Question, proposal: Proposal, options: Options, answers: Answers, source: SourceText
) -> Candidate:
    """The candidate that answers a question; a ranked one may be that nothing is to change."""
    chosen: Candidate | None = None
    number: int | None = None
    if answers.picks:
        pick = answers.take(question) if question.candidates else None
        number = pick.number if pick is not None else None
        if pick is None and answers.picks[0].id not in {"", question.id}:
            note = f"the question has changed since it had the id {answers.picks[0].id}"
            raise _refusal(proposal, options, note, reason="changed_meanwhile")
    elif options.choose is not None and answers.at is None:
        number = options.choose(question, source)
    if number is not None:
        if not 1 <= number <= len(question.candidates):
            raise _refusal(proposal, options, f"candidate {number} does not exist")
        chosen = question.candidates[number - 1]
    elif answers.at is not None:
        chosen = _at(question, answers.at, proposal, options)
        answers.at_used = True
    if chosen is None or not (chosen.splices or chosen.share is not None):
        raise _refusal(proposal, options)
    return chosen


def _at(question: Question, at: LineRange, proposal: Proposal, options: Options) -> Candidate | None:
    """The one candidate whose lines overlap those that the caller names; None where there is none at all."""
    meant = [
        candidate
        for candidate in question.candidates
        if candidate.lines.first <= at.last and at.first <= max(candidate.lines.last, candidate.lines.first)
    ]
    named = f"{at.first}" if at.first == at.last else f"{at.first}-{at.last}"
    if len(meant) > 1:
        raise _refusal(proposal, options, f"--at {named} matches {len(meant)} candidates")
    if not meant and question.candidates:
        raise _refusal(proposal, options, f"--at {named} matches no candidate")
    return meant[0] if meant else None


def _refusal(proposal: Proposal, options: Options, note: str = "", *, reason: str = "") -> Refused:
    first = proposal.questions[0]
    message = first.message if not note else f"{note}; {first.message}"
    more = len(proposal.questions) - 1
    if more:
        message += f" (and {more} more open question{'s' if more > 1 else ''})"
    hint = first.hint
    if _lacks_a_model(proposal, options):
        step = _STEP + way_to_a_model()
        hint = f"{hint}\n{step}" if hint else step
    refused = Refused(
        message,
        reason=reason or first.reason,
        hint=hint,
        questions=proposal.questions,
        certainty=proposal.certainty,
        needed=proposal.needed,
    )
    if refused.limit:
        refused.message = f"{message} ({refused.limit})"
    return refused


def _lacks_a_model(proposal: Proposal, options: Options) -> bool:
    """Whether a model could answer what is open, and none is there to be asked; of hunks none is."""
    is_there = options.open_model is not None and options.open_model() is not None
    return (
        proposal.certainty is not None and options.engine == "auto" and not is_there and may_answer(proposal)
    )
