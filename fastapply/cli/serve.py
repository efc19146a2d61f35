"""`fastapply serve`: HTTP for clients of apply services."""

import os
from typing import Annotated

import typer

from fastapply.cli import options as opt
from fastapply.config import limits_of, load
from fastapply.jobs.request import make_server_opener
from fastapply.server import require_server
from fastapply.terminal.output import tell

_MIB = 1024 * 1024
_SECONDS = 30.0
_SECONDS_OF_A_MODEL = 150.0


def command(  # noqa: PLR0917 - one parameter an option
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="The port to listen on; 0 picks a free one.")
    ] = 8765,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            envvar="FASTAPPLY_TOKEN",
            help="Require this bearer token. Required unless the host is local.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=1, max=256, help="Parallel merges. Default: one per core."),
    ] = None,
    queue: Annotated[int, typer.Option("--queue", min=0, help="Maximum number of waiting requests.")] = 64,
    max_body: Annotated[
        int, typer.Option("--max-body", min=1, max=1024, metavar="MIB", help="Maximum request size.")
    ] = 8,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            min=1,
            metavar="SECONDS",
            help="Time limit per merge. Default: 30, or 150 with a model.",
        ),
    ] = None,
    min_certainty: opt.MinCertainty = None,
    endpoint: opt.Endpoint = None,
    model: opt.ModelName = None,
) -> int:
    """Run an HTTP server for clients of apply services such as Morph and Relace.

    Endpoints: POST /v1/chat/completions and POST /v1/code/apply. The server reads and writes no files.
    A refused edit gets status 422 and the reason.
    """
    require_server()
    from fastapply.server.http.app import ServerLimits, serve
    from fastapply.server.http.work import Manner

    open_model = make_server_opener(endpoint, model)
    seconds = time_limit or (_SECONDS if open_model() is None else _SECONDS_OF_A_MODEL)
    limits = ServerLimits(jobs or os.cpu_count() or 1, queue, max_body * _MIB, seconds)
    found = load()
    least = found["min_certainty"] if min_certainty is None else min_certainty
    manner = Manner(least, limits_of(found) if found["keep_log"] else None)
    serve(host, port, limits, token=token, open_model=open_model, manner=manner, tell=tell)
    return 0
