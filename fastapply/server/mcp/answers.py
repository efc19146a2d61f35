"""What an agent reads when a tool has run: short, and in the words of the tools, not of the command line.

    src/cart.ts: applied (+1 -0)
    @@ -25,6 +25,7 @@
    ...

A refusal names the places that fit, the nearest lines of the file, and what to send instead.
"""

from __future__ import annotations

from itertools import dropwhile
from typing import TYPE_CHECKING

from fastapply.errors import Refused
from fastapply.jobs.texts import outcome_text, plain_hints
from fastapply.pipeline.differences import answer_rows, differences, is_ranked, where

if TYPE_CHECKING:
    from fastapply.errors import FastapplyError
    from fastapply.types import LineRange, Question
    from fastapply.workspace.changes import Outcome

_DIFF_LINES = 60  # in one answer, over all files
_WIDTH = 240  # characters of one line
_PLACES = 8
_NEAREST_LINES = 12
_PERHAPS_WRITTEN = "not_restored"  # a transaction that failed and could not be undone yet
_CREATE = "to create a new file, send its full content with create_file"


def outcome_answer(outcome: Outcome, *, dry: bool) -> str:
    """Say what became of each file, with a diff that is cut where it gets long."""
    rows = ["nothing is written, this is a preview"] if dry else []
    room = _DIFF_LINES
    for change in outcome.changes:
        rows.append(outcome_text(change, dry=dry))
        lines = list(dropwhile(lambda line: not line.startswith("@@"), change.diff.split("\n")[:-1]))
        rows += [_cut(line) for line in lines[:room]]
        if len(lines) > room:
            rows.append(f"... {len(lines) - room} more lines of the diff")
        room = max(0, room - len(lines))
    rows += [] if outcome.certainty is None else [f"certainty {outcome.certainty:.1%}"]
    rows += [f"warning: {warning}" for warning in outcome.warnings]
    return "\n".join(rows)


def error_answer(error: FastapplyError, lines: tuple[str, ...] | None = None) -> str:
    """Say why an edit was not put in and what to send instead.

    `lines` are those of the file, where it is one that can be read: the nearest of them are shown.
    """
    refused = isinstance(error, Refused)
    written = "" if error.reason == _PERHAPS_WRITTEN else ", nothing was written"
    message = error.message.replace("--at ", "at_lines ")
    rows = [f"{'refused' if refused else 'failed'} [{error.reason}]{written}: {message}"]
    hints = [error.hint]
    if isinstance(error, Refused):
        for number, question in enumerate(error.questions):
            if number:
                rows.append(f"also: {question.message} [{question.reason}]")
                hints.append(question.hint)
            rows += _places(question)
            rows += [] if is_ranked(question) else _nearest(question.nearest, lines)
        rows += [
            f"{finding.message} [{finding.code}]"
            for finding in error.findings
            if finding.message not in error.message
        ]
        if any(is_ranked(question) for question in error.questions):
            hints = [_how_to_pick(error), *(f"or {hint}" for hint in hints[:1]), *hints[1:]]
        elif any(_differ(question) for question in error.questions):
            hints.append("or send the same edit with at_lines, the lines of the right place")
    if error.reason == "missing":
        hints.append(_CREATE)
    rows += [f"hint: {hint}" for hint in plain_hints(hints)]
    return "\n".join(rows)


def _how_to_pick(refused: Refused) -> str:
    """The call that answers a question about a lazy edit."""
    before = "".join(f"{one}, " for one in refused.taken)
    named = before if refused.decision is None else f"{before}{refused.decision}:"
    if len(refused.candidates) == 1:
        return f'if this is right, make the same call again with pick "{named}1"'
    numbers = range(1, len(refused.candidates) + 1)
    picks = [f'"{named}{number}"' for number in numbers]
    return f"make the same call again with pick {', '.join(picks[:-1])} or {picks[-1]}"


def _differ(question: Question) -> bool:
    """Whether lines of the file tell the candidates apart."""
    places = [place.lines for place in question.candidates]
    return len(places) > 1 and len(set(places)) == len(places)


def _places(question: Question) -> list[str]:
    """The answers to a question, or the places that lines of the file tell apart."""
    if is_ranked(question):
        return [_cut(row) for row in answer_rows(question)]
    rows: list[str] = []
    if not _differ(question):
        return rows
    does = differences(question.candidates)
    for place, words in zip(question.candidates[:_PLACES], does, strict=False):
        rows.append(f"  fits at {where(place)}" + (f" in {_cut(place.enclosing)}" if place.enclosing else ""))
        rows += [f"    {_cut(word)}" for word in words]
    if len(question.candidates) > _PLACES:
        rows.append(f"  and at {len(question.candidates) - _PLACES} more places")
    return rows


def _nearest(nearest: LineRange | None, lines: tuple[str, ...] | None) -> list[str]:
    if nearest is None or lines is None:
        return []
    last = min(nearest.last, nearest.first + _NEAREST_LINES - 1, len(lines))
    shown = [f"  {number}: {_cut(lines[number - 1])}" for number in range(nearest.first, last + 1)]
    return ["the nearest lines of the file:", *shown] if shown else []


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[:_WIDTH]}..."
