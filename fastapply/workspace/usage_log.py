"""Keeping what came of an edit, for the usage log, in whichever way it came to the program.

edit, instructions ─▶ Note ─▶ `keep_run`, `keep_result` ─▶ `files.calls`
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from fastapply.errors import FastapplyError, Refused
from fastapply.text import decode
from fastapply.types import Options
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


def keep_run(note: Note, came: Outcome | FastapplyError, root: str, seconds: float) -> str | None:
    """Keep what came of an edit for files that are named from `root`; gives a warning where it cannot be."""
    if isinstance(came, FastapplyError):
        return _keep_error(note, came, root, seconds)
    one = came.changes[0] if len(came.changes) == 1 else None
    return _keep(
        note,
        os.path.realpath(os.path.join(root, note.path or (one.path if one else ""))),  # noqa: PTH118
        _text(one.sides.before) if one else None,
        "unchanged" if came.unchanged else "applied",
        seconds,
        format=came.format,
        method=came.method,
        certainty=came.certainty,
        model=came.models[0].name if came.models else None,
        merged=_text(one.sides.after) if one else None,
        written=came.written,
        files=len(came.changes),
    )


def _keep_error(note: Note, error: FastapplyError, root: str, seconds: float) -> str | None:
    """Keep a run that came to nothing; the file is read again where it is as it was."""
    path = os.path.realpath(os.path.join(root, note.path or _named_in(note.edit)))  # noqa: PTH118
    original: SourceText | None = None
    if error.reason not in _PERHAPS_WRITTEN:
        with suppress(FastapplyError):
            original = files.read(path).source
    return _keep(
        note,
        path,
        _text(original),
        "refused" if isinstance(error, Refused) else "error",
        seconds,
        reason=error.reason,
        message=error.message,
        model=error.model.name if isinstance(error, Refused) and error.model else None,
    )


def keep_result(note: Note, result: Result, original: str) -> str | None:
    """Keep what came of a text that no file of this machine holds."""
    return _keep(
        note,
        note.path,
        original,
        result.status,
        result.seconds,
        reason=result.reason,
        message=result.message,
        format=result.format,
        method=result.method,
        certainty=result.certainty,
        model=result.models[0].name if result.models else None,
        merged=result.text if result.status == "applied" else None,
    )


def _keep(
    note: Note,
    path: str,
    original: str | None,
    outcome: str,
    seconds: float,
    **came: Any,  # noqa: ANN401 - the other fields of a call
) -> str | None:
    edit = note.edit.decode("utf-8", "surrogateescape")
    call = Call(
        note.command, path, original, edit, note.instructions, outcome, seconds=round(seconds, 4), **came
    )
    return keep_call(call, note.keep)


def _named_in(edit: bytes) -> str:
    """The one file that an edit names; "" where it names none, or several."""
    from fastapply.pipeline import read_edit

    names: Sequence[str | None] = ()
    with suppress(FastapplyError):
        parsed = read_edit(decode(edit).text, path=None, original=None, options=Options())
        names = [each.path for each in parsed.files]
    return (names[0] or "") if len(names) == 1 else ""


def _text(source: SourceText | None) -> str | None:
    return None if source is None else source.text
