"""The options about apply models that `apply` and `patch` share."""

from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from fastapply.config import load
from fastapply.errors import FileTrouble, UsageError
from fastapply.models.remote import ENDPOINT_VARIABLE
from fastapply.terminal.colours import is_terminal
from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapply.models.engine import ApplyModel
    from fastapply.types import Engine


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
    from pathlib import Path

    try:
        return Path(asked.conversation).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise FileTrouble(f"cannot read {asked.conversation}: {error}", reason="unreadable") from None
