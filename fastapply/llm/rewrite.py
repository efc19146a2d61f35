"""The model path of one part of an edit: show, ask, read, and check what only the model's caller can.

What comes back goes to the verifier like every other merge. Four things are asked of what a model writes
beside that: its answer is nothing but the merged text; it changes something; where the question was only
*which* of several places is meant, it chose one of them and did nothing else; and where nothing was open, it
agrees with the deterministic merge, since of two opinions that differ one is wrong. Of a model that was
measured, what it writes must also be certain enough (`trust`); what the verifier finds counts in that.
"""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING

from fastapply.errors import Refused
from fastapply.llm.answer import read_answer
from fastapply.llm.choosing import choose
from fastapply.llm.engine import Drafts, Task, with_trust
from fastapply.llm.prompts import Shown, expected_answer, render_prompt
from fastapply.llm.region import find_splices, predict, whole_file
from fastapply.llm.surroundings import choose_region
from fastapply.llm.trust import facts_of
from fastapply.llm.usage import ModelRun
from fastapply.open_to_models import may_answer as may_answer  # noqa: PLC0414 - for those who ask models
from fastapply.text import splice, split_lines
from fastapply.types import Finding, Proposal, Snippet
from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.llm.engine import ApplyModel, ChoosingModel, Completion
    from fastapply.llm.region import Region
    from fastapply.pipeline import Options
    from fastapply.text import SourceText
    from fastapply.types import HunkList, Part, Splice

_CHARACTERS_A_TOKEN = 5  # at most, in code: what is too long by this measure is so for sure
_SLACK = 256  # characters that an answer may have beyond those of code and edit
_MOST_WAYS = 256


def rewrite(
    source: SourceText,
    part: Part,
    proposal: Proposal,
    model: ApplyModel,
    *,
    language: str | None,
    options: Options,
) -> tuple[Proposal, ModelRun]:
    """Let a model make the merge of one part; gives the merge, for the verifier, and what it took.

    Raises `Refused` with the deterministic candidates where the answer is no merge, `ModelTrouble` where
    the model does not run.
    """
    trusted = with_trust(model)
    weighs = trusted is not None and bool(proposal.questions)
    written = write(
        source,
        part,
        proposal,
        model,
        language=language,
        options=options,
        chooser=trusted if trusted is not None and weighs and "chosen" in trusted.trust.weights else None,
    )
    if isinstance(written.splices, Finding):
        raise refuse_model((written.splices,), [proposal], written.run)
    if trusted is None or not weighs:
        return replace(
            proposal, splices=written.splices, method="model", questions=(), certainty=None
        ), written.run
    certainty = trusted.trust.certainty(written.facts)
    least = trusted.trust.threshold if options.min_certainty is None else options.min_certainty
    if certainty < least:
        raise refuse_model((_unsure(certainty, least),), [proposal], written.run)
    made = replace(
        proposal, splices=written.splices, method="model", questions=(), certainty=certainty, weighed=True
    )
    return made, written.run


@dataclass(frozen=True, slots=True)
class Written:
    """What a model wrote: the merge, or what is wrong with it, and the facts of a merge (see `trust`)."""

    splices: tuple[Splice, ...] | Finding
    run: ModelRun
    facts: dict[str, float]
    chosen: tuple[float, ...] = ()  # the model's own share of each candidate


def write(
    source: SourceText,
    part: Part,
    proposal: Proposal,
    model: ApplyModel,
    *,
    language: str | None,
    options: Options,
    chooser: ChoosingModel | None = None,
) -> Written:
    """Let a model write the merge of one part; `chooser` is the same model, where it is to choose as well.

    Raises `Refused` with the deterministic candidates, and `ModelTrouble`.
    """
    file = source.lines
    region, task = prepare_task(file, part, proposal, model, language=language, options=options)
    candidates = [one for question in proposal.questions for one in question.candidates]
    if len(proposal.questions) != 1:
        candidates = []  # those of one question answer the others in no way
    try:
        chosen = choose(file, candidates, region, task, chooser) if chooser is not None else ()
        completion = _complete(model, task)
    except Refused as refused:
        refused.questions = proposal.questions
        raise
    run = ModelRun(model.name, completion.finish, len(completion.text), completion.usage)
    text = read_answer(completion, model.style, code=task.drafts.original)
    splices = text if isinstance(text, Finding) else find_splices(file, region, split_lines(text)[0])
    if not isinstance(splices, Finding):
        splices = _against(source, part, proposal, splices) or splices
    if isinstance(splices, Finding):
        return Written(splices, run, {}, chosen)
    facts = facts_of(
        source,
        part,
        splices,
        candidates=candidates,
        chosen=chosen,
        likelihood=completion.likelihood,
        language=language,
    )
    return Written(splices, run, facts, chosen)


def _unsure(certainty: float, least: float) -> Finding:
    return Finding(
        "answer_unsure",
        f"what it wrote has a certainty of {certainty:.1%}, and {least:.1%} are asked for",
        None,
        "functional_error",
    )


