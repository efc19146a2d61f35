"""Places that resemble a hunk's before-side: blank lines apart, a few context lines drifted.

Unforgiving about meaning: a line that the hunk removes or changes must be the file's line (but for
white space and punctuation), since a different one is evidence that the edit was made for another
version. A context line may read a little differently, unless it is one that opens a block: those
tell twins apart.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapply.merge.locate import LineIndex, Region, fold
from fastapply.merge.rewrite import ABSENT, Match, changed_runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.types import LineRange, Segment

COMMON = 200  # a line that stands more often than this in the file anchors nothing
SIMILAR = 0.8
SIMILAR_COMMENT = 0.5
TELLING = 0.2  # share of the wanted text that must stand at a place to name it in a refusal

_COMMENT = re.compile(r"\s*(?:#|//|/\*|\*|--|<!--|;|%|\"\"\"|''')")
_OPENS = re.compile(r"(?:[:{(\[]|=>|->|\b(?:do|then|begin))\s*$")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Resemblance:
    """A place, and how many of the lines that are not blank differ there."""

    match: Match
    differing: int


def search_near(index: LineIndex, segment: Segment, region: Region | None = None) -> list[Resemblance]:
    """All places that pass for the before-side, those with the fewest differing lines first."""
    region = region or index.everywhere
    shown = [i for i, line in enumerate(segment.before) if line.strip()]
    numbers, dense, _ = index.dense
    gone = {i for a, b, _, _ in changed_runs(segment.before, segment.after) for i in range(a, b)}
    found = []
    for offset, votes in _offsets(index, segment.before, shown).items():
        if votes * 2 <= len(shown) or offset < 0 or offset + len(shown) > len(dense):
            continue
        places = numbers[offset : offset + len(shown)]
        if places[0] < region.low or places[-1] >= region.high:
            continue
        differing = [i for k, i in enumerate(shown) if dense[offset + k] != fold(segment.before[i])]
        at = dict(zip(shown, places, strict=True))
        if len(differing) > max(1, len(shown) // 4):
            continue
        if any(i in gone or not _resembles(segment.before[i], index.lines[at[i]]) for i in differing):
            continue
        if not _anchored(segment, set(differing)):
            continue
        lines = _with_blank_lines(index.lines, segment.before, at)
        found.append(Resemblance(Match("near", (lines,)), len(differing)))
    return sorted(found, key=lambda place: (place.differing, place.match.start))


def _offsets(index: LineIndex, before: Sequence[str], shown: Sequence[int]) -> Counter[int]:
    """Where the run could start, counted in lines that are not blank, and how many lines say so."""
    _, _, places = index.dense
    votes: Counter[int] = Counter()
    for k, i in enumerate(shown):
        standing = places.get(fold(before[i]), ())
        if len(standing) <= COMMON:
            votes.update(position - k for position in standing)
    if not votes:
        return votes
    for k, i in enumerate(shown):
        standing = places.get(fold(before[i]), ())
        if len(standing) > COMMON:
            standing = set(standing)  # type: ignore[assignment]
            for offset in votes:
                votes[offset] += offset + k in standing
    return votes


def _resembles(ours: str, theirs: str) -> bool:
    from difflib import SequenceMatcher

    comments = bool(_COMMENT.match(ours) and _COMMENT.match(theirs))
    if not comments and (_OPENS.search(ours) or _OPENS.search(theirs)) and _words(ours) != _words(theirs):
        return False
    ratio = SequenceMatcher(None, ours.strip(), theirs.strip(), autojunk=False).ratio()
    return ratio >= (SIMILAR_COMMENT if comments else SIMILAR)


def _words(line: str) -> list[str]:
    return _WORD.findall(line)


def _anchored(segment: Segment, differing: set[int]) -> bool:
    """Whether each change removes a line of the file or stands beside a line that is the file's."""
    before = segment.before
    for a, b, _, _ in changed_runs(before, segment.after):
        beside = next((i for i in range(a - 1, -1, -1) if before[i].strip()), None)
        behind = next((i for i in range(b, len(before)) if before[i].strip()), None)
        sure = any(before[i].strip() for i in range(a, b))
        sure = sure or any(i is not None and i not in differing for i in (beside, behind))
        if not sure:
            return False
    return True


def _with_blank_lines(lines: Sequence[str], before: Sequence[str], at: dict[int, int]) -> tuple[int, ...]:
    """Give each blank line of the before-side a blank line of the file, as far as there are any."""
    paired: list[int] = []
    last = None
    for i, line in enumerate(before):
        if line.strip():
            last = at[i]
        elif last is not None and last + 1 < len(lines) and not lines[last + 1].strip():
            last += 1
        else:
            paired.append(ABSENT)
            continue
        paired.append(last)
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
