"""The page on this machine: details on demand, and annotations that are on the disk before they are answered.

It listens on 127.0.0.1 only, and answers requests with the token of the address (or in ``X-Token``), and no
page of another origin.

================================ ======================================================
GET  /?token=T                   the page
GET  /case/N                     the details of the case N
GET  /annotations                what counts now: a list for each run
POST /annotations                ``{"run", "case", "who", "class", "note"}``: appended
================================ ======================================================
"""

from __future__ import annotations

import hmac
import secrets
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from fastapply.errors import UsageError
from fastapply.server.http.app import LOOPBACK, Guard
from fastapply_lab.evaluate.annotations import annotate, read_annotations
from fastapply_lab.evaluate.page.overview import cases_of
from fastapply_lab.evaluate.page.write import detail_of, render_page

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from fastapply_lab.evaluate.page.overview import ShownRun

_LONGEST_BODY = 64 * 1024


class TokenGate:
    """ASGI middleware: every request names the token, in its address or in a header."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with 403."""
        if scope["type"] == "http":
            from starlette.requests import Request

            request = Request(scope)
            given = request.headers.get("x-token") or request.query_params.get("token") or ""
            if not hmac.compare_digest(given.encode(), self._token.encode()):
                denied = PlainTextResponse("the token in the address is missing or wrong", 403)
                await denied(scope, receive, send)
                return
        await self._app(scope, receive, send)


def make_app(folders: Sequence[Path], runs: Sequence[ShownRun], *, token: str, who: str) -> ASGIApp:
    """The application; `who` is the annotator of the page that it gives."""
    cases = cases_of(runs)

    async def page(_request: Request) -> Response:
        return HTMLResponse(await run_in_threadpool(_page), headers={"Cache-Control": "no-store"})

    def _page() -> str:
        fresh = [
            replace(run, annotations=read_annotations(folder))
            for run, folder in zip(runs, folders, strict=True)
        ]
        return render_page(fresh, cases, who=who)

    async def case(request: Request) -> Response:
        number = request.path_params["number"]
        if number >= len(cases):
            return PlainTextResponse("there is no such case", 404)
        return JSONResponse(await run_in_threadpool(detail_of, cases[number], runs))

    async def read(_request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(_annotations))

    def _annotations() -> dict[str, Any]:
        return {"annotations": [[one.object for one in read_annotations(folder)] for folder in folders]}

    async def write(request: Request) -> Response:
        body = await request.body()
        if len(body) > _LONGEST_BODY:
            return PlainTextResponse("the annotation is too long", 413)
        try:
            values = await request.json()
            folder, known = folders[values["run"]], runs[values["run"]].records
            if values["case"] not in known:
                return PlainTextResponse("there is no such case", 404)
            made = (values["case"], str(values["who"]), values["class"], str(values.get("note") or ""))
            await run_in_threadpool(annotate, folder, *made)
        except UsageError as error:
            return PlainTextResponse(error.message, 422)
        except (ValueError, LookupError, TypeError):
            return PlainTextResponse("that is no annotation", 400)
        return JSONResponse(await run_in_threadpool(_annotations))

    routes = [
        Route("/", page),
        Route("/case/{number:int}", case),
        Route("/annotations", read),
        Route("/annotations", write, methods=["POST"]),
    ]
    return Guard(TokenGate(Starlette(routes=routes), token), hosts=LOOPBACK, token=None)


def serve(
    folders: Sequence[Path], runs: Sequence[ShownRun], *, port: int, who: str, tell: Callable[[str], None]
) -> None:
    """Serve until a signal ends it; `tell` is given the address when the server listens.

    Raises `UsageError` for a port that cannot be had.
    """
    token = secrets.token_urlsafe(24)
    app = make_app(folders, runs, token=token, who=who)
    config = uvicorn.Config(app, log_level="error", access_log=False, server_header=False, ws="none")
    with _listen(port) as listening:
        tell(f"http://127.0.0.1:{listening.getsockname()[1]}/?token={token}")
        with suppress(KeyboardInterrupt):  # uvicorn raises it once more when all is done
            uvicorn.Server(config).run(sockets=[listening])


def _listen(port: int) -> socket.socket:
    import os
    import socket

    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen(64)
    except (OSError, OverflowError) as error:
        listening.close()
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot listen on port {port}: {why}", hint="choose another --port") from None
    return listening
