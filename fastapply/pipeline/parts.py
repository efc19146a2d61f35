"""The parts of an edit, put into a file one after the other: each as proposed, picked, or written by a model.

    part ─ propose ─▶ Proposal ─ certain ────────────────────────────▶ put in
                          └─ open ─▶ read with the other parts as one, written by a model, or picked

Nothing here verifies; `pipeline` does, once all parts are in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.errors import Refused
from fastapply.pipeline.picks import Answers
from fastapply.text import splice
from fastapply.types import HunkList, Question, Spare, may_answer
from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.models.engine import ApplyModel
    from fastapply.text import SourceText
    from fastapply.types import Finding, LineRange, Method, ModelRun, Options, Part, Proposal, Snippet


def propose(
    source: SourceText, part: Part, *, language: str | None, options: Options, said: str = ""
) -> Proposal:
    """The deterministic merge of one part of an edit; `said` are the words around its code."""
    if isinstance(part, HunkList):
        from fastapply.merge.hunks import merge_hunks

        return merge_hunks(source, part, instructions=options.instructions)
    from fastapply.merge.lazy import merge_snippet

    return merge_snippet(
        source,
        part,
        language=language,
        instructions=options.instructions,
        around=said,
        min_certainty=options.min_certainty,
    )


def propose_together(
    source: SourceText, parts: Sequence[Part], *, language: str | None, options: Options, said: str = ""
) -> tuple[Snippet, Proposal] | None:
    """Several snippets as one, and the deterministic merge of that; None where they are better read alone."""
    from fastapply.merge.together import agree, in_order, join_snippets

    joined = join_snippets(source.lines, parts)
    if joined is None:
        return None
    try:
        alone = [propose(source, one, language=language, options=options, said=said) for one in parts]
        if not in_order(alone):
            return None
        proposal = propose(source, joined, language=language, options=options, said=said)
    except Refused:
        return None
    return None if proposal.certain and not agree(alone, proposal) else (joined, proposal)


def put_in(source: SourceText, proposal: Proposal) -> SourceText:
    """The text that a proposal makes of a file."""
    merged = splice(source, proposal.splices)
    if proposal.final_newline is None or not merged.lines:
        return merged
    last = (merged.endings[-1] or source.newline) if proposal.final_newline else ""
    return replace(merged, endings=(*merged.endings[:-1], last))


@dataclass(frozen=True, slots=True)
class Manner:
    """What holds for all parts of an edit: `said` are the words around its code."""

    language: str | None
    options: Options
    said: str

    def propose(self, source: SourceText, part: Part) -> Proposal:
        """The deterministic merge of one part."""
        return propose(source, part, language=self.language, options=self.options, said=self.said)


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A part that a model wrote: what was open about it, and what the model did."""

    proposal: Proposal
    run: ModelRun


@dataclass(frozen=True, slots=True)
class PartsResult:
    """A file with all parts of an edit put in; `certainties` are those of the parts that have one."""

    text: SourceText
    methods: tuple[Method, ...]
    asked: tuple[ModelAnswer, ...]
    certainties: tuple[float, ...]
    weighed: bool  # all parts are
    spare: Spare = Spare()  # what of the caller's answers no part needed


