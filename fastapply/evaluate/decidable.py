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

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import TYPE_CHECKING

from fastapply.evaluate.change import indent_of, is_strong

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.evaluate.blocks import Block, Structure
    from fastapply.evaluate.change import Change, Replaced


_OPENS = re.compile(
    r"(?:[{(\[:|]|=>|\bdo|\bthen|->)\s*(?://.*|/\*.*|#.*)?$|^\s*(?:def|class|module|if|unless|case) "
)
_CLOSES = re.compile(r"\s*(?:[)\]}]|end\b|</|fi\b|done\b|esac\b)")


@dataclass(frozen=True, slots=True)
class Run:
    """After lines `[start, end)` that are shown without a marker between them."""

    start: int
    end: int


@dataclass(frozen=True)
class Lookup:
    """Where stretches of stripped, non-blank lines stand in a file."""

    lines: tuple[str, ...]

    @cached_property
    def solid(self) -> tuple[int, ...]:
        """Line numbers of the non-blank lines."""
        return tuple(i for i, line in enumerate(self.lines) if line.strip())

    @cached_property
    def rank(self) -> dict[int, int]:
        """Position among the non-blank lines, by line number."""
        return {line: at for at, line in enumerate(self.solid)}

    @cached_property
    def places(self) -> dict[str, tuple[int, ...]]:
        """Positions among the non-blank lines of each stripped line."""
        found: dict[str, list[int]] = {}
        for at, line in enumerate(self.solid):
            found.setdefault(_plain(self.lines[line]), []).append(at)
        return {text: tuple(at) for text, at in found.items()}

    def find(self, stretch: Sequence[str], first: int, last: int) -> list[int]:
        """Line numbers at which the stretch begins inside lines `first` to `last`."""
        texts = [_plain(line) for line in stretch]
        out = []
        for at in self.places.get(texts[0], ()):
            end = at + len(texts)
            if end > len(self.solid) or self.solid[at] < first or self.solid[end - 1] > last:
                continue
            if all(_plain(self.lines[self.solid[at + i]]) == text for i, text in enumerate(texts)):
                out.append(self.solid[at])
        return out


def _plain(line: str) -> str:
    return " ".join(line.split())


@dataclass(frozen=True, slots=True)
class View:
    """What the filter needs to know of a change: itself and the blocks of both sides."""

    change: Change
    lookup: Lookup  # of the before
    old: Structure
    new: Structure


def runs_of(shown: Iterable[int]) -> list[Run]:
    """Maximal runs of a set of line numbers: ``{1, 2, 5}`` gives ``[1, 3), [5, 6)``."""
    runs: list[Run] = []
    for line in sorted(shown):
        if runs and runs[-1].end == line:
            runs[-1] = Run(runs[-1].start, line + 1)
        else:
            runs.append(Run(line, line + 1))
    return runs


def open_hunks(view: View, shown: frozenset[int]) -> list[Replaced]:
    """The replacements that a reader could not place; empty where the edit is decidable."""
    out: list[Replaced] = []
    decided: list[Replaced] = []
    runs = runs_of(shown)
    for run in runs:
        inside = [r for r in view.change.replaced if _touches(r, run)]
        if inside:
            out += _open_in_run(view, shown, run, inside)
            decided += inside
    out += [r for r in view.change.replaced if r not in decided]
    misled = _misleading(view, shown, runs)
    for run in misled:
        out += [r for r in view.change.replaced if _touches(r, run) and r not in out]
    if misled and not out:
        return list(view.change.replaced)
    return out


def _misleading(view: View, shown: frozenset[int], runs: list[Run]) -> list[Run]:
    """Runs behind a marker that look as if they belonged to a block shown above, but do not."""
    after, out = view.change.after, []
    for run in runs[1:]:
        first = next((i for i in range(run.start, run.end) if after[i].strip()), None)
        if first is not None and _seems_elsewhere(view, shown, first):
            out.append(run)
            continue
        lowest = indent_of(after[first]) if first is not None else 0
        for line in range(run.start, run.end):
            if after[line].strip() and indent_of(after[line]) < lowest:
                lowest = indent_of(after[line])
                if _seems_elsewhere(view, shown, line):
                    out.append(run)
                    break
    for block in view.new.blocks:
        header_is_new = view.change.old_of[block.start] is None and block.start in shown
        hides = any(i not in shown and after[i].strip() for i in range(block.body, block.end + 1))
        inserted = any(r.b0 == r.b1 and r.a0 <= block.start < r.a1 for r in view.change.replaced)
        if header_is_new and hides and inserted:
            out += [run for run in runs if run.start <= block.start < run.end]
    return out


