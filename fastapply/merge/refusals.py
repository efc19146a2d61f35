"""What a merge of hunks says when it can't decide: the hunk, the nearest lines, what to send instead."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.merge.choose import overlap, told_by_names
from fastapply.merge.near import nearest_lines
from fastapply.merge.places import enclosing_definition
from fastapply.types import Candidate, LineRange, Question
from fastapply.values import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.find_hunk import Trouble
    from fastapply.merge.locate import LineIndex
    from fastapply.merge.rewrite import Placement
    from fastapply.types import Hunk, Splice

SHOWN = 14  # lines of a small diff
NAMED = 8  # places named in a message
MOST = 100  # candidates handed on; with more, more context is the only way

_WORDS = {"search_replace": "SEARCH", "udiff": "context and '-' lines", "v4a": "context and '-' lines"}


def question_of(index: LineIndex, hunk: Hunk, form: str, trouble: Trouble) -> Question:
    """What to ask about a hunk that can't be placed."""
    match trouble.code:
        case "ambiguous":
            return ambiguous(index, hunk, trouble.places)
        case "unclear_indentation":
            return unclear_indentation(index, hunk, trouble.places[0])
        case "no_context":
            return no_context(index, hunk, trouble.detail, trouble.places)
        case "empty_search":
            return empty_search(hunk)
        case "scope_missing":
            return scope_missing(hunk, trouble.detail)
        case _:
            return not_found(index, hunk, form)


def not_found(index: LineIndex, hunk: Hunk, form: str) -> Question:
    """The before-side stands nowhere; shows the nearest lines of the file against it."""
    before = tuple(line for segment in hunk.segments for line in segment.before)
    side = _WORDS.get(form, "old_string")
    nearest = nearest_lines(index, before)
    message = f"{title(hunk)}: its {side} {_lines(before)} not in the file"
    hint = "copy the lines from the file as they are now, and send the edit again"
    if nearest is not None:
        place = _range(nearest)
        message += f"; did you mean {place}?\n" + _small_diff(
            before, index.lines[nearest.first - 1 : nearest.last]
        )
        hint = f"compare with {place}: '-' is what the edit expects, '+' what the file has; " + hint
    return Question("not_found", message, hint, hunk.edit_line, nearest=nearest)


def ambiguous(index: LineIndex, hunk: Hunk, found: Sequence[Placement]) -> Question:
    """Several places fit."""
    candidates = tuple(_candidate(index.lines, place) for place in found[:MOST])
    named = [
        _range(candidate.lines) + (f" (in {candidate.enclosing!r})" if candidate.enclosing else "")
        for candidate in candidates[:NAMED]
    ]
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    message = f"{title(hunk)}: {_quoted(hunk)} at {len(found)} places: {'; '.join(named)}{more}"
    hint = "add context lines that are unique to the right place"
    if hunk.within_line:
        hint += ", or set replace_all to change every one"
    elif told_by_names(index.lines, tuple(found)):
        hint += ", or name the enclosing definition in the instructions"
    return Question("ambiguous", message, hint, hunk.edit_line, candidates)


def overlapping(hunk: Hunk, other: Hunk, place: Placement) -> Question:
    """Two hunks change the same lines."""
    lines = LineRange(place.start + 1, place.end)
    message = f"{title(hunk)} and {title(other)} both change {_range(lines)}"
    hint = "write what happens to these lines as one hunk"
    return Question("overlap", message, hint, hunk.edit_line, nearest=lines)


def unclear_indentation(index: LineIndex, hunk: Hunk, place: Placement) -> Question:
    """The place is known, but not how deep the new lines go there."""
    lines = LineRange(place.start + 1, place.end)
    message = f"{title(hunk)}: it belongs at {_range(lines)}, but its indentation differs from the file's"
    message += " in more than one way, so that the depth of its new lines is unclear\n"
    before = tuple(line for segment in hunk.segments for line in segment.before)
    message += _small_diff(before, index.lines[place.start : place.end])
    hint = "indent the hunk as the file does"
    return Question("unclear_indentation", message, hint, hunk.edit_line, nearest=lines)


