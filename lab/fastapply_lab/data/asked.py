"""Windows of edits as models write them: what a model is shown in use, and the merge that is right.

Each case (`fastapply.evaluate.cases`) goes the way of an edit in use up to where a model would be asked:
read, merged by the deterministic engine, and shown as far as it is open (`fastapply.models.focus`). An edit
that the engine refuses is *open*: those are what a model is there for, and all of them are kept. Of the edits
that it decides only some are, so that a model that is asked about all edits still knows what a clear one
looks like.

A few windows must be refused: they show a file, and an edit of another file of the same language.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fastapply.errors import FastapplyError
from fastapply.models.focus import focus_on_open, unfocused
from fastapply.models.region import find_splices, predict
from fastapply.models.rewrite import edit_text
from fastapply.pipeline import read_edit
from fastapply.pipeline.parts import propose, propose_together, put_in
from fastapply.pipeline.written import around
from fastapply.text import from_text, splice, split_lines
from fastapply.types import Finding, Options, Snippet, may_answer
from fastapply_lab.data.windows import Window, joined, splices_between

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Sequence

    from fastapply.evaluate.cases import Case
    from fastapply.models.focus import Focus
    from fastapply.text import SourceText
    from fastapply.types import Part, Proposal

OPEN, CLEAR, OTHER_FILE = "open", "clear", "other-file"
"""Styles of these windows: what the deterministic engine makes of the edit, or how it was spoilt."""
_OTHERS = 8  # other edits that are tried, at most, to spoil one


@dataclass(frozen=True, slots=True)
class Asked:
    """A case as a model would be asked about it."""

    case: Case
    part: Part
    proposal: Proposal
    focus: Focus

    @property
    def open(self) -> bool:
        """Whether the deterministic engine refuses the edit."""
        return not self.proposal.certain


@dataclass(frozen=True, slots=True)
class Mixture:
    """How many of which windows. `clear` are those for each open one; the others are shares of all."""

    clear: float = 0.5
    refusals: float = 0.04
    without_instructions: float = 0.25
    seed: int = 1


def ask(case: Case) -> Asked | str:
    """What a model would be shown of a case; else why it is never asked about it."""
    source = from_text(case.original)
    options, language = Options(instructions=case.instructions), case.language or None
    try:
        edit = read_edit(case.edit, path=case.path, original=source, options=options)
        parts = [part for one in edit.files for part in one.parts]
        if not all(isinstance(part, Snippet) for part in parts):
            return "hunks"
        joined = _as_one(source, parts, language=language, options=options, said=around(edit))
    except FastapplyError as error:
        return error.reason
    if joined is None:
        return "several parts, or none"
    part, proposal = joined
    if not may_answer(proposal):
        return proposal.questions[0].reason
    return Asked(case, part, proposal, focus_on_open(source, part, proposal))


def _as_one(
    source: SourceText, parts: Sequence[Part], *, language: str | None, options: Options, said: str
) -> tuple[Part, Proposal] | None:
    """The one snippet that a model would be asked about, and what the engine makes of it."""
    work = source
    for part in parts:
        proposal = propose(work, part, language=language, options=options, said=said)
        if len(parts) == 1:
            return part, proposal
        if not proposal.certain:
            return propose_together(source, parts, language=language, options=options, said=said)
        work = put_in(work, proposal)
    return None  # no part, or all are certain by themselves


def window_of(asked: Asked) -> Window | str:
    """The window of a case, with its right merge; else why there is none.

    Where that is not all in what is shown, the edit is shown as it is, in a region that holds it.
    """
    case = asked.case
    source, wanted = from_text(case.original), from_text(case.expected or "").lines
    all_splices = splices_between(source.lines, wanted)
    if case.expected is None or not all_splices:
        return "changes nothing"
    focus, splices = asked.focus, splices_between(asked.focus.source.lines, wanted)
    if not focus.region.holds(splices):
        told = replace(asked.proposal, splices=(*asked.proposal.splices, *all_splices))
        focus, splices = unfocused(source, asked.part, told), all_splices
    merged = joined(predict(focus.source.lines, focus.region, splices))
    found = find_splices(focus.source.lines, focus.region, split_lines(merged)[0])
    if isinstance(found, Finding) or not _same(splice(focus.source, found).lines, wanted):
        return "the region does not hold the change"
    return _window(case, focus, OPEN if asked.open else CLEAR, merged)


def refusal_of(asked: Asked, other: Case) -> Window | None:
    """The window that shows a file and an edit of another one; None where that edit fits nowhere or fits."""
    if other.path == asked.case.path or other.language != asked.case.language:
        return None
    strange = ask(replace(asked.case, edit=other.edit, instructions=other.instructions))
    if isinstance(strange, str) or not strange.open:
        return None
    window = _window(strange.case, strange.focus, OTHER_FILE, None)
    return replace(window, id=f"{window.id}-{OTHER_FILE}")


def mix(asked: Sequence[Asked], mixture: Mixture, left_out: Counter[str]) -> Iterator[Window]:
    """The windows of cases in an order that a seed gives; counts in `left_out` what becomes none."""
    rng = random.Random(mixture.seed)  # noqa: S311 - an order, not a secret
    order = list(asked)
    rng.shuffle(order)
    spare = (
        len(order) - sum(one.open for one in order) - round(mixture.clear * sum(one.open for one in order))
    )
    for one in order:
        if not one.open and spare > 0:
            spare -= 1
            left_out[CLEAR] += 1
            continue
        window = window_of(one)
        if isinstance(window, str):
            left_out[window] += 1
            continue
        yield _without(window, mixture, rng)
        if rng.random() < mixture.refusals:
            others = (rng.choice(order).case for _ in range(_OTHERS))
            spoilt = next((made for other in others if (made := refusal_of(one, other))), None)
            if spoilt is not None:
                yield _without(spoilt, mixture, rng)


def ask_all(cases: Iterable[Case], *, jobs: int = 1) -> Iterator[Asked | str]:
    """`ask` for each case in their order, `jobs` of them at a time."""
    from concurrent.futures import ProcessPoolExecutor

    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(ask, cases, chunksize=8)


def _window(case: Case, focus: Focus, style: str, merged: str | None) -> Window:
    shown = joined(focus.region.texts(focus.source.lines))
    return Window(
        *(case.id, case.repository, case.commit, case.path, case.licence, case.language, case.format, style),
        *(shown, edit_text(focus.part), merged, case.instructions),
    )


def _without(window: Window, mixture: Mixture, rng: random.Random) -> Window:
    """The window, or by chance the same without its instructions."""
    return replace(window, instructions="") if rng.random() < mixture.without_instructions else window


def _same(one: Sequence[str], other: Sequence[str]) -> bool:
    return [line.rstrip() for line in one] == [line.rstrip() for line in other]
