"""The command line: options in, text or JSON and an exit status out.

Result and diff go to standard output, everything else to standard error.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns its exit status."""
    from fastapply.cli.exits import guarded
    from fastapply.terminal.colours import choose_colour
    from fastapply.terminal.output import choose_pager

    given = list(sys.argv[1:] if arguments is None else arguments)
    choose_colour("auto")
    choose_pager(wanted=True)

    def run() -> int:
        from fastapply.cli.plain import read_plain

        asked = os.environ.get("_FASTAPPLY_COMPLETE")
        if asked == "words":  # a shell asks what may come next
            from fastapply.cli.completion import answer

            return answer(given)
        plain = read_plain(given) if asked is None else None
        if plain is not None:
            gc.disable()  # in a run this short, looking for cycles costs more than they do
            try:
                from fastapply.cli.run import apply_file

                return apply_file(plain.request, plain.file, plain.edit)
            finally:
                gc.enable()
        from fastapply.cli.commands import make_group

        if asked is not None:
            from fastapply.cli.completion import answer_typer

            answer_typer()
        status = make_group().main(given, prog_name="fastapply", standalone_mode=False)
        return status if isinstance(status, int) else 0

    return guarded(run, given)
