"""The merge of an edit as it is written: its parts one after the other, the verifier, the reviewer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.errors import FileTrouble, Refused
from fastapply.pipeline.parts import Manner, put_parts
from fastapply.text import SourceText, from_text
from fastapply.types import (
    METHOD_ORDER,
    Draft,
    HunkList,
    LineRange,
    Merged,
    Method,
    Options,
    Snippet,
    Spare,
)
from fastapply.values import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.pipeline.parts import ModelAnswer, PartsResult
    from fastapply.types import Edit, FileEdit, Finding, Part

_INEXACT: frozenset[Method] = frozenset({"near", "model"})
"""Ways of a merge that do not do for an edit which names another file, unless the file has its lines."""
_HERE = 0.7
"""Share of an edit's old lines that the file has from which on the edit is for it, whatever name it bears."""
UNPARSED = frozenset({"parse_error", "syntax_error"})


def merge_as_written(
    original: SourceText | None, edit: Edit, file_edit: FileEdit, *, path: str | None, options: Options
) -> Merged:
    """`pipeline.merge_edit` with no mistake of the edit mended. Raises the same."""
    from fastapply.syntax import language_of

    if options.review is not None:
        from fastapply.pipeline.review import check_taken
    merged, parts = started(original, file_edit, path, options)
    if not parts and merged is original:
        taken = options.review(Draft(path, file_edit, original, merged, ())) if options.review else None
        spare = Spare(options.picks, options.at)
        return Merged(merged, "exact", unchanged=True, format=edit.format, taken=taken, spare=spare)
    before, existed, original = original, original is not None, original or from_text("")
    language = language_of(path, merged.lines[0] if merged.lines else "")
    window: LineRange | None = None
    asked = file_edit  # before it was made hunks for a place: code that stands twice is no wish then
    if options.where is not None:
        from fastapply.pipeline.addressed import with_address

        file_edit, window = with_address(merged, file_edit, options.where, language=language)
        parts = file_edit.parts
    said = around(edit) if any(isinstance(part, Snippet) for part in parts) else ""
    manner = Manner(language, options, said)
    doubt: Finding | None = None
    while True:
        work = put_parts(merged, parts, manner, created=merged is not before, doubt=doubt, window=window)
        exact = {*work.methods} == {"exact"} and all(isinstance(part, HunkList) for part in asked.parts)
        findings = find(original, asked, work.text, language, weighed=work.weighed, exact=exact)
        doubt = _to_ask_about(findings, parts, work, options)
        if doubt is None:
            break
    merged = work.text
    taken = None
    if options.review is not None:
        draft = Draft(path, file_edit, original if existed else None, merged, findings)
        taken = options.review(draft)
        findings = check_taken(draft, taken, language)
        merged = taken.text
    accepted = _accepted(findings, options, work.asked)
    notes = [f"left out, because of --only: {', '.join(edit.others)}"] if edit.others else []
    if existed and _is_for_another(original, file_edit, path, work, options):
        notes.append(f"the edit names {file_edit.path}; applied to {path}")
    return Merged(
        merged,
        max(work.methods, key=METHOD_ORDER.index, default="exact"),
        existed and merged.text == original.text,
        "whole" if "whole" in work.methods and edit.format == "lazy" else edit.format,
        accepted,
        file_edit.new_mode,
        work.methods,
        tuple(one.run for one in work.asked),
        min(work.certainties, default=None),
        taken,
        spare=work.spare,
        notes=tuple(notes),
    )


def _is_for_another(
    original: SourceText, file_edit: FileEdit, path: str | None, work: PartsResult, options: Options
) -> bool:
    """Whether an edit bears the name of another file.

    Raises `Refused` (``other_file``) where it is only similar to what this file says; not where the caller
    has answered a question about it.
    """
    from fastapply.edits.names import same_file

    named = file_edit.path
    if not named or not path or same_file(named, path):
        return False
    if options.answered or _INEXACT.isdisjoint(work.methods):
        return True
    held = {line.strip() for line in original.lines}
    before = [line.strip() for part in file_edit.parts if isinstance(part, HunkList) for line in part.before]
    told = [line for line in before if line]
    if sum(line in held for line in told) < _HERE * len(told) or not told:
        raise Refused(
            f"the edit is for {named}, and its lines are only similar to those of {path}",
            reason="other_file",
            hint="copy the lines from the file as they are now, or write its name in the edit",
        )
    return True


