"""The whole way of an edit, text to text: read it, merge its parts one after the other, verify.

    edit text ─── edits ──▶ FileEdit ─┐
    SourceText ──────────────────────┴─ merge ─▶ Proposal ─ certain ─▶ verify ─▶ Merged
                                                   └─ open ─▶ picked by the caller, written by a
                                                              model and then verified, or Refused

What the verifier refuses of one certain piece of code is open again, for a model.

Every face (command line, library, servers) goes through here; nothing here opens a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.errors import Refused
from fastapply.pipeline.written import UNPARSED, merge_as_written
from fastapply.types import Edit, FileEdit, HunkList, Merged, Options
from fastapply.values import replace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastapply.text import SourceText
    from fastapply.types import Part

SMOOTH_STEP = "or use --smooth, which fixes this: "
"""How a line of a hint begins that says what smoothing would mend."""


def read_edit(text: str, *, path: str | None, original: SourceText | None, options: Options) -> Edit:
    """Parse an edit; `path` and `original` where it is for one known file. Raises `EditError`."""
    from fastapply.edits.detect import parse_edit

    return parse_edit(text, path=path, original=original, format_name=options.format_name, only=options.only)


def merge_edit(
    original: SourceText | None, edit: Edit, file_edit: FileEdit, *, path: str | None, options: Options
) -> Merged:
    """Merge all that an edit says about one file, and verify the result.

    `original` is None where there is no such file; only an edit that says so creates it.

    Raises `Refused` with the open questions or the findings, `FileTrouble` (``missing``) for an edit
    of a file that there is not, `ModelTrouble` where a model is asked for and there is none.
    """
    if options.without:
        file_edit = _without_hunks(file_edit, options.without)
    if options.smooth is not None and original is not None:
        from fastapply.pipeline.smoothing import merge_smoothed

        return merge_smoothed(original, edit, file_edit, path=path, options=options)
    try:
        return merge_as_written(original, edit, file_edit, path=path, options=options)
    except Refused as refused:
        if refused.reason in UNPARSED and original is not None:
            from fastapply.pipeline.smoothing import mends_of

            mends = mends_of(original, edit, file_edit, path=path, options=options)
            refused.hint += f"\n{SMOOTH_STEP}{'; '.join(mends)}" if mends else ""
        raise


def _without_hunks(file_edit: FileEdit, edit_lines: Iterable[int]) -> FileEdit:
    """Give an edit without the hunks that begin in these lines of its text."""
    parts: list[Part] = []
    for part in file_edit.parts:
        if isinstance(part, HunkList):
            hunks = tuple(hunk for hunk in part.hunks if hunk.edit_line not in edit_lines)
            parts += [replace(part, hunks=hunks)] if hunks else []
        else:
            parts.append(part)
    return replace(file_edit, parts=tuple(parts))
