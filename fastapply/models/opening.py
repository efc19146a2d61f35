"""From what a caller asks for to an apply model, opened when a merge needs it and not before."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from fastapply.errors import ModelTrouble

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapply.models.engine import ApplyModel, Progress
    from fastapply.models.remote.endpoint import Endpoint
    from fastapply.models.worker.client import WorkerModel
    from fastapply.types import Engine

INSTALL = "pip install '.[model]' in a checkout of fastapply"


def open_model(
    name: str | None,
    *,
    engine: Engine,
    settings: dict[str, Any] | None = None,
    watch: Callable[[Progress | None], None] | None = None,
    idle_seconds: float | None = None,
    timeout: float | None = None,
) -> WorkerModel | None:
    """The model of a registry name or path, or the chosen one; None where `auto` has none to ask.

    `settings` are the fields of `llama.library.Settings` that were asked for, `timeout` the seconds for an
    answer. Raises `ModelTrouble` where a
    model was named or is demanded and is not here.
    """
    from fastapply.models.engine import MODEL_SECONDS
    from fastapply.models.store import chosen_model, resolve
    from fastapply.models.worker.client import WorkerModel

    demanded = name is not None or engine == "model"
    if find_spec("llama_cpp") is None:
        if not demanded:
            return None
        raise ModelTrouble("llama-cpp-python is not installed", reason="no_model", hint=INSTALL)
    chosen = resolve(name) if name is not None else chosen_model()
    if chosen is None:
        return None
    known = settings or {}
    return WorkerModel(
        chosen.path,
        name=chosen.name,
        style=chosen.style,
        adapter=chosen.adapter,
        trust=chosen.trust,
        context_length=known.get("ctx_size") or chosen.context_length,
        settings=known,
        watch=watch,
        idle_seconds=idle_seconds,
        timeout=MODEL_SECONDS if timeout is None else timeout,
    )


def opener_of(endpoint: Endpoint | None) -> Callable[[], ApplyModel] | None:
    """What opens the model of an endpoint when a merge needs it (`Options.open_model`).

    It can be pickled: the processes of `fastapply serve` open the model themselves.
    """
    return None if endpoint is None else partial(_open_model, endpoint)


def _open_model(endpoint: Endpoint) -> ApplyModel:
    from fastapply.models.remote.model import open_remote

    return open_remote(endpoint)