def partly_applied(done: Sequence[Hunk], rest: Hunk, question: Question | None = None) -> Question:
    """Some hunks are in the file already, `rest` is not; `question` says why it can't be applied."""
    names = ", ".join(str(hunk.number) for hunk in done)
    already = f"hunks {names} are" if len(done) > 1 else f"hunk {names} is"
    why = question.message if question else f"{title(rest)} is not"
    return Question(
        "partly_applied",
        f"{already} in the file already, but {why}",
        "send only the hunks that are missing" + (f"; {question.hint}" if question else ""),
        rest.edit_line,
        question.candidates if question else (),
        question.nearest if question else None,
    )


def no_context(index: LineIndex, hunk: Hunk, why: str, found: Sequence[Placement] = ()) -> Question:
    """The hunk only adds lines and does not say where."""
    candidates = tuple(_candidate(index.lines, place) for place in found)
    hint = "show at least one unchanged line next to the new ones"
    return Question("no_context", f"{title(hunk)}: {why}", hint, hunk.edit_line, candidates)


def empty_search(hunk: Hunk) -> Question:
    """An empty before-side would make a new file, but the file has lines."""
    message = f"{title(hunk)}: its SEARCH is empty, which makes a new file, but this file has lines"
    hint = "put the lines next to the new ones in SEARCH, or send the whole file"
    return Question("empty_search", message, hint, hunk.edit_line)


def scope_missing(hunk: Hunk, scope: str) -> Question:
    """A V4A scope line stands nowhere in the file."""
    message = f"{title(hunk)}: its scope line '@@ {scope}' is not in the file"
    hint = "copy the line of the file that opens the enclosing definition"
    return Question("not_found", message, hint, hunk.edit_line)


def title(hunk: Hunk) -> str:
    """How a message names a hunk: ``hunk 2 (edit line 14)``."""
    return f"hunk {hunk.number} (edit line {hunk.edit_line})"


def completed(question: Question, others: Sequence[Splice] | None) -> Question:
    """The question with candidates that hold the changes of all other hunks as well.

    Where other hunks are open too (`others` is None), a candidate holds its own changes. One that can't
    be picked holds none: where other hunks change the same lines, or the depth of its lines is unclear.
    """
    candidates = tuple(
        replace(candidate, splices=_together(candidate.splices, others)) for candidate in question.candidates
    )
    return replace(question, candidates=candidates)


def _together(own: tuple[Splice, ...], others: Sequence[Splice] | None) -> tuple[Splice, ...]:
    if others is None:
        return own
    if not own or overlap(own, others):
        return ()
    all_ = sorted((*own, *others), key=lambda change: (change.start, change.end))
    return tuple(all_) if all(one.end <= other.start for one, other in pairwise(all_)) else ()


def _candidate(lines: Sequence[str], place: Placement) -> Candidate:
    return Candidate(
        LineRange(place.start + 1, place.end), enclosing_definition(lines, place.start), place.splices
    )


def _quoted(hunk: Hunk) -> str:
    """What a hunk searches for, with its verb: ``"'return;' and 1 more line fit"``."""
    before = [line.strip() for segment in hunk.segments for line in segment.before if line.strip()]
    if not before:
        return "a blank line fits"
    longest = before[0] if len(before[0]) > 3 else max(before, key=len)
    more = len(before) - 1
    return repr(longest[:60]) + (f" and {more} more line{'s' if more > 1 else ''} fit" if more else " fits")


def _lines(before: Sequence[str]) -> str:
    shown = [line for line in before if line.strip()]
    first = repr(shown[0].strip()[:60]) if shown else "(blank lines)"
    left = len(shown) - 1
    return f"({first}{f' and {left} more line' if left > 0 else ''}{'s' if left > 1 else ''}) is"


def _range(lines: LineRange) -> str:
    if lines.last < lines.first:
        return f"the place before line {lines.first}"
    return f"line {lines.first}" if lines.first == lines.last else f"lines {lines.first}-{lines.last}"


def _small_diff(expected: Sequence[str], actual: Sequence[str]) -> str:
    from difflib import SequenceMatcher

    rows: list[str] = []
    for tag, a, b, c, d in SequenceMatcher(None, expected, actual, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += ["  " + line for line in expected[a:b]]
        else:
            rows += ["- " + line for line in expected[a:b]] + ["+ " + line for line in actual[c:d]]
    if len(rows) > SHOWN:
        first = next((i for i, row in enumerate(rows) if row[0] != " "), 0)
        start = min(max(first - 2, 0), len(rows) - SHOWN)
        rows = ["  ..."] * (start > 0) + rows[start : start + SHOWN] + ["  ..."] * (start + SHOWN < len(rows))
    return "\n".join(rows)
