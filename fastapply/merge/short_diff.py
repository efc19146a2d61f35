"""The short diff of each of several merges: where it differs from the others, without blank lines.

    +    def remove(self, sku):
      ... 3 more lines
    +        return True

A merge that does nothing of its own is shown by the lines that another one takes away, or puts lines beside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.merge.effects import lines_of, shared_lines

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from fastapply.merge.effects import Effect
    from fastapply.merge.lines import LineTable
    from fastapply.types import Splice

MOST_DIFF = 8
"""Lines that an answer's diff shows."""
_FEW = 4
"""Lines of one place in a diff that are shown in any case, where there are several places."""


def short_diffs(file: LineTable, effects: Sequence[Effect]) -> list[tuple[str, ...]]:
    """For each merge its diff where it differs from the others, at most eight lines without blank ones."""
    gone = [{f for one in each.changes for f in lines_of(one) if file.keys[f]} for each in effects]
    new = [
        [(one.start, text) for one in each.changes for text in one.lines if text.strip()] for each in effects
    ]
    alone = len(effects) == 1
    shared = [set[int]()] if alone else shared_lines(new, gone, file)
    common = set[int]() if alone else set.intersection(*gone)
    everything = set.union(*gone)
    found = []
    for n, each in enumerate(effects):
        places = {at for m, other in enumerate(effects) if m != n for at, _ in other.new}
        rows = _rows(
            file,
            each.changes,
            gone=gone[n] - common,
            kept=everything - gone[n],
            shared=shared[n],
            places=places,
        )
        found.append(_cut(rows))
    return found


def _rows(
    file: LineTable,
    changes: Sequence[Splice],
    *,
    gone: Collection[int],
    kept: Collection[int],
    shared: Collection[int],
    places: Collection[int],
) -> list[list[str]]:
    """The rows that are a merge's own, with the ones around them, a list a place.

    Where nothing is its own, the lines around what another one does. A row's key is its place in the diff: a
    file line, and a number for what comes behind it.
    """
    rows: dict[tuple[int, int], str] = {}
    own: list[tuple[int, int]] = []
    number = 0
    for one in changes:
        for f in (f for f in lines_of(one) if file.keys[f]):
            rows[f, -1] = f"-{file.lines[f]}"
            own += [(f, -1)] if f in gone else []
        for text in (text for text in one.lines if text.strip()):
            rows[one.end - 1, number] = f"+{text}"
            own += [(one.end - 1, number)] if number not in shared else []
            number += 1
    if not own:  # what others take away, or where they put something
        own = [(f, -1) for f in sorted(kept)] or [(f - 1, number) for f in sorted(places)][:1]
    for f, _ in own:
        around: tuple[int, ...] = (
            next((g for g in range(f - 1, -1, -1) if file.keys[g]), f),
            f,
            next((g for g in range(f + 1, len(file.keys)) if file.keys[g]), f),
        )
        for g in around:
            if g >= 0 and file.keys[g]:
                rows.setdefault((g, -1), f" {file.lines[g]}")
    keys = sorted({*rows, *own})
    at = {key: n for n, key in enumerate(keys)}
    wanted = sorted({n for key in own for n in range(at[key] - 1, at[key] + 2) if 0 <= n < len(keys)})
    found: list[list[str]] = []
    last = -2
    for n in wanted:
        if n - last > 1 or any(file.keys[f] for f in range(keys[last][0] + 1, keys[n][0])):
            found.append([])
        found[-1] += [rows[keys[n]]] if keys[n] in rows else []
        last = n
    return found


def _cut(places: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """At most eight rows: of long places the middle is left out, then the last places are."""
    sizes = [len(rows) for rows in places]
    least = MOST_DIFF if len(places) == 1 else _FEW
    while sum(sizes) > MOST_DIFF and max(sizes) > least:
        sizes[sizes.index(max(sizes))] -= 1
    found: list[str] = []
    for n, (rows, size) in enumerate(zip(places, sizes, strict=True)):
        if len(found) + size + (n + 1 < len(places)) > MOST_DIFF:
            left = len(places) - n
            return (*found, f"  ... and at {left} more place{'s' if left > 1 else ''}")
        head, out = size // 2, len(rows) - size + 1
        found += rows if out == 1 else [*rows[:head], f"  ... {out} more lines", *rows[head + out :]]
    return tuple(found)
