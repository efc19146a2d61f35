"""From options to a job, and from a job's end to output: what `apply` and `patch` share."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

from fastapply.cli.model_request import ModelRequest, make_opener, read_conversation
from fastapply.errors import FastapplyError, UsageError
from fastapply.pipeline.picks import read_picks
from fastapply.terminal.output import tell
from fastapply.types import LineRange, Options
from fastapply.values import dataclass, replace
from fastapply.workspace.changes import Job
from fastapply.workspace.files import Keep

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from fastapply.types import Engine, FormatName, Opener, Where
    from fastapply.workspace.changes import Outcome

PARTIAL = 3
"""Exit status where an edit was put in in part."""
_CONFIGURED = (
    "engine",
    "allow",
    "stage",
    "require_clean",
    "backup",
    "quiet",
    "undo",
    "keep_log",
    "min_certainty",
    "smooth",
)


@dataclass(frozen=True, slots=True)
class Request:
    """The options as they were given; those that can be configured are None where they were not."""

    dry_run: bool = False
    check: bool = False
    json: bool = False
    instructions: str = ""
    format_name: FormatName | None = None
    engine: Engine | None = None
    stage: bool | None = None
    require_clean: bool | None = None
    backup: bool | None = None
    allow: Sequence[str] | None = None
    quiet: bool | None = None
    undo: bool | None = None
    verbose: bool = False
    at: str | None = None
    where: Sequence[str] = ()  # "in NAME", "after NAME" ...: one at most
    pick: Sequence[int | str] | None = None
    create: bool = False
    only: bool = False  # take the part for FILE of an edit of several files
    min_certainty: float | None = None
    review: bool = False  # ask for every hunk
    clipboard: bool = False  # the edit is there
    smooth: bool | None = None
    reject: bool = False  # put in what is not refused
    keep_log: bool | None = None
    keep: Keep | None = Keep()  # not an option: what the configuration says about `undo`
    model: ModelRequest = ModelRequest()  # frozen

    @property
    def dry(self) -> bool:
        """Whether nothing may be written."""
        return self.dry_run or self.check


def request_from(given: Mapping[str, Any]) -> Request:
    """The request of a command's parameters, which are called as the fields are; others are passed over."""
    own = {name: given[name] for name in Request.__match_args__ if name in given and name != "model"}
    own |= {name: value or None for name, value in own.items() if name in {"allow", "pick"}}
    asked = {name: given[name] for name in ModelRequest.__match_args__ if name in given}
    model = ModelRequest(name=given.get("model"), timeout=given.get("model_timeout"), **asked)
    return Request(**own, model=model)


def configured(request: Request, place: str, warn: Callable[[str], None] | None = None) -> Request:
    """Fill in what the options do not say from the configuration for a file or a folder.

    Warnings go to standard error, or to `warn`. Raises `UsageError` for a configuration that makes no sense.
    """
    from fastapply.config import limits_of, load

    found = load(place)
    for warning in found.warnings:
        if warn is None:
            tell(f"warning: {warning}")
        else:
            warn(warning)
    unsaid = {name: found[name] for name in _CONFIGURED if getattr(request, name) is None}
    keep = limits_of(found)
    model = request.model
    if unsaid.get("engine", request.engine) != "deterministic":
        endpoint = found["endpoint"] or None if model.endpoint is None else model.endpoint
        model = replace(model, name=model.name or found["model"] or None, endpoint=endpoint)
    return replace(request, **unsaid, keep=keep, model=model)


def make_job(request: Request, output: Path | None = None, *, root: str = ".") -> Job:
    """Check what was asked for; names of files start from `root`. Raises `UsageError`."""
    if request.allow:
        from fastapply.verify import CODES

        unknown = sorted(set(request.allow) - set(CODES))
        if unknown:
            raise UsageError(
                f"unknown --allow code: {', '.join(unknown)}", hint=f"the codes are: {', '.join(CODES)}"
            )
    picks = read_picks(request.pick or ())
    if any(one.number < 1 for one in picks):
        raise UsageError("--pick counts from 1")
    options = Options(
        instructions=request.instructions,
        format_name=request.format_name,
        engine=request.engine or "auto",
        allow=frozenset(request.allow or ()),
        at=_line_range(request.at) if request.at is not None else None,
        where=_where(request),
        picks=picks,
        create=request.create,
        only=request.only,
        open_model=make_opener(
            request.model, request.engine or "auto", quiet=bool(request.quiet or request.json)
        ),
        min_certainty=request.min_certainty,
        smooth=_opener(root) if request.smooth else None,
        full_file=request.model.full_file,
        conversation=read_conversation(request.model),
    )
    return Job(
        options,
        write=not request.dry,
        output=output,
        stage=bool(request.stage),
        require_clean=bool(request.require_clean),
        backup=bool(request.backup),
        keep=request.keep if request.undo is not False else None,
    )


