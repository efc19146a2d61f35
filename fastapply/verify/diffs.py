"""Which file lines went and which came: one diff of several that say the same.

Equal lines leave a diff a choice. It is made so that what the edit shows explains it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.text.align import align
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.verify.places import Place


@dataclass(frozen=True, slots=True)
class Change:
    """File lines ``[start, end)`` went and merged lines ``[first, last)`` came; 0-based, half-open."""

    start: int
    end: int
    first: int
    last: int


def find_changes(kept_as: Sequence[int], size: int) -> tuple[Change, ...]:
    """The places where two texts differ, of what each file line was kept as and the new text's size."""
    changes = []
    start = first = 0
    for index, other in enumerate([*kept_as, size]):
        if other < 0:
            continue
        if index > start or other > first:
            changes.append(Change(start, index, first, other))
        start, first = index + 1, other + 1
    return tuple(changes)


def align_unshown_first(old: Sequence[str], new: Sequence[str], shown: dict[int, Place]) -> list[int]:
    """Align the lines that the edit does not show, and then the others in between."""
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


def slide(old: Sequence[str], new: Sequence[str], kept_as: list[int], shown: dict[int, Place]) -> list[int]:
    """Move pure insertions and pure deletions along equal lines to where the edit explains them.

    Of ``a } b }`` made of ``a }`` either ``} b`` or ``b }`` came; the one that the edit shows did.
    """
    kept = list(kept_as)
    for change in find_changes(kept, len(new)):
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
        torn = sum(a is None or b is None or a.run != b.run for a, b in pairwise(run))
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
