"""What a merge asks when it can't decide: each question says what is open and what would settle it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.formats.markers import comment_body
from fastapply.merge.likeness import definition, similarity
from fastapply.types import Candidate, LineRange, Question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.anchors import Point
    from fastapply.merge.doubts import Opening
    from fastapply.merge.elements import LazyEdit
    from fastapply.merge.lines import LineTable
    from fastapply.types import Snippet, Splice

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


def ask(edit: LazyEdit, file: LineTable, snippet: Snippet, opening: Opening) -> Question:
    """The question for something that the alignment left open."""
    line = edit_line(edit, snippet, opening.line)
    shown = _quoted(edit.table.lines[opening.line])
    first, last = _with_text(file, opening.start, opening.end)
    where = f"line {first}" if first == last else f"lines {first}-{last}"
    if opening.reason == "unmarked_gap":
        return Question(
            "unmarked_gap",
            f"edit line {line}: after {shown} the edit leaves out {where} of the file "
            f"({_quoted(file.lines[first - 1])} ...) without a marker; they may be kept or removed",
            "put a line `... existing code ...` where they stay, or a comment `(removed NAME)` where they go",
            line,
            nearest=LineRange(first, last),
        )
    if opening.reason == "no_anchor":
        return Question(
            "no_anchor",
            f"edit line {line}: nothing beside the new lines says where in {where} they belong",
            "show the unchanged line that comes directly before or after them",
            line,
            nearest=LineRange(first, last),
        )
    return Question(
        "replace_or_insert",
        f"edit line {line}: {shown} may be new, or may replace {where} ({_quoted(file.lines[first - 1])})",
        "show the unchanged line on the other side as well",
        line,
        nearest=LineRange(first, last),
    )


def idle_note(edit: LazyEdit, snippet: Snippet, note: int) -> Question:
    """The question where a comment tells of a removal, and nothing of what it names goes."""
    line = edit_line(edit, snippet, note)
    return Question(
        "unmarked_gap",
        f"edit line {line}: {_quoted(edit.table.lines[note])} tells of a removal that is not there; "
        "it may be a new comment",
        "show the lines above and below what goes without it, or leave the comment out",
        line,
    )


def _with_text(file: LineTable, start: int, end: int) -> tuple[int, int]:
    """1-based first and last line with text in `[start, end)`."""
    lines = [number + 1 for number in range(start, min(end, len(file.keys))) if file.keys[number]]
    if not lines:
        return max(1, min(start + 1, len(file.lines))), max(1, min(end, len(file.lines)))
    return lines[0], lines[-1]


def candidate(file: LineTable, points: Sequence[Point], splices: tuple[Splice, ...]) -> Candidate:
    """A place where a run could go, named by its lines and the definition around it."""
    if points:
        lines, at = LineRange(points[0].start + 1, max(points[-1].end, points[0].start + 1)), points[0].start
    elif splices:
        lines, at = LineRange(splices[0].start + 1, splices[0].end), splices[0].start
    else:
        return Candidate(LineRange(1, len(file.lines)), "", splices)
    at = min(at, len(file.lines) - 1)
    around = file.parents[at]
    while around >= 0 and definition(file.lines[around]) is None:
        around = file.parents[around]
    if around < 0 and definition(file.lines[at]) is not None:
        around = at
    return Candidate(lines, file.lines[around].strip() if around >= 0 else "", splices)


def ambiguous(
    edit: LazyEdit, snippet: Snippet, run: Sequence[Point], candidates: Sequence[Candidate]
) -> Question:
    """The question where a shown run fits at several places."""
    line = edit_line(edit, snippet, run[0].i)
    shown = _quoted(edit.table.lines[run[0].i])
    if len(candidates) == 1:
        only = candidates[0].lines
        return Question(
            "ambiguous",
            f"edit line {line}: {shown} does not make sure that lines {only.first}-{only.last} are meant",
            "show one more unchanged line that stands only there, or the line that opens the definition",
            line,
            tuple(candidates),
        )
    places = "; ".join(
        f"lines {place.lines.first}-{place.lines.last}"
        + (f" in {_quoted(place.enclosing)}" if place.enclosing else "")
        for place in candidates
    )
    return Question(
        "ambiguous",
        f"edit line {line}: {shown} fits several places: {places}",
        "show the line that opens the definition around it, or one more line that stands only there",
        line,
        tuple(candidates),
    )


def named_candidate(question: Question, instructions: str) -> Candidate | None:
    """The one candidate whose enclosing definition the instructions name, if there is exactly one."""
    if question.reason != "ambiguous" or not instructions:
        return None
    named: list[Candidate] = []
    for place in question.candidates:
        name = definition(place.enclosing) if place.enclosing else None
        if name and re.search(
            rf"(?<![\w$]){re.escape(name.strip(chr(34) + chr(39)))}(?![\w$])", instructions
        ):
            named.append(place)
    return named[0] if len(named) == 1 else None


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
    near = f"; did you mean line {best[2] + 1}, {_quoted(file.lines[best[2]])}?" if best[0] >= 0.4 else ""
    return Question(
        "not_found",
        f"edit line {line}: no line of the edit that would say where it belongs stands in the file{near}",
        "show an unchanged line of the file beside the new ones, or check that this is the right file",
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
    if not broken and (last in edit.table.in_string or not _stops(text, language)):
        return None
    line = edit_line(edit, snippet, last)
    return Question(
        "truncated",
        f"edit line {line}: the edit ends in the middle of {_quoted(text)}",
        "send the edit again, complete; end it with a whole statement or a marker",
        line,
    )


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
        f"the edit says that it is the whole file but shows only {kept:.0%} of what the file holds",
        "put `... existing code ...` where code stays, or replace the file outright",
        snippet.edit_line,
    )


def whole_or_part(
    snippet: Snippet, file: LineTable, whole: tuple[Splice, ...], part: tuple[Splice, ...]
) -> Question:
    """The question where a snippet may be the whole file, or parts of it with markers forgotten."""
    everything = LineRange(1, len(file.lines))
    return Question(
        "whole_or_part",
        "the edit has no markers and may be the whole file, or only the parts that change; "
        "1: the file becomes the edit; 2: what the edit doesn't show stays",
        "put `... existing code ...` where code stays, or say that this is the complete file",
        snippet.edit_line,
        (Candidate(everything, "", whole), Candidate(everything, "", part)),
    )
