"""Places that resemble a hunk's before-side: blank lines apart, a context line or two drifted.

Unforgiving about meaning: a line that the hunk removes or changes must be the file's line (but for
white space, punctuation and the kind of quotes), since a different one is evidence that the edit
was made for another version. A context line may read a little differently, or be missing at the
edge, unless it is one that opens a block: those tell twins apart. The file may have a line that
the context passes over, unless that is where something changes.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.merge.indentation import indent_of, width
from fastapply.merge.locate import LineIndex, Region, fold
from fastapply.merge.rewrite import ABSENT, Match, changed_runs
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastapply.types import LineRange, Segment

COMMON = 200  # a line that stands more often than this in the file anchors nothing
SIMILAR = 0.8
SIMILAR_COMMENT = 0.5
TELLING = 0.2  # share of the wanted text that must stand at a place to name it in a refusal
BAND = 3  # how many lines of the file a run may pass over, or the other way round

REQUOTED, DRIFTED, PASSED, MISSING = 1, 2, 2, 3  # what each difference costs
CLEAR = 3  # how much more a second place must cost for the first one to be meant

_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--|<!--|;|%|\"\"\"|''')")
_OPENS = re.compile(r"(?:[:{(\[]|=>|->|\b(?:do|then|begin))\s*$")
_REMARK = re.compile(r"(?<=\S)\s+(?:#|//|--)\s.*$|(?<=\S)\s*/\*[^*]*\*/\s*$")
_WORD = re.compile(r"\w+")
_QUOTES = str.maketrans(dict.fromkeys("\"'`", "'"))


@dataclass(frozen=True, slots=True)
class Resemblance:
    """A place, and what its differences cost: 0 where only blank lines differ.

    One that is not `allowed` differs in a line that has to be the same. It is no place for the
    hunk, but where it is as much alike as another one, that one is not meant for sure either.
    """

    match: Match
    cost: int
    allowed: bool


def search_near(index: LineIndex, segment: Segment, region: Region | None = None) -> list[Resemblance]:
    """All places that may be meant, those that are clearly less alike than the best left out."""
    region = region or index.everywhere
    shown = [i for i, line in enumerate(segment.before) if line.strip()]
    numbers, _, _ = index.dense
    found: dict[tuple[int, ...], Resemblance] = {}
    for low, high in _windows(index, segment.before, shown):
        window = [at for at in numbers[low:high] if region.low <= at < region.high]
        place = _align(index, segment, shown, window)
        if place is not None:
            found.setdefault(place.match.lines[0], place)
    if not found:
        return []
    best = min(place.cost for place in found.values())
    clear = best + CLEAR if best else 1
    return [place for place in found.values() if place.cost < clear]


def _windows(index: LineIndex, before: Sequence[str], shown: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Stretches of the file, counted in lines that are not blank, that hold most of the run."""
    _, dense, places = index.dense
    votes: Counter[int] = Counter()
    often = []
    for k, i in enumerate(shown):
        standing = places.get(fold(before[i]), [])
        if len(standing) <= COMMON:
            votes.update(position - k for position in standing)
        else:
            often.append((k, set(standing)))
    for offset in votes:
        votes[offset] += sum(offset + k in standing for k, standing in often)
    for offset, count in votes.items():
        around = sum(votes[offset + shift] for shift in range(-BAND, BAND + 1))
        best_here = all(votes[offset + shift] <= count for shift in range(-BAND, BAND + 1))
        if best_here and around * 2 > len(shown):
            yield max(0, offset - BAND), min(len(dense), offset + len(shown) + BAND)


