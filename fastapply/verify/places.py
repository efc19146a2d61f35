"""Where the edit's lines are in the merged text."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.text.align import align
from fastapply.values import dataclass
from fastapply.verify.compare import is_paraphrase

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastapply.verify.shown import Part, Run, Wanted


@dataclass(frozen=True, slots=True)
class Place:
    """Where the edit shows a merged line: part, run in it, line in that."""

    part: int
    run: int
    line: int


@dataclass(frozen=True, slots=True)
class MergedLines:
    """The merged text, ready for looking lines up."""

    lines: Sequence[str]
    keys: Sequence[str]
    full: Sequence[int]  # lines that are not blank
    came: frozenset[int]  # lines that are new

    @property
    def dense(self) -> list[str]:
        """Keys of the lines that are not blank."""
        return [self.keys[index] for index in self.full]


def place_part(part: Part, number: int, text: MergedLines) -> dict[Place, int]:
    """Find a part's wanted lines in the merged text, all in order or each hunk by itself."""
    places = [Place(number, r, i) for r, run in enumerate(part.runs) for i in range(len(run.lines))]
    if not places:
        return {}
    lines, full, dense = text.lines, text.full, text.dense
    found: dict[Place, int] = {}
    if part.in_order:
        said = [line.key for run in part.runs for line in run.lines]
        for place, at in zip(places, align(said, dense), strict=True):
            if at >= 0:
                found[place] = full[at]
        _close_up(part, number, dense, full, found)
    where: dict[str, list[int]] = {}
    wanted = {line.key for run in part.runs for line in run.lines}
    for at, key in enumerate(dense):
        if key in wanted:
            where.setdefault(key, []).append(at)
    for r, run in enumerate(part.runs):
        here = [Place(number, r, i) for i in range(len(run.lines))]
        if all(place in found for place in here) and _is_close([found[place] for place in here], text.keys):
            continue
        others = {place: index for place, index in found.items() if place.run != r}
        before = max((index for place, index in others.items() if place.run < r), default=-1)
        after = min((index for place, index in others.items() if place.run > r), default=len(lines))
        free = text.came - frozenset(others.values())

        def fitness(
            at: Sequence[int],
            run: Run = run,
            low: int = before,
            high: int = after,
            free: frozenset[int] = free,
        ) -> int:
            same = sum(lines[index] == line.text for index, line in zip(at, run.lines, strict=True))
            in_order = low < at[0] and at[-1] < high
            return (
                2 * sum(index in free for index in at) + 2 * same + in_order * len(at) * (1 + part.in_order)
            )

        at = _find_run(run, dense, where, full, fitness)
        if at >= 0:
            found.update({place: full[at + i] for i, place in enumerate(here)})
        elif not part.in_order:
            said = [line.key for line in run.lines]
            for place, match in zip(here, align(said, dense), strict=True):
                if match >= 0:
                    found[place] = full[match]
    return found


def _close_up(
    part: Part, number: int, dense: Sequence[str], full: Sequence[int], found: dict[Place, int]
) -> None:
    """Match a line beside a matched one there rather than farther away.

    An alignment may take any of many equal closers; the one next to its neighbour is meant.
    """
    position = {index: at for at, index in enumerate(full)}
    taken = set(found.values())
    for r, run in enumerate(part.runs):
        size = len(run.lines)
        for order, step in ((range(size - 1), 1), (range(size - 1, 0, -1), -1)):
            for i in order:
                here, beside = Place(number, r, i), Place(number, r, i + step)
                if here not in found:
                    continue
                at = position[found[here]] + step
                if not 0 <= at < len(full) or dense[at] != run.lines[i + step].key or full[at] in taken:
                    continue
                taken.discard(found.get(beside, -1))
                found[beside] = full[at]
                taken.add(full[at])


def _is_close(lines: Sequence[int], keys: Sequence[str]) -> bool:
    """Whether merged lines stand next to each other, blank ones aside."""
    return all(not any(keys[a + 1 : b]) and a < b for a, b in pairwise(lines))


def _find_run(
    run: Run,
    dense: Sequence[str],
    where: dict[str, list[int]],
    full: Sequence[int],
    fitness: Callable[[Sequence[int]], int],
) -> int:
    """Find a run as one piece; where it stands several times, the fittest place."""
    said = [line.key for line in run.lines]
    if not said:
        return -1
    rarest = min(range(len(said)), key=lambda i: len(where.get(said[i], ())))
    best, best_fitness = -1, -1
    for at in where.get(said[rarest], ()):
        begin = at - rarest
        if begin >= 0 and list(dense[begin : begin + len(said)]) == said:
            now = fitness(full[begin : begin + len(said)])
            if now > best_fitness:
                best, best_fitness = begin, now
    return best


def find_paraphrases(
    wanted: Wanted,
    merged: Sequence[str],
    kept_from: Sequence[int],
    shown: dict[int, Place],
    found: dict[Place, int],
    *,
    prose: bool,
) -> frozenset[Place]:
    """Wanted lines that are not in the merged text, but whose place holds the file line they mean."""
    meant: set[Place] = set()
    for number, part in enumerate(wanted.parts):
        for r, run in enumerate(part.runs):
            for i, line in enumerate(run.lines):
                place = Place(number, r, i)
                if place in found:
                    continue
                above = next((found[p] for p in _nearby(place, i, -1, run) if p in found), None)
                below = next((found[p] for p in _nearby(place, i, 1, run) if p in found), None)
                first = above + 1 if above is not None else max(0, (below or 0) - 4)
                last = below if below is not None else min(len(merged), (above or 0) + 5)
                if above is None and below is None:
                    first, last = 0, len(merged)
                for index in range(first, min(last, first + 40) if above is not None else last):
                    if index in shown or kept_from[index] < 0 or not merged[index].strip():
                        continue
                    if is_paraphrase(line.text, merged[index], prose=prose):
                        meant.add(place)
                        found[place] = index
                        shown[index] = place
                        break
    return frozenset(meant)


def _nearby(place: Place, index: int, step: int, run: Run) -> list[Place]:
    end = len(run.lines) if step > 0 else -1
    return [Place(place.part, place.run, i) for i in range(index + step, end, step)]
