r"""Review of a merge hunk by hunk: a reviewer takes hunks, leaves them out, or rewrites them.

    merge ─▶ Draft ─ reviewer ─▶ Taken (the text that is to be written) ─ `check_taken` ─▶ findings

What the reviewer left out must not be held against the rest, all else is. So there are two checks: of what
was taken, as if what was left out stood in the file already; and of the text that is to be written, for
what is wrong with a text whatever the edit says (it does not parse, a definition stands twice, an import
is missing). A hunk that the reviewer rewrote is the reviewer's own: the first check passes over it.

Values in, values out: how the reviewer is asked is `cli.review`'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.text import SourceText, from_text, split_lines
from fastapply.text.diff import hunks_between, lines_of
from fastapply.types import Draft, Taken
from fastapply.values import replace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapply.text.diff import DiffHunk
    from fastapply.types import FileEdit, Finding

OF_THE_TEXT = frozenset(
    {"parse_error", "lost_import", "duplicate_definition", "unreachable", "marker_left", "lost_definition"}
)
"""Codes of findings that hold against a text, whichever hunks of an edit it is made of."""
OF_THE_EDIT = frozenset(
    {
        "lost_definition",
        "lost_lines",
        "size_drop",
        "foreign_line",
        "missing_line",
        "not_removed",
        "indentation",
    }
)
"""Codes of findings that say how a text and an edit differ."""
_MISSED = frozenset({"lost_import"})


def hunks_of(draft: Draft) -> tuple[DiffHunk, ...]:
    """Give the hunks of a draft, as its diff has them."""
    return hunks_between(_lines(draft.original), _lines(None if draft.deletes else draft.merged))


def take_all(draft: Draft) -> Taken:
    """Take a draft as it is."""
    return Taken(draft.merged, draft.original or from_text(""), len(hunks_of(draft)), 0)


def take_none(draft: Draft) -> Taken:
    """Leave out all of a draft."""
    hunks = len(hunks_of(draft))
    return Taken(draft.original or from_text(""), draft.merged, hunks, hunks, header=False)


def take(draft: Draft, hunks: Mapping[int, tuple[str, ...] | None], *, header: bool = True) -> Taken:
    """Take some hunks of a draft, numbered from 0; those that are not named are left out.

    Each comes with None, or with the lines that the reviewer made of all that the hunk shows. `header` says
    whether the move or the mode that the edit asks for is taken as well.
    """
    old, new = _lines(draft.original), _lines(None if draft.deletes else draft.merged)
    text: list[str] = []
    others: list[str] = []
    at = 0
    everything = hunks_of(draft)
    for number, hunk in enumerate(everything):
        was, becomes = old[hunk.old_first : hunk.old_end], new[hunk.new_first : hunk.new_end]
        own = hunks.get(number)
        text += [
            *old[at : hunk.old_first],
            *(was if number not in hunks else becomes if own is None else own),
        ]
        others += [*old[at : hunk.old_first], *(becomes if number not in hunks or own is not None else was)]
        at = hunk.old_end
    like = draft.original if draft.original is not None and draft.original.lines else draft.merged
    return Taken(
        _source([*text, *old[at:]], like),
        _source([*others, *old[at:]], like),
        len(everything),
        len(everything) - len(hunks),
        sum(lines is not None for lines in hunks.values()),
        header,
    )


def check_taken(draft: Draft, taken: Taken, language: str | None) -> tuple[Finding, ...]:
    """Give what is wrong with what was taken, in a language of `syntax.language_of`."""
    if not taken.left and not taken.rewritten:
        return draft.findings
    from fastapply.verify import verify

    def find(
        before: SourceText, file_edit: FileEdit, after: SourceText, codes: frozenset[str]
    ) -> list[Finding]:
        found = verify(before, file_edit, after, language=language)
        return [one for one in found if one.code in codes]

    original, edit = draft.original or from_text(""), draft.file_edit
    if taken.text == original:
        return ()
    # an edit that takes an import away means it; a reviewer may have left out the other half of that
    meant = replace(edit, parts=())
    whole = find(original, edit, draft.merged, OF_THE_TEXT | OF_THE_EDIT)
    counted = [*whole, *find(original, meant, draft.merged, _MISSED)]
    # with what was left out in the file already, a line that goes there may seem to stay at another place
    persisting = OF_THE_EDIT & {one.code for one in whole}
    found = [
        *find(taken.others, edit, draft.merged, persisting),
        *find(original, edit, taken.text, OF_THE_TEXT),
        *find(original, meant, taken.text, _MISSED),
    ]
    known = {(one.code, one.message) for one in counted}
    known -= {(one.code, one.message) for one in draft.findings}
    unique = {(one.code, one.message): one for one in found}
    return tuple(one for key, one in unique.items() if key not in known)


# --- a hunk in an editor ---------------------------------------------------------------------------


def rewrite(hunk: DiffHunk, rows: Sequence[str], old: Sequence[str], newline: str) -> tuple[str, ...] | None:
    """Give the lines that a hunk comes to which was changed in an editor; None where it no longer fits.

    `rows` come without line ends and without the header: lines behind a blank stay, those behind ``-`` go,
    those behind ``+`` are new, and an empty row is an empty line that stays. `old` are the lines of the
    file; `newline` is the end that new lines get.
    """
    made: list[str] = []
    at = hunk.old_first
    for row in rows:
        sign, line = row[:1] or " ", row[1:].removesuffix("\r")
        if sign == "\\":  # "no newline at end of file", said of the line above
            if made:
                made[-1] = made[-1].rstrip("\r\n")
        elif sign == "+":
            made.append(line + newline)
        elif sign in {" ", "-"} and at < hunk.old_end and old[at].rstrip("\r\n") == line:
            made += [old[at]] * (sign == " ")
            at += 1
        else:
            return None
    return tuple(made) if at == hunk.old_end else None


def _lines(source: SourceText | None) -> list[str]:
    return lines_of(source.text) if source is not None else []


def _source(lines: Sequence[str], like: SourceText) -> SourceText:
    """Make a text of lines, in the encoding of another one; a line within the text always has an end."""
    ended = [line if line.endswith("\n") else line + like.newline for line in lines[:-1]]
    found, endings = split_lines("".join([*ended, *lines[-1:]]))
    return SourceText(found, endings, like.encoding, like.bom)
