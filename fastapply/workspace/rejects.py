"""An edit of several hunks put in as far as it goes: what was refused is kept as ``FILE.rej``.

    edit of hunks ─▶ merge ─ refused ─▶ merge without the hunks that were refused ─▶ Outcome, and those hunks

Only hunks can be told apart like that: a lazy edit is one whole. The hunks that go in are checked as an edit
of their own; where the check refuses them, nothing goes in.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.edits.search_replace import block_text
from fastapply.errors import Refused
from fastapply.pipeline import read_edit
from fastapply.types import HunkList
from fastapply.values import replace
from fastapply.workspace import files
from fastapply.workspace.changes import change_file, read_bytes

if TYPE_CHECKING:
    from fastapply.types import Hunk, Question
    from fastapply.workspace.changes import Job, Outcome


def change_partly(path: str, edit: bytes, job: Job) -> Outcome:
    """Put those hunks of an edit into a file that are not refused, and write the others to ``FILE.rej``.

    Raises what `change_file` raises where no hunk goes in, and where the edit is not one of hunks alone.
    """
    rejected: list[Question] = []
    first: Refused | None = None
    while True:
        without = frozenset(question.edit_line for question in rejected)
        tried = replace(job, options=replace(job.options, without=without))
        try:
            outcome = change_file(path, edit, replace(tried, write=False))
        except Refused as refused:
            first = first or refused
            more = [one for one in refused.questions if one.edit_line not in without]
            rejected += more
            lines = {question.edit_line for question in rejected}
            if not more or all(hunk.edit_line in lines for hunk in _hunks(path, edit, job) or ()):
                raise first from None
        else:
            break
    if not rejected:
        return change_file(path, edit, job)
    if job.write:
        place = Path(f"{path}.rej")
        data = _rejects(path, edit, job, rejected).encode("utf-8", "surrogateescape")
        with files.locked(place) as held:
            files.save(place, data, held)
        outcome = change_file(path, edit, tried)
    return replace(outcome, rejected=tuple(rejected))


def _hunks(path: str, edit: bytes, job: Job) -> tuple[Hunk, ...] | None:
    """All hunks of an edit; None where it is not made of hunks alone."""
    source = files.read(Path(path)).source if os.path.lexists(path) else None
    text = read_bytes(edit, source)
    parsed = read_edit(text, path=path, original=source, options=job.options)
    parts = parsed.files[0].parts if len(parsed.files) == 1 else ()
    if not parts or not all(isinstance(part, HunkList) for part in parts):
        return None
    return tuple(hunk for part in parts if isinstance(part, HunkList) for hunk in part.hunks)


def _rejects(path: str, edit: bytes, job: Job, rejected: list[Question]) -> str:
    """The hunks that were refused, each below its reason, as blocks that fastapply reads again."""
    why = {question.edit_line: question for question in rejected}
    rows = []
    for hunk in _hunks(path, edit, job) or ():
        if hunk.edit_line in why:
            question = why[hunk.edit_line]
            message = question.message.partition("\n")[0]  # more of it would be lines of a diff
            rows.append(f"{path}: {message} [{question.reason}]\n\n```\n{block_text(hunk)}```\n")
    return "\n".join(rows)
