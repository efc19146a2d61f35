"""`fastapply evaluate`: how often an apply step is right on your own edits, and which of two is better.

In a checkout the lab makes the page of `report -o` and adds commands: see `fastapply_lab.cli.evaluate`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.cli.evaluate import report, run

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS: dict[str, Callable[..., int]] = {
    "run": run.command,
    "compare": report.compare,
    "report": report.command,
}