def refuse_model(findings: Sequence[Finding], proposals: Sequence[Proposal], run: ModelRun) -> Refused:
    """The refusal of a model's merge, with what the closed form offers in its place.

    `findings` are those of this module or of the verifier, the most important first; `proposals` is what
    the closed form made of each part that the model was asked about.
    """
    questions = tuple(question for proposal in proposals for question in proposal.questions)
    first, finding = questions[0] if questions else None, findings[0]
    asked = f"; it was asked because {first.message}" if first else ""
    return Refused(
        f"the merge by {run.name} is no good: {finding.message} ({finding.failure.replace('_', ' ')}){asked}",
        reason=finding.code,
        hint=first.hint if first else "leave out --engine model: this edit is certain without a model",
        questions=questions,
        findings=tuple(findings),
        model=run,
    )


def edit_text(part: Part) -> str:
    """A part of an edit as a model is shown it: a snippet as it came, hunks as SEARCH/REPLACE blocks."""
    if isinstance(part, Snippet):
        return _joined(part.lines)
    return "".join(_blocks(part))


def _blocks(hunks: HunkList) -> list[str]:
    blocks = []
    for hunk in hunks.hunks:
        before = "...\n".join(_joined(segment.before) for segment in hunk.segments)
        after = "...\n".join(_joined(segment.after) for segment in hunk.segments)
        blocks.append(f"<<<<<<< SEARCH\n{before}=======\n{after}>>>>>>> REPLACE\n")
    return blocks


def _joined(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def prepare_task(
    file: Sequence[str],
    part: Part,
    proposal: Proposal,
    model: ApplyModel,
    *,
    language: str | None,
    options: Options,
) -> tuple[Region, Task]:
    """What a model is shown of a file, and what it is asked; the whole file only where that fits."""
    shown = Shown(
        code=_joined(file),
        edit=edit_text(part),
        language=language or "",
        instructions=options.instructions,
        conversation=options.conversation,
    )
    region = whole_file(file)
    task = _make_task(model, shown, predict(file, region, proposal.splices))
    if not options.full_file or not _may_fit(model, task):
        region = choose_region(file, part, proposal)
        shown = replace(shown, code=_joined(region.texts(file)))
        task = _make_task(model, shown, predict(file, region, proposal.splices))
    return region, task


def _make_task(model: ApplyModel, shown: Shown, guess: Sequence[str]) -> Task:
    predicted = expected_answer(model.style, _joined(guess))
    longest = max(len(shown.code), len(predicted)) + len(shown.edit) + _SLACK
    return Task(render_prompt(model.style, shown), Drafts(predicted, shown.code, shown.edit), longest)


def _may_fit(model: ApplyModel, task: Task) -> bool:
    return not model.context_length or _fewest_tokens(task) <= model.context_length


def _fewest_tokens(task: Task) -> int:
    """Tokens that prompt and answer have at the very least."""
    characters = sum(len(piece.text) for piece in task.prompt.pieces) + len(task.drafts.predicted)
    return characters // _CHARACTERS_A_TOKEN


def _complete(model: ApplyModel, task: Task) -> Completion:
    """Ask the model; what cannot fit is refused before it is loaded, the rest once tokens are counted."""
    if not _may_fit(model, task):
        raise Refused(
            f"{_fewest_tokens(task)} tokens or more of prompt and answer do not fit the "
            f"{model.context_length} of {model.name}",
            reason="too_long",
            hint="split the edit, or choose a model with a longer context",
        )
    return model.complete(task)


def _against(
    source: SourceText, part: Part, proposal: Proposal, splices: tuple[Splice, ...]
) -> Finding | None:
    """What speaks against a merge before the verifier looks at it."""
    if not splices and (proposal.splices or proposal.questions):
        return Finding("answer_unchanged", "the model changed nothing", None, "functional_error")
    ways = _ways(part, proposal)
    if ways is None:
        return None
    lines = splice(source, splices).lines
    for way in ways:
        if any(one.end > other.start for one, other in pairwise(way)):
            continue
        if splice(source, way).lines == lines:
            return None
    message = "the model's merge is none of those that fit the edit"
    if not proposal.questions:
        message = "the model's merge is not the one that is certain without a model"
    return Finding("answer_other", message, None, "functional_error")


def _ways(part: Part, proposal: Proposal) -> list[tuple[Splice, ...]] | None:
    """All merges that the open questions allow, where they ask only which place is meant; else None."""
    questions = proposal.questions
    if not questions:
        return [proposal.splices]
    if any(one.reason != "ambiguous" or not one.candidates for one in questions):
        return None
    if any(candidate.share is not None for one in questions for candidate in one.candidates):
        return None  # ranked candidates are the likeliest merges, and not all that there are
    chosen = [[candidate.splices for candidate in question.candidates] for question in questions]
    if isinstance(part, Snippet):
        return chosen[0] if len(questions) == 1 else None
    ways = []
    for number, way in enumerate(product(*chosen)):
        if number == _MOST_WAYS:
            break
        together = {*proposal.splices, *(change for changes in way for change in changes)}
        ways.append(tuple(sorted(together, key=lambda change: (change.start, change.end))))
    return ways
