"""A run as a folder: its settings, and a line of JSON for each case with what came of it.

::

    RUN/settings.json        what was run: engine, model, command, limits, and when
    RUN/results.jsonl        one `Record` a line, in the order in which they ended
    RUN/annotations.jsonl    what people say (`annotations`)
    RUN/judgements.jsonl     what judges say (`judge`)

A line is written at once; the last one may be cut off by a kill, and is then passed over and tried again.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from fastapply.errors import FileTrouble, UsageError
from fastapply.evaluate.cases import Case, case_from, open_text
from fastapply.evaluate.engines import Attempt, Engine
from fastapply.evaluate.outcomes import Verdict, decide

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from fastapply.evaluate.cases import Case

SETTINGS, RESULTS = "settings.json", "results.jsonl"
_SAME = ("engine", "model", "endpoint", "full_file", "command", "formats", "limit")
"""What must be equal for a run to go on in the same folder."""
MakeEngine = Callable[[], Engine]


@dataclass(frozen=True, slots=True)
class Record:
    """A case, what was done, and what that is worth as far as it can be told without a person."""

    case: Case
    attempt: Attempt
    verdict: Verdict

    @property
    def right(self) -> bool | None:
        """Whether the outcome is right; None where nothing decides it yet, or the case was not tried."""
        if self.verdict.outcome == "not_applicable":
            return None
        if self.verdict.decided == "suggested":
            return False if self.case.answers else None
        return self.verdict.right


def write_settings(folder: Path, settings: dict[str, Any]) -> None:
    """Begin a run in a folder, or go on with it.

    Raises `UsageError` where the folder holds a run of other settings, or is not a run and not empty.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / SETTINGS
    if path.exists():
        known = read_settings(folder)
        other = [name for name in _SAME if known.get(name) != settings.get(name)]
        if other:
            raise UsageError(
                f"{folder} has a run with another {', '.join(other)}",
                reason="other_run",
                hint="use another --out or delete the folder",
            )
        return
    if any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty and not a run", reason="other_run", hint="use another --out")
    part = path.with_suffix(".part")
    part.write_text(json.dumps(settings, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(path)


def read_settings(folder: Path) -> dict[str, Any]:
    """The settings of a run. Raises `FileTrouble` where the folder is none."""
    try:
        settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileTrouble(
            f"{folder} is not a run",
            reason="missing",
            hint="create one with fastapply evaluate run CASES --out RUN",
        ) from None
    except (OSError, ValueError) as error:
        raise FileTrouble(f"cannot read {folder / SETTINGS}: {error}", reason="unreadable") from None
    if not isinstance(settings, dict):
        raise FileTrouble(f"{folder / SETTINGS} is damaged", reason="unreadable")
    return settings


def read_records(folder: Path) -> Iterator[Record]:
    """The records of a run in the order in which they ended."""
    read_settings(folder)
    for values in read_whole_lines(folder / RESULTS):
        case = case_from(values["case"], "")
        if case is not None:
            yield Record(case, Attempt(**values["attempt"]), Verdict(**values["verdict"]))


def record_line(record: Record) -> str:
    """A record as a line of JSON, with its end."""
    return json.dumps(asdict(record), ensure_ascii=False) + "\n"


def read_whole_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines; what a kill has cut off is passed over, and so is no file."""
    try:
        lines = open_text(path, "r")
    except FileNotFoundError:
        return
    except OSError as error:
        raise FileTrouble(f"cannot read {path}: {error}", reason="unreadable") from None
    with lines:
        for line in lines:
            try:
                values = json.loads(line)
            except ValueError:
                continue
            if isinstance(values, dict):
                yield values


def append_line(path: Path, line: str) -> None:
    """Append one line with its end in one write, on the disk when this returns.

    Several processes may do so at a time: the file is locked where the system can. A line that a kill
    has cut off is closed first, so that it spoils no other.
    """
    data = line.encode("utf-8", "surrogateescape")
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with suppress(ImportError):  # Windows: a line that is written in one go to such a file is whole there
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX)
        size = os.lseek(descriptor, 0, os.SEEK_END)
        if size:
            os.lseek(descriptor, size - 1, os.SEEK_SET)
            if os.read(descriptor, 1) != b"\n":
                data = b"\n" + data
        while data:
            data = data[os.write(descriptor, data) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)  # which gives the lock up


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
