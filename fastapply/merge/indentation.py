r"""Indentation of new lines, where the edit's indentation differs from the file's.

The lines of an edit that also stand in the file show how one indentation maps to the other:
shifted by a constant, tabs for blanks, levels of another width. New lines follow the same map.

    edit  "x = 1"      file  "    x = 1"      so  "y = 2"    becomes  "    y = 2"
    edit  "  a {"      file  "\ta {"          so  "    b"    becomes  "\t\tb"
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Pair = tuple[str, str]  # an edit line's indentation, and that of its line in the file

TAB = 4  # columns that a tab counts as, only ever compared with other widths of the same text


def indent_of(line: str) -> str:
    """The white space that a line begins with."""
    return line[: len(line) - len(line.lstrip())]


def width(indent: str) -> int:
    """Columns of an indentation."""
    return len(indent.expandtabs(TAB))


def one_rule(pairs: Iterable[Pair]) -> bool:
    """Whether each indentation of the edit stands for one of the file, in the same order of depth."""
    mapping: dict[str, str] = {}
    for ours, theirs in pairs:
        if mapping.setdefault(ours, theirs) != theirs:
            return False
    by_depth = sorted(mapping.items(), key=lambda pair: width(pair[0]))
    depths = [width(theirs) for _, theirs in by_depth]
    return all(one < other for one, other in pairwise(depths))


def shift_indent(indent: str, pairs: Sequence[Pair], unit: int) -> str | None:
    """Map an indentation of the edit by what the pairs show; None where they don't tell.

    `unit` is the width of one level in the edit. The first pairs are the nearest ones and win
    where the pairs contradict each other.
    """
    if not pairs or all(ours == theirs for ours, theirs in pairs):
        return indent
    if one_rule(pairs):
        known = dict(pairs)
        if indent in known:
            return known[indent]
        return _extend(indent, list(known.items()), unit)
    same = {theirs for ours, theirs in pairs if ours == indent}
    if same:
        return same.pop() if len(same) == 1 else None
    shifted = {_extend(indent, [pair], unit) for pair in pairs}
    return shifted.pop() if len(shifted) == 1 else None


def _extend(indent: str, known: list[Pair], unit: int) -> str | None:
    """An indentation that no pair shows, from the deepest known one above it (or the next one)."""
    deltas = {_delta(pair) for pair in known}
    added, dropped = next(iter(deltas))
    if len(deltas) == 1 and not (added and dropped) and not _mixed(indent, known):
        return added + indent[len(dropped) :] if indent.startswith(dropped) else None
    known = sorted(known, key=lambda pair: width(pair[0]))
    if not known[0][0] and known[0][1] and len(known) > 1 and len({_delta(pair) for pair in known[1:]}) == 1:
        return _extend(indent, known[1:], unit)  # only the first line lost its indentation
    above = [pair for pair in known if width(pair[0]) <= width(indent)]
    ours, theirs = above[-1] if above else known[0]
    levels, rest = divmod(width(indent) - width(ours), unit)
    if rest:
        return None
    step = _step(known, unit)
    if step is None:
        return None
    if levels >= 0:
        return theirs + step * levels
    surplus = len(step) * -levels
    return theirs[:-surplus] if theirs.endswith(step * -levels) else None


def _delta(pair: Pair) -> Pair:
    """What the file has before the edit's indentation, and what the edit has more.

    ``("  ", "    ")`` gives ``("  ", "")``; tabs against blanks have no common end, so all differs.
    """
    ours, theirs = pair
    if theirs.endswith(ours):
        return theirs[: len(theirs) - len(ours)], ""
    if ours.endswith(theirs):
        return "", ours[: len(ours) - len(theirs)]
    return theirs, ours


def _mixed(indent: str, known: list[Pair]) -> bool:
    """Whether the edit indents with blanks where the file does with tabs, or the other way round."""
    return any(theirs and indent and ("\t" in theirs) != ("\t" in indent) for _, theirs in known)


def _step(known: list[Pair], unit: int) -> str | None:
    """One level of indentation in the file, as the pairs show it."""
    for (ours, theirs), (deeper, theirs_deeper) in pairwise(known):
        levels = (width(deeper) - width(ours)) // unit
        more = theirs_deeper[len(theirs) :]
        if theirs_deeper.startswith(theirs) and levels > 0 and more and len(more) % levels == 0:
            return more[: len(more) // levels]
    ours, theirs = known[-1]
    levels = width(ours) // unit
    if levels > 0 and theirs and len(theirs) % levels == 0:
        return theirs[: len(theirs) // levels]
    return "\t" if theirs.startswith("\t") else None


def lost_first(pairs: Iterable[Pair], new: Iterable[str]) -> bool:
    """Whether only the first line of an edit lost its indentation, and its further lines did not.

    So it is where all lines shown have none, the file's have some, and all new lines that are
    indented go deeper than that: one level below a line without indentation is never that deep.
    """
    depths = [width(theirs) for ours, theirs in pairs if not ours]
    deeper = [width(indent) for indent in new if indent]
    told = depths and len(depths) == len(list(pairs)) and min(depths) > 0
    return bool(told and deeper and min(deeper) > max(depths))


def level_width(indents: Iterable[str]) -> int:
    """The smallest step between the indentations of a text: the width of one level."""
    widths = sorted({width(indent) for indent in indents} | {0})
    return min((other - one for one, other in pairwise(widths)), default=TAB)
