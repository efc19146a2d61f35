"""What a run came to, as JSON for programs and as text for people.

`--json` writes one object to standard output, also for errors. Its keys:

========== ==================================================================================
schema     version of this list: 1
status     ``applied`` (also where it only would be), ``unchanged``, ``partial`` (``--reject``),
           ``refused``, ``error``
written    whether a file was written; false under ``--dry-run`` and ``--check``
reason     stable code where refused or failed (``ambiguous``, ``not_found``, ``missing``, a
           finding's code ...), else null
message    the same in words; "" where all went well
hint       what the caller can do about it; ""
file       the file's name as it was given; under `patch` instead:
files      one object a file: ``file``, ``action`` (``update``, ``create``, ``delete``),
           ``new_path``, ``status``, ``format``, ``method``, ``added``, ``removed``
format     ``lazy``, ``search_replace``, ``udiff``, ``v4a``, ``str_replace``, ``whole``, ``mixed``
method     the least strict way taken: ``exact``, ``trailing``, ``indentation``, ``whitespace``,
           ``unicode``, ``near``, ``aligned``, ``whole``, ``model``
certainty  of lazy edits: how likely the merge is right, 0 to 1, also of one that is refused; null for
           other formats
needed     of a lazy edit that is refused: the certainty from which on it is written; else null
decision   the id of the question that is to be answered; ``--pick ID:N`` answers it and no other; else null
added      lines added
removed    lines removed
seconds    what it took
findings   the verifier's: ``code``, ``message``, ``line`` (1-based or null); where the status is
           not ``refused``, those that ``--allow`` accepted, and ``smoothed`` for what was mended
candidates places where an ambiguous edit could go: ``pick`` (what ``--pick`` takes), ``first`` and
           ``last`` (lines, 1-based and inclusive; where lines only come in, the one that they come before),
           ``enclosing``, ``edit_line``; those of lazy edits are whole merges, ranked:
           ``share`` (of the likelihood), ``says`` (the answer in words) and ``diff`` (a list of at most
           eight lines: what only this one does); where several places list the same lines, ``does``:
           what this one does that not all of them do
always     what every candidate of a lazy edit does: at most eight lines, as in ``diff`` of a candidate
warnings   what standard error says as well: answers that were not needed, a backup that failed ...
model      null, or where an apply model was asked: ``name``, ``prompt_tokens``, ``cached_tokens`` (of
           them), ``output_tokens``, ``drafted``, ``accepted``, ``steps``,
           ``prefill_tokens_per_second``, ``tokens_per_second``, ``chars_per_second`` (over the whole
           latency), ``load_seconds``, ``finish`` (``end_tag``, ``eos``, ``cannot``,
           ``length``)
diff       the unified diff, also where nothing was written; "" without a change
rejected   only where `status` is ``partial``: ``reason``, ``message`` and ``edit_line`` of each hunk that
           was refused
========== ==================================================================================

Where nothing came of the edit, `format` and `method` are null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapply.errors import Refused
from fastapply.pipeline.differences import answer_rows, differences, is_ranked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.errors import FastapplyError
    from fastapply.types import Candidate, Finding, ModelRun, Question
    from fastapply.workspace.changes import Change, Outcome

SCHEMA = 1
_WRITTEN_ALL_THE_SAME = "not_staged"
_SHOWN = 12  # candidates in a text; a program reads all of them


def outcome_object(outcome: Outcome, *, path: str | None, seconds: float) -> dict[str, Any]:
    """Make the object of a run that went well; `path` is None for `patch`."""
    counts = [change.counts for change in outcome.changes]
    formats = {change.format for change in outcome.changes}
    certain = [change.certainty for change in outcome.changes if change.certainty is not None]
    return {
        "schema": SCHEMA,
        "status": "partial" if outcome.rejected else "unchanged" if outcome.unchanged else "applied",
        "written": outcome.written,
        "reason": None,
        "message": "",
        "hint": "",
        **({"file": path} if path is not None else {"files": [_file(change) for change in outcome.changes]}),
        "format": formats.pop() if len(formats) == 1 else "mixed",
        "method": outcome.method,
        "certainty": min(certain, default=None),
        "needed": None,
        "decision": None,
        "added": sum(added for added, _ in counts),
        "removed": sum(removed for _, removed in counts),
        "seconds": round(seconds, 4),
        "findings": [
            _finding(one) for change in outcome.changes for one in (*change.accepted, *change.smoothed)
        ],
        "candidates": [],
        "always": [],
        "warnings": list(outcome.warnings),
        "model": _model([run for change in outcome.changes for run in change.models]),
        "diff": "".join(change.diff for change in outcome.changes),
        **({"rejected": [_rejected(one) for one in outcome.rejected]} if outcome.rejected else {}),
    }


def error_object(
    error: FastapplyError, command: str, *, path: str | None = None, seconds: float = 0.0
) -> dict[str, Any]:
    """Make the object of a run that ended without a change."""
    refused = error if isinstance(error, Refused) else None
    questions = refused.questions if refused else ()
    findings = refused.findings if refused else ()
    return {
        "schema": SCHEMA,
        "status": "refused" if refused else "error",
        "written": error.reason == _WRITTEN_ALL_THE_SAME,
        "reason": error.reason,
        "message": error.message,
        "hint": error.hint,
        **({"files": []} if command == "patch" else {"file": path}),
        "format": None,
        "method": None,
        "certainty": refused.certainty if refused else None,
        "needed": refused.needed if refused else None,
        "decision": refused.decision if refused else None,
        "added": 0,
        "removed": 0,
        "seconds": round(seconds, 4),
        "findings": [_finding(one) for one in findings],
        "candidates": [place for question in questions for place in _candidates(question)],
        "always": [row for question in questions for row in question.always_diff],
        "warnings": [],
        "model": _model([refused.model] if refused and refused.model else []),
        "diff": "",
    }


def show_json(value: dict[str, Any]) -> None:
    """Write an object to standard output, in one line of ASCII."""
    import json

    from fastapply.terminal.output import say

    say(json.dumps(value))


def error_text(error: FastapplyError, path: str | None = None) -> str:
    """Say an error so that whoever wrote the edit can mend it from this text alone."""
    head = path if path and not error.message.startswith(path) else None
    message = error.message
    if isinstance(error, Refused):
        head = f"{path}: refused" if path else "refused"
        if error.limit and message.endswith(f"({error.limit})"):
            message = f"{message[:-1]}: --min-certainty)"
    rows = [f"{head or 'fastapply'}: {message} [{error.reason}]"]
    questions = error.questions if isinstance(error, Refused) else ()
    findings = error.findings if isinstance(error, Refused) else ()
    for question in questions[:1]:
        rows += _places(question)
    hints = [error.hint]
    for question in questions[1:]:
        rows += [f"also: {question.message} [{question.reason}]", *_places(question)]
        hints += [] if question.hint in error.hint else [question.hint]
    rows += [_said(finding) for finding in findings if finding.message not in error.message]
    told = [line for hint in dict.fromkeys(hints) for line in hint.splitlines()]
    if any(is_ranked(question) for question in questions):
        number = "N" if any(len(question.candidates) > 1 for question in questions) else "1"
        taken = error.taken if isinstance(error, Refused) else ()
        rows.append(f"hint: answer with --pick {','.join([*taken, number])}")
        told[:1] = [f"or {line}" for line in told[:1]]
    rows += [f"hint: {line}".rstrip() for line in told]  # blank ones too: they are lines to search for
    if any(is_ranked(question) for question in questions):
        return "\n".join(rows)
    if any(len(question.candidates) > 1 for question in questions):
        rows.append("hint: or answer with --pick N or --at LINES")
    return "\n".join(rows)


def outcome_text(change: Change, *, dry: bool) -> str:
    """Say in one line what became of a file."""
    left = change.taken.left if change.taken is not None else 0
    if change.unchanged and (left or (change.taken is not None and not change.taken.header)):
        return f"{change.path}: unchanged, no hunks taken"
    if change.unchanged:
        return f"{change.path}: unchanged, already applied"
    added, removed = change.counts
    done = {"update": ("applied", "would apply"), "create": ("created", "would be created")}
    words = done.get(change.action, ("deleted", "would be deleted"))
    if change.new_path:
        words = (f"moved to {change.new_path}", f"would move to {change.new_path}")
    what = words[1] if dry else words[0]
    rest = f", {left} of {change.taken.hunks} hunks skipped" if change.taken is not None and left else ""
    mended = "".join(f"\n  {_said(finding)}" for finding in change.smoothed)
    return f"{change.path}: {what} (+{added} -{removed}){rest}{mended}"


def details_text(change: Change) -> str:
    """Say how a merge was made."""
    return "\n".join(
        [
            f"  format {change.format}, method {change.method}",
            *(f"  accepted: {_said(finding)}" for finding in change.accepted),
        ]
    )


def _file(change: Change) -> dict[str, Any]:
    added, removed = change.counts
    return {
        "file": change.path,
        "action": change.action,
        "new_path": change.new_path,
        "status": "unchanged" if change.unchanged else "applied",
        "format": change.format,
        "method": change.method,
        "added": added,
        "removed": removed,
    }


def _rejected(question: Question) -> dict[str, Any]:
    return {"reason": question.reason, "message": question.message, "edit_line": question.edit_line}


def _model(runs: Sequence[ModelRun]) -> dict[str, Any] | None:
    if not runs:
        return None
    from fastapply.models.usage import run_object

    return run_object(runs)


def _finding(finding: Finding) -> dict[str, Any]:
    return {"code": finding.code, "message": finding.message, "line": finding.line}


def _said(finding: Finding) -> str:
    line = f", line {finding.line}" if finding.line is not None else ""
    return f"{finding.message} [{finding.code}{line}]"


def _candidates(question: Question) -> list[dict[str, Any]]:
    return [
        {
            "pick": number,
            "first": place.lines.first,
            "last": max(place.lines.first, place.lines.last),
            "enclosing": place.enclosing,
            "edit_line": question.edit_line,
            **(
                {"share": place.share, "says": place.says, "diff": list(place.diff)}
                if place.share is not None
                else {"does": list(does)}
                if does
                else {}
            ),
        }
        for number, (place, does) in enumerate(_told_apart(question), 1)
    ]


def _told_apart(question: Question) -> list[tuple[Candidate, tuple[str, ...]]]:
    """The candidates, each with what it does where others list the same lines."""
    return list(zip(question.candidates, differences(question.candidates), strict=True))


def _places(question: Question) -> list[str]:
    if is_ranked(question):
        return answer_rows(question)
    rows = []
    for number, (place, does) in enumerate(_told_apart(question)[:_SHOWN], 1):
        first, last = place.lines.first, place.lines.last
        lines = f"before line {first}" if last < first else f"lines {first}-{last}"
        lines = f"line {first}" if first == last else lines
        rows.append(f"  {number}: {lines}" + (f" in {place.enclosing}" if place.enclosing else ""))
        rows += [f"       {words}" for words in does]
    if len(question.candidates) > _SHOWN:
        rows.append(f"  and {len(question.candidates) - _SHOWN} more")
    return rows
