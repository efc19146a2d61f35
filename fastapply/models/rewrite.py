"""The model path of one part of an edit: show, ask, read, and check what only the model's caller can.

A model that was measured is asked about the open decision alone: how likely it finds each of the ranked
candidates (`choosing`). The likeliest is the merge where this is certain enough (`trust`).

Any other one writes the merge, and what comes back goes to the verifier like every other merge. Four things
are asked of it beside that: the answer is nothing but the merged text; it changes something; where the
question was only *which* of several places is meant, it chose one of them and did nothing else; and where
nothing was open, it agrees with the deterministic merge, since of two opinions that differ one is wrong.

An answer is read strictly: anything beside the merged text is an error.

Each error is a `Finding` whose class is that of the merge failure that it would have become:

================= ================ ===========================================================
code              class            meaning
================= ================ ===========================================================
answer_length     truncation       a limit of its context or its server cut it off
answer_endless    truncation       it wrote more than any right answer has, and did not come to an end
answer_cut        truncation       it stopped before the end tag of its answer
answer_around     functional_error there is text before or behind the answer, thoughts or fences
answer_cannot     functional_error it says that it cannot tell what the edit means
answer_unchanged  functional_error it wrote the code back as it was
answer_other      functional_error it put the edit where it does not fit
answer_beyond     functional_error it changed what it was only shown
answer_unsure     functional_error it is less sure of its merge than it has to be (`Trust`)
================= ================ ===========================================================
"""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING

from fastapply.errors import Refused
from fastapply.models.choosing import choose
from fastapply.models.engine import Drafts, Task, with_trust
from fastapply.models.focus import focus_on_open, unfocused
from fastapply.models.prompts import ShownToModel, answer_form, expected_answer, render_prompt
from fastapply.models.region import find_splices, predict, whole_file
from fastapply.models.trust import facts_of
from fastapply.text import splice, split_lines
from fastapply.types import Finding, ModelRun, Proposal, Snippet, Usage
from fastapply.values import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.models.engine import ApplyModel, ChoosingModel, Completion, TrustedModel
    from fastapply.models.focus import Focus
    from fastapply.models.prompts import Prompt, StyleName
    from fastapply.text import SourceText
    from fastapply.types import Options, Part, Splice

_CHARACTERS_A_TOKEN = 5  # at most, in code: what is too long by this measure is so for sure
_SLACK = 256  # characters that an answer may have beyond those of code and edit
_MOST_WAYS = 256
_NOTHING_TO_COMPARE = Finding("answer_unsure", "there is no candidate to choose", None, "functional_error")
_THOUGHTS = ("<think>", "</think>")


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
    trusted = with_trust(model) if proposal.questions else None
    if trusted is not None:
        return _choose(source, part, proposal, trusted, language=language, options=options)
    focus, task = prepare_task(source, part, proposal, model, language=language, options=options)
    try:
        completion = _complete(model, task)
    except Refused as refused:
        refused.questions = proposal.questions
        raise
    run = ModelRun(model.name, completion.finish, len(completion.text), completion.usage)
    text = read_answer(completion, model.style, code=task.drafts.original)
    splices: tuple[Splice, ...] | Finding = ()
    if isinstance(text, Finding):
        splices = text
    else:
        splices = find_splices(source.lines, focus.region, split_lines(text)[0])
        if not isinstance(splices, Finding):
            splices = _against(source, part, proposal, splices) or splices
    if isinstance(splices, Finding):
        raise refuse_model((splices,), [proposal], run)
    return replace(proposal, splices=splices, method="model", questions=(), certainty=None), run


def _choose(
    source: SourceText,
    part: Part,
    proposal: Proposal,
    model: TrustedModel,
    *,
    language: str | None,
    options: Options,
) -> tuple[Proposal, ModelRun]:
    """The candidate that a model finds likeliest, where that is certain enough; raises as `rewrite` does."""
    focus, prompt = prepare_choice(source, part, proposal, model, language=language, options=options)
    try:
        choice = choose(focus, prompt, model)
    except Refused as refused:
        refused.questions = proposal.questions
        raise
    run = ModelRun(model.name, "choice", 0, choice.usage if choice is not None else Usage())
    if choice is None:
        raise refuse_model((_NOTHING_TO_COMPARE,), [proposal], run)
    certainty = model.trust.certainty(facts_of(proposal, choice, focus))
    least = model.trust.threshold if options.min_certainty is None else options.min_certainty
    if certainty < least:
        message = f"the likeliest merge has a certainty of {certainty:.1%}, and {least:.1%} are asked for"
        unsure = Finding("answer_unsure", message, None, "functional_error")
        raise refuse_model((unsure,), [proposal], run)
    splices = proposal.questions[0].candidates[choice.number].splices
    made = replace(proposal, splices=splices, method="model", questions=(), certainty=certainty, weighed=True)
    return made, run


def prepare_choice(
    source: SourceText,
    part: Part,
    proposal: Proposal,
    model: ChoosingModel,
    *,
    language: str | None,
    options: Options,
) -> tuple[Focus, Prompt]:
    """What a model is shown that is to choose, and how it is asked."""
    focus = focus_on_open(source, part, proposal)
    if options.full_file:
        focus = replace(unfocused(source, part, proposal), region=whole_file(source.lines))
    prompt = render_prompt(model.style, _shown(focus, language, options))
    return focus, replace(prompt, about=_about(proposal))


