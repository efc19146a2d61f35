r"""One line of a batch: what it may say, and what is wrong with it.

    {"file": "src/cart.ts", "edit": "<<<<<<< SEARCH\n...", "id": 17, "instructions": "round the total"}

`file` and `edit` have to be there. `edit` is a text, or the object of a tool call. `id` is anything, and
comes back with the result. ``instructions``, ``format``, ``at`` (``"41-47"``), ``where`` (``"in NAME"``,
``"after NAME"``, ``"before NAME"`` or ``"replace NAME"``), ``pick`` (a number, ``"ID:N"`` or a list),
``allow`` (a list) and ``create`` are the options of `fastapply apply`. A name that is none of these is an
error of that line: a typing mistake must not make an edit mean something else.
"""

from __future__ import annotations

import json
from typing import Any, get_args

from fastapply.errors import EditError, UsageError
from fastapply.types import FormatName
from fastapply.values import dataclass

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
