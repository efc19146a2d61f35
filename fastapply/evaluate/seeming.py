"""What an edit seems to say of blocks and does not: a filter of edits that would mislead a reader.

Behind a marker a line may look as if it lay in, or closed, a block whose header is shown above,
although the marker stands for the end of that block and the header of another.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.evaluate.change import indent_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.evaluate.lookup import Run, View

_OPENS = re.compile(
    r"(?:[{(\[:|]|=>|\bdo|\bthen|->)\s*(?://.*|/\*.*|#.*)?$|^\s*(?:def|class|module|if|unless|case) "
)
_CLOSES = re.compile(r"\s*(?:[)\]}]|end\b|</|fi\b|done\b|esac\b)")


def misleading(view: View, shown: frozenset[int], runs: Sequence[Run]) -> list[Run]:
    """Runs behind a marker that look as if they belonged to a block shown above, but do not."""
    after = view.change.after
    out: list[Run] = []
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


def closes_block(line: str) -> bool:
    """Whether a line begins with what ends a block: `}`, `)`, `end`."""
    return bool(_CLOSES.match(line))
