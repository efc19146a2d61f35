"""The log of a tuning run: a JSON object a line, ``step`` or ``check`` by its `kind`, as those from nothing.

``{"kind": "step", "step": 3, "tokens": 9120, "loss": ..., "seconds": ...}``: `tokens` are those of all steps
so far, `seconds` of this one.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Log:
    """The log's file; lines of steps that are done anew are taken out of it."""

    def __init__(self, path: Path, done: int, watch: Callable[[dict[str, Any]], None] | None) -> None:
        kept = [line for line in _whole_lines(path) if json.loads(line)["step"] <= done]
        path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
        self._path, self._watch = path, watch
        steps = [row for line in kept if (row := json.loads(line))["kind"] == "step"]
        self.tokens: int = steps[-1]["tokens"] if steps else 0

    def step(self, step: int, tokens: int, values: dict[str, Any], *, left_seconds: float) -> None:
        """Add the line of a step that read so many tokens; the time that is left is told and not kept."""
        self.tokens += tokens
        self._write({"kind": "step", "step": step, "tokens": self.tokens, **values}, left_seconds)

    def check(self, step: int, values: dict[str, Any]) -> None:
        """Add the line of a look at the validation data."""
        self._write({"kind": "check", "step": step, "tokens": self.tokens, **values}, None)

    def _write(self, line: dict[str, Any], left_seconds: float | None) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        if self._watch is not None:
            self._watch(line if left_seconds is None else {**line, "left_seconds": left_seconds})


def _whole_lines(path: Path) -> list[str]:
    """The lines of a log, without one that a kill cut off."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return text[: text.rfind("\n") + 1].splitlines()
