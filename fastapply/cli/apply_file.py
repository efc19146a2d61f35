"""What `fastapply apply` does with its options."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.cli.run import Asked, read_clipboard, read_input, run
from fastapply.errors import UsageError
from fastapply.jobs.request import configured, make_job
from fastapply.terminal.output import telling_late, write_out
from fastapply.text import encode
from fastapply.values import replace
from fastapply.workspace.changes import change_file

if TYPE_CHECKING:
    from fastapply.jobs.request import Request
    from fastapply.workspace.changes import Outcome

_LARGE = 2_000_000
"""Bytes of a file whose merge may take seconds."""


def apply_file(request: Request, file: str, edit: str | None, output: str | None = None) -> int:
    """Put an edit into a file, show what came of it, and return the exit status."""
    to_stdout = output == "-"
    request = configured(request, file)
    asked = Asked()

    def work() -> Outcome:
        _check_output(output, request)
        job = make_job(request, Path(output) if output is not None and not to_stdout else None)
        if request.review:
            from fastapply.cli.review import with_review

            job = with_review(job, request, None if request.clipboard else edit or "-")
        data = asked.edit = (
            read_clipboard(edit) if request.clipboard else read_input(edit, f"fastapply apply {file}")
        )
        if request.reject:
            from fastapply.workspace.rejects import change_partly

            return change_partly(file, data, job)
        path = Path(file)
        may_take_long = path.is_file() and path.stat().st_size > _LARGE
        told = may_take_long and not (request.review or request.quiet)
        with telling_late(f"{file}: still merging; a large file takes a while") if told else nullcontext():
            outcome = change_file(file, data, replace(job, write=False) if to_stdout else job)
        if to_stdout:
            after = outcome.changes[0].sides.after
            write_out(encode(after) if after is not None else b"")
        return outcome

    return run(request, work, path=file, asked=asked)


def _check_output(output: str | None, request: Request) -> None:
    if request.reject and (output is not None or request.review):
        raise UsageError("--reject cannot be used with -o or --review")
    if output is None:
        return
    if output == "-" and request.json:
        raise UsageError(
            "--json and -o - cannot be used together", hint="write the result to a file: -o PATH"
        )
    if request.dry:
        raise UsageError("-o cannot be used with --dry-run or --check")
    if request.backup:
        raise UsageError("--backup cannot be used with -o")
    if output == "-" and request.stage:
        raise UsageError("--stage cannot be used with -o -")
