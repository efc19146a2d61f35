"""Carrying out a job and showing what came of it: what `apply` and `patch` share."""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapply.errors import FastapplyError, FileTrouble, UsageError
from fastapply.folders import state_folder
from fastapply.jobs.request import ModelRequest, Request, configured, make_job
from fastapply.terminal.output import show_json, tell, telling_late, write_out
from fastapply.text import encode
from fastapply.values import dataclass, replace
from fastapply.workspace.changes import change_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fastapply.workspace.changes import Outcome

PARTIAL = 3
"""Exit status where an edit was put in in part."""
_LARGE = 2_000_000
"""Bytes of a file whose merge may take seconds."""


def request_from(given: Mapping[str, Any]) -> Request:
    """The request of a command's parameters, which are called as the fields are; others are passed over."""
    own = {name: given[name] for name in Request.__match_args__ if name in given and name != "model"}
    own |= {name: value or None for name, value in own.items() if name in {"allow", "pick"}}
    asked = {name: given[name] for name in ModelRequest.__match_args__ if name in given}
    model = ModelRequest(name=given.get("model"), timeout=given.get("model_timeout"), **asked)
    return Request(**own, model=model)


@dataclass(slots=True)
class Asked:
    """What was read of an edit, and where its file names start from."""

    root: str = "."
    edit: bytes | None = None


def run(request: Request, work: Callable[[], Outcome], asked: Asked, *, path: str | None) -> int:
    """Do the work and show what came of it; `path` is None for `patch`. Returns the exit status.

    `asked` is filled by the work, for the usage log.
    """
    started = time.perf_counter()
    try:
        outcome = work()
    except FastapplyError as error:
        seconds = time.perf_counter() - started
        _keep_in_log(request, asked, path, error, seconds)
        if request.json:
            from fastapply.jobs.objects import error_object

            show_json(error_object(error, "patch" if path is None else "apply", path=path, seconds=seconds))
            return error.exit_status
        from fastapply.jobs.texts import error_text

        if error.hint:
            _leave_out_what_was_told(error)
        tell(error_text(error, path))
        return error.exit_status
    seconds = time.perf_counter() - started
    _keep_in_log(request, asked, path, outcome, seconds)
    for warning in outcome.warnings:
        tell(f"warning: {warning}")
    if request.json:
        from fastapply.jobs.objects import outcome_object

        show_json(outcome_object(outcome, path=path, seconds=seconds))
        return PARTIAL if outcome.rejected else 0
    if request.dry_run:
        from fastapply.terminal.pager import show_diffs

        show_diffs([change.sides for change in outcome.changes if not change.unchanged])
    if not request.quiet:
        from fastapply.jobs.texts import details_text, outcome_text

        for change in outcome.changes:
            tell(outcome_text(change, dry=request.dry))
            if request.verbose:
                tell(details_text(change))
        for backup in outcome.backups:
            tell(f"the old version is in {backup}")
    for question in outcome.rejected:
        message = question.message.partition("\n")[0]
        tell(f"{path}: rejected: {message} [{question.reason}]")
    if outcome.rejected and outcome.written:
        tell(f"the rejected hunks are in {path}.rej")
    return PARTIAL if outcome.rejected else 0


def _keep_in_log(
    request: Request, asked: Asked, path: str | None, came: Outcome | FastapplyError, seconds: float
) -> None:
    """Keep a call in the usage log, where the user wants that; an edit that was not read is none."""
    if not request.keep_log or request.keep is None or asked.edit is None:
        return
    from fastapply.workspace.usage_log import Note, keep_run

    command = "patch" if path is None else "apply"
    note = Note(command, path or "", asked.edit, request.instructions, request.keep)
    warning = keep_run(note, came, asked.root, seconds)
    if warning:
        tell(f"warning: {warning}")


def _leave_out_what_was_told(error: FastapplyError) -> None:
    """Take the step to a model out of an error's hint where this user has read it before."""
    from fastapply.pipeline.picks import is_model_step

    lines = error.hint.splitlines()
    if any(map(is_model_step, lines)) and not _is_first_time():
        error.hint = "\n".join(line for line in lines if not is_model_step(line))


def _is_first_time() -> bool:
    """Whether this was not told yet; it is noted in the user's state folder, where that can be written."""
    with suppress(OSError, FileTrouble):
        folder = state_folder() / "told"
        folder.mkdir(mode=0o700, exist_ok=True)
        try:
            (folder / "model-step").touch(exist_ok=False)
        except FileExistsError:
            return False
    return True


def read_input(edit: str | None, usage: str) -> bytes:
    """Read the edit from a path, or from standard input where that is absent or ``-``.

    Raises `UsageError` instead of waiting for somebody to type an edit, `FileTrouble` for a path that
    can't be read.
    """
    if edit is None or edit == "-":
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError(
                "no edit: standard input is a terminal",
                hint=f"give a file with the edit or pipe it in: {usage} < edit.txt",
            )
        return sys.stdin.buffer.read()
    try:
        return Path(edit).read_bytes()
    except FileNotFoundError:
        raise FileTrouble(f"the edit {edit} does not exist", reason="missing") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise FileTrouble(f"cannot read the edit {edit}: {why}", reason="unreadable") from None


def read_clipboard(edit: str | None) -> bytes:
    """Read the edit from the clipboard; `edit` is the path that must not be given as well.

    Raises `UsageError` (``usage``, ``no_clipboard``) and `Refused` (``empty``).
    """
    if edit is not None:
        raise UsageError(f"--clipboard cannot be used with the edit file {edit}", hint="use one of them")
    import pyperclip

    try:
        text = pyperclip.paste()
    except pyperclip.PyperclipException as error:
        # without what it says of web pages
        why = str(error).strip().split("\n")[0].partition("For more information")[0].strip()
        raise UsageError(
            f"cannot read the clipboard: {why or 'no clipboard program found'}",
            reason="no_clipboard",
            hint="on Linux, install xclip or xsel (X11) or wl-clipboard (Wayland) and use a desktop session",
        ) from None
    if not text:
        raise UsageError(
            "the clipboard is empty or has no text",
            reason="no_clipboard",
            hint="copy the model's whole reply first",
        )
    return str(text).encode("utf-8", "surrogateescape")


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
