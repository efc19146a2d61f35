"""Who may ask: the check of each request's host, origin and token, before anything of it is read.

A server on loopback can be reached by every page in the user's browser. A page of another origin says so
in ``Origin``; one that has made its own name resolve to 127.0.0.1 (DNS rebinding) says that name in
``Host``. Both are turned away.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse

from fastapply.server.http.answers import error_body

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_OPEN = "/healthz"  # for those who only ask whether the server lives


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
