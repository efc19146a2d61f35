"""Merges in worker processes, behind a queue of limited length.

Processes and not threads: merges use all cores (200 merges on two cores took 0.8 s instead of 1.4 s),
and one that takes too long, or whose client is gone, can be stopped.
"""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

import anyio
from anyio import to_process

from fastapply.api import Result, apply_edit
from fastapply.server.http.bodies import ApplyRequest
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapply.models.engine import ApplyModel
    from fastapply.server.http.app import Metrics
    from fastapply.workspace.files import Keep

    OpenModel = Callable[[], ApplyModel | None]  # can be pickled


@dataclass(frozen=True, slots=True)
class Manner:
    """What holds for all merges of a server: how certain lazy ones must be, and how many are kept."""

    min_certainty: float | None = None
    log: Keep | None = None  # None: no usage log


class Full(Exception):
    """The queue is full."""


class Pool:
    """Runs `jobs` merges at a time; `queue` more may wait, each merge may take `limit` seconds."""

    def __init__(
        self,
        jobs: int,
        queue: int,
        limit: float,
        metrics: Metrics,
        open_model: OpenModel | None = None,
        *,
        manner: Manner | None = None,
    ) -> None:
        self.limit = limit
        self._room = jobs + queue
        self._open = 0
        self._slots = anyio.CapacityLimiter(jobs)
        self._processes = anyio.CapacityLimiter(jobs)
        self._jobs = jobs
        self._metrics = metrics
        self._open_model = open_model
        self._manner = manner or Manner()

    async def warm_up(self) -> None:
        """Start all processes and have each import what a merge needs."""
        os.environ["PYTHONSAFEPATH"] = "1"  # else they would look for modules in the current directory first
        first = ApplyRequest(
            "def f():\n    return 1\n", "def f():\n    return 2\n", path="a.py", is_first=True
        )
        async with anyio.create_task_group() as tasks:
            for _ in range(self._jobs):
                tasks.start_soon(self._run, first, None)

    async def merge(self, wanted: ApplyRequest) -> Result:
        """Merge in a worker; cancelling stops it. Raises `Full`, or `TimeoutError` after the limit."""
        if self._open >= self._room:
            raise Full
        self._open += 1
        self._metrics.open.inc()
        started = time.perf_counter()
        outcome = "cancelled"
        try:
            async with self._slots:
                with anyio.fail_after(self.limit):
                    result = await self._run(wanted, self._open_model)
            outcome = result.status
            self._metrics.seconds.observe(time.perf_counter() - started)
        except TimeoutError:
            outcome = "too_slow"
            raise
        except Exception:
            outcome = "error"
            raise
        finally:
            self._open -= 1
            self._metrics.open.dec()
            self._metrics.merges.labels(outcome).inc()
        return result

    async def _run(self, wanted: ApplyRequest, open_model: OpenModel | None) -> Result:
        return await to_process.run_sync(
            _merge, wanted, open_model, self._manner, cancellable=True, limiter=self._processes
        )


def _merge(wanted: ApplyRequest, open_model: OpenModel | None, manner: Manner) -> Result:
    """What runs in the worker; signals to the whole group reach it too, but the server decides its end."""
    for sign in (signal.SIGINT, signal.SIGTERM):
        signal.signal(sign, signal.SIG_IGN)
    asked = [share for share in (manner.min_certainty, wanted.min_certainty) if share is not None]
    result = apply_edit(
        wanted.original,
        wanted.edit,
        path=wanted.path,
        instructions=wanted.instructions,
        open_model=open_model,
        min_certainty=max(asked, default=None),
        smooth=wanted.smooth,
        pick=wanted.picks,
        where=wanted.where,
    )
    if manner.log is not None and not wanted.is_first:
        from fastapply.workspace.usage_log import Note, keep_result

        data = wanted.edit.encode()
        keep_result(
            Note("serve", wanted.path or "", data, wanted.instructions, manner.log), result, wanted.original
        )
    return result
