"""Which of several places a hunk means, where something in the edit decides.

Each clue names one candidate or none: the order of the hunks, a diff's line numbers and heading,
the instructions sent along. Clues that name different candidates decide nothing. Places that
would give the same text count as one.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.merge.indentation import indent_of
from fastapply.merge.places import enclosing_lines, enclosing_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.rewrite import Placement
    from fastapply.types import Hunk, Splice

NEAR_LINES = 3  # how far off a stated line may be that still tells the nearest candidate
FAR_FACTOR = 5  # ... when all others are that many times as far off
MOST_SLACK = 15  # numbers that are off by more are not looked at
MOST = 50  # candidates of one hunk that are weighed
_JOINERS = frozenset({"in", "of", "the", "s", "class", "method", "function", "def"})
"""Words between two names of one thing."""

Candidates = tuple["Placement", ...]


def narrow(
    lines: Sequence[str],
    hunks: Sequence[Hunk],
    places: Sequence[Candidates],
    *,
    in_order: bool,
    order_is_rule: bool,
    instructions: str,
) -> list[Candidates]:
    """Narrow each hunk's candidates to the one that is meant, as far as the clues tell.

    `in_order` says that the format's hunks follow the file as a habit, `order_is_rule` that
    the format demands it.
    """
    narrowed = [_distinct(lines, candidates) for candidates in places]
    for _ in range(2):  # what the first round decides may decide more
        fixed = {i: found[0] for i, found in enumerate(narrowed) if len(found) == 1}
        narrowed = [found if len(found) < 2 else _free(found, fixed) or found for found in narrowed]
        by_order = _by_order(hunks, narrowed, rule=order_is_rule) if in_order else {}
        for i, found in enumerate(narrowed):
            if len(found) < 2 or len(found) > MOST:
                continue
            clues = [
                by_order.get(i),
                _by_line(hunks, narrowed, i),
                _by_heading(lines, hunks[i].heading, found),
                _by_name(lines, instructions, found),
            ]
            named = {clue.start: clue for clue in clues if clue is not None}
            if len(named) == 1:
                narrowed[i] = tuple(named.values())
    return narrowed


def overlap(one: Sequence[Splice], other: Sequence[Splice]) -> bool:
    """Whether two sets of changes touch the same file lines, or insert at the same place."""
    return any(
        (a.start < b.end and b.start < a.end)
        or (a.start == a.end == b.start == b.end)
        or (a.start == a.end and b.start < a.start < b.end)
        or (b.start == b.end and a.start < b.start < a.end)
        for a in one
        for b in other
    )


def _distinct(lines: Sequence[str], candidates: Candidates) -> Candidates:
    """The candidates that give different texts; the first of those that give the same."""
    if not 1 < len(candidates) <= MOST:
        return candidates
    low = min(place.start for place in candidates)
    high = max(place.end for place in candidates)
    if high - low > 5000:
        return candidates
    results: dict[tuple[str, ...], Placement] = {}
    for place in candidates:
        text: list[str] = []
        at = low
        for change in place.splices:
            text += [*lines[at : change.start], *change.lines]
            at = change.end
        text += lines[at:high]
        results.setdefault(tuple(text), place)
    return tuple(results.values())


def _free(found: Candidates, fixed: dict[int, Placement]) -> Candidates:
    """The candidates that none of the placed hunks changes."""
    return tuple(
        place for place in found if not any(overlap(place.splices, other.splices) for other in fixed.values())
    )


def _by_order(hunks: Sequence[Hunk], places: Sequence[Candidates], *, rule: bool) -> dict[int, Placement]:
    """The candidates that alone keep the hunks in the order of the file.

    Only where all hunks with one place are in order, and where enough of them stand around: one
    on either side, or two at all, or as many equal hunks as there are places for them. One is
    enough where the format makes order a rule.
    """
    counted = [i for i, found in enumerate(places) if found and not hunks[i].replace_all]
    fixed = [i for i in counted if len(places[i]) == 1]
    if any(places[i][0].start > places[j][0].start for i, j in pairwise(fixed)):
        return {}
    chosen: dict[int, Placement] = {}
    bounds = [None, *fixed, None]
    for before, behind in pairwise(bounds):
        run = [
            i
            for i in counted
            if (before is None or i > before) and (behind is None or i < behind) and len(places[i]) > 1
        ]
        if not run or any(len(places[i]) > MOST for i in run):
            continue
        low = places[before][0] if before is not None else None
        high = places[behind][0] if behind is not None else None
        fitting = [
            [
                place
                for place in places[i]
                if (low is None or _follows(low, place)) and (high is None or _follows(place, high))
            ]
            for i in run
        ]
        alike = len({hunks[i].segments[0].before for i in run}) == 1 and len(run) == len(places[run[0]])
        sides = (low is not None) + (high is not None)
        if not (sides == 2 or len(fixed) >= 2 or (rule and sides) or (alike and len(run) > 1)):
            continue
        ways = _ways(fitting)
        if len(ways) == 1:
            chosen.update(zip(run, ways[0], strict=True))
    return chosen


def _follows(one: Placement, other: Placement) -> bool:
    return one.start <= other.start and one.end <= other.end and not overlap(one.splices, other.splices)


def _ways(fitting: list[list[Placement]]) -> list[tuple[Placement, ...]]:
    """All ways to give each hunk of a run a place in order, or the first two of them."""
    ways: list[tuple[Placement, ...]] = [()]
    for found in fitting:
        ways = [(*way, place) for way in ways for place in found if not way or _follows(way[-1], place)]
        if len(ways) > MOST * MOST:
            return ways[:2]
    return ways


def _by_line(hunks: Sequence[Hunk], places: Sequence[Candidates], number: int) -> Placement | None:
    """The candidate at the stated line, or by far the nearest to it.

    How far the hunks with one place are off says how much a number is worth: all by the same, and
    the file has moved; by different amounts, and they are guesses.
    """
    stated = hunks[number].old_start
    if stated is None:
        return None
    shifts = [
        found[0].start + 1 - hunk.old_start
        for hunk, found in zip(hunks, places, strict=True)
        if hunk.old_start is not None and len(found) == 1
    ]
    moved = len(set(shifts)) == 1 and (len(shifts) > 1 or not shifts[0])
    expected = stated + (shifts[0] if moved else 0)
    slack = max(NEAR_LINES, *(abs(shift) for shift in shifts), 0) if shifts and not moved else NEAR_LINES
    ranked = sorted(places[number], key=lambda place: abs(place.start + 1 - expected))
    best, second = (abs(place.start + 1 - expected) for place in ranked[:2])
    if best == 0 and (moved or not shifts):
        return ranked[0]
    far = FAR_FACTOR * (best if slack == NEAR_LINES else slack)
    return ranked[0] if best <= slack <= MOST_SLACK and second > far else None


def _by_heading(lines: Sequence[str], heading: str, found: Candidates) -> Placement | None:
    """The candidate whose enclosing definition, or nearest top-level line above, is the heading."""
    wanted = heading.strip()
    if not wanted:
        return None
    under = []
    for place in found:
        around = {lines[at].strip() for at in enclosing_lines(lines, place.start)}
        above = next((lines[at] for at in range(place.start - 1, -1, -1) if _top(lines[at])), "")
        if any(line and line.startswith(wanted) for line in (*around, above.strip())):
            under.append(place)
    return under[0] if len(under) == 1 else None


def _top(line: str) -> bool:
    return bool(line.strip()) and not indent_of(line) and (line[0].isalpha() or line[0] in "_$")


def _by_name(lines: Sequence[str], instructions: str, found: Candidates) -> Placement | None:
    """The candidate whose enclosing definitions the instructions name: no other's, or its own in one breath.

    Of two methods `get`, ``Store.get`` and ``get of Store`` name one, ``get, as Store does`` neither.
    """
    if not instructions:
        return None
    said = re.findall(r"[A-Za-z_$][\w$]*[!?]?", instructions)
    words = {*said, *(word.rstrip("!?") for word in said)}
    named = [enclosing_names(lines, place.start) & words for place in found]
    meant = next((n for n in range(len(found)) if _is_apart(named, n)), None)
    if meant is None:
        return None
    if any(named[:meant] + named[meant + 1 :]):
        at = [n for n, word in enumerate(said) if word.rstrip("!?") in named[meant]]
        if not {*said[at[0] : at[-1] + 1]} <= named[meant] | _JOINERS:
            return None
    return found[meant]


def told_by_names(lines: Sequence[str], found: Candidates) -> bool:
    """Whether each candidate is meant where the instructions name what it is in."""
    names = [enclosing_names(lines, place.start) for place in found[:MOST]]
    return len(found) <= MOST and all(
        _is_apart([one & own for one in names], n) for n, own in enumerate(names)
    )


def _is_apart(named: Sequence[set[str]], number: int) -> bool:
    """Whether one set holds all that any other does, and more."""
    return all(other < named[number] for n, other in enumerate(named) if n != number)
