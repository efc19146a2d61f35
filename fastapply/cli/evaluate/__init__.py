"""`fastapply evaluate`: how often an apply step is right on your own edits, and which of two is better.

run CASES --out RUN    apply edits whose right result is known, or not, and keep what came of it
compare RUN RUN        the same cases under several settings, side by side
report RUN             the tables of a run; -o FILE: one page with diffs and plots, which needs no network

In a checkout the lab makes that page and adds `view`, `judge` and `align`: see `fastapply_lab.cli.evaluate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.cli.evaluate import compare, report, run

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS: dict[str, Callable[..., int]] = {
    "run": run.command,
    "compare": compare.command,
    "report": report.command,
}
