"""The whole way of an edit, text to text: read it, merge its parts one after the other, verify.

    edit text ─ formats ─▶ FileEdit ─┐
    SourceText ──────────────────────┴─ merge ─▶ Proposal ─ certain ─▶ verify ─▶ Merged
                                                   └─ open ─▶ picked by the caller, or Refused

Every face (command line, library, servers) goes through here; nothing here opens a file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from fastapply.errors import ModelTrouble, Refused
from fastapply.text import SourceText, splice
from fastapply.types import METHOD_ORDER, FormatName, HunkList, LineRange, Method, Proposal

if TYPE_CHECKING:
    from fastapply.types import Candidate, Edit, FileEdit, Finding, Part, Question

Engine = Literal["auto", "deterministic", "model"]

MODEL_STEP = "for edits like this one an apply model can decide: pip install 'fastapply[model]'"


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller may ask of a merge besides the edit itself."""

    instructions: str = ""  # the one line that a coding model sends along
    format_name: FormatName | None = None  # skip detection
    engine: Engine = "auto"
    allow: frozenset[str] = frozenset()  # codes of findings to accept
    at: LineRange | None = None  # answers a refusal: the place that was meant
    picks: tuple[int, ...] = ()  # answers refusals in their order: 1-based candidates
    create: bool = False  # a whole file may create the file


@dataclass(frozen=True, slots=True)
class Merged:
    """A merge that may be written: the new text, and how it was made.

    `unchanged` means that the edit is in the file already. `accepted` are findings that the
    caller allowed.
    """

    text: SourceText
    method: Method
    unchanged: bool
    format: FormatName
    accepted: tuple[Finding, ...] = ()


def read_edit(text: str, *, path: str | None, original: SourceText | None, options: Options) -> Edit:
    """Parse an edit; `path` and `original` where it is for one known file. Raises `EditError`."""
    from fastapply.formats import parse_edit

    return parse_edit(text, path=path, original=original, format_name=options.format_name)


def merge_edit(
    original: SourceText, edit: Edit, file_edit: FileEdit, *, path: str | None, options: Options
) -> Merged:
    """Merge all that an edit says about one file, and verify the result.

    Raises `Refused` with the open questions or the findings, `ModelTrouble` where a model is asked
    for and there is none.
    """
    from fastapply.syntax import language_of

    if options.engine == "model":
        raise ModelTrouble(
            "the model engine is not installed",
            reason="no_model",
            hint="pip install 'fastapply[model]', or leave out --engine model",
        )
    language = language_of(path, original.lines[0] if original.lines else "")
    merged, methods, picks = original, list[Method](), list(options.picks)
    whole = False
    for part in file_edit.parts:
        proposal = propose(merged, part, language=language, options=options)
        if not proposal.certain:
            proposal = _answered(proposal, options.at, picks)
        merged = _put_in(merged, proposal)
        methods.append(proposal.method)
        whole = whole or proposal.method == "whole"
    accepted = _verified(original, file_edit, merged, language, options)
    return Merged(
        merged,
        max(methods, key=METHOD_ORDER.index, default="exact"),
        merged.text == original.text,
        "whole" if whole and edit.format == "lazy" else edit.format,
        accepted,
    )


def propose(source: SourceText, part: Part, *, language: str | None, options: Options) -> Proposal:
    """The closed-form merge of one part of an edit."""
    if isinstance(part, HunkList):
        from fastapply.merge.hunks import merge_hunks

        return merge_hunks(source, part, instructions=options.instructions)
    from fastapply.merge.lazy import merge_snippet

    return merge_snippet(source, part, language=language, instructions=options.instructions)


def _put_in(source: SourceText, proposal: Proposal) -> SourceText:
    merged = splice(source, proposal.splices)
    if proposal.final_newline is None or not merged.lines:
        return merged
    last = (merged.endings[-1] or merged.newline) if proposal.final_newline else ""
    return replace(merged, endings=(*merged.endings[:-1], last))


def _answered(proposal: Proposal, at: LineRange | None, picks: list[int]) -> Proposal:
    """The proposal that the caller's `--at` or `--pick` chose; raises `Refused` where none was chosen."""
    chosen: Candidate | None = None
    if len(proposal.questions) == 1:
        question = proposal.questions[0]
        if picks and question.candidates:
            number = picks.pop(0)
            if not 1 <= number <= len(question.candidates):
                raise _refusal(proposal, f"there is no candidate {number}")
            chosen = question.candidates[number - 1]
        elif at is not None:
            chosen = _at(question, at, proposal)
    if chosen is None or not chosen.splices:
        raise _refusal(proposal)
    return replace(proposal, splices=chosen.splices, questions=())


def _at(question: Question, at: LineRange, proposal: Proposal) -> Candidate | None:
    """The one candidate whose lines overlap those that the caller names."""
    meant = [
        candidate
        for candidate in question.candidates
        if candidate.lines.first <= at.last and at.first <= max(candidate.lines.last, candidate.lines.first)
    ]
    if len(meant) > 1:
        raise _refusal(proposal, f"lines {at.first}-{at.last} hold {len(meant)} of the places")
    return meant[0] if meant else None


def _refusal(proposal: Proposal, note: str = "") -> Refused:
    first = proposal.questions[0]
    message = first.message if not note else f"{note}; {first.message}"
    more = len(proposal.questions) - 1
    if more:
        message += f" (and {more} more open question{'s' if more > 1 else ''})"
    return Refused(message, reason=first.reason, hint=first.hint, questions=proposal.questions)


def _verified(
    original: SourceText, file_edit: FileEdit, merged: SourceText, language: str | None, options: Options
) -> tuple[Finding, ...]:
    """Findings that the caller allows; raises `Refused` where there are others."""
    from fastapply.verify import verify

    findings = verify(original, file_edit, merged, language=language)
    against = tuple(finding for finding in findings if finding.code not in options.allow)
    if against:
        first = against[0]
        raise Refused(
            f"the merge did not pass the check: {first.message}",
            reason=first.code,
            hint=f"show more unchanged lines around the change, or accept this with --allow {first.code}",
            findings=findings,
        )
    return findings
