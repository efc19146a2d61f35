"""The application: routes, the way of a request from its bytes to its answer, and errors.

The host, origin and token of each request are checked before anything of it is read.
A server on loopback can be reached by every page in the user's browser. A page of another origin says so
in ``Origin``; one that has made its own name resolve to 127.0.0.1 (DNS rebinding) says that name in
``Host``. Both are turned away.
"""

from __future__ import annotations

import hmac
import ipaddress
import logging
import os
import socket
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio
import uvicorn
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from fastapply.errors import ModelTrouble, UsageError
from fastapply.server.http import answers
from fastapply.server.http.answers import error_body
from fastapply.server.http.bodies import read_apply, read_chat, read_object
from fastapply.server.http.work import Full, Manner, Pool
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

    from fastapply.server.http.work import Manner, OpenModel

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_OPEN = "/healthz"  # for those who only ask whether the server lives
_GRACE = 10  # seconds for running merges at the end
_LONGEST_HEAD = 32 * 1024  # bytes
_MORE_CONNECTIONS = 256  # beside those whose merges run or wait; what is beyond gets a bare 503
_BACKLOG = 128  # connections that wait to be accepted


if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from typing import Any

    from starlette.requests import Request

    from fastapply.api import Result
    from fastapply.server.http.bodies import ApplyRequest
    from fastapply.server.http.work import OpenModel

    Read = Callable[[dict[str, Any]], ApplyRequest]
    Show = Callable[[ApplyRequest, Result], Response]

_BODY_SECONDS = 60.0  # for a body to arrive
_GONE = 499  # what nginx logs for a client that did not wait; nobody reads the answer
_STATUS = {"too_large": 413, "content_type": 415, "slow_body": 408}
_CHAT = "/v1/chat/completions"
_APPLY = "/v1/code/apply"


class Metrics:
    """Counters of one server."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.answers = Counter(
            "fastapply_answers",
            "Answers by endpoint and HTTP status.",
            ("endpoint", "status"),
            registry=self._registry,
        )
        self.merges = Counter(
            "fastapply_merges",
            "Merges by outcome: applied, unchanged, refused, error, cancelled, too_slow.",
            ("outcome",),
            registry=self._registry,
        )
        self.seconds = Histogram(
            "fastapply_merge_seconds",
            "Seconds from the end of the request to the merge.",
            buckets=_SECONDS,
            registry=self._registry,
        )
        self.open = Gauge(
            "fastapply_open_requests", "Merges that run or wait in the queue.", registry=self._registry
        )

    def text(self) -> bytes:
        """Give Prometheus's text format."""
        return generate_latest(self._registry)


class Guard:
    """ASGI middleware; `hosts` are the names the server answers to, None stands for all."""

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str] | None, token: str | None) -> None:
        self._app = app
        self._hosts = hosts
        self._token = token.encode() if token is not None else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with 401 or 403."""
        if scope["type"] == "http":
            denial = self._denial(Headers(scope=scope), scope["path"])
            if denial is not None:
                await denial(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _denial(self, headers: Headers, path: str) -> JSONResponse | None:
        host, origin = headers.get("host", ""), headers.get("origin")
        if self._hosts is not None and _name(host) not in self._hosts:
            return _denied(403, "this host name is not allowed", "bad_host")
        if origin is not None and (not origin.startswith("http") or urlsplit(origin).netloc != host):
            return _denied(403, "requests from other origins are not allowed", "bad_origin")
        if self._token is None or path == _OPEN:
            return None
        scheme, _, given = headers.get("authorization", "").partition(" ")
        # Headers are bytes that Starlette reads as Latin-1
        right = hmac.compare_digest(given.strip().encode("latin-1"), self._token)
        if scheme.lower() != "bearer" or not right:
            return _denied(401, "the token is missing or wrong", "bad_token")
        return None


def _name(host: str) -> str | None:
    """The name in a Host header: ``[::1]:8765`` gives ``::1``."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _denied(status: int, message: str, code: str) -> JSONResponse:
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JSONResponse(error_body(status, message, code), status, headers=headers)


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """What one server takes on."""

    jobs: int  # merges at a time
    queue: int  # requests that wait for one
    body: int  # bytes
    seconds: float  # for one merge


def make_app(
    limits: ServerLimits,
    *,
    hosts: frozenset[str] | None,
    token: str | None,
    open_model: OpenModel | None = None,
    manner: Manner | None = None,
) -> Starlette:
    """Make the application; see `Guard` for `hosts` and `token`.

    `open_model` opens, in each worker, the model that is asked about ambiguous edits.
    """
    metrics = Metrics()
    pool = Pool(limits.jobs, limits.queue, limits.seconds, metrics, open_model, manner=manner)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        await pool.warm_up()
        yield

    def answering(name: str, read: Read, show: Show) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            response = await _answer(request, pool, limits, read, show)
            metrics.answers.labels(name, response.status_code).inc()
            return response

        return answer

    async def show_metrics(_: Request) -> Response:
        return Response(metrics.text(), headers={"Content-Type": CONTENT_TYPE_LATEST})

    chat = answering(_CHAT, read_chat, _show_chat)
    return Starlette(
        routes=[
            Route(_CHAT, chat, methods=["POST"]),
            Route("/v1/apply/chat/completions", chat, methods=["POST"]),  # Relace's base address
            Route(
                _APPLY,
                answering(_APPLY, read_apply, lambda *came: JSONResponse(answers.applied(*came))),
                methods=["POST"],
            ),
            Route("/v1/models", _show_models, methods=["GET"]),
            Route("/healthz", _show_health, methods=["GET"]),
            Route("/metrics", show_metrics, methods=["GET"]),
        ],
        middleware=[Middleware(Guard, hosts=hosts, token=token)],
        exception_handlers={HTTPException: _show_http_error, Exception: _show_bug},
        lifespan=lifespan,
    )


