"""The commands of `fastapply evaluate` that only the lab has.

view RUN               the page of `report` on this machine, with annotation
judge RUN              a language model's verdict on each merge
align RUN              how far judge, annotators and known answers agree
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply_lab.cli.evaluate import align, judge, view

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS: dict[str, Callable[..., int]] = {
    "view": view.command,
    "judge": judge.command,
    "align": align.command,
}