def _seems_elsewhere(view: View, shown: frozenset[int], line: int) -> bool:
    """Whether the shown line that seems to open the block of `line` does not.

    A closing line seems to be opened by the shown line above it with the same indentation, any
    other to lie below the nearest shown opening line that is indented less.
    """
    after, depth = view.change.after, indent_of(view.change.after[line])
    closes = bool(_CLOSES.match(after[line]))
    above = next(
        (
            i
            for i in range(line - 1, -1, -1)
            if i in shown and after[i].strip() and indent_of(after[i]) < depth + int(closes)
        ),
        None,
    )
    if above is None or not (_OPENS.search(after[above]) or (closes and indent_of(after[above]) == depth)):
        return False
    if closes and (indent_of(after[above]) < depth or _CLOSES.match(after[above])):
        closes = False
        if not _OPENS.search(after[above]):
            return False
    between = (i for i in range(above + 1, line) if after[i].strip())
    return any(i not in shown and indent_of(after[i]) <= indent_of(after[above]) for i in between)


def _touches(r: Replaced, run: Run) -> bool:
    if r.a0 == r.a1:
        return run.start <= r.a0 <= run.end
    return run.start <= r.a0 and r.a1 <= run.end


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
        if wholes[r] is not None:
            continue
        above, below = stretches[at], stretches[at + 1]
        removes = any(line.strip() for line in change.before[r.b0 : r.b1])
        if not above and not below:
            out.append(r)
        elif not above or not below:
            beside = removes or _looks_like_neighbour(view, r, top=not above)
            if beside or _is_copy(view, r, shown) or _is_overload(view, r, shown):
                out.append(r)
        elif not _is_nearest(view, above, below) or (removes and not _is_bounded(view, shown, below)):
            out.append(r)
        elif not removes and _is_overload(view, r, shown):
            out.append(r)
    return out


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
    if not touching and not (_says_something(view, above) and _says_something(view, below)):
        return False
    gap = {_plain(line) for line in before[above[-1] + 1 : below[0]] if line.strip()}
    if _plain(before[above[-1]]) in gap or _plain(before[below[0]]) in gap:
        return False
    down = view.lookup.find([before[i] for i in below], above[-1] + 1, last)
    up = view.lookup.find([before[i] for i in above], 0, below[0] - 1)
    return bool(down) and down[0] == below[0] and bool(up) and up[-1] == above[0]


def _is_bounded(view: View, shown: frozenset[int], below: list[int]) -> bool:
    """Whether what follows a removal is more than the end of the new lines themselves."""
    if _says_something(view, below):
        return True
    change = view.change
    at = next(i for i, old in enumerate(change.old_of) if old == below[0])
    if not _CLOSES.match(change.after[at]):
        return False
    depth = indent_of(change.after[at])
    opener = next(
        (i for i in range(at - 1, -1, -1) if indent_of(change.after[i]) <= depth and change.after[i].strip()),
        None,
    )
    return opener is not None and opener in shown and change.old_of[opener] is not None


def _is_overload(view: View, r: Replaced, shown: frozenset[int]) -> bool:
    """Whether an insertion defines a name again that a hidden neighbour defines: it may be its new form."""
    change = view.change
    visible = {i for s in shown if (i := change.old_of[s]) is not None}
    new = [b for b in view.new.blocks if b.defines and b.name and r.a0 <= b.start < r.a1]
    parents = {(b.name, _parent(view.new, b)) for b in new}
    return any(
        b.defines and b.start not in visible and (b.name, _parent(view.old, b)) in parents
        for b in view.old.blocks
    )


def _parent(structure: Structure, block: Block) -> str:
    around = [
        b
        for b in structure.blocks
        if b.defines and b.body <= block.start and block.end <= b.end and b is not block
    ]
    return around[-1].name if around else ""


def _says_something(view: View, lines: list[int]) -> bool:
    return any(is_strong(view.change.before[i]) for i in lines)


def _looks_like_neighbour(view: View, r: Replaced, *, top: bool) -> bool:
    """Whether a one-sided insertion could be read as a new version of the hidden line beside it."""
    change = view.change
    new = [line for line in change.after[r.a0 : r.a1] if line.strip()]
    hidden = change.before[: r.b0][::-1] if top else change.before[r.b1 :]
    beside = [line for line in hidden[:12] if line.strip()][:4]
    edge = new[:2] if top else new[-2:]
    if not new or not beside:
        return not new
    return any(SequenceMatcher(None, a.strip(), b.strip()).ratio() > 0.6 for a in edge for b in beside)


def _is_copy(view: View, r: Replaced, shown: frozenset[int]) -> bool:
    """Whether an insertion repeats lines of the file that it does not show: it may be a move."""
    change = view.change
    visible = {i for s in shown if (i := change.old_of[s]) is not None}
    strong = [line for line in change.after[r.a0 : r.a1] if is_strong(line)]
    copies = [
        line
        for line in strong
        if any(i not in visible for i in view.lookup.find([line], 0, len(change.before)))
    ]
    return 2 * len(copies) > len(strong) or not strong
