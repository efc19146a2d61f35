"""What happened to a file, as far as it can be told from the three texts.

Two alignments are the ground of every check: file to merged text (what was kept), and edit to
merged text (what was shown). A change is a place where the file's lines went, others came, or both.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapply.verify.compare import align, is_paraphrase, key_of
from fastapply.verify.shown import read_edit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastapply.text import SourceText
    from fastapply.types import FileEdit
    from fastapply.verify.shown import Part, Run, Wanted


@dataclass(frozen=True, slots=True)
class Change:
    """File lines ``[start, end)`` went and merged lines ``[first, last)`` came; 0-based, half-open."""

    start: int
    end: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where the edit shows a merged line: part, run in it, line in that."""

    part: int
    run: int
    line: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """The three texts and how their lines belong together."""

    original: SourceText
    merged: SourceText
    language: str | None
    wanted: Wanted
    old_keys: Sequence[str]  # the file's lines without white space
    new_keys: Sequence[str]  # those of the merged text
    kept_as: Sequence[int]  # for each file line the merged line that it is, or -1
    kept_from: Sequence[int]  # for each merged line the file line that it is, or -1
    changes: tuple[Change, ...]
    shown: dict[int, Place]  # merged line -> where the edit shows it
    found: dict[Place, int]  # and back; wanted lines that are not here are missing
    paraphrased: frozenset[Place]  # wanted lines for which the file's line was kept

    @property
    def is_whole(self) -> bool:
        """Whether the merged text is a snippet that the edit gives, from first line to last."""
        parts = self.wanted.parts
        if len(parts) != 1 or not parts[0].is_snippet or parts[0].marked:
            return False
        return [key for key in self.new_keys if key] == [
            line.key for run in parts[0].runs for line in run.lines
        ]


def gather(
    original: SourceText,
    edit: FileEdit,
    merged: SourceText,
    language: str | None,
    *,
    unshown_first: bool = False,
) -> Evidence:
    """Align the three texts.

    With `unshown_first`, lines that the edit does not show are aligned before all others: where
    the edit swaps two pieces, a plain diff may take the one that it shows for kept, and the one
    that must have been kept for moved.
    """
    keys = [key_of(line) for line in merged.lines]
    wanted = read_edit(edit, frozenset(keys))
    kept_as = align(original.lines, merged.lines)
    full = [index for index, key in enumerate(keys) if key]
    text = _Merged(merged.lines, keys, full, _came(kept_as, len(keys)))
    shown: dict[int, Place] = {}
    found: dict[Place, int] = {}
    for number, part in enumerate(wanted.parts):
        for place, index in _place_part(part, number, text).items():
            found[place] = index
            shown.setdefault(index, place)
    if unshown_first:
        kept_as = _align_unshown_first(original.lines, merged.lines, shown)
    kept_as = _slide(original.lines, merged.lines, kept_as, shown)
    kept_from = [-1] * len(merged.lines)
    for index, other in enumerate(kept_as):
        if other >= 0:
            kept_from[other] = index
    prose = language in {"markdown", "rst"}
    paraphrased = _paraphrases(wanted, merged.lines, kept_from, shown, found, prose=prose)
    return Evidence(
        original=original,
        merged=merged,
        language=language,
        wanted=wanted,
        old_keys=[key_of(line) for line in original.lines],
        new_keys=keys,
        kept_as=kept_as,
        kept_from=kept_from,
        changes=_changes(kept_as, len(merged.lines)),
        shown=shown,
        found=found,
        paraphrased=paraphrased,
    )


def _align_unshown_first(old: Sequence[str], new: Sequence[str], shown: dict[int, Place]) -> list[int]:
    rest = [index for index in range(len(new)) if index not in shown]
    kept_as = [rest[at] if at >= 0 else -1 for at in align(old, [new[index] for index in rest])]
    start = first = 0
    for index, other in enumerate([*kept_as, len(new)]):
        if other < 0:
            continue
        for offset, at in enumerate(align(old[start:index], new[first:other])):
            if at >= 0:
                kept_as[start + offset] = first + at
        start, first = index + 1, other + 1
    return kept_as


def _came(kept_as: Sequence[int], size: int) -> frozenset[int]:
    return frozenset(range(size)) - frozenset(kept_as)


def _changes(kept_as: Sequence[int], size: int) -> tuple[Change, ...]:
    changes = []
    start = first = 0
    for index, other in enumerate([*kept_as, size]):
        if other < 0:
            continue
        if index > start or other > first:
            changes.append(Change(start, index, first, other))
        start, first = index + 1, other + 1
    return tuple(changes)


