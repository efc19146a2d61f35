"""Applying all cases of a run, several at a time, a line on the disk for each that ends."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from fastapply.evaluate.engines import Attempt, Engine
from fastapply.evaluate.outcomes import decide
from fastapply.evaluate.records import RESULTS, Record, append_line, read_whole_lines, record_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from fastapply.evaluate.cases import Case

MakeEngine = Callable[[], Engine]


def known_ids(folder: Path) -> frozenset[str]:
    """The ids of the cases that a run has results of."""
    return frozenset(values["case"]["id"] for values in read_whole_lines(folder / RESULTS))


def run_cases(
    cases: Iterable[Case],
    folder: Path,
    make_engine: MakeEngine,
    *,
    jobs: int,
    formats: Collection[str] = (),
    stop: threading.Event | None = None,
) -> Iterator[Record]:
    """Apply the cases that the folder has no result of; gives each record when it is on the disk.

    With `formats`, cases of other formats are not tried and count as not applicable. When `stop` is set, no
    other case is begun, and those that run come to their end. Each of the `jobs` threads has an engine of its
    own.
    """
    done = known_ids(folder)
    engines: list[Engine] = []
    own = threading.local()

    def work(case: Case) -> Record:
        if formats and case.format not in formats:
            attempt = Attempt("not_applicable", reason="format")
        else:
            if not hasattr(own, "engine"):
                own.engine = make_engine()
                engines.append(own.engine)
            attempt = own.engine.apply(case)
        return Record(case, attempt, decide(case, attempt))

    coming = (case for case in cases if case.id not in done)
    running: set[Future[Record]] = set()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            while True:
                while len(running) < 2 * jobs and not (stop and stop.is_set()):
                    case = next(coming, None)
                    if case is None:
                        break
                    running.add(pool.submit(work, case))
                if not running:
                    return
                ended, running = wait(running, return_when=FIRST_COMPLETED)
                for future in ended:
                    record = future.result()
                    append_line(folder / RESULTS, record_line(record))
                    yield record
        finally:
            for future in running:
                future.cancel()
            for engine in engines:
                engine.close()