def _align(index: LineIndex, segment: Segment, shown: list[int], window: list[int]) -> Resemblance | None:
    """The cheapest way to find the shown lines in the window, in order; None where it is no match."""
    before, lines = segment.before, index.lines
    keys, _ = index.keys(fold)
    runs = changed_runs(before, segment.after)
    gone = {i for a, b, _, _ in runs for i in range(a, b)}
    wanted = [fold(before[i]) for i in shown]
    size = len(shown)
    worst = DRIFTED * size + 1
    # costs[k][j]: the first k shown lines are placed, all in window[:j], the last one at j - 1
    costs = [[worst] * (len(window) + 1) for _ in range(size + 1)]
    steps: list[list[tuple[int, int]]] = [[(0, 0)] * (len(window) + 1) for _ in range(size + 1)]
    costs[0] = [0] * (len(window) + 1)
    for k in range(1, size + 1):
        i = shown[k - 1]
        may_miss = k in (1, size) and i not in gone and not _opens(before[i])
        for j in range(len(window) + 1):
            if may_miss and costs[k - 1][j] + MISSING < costs[k][j]:
                costs[k][j], steps[k][j] = costs[k - 1][j] + MISSING, (k - 1, j)
            if not j:
                continue
            reach = range(j - 1, max(-1, j - 2 - BAND), -1)
            since, base = min(
                ((p, costs[k - 1][p] + (PASSED * (j - 1 - p) if k > 1 else 0)) for p in reach),
                key=lambda step: step[1],
            )
            if base >= costs[k][j]:
                continue
            theirs = window[j - 1]
            if keys[theirs] == wanted[k - 1]:
                price = 0
            elif _requoted(before[i], lines[theirs]):
                price = REQUOTED
            elif _alike(before[i], lines[theirs], SIMILAR_COMMENT) or _resembles(before[i], lines[theirs]):
                price = DRIFTED
            else:
                continue
            if base + price < costs[k][j]:
                costs[k][j], steps[k][j] = base + price, (k - 1, since)
    end = min(range(len(window) + 1), key=lambda j: costs[size][j])
    cost = costs[size][end]
    if cost > max(MISSING, DRIFTED * (size // 4)) or cost >= worst:
        return None
    at: dict[int, int] = {}
    k, j = size, end
    while k:
        previous = steps[k][j]
        if previous[1] != j:
            at[shown[k - 1]] = window[j - 1]
        k, j = previous
    allowed = all(
        keys[theirs] == fold(before[i])
        or _requoted(before[i], lines[theirs])
        or (i not in gone and _resembles(before[i], lines[theirs]))
        for i, theirs in at.items()
    ) and _holds(index, segment, shown, at)
    return Resemblance(Match("near", (_with_blank_lines(lines, before, at),)), cost, allowed)


def _holds(index: LineIndex, segment: Segment, shown: Sequence[int], at: dict[int, int]) -> bool:
    """Whether enough lines are the file's own, above all where something changes."""
    before = segment.before
    sure = {i for i, theirs in at.items() if index.keys(fold)[0][theirs] == fold(before[i])}
    if len(sure) * 2 <= len(shown) or (len(at) < len(shown) and len(sure) < 4):
        return False
    runs = changed_runs(before, segment.after)
    for a, b, _, _ in runs:
        beside = next((i for i in range(a - 1, -1, -1) if before[i].strip()), None)
        behind = next((i for i in range(b, len(before)) if before[i].strip()), None)
        removes = any(before[i].strip() for i in range(a, b))
        if not removes and beside not in sure and behind not in sure:
            return False
    placed = [i for i in shown if i in at]
    for i, j in pairwise(placed):
        passed = [number for number in range(at[i] + 1, at[j]) if index.lines[number].strip()]
        if not passed:
            continue
        if any(a <= j and b > i for a, b, _, _ in runs):
            return False
        depth = min(width(indent_of(index.lines[at[i]])), width(indent_of(index.lines[at[j]])))
        if any(width(indent_of(index.lines[number])) < depth for number in passed):
            return False
    return True


def _requoted(ours: str, theirs: str) -> bool:
    return fold(ours).translate(_QUOTES).rstrip(",;") == fold(theirs).translate(_QUOTES).rstrip(",;")


def _opens(line: str) -> bool:
    return _OPENS.search(line) is not None


def _resembles(ours: str, theirs: str) -> bool:
    if fold(_REMARK.sub("", ours)) == fold(_REMARK.sub("", theirs)):
        return True
    comments = bool(_COMMENT.match(ours) and _COMMENT.match(theirs))
    if not comments:
        words, others = Counter(_WORD.findall(ours)), Counter(_WORD.findall(theirs))
        swapped = max((words - others).total(), (others - words).total())
        if swapped > (0 if _opens(ours) or _opens(theirs) else 1):
            return False
    return _alike(ours, theirs, SIMILAR_COMMENT if comments else SIMILAR)


def _alike(ours: str, theirs: str, least: float) -> bool:
    one, other = ours.strip(), theirs.strip()
    if 2 * min(len(one), len(other)) < least * (len(one) + len(other)):
        return False
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return matcher.quick_ratio() >= least and matcher.ratio() >= least


def _with_blank_lines(lines: Sequence[str], before: Sequence[str], at: dict[int, int]) -> tuple[int, ...]:
    """Give each blank line of the before-side a blank line of the file, as far as there are any."""
    paired: list[int] = []
    last = None
    for i, line in enumerate(before):
        if i in at:
            last = at[i]
            paired.append(last)
        elif not line.strip() and last is not None and last + 1 < len(lines) and not lines[last + 1].strip():
            last += 1
            paired.append(last)
        else:
            paired.append(ABSENT)
    return tuple(paired)


def nearest_lines(index: LineIndex, before: Sequence[str]) -> LineRange | None:
    """The file lines that most resemble the before-side, for "did you mean"; None without any."""
    from fastapply.types import LineRange

    shown = [i for i, line in enumerate(before) if line.strip()]
    numbers, dense, places = index.dense
    if not shown or not dense:
        return None
    weights: dict[int, float] = {}
    for k, i in enumerate(shown):
        standing = places.get(fold(before[i]), ())
        for position in standing[:COMMON]:
            weights[position - k] = weights.get(position - k, 0.0) + len(before[i].strip()) / len(standing)
    total = sum(len(before[i].strip()) for i in shown)
    if max(weights.values(), default=0.0) < TELLING * total:
        weights = _fuzzy_weights(before, shown, places)
    if not weights:
        return None
    offset = max(weights, key=lambda start: (weights[start], -start))
    first = max(offset, 0)
    last = min(max(offset + len(shown) - 1, first), len(dense) - 1)
    return LineRange(numbers[min(first, len(dense) - 1)] + 1, numbers[last] + 1)


def _fuzzy_weights(
    before: Sequence[str], shown: Sequence[int], places: dict[str, list[int]]
) -> dict[int, float]:
    """Places of the file's line that is most like the longest wanted line."""
    from difflib import get_close_matches

    longest = max(range(len(shown)), key=lambda k: len(before[shown[k]].strip()))
    wanted = fold(before[shown[longest]])
    like = [key for key in places if abs(len(key) - len(wanted)) <= len(wanted) // 2][:4000]
    close = get_close_matches(wanted, like, n=1, cutoff=0.6)
    return {places[close[0]][0] - longest: 1.0} if close else {}
