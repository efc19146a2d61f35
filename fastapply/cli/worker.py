"""`fastapply worker`: the process that keeps a model loaded between runs.

`apply` starts one by itself when it needs one; after some minutes without a request it ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from fastapply.cli import options as opt  # noqa: TC001 - Typer reads the annotations
from fastapply.models.worker.client import ask
from fastapply.models.worker.messages import all_addresses
from fastapply.terminal.output import say, show_json

if TYPE_CHECKING:
    from collections.abc import Callable


def start(
    model: opt.ModelName = None,
    idle: Annotated[
        float | None,
        typer.Option("--idle", metavar="SECONDS", help="Exit after this long without a request."),
    ] = None,
    gpu_layers: opt.GpuLayers = None,
    threads: opt.Threads = None,
    ctx_size: opt.CtxSize = None,
) -> int:
    """Load the model in a background process. Later runs with the same options use it."""
    from fastapply.jobs.request import ModelRequest, model_settings
    from fastapply.models.opening import open_model
    from fastapply.pipeline.picks import no_model

    settings = model_settings(ModelRequest(model, False, None, gpu_layers, threads, ctx_size))
    opened = open_model(model, engine="model", settings=settings, idle_seconds=idle)
    if opened is None:
        raise no_model("no model is selected", "use --model PATH")
    address = opened.start()
    say(f"{opened.name}: process {address.pid}, exits after {address.idle_seconds:.0f} s without a request")
    return 0


def status(json: opt.AsJson = False) -> int:
    """List running background processes."""
    running: list[dict[str, Any]] = []
    for path, address in all_addresses():
        if ask(address, "status") is None:
            path.unlink(missing_ok=True)
            continue
        running.append({"pid": address.pid, "model": address.model, "idle_seconds": address.idle_seconds})
    if json:
        show_json({"schema": 1, "workers": running})
        return 0
    for one in running:
        say(f"process {one['pid']}: {one['model']}")
    if not running:
        say("no background processes")
    return 0


def stop() -> int:
    """Stop all background processes."""
    for path, address in all_addresses():
        if ask(address, "stop") is not None:
            say(f"process {address.pid}: stopped")
        path.unlink(missing_ok=True)
    return 0


COMMANDS: dict[str, Callable[..., int]] = {"start": start, "status": status, "stop": stop}
