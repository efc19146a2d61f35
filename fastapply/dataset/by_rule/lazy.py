"""Lazy edits: which lines of the after are shown, with markers for the rest.

`choose_shown` picks the lines for a `Plan` and adds context until the edit is decidable, or gives
up. Writing them down, in the many ways that models do, is `render.py`'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fastapply.dataset.by_rule.change import is_strong
from fastapply.dataset.by_rule.decidable import open_hunks, whole_block
from fastapply.dataset.by_rule.lookup import View, runs_of

if TYPE_CHECKING:
    from fastapply.dataset.by_rule.change import Replaced

MAX_WHOLE_BLOCK = 70
MAX_OMITTED = 14


@dataclass(frozen=True, slots=True)
class Plan:
    """What a lazy edit shows around its changes."""

    context: int = 3  # lines on each side
    headers: Literal["none", "inner", "all"] = "none"
    whole: bool = False  # definitions that change are shown whole
    sides: Literal["both", "above", "below"] = "both"  # of a pure insertion


def choose_shown(view: View, plan: Plan) -> frozenset[int] | None:
    """After lines to show, or None where no reader could put such an edit in."""
    replaced = view.change.replaced
    if any(_is_silent_removal(view, r, plan) for r in replaced):
        return None
    more = dict.fromkeys(replaced, 0)
    for _ in range(6):
        shown: set[int] = set()
        for r in replaced:
            shown |= _around(view, r.a0, r.a1, plan, plan.context + more[r], one_sided=plan.sides)
        headers = _headers(view, shown, plan) - shown
        shown |= headers
        _mend(view, shown)
        frozen = frozenset(shown)
        if plan.headers != "none" and not headers:
            return None
        if plan.whole and not any(whole_block(view, r, frozen) for r in replaced):
            return None
        missing = open_hunks(view, frozen)
        if not missing:
            return frozen if _is_lazy(view, frozen) else None
        if plan.sides != "both":
            return None
        for r in missing:
            more[r] += 1 if more[r] < 2 else 3
    return None


def _is_silent_removal(view: View, r: Replaced, plan: Plan) -> bool:
    removed = sum(bool(line.strip()) for line in view.change.before[r.b0 : r.b1])
    added = sum(bool(line.strip()) for line in view.change.after[r.a0 : r.a1])
    return removed > MAX_OMITTED and added * 4 < removed and plan.context < 3


def _around(view: View, a0: int, a1: int, plan: Plan, context: int, *, one_sided: str) -> set[int]:
    after = view.change.after
    if plan.whole:
        for block in reversed(view.new.blocks):
            if (
                block.defines
                and block.body <= a0
                and a1 <= block.end + 1
                and block.end - block.start < MAX_WHOLE_BLOCK
            ):
                if a0 == a1 and a0 > block.end and block.closed:
                    continue
                return set(range(block.start, block.end + 1))
    shown = set(range(a0, a1))
    sides = [(a0 - 1, -1), (a1, 1)]
    if one_sided == "above":
        sides.pop()
    elif one_sided == "below":
        sides.pop(0)
    for at, step in sides:
        left = context
        line = at
        while left and 0 <= line < len(after):
            shown.add(line)
            left -= bool(after[line].strip())
            line += step
    return shown


def _headers(view: View, shown: set[int], plan: Plan) -> set[int]:
    """Header and closing lines of the blocks around what is shown."""
    out: set[int] = set()
    if plan.headers == "none":
        return out
    for run in runs_of(shown):
        chain = [b for b in view.new.enclosing(run.start, run.end - 1) if b.defines]
        for block in chain if plan.headers == "all" else chain[-1:]:
            if any(view.change.old_of[i] is None for i in range(block.start, block.body)):
                continue
            out |= set(range(block.start, block.body))
            if block.closed:
                out.add(block.end)
    return out


def _mend(view: View, shown: set[int]) -> None:
    """Show what is too small to leave out, and never part a string or comment of several lines."""
    size = len(view.change.after)
    for _ in range(4):
        count = len(shown)
        for first, last in view.new.tokens:
            part = sum(i in shown for i in range(first, last + 1))
            if 0 < part < last - first + 1:
                shown.update(range(first, last + 1))
        runs = runs_of(shown)
        edges = [-1, *(e for run in runs for e in (run.start, run.end - 1)), size]
        for end, start in zip(edges[::2], edges[1::2], strict=True):
            hidden = range(end + 1, start)
            if sum(is_strong(view.change.after[i]) for i in hidden) <= 1:
                inner = end >= 0 and start < size
                if inner or any(view.change.after[i].strip() for i in hidden):
                    shown.update(hidden)
        _close_blocks(view, shown)
        if len(shown) == count:
            return


def _close_blocks(view: View, shown: set[int]) -> None:
    """Show the end of each shown block whose last line is next, or inside a block that is closed."""
    ends = [b for b in view.new.blocks if b.closed and b.end in shown and b.start in shown]
    for block in view.new.blocks:
        if not block.closed or block.start not in shown or block.end in shown:
            continue
        if block.end - 1 in shown or any(b.body <= block.start and block.end < b.end for b in ends):
            shown.add(block.end)


def _is_lazy(view: View, shown: frozenset[int]) -> bool:
    """Whether enough is left out, and nothing shown that only some would read as a change."""
    after = view.change.after
    hidden = sum(bool(line.strip()) for i, line in enumerate(after) if i not in shown)
    for r in view.change.replaced:
        if whole_block(view, r, shown) is None and r.a0 == r.a1 and not _has_neighbours(view, r.a0, shown):
            return False
    return hidden >= 5 and hidden * 5 >= len(after) and any(is_strong(after[i]) for i in shown)


def _has_neighbours(view: View, at: int, shown: frozenset[int]) -> bool:
    return at - 1 in shown and at in shown and 0 < at < len(view.change.after)
