"""`fastapply evaluate`: how often an apply step is right on your own edits, and which of two is better.

run CASES --out RUN    apply edits whose right result is known, or not, and keep what came of it
compare RUN RUN        the same cases under several settings, side by side
report RUN -o FILE     one HTML file with tables, diffs and plots, which needs no network
view RUN               the same page on this machine, with annotation
judge RUN              a language model's verdict on each merge
align RUN              how far judge, annotators and known answers agree
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.cli.evaluate import align, compare, judge, page, run

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS: dict[str, Callable[..., int]] = {
    "run": run.command,
    "compare": compare.command,
    "report": page.report,
    "view": page.view,
    "judge": judge.command,
    "align": align.command,
}
