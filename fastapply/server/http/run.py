"""The server's life: an address of its own, uvicorn on it, and an end that lets running merges finish."""

from __future__ import annotations

import ipaddress
import logging
import os
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

import uvicorn

from fastapply.errors import UsageError
from fastapply.server.http.app import LOOPBACK, make_app

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapply.server.http.app import ServerLimits
    from fastapply.server.http.work import Manner, OpenModel

_GRACE = 10  # seconds for running merges at the end
_LONGEST_HEAD = 32 * 1024  # bytes
_MORE_CONNECTIONS = 256  # beside those whose merges run or wait; what is beyond gets a bare 503
_BACKLOG = 128  # connections that wait to be accepted


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
