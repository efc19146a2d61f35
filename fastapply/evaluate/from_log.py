"""The usage log as cases: edits that were really sent, for files as they really were."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from fastapply.evaluate.cases import Case, case_from
from fastapply.workspace.files.calls import Call, read_calls

if TYPE_CHECKING:
    from collections.abc import Iterator


def logged_cases(place: str | None = None) -> Iterator[Case]:
    """The calls for one file each, the oldest first; what was made of them then is in `merged`."""
    for call in reversed(list(read_calls(place))):
        values = _values(call)
        case = case_from(values, call.name) if values is not None else None
        if case is not None:
            yield case


def line_of(call: Call) -> str | None:
    """A call as a line of a file of cases, with what came of it; None for one without a single file."""
    values = _values(call)
    return None if values is None else json.dumps(values, ensure_ascii=False) + "\n"


def _values(call: Call) -> dict[str, Any] | None:
    if call.original is None or call.files != 1:
        return None
    time = datetime.fromtimestamp(call.nanoseconds / 10**9, UTC)
    values = {
        "id": call.name,
        "path": call.path,
        "original": call.original,
        "edit": call.edit,
        "instructions": call.instructions,
        "format": call.format,
        "merged": call.merged,
        "outcome": call.outcome,
        "reason": call.reason,
        "message": call.message,
        "method": call.method,
        "certainty": call.certainty,
        "model": call.model,
        "seconds": call.seconds,
        "time": time.isoformat(timespec="seconds"),
    }
    always = {"original", "edit"}
    return {name: value for name, value in values.items() if name in always or value not in {None, ""}}
