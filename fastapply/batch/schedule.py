"""Which line is worked on when, and by whom.

Lines for the same file (the same real path, whichever links lead to it) go one after the other in the
order of the input; others go side by side, in as many processes as asked for: a merge is all computation.
One job alone runs in this process. Results come back as they finish.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import threading
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any

from fastapply.batch.ledger import Ledger
from fastapply.batch.work import Setup, died, do_line, read_line
from fastapply.values import dataclass, replace
from fastapply.workspace.files.lock import resolved
from fastapply.workspace.files.recover import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fastapply.batch.ledger import Done
    from fastapply.batch.work import Line

_AHEAD = 1000  # lines read before the first of them has to be done


@dataclass(frozen=True, slots=True)
class _Task:
    """A line of the input that was read."""

    line: Line
    key: str  # names the line in a ledger
    place: str  # lines of the same place wait for each other


@dataclass(frozen=True, slots=True)
class _Ended:
    """A line that somebody has worked on, and the pool that he came from."""

    task: _Task
    future: Future[Done]
    pool: ProcessPoolExecutor | None


@dataclass(frozen=True, slots=True)
class _Signal:
    """The input has ended (with an error, or well), or the batch was stopped."""

    is_end: bool
    error: BaseException | None = None


class Batch:
    """A batch: `run` it once. `read` and `finished` count the lines so far."""

    def __init__(self, setup: Setup, jobs: int, ledger: Ledger | None = None) -> None:
        """Prepare it; `jobs` are the processes that work, or 1 for this one."""
        self._setup, self._ledger, self._jobs = setup, ledger, jobs
        self._events: queue.SimpleQueue[_Task | _Ended | _Signal] = queue.SimpleQueue()
        self._room = threading.BoundedSemaphore(_AHEAD)
        self._waiting: dict[str, deque[_Task]] = {}  # by place; one is there while a line of it is worked on
        self._ready: deque[_Task] = deque()
        self._running = 0
        self._changed: set[str] = set()  # places that this batch has written
        self._stopped = False
        self.read = self.finished = 0

    def stop(self) -> None:
        """Begin no other line; those that are worked on come to their end. May be called by a signal."""
        self._stopped = True
        self._events.put(_Signal(is_end=False))

    def run(self, rows: Iterable[bytes]) -> Iterator[Done]:
        """Carry out all lines of an input, and yield what becomes of them as they finish."""
        known = self._ledger.finished() if self._ledger is not None else {}
        threading.Thread(target=self._read, args=(rows,), daemon=True).start()
        workers = _Workers(self._setup, self._jobs)
        reading = True
        try:
            while reading or self._running or self._ready:
                event = self._events.get()
                if isinstance(event, _Signal):
                    reading = reading and not event.is_end
                    if event.error is not None:
                        raise event.error
                elif isinstance(event, _Ended):
                    self._running -= 1
                    yield self._finish(event.task, self._result(event, workers))
                    self._next(event.task.place)
                else:
                    self.read += 1
                    if event.key in known:
                        done = known[event.key]
                        again = replace(done, object={**done.object, "line": event.line.number})
                        yield self._finish(event, again)
                    else:
                        self._queue(event)
                if self._stopped:
                    reading = False
                    self._ready.clear()
                self._begin(workers)
        finally:
            workers.close()

    def _read(self, rows: Iterable[bytes]) -> None:
        """Read lines in a thread of its own, for an input that waits for results before it goes on."""
        seen: dict[str, int] = {}
        try:
            for number, raw in enumerate(rows, 1):
                text = raw.strip()
                if not text:
                    continue
                self._room.acquire()
                checksum = digest(text)
                seen[checksum] = seen.get(checksum, 0) + 1
                line = read_line(number, text)
                name = os.path.join(self._setup.root, line.file or "")  # noqa: PTH118 - a name, not yet a path
                place = resolved(name).casefold() if line.error is None else f"line {number}"
                self._events.put(_Task(line, f"{checksum}-{seen[checksum]}", place))
        except BaseException as error:  # noqa: BLE001 - it is raised where the results are read
            self._events.put(_Signal(is_end=True, error=error))
        else:
            self._events.put(_Signal(is_end=True))

    def _queue(self, task: _Task) -> None:
        if task.place in self._waiting:
            self._waiting[task.place].append(task)
        else:
            self._waiting[task.place] = deque()
            self._ready.append(task)

    def _next(self, place: str) -> None:
        """Let the next line of a place go."""
        if self._waiting[place]:
            self._ready.append(self._waiting[place].popleft())
        else:
            del self._waiting[place]

    def _begin(self, workers: _Workers) -> None:
        while self._ready and self._running < workers.most:
            task = self._ready.popleft()
            self._running += 1
            if workers.pool is None:
                future: Future[Done] = Future()
                future.set_result(self._do_here(task, self._setup))
                self._events.put(_Ended(task, future, None))
            else:
                workers.begin(task, self._events, clean=task.place not in self._changed)

    def _do_here(self, task: _Task, setup: Setup) -> Done:
        clean = task.place not in self._changed
        return do_line(task.line, task.key, _for(setup, clean=clean), self._ledger)

    def _finish(self, task: _Task, done: Done) -> Done:
        self._room.release()
        self.finished += 1
        if done.object["written"]:
            self._changed.add(task.place)
        return done

    def _result(self, ended: _Ended, workers: _Workers) -> Done:
        task = ended.task
        try:
            done = ended.future.result()
        except BrokenProcessPool:
            workers.renew(ended.pool)
            known = self._ledger.finished() if self._ledger is not None else {}
            return known.get(task.key) or died(task.line)
        if not done.is_open:
            return done
        # One process has the model, and loads it once: this one
        request = replace(self._setup.request, engine="auto")
        return self._do_here(task, replace(self._setup, request=request, leaves_open=False))


class _Workers:
    """The processes that work; none where this process does it alone."""

    def __init__(self, setup: Setup, jobs: int) -> None:
        self._setup, self._jobs = setup, jobs
        self.pool = None if jobs == 1 else self._new_pool()
        # One more than there are workers, so that none of them has to wait for this process
        self.most = 1 if jobs == 1 else jobs + 1

    def begin(self, task: _Task, events: queue.SimpleQueue[Any], *, clean: bool) -> None:
        """Work on a line; `clean` is false where the batch itself has changed its file already."""
        try:
            future = self._submit(task, clean=clean)
        except BrokenProcessPool:
            self.renew(self.pool)
            future = self._submit(task, clean=clean)
        pool = self.pool
        future.add_done_callback(lambda ended: events.put(_Ended(task, ended, pool)))

    def renew(self, broken: ProcessPoolExecutor | None) -> None:
        """Start other processes where one was killed; its pool is of no more use then."""
        if broken is not None and self.pool is broken:
            broken.shutdown(wait=True)  # until the last of its processes is gone
            self.pool = self._new_pool()

    def close(self) -> None:
        """Let the processes end what they are at."""
        if self.pool is not None:
            self.pool.shutdown(wait=True, cancel_futures=True)

    def _submit(self, task: _Task, *, clean: bool) -> Future[Done]:
        assert self.pool is not None  # noqa: S101 - asked before
        return self.pool.submit(_work, task.line, task.key, clean)

    def _new_pool(self) -> ProcessPoolExecutor:
        # Not forked: this process has threads
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._jobs, context, _prepare, (self._setup,))


# --- in a worker ----------------------------------------------------------------------------------

_worker: tuple[Setup, Ledger | None] | None = None


def _prepare(setup: Setup) -> None:
    """Begin a worker's life, which ends with that of the process that started it."""
    global _worker  # noqa: PLW0603 - what a process pool offers to share
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one that started it decides
    _worker = setup, Ledger(setup.ledger) if setup.ledger is not None else None
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _work(line: Line, key: str, clean: bool) -> Done:
    assert _worker is not None  # noqa: S101 - the pool calls `_prepare` first
    setup, ledger = _worker
    return do_line(line, key, _for(setup, clean=clean), ledger)


def _for(setup: Setup, *, clean: bool) -> Setup:
    """What holds for a line: a file that the batch itself has written need not be clean any more."""
    return setup if clean else replace(setup, request=replace(setup.request, require_clean=False))
