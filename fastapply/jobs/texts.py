"""What a run came to, as text for people.

Hints for those who have no command line leave its options out, or say them in other words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.errors import Refused
from fastapply.pipeline import SMOOTH_STEP
from fastapply.pipeline.differences import answer_rows, differences, is_ranked, where
from fastapply.pipeline.picks import is_model_step

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastapply.errors import FastapplyError
    from fastapply.types import Finding, Question
    from fastapply.workspace.changes import Change

_SHOWN = 12  # candidates in a text; a program reads all of them
_ALLOW = re.compile(r",? or accept this with --allow \w+")
_OTHERWISE = {
    "check the path, or use --create to create the file": "check the path",
    "use a path relative to the root, or change the root with --root": "use a path relative to the root",
    "use fastapply patch": "send one edit for each file",
    "use fastapply patch, or --only to apply the part for this file alone": "send one edit for each file",
    "use fastapply patch, which may do that": "send an edit that changes the text of the file",
    "run fastapply patch with the same edit, in the folder that its file names start from": (
        "send an edit that changes the text of the file; delete and move files by other means"
    ),
}


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
    accepted = "".join(f"\n  accepted: {_said(finding)}" for finding in change.accepted)
    return f"  format {change.format}, method {change.method}{accepted}"


def _said(finding: Finding) -> str:
    line = f", line {finding.line}" if finding.line is not None else ""
    return f"{finding.message} [{finding.code}{line}]"


def _places(question: Question) -> list[str]:
    if is_ranked(question):
        return answer_rows(question)
    rows = []
    told = zip(question.candidates[:_SHOWN], differences(question.candidates), strict=False)
    for number, (place, does) in enumerate(told, 1):
        rows.append(f"  {number}: {where(place)}" + (f" in {place.enclosing}" if place.enclosing else ""))
        rows += [f"       {words}" for words in does]
    if len(question.candidates) > _SHOWN:
        rows.append(f"  and {len(question.candidates) - _SHOWN} more")
    return rows


def plain_hints(hints: Iterable[str]) -> tuple[str, ...]:
    """Each of the hints once, in words that hold without a command line.

    What stands below a line that ends with a colon are lines of the file, which stay as they are.
    """
    said: list[str] = []
    for hint in hints:
        lines = hint.split("\n")
        words = next((at for at, line in enumerate(lines) if line.endswith(":")), len(lines)) + 1
        quoted = [line for line in lines[words:] if not is_model_step(line)]
        plain = [
            _OTHERWISE.get(line.replace("`", "")) or _ALLOW.sub("", line.removeprefix(SMOOTH_STEP))
            for line in lines[:words]
            if line and not is_model_step(line)
        ]
        if quoted:
            plain[-1] = "\n".join([plain[-1], *quoted])
        said += plain
    return tuple(dict.fromkeys(said))
