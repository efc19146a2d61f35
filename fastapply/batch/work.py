"""What becomes of one line of a batch: the same as of `fastapply apply --json` with its file and edit."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from fastapply.batch.ledger import Done
from fastapply.errors import FastapplyError, Refused
from fastapply.jobs.objects import error_object, outcome_object
from fastapply.jobs.request import configured, make_job
from fastapply.values import dataclass, replace
from fastapply.workspace import files
from fastapply.workspace.changes import change_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.batch.ledger import Ledger
    from fastapply.batch.lines import Line
    from fastapply.jobs.request import Request
    from fastapply.workspace.changes import Outcome
    from fastapply.workspace.files import Replaced

BUG = 70


@dataclass(frozen=True, slots=True)
class Setup:
    """What all lines of a batch have in common."""

    request: Request
    root: str = "."
    ledger: str | None = None
    leaves_open: bool = False  # what rules cannot decide goes on to the process that has the model


def do_line(line: Line, key: str, setup: Setup, ledger: Ledger | None = None) -> Done:
    """Carry out one line. Nothing is raised, whatever becomes of it: an error is a result."""
    started = time.perf_counter()
    warnings: list[str] = []
    request, path = setup.request, ""

    def announce(outcome: Outcome, replaced: Sequence[Replaced]) -> None:
        if ledger is not None:
            value = outcome_object(outcome, path=line.file, seconds=time.perf_counter() - started)
            ledger.announce(key, replaced, Done(0, _named(value, line)))

    try:
        path = _place(setup.root, line)
        request = replace(request, **dict(line.options))
        request = configured(request, path, warnings.append)
        outcome = change_file(path, line.edit, replace(make_job(request), announce=announce))
    except FastapplyError as error:
        value = error_object(error, "batch", path=line.file, seconds=time.perf_counter() - started)
        is_open = setup.leaves_open and isinstance(error, Refused) and bool(error.questions)
        if not is_open:
            warnings += _kept(request, path, line, error, time.perf_counter() - started)
        done = Done(error.exit_status, _named(value, line), tuple(warnings), is_open)
    except Exception as error:  # noqa: BLE001 - a bug in one edit must not stop the others
        bug = FastapplyError(f"internal error: {type(error).__name__}: {error}", hint="please report it")
        done = Done(BUG, _named(error_object(bug, "batch", path=line.file), line), tuple(warnings))
    else:
        value = outcome_object(outcome, path=line.file, seconds=time.perf_counter() - started)
        warnings += _kept(request, path, line, outcome, time.perf_counter() - started)
        told = tuple(f"{line.file}: {warning}" for warning in outcome.warnings)
        done = Done(0, _named(value, line), (*warnings, *told))
    if ledger is not None and not done.is_open:
        try:
            ledger.finish(key, done)
        except FastapplyError as error:
            return replace(done, warnings=(*done.warnings, error.message))
    return done


def _kept(
    request: Request, path: str, line: Line, came: Outcome | FastapplyError, seconds: float
) -> list[str]:
    """Keep a line in the usage log, where the user wants that; gives warnings."""
    if not request.keep_log or request.keep is None or line.error is not None:
        return []
    from fastapply.workspace.usage_log import Note, keep_run

    warning = keep_run(Note("batch", path, line.edit, request.instructions, request.keep), came, ".", seconds)
    return [warning] if warning else []


def died(line: Line) -> Done:
    """The result of a line whose worker was killed, by the system or by somebody."""
    error = FastapplyError(
        "the process for this line was killed; the file may already be written",
        hint="check the file or fastapply log",
    )
    return Done(BUG, _named(error_object(error, "batch", path=line.file), line))


def _place(root: str, line: Line) -> str:
    """Where the file of a line is; raises the line's error, or `FileTrouble` (``outside_root``)."""
    if line.error is not None:
        raise line.error
    file = line.file or ""
    files.inside(root, file)
    return file if root == "." else os.path.join(root, file)  # noqa: PTH118 - the name as it was given


def _named(value: dict[str, Any], line: Line) -> dict[str, Any]:
    return {"line": line.number, "id": line.id, **value}
