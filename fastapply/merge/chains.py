"""Chains beside the best one: other places for the shown lines, or lines that look known taken for new.

A line of a new block may stand in the file by chance (a closing line, a statement that every test has); so
may a line that resembles a line of the file. Each such stretch is left out of a chain once, alone and with
all others. So is all of a shown run but its first and last lines, if those stand in a row in the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.merge.likeness import is_attachment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.align import Aligner, Alignment
    from fastapply.merge.anchors import Anchor
    from fastapply.merge.elements import MergeContext

MOST_CHAINS = 20
"""Chains that candidates are made of."""
CHAIN_MARGIN = 8.0
"""Score by which a chain may fall short of the best one."""
MOST_NEAR = 6
"""Near anchors that are left out of a chain one at a time."""
MOST_UNITS = 4
"""Blocks and paragraphs that are taken for new as a whole."""
TELLING_LINE = 0.5
"""Weight from which on a line that stands once in the file says where it belongs."""
MOST_SEGMENTS = 4
"""Stretches of shared lines that are taken for new, because none of their lines stands once."""
MOST_RUNS = 8
"""Shown runs that are tried at another place."""


def find_chains(aligner: Aligner, best: Alignment, context: MergeContext) -> list[Alignment]:
    """The best chain, and the best ones that place a run elsewhere or take what looks known for new."""
    found = {_places(best): best}

    def solve(
        banned: set[Anchor], margin: float = float("inf"), *, unanchored: bool = False
    ) -> Alignment | None:
        rival = aligner.solve(banned)
        if rival.score < best.score - margin or not (rival.anchors or unanchored):
            return None
        found.setdefault(_places(rival), rival)
        return rival

    anchors = aligner.anchors
    near = [anchor.i for anchor in best.anchors if anchor.kind == "near"]
    for i in near[:MOST_NEAR]:
        solve({anchor for anchor in anchors if anchor.i == i and anchor.kind == "near"})
    if len(near) > 1:
        solve({anchor for anchor in anchors if anchor.kind == "near"})
    weak = _weak_segments(context, best)
    chosen = [*weak[:MOST_SEGMENTS], frozenset[tuple[int, int]]().union(*weak)] if len(weak) > 1 else weak
    for segment in chosen:
        solve({anchor for anchor in anchors if (anchor.i, anchor.start) in segment})
    units = _new_units(context, best)
    new = [*units[:MOST_UNITS], [i for unit in units for i in unit]] if len(units) > 1 else units
    for block in new:
        lines = frozenset(block)
        solve({anchor for anchor in anchors if anchor.i in lines})
    for framed in _framed(context, best):
        solve({anchor for anchor in anchors if anchor.i in framed}, unanchored=True)
    for places in list(_runs(context, best).values())[:MOST_RUNS]:
        banned, shown = set(places), {i for i, _ in places}
        for _ in range(3):
            rival = solve({anchor for anchor in anchors if (anchor.i, anchor.start) in banned}, CHAIN_MARGIN)
            there = {(p.i, p.start) for p in rival.anchors if p.i in shown} if rival else set()
            if not there:
                break
            banned |= there
    return sorted(found.values(), key=lambda one: -one.score)[:MOST_CHAINS]


def _framed(context: MergeContext, best: Alignment) -> list[frozenset[int]]:
    """Edit lines that are new where a shown run is new code between old lines, or beside them.

    At most four ways for each run: between its first and last lines that stand in a row in the file, or above
    or below them. A line does not count as old where its block is opened, or what it belongs to defined, by
    new ones. All lines are new only in the first or last run of an edit: these have a place in the file, its
    beginning or its end. The last way is the first of each run, at once.
    """
    known = {anchor.i for anchor in best.anchors if anchor.kind == "exact"}
    rows = _Rows(context)
    ways: list[list[frozenset[int]]] = []
    runs = _shown_runs(context)
    at_edge = (runs[0], runs[-1]) if context.edit.has_markers else ()
    for run in runs:
        if len(run) > 1 and not known.issuperset(run):
            found = dict.fromkeys(
                frozenset(run[head : len(run) - tail]) for head, tail in _frames(context, rows, run)
            )
            ways.append([way for way in found if len(way) < len(run) or run in at_edge])
    ways = [one for one in ways if one]
    together = [frozenset[int]().union(*(one[0] for one in ways))] if len(ways) > 1 else []
    return [way for one in ways for way in one] + together


def _shown_runs(context: MergeContext) -> list[list[int]]:
    """The lines of text between markers."""
    runs: list[list[int]] = [[]]
    for i, kind in enumerate(context.edit.kinds):
        if kind == "marker":
            runs.append([])
        elif kind == "text":
            runs[-1].append(i)
    return runs


def _frames(context: MergeContext, rows: _Rows, run: Sequence[int]) -> list[tuple[int, int]]:
    """How many lines at the start and at the end of a run may be old, in up to four ways."""
    parents, openers, lines = context.edit.parents, context.edit.openers, context.table.lines
    head, tail = rows.reach(run, 1), rows.reach(run[::-1], -1)
    if head + tail >= len(run):
        head, tail = (head, 0) if head >= tail else (0, tail)
    if len(run) in {head, tail}:
        return []
    above, below = head, tail
    while above and is_attachment(lines[run[above - 1]]):
        above -= 1
    new = set(run[head : len(run) - tail])
    while below and (parents[run[-below]] in new or openers.get(run[-below], -1) in new):
        new.add(run[-below])
        below -= 1
    return [(above, below), (0, below), (above, 0), (head, tail)]


class _Rows:
    """Finds lines of an edit that stand in a row in the file, but for blank ones."""

    def __init__(self, context: MergeContext) -> None:
        self._keys = context.table.keys
        self._at: dict[str, set[int]] = {}
        for number, key in enumerate(key for key in context.file.keys if key):
            self._at.setdefault(key, set()).add(number)

    def reach(self, lines: Sequence[int], step: int) -> int:
        """How many of some edit lines, from the first on, do; `step` is -1 where they are read upwards."""
        places, count = self._at.get(self._keys[lines[0]], set()), 0
        while places:
            count += 1
            if count == len(lines):
                break
            places = {place + step for place in places} & self._at.get(self._keys[lines[count]], set())
        return count


def _places(chain: Alignment) -> tuple[tuple[int, int], ...]:
    return tuple((anchor.i, anchor.start) for anchor in chain.anchors)


def _runs(context: MergeContext, best: Alignment) -> dict[int, list[tuple[int, int]]]:
    """The places of a chain, by the shown run that they are in."""
    runs: dict[int, list[tuple[int, int]]] = {}
    for anchor in best.anchors:
        if anchor.kind not in {"derived", "end"}:
            runs.setdefault(context.run(anchor.i).start, []).append((anchor.i, anchor.start))
    return runs


def _weak_segments(context: MergeContext, best: Alignment) -> list[frozenset[tuple[int, int]]]:
    """Stretches of a chain that may be chance: lines in a row in edit and file, none of which stands once.

    The lightest come first.
    """
    segments: list[list[Anchor]] = []
    for anchor in best.anchors:
        last = segments[-1][-1] if segments else None
        if last is not None and _follows(context, last, anchor):
            segments[-1].append(anchor)
        else:
            segments.append([anchor])
    weak: list[tuple[float, frozenset[tuple[int, int]]]] = []
    for segment in segments:
        sure = any(
            anchor.kind == "exact"
            and context.count[context.table.keys[anchor.i]] == 1
            and context.table.weights[anchor.i] > TELLING_LINE
            for anchor in segment
        )
        if not sure:
            weak.append(
                (sum(anchor.weight for anchor in segment), frozenset((p.i, p.start) for p in segment))
            )
    weak.sort(key=lambda pair: pair[0])
    return [segment for _, segment in weak]


def _follows(context: MergeContext, a: Anchor, b: Anchor) -> bool:
    """Whether only blank lines stand between two anchors, in edit and file."""
    return all(context.edit.kinds[x] in {"blank", "end"} for x in range(a.i + 1, b.i)) and not any(
        context.file.keys[a.end : b.start]
    )


def _new_units(context: MergeContext, best: Alignment) -> list[range]:
    """Blocks and paragraphs of the edit that may be new as a whole, the lightest first.

    Some of their lines are no lines of the file in a chain, others are, and none that only one line of the
    file can be: an entry like its neighbours, a test with the same end as the next one.
    """
    anchors = {anchor.i: anchor for anchor in best.anchors}
    kinds, keys, weights = context.edit.kinds, context.table.keys, context.table.weights

    def is_sure(i: int) -> bool:
        anchor = anchors.get(i)
        return (
            anchor is not None
            and anchor.kind == "exact"
            and context.count[keys[i]] == 1
            and weights[i] > TELLING_LINE
        )

    def is_mixed(unit: range) -> bool:
        known = [i for i in unit if i in anchors]
        new = any(kinds[i] == "text" and (i not in anchors or anchors[i].kind == "near") for i in unit)
        return bool(known) and new

    exact = {anchor.i for anchor in best.anchors if anchor.kind == "exact"}
    found: dict[tuple[int, int], range] = {}
    upto = -1
    for i, kind in enumerate(kinds):
        end = context.table.ends[i]
        if kind != "text" or end <= i + 1 or i < upto or (i in exact and context.count[keys[i]] == 1):
            continue
        closer = context.edit.closers.get(i)
        block = range(i, max(end, closer + 1 if closer is not None else 0))
        if is_mixed(block) and (i not in exact or not any(map(is_sure, block))):
            found[block.start, block.stop] = block
            upto = block.stop
    start = 0
    for i in range(len(kinds) + 1):
        if i < len(kinds) and kinds[i] in {"text", "end"}:
            continue
        unit = range(start, i)
        if len(unit) > 1 and is_mixed(unit) and not any(map(is_sure, unit)):
            found[unit.start, unit.stop] = unit
        start = i + 1
    return sorted(found.values(), key=lambda unit: sum(anchors[i].weight for i in unit if i in anchors))
