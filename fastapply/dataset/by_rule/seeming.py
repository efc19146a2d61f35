"""What an edit seems to say of blocks and does not: a filter of edits that would mislead a reader.

A marker inside a block is a gap inside that block only. What a reader of nothing but the edit takes
to be inside: a block whose opening line is shown above the marker goes on behind it where the next
shown lines are indented more than the opening line, or close it; and a closing line right behind a
marker closes the block of the deeper line that is shown right before that marker. An edit in which
such a marker stands for the end of that block, and so for lines beyond it, says something else than
the change, and is not written.

A marker behind the middle of a block whose opening line is shown, that stands for the rest of it and
for what follows it, can be written only where a closing line ends the block: that line is missed, so
the marker stands for it, and must not be indented as if it were inside (`outer_lead`). A block that
ends by indentation alone goes on with an indented marker and has ended with one that is not.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.dataset.by_rule.change import indent_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fastapply.dataset.by_rule.lookup import Run, View

_OPENS = re.compile(
    r"(?:[{(\[:|]|=>|\b(?:do|then|else|begin)|->)\s*(?://.*|/\*.*|#.*)?$"
    r"|^\s*(?:def|class|module|if|unless|case) "
)
_CLOSES = re.compile(r"\s*(?:[)\]}]|end\b|</|fi\b|done\b|esac\b)")
_GOES_ON = re.compile(r"\s*(?:else|elif|elsif|except|finally|catch|rescue|ensure)\b")
_NO_LEVEL = re.compile(r"\s*(?:#\s*(?:if|ifdef|ifndef|elif|else|endif|define|undef|include|pragma)\b)")
_CASE = re.compile(r"\s*(?:case|default|when)\b")


def misleading(view: View, shown: frozenset[int], runs: Sequence[Run]) -> list[Run]:
    """Runs behind a marker that look as if they belonged to a block shown above, but do not."""
    after = view.change.after
    out = [run for above, run in pairwise(runs) if _strays(view, shown, above, run)]
    for block in view.new.blocks:
        header_is_new = view.change.old_of[block.start] is None and block.start in shown
        hides = any(i not in shown and after[i].strip() for i in range(block.body, block.end + 1))
        inserted = any(r.b0 == r.b1 and r.a0 <= block.start < r.a1 for r in view.change.replaced)
        if header_is_new and hides and inserted:
            out += [run for run in runs if run.start <= block.start < run.end]
    return out


def _strays(view: View, shown: frozenset[int], above: Run, run: Run) -> bool:
    """Whether the marker between two runs stands for more than the block that it seems to be inside."""
    after = view.change.after
    edges = list(_outer_lines(after, run))
    if not edges:
        return False
    if any(
        _parts(view, shown, opening, above.end, run.start) for opening in _open_above(view, shown, above.end)
    ):
        return True
    if any(
        _is_inside(after, opening, line) and _ends_between(view, shown, opening, line)
        for line in edges
        for opening in _open_above(view, shown, line)
        if opening < above.end
    ):
        return True
    last = next((i for i in range(above.end - 1, above.start - 1, -1) if after[i].strip()), None)
    first, depth = edges[0], indent_of(after[edges[0]])
    if last is None or not _CLOSES.match(after[first]) or indent_of(after[last]) <= depth:
        return False
    return any(indent_of(after[i]) <= depth for i in _hidden(view, shown, above.end, run.start))


def _parts(view: View, shown: frozenset[int], opening: int, first: int, end: int) -> bool:
    """Whether hidden lines `[first, end)` are the rest of a block that no line closes, and more."""
    after, outer = view.change.after, indent_of(view.change.after[opening])
    hidden = list(_hidden(view, shown, first, end))
    if not hidden or indent_of(after[hidden[0]]) <= outer:
        return False
    behind = next((i for i in hidden if indent_of(after[i]) <= outer), None)
    return behind is not None and not _CLOSES.match(after[behind])


def outer_lead(view: View, shown: frozenset[int], first: int, end: int, lead: str) -> str:
    """White space before a marker for lines `[first, end)`: less where it would seem to be in a block.

    A marker that is indented more than a shown opening line stands inside that block. If the lines
    that it stands for go on beyond the block's end, it is written where the outermost of them is.
    The last marker of an edit may be inside a block: the one behind the block was forgotten.
    """
    after = view.change.after
    hidden = list(_hidden(view, shown, first, end))
    if end >= len(after) or not hidden:
        return lead
    outermost = min(hidden, key=lambda i: indent_of(after[i]))
    for opening in _open_above(view, shown, first):
        if indent_of(after[outermost]) <= indent_of(after[opening]) < indent_of(lead + "x"):
            return after[outermost][: len(after[outermost]) - len(after[outermost].lstrip())]
    return lead


def _outer_lines(after: Sequence[str], run: Run) -> Iterator[int]:
    """The first line of a run, and each that is indented less than all above it."""
    lowest: int | None = None
    for line in range(run.start, run.end):
        if not after[line].strip() or _NO_LEVEL.match(after[line]):
            continue
        if lowest is None or indent_of(after[line]) < lowest:
            lowest = indent_of(after[line])
            yield line


def _open_above(view: View, shown: frozenset[int], line: int) -> Iterator[int]:
    """Shown lines above `line` that open a block which no shown line in between ends."""
    after = view.change.after
    starts = {block.start for block in view.new.blocks}
    lowest: int | None = None
    for i in range(line - 1, -1, -1):
        if i not in shown or not after[i].strip() or (lowest is not None and indent_of(after[i]) >= lowest):
            continue
        if _NO_LEVEL.match(after[i]):
            continue
        lowest = indent_of(after[i])
        if i in starts or _OPENS.search(after[i]):
            yield i


def _is_inside(after: Sequence[str], opening: int, line: int) -> bool:
    """Whether a line seems to be inside the block of an opening line above it, or to close it."""
    depth, outer = indent_of(after[line]), indent_of(after[opening])
    ends = bool(_CLOSES.match(after[line]) or _GOES_ON.match(after[line]))
    return depth > outer or (depth == outer and ends)


def _ends_between(view: View, shown: frozenset[int], opening: int, line: int) -> bool:
    after = view.change.after
    between = _hidden(view, shown, opening + 1, line)
    cases = not _CASE.match(after[opening])  # `case` stands as deep as its `switch` in some languages
    outer = indent_of(after[opening])
    return any(indent_of(after[i]) <= outer and not (cases and _CASE.match(after[i])) for i in between)


def _hidden(view: View, shown: Iterable[int], first: int, end: int) -> Iterator[int]:
    """Hidden lines of `[first, end)` whose indentation says something."""
    after = view.change.after
    inner = {i for low, high in view.new.tokens for i in range(low + 1, high + 1) if first <= i < end}
    for i in range(first, end):
        if i not in shown and i not in inner and after[i].strip() and not _NO_LEVEL.match(after[i]):
            yield i


def closes_block(line: str) -> bool:
    """Whether a line begins with what ends a block: `}`, `)`, `end`."""
    return bool(_CLOSES.match(line))
