"""A caller's answers: numbers of candidates, perhaps with the id of the question each is for, and lines.

    2, "2", "4f0c2a91:2"; several in one text: "1, 2" ─▶ Pick ─▶ Answers ─ not all needed ─▶ `notes_on`

A pick with an id counts for that question alone: one for another question is refused, and so is one that
nothing was open for. A pick without an id answers whatever is open first; what was not needed is said.

`answered` is what comes of them: a candidate for each question, by its number or lines, or asked now.
"""

from __future__ import annotations

import re
from collections import Counter
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, get_args

from fastapply.errors import ModelTrouble, Refused, UsageError
from fastapply.types import HunkList, LineRange, Pick, Side, Spare, Where, may_answer
from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.text import SourceText
    from fastapply.types import Candidate, Options, Part, Proposal, Question

_LINES = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_PICK = re.compile(r"(?:([0-9a-fA-F]{8}):)?(\d{1,4})")
_STEP = "or let an apply model decide: "
_COMMANDS = "`fastapply models pull apply-1.5b`, then `fastapply models use apply-1.5b`"
_EXTRA = "needs the extra `model`: install this checkout with `pip install '.[model]'`"


def read_picks(given: int | str | Iterable[int | str | Pick]) -> tuple[Pick, ...]:
    """Read a pick, a text of several with commas between them, or a list. Raises `UsageError`."""
    if isinstance(given, str):
        return tuple(_read(one.strip()) for one in given.split(",")) if given.strip() else ()
    return (_read(given),) if isinstance(given, int) else tuple(_read(one) for one in given)


def _read(given: int | str | Pick) -> Pick:
    if isinstance(given, Pick):
        return given
    if isinstance(given, int) and not isinstance(given, bool):
        return Pick(given)
    match = _PICK.fullmatch(given.strip()) if isinstance(given, str) else None
    if match is None:
        raise UsageError(
            f"pick {given!r} is not a number",
            hint="write 1, or ID:1 with the id of the question; 1, 2 for two open parts",
        )
    return Pick(int(match[2]), (match[1] or "").lower())


def read_lines(given: str, name: str) -> LineRange:
    """Read ``41`` or ``41-47``; `name` is what the caller calls that. Raises `UsageError`."""
    match = _LINES.fullmatch(given)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last:
        raise UsageError(f"{name} {given} is not a line range", hint=f"use {name} 41 or {name} 41-47")
    return LineRange(first, last)


def read_where(text: str) -> Where:
    """Read ``"after Store.get"``. Raises `UsageError` where the first word is no side, or no name follows."""
    side, _, name = text.strip().partition(" ")
    for known in get_args(Side):
        if side == known and name.strip():
            return Where(known, name.strip())
    raise UsageError(
        f"where {text!r} names no place",
        hint='write "in NAME", "after NAME", "before NAME" or "replace NAME"',
    )


@dataclass(slots=True)
class Answers:
    """What a caller answered, from which each question takes its own."""

    picks: list[Pick]
    at: LineRange | None
    picked: bool = False
    at_used: bool = False
    taken: tuple[str, ...] = ()  # as the caller gave them, in the order of the questions

    def take(self, question: Question) -> Pick | None:
        """Take the pick for a question: the one with its id, else the first one without any."""
        own = next((one for one in self.picks if one.id and one.id == question.id), None)
        own = own or next((one for one in self.picks if not one.id), None)
        if own is not None:
            self.picks.remove(own)
            self.picked = True
            self.taken += (str(own),)
        return own

    @property
    def spare(self) -> Spare:
        """What no question took."""
        return Spare(tuple(self.picks), None if self.at_used else self.at, self.picked)


def notes_on(spares: Sequence[Spare]) -> tuple[str, ...]:
    """What to tell of answers that none of the files of an edit needed.

    Raises `Refused` (``changed_meanwhile``) for a pick that names a question: it is not open any more.
    """
    if not spares:
        return ()
    left = Counter(spares[0].picks)
    for spare in spares[1:]:
        left &= Counter(spare.picks)
    named = next((one for one in left if one.id), None)
    if named is not None:
        raise Refused(
            f"the question has changed since it had the id {named.id}: nothing is open now",
            reason="changed_meanwhile",
            hint="send the edit without the pick, or see whether it is in the file already",
        )
    picked = any(spare.picked for spare in spares)
    why = "nothing else was open" if picked else "the edit is clear without it"
    notes = [f"pick {one} was not needed: {why}" for one in left.elements()]
    if all(spare.at is not None for spare in spares):
        at = spares[0].at
        named_lines = "" if at is None else f"{at.first}" if at.first == at.last else f"{at.first}-{at.last}"
        notes.append(
            f"at {named_lines} was " + ("ignored: the pick decided" if picked else f"not needed: {why}")
        )
    return tuple(notes)


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
    meant = [candidate for candidate in question.candidates if candidate.lines.meets(at)]
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