async def _answer(request: Request, pool: Pool, limits: ServerLimits, read: Read, show: Show) -> Response:
    try:
        wanted = read(read_object(await _body(request, limits.body)))
        result = await _while_connected(request, pool, wanted)
    except UsageError as error:
        status = _STATUS.get(error.reason, 400)
        return JSONResponse(answers.error_body(status, error.message, error.reason, hint=error.hint), status)
    except Full:
        body = answers.error_body(503, "too many requests are waiting", "queue_full")
        return JSONResponse(body, 503, headers={"Retry-After": "1"})
    except TimeoutError:
        message = f"the merge took more than {limits.seconds:g} seconds"
        return JSONResponse(answers.error_body(422, message, "too_slow", hint="send a shorter edit"), 422)
    except ClientDisconnect:
        return Response(status_code=_GONE)
    if result is None:
        return Response(status_code=_GONE)
    if result.exit_status == ModelTrouble.exit_status:
        body = answers.error_body(502, result.message, result.reason or "model", hint=result.hint)
        return JSONResponse(body, 502)
    if result.status in {"refused", "error"}:
        return JSONResponse(answers.refusal(result), 422)
    return show(wanted, result)


async def _body(request: Request, most: int) -> bytes:
    """Read the body, no more than may come, in no more time than it may take."""
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise UsageError("the body must be application/json", reason="content_type")
    length = request.headers.get("content-length", "0")
    data = bytearray()
    if length.isdecimal() and int(length[:20]) > most:
        raise _too_large(most)
    with anyio.move_on_after(_BODY_SECONDS):
        async for piece in request.stream():
            data += piece
            if len(data) > most:
                raise _too_large(most)
        return bytes(data)
    raise UsageError("the body did not arrive in time", reason="slow_body")


async def _while_connected(request: Request, pool: Pool, wanted: ApplyRequest) -> Result | None:
    """Merge for as long as the client waits for it; None when it is gone."""
    results: list[Result] = []
    failures: list[Exception] = []
    async with anyio.create_task_group() as tasks:

        async def watch() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            tasks.cancel_scope.cancel()

        tasks.start_soon(watch)
        try:
            results.append(await pool.merge(wanted))
        except (Full, TimeoutError) as failure:
            failures.append(failure)  # a task group would wrap it
        tasks.cancel_scope.cancel()
    if failures:
        raise failures[0]
    return results[0] if results else None


def _show_chat(wanted: ApplyRequest, result: Result) -> Response:
    if wanted.stream:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(
            answers.chunks(wanted, result), media_type="text/event-stream", headers=headers
        )
    return JSONResponse(answers.completion(wanted, result))


async def _show_models(_: Request) -> Response:
    return JSONResponse(answers.models())


async def _show_health(_: Request) -> Response:
    return JSONResponse({"status": "ok"})


async def _show_http_error(_: Request, error: Exception) -> Response:
    """Where there is no such address or method."""
    assert isinstance(error, HTTPException)  # noqa: S101 - Starlette calls it for nothing else
    code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "bad_request")
    body = answers.error_body(error.status_code, error.detail, code)
    return JSONResponse(body, error.status_code, headers=error.headers)


async def _show_bug(_: Request, __: Exception) -> Response:
    """The log has it; the client is not told what it was."""
    return JSONResponse(answers.error_body(500, "internal error; see the log", "internal"), 500)


def _too_large(most: int) -> UsageError:
    return UsageError(f"the body is larger than {most} bytes", reason="too_large")


def serve(
    host: str,
    port: int,
    limits: ServerLimits,
    *,
    token: str | None,
    open_model: OpenModel | None,
    manner: Manner | None = None,
    tell: Callable[[str], None],
) -> None:
    """Serve until a signal ends it; `tell` is given the address when the server listens.

    Raises `UsageError` for an address beyond loopback without a token, and for one that cannot be had.
    """
    if token is not None and (not token or not token.isascii() or not token.isprintable()):
        raise UsageError("the token must be printable ASCII")
    loopback = is_loopback(host)
    if not loopback and token is None:
        raise UsageError(
            f"{host} can be reached from other machines and needs a token",
            hint="set FASTAPPLY_TOKEN, or remove --host",
        )
    hosts = LOOPBACK | {host.lower()} if loopback else None
    app = make_app(limits, hosts=hosts, token=token, open_model=open_model, manner=manner)
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        server_header=False,
        ws="none",
        http="h11",
        h11_max_incomplete_event_size=_LONGEST_HEAD,
        timeout_graceful_shutdown=_GRACE,
        limit_concurrency=limits.jobs + limits.queue + _MORE_CONNECTIONS,
    )
    # It warns about workers that were ended with the server before it could wait for them
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    with _listen(host, port) as listening:
        name = f"[{host}]" if ":" in host else host
        tell(f"fastapply serves on http://{name}:{listening.getsockname()[1]}")
        with suppress(KeyboardInterrupt):  # uvicorn raises it once more when all is done
            uvicorn.Server(config).run(sockets=[listening])


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends without delay on sockets that say TCP; those of `socket.create_server` do not, and
    # head and body of an answer then go out 40 ms apart
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        listening.close()
        why = getattr(error, "strerror", None) or error
        raise UsageError(
            f"cannot listen on {host} port {port}: {why}", hint="choose another --port"
        ) from None
    return listening