def run(
    request: Request,
    work: Callable[[], Outcome],
    *,
    path: str | None,
    show: Callable[[Outcome], None] | None = None,
    asked: Asked | None = None,
) -> int:
    """Do the work and show what came of it; `path` is None for `patch`. Returns the exit status.

    `asked` is filled by the work, for the usage log.
    """
    started = time.perf_counter()
    try:
        outcome = work()
        if show is not None:
            show(outcome)
    except FastapplyError as error:
        _keep_in_log(request, asked, path, time.perf_counter() - started, error=error)
        from fastapply.cli.report import error_object, error_text, show_json

        if request.json:
            seconds = time.perf_counter() - started
            command = "patch" if path is None else "apply"
            show_json(error_object(error, command, path=path, seconds=seconds))
        else:
            if error.hint:
                from fastapply.cli.told_once import leave_out_what_was_told

                leave_out_what_was_told(error)
            tell(error_text(error, path))
        return error.exit_status
    _keep_in_log(request, asked, path, time.perf_counter() - started, outcome=outcome)
    for warning in outcome.warnings:
        tell(f"warning: {warning}")
    if request.json:
        from fastapply.cli.report import outcome_object, show_json

        seconds = time.perf_counter() - started
        show_json(outcome_object(outcome, path=path, seconds=seconds))
        return PARTIAL if outcome.rejected else 0
    if request.dry_run:
        from fastapply.terminal.pager import show_diffs

        show_diffs([change.sides for change in outcome.changes if not change.unchanged])
    if not request.quiet:
        _tell_outcome(outcome, request)
    for question in outcome.rejected:
        message = question.message.partition("\n")[0]
        tell(f"{path}: rejected: {message} [{question.reason}]")
    if outcome.rejected and outcome.written:
        tell(f"the rejected hunks are in {path}.rej")
    return PARTIAL if outcome.rejected else 0


@dataclass(slots=True)
class Asked:
    """What was read of an edit, and where its file names start from."""

    root: str = "."
    edit: bytes | None = None


def _keep_in_log(
    request: Request,
    asked: Asked | None,
    path: str | None,
    seconds: float,
    *,
    outcome: Outcome | None = None,
    error: FastapplyError | None = None,
) -> None:
    """Keep a call in the usage log, where the user wants that; an edit that was not read is none."""
    if not request.keep_log or request.keep is None or asked is None or asked.edit is None:
        return
    from fastapply.workspace.usage_log import Note, keep_error, keep_outcome

    command = "patch" if path is None else "apply"
    note = Note(command, path or "", asked.edit, request.instructions, request.keep)
    warning: str | None = None
    if outcome is not None:
        warning = keep_outcome(note, outcome, asked.root, seconds)
    elif error is not None:
        warning = keep_error(note, error, asked.root, seconds)
    if warning:
        tell(f"warning: {warning}")


def _tell_outcome(outcome: Outcome, request: Request) -> None:
    from fastapply.cli.report import details_text, outcome_text

    for change in outcome.changes:
        tell(outcome_text(change, dry=request.dry))
        if request.verbose:
            tell(details_text(change))
    for backup in outcome.backups:
        tell(f"the old version is in {backup}")


def _opener(root: str) -> Opener:
    from functools import partial

    from fastapply.workspace.repository import open_repository

    return partial(open_repository, root)


def _where(request: Request) -> Where | None:
    if not request.where:
        return None
    if len(request.where) > 1 or request.at is not None:
        raise UsageError("--in, --after, --before, --replace and --at cannot be used together")
    from fastapply.edits.where import read_where

    return read_where(request.where[0])


def _line_range(text: str) -> LineRange:
    match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", text)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last:
        raise UsageError(f"--at {text} is not a line range", hint="use --at 41 or --at 41-47")
    return LineRange(first, last)
