"""From options and configuration to a job."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fastapply.config import limits_of, load
from fastapply.errors import UsageError
from fastapply.jobs.model_request import ModelRequest, make_opener, read_conversation
from fastapply.pipeline.picks import read_lines, read_picks, read_where
from fastapply.terminal.output import tell
from fastapply.types import Options
from fastapply.values import dataclass, replace
from fastapply.workspace.changes import Job
from fastapply.workspace.files import Keep

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from fastapply.types import Engine, FormatName, Repository


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


def configured(request: Request, place: str, warn: Callable[[str], None] | None = None) -> Request:
    """Fill in what the options do not say from the configuration for a file or a folder.

    Warnings go to standard error, or to `warn`. Raises `UsageError` for a configuration that makes no sense.
    """
    found = load(place)
    for warning in found.warnings:
        if warn is None:
            tell(f"warning: {warning}")
        else:
            warn(warning)
    unsaid = {name: found[name] for name in found.settings if getattr(request, name, "") is None}
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
    at = read_lines(request.at, "--at") if request.at is not None else None
    if len(request.where) > 1 or (request.where and at is not None):
        raise UsageError("--in, --after, --before, --replace and --at cannot be used together")
    options = Options(
        instructions=request.instructions,
        format_name=request.format_name,
        engine=request.engine or "auto",
        allow=frozenset(request.allow or ()),
        at=at,
        where=read_where(request.where[0]) if request.where else None,
        picks=picks,
        create=request.create,
        only=request.only,
        open_model=make_opener(
            request.model, request.engine or "auto", quiet=bool(request.quiet or request.json)
        ),
        min_certainty=request.min_certainty,
        smooth=partial(_repository, root) if request.smooth else None,
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


def _repository(root: str, path: str | None) -> Repository | None:
    from fastapply.workspace.git import open_repository

    return open_repository(root, path)