def put_parts(
    text: SourceText,
    parts: Sequence[Part],
    manner: Manner,
    *,
    created: bool,
    doubt: Finding | None,
    window: LineRange | None = None,
) -> PartsResult:
    """Put the parts in, each as proposed, picked, or written by a model. Raises as `merge_edit` does.

    With a `doubt` what the engine is certain of is open, for a model. Several snippets, of which one is open
    by itself, are read as one where that is certain. With a `window` no other lines of the file change.
    """
    start, options = text, manner.options
    methods: list[Method] = ["whole"] if created else []
    asked, certainties, weighed = list[ModelAnswer](), list[float](), bool(parts)
    answers = Answers(list(options.picks), options.at)
    for part in parts:
        proposal = _proposed(text, part, window, answers, manner)
        if doubt is not None:
            question = Question(doubt.code, doubt.message, "", getattr(part, "edit_line", 1))
            proposal = replace(proposal, questions=(question,), certainty=None, weighed=False)
        if options.engine == "model" or not proposal.certain:
            work = _put_together(start, parts, proposal, manner)
            if work is not None:
                return replace(work, methods=("whole", *work.methods)) if created else work
            model = _model_for(proposal, options, picked=bool(answers.picks))
            if model is not None:
                from fastapply.models.rewrite import rewrite

                written, run = rewrite(text, part, proposal, model, language=manner.language, options=options)
                asked.append(ModelAnswer(proposal, run))
                proposal = written
            else:
                from fastapply.pipeline.picks import answered

                already = answers.taken
                try:
                    proposal = answered(proposal, part, options, answers, text)
                except Refused as refused:
                    refused.taken = already
                    raise
        if proposal.certainty is not None:
            certainties.append(proposal.certainty)
        weighed = weighed and proposal.weighed
        before, text = len(text.lines), put_in(text, proposal)
        if window is not None:
            window = replace(window, last=window.last + len(text.lines) - before)
        methods.append(proposal.method)
    return PartsResult(text, tuple(methods), tuple(asked), tuple(certainties), weighed, answers.spare)


def _proposed(
    text: SourceText, part: Part, window: LineRange | None, answers: Answers, manner: Manner
) -> Proposal:
    """The merge of a part, where the caller says that it goes; open where nothing says that."""

    def whole(source: SourceText) -> Proposal:
        return manner.propose(source, part)

    where = manner.options.where
    if window is not None:
        from fastapply.pipeline.addressed import propose_within

        return propose_within(text, part, window, whole, where.name if where is not None else "")
    proposal = whole(text)
    if answers.at is None or proposal.certain or answers.picks:
        return proposal
    from fastapply.pipeline.addressed import propose_at

    proposal = propose_at(text, part, proposal, whole, at=answers.at, language=manner.language)
    answers.at_used = answers.at_used or proposal.certain
    return proposal


def _put_together(
    text: SourceText, parts: Sequence[Part], open_: Proposal, manner: Manner
) -> PartsResult | None:
    """All parts put in as one snippet, by the engine or a model that was measured; None where that is open.

    `open_` is what the engine makes of the first part that is open by itself. It is that part which a refusal
    is about, and which the caller's answer to it is for. Raises `Refused`, `ModelTrouble`.
    """
    language, options = manner.language, manner.options
    if len(parts) < 2 or open_.certain or options.answered:
        return None
    if options.engine == "model":
        return None  # which writes each part
    joined = propose_together(text, parts, language=language, options=options, said=manner.said)
    if joined is None:
        return None
    part, proposal = joined
    asked = tuple[ModelAnswer, ...]()
    if not proposal.certain:
        model = _model_for(proposal, options, picked=False)
        if model is None:
            return None
        from fastapply.models.engine import with_trust
        from fastapply.models.rewrite import rewrite

        if with_trust(model) is None:
            return None
        try:
            proposal, run = rewrite(text, part, proposal, model, language=language, options=options)
        except Refused as refused:
            refused.questions = open_.questions
            raise
        asked = (ModelAnswer(open_, run),)
    certainties = () if proposal.certainty is None else (proposal.certainty,)
    methods = (proposal.method,) * len(parts)
    return PartsResult(put_in(text, proposal), methods, asked, certainties, proposal.weighed)


def _model_for(proposal: Proposal, options: Options, *, picked: bool) -> ApplyModel | None:
    """The model that is to write a part; None where the caller has answered, or there is none to ask.

    Raises `ModelTrouble` where a model is asked for and there is none.
    """
    if options.engine == "deterministic":
        return None
    model = options.open_model() if options.open_model is not None else None
    if model is None and options.engine == "model":
        from fastapply.pipeline.picks import no_model

        raise no_model("no apply model is selected", "leave --engine out")
    if proposal.certain:
        return model if proposal.splices and proposal.method != "whole" else None
    if model is None or picked or options.answered:
        return None
    return model if may_answer(proposal) else None