def started(
    original: SourceText | None, file_edit: FileEdit, path: str | None, options: Options
) -> tuple[SourceText, tuple[Part, ...]]:
    """What the merge starts from, and the parts that are left to merge.

    A file that is to be created starts as the text that creates it; one that already exists, with
    just that text, needs nothing.
    """
    creates = file_edit.action == "create"
    first = file_edit.parts[0] if file_edit.parts else Snippet((), 1)
    if original is None and not creates and options.create and len(file_edit.parts) == 1:
        creates = isinstance(first, Snippet)
    if not creates:
        if original is None:
            raise FileTrouble(
                f"{path or 'the file'} does not exist",
                reason="missing",
                hint="check the path, or use --create to create the file",
            )
        return original, file_edit.parts
    if isinstance(first, HunkList):
        return original or from_text(""), file_edit.parts
    created = from_text("".join(f"{line}\n" for line in first.lines))
    if first.lines and not first.final_newline:
        created = replace(created, endings=(*created.endings[:-1], ""))
    if original is None or not original.lines:
        return created, file_edit.parts[1:]
    if original.lines == created.lines and len(file_edit.parts) <= 1:
        return original, ()
    raise Refused(
        f"the edit creates {path or 'the file'}, which already exists with other content",
        reason="exists",
        hint="send an edit of the existing file, or delete it first",
    )


def around(edit: Edit) -> str:
    """Words of an edit that stand around its code: they may say what is to go."""
    shown = {
        line.strip()
        for file in edit.files
        for part in file.parts
        if isinstance(part, Snippet)
        for line in part.lines
    }
    said = (line.strip() for line in edit.text.splitlines())
    return "\n".join(
        line for line in said if line and line not in shown and not line.startswith(("```", "~~~"))
    )


def _to_ask_about(
    findings: Sequence[Finding], parts: Sequence[Part], work: PartsResult, options: Options
) -> Finding | None:
    """The finding against a certain merge that a model may be asked about.

    Only where the edit is one piece of code, since else it is not known which part is wrong.
    """
    if work.asked or options.engine != "auto" or options.answered:
        return None
    if len(parts) != 1 or not isinstance(parts[0], Snippet) or work.methods != ("aligned",):
        return None
    against = next((one for one in findings if one.code not in options.allow), None)
    if against is None or options.open_model is None or options.open_model() is None:
        return None
    return against


def find(
    original: SourceText,
    file_edit: FileEdit,
    merged: SourceText,
    language: str | None,
    *,
    weighed: bool,
    exact: bool = False,
) -> tuple[Finding, ...]:
    """What the verifier has against a merge.

    Where all parts are `weighed`, what may be found in a right merge as well has been counted in their
    certainty; only what is always wrong is left. All hunks of an `exact` edit were found letter by letter.
    """
    from fastapply.verify import CONSTRAINTS, check_imports_twice, check_readers, verify

    findings = verify(original, file_edit, merged, language=language, exact=exact)
    unread = tuple(check_readers(original, merged, language))
    if weighed:
        twice = check_imports_twice(original, file_edit, merged, language)
        return (*(one for one in findings if one.code in CONSTRAINTS), *twice, *unread)
    told = any(one.code == "parse_error" for one in findings)  # which says the same
    return findings if told else (*findings, *unread)


def _accepted(
    findings: tuple[Finding, ...], options: Options, asked: Sequence[ModelAnswer]
) -> tuple[Finding, ...]:
    """Findings, all of which the caller allows; raises `Refused` where there are others."""
    against = tuple(finding for finding in findings if finding.code not in options.allow)
    if against:
        first = against[0]
        if asked:
            from fastapply.models.rewrite import refuse_model

            raise refuse_model(findings, [one.proposal for one in asked], asked[-1].run)
        step = "fix that line" if first.code in UNPARSED else "show more unchanged lines around the change"
        raise Refused(
            f"the merge failed verification: {first.message}",
            reason=first.code,
            hint=f"{step}, or accept this with --allow {first.code}",
            findings=findings,
        )
    return findings
