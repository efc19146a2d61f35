"""Refusals about the edit itself: cut off, not for this file, or a whole file that drops most of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.edits.markers import comment_body
from fastapply.merge.certainty.contradictions import seems_cut
from fastapply.merge.certainty.features import balance
from fastapply.merge.likeness import similarity
from fastapply.types import LineRange, Question

if TYPE_CHECKING:
    from fastapply.merge.elements import LazyEdit
    from fastapply.merge.lines import LineTable
    from fastapply.types import Snippet

_CUT = re.compile(
    r"(?:[(\[{,=\\&|<]|(?<!\+)\+|(?<!-)-|(?<=\s)[*/]|(?<=[\w)\]])\."
    r"|\b(?:and|or|not|in|return|if|else|new|await|def|function|const|let|var))$"
)
_CUT_WORDS = re.compile(r"(?:[(\[,]|\b(?:and|or|not|in|if|else))$")
"""The same of a text of words, whose lines end in stops, tables and addresses."""
_SENTENCE = re.compile(r"(?:[^\s\w]?[A-Za-z]+[^\s\w]?\s+){3}")
"""Four words with blanks between them."""


def edit_line(edit: LazyEdit, snippet: Snippet, i: int) -> int:
    """1-based line of the edit's text that an aligned edit line comes from."""
    return snippet.edit_line + (edit.origin[i] if 0 <= i < len(edit.origin) else 0)


def _quoted(text: str) -> str:
    stripped = text.strip()
    return f"`{stripped if len(stripped) <= 70 else stripped[:67] + '...'}`"


def not_found(edit: LazyEdit, file: LineTable, snippet: Snippet) -> Question:
    """The question where no shown line stands in the file; names the line that comes nearest."""
    texts = [i for i, kind in enumerate(edit.kinds) if kind == "text"]
    best: tuple[float, int, int] = (0.0, texts[0] if texts else 0, 0)
    for i in texts[:60]:
        for j, other in enumerate(file.lines[:5000]):
            if file.weights[j] > 0.15:
                score = similarity(edit.table.lines[i], other)
                if score > best[0]:
                    best = (score, i, j)
    line = edit_line(edit, snippet, best[1])
    return Question(
        "not_found",
        "none of the edit's context lines are in the file",
        "show an unchanged line next to the new ones, or check that this is the right file",
        line,
        nearest=LineRange(best[2] + 1, best[2] + 1) if best[0] >= 0.4 else None,
    )


def cut_off(edit: LazyEdit, file: LineTable, snippet: Snippet, language: str | None) -> Question | None:
    """A question where the edit's last line stops in the middle of a statement that is not in the file.

    A fence that has an end is not cut off; a sentence may end in a full stop.
    """
    if snippet.ended:
        return None
    last = max((i for i, kind in enumerate(edit.kinds) if kind in {"text", "marker"}), default=-1)
    if last < 0 or edit.kinds[last] != "text" or edit.table.keys[last] in file.keys:
        return None
    text = edit.table.lines[last].rstrip()
    key = edit.table.keys[last]
    broken = not snippet.final_newline and any(len(key) >= 4 and other.startswith(key) for other in file.keys)
    stops = (_stops(text, language) and not _goes_on(edit, last)) or seems_cut(edit, language) >= 1
    if not broken and (last in edit.table.in_string or not stops):
        return None
    line = edit_line(edit, snippet, last)
    return Question(
        "truncated",
        f"edit line {line}: the edit ends in {_quoted(text)}, and seems to be cut off",
        "send the complete edit again; end it with a complete statement or a marker",
        line,
    )


def _goes_on(edit: LazyEdit, last: int) -> bool:
    """Whether the last line is one of a list's entries that all end in a comma, and no bracket is open."""
    lines, depths = edit.table.lines, edit.depths
    others = [e for e in range(last) if edit.kinds[e] == "text" and depths[e] == depths[last]]
    entries = bool(others) and all(lines[e].rstrip().endswith(",") for e in (*others, last))
    return entries and sum(map(balance, lines)) == 0


def ends_in_comma(snippet: Snippet) -> bool:
    """Whether an edit that seems to be cut off may be an entry of a list that is complete."""
    last = next((line for line in reversed(snippet.lines) if line.strip()), "")
    return last.rstrip().endswith(",")


def _stops(text: str, language: str | None) -> bool:
    """Whether a line ends where no statement, and no sentence, does."""
    if language in {"markdown", "rst"}:
        return _CUT_WORDS.search(text) is not None
    if comment_body(text) is not None or text.lstrip().startswith("*"):
        return False
    if text.endswith(".") and (language == "yaml" or _SENTENCE.search(text)):
        return False
    return _CUT.search(text) is not None


def drops_most(snippet: Snippet, kept: float) -> Question:
    """The question where what calls itself the whole file holds little of it."""
    return Question(
        "size_drop",
        f"the edit says that it is the whole file, but has only {kept:.0%} of the file's content",
        "put `... existing code ...` in place of unchanged code, or send the whole file",
        snippet.edit_line,
    )
