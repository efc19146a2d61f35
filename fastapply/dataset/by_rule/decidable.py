"""Whether a careful reader could put an edit in: the filter of the generator.

An edit that shows after lines `shown` of a change is decidable when every replacement in it is:

- it stands between lines of the file that are shown as well, both where something is removed; or
  it is a pure insertion with one such neighbour; or it lies in a definition that is shown whole;
- in each run of shown lines there is a stretch of file lines that says something and stands once
  in the file, or once in the innermost block whose header is shown above;
- from there, each next stretch of file lines is the nearest one of its kind;
- nothing seems to lie in, or to close, a block that it does not.

White space is not looked at, so that what holds here also holds for re-indented snippets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.dataset.by_rule.change import indent_of, is_strong
from fastapply.dataset.by_rule.doubts import (
    is_bounded,
    is_copy,
    is_overload,
    is_slight,
    looks_like_neighbour,
    says_something,
    slides,
)
from fastapply.dataset.by_rule.lookup import Run, View, plain, runs_of, touches
from fastapply.dataset.by_rule.seeming import misleading

if TYPE_CHECKING:
    from fastapply.dataset.by_rule.blocks import Block
    from fastapply.dataset.by_rule.change import Change, Replaced


def open_hunks(view: View, shown: frozenset[int]) -> list[Replaced]:
    """The replacements that a reader could not place; empty where the edit is decidable."""
    out: list[Replaced] = []
    decided: list[Replaced] = []
    runs = runs_of(shown)
    for run in runs:
        inside = [r for r in view.change.replaced if touches(r, run)]
        if inside:
            out += _open_in_run(view, shown, run, inside)
            decided += inside
    out += [r for r in view.change.replaced if r not in decided]
    misled = misleading(view, shown, runs)
    for run in misled:
        out += [r for r in view.change.replaced if touches(r, run) and r not in out]
    if misled and not out:
        return list(view.change.replaced)
    return out


def whole_block(view: View, r: Replaced, shown: frozenset[int]) -> Block | None:
    """The definition, shown whole and with a header that names it, that holds a replacement."""
    for block in reversed(view.new.blocks):
        if not (block.defines and block.body <= r.a0 and r.a1 <= block.end + 1):
            continue
        if r.a0 == r.a1 == block.end + 1 and block.closed:
            continue
        if not all(line in shown for line in range(block.start, block.end + 1)):
            continue
        before = old_block(view, block)
        if before is None or not (before.body <= r.b0 and r.b1 <= before.end + 1):
            continue
        if header_is_unique(view, block, shown):
            return block
    return None


def old_block(view: View, block: Block) -> Block | None:
    """The block of the before whose header is the same line."""
    start = view.change.old_of[block.start]
    if start is None:
        return None
    return next((b for b in view.old.blocks if b.start == start and b.defines == block.defines), None)


def region_of(view: View, line: int, shown: frozenset[int]) -> tuple[int, int]:
    """Lines of the before in which a reader looks for what is shown at after line `line`."""
    low, high = 0, len(view.change.before) - 1
    above = next((i for i in range(line - 1, -1, -1) if i in shown and _is_outside(view, i, line)), None)
    for block in view.new.blocks:
        if not (block.body <= line <= block.end and block.start in shown):
            continue
        before = old_block(view, block)
        if before is None:
            continue
        header = view.change.before[before.start]
        if is_strong(header) and view.lookup.find([header], low, high) == [before.start]:
            clean = above is not None and block.start <= above
            if not clean:
                break
            low, high = before.start, before.end
    return low, high


def _is_outside(view: View, i: int, line: int) -> bool:
    text = view.change.after[i]
    return bool(text.strip()) and indent_of(text) < indent_of(view.change.after[line])


def header_is_unique(view: View, block: Block, shown: frozenset[int]) -> bool:
    """Whether the header stands once where a reader would look for it."""
    start = view.change.old_of[block.start]
    if start is None or not is_strong(view.change.before[start]):
        return False
    low, high = region_of(view, block.start, shown)
    return view.lookup.find([view.change.before[start]], low, high) == [start]


def _open_in_run(view: View, shown: frozenset[int], run: Run, inside: list[Replaced]) -> list[Replaced]:
    change = view.change
    wholes = {r: whole_block(view, r, shown) for r in inside}
    stretches = _stretches(change, run, inside)
    low, high = region_of(view, run.start, shown)
    if not _is_anchored(view, stretches, low, high) and not all(wholes.values()):
        return inside
    out = []
    for at, r in enumerate(inside):
        above, below = stretches[at], stretches[at + 1]
        removes = any(line.strip() for line in change.before[r.b0 : r.b1])
        if is_slight(view, r):
            out.append(r)
        elif wholes[r] is not None:
            continue
        elif not above and not below:
            out.append(r)
        elif not above or not below:
            beside = removes or slides(view, r, top=not above) or looks_like_neighbour(view, r, top=not above)
            if beside or is_copy(view, r, shown) or is_overload(view, r, shown):
                out.append(r)
        elif not _is_nearest(view, above, below):
            out.append(r)
        elif removes:
            if not is_bounded(view, shown, below):
                out.append(r)
        elif is_overload(view, r, shown) or _is_twin(view, r, above, below):
            out.append(r)
    return out


def _is_twin(view: View, r: Replaced, above: list[int], below: list[int]) -> bool:
    """Whether an insertion is like a hidden neighbour, and its context too weak to tell it from that."""
    change, last = view.change, len(view.change.before) - 1
    for stretch, top in ((above, True), (below, False)):
        text = [change.before[i] for i in stretch]
        known = says_something(view, stretch) and len(view.lookup.find(text, 0, last)) == 1
        if not known and looks_like_neighbour(view, r, top=top):
            return True
    return False


def _stretches(change: Change, run: Run, inside: list[Replaced]) -> list[list[int]]:
    """Before lines, not blank, that the run shows before, between and behind its replacements."""
    out: list[list[int]] = []
    at = run.start
    for end, nxt in [*((r.a0, r.a1) for r in inside), (run.end, run.end)]:
        lines = (change.old_of[i] for i in range(at, end))
        out.append([i for i in lines if i is not None and change.before[i].strip()])
        at = nxt
    return out


def _is_anchored(view: View, stretches: list[list[int]], low: int, high: int) -> bool:
    for stretch in stretches:
        text = [view.change.before[i] for i in stretch]
        if any(is_strong(line) for line in text) and view.lookup.find(text, low, high) == [stretch[0]]:
            return True
    return False


def _is_nearest(view: View, above: list[int], below: list[int]) -> bool:
    """Whether nothing of either neighbour stands between the two, and both meet nearest."""
    before, last = view.change.before, len(view.change.before) - 1
    touching = is_strong(before[above[-1]]) or is_strong(before[below[0]])
    if not touching and not (says_something(view, above) and says_something(view, below)):
        return False
    gap = {plain(line) for line in before[above[-1] + 1 : below[0]] if line.strip()}
    if plain(before[above[-1]]) in gap or plain(before[below[0]]) in gap:
        return False
    down = view.lookup.find([before[i] for i in below], above[-1] + 1, last)
    up = view.lookup.find([before[i] for i in above], 0, below[0] - 1)
    return bool(down) and down[0] == below[0] and bool(up) and up[-1] == above[0]
