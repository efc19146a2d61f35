"""Keeping what came of an edit, for the usage log, in whichever way it came to the program.

edit, instructions ─▶ Note ─▶ `keep_outcome`, `keep_error`, `keep_result` ─▶ `files.calls`
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from fastapply.errors import FastapplyError, Refused
from fastapply.text import decode
from fastapply.values import dataclass
from fastapply.workspace import files
from fastapply.workspace.files.calls import Call, keep_call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.api import Result
    from fastapply.text import SourceText
    from fastapply.workspace.changes import Outcome
    from fastapply.workspace.files import Keep

_PERHAPS_WRITTEN = frozenset({"not_staged", "not_restored"})


@dataclass(frozen=True, slots=True)
class Note:
    """What was asked for: by which command, for which file ("" for an edit that names its own), and how."""

    command: str
    path: str
    edit: bytes
    instructions: str
    keep: Keep


def keep_outcome(note: Note, outcome: Outcome, root: str, seconds: float) -> str | None:
    """Keep a run that went well, whose files are named from `root`; gives a warning where it cannot be."""
    changes = outcome.changes
    one = changes[0] if len(changes) == 1 else None
    formats = {change.format for change in changes}
    certain = [change.certainty for change in changes if change.certainty is not None]
    models = [run.name for change in changes for run in change.models]
    return _keep(
        note,
        os.path.realpath(os.path.join(root, note.path or (one.path if one else ""))),  # noqa: PTH118
        original=_text(one.sides.before) if one else None,
        outcome="unchanged" if outcome.unchanged else "applied",
        format=formats.pop() if len(formats) == 1 else "mixed",
        method=outcome.method,
        certainty=min(certain, default=None),
        model=models[0] if models else None,
        merged=_text(one.sides.after) if one else None,
        written=outcome.written,
        seconds=seconds,
        files=len(changes),
    )


def keep_error(note: Note, error: FastapplyError, root: str, seconds: float) -> str | None:
    """Keep a run that came to nothing; the file is read again where it is as it was."""
    path = os.path.realpath(os.path.join(root, note.path or _named_in(note.edit)))  # noqa: PTH118
    original: SourceText | None = None
    if error.reason not in _PERHAPS_WRITTEN:
        with suppress(FastapplyError):
            original = files.read(path).source
    model = error.model.name if isinstance(error, Refused) and error.model else None
    return _keep(
        note,
        path,
        original=_text(original),
        outcome="refused" if isinstance(error, Refused) else "error",
        reason=error.reason,
        message=error.message,
        model=model,
        seconds=seconds,
    )


def keep_result(note: Note, result: Result, original: str) -> str | None:
    """Keep what came of a text that no file of this machine holds."""
    return _keep(
        note,
        note.path,
        original=original,
        outcome=result.status,
        reason=result.reason,
        message=result.message,
        format=result.format,
        method=result.method,
        certainty=result.certainty,
        model=result.models[0].name if result.models else None,
        merged=result.text if result.status == "applied" else None,
        seconds=result.seconds,
    )


def _keep(
    note: Note,
    path: str,
    *,
    original: str | None,
    outcome: str,
    seconds: float,
    reason: str | None = None,
    message: str = "",
    format: str | None = None,  # noqa: A002 - as everywhere
    method: str | None = None,
    certainty: float | None = None,
    model: str | None = None,
    merged: str | None = None,
    written: bool = False,
    files: int = 1,
) -> str | None:
    return keep_call(
        Call(
            note.command,
            path,
            original,
            note.edit.decode("utf-8", "surrogateescape"),
            note.instructions,
            outcome,
            reason,
            message,
            format,
            method,
            certainty,
            model,
            merged,
            written,
            round(seconds, 4),
            files,
        ),
        note.keep,
    )


def _named_in(edit: bytes) -> str:
    """The one file that an edit names; "" where it names none, or several."""
    from fastapply.pipeline import read_edit
    from fastapply.types import Options

    names: Sequence[str | None] = ()
    with suppress(FastapplyError):
        parsed = read_edit(decode(edit).text, path=None, original=None, options=Options())
        names = [each.path for each in parsed.files]
    return (names[0] or "") if len(names) == 1 else ""


def _text(source: SourceText | None) -> str | None:
    return None if source is None else source.text
