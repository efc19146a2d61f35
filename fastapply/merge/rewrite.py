"""From a place in the file to the lines that change there.

The file's own bytes win: a line of the before-side that the after-side keeps is not touched. What
is new gets the indentation that the place shows. A `Match` says which file line each line of the
before-side stands for; this module does not search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.merge.indentation import indent_of, level_width, lost_first, one_rule, shift_indent
from fastapply.types import Splice
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.merge.indentation import Pair
    from fastapply.types import Method, Segment

    Op = tuple[int, int, int, int]  # before[a:b] becomes after[c:d]

ABSENT = -1  # a blank line of the before-side that the file does not have


@dataclass(frozen=True, slots=True)
class Match:
    """A place of a hunk: for each segment, the file line that each line of `before` stands for."""

    method: Method
    lines: tuple[tuple[int, ...], ...]

    @property
    def start(self) -> int:
        """First file line of the place."""
        return min((at for segment in self.lines for at in segment if at != ABSENT), default=0)

    @property
    def end(self) -> int:
        """The file line behind the place."""
        return max((at + 1 for segment in self.lines for at in segment if at != ABSENT), default=0)


@dataclass(frozen=True, slots=True)
class Placement:
    """A hunk at one place: the file lines `[start, end)` that it speaks of, and what changes there."""

    start: int
    end: int
    splices: tuple[Splice, ...]
    method: Method


def changed_runs(before: Sequence[str], after: Sequence[str]) -> list[Op]:
    """Which lines become which; all others are kept. ``abc`` to ``axc`` gives ``[(1, 2, 1, 2)]``."""
    tail = 0
    shorter = min(len(before), len(after))
    while tail < shorter and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    head = 0
    while head < shorter - tail and before[head] == after[head]:
        head += 1
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if not old and not new:
        return []
    if not old or not new:
        return [(head, head + len(old), head, head + len(new))]
    from difflib import SequenceMatcher

    opcodes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(a + head, b + head, c + head, d + head) for tag, a, b, c, d in opcodes if tag != "equal"]


def rewrite(
    file_lines: Sequence[str], segments: Sequence[Segment], match: Match
) -> tuple[Splice, ...] | None:
    """The changes that the segments make at this place; None where an indentation is unclear."""
    exact = match.method in ("exact", "trailing")
    unit = level_width(
        indent_of(line) for segment in segments for line in (*segment.before, *segment.after) if line.strip()
    )
    pairs = [
        (indent_of(ours), indent_of(file_lines[at]))
        for segment, lines in zip(segments, match.lines, strict=True)
        for ours, at in zip(segment.before, lines, strict=True)
        if at != ABSENT and ours.strip() and file_lines[at].strip()
    ]
    runs = [changed_runs(segment.before, segment.after) for segment in segments]
    if not exact:
        added = {
            indent_of(line)
            for segment, ops in zip(segments, runs, strict=True)
            for _, _, c, d in ops
            for line in segment.after[c:d]
            if line.strip()
        }
        if lost_first(pairs, added):
            pairs += [(indent, indent) for indent in added if indent]
    changes = []
    for segment, lines, ops in zip(segments, match.lines, runs, strict=True):
        for a, b, c, d in ops:
            new: list[str] = []
            for line in segment.after[c:d]:
                placed = (
                    line
                    if exact
                    else _shift(line, _nearest_first(pairs, segment, lines, (a, b), file_lines), unit)
                )
                if placed is None:
                    return None
                new.append(placed)
            changes.append(_splice(lines, a, b, new))
    return tidy(file_lines, changes)


def _shift(line: str, pairs: Sequence[Pair], unit: int) -> str | None:
    if not line.strip():
        return line
    indent = indent_of(line)
    shifted = shift_indent(indent, pairs, unit)
    return None if shifted is None else shifted + line[len(indent) :]


def _nearest_first(
    pairs: list[Pair],
    segment: Segment,
    lines: tuple[int, ...],
    run: tuple[int, int],
    file_lines: Sequence[str],
) -> list[Pair]:
    """What shows the indentation of a run: all pairs where they agree, else those around the run."""
    if one_rule(pairs):
        return pairs
    shown = [i for i, at in enumerate(lines) if at != ABSENT and segment.before[i].strip()]
    around = [i for i in shown if run[0] <= i < run[1]]
    around += [i for i in shown if i < run[0]][-1:] + [i for i in shown if i >= run[1]][:1]
    return [(indent_of(segment.before[i]), indent_of(file_lines[lines[i]])) for i in around]


def _splice(lines: tuple[int, ...], a: int, b: int, new: list[str]) -> Splice:
    """File lines that stand for before[a:b] become the new ones, blank lines between them included."""
    gone = [at for at in lines[a:b] if at != ABSENT]
    if gone:
        return Splice(gone[0], gone[-1] + 1, tuple(new))
    earlier = [at for at in lines[:a] if at != ABSENT]
    if earlier:
        return Splice(earlier[-1] + 1, earlier[-1] + 1, tuple(new))
    later = [at for at in lines[b:] if at != ABSENT]
    place = later[0] if later else 0
    return Splice(place, place, tuple(new))


def tidy(file_lines: Sequence[str], changes: Iterable[Splice]) -> tuple[Splice, ...]:
    """Drop from each splice the lines at its ends that it would only write as they are."""
    tidied = []
    for change in changes:
        old, new = file_lines[change.start : change.end], change.lines
        for a, b, c, d in changed_runs(old, new):
            tidied.append(Splice(change.start + a, change.start + b, tuple(new[c:d])))
    return tuple(tidied)
