"""All places of a hunk at the strictest tier that has any.

A hunk is one segment, or several with elided lines between them: those are found in order and
stay inside the block where the first one stands. Which of several places is meant is not decided
here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.merge.indentation import indent_of, width
from fastapply.merge.locate import LOOSE, STRICT, LineIndex, Region, Tier, locate_lines
from fastapply.merge.rewrite import ABSENT, Match, changed_runs
from fastapply.types import Segment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastapply.types import Method

MOST = 200  # places of one hunk that are followed up; with more it is ambiguous anyhow


def search_strict(
    index: LineIndex, segments: tuple[Segment, ...], region: Region | None = None
) -> list[Match]:
    """Places where all lines are the same, but perhaps for white space at their ends."""
    region = region or index.everywhere
    for tier in STRICT:
        if found := _search(index, segments, tier, region):
            return found
    return []


def search_edges(
    index: LineIndex, segments: tuple[Segment, ...], region: Region | None = None
) -> list[Match]:
    """The same without the blank lines at the edges of the hunk, which the file does not have."""
    cut = _without_edges(segments)
    region = region or index.everywhere
    for tier in STRICT if cut is not None else ():
        if found := _search(index, cut or segments, tier, region):
            return [_with_edges(match, segments, "trailing") for match in found]
    return []


def search_loose(
    index: LineIndex, segments: tuple[Segment, ...], region: Region | None = None
) -> list[Match]:
    """Places where the lines differ in indentation, inner white space or Unicode punctuation only."""
    region = region or index.everywhere
    cut = _without_edges(segments)
    for tier in LOOSE:
        if found := _search(index, segments, tier, region):
            return found
        if cut is not None and (found := _search(index, cut, tier, region)):
            return [_with_edges(match, segments, tier.method) for match in found]
    return []


def search_restored(
    index: LineIndex, segments: tuple[Segment, ...], region: Region | None = None
) -> list[Match]:
    """Places of a diff hunk whose context lines were written without their leading blank.

    Such a line lost one blank of its indentation to the diff's first column, while the `+` and
    `-` lines are whole: only the context is one column short. Not so where the new lines would
    then stand at an odd depth: there the whole hunk is short.
    """
    changed = False
    restored = []
    for segment in segments:
        before, after = list(segment.before), list(segment.after)
        kept_before, kept_after = _kept(before, after)
        for lines, kept in ((before, kept_before), (after, kept_after)):
            for i in kept:
                if lines[i].startswith(" ") and lines[i].strip():
                    lines[i] = " " + lines[i]
                    changed = True
        restored.append(Segment(tuple(before), tuple(after)))
    if not changed:
        return []
    region = region or index.everywhere
    for tier in STRICT:
        if found := _search(index, tuple(restored), tier, region):
            fitting = [match for match in found if _fits_depth(index.lines, segments, match)]
            return [Match("trailing", match.lines) for match in fitting]
    return []


def _fits_depth(lines: Sequence[str], segments: tuple[Segment, ...], match: Match) -> bool:
    """Whether the new lines, as they are, have depths like those of the file's lines there."""
    known = {indent_of(lines[at]) for run in match.lines for at in run if lines[at].strip()}
    parities = {width(indent) % 2 for indent in known}
    new = (
        indent_of(line)
        for segment in segments
        for _, _, c, d in changed_runs(segment.before, segment.after)
        for line in segment.after[c:d]
        if line.strip()
    )
    return all(indent in known or {width(indent) % 2} == parities for indent in new)


def _kept(before: Sequence[str], after: Sequence[str]) -> tuple[list[int], list[int]]:
    """Numbers of the lines that stay, on both sides."""
    gone, new = set[int](), set[int]()
    for a, b, c, d in changed_runs(before, after):
        gone.update(range(a, b))
        new.update(range(c, d))
    return (
        [i for i in range(len(before)) if i not in gone],
        [i for i in range(len(after)) if i not in new],
    )


def _search(index: LineIndex, segments: tuple[Segment, ...], tier: Tier, region: Region) -> list[Match]:
    places = [locate_lines(index, segment.before, tier, region) for segment in segments]
    if not all(places):
        return []
    if len(segments) == 1:
        size = len(segments[0].before)
        return [Match(tier.method, (tuple(range(at, at + size)),)) for at in places[0]]
    for inside in (True, False):
        found = []
        for start in places[0][:MOST]:
            end = _reach(index.lines, start, len(segments[0].before), inside=inside)
            if end is None:
                continue
            for chain in _chains(segments, places, 1, (start,), min(end, region.high)):
                found.append(_match(tier, segments, chain))
                if len(found) > MOST:
                    return found
        if found:
            return found
    if all(len(found) == 1 for found in places):  # out of the block, but nowhere else either
        return [
            _match(tier, segments, chain)
            for chain in _chains(segments, places, 1, (places[0][0],), region.high)
        ]
    return []


def _match(tier: Tier, segments: tuple[Segment, ...], chain: tuple[int, ...]) -> Match:
    lines = (range(at, at + len(segment.before)) for at, segment in zip(chain, segments, strict=True))
    return Match(tier.method, tuple(tuple(run) for run in lines))


def _reach(lines: Sequence[str], start: int, size: int, *, inside: bool) -> int | None:
    """How far the later segments may stand: the block that the first line opens, or the one around it."""
    shown = [number for number in range(start, start + size) if lines[number].strip()]
    if not shown:
        return None
    if inside:
        from fastapply.merge.places import block_end

        end = block_end(lines, shown[0])
        return end if end is not None and end >= start + size else None
    depth = min(width(indent_of(lines[number])) for number in shown)
    for number in range(start + size, len(lines)):
        if lines[number].strip() and width(indent_of(lines[number])) < depth:
            return number
    return len(lines)


def _chains(
    segments: tuple[Segment, ...], places: list[list[int]], number: int, chain: tuple[int, ...], end: int
) -> Iterator[tuple[int, ...]]:
    """All ways to place the segments from `number` on; one that only shows context is placed nearest."""
    if number == len(segments):
        yield chain
        return
    low = chain[-1] + len(segments[number - 1].before)
    fitting = [at for at in places[number] if low <= at <= end]
    if segments[number].before == segments[number].after:
        fitting = fitting[:1]
    for at in fitting[:MOST]:
        yield from _chains(segments, places, number + 1, (*chain, at), end)


def _edges(segments: tuple[Segment, ...]) -> tuple[int, int]:
    """Blank lines at the very start and at the very end of the before-side."""
    first, last = segments[0].before, segments[-1].before
    head = next((i for i, line in enumerate(first) if line.strip()), len(first))
    tail = next((i for i, line in enumerate(reversed(last)) if line.strip()), len(last))
    return head, tail


def _without_edges(segments: tuple[Segment, ...]) -> tuple[Segment, ...] | None:
    head, tail = _edges(segments)
    if not head and not tail:
        return None
    cut = list(segments)
    cut[0] = Segment(cut[0].before[head:], cut[0].after)
    cut[-1] = Segment(cut[-1].before[: len(cut[-1].before) - tail], cut[-1].after)
    return tuple(cut) if all(segment.before for segment in cut) else None


def _with_edges(match: Match, segments: tuple[Segment, ...], method: Method) -> Match:
    head, tail = _edges(segments)
    lines = list(match.lines)
    lines[0] = (ABSENT,) * head + lines[0]
    lines[-1] = lines[-1] + (ABSENT,) * tail
    return Match(method, tuple(lines))
