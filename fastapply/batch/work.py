r"""One line of a batch: what it may say, and what becomes of it.

That is the same as of `fastapply apply --json` with its file and edit.

    {"file": "src/cart.ts", "edit": "<<<<<<< SEARCH\n...", "id": 17, "instructions": "round the total"}

`file` and `edit` have to be there. `edit` is a text, or the object of a tool call. `id` is anything, and
comes back with the result. ``instructions``, ``format``, ``at`` (``"41-47"``), ``where`` (``"in NAME"``,
``"after NAME"``, ``"before NAME"`` or ``"replace NAME"``), ``pick`` (a number, ``"ID:N"`` or a list),
``allow`` (a list) and ``create`` are the options of `fastapply apply`. A name that is none of these is an
error of that line: a typing mistake must not make an edit mean something else.
"""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any, get_args

from fastapply.batch.ledger import Done
from fastapply.errors import EditError, FastapplyError, Refused, UsageError
from fastapply.jobs.objects import error_object, outcome_object
from fastapply.jobs.request import configured, make_job
from fastapply.types import FormatName
from fastapply.values import dataclass, replace
from fastapply.workspace import files
from fastapply.workspace.changes import change_file
from fastapply.workspace.usage_log import Note, keep_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.batch.ledger import Ledger
    from fastapply.jobs.request import Request
    from fastapply.workspace.changes import Outcome
    from fastapply.workspace.files import Replaced

BUG = 70
_KINDS: dict[str, tuple[type, ...]] = {
    "file": (str,),
    "edit": (str, dict, list),
    "instructions": (str,),
    "format": (str,),
    "at": (str, int),
    "where": (str,),
    "pick": (int, str, list),
    "allow": (list,),
    "create": (bool,),
}


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


@dataclass(frozen=True, slots=True)
class Line:
    """A line that was read. `error` is set where it cannot be carried out."""

    number: int  # 1-based in the input
    file: str | None
    id: Any = None
    edit: bytes = b""
    options: tuple[tuple[str, Any], ...] = ()  # what the line says of a `Request`
    error: UsageError | EditError | None = None


def read_line(number: int, raw: bytes) -> Line:
    """Read a line; one that makes no sense comes back with its error."""
    given: Any = None
    try:
        given = _parse(number, raw)
        _check(number, given)
        return Line(number, given["file"], given.get("id"), _edit_bytes(given["edit"]), _options(given))
    except (UsageError, EditError) as error:
        known = given if isinstance(given, dict) else {}
        file = known.get("file")
        return Line(number, file if isinstance(file, str) else None, known.get("id"), error=error)


def _parse(number: int, raw: bytes) -> dict[str, Any]:
    try:
        given = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"line {number} is not valid JSON: {error}") from None
    if not isinstance(given, dict):
        raise UsageError(f"line {number} must be an object with file and edit")
    return given


def _check(number: int, given: dict[str, Any]) -> None:
    missing = [name for name in ("file", "edit") if name not in given]
    if missing:
        raise UsageError(f"line {number} has no {' or '.join(missing)}")
    for name, value in given.items():
        if name == "id":
            continue
        if name not in _KINDS:
            raise UsageError(f"line {number}: unknown key {name}", hint=f"there are: id, {', '.join(_KINDS)}")
        wrong = not isinstance(value, _KINDS[name]) or (isinstance(value, bool) and bool not in _KINDS[name])
        items = value if isinstance(value, list) and name != "edit" else []
        item_kind = (int, str) if name == "pick" else str
        if wrong or not all(isinstance(one, item_kind) and not isinstance(one, bool) for one in items):
            raise UsageError(f"line {number}: {name} cannot be {json.dumps(value)[:60]}")
    if given.get("format") is not None and given["format"] not in get_args(FormatName):
        raise UsageError(
            f"line {number}: unknown format {given['format']}",
            hint=f"there are: {', '.join(get_args(FormatName))}",
        )


def _edit_bytes(edit: object) -> bytes:
    text = edit if isinstance(edit, str) else json.dumps(edit)
    try:
        return text.encode()
    except UnicodeEncodeError:  # half of a pair: "\ud83d" alone
        raise EditError("the edit ends inside a UTF-8 character", reason="bad_encoding") from None


def _options(given: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    options: dict[str, Any] = {
        name: given[name] for name in ("instructions", "create", "allow") if name in given
    }
    if "format" in given:
        options["format_name"] = given["format"]
    if "at" in given:
        options["at"] = str(given["at"])
    if "where" in given:
        options["where"] = [given["where"]]
    if "pick" in given:
        options["pick"] = given["pick"] if isinstance(given["pick"], list) else [given["pick"]]
    return tuple(options.items())