def refuse_model(findings: Sequence[Finding], proposals: Sequence[Proposal], run: ModelRun) -> Refused:
    """The refusal of a model's merge, with what the closed form offers in its place.

    `findings` are those of this module or of the verifier, the most important first; `proposals` is what
    the closed form made of each part that the model was asked about.
    """
    questions = tuple(question for proposal in proposals for question in proposal.questions)
    first, finding = questions[0] if questions else None, findings[0]
    asked = f"; it was asked because {first.message}" if first else ""
    return Refused(
        f"the merge by {run.name} was rejected: {finding.message}"
        f" ({finding.failure.replace('_', ' ')}){asked}",
        reason=finding.code,
        hint=first.hint if first else "remove --engine model; this edit needs no model",
        questions=questions,
        findings=tuple(findings),
        model=run,
    )


def edit_text(part: Part) -> str:
    """A part of an edit as a model is shown it: a snippet as it came, hunks as SEARCH/REPLACE blocks."""
    if isinstance(part, Snippet):
        return _joined(part.lines)
    from fastapply.edits.search_replace import block_text

    return "".join(map(block_text, part.hunks))


def _joined(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def prepare_task(
    source: SourceText,
    part: Part,
    proposal: Proposal,
    model: ApplyModel,
    *,
    language: str | None,
    options: Options,
) -> tuple[Focus, Task]:
    """What a model that is to write is shown, and its task; the whole file only where that fits."""
    focus = unfocused(source, part, proposal)
    if options.full_file:
        whole = replace(focus, region=whole_file(source.lines))
        task = _task_of(whole, model, language=language, options=options)
        if _may_fit(model, task):
            return whole, task
    return focus, _task_of(focus, model, language=language, options=options)


def _shown(focus: Focus, language: str | None, options: Options) -> ShownToModel:
    return ShownToModel(
        code=_joined(focus.region.texts(focus.source.lines)),
        edit=edit_text(focus.part),
        language=language or "",
        instructions=options.instructions,
        conversation=options.conversation,
    )


def _task_of(focus: Focus, model: ApplyModel, *, language: str | None, options: Options) -> Task:
    guess = predict(focus.source.lines, focus.region, focus.proposal.splices)
    shown = _shown(focus, language, options)
    predicted = expected_answer(model.style, _joined(guess))
    longest = max(len(shown.code), len(predicted)) + len(shown.edit) + _SLACK
    prompt = replace(render_prompt(model.style, shown), about=_about(focus.proposal))
    return Task(prompt, Drafts(predicted, shown.code, shown.edit), longest)


def _about(proposal: Proposal) -> str:
    return proposal.questions[0].message if proposal.questions else ""


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
            hint="split the edit, or use a model with a longer context",
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
    message = "the model's merge is not one of the candidates"
    if not proposal.questions:
        message = "the model's merge differs from the certain merge"
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


def read_answer(completion: Completion, style: StyleName, *, code: str) -> str | Finding:
    r"""Give the text of an answer, or what is wrong with it.

    `code` is what the model was shown; where it begins and ends with no line end between it and its
    tags, the model may still put one there: ``<updated-code>\na\n</updated-code>`` is ``a\n``.
    """
    form = answer_form(style)
    text, finish = completion.text, completion.finish
    if finish == "cannot":
        return _cannot()
    if finish == "length":
        return Finding(
            "answer_length",
            f"the model's answer was truncated by a limit after {len(text)} characters",
            None,
            "truncation",
        )
    if finish == "endless":
        return Finding(
            "answer_endless",
            f"the model wrote {len(text)} characters, more than file and edit have, without finishing",
            None,
            "truncation",
        )
    if not form.start:
        return _bare(text, code, may_refuse=form.may_refuse)
    inside = text.strip()
    if not inside.startswith(form.start):
        return _around(f"the model's answer does not start with {form.start}", inside, form.start)
    if form.end not in inside:
        return Finding("answer_cut", f"the model's answer does not end with {form.end}", None, "truncation")
    if not inside.endswith(form.end):
        return _around("the model wrote text after its answer", inside.rpartition(form.end)[2], "")
    body = inside[len(form.start) : -len(form.end)]
    if form.end in body and form.end not in code:
        return _around("the model wrote several answers", body, "")
    if body.startswith("\n") and not code.startswith("\n"):
        body = body[1:]
    if form.may_refuse and not body.strip():
        return _cannot()
    return body


def _bare(text: str, code: str, *, may_refuse: bool) -> str | Finding:
    """An answer without tags: all of what the model wrote, unless it shows that it is something else."""
    if may_refuse and not text.strip() and code.strip():
        return _cannot()
    first = text.lstrip().split("\n", 1)[0]
    if any(thought in text and thought not in code for thought in _THOUGHTS):
        return _around("the model wrote its reasoning", first, "")
    if first.startswith("```") and not code.lstrip().startswith("```"):
        return _around("the model put its answer in a fence", first, "")
    return text


def _around(message: str, shown: str, until: str) -> Finding:
    before = shown.partition(until)[0] if until else shown
    quoted = " ".join(before.split())[:60]
    return Finding("answer_around", f"{message}: {quoted!r}", None, "functional_error")


def _cannot() -> Finding:
    return Finding("answer_cannot", "the model says that the edit is unclear", None, "functional_error")
