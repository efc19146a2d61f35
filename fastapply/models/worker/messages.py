"""What goes over a worker's socket: one JSON object a line.

A request has the worker's `token` and an `op`: ``status``, ``stop``, ``complete`` with a `task`, or
``score`` with a `prompt` and `texts`. The answer to ``complete`` is any number of ``{"written": bytes,
"tokens": number}``, then ``{"done": ...}``; every op may be answered by ``{"error": ...}``. Tasks, prompts
and answers are objects of their fields.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fastapply.errors import FastapplyError, ModelTrouble, Refused
from fastapply.models.engine import Completion, Drafts, Task
from fastapply.models.prompts import Message, Prompt, PromptPiece
from fastapply.types import Usage

if TYPE_CHECKING:
    from io import BufferedIOBase

MOST_BYTES = 64 << 20
"""The longest line that is read."""


def send(stream: BufferedIOBase, value: dict[str, Any]) -> None:
    """Write one message."""
    stream.write(json.dumps(value).encode() + b"\n")
    stream.flush()


def receive(stream: BufferedIOBase) -> dict[str, Any] | None:
    """Read one message; None where the other side has gone, or says what is no message."""
    line = stream.readline(MOST_BYTES)
    if not line.endswith(b"\n"):
        return None
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def read_task(given: dict[str, Any]) -> Task:
    """The task that such an object says. Raises `KeyError` or `TypeError` for another one."""
    return Task(read_prompt(given["prompt"]), Drafts(**given["drafts"]), given["longest"])


def read_prompt(given: dict[str, Any]) -> Prompt:
    """The prompt that such an object says. Raises `KeyError` or `TypeError` for another one."""
    return Prompt(
        given["style"],
        tuple(Message(**one) for one in given["messages"]),
        tuple(PromptPiece(**one) for one in given["pieces"]),
        given["end"],
    )


def read_completion(given: dict[str, Any]) -> Completion:
    """The answer that such an object says."""
    return Completion(given["text"], given["finish"], Usage(**given["usage"]))


def error_object(error: FastapplyError) -> dict[str, Any]:
    """An error as JSON."""
    return {
        "refused": isinstance(error, Refused),
        "message": error.message,
        "reason": error.reason,
        "hint": error.hint,
    }


def read_error(given: dict[str, Any]) -> FastapplyError:
    """The error that such an object says."""
    kind = Refused if given.get("refused") else ModelTrouble
    return kind(str(given["message"]), reason=str(given["reason"]), hint=str(given["hint"]))
