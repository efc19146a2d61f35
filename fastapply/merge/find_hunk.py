"""Where one hunk fits in a file: all its places at the strictest tier, or why it has none.

The other hunks of the edit, which may decide between several places, are not looked at here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from fastapply.merge.locate import fold
from fastapply.merge.rewrite import Match, Placement, changed_runs, rewrite
from fastapply.merge.search import search_edges, search_loose, search_restored, search_strict
from fastapply.types import METHOD_ORDER, Segment, Splice
from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fastapply.merge.locate import LineIndex, Region
    from fastapply.text import SourceText
    from fastapply.types import Hunk

    Search = Callable[[LineIndex, tuple[Segment, ...], Region | None], list[Match]]


TELLING = 3  # letters and digits that lines need to tell a place by more than their exact form


Code = Literal["not_found", "ambiguous", "unclear_indentation", "no_context", "empty_search", "scope_missing"]


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a hunk can't be placed; `refusals` makes a question of it."""

    code: Code
    detail: str = ""
    places: tuple[Placement, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What is known of a hunk: its places, or that it is done already, or what is the trouble."""

    places: tuple[Placement, ...] = ()
    done: bool = False
    trouble: Trouble | None = None


def find_hunk(source: SourceText, index: LineIndex, hunk: Hunk, form: str) -> Found:
    """Find all places of a hunk; `form` is the format of its list."""
    if not any("\n".join(segment.before) for segment in hunk.segments) and (
        hunk.within_line or not any(segment.before for segment in hunk.segments)
    ):
        return _find_insertion(index, hunk, form)
    if form != "str_replace" and not any(line.strip() for part in hunk.segments for line in part.before):
        return Found(trouble=Trouble("no_context", "it shows nothing but blank lines of the file"))
    if hunk.within_line:
        return _find_text(source, index, hunk, form)
    if not hunk.scopes:
        return _find_lines(index, hunk, form, [index.everywhere])
    from fastapply.merge.scopes import scope_blocks

    blocks = scope_blocks(index, hunk.scopes)
    if isinstance(blocks, str):
        return Found(trouble=Trouble("scope_missing", blocks))
    found = _find_lines(index, hunk, form, blocks)
    if found.trouble is None or found.trouble.code != "not_found":
        return found
    below = replace(index.everywhere, low=min(block.low for block in blocks))
    behind = _find_lines(index, hunk, form, [below])
    return behind if behind.places and behind.places[0].method != "near" else found


def _find_lines(index: LineIndex, hunk: Hunk, form: str, regions: Sequence[Region]) -> Found:
    segments = hunk.segments
    matches = _best(search_strict, index, segments, regions)
    if not matches and not _telling(line for segment in segments for line in segment.before):
        return Found(trouble=Trouble("not_found"))  # `}` says little, and less if it drifted
    matches = matches or _best(search_edges, index, segments, regions)
    if not matches and form in ("udiff", "v4a"):
        matches = _best(search_restored, index, segments, regions)
    if matches:
        return _found(index, hunk, matches)
    in_place = _in_place(index, hunk, regions)
    matches = _best(search_loose, index, segments, regions)
    if in_place and (
        not matches or (_same_words(segments) and all(_touch(match, in_place) for match in matches))
    ):
        return Found(done=True)
    if matches:
        return _found(index, hunk, matches)
    if len(segments) == 1 and not hunk.replace_all:
        from fastapply.merge.near import search_near

        near = [place for region in regions for place in search_near(index, segments[0], region)]
        if near and all(place.allowed for place in near):
            return _found(index, hunk, [place.match for place in near])
    return Found(trouble=Trouble("not_found"))


def _best(
    search: Search, index: LineIndex, segments: tuple[Segment, ...], regions: Sequence[Region]
) -> list[Match]:
    """The places in all regions, at the strictest tier of any of them."""
    found: dict[tuple[tuple[int, ...], ...], Match] = {}
    for region in regions:
        for match in search(index, segments, region):
            found.setdefault(match.lines, match)
    strictest = min((METHOD_ORDER.index(match.method) for match in found.values()), default=0)
    return [match for match in found.values() if METHOD_ORDER.index(match.method) == strictest]


def _found(index: LineIndex, hunk: Hunk, matches: list[Match]) -> Found:
    if hunk.at_end:
        ending = [match for match in matches if not any(line.strip() for line in index.lines[match.end :])]
        matches = ending or matches
    places = []
    unclear = None
    for match in matches:
        splices = rewrite(index.lines, hunk.segments, match)
        unclear = unclear or (None if splices is not None else match)
        places.append(Placement(match.start, match.end, splices or (), match.method))
    if unclear is not None and (hunk.replace_all or len(matches) == 1):
        place = Placement(unclear.start, unclear.end, (), unclear.method)
        return Found(trouble=Trouble("unclear_indentation", places=(place,)))
    if unclear is not None:
        return Found(trouble=Trouble("ambiguous", places=tuple(places)))
    return Found((_all_of(places),) if hunk.replace_all else tuple(places))


def _all_of(places: Sequence[Placement]) -> Placement:
    """One placement that changes all places, passing over those that overlap an earlier one."""
    splices: list[Splice] = []
    end = 0
    for place in sorted(places, key=lambda place: place.start):
        if place.start >= end:
            splices += place.splices
            end = place.end
    return Placement(min(place.start for place in places), end, tuple(splices), places[0].method)


def _in_place(index: LineIndex, hunk: Hunk, regions: Sequence[Region]) -> list[Match]:
    """The one place where the after-side stands as it is, if that tells that the hunk is done."""
    after = tuple(Segment(segment.after, segment.after) for segment in hunk.segments)
    shown = [line for segment in after for line in segment.after]
    if not all(segment.after for segment in after) or not _telling(shown):
        return []
    for segment in hunk.segments:
        runs = changed_runs(segment.before, segment.after)
        adds = any(any(line.strip() for line in segment.after[c:d]) for _, _, c, d in runs)
        if not adds and any(a == 0 or b == len(segment.before) for a, b, _, _ in runs):
            return []  # lines taken from the edge leave nothing to tell that they were there
    found = _best(search_strict, index, after, regions)
    return found if len(found) == 1 or hunk.replace_all else []


def _same_words(segments: tuple[Segment, ...]) -> bool:
    """Whether the hunk changes white space and punctuation only, so that both sides match loosely."""
    return all(
        [fold(line) for line in segment.before if line.strip()]
        == [fold(line) for line in segment.after if line.strip()]
        for segment in segments
    )


def _telling(lines: Iterable[str]) -> bool:
    """Whether lines hold more than brackets and the like."""
    return sum(character.isalnum() for line in lines for character in line) >= TELLING


def _touch(match: Match, others: Sequence[Match]) -> bool:
    return any(match.start < other.end and other.start < match.end for other in others)


def _find_text(source: SourceText, index: LineIndex, hunk: Hunk, form: str) -> Found:
    """A string replacement: the exact text first, then whole lines at the looser tiers."""
    from fastapply.merge.within import hanging_lines, replace_everywhere, text_places

    old, new = "\n".join(hunk.segments[0].before), "\n".join(hunk.segments[0].after)
    if hunk.replace_all:
        everywhere = replace_everywhere(source, old, new)
        if everywhere is not None:
            return Found((everywhere,))
    elif places := text_places(source, old, new):
        if len(places) == 1 and hanging_lines(source, old, new, places[0]):
            return Found(trouble=Trouble("unclear_indentation", places=(places[0],)))
        return Found(tuple(places))
    segment = _whole_lines(hunk.segments[0])
    if segment is None:
        return Found(trouble=Trouble("not_found"))
    found = _find_lines(index, replace(hunk, segments=(segment,)), form, [index.everywhere])
    missing = found.trouble is not None and found.trouble.code == "not_found"
    if missing and _telling(new) and new not in old and len(text_places(source, new, new)) == 1:
        return Found(done=True)
    return found


def _whole_lines(segment: Segment) -> Segment | None:
    """The lines of a string replacement, without the line feeds that it begins and ends with.

    None where the new text would join its last line with the one behind it.
    """
    before, after = list(segment.before), list(segment.after)
    for end in (0, -1):
        while len(before) > 1 and before[end] == "":
            if after == [""]:
                after = []
            elif after and after[end] == "":
                del after[end]
            elif after:
                return None
            del before[end]
    if after == [""]:
        after = []
    return Segment(tuple(before), tuple(after)) if any(line.strip() for line in before) else None


def _find_insertion(index: LineIndex, hunk: Hunk, form: str) -> Found:
    """A hunk that only adds lines and shows none of the file."""
    lines = index.lines
    new = tuple(line for segment in hunk.segments for line in segment.after)
    count = len(lines)
    if not any(line.strip() for line in lines):
        start = hunk.old_start
        if form == "udiff" and start is not None and 0 <= start <= count:  # it counts its blank lines
            return Found((Placement(start, start, (Splice(start, start, new),), "exact"),))
        if len(new) > 1 and hunk.within_line and new[-1] == "":
            new = new[:-1]
        return Found((Placement(0, count, (Splice(0, count, new),), "exact"),))
    if form == "search_replace":
        return Found(trouble=Trouble("empty_search"))
    if hunk.within_line:
        standing = set(lines)
        told = [line for line in new if line.strip()]
        if new[-1] != "" or sum(line in standing for line in told) * 2 >= len(told):
            return Found(trouble=Trouble("empty_search"))
        return Found((Placement(0, 0, (Splice(0, 0, new[:-1]),), "exact"),))
    at_end = Placement(count, count, (Splice(count, count, new),), "exact")
    tail_is_new = tuple(lines[count - len(new) :]) == new and _telling(new)
    if form == "udiff" and hunk.old_start == count - len(new) and tail_is_new:
        return Found(done=True)
    if form == "udiff" and hunk.old_start == count:
        return Found((at_end,))
    if form == "v4a" and (hunk.at_end or not hunk.scopes):
        return Found(done=True) if tail_is_new else Found((at_end,))
    if form != "v4a":
        why = "it only adds lines, without an unchanged line next to them"
        return Found(trouble=Trouble("no_context", why))
    from fastapply.merge.scopes import scope_blocks

    blocks = scope_blocks(index, hunk.scopes)
    if isinstance(blocks, str):
        return Found(trouble=Trouble("scope_missing", blocks))
    places = [
        Placement(at, at, (Splice(at, at, new),), "exact")
        for block in blocks
        for at in dict.fromkeys((block.low + 1, block.high))
    ]
    why = f"it only adds lines somewhere below {hunk.scopes[-1].strip()!r}"
    return Found(trouble=Trouble("no_context", why, tuple(places)))


def stands_at(source: SourceText, hunk: Hunk) -> Placement | None:
    """The hunk at the line that a diff states, if all its lines stand exactly there."""
    if hunk.old_start is None or len(hunk.segments) != 1:
        return None
    segment = hunk.segments[0]
    start = hunk.old_start - 1 if segment.before else hunk.old_start
    end = start + len(segment.before)
    if start < 0 or end > len(source.lines) or source.lines[start:end] != segment.before:
        return None
    if not segment.before:
        return Placement(start, start, (Splice(start, start, segment.after),), "exact")
    splices = rewrite(source.lines, hunk.segments, Match("exact", (tuple(range(start, end)),)))
    return Placement(start, end, splices or (), "exact")
