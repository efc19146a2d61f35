"""What of an edit is still open, for a model: the file with all that is settled put in, the edit without it.

Only for a model whose answer speaks for a candidate (`trust`): it is not asked about what was put in.

The candidates of an open edit often agree on most of it, and differ in one place. What all the likely ones do
is put in first; a model is then shown the lines around that place, and only those lines of the edit that are
about it. How many changes are put in that the edit does not show in their place is counted (`assumed`): that
is where candidates are wrong together.
"""

from __future__ import annotations

from bisect import bisect
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from fastapply.edits.markers import is_marker
from fastapply.models.region import LINES, choose_region, is_likely
from fastapply.text import splice
from fastapply.types import Snippet, Splice
from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.models.region import Region
    from fastapply.text import SourceText
    from fastapply.types import Candidate, Part, Proposal

MARKER = "... existing code ..."
"""Stands for lines that are cut out of the middle of an edit which has no marker of its own."""
LARGE = 5_000
"""Lines of a file from which on those that stand in it time and again go with their neighbours too."""
_TELLING = 3
"""A line of an edit is known in a candidate by its text alone if it has more characters than this."""


@dataclass(frozen=True, slots=True)
class Focus:
    """An edit as a model is asked about it; `proposal` and `region` are of the lines of `source`."""

    source: SourceText
    part: Part
    proposal: Proposal
    region: Region
    settled: tuple[Splice, ...] = ()  # of the file as it was: what is put in already
    listed: tuple[int, ...] = ()  # which candidates those of `proposal` are
    assumed: int = 0  # how many of the settled changes the edit does not show in their place


def unfocused(source: SourceText, part: Part, proposal: Proposal) -> Focus:
    """The edit as it is, with the region that it calls for."""
    listed = tuple(range(sum(len(one.candidates) for one in proposal.questions)))
    return Focus(source, part, proposal, choose_region(source.lines, part, proposal), (), listed)


def focus_on_open(source: SourceText, part: Part, proposal: Proposal) -> Focus:
    """What is open of a snippet with ranked candidates; any other edit as it is.

    Of a single candidate all is open: whether it is right.
    """
    candidates = [one for question in proposal.questions for one in question.candidates]
    if not isinstance(part, Snippet) or len(proposal.questions) != 1 or not candidates:
        return unfocused(source, part, proposal)
    if any(one.share is None for one in candidates):
        return unfocused(source, part, proposal)
    likely = [one for number, one in enumerate(candidates) if not number or is_likely(one)]
    if len(likely) < 2:
        likely = candidates[:2]
    settled = tuple(
        one for one in likely[0].splices if len(likely) > 1 and all(one in other.splices for other in likely)
    )
    listed = tuple(n for n, one in enumerate(candidates) if set(settled) <= set(one.splices))
    rest = tuple(
        replace(one, splices=_moved([change for change in one.splices if change not in settled], settled))
        for one in (candidates[n] for n in listed)
    )
    question = replace(proposal.questions[0], candidates=rest, nearest=None)
    open_ = replace(proposal, splices=rest[0].splices, questions=(question,))
    made = splice(source, settled)
    assumed = sum(not _is_shown(one, source.lines, part.lines) for one in settled)
    about = _about(part.lines, made.lines, rest, choose_region(made.lines, None, open_, LINES))
    shown = replace(part, lines=about)
    return Focus(made, shown, open_, choose_region(made.lines, shown, open_, LINES), settled, listed, assumed)


def _is_shown(change: Splice, file: Sequence[str], edit: Sequence[str]) -> bool:
    """Whether an edit shows a change where it is made: between the very lines around it in the file.

    Beside one of them is enough for new lines in the place of as many old ones. Where more lines go than come
    the edit shows nothing of them, and they may have been left out only.
    """
    old, new = (
        [line.strip() for line in lines if line.strip()]
        for lines in (file[change.start : change.end], change.lines)
    )
    if len(old) > len(new):
        return False
    above = next(([line.strip()] for line in reversed(file[: change.start]) if line.strip()), [])
    below = next(([line.strip()] for line in file[change.end :] if line.strip()), [])
    ways = ([*above, *new], [*new, *below]) if old else ([*above, *new, *below],)
    shown = [line.strip() for line in edit if line.strip()]
    return any(shown[at : at + len(way)] == way for way in ways for at in range(len(shown) - len(way) + 1))


def _moved(changes: Sequence[Splice], settled: Sequence[Splice]) -> tuple[Splice, ...]:
    """Changes of the file as it was, where they stand once others are put in."""
    moved = []
    for one in changes:
        lower = sum(
            len(other.lines) - (other.end - other.start)
            for other in settled
            if other.end <= one.start and other != one
        )
        moved.append(Splice(one.start + lower, one.end + lower, one.lines))
    return tuple(moved)


def _put_in(
    lines: Sequence[tuple[int | None, str]], splices: Sequence[Splice]
) -> list[tuple[int | None, str]]:
    """Lines with the number that each had, None for one that is new."""
    made: list[tuple[int | None, str]] = []
    at = 0
    for change in splices:
        made += lines[at : change.start]
        made += ((None, line) for line in change.lines)
        at = change.end
    return [*made, *lines[at:]]


def _about(
    edit: tuple[str, ...], file: Sequence[str], candidates: Sequence[Candidate], region: Region
) -> tuple[str, ...]:
    """The lines of an edit that are about a region of the file, the others as markers; all if none are.

    A line of the edit is about the region where it stands in it in the first candidate, or where any
    candidate puts it in. Lines of no known place go with their neighbours.
    """
    shown = set(region.lines)
    result = _put_in([*enumerate(file)], candidates[0].splices)
    texts = [line.strip() for line in edit]
    about: list[bool | None] = [None] * len(edit)
    lines = [line.strip() for _, line in result]
    matcher = SequenceMatcher(None, texts, lines, autojunk=len(lines) >= LARGE)
    for a, b, size in matcher.get_matching_blocks():
        for n in range(size):
            if texts[a + n]:
                origin = result[b + n][0]
                about[a + n] = origin is None or origin in shown
    put_in = {line.strip() for one in candidates for change in one.splices for line in change.lines}
    for n, text in enumerate(texts):
        if len(text) > _TELLING and text in put_in:
            about[n] = True
    if not any(about):
        return edit
    known = [n for n, one in enumerate(about) if one is not None]
    kept = [
        any(about[at] for at in known[max(0, bisect(known, n) - 1) : bisect(known, n) + 1])
        if one is None
        else one
        for n, one in enumerate(about)
    ]
    return _cut(edit, kept)


def _cut(edit: Sequence[str], kept: Sequence[bool]) -> tuple[str, ...]:
    """An edit's lines that are kept, with a marker in the place of others unless one stands there already."""
    own = next((line.strip() for line in edit if is_marker(line)), None)
    lines: list[str] = []
    at = 0
    while at < len(edit):
        if kept[at]:
            lines.append(edit[at])
            at += 1
            continue
        end = next((n for n in range(at, len(edit)) if kept[n]), len(edit))
        above = next((line for line in reversed(lines) if line.strip()), "")
        after = next((line for line in edit[end:] if line.strip()), "")
        inside = bool(above and after)
        beside = is_marker(above) or is_marker(after)
        if any(line.strip() for line in edit[at:end]) and not beside and (own or inside):
            below = edit[end] if end < len(edit) else ""
            lines.append(below[: len(below) - len(below.lstrip())] + (own or MARKER))
        at = end
    return tuple(lines)
