"""From options and configuration to a job."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapply.config import limits_of, load
from fastapply.errors import FileTrouble, UsageError
from fastapply.models.remote import ENDPOINT_VARIABLE
from fastapply.pipeline.picks import read_lines, read_picks, read_where
from fastapply.terminal.colours import is_terminal
from fastapply.terminal.output import tell
from fastapply.types import Options
from fastapply.values import dataclass, replace
from fastapply.workspace.changes import Job
from fastapply.workspace.files import Keep

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fastapply.models.engine import ApplyModel
    from fastapply.types import Engine, FormatName, Repository

_MOST_SECONDS = 86400.0


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """The options as they were given."""

    name: str | None = None
    full_file: bool = False
    conversation: str | None = None
    gpu_layers: int | None = None
    threads: int | None = None
    ctx_size: int | None = None
    endpoint: str | None = None
    timeout: float | None = None  # seconds


def make_opener(asked: ModelRequest, engine: Engine, *, quiet: bool) -> Callable[[], ApplyModel | None]:
    """What opens the model, once, when a merge needs one. Raises `UsageError` for options without sense."""
    settings = model_settings(asked)
    if (asked.name is not None or asked.endpoint) and engine == "deterministic":
        raise UsageError("--engine deterministic cannot be used with --model or --endpoint")
    remote = _remote_opener(asked)
    if remote is not None:
        return remote
    opened: list[ApplyModel | None] = []

    def open_it() -> ApplyModel | None:
        if not opened:
            from fastapply.models.opening import open_model

            watch = None
            if not quiet and is_terminal(sys.stderr):
                from fastapply.terminal.view import show_answer

                watch = show_answer()
            opened.append(
                open_model(asked.name, engine=engine, settings=settings, watch=watch, timeout=asked.timeout)
            )
        return opened[0]

    return open_it


def make_server_opener(endpoint: str | None, name: str | None) -> Callable[[], ApplyModel | None]:
    """What opens the model behind a server; it can be pickled, and shows no progress.

    What is not said comes from the configuration. A model that is chosen while the server runs is asked
    from then on. Raises `UsageError` and `ModelTrouble` for a model that cannot be asked.
    """
    from fastapply.models.opening import open_model

    found = load()
    name = name or found["model"] or None
    endpoint = found["endpoint"] or None if endpoint is None else endpoint
    remote = _remote_opener(ModelRequest(name, endpoint=endpoint))
    if remote is not None:
        return remote
    if name is not None:
        open_model(name, engine="auto")
    return partial(open_model, name, engine="auto")


def _remote_opener(asked: ModelRequest) -> Callable[[], ApplyModel] | None:
    """What opens a model on a server, where options or environment name one; an empty address is none."""
    if asked.endpoint is None and not os.environ.get(ENDPOINT_VARIABLE):
        return None
    from fastapply.models.opening import opener_of
    from fastapply.models.remote.endpoint import find_endpoint

    found = find_endpoint(asked.endpoint, asked.name)
    return opener_of(found and replace(found, timeout=asked.timeout or found.timeout))


def model_settings(asked: ModelRequest) -> dict[str, Any]:
    """The fields of `llama.library.Settings` that were given."""
    given = {"gpu_layers": asked.gpu_layers, "threads": asked.threads, "ctx_size": asked.ctx_size}
    for name, least in (("gpu_layers", 0), ("threads", 1), ("ctx_size", 64)):
        value = given[name]
        if value is not None and value < least:
            raise UsageError(f"--{name.replace('_', '-')} must be {least} or more")
    if asked.timeout is not None and not 0 < asked.timeout < _MOST_SECONDS:
        raise UsageError("--model-timeout must be a positive number of seconds")
    return {name: value for name, value in given.items() if value is not None}


def read_conversation(asked: ModelRequest) -> str:
    """The text of `--conversation`. Raises `FileTrouble` where it cannot be read."""
    if asked.conversation is None:
        return ""
    try:
        return Path(asked.conversation).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise FileTrouble(f"cannot read {asked.conversation}: {error}", reason="unreadable") from None


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