# --- where the edit's lines are ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Merged:
    """The merged text, ready for looking lines up."""

    lines: Sequence[str]
    keys: Sequence[str]
    full: Sequence[int]  # lines that are not blank
    came: frozenset[int]  # lines that are new

    @property
    def dense(self) -> list[str]:
        """Keys of the lines that are not blank."""
        return [self.keys[index] for index in self.full]


def _place_part(part: Part, number: int, text: _Merged) -> dict[Place, int]:
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
    for at, key in enumerate(dense):
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
    return all(not any(keys[a + 1 : b]) and a < b for a, b in itertools.pairwise(lines))


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


# --- choosing among diffs that say the same -----------------------------------------------------------


def _slide(old: Sequence[str], new: Sequence[str], kept_as: list[int], shown: dict[int, Place]) -> list[int]:
    """Move pure insertions and pure deletions along equal lines to where the edit explains them.

    Of ``a } b }`` made of ``a }`` either ``} b`` or ``b }`` came; the one that the edit shows did.
    """
    kept = list(kept_as)
    for change in _changes(kept, len(new)):
        if change.start == change.end:
            _slide_insertion(new, kept, shown, change)
        elif change.first == change.last:
            _slide_deletion(old, kept, shown, change)
    return kept


def _slide_insertion(new: Sequence[str], kept: list[int], shown: dict[int, Place], change: Change) -> None:
    first, last, at = change.first, change.last, change.start  # kept[at] is new[last]

    def score(first: int, last: int) -> tuple[int, int]:
        unshown = sum(index not in shown and bool(new[index].strip()) for index in range(first, last))
        run = [shown.get(index) for index in range(first, last) if index in shown]
        torn = sum(a is None or b is None or a.run != b.run for a, b in itertools.pairwise(run))
        return unshown, torn

    best, best_shift, shift = score(first, last), 0, 0
    while best > (0, 0) and at + shift - 1 >= 0 and kept[at + shift - 1] == first + shift - 1 >= 0:
        if new[first + shift - 1] != new[last + shift - 1]:
            break
        shift -= 1
        if score(first + shift, last + shift) < best:
            best, best_shift = score(first + shift, last + shift), shift
    shift = 0
    while best > (0, 0) and at + shift < len(kept) and kept[at + shift] == last + shift:
        if new[first + shift] != new[last + shift]:
            break
        shift += 1
        if score(first + shift, last + shift) < best:
            best, best_shift = score(first + shift, last + shift), shift
    for step in range(best_shift, 0):
        kept[at + step] += last - first
    for step in range(best_shift):
        kept[at + step] -= last - first


def _slide_deletion(old: Sequence[str], kept: list[int], shown: dict[int, Place], change: Change) -> None:
    """Prefer the place whose neighbours the edit shows next to each other."""
    start, end = change.start, change.end

    def score(start: int, end: int) -> int:
        above = next((kept[i] for i in range(start - 1, -1, -1) if old[i].strip()), -1)
        below = next((kept[i] for i in range(end, len(old)) if old[i].strip()), -1)
        a, b = shown.get(above), shown.get(below)
        if a is not None and b is not None and (a.part, a.run) == (b.part, b.run):
            return 0
        return 1 if a is not None or b is not None else 2

    best, best_shift, shift = score(start, end), 0, 0
    for direction in (-1, 1):
        shift = 0
        while best:
            low, high = start + shift, end + shift
            if direction < 0 and not (low > 0 and kept[low - 1] >= 0 and old[low - 1] == old[high - 1]):
                break
            if direction > 0 and not (high < len(old) and kept[high] >= 0 and old[low] == old[high]):
                break
            shift += direction
            _move(kept, start, end, shift, direction)
            now = score(start + shift, end + shift)
            if now < best:
                best, best_shift = now, shift
        while shift:
            _move(kept, start, end, shift, -direction, back=True)
            shift -= direction
        if best_shift:
            break
    step = 1 if best_shift > 0 else -1
    for shift in range(step, best_shift + step, step) if best_shift else ():
        _move(kept, start, end, shift, step)


def _move(kept: list[int], start: int, end: int, shift: int, direction: int, *, back: bool = False) -> None:
    """Take one step of a deletion that slid `shift` lines, or take it back."""
    if direction * (-1 if back else 1) < 0:  # the deletion moved up: line `start+shift` is gone now
        gone, here = start + shift, end + shift
    else:
        gone, here = end + shift - 1, start + shift - 1
    if back:
        gone, here = here, gone
    kept[here], kept[gone] = kept[gone], -1


def _paraphrases(
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
