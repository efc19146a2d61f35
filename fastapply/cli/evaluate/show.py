"""Tables on standard output and progress on standard error: for eyes on a terminal, plain elsewhere."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fastapply.terminal.colours import wants_colour
from fastapply.terminal.output import say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fastapply.evaluate.tables import Table


def show(table: Table) -> None:
    """Print a table, and an empty line behind it."""
    head, rows = table
    if wants_colour(sys.stdout):
        from fastapply.terminal.view import show_table

        show_table(head, rows)
    else:
        widths = [max(len(cell) for cell in column) for column in zip(head, *rows, strict=True)]
        for row in (head, *rows):
            say("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    say("")


def table_object(table: Table) -> list[dict[str, str]]:
    """A table for ``--json``: an object a row."""
    head, rows = table
    return [dict(zip(head, row, strict=True)) for row in rows]


@contextmanager
def progress(*, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Show how many of all are done, where somebody looks at it."""
    if quiet or not wants_colour(sys.stderr):
        yield lambda _done, _all: None
        return
    from fastapply.terminal.view import show_progress

    with show_progress() as update:
        yield update
