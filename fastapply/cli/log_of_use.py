"""`fastapply log --stat` and `--export`: what the usage log says, and its calls as cases."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from fastapply.config import load
from fastapply.evaluate.cases import line_of, open_text
from fastapply.jobs.objects import SCHEMA
from fastapply.terminal.output import columns, say, show_json, tell, write_out
from fastapply.workspace.files.calls import Call, read_calls
from fastapply.workspace.files.read import trouble

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_OUTCOMES = ("applied", "unchanged", "refused", "error")
_GROUPS: dict[str, Callable[[Call], str]] = {
    "reason": lambda call: call.reason or "",
    "format": lambda call: call.format or "",
    "command": lambda call: call.command,
    "model": lambda call: call.model or "",
    "day": lambda call: f"{datetime.fromtimestamp(call.nanoseconds // 10**9, UTC).astimezone():%Y-%m-%d}",
}


def show_sums(place: str | None, limit: int | None, *, json: bool) -> int:
    """Count the calls for a place, in all and by what they have in common."""
    calls = list(islice(read_calls(place), limit))
    if json:
        groups = {name: _sums(calls, of) for name, of in _GROUPS.items()}
        show_json({"schema": SCHEMA, **_sum(calls), "by": groups})
        return 0
    if not calls:
        tell(_nothing(place))
        return 0
    rows = [["", "calls", *_OUTCOMES, "median s"], _row("all", _sum(calls))]
    for name, of in _GROUPS.items():
        sums = _sums(calls, of)
        rows += [[""] * len(rows[0]), [f"by {name}"] + [""] * (len(rows[0]) - 1)] if sums else []
        rows += [_row(f"  {key}", each) for key, each in sums.items()]
    for line in columns([[*row, ""] for row in rows], right=range(1, len(rows[0]))):
        say(line)
    return 0


def export_calls(place: str | None, limit: int | None, output: str) -> int:
    """Write the calls for one file each as cases, one a line, oldest first; "-" is standard output."""
    calls = list(islice(read_calls(place), limit))
    lines = [line for call in reversed(calls) if (line := line_of(call)) is not None]
    if output == "-":
        write_out("".join(lines).encode("utf-8", "surrogateescape"))
    else:
        try:
            with open_text(Path(output), "w") as out:
                out.writelines(lines)
        except OSError as error:
            raise trouble(error, output, "write") from None
    if not calls:
        tell(_nothing(place))
        return 0
    left = len(calls) - len(lines)
    rest = f"; {left} skipped (several files or none)" if left else ""
    tell(f"{len(lines)} case{'' if len(lines) == 1 else 's'} from the usage log{rest}")
    return 0


def _sums(calls: Sequence[Call], of: Callable[[Call], str]) -> dict[str, dict[str, Any]]:
    """The calls by what `of` gives, the most frequent first; those for which it gives "" are left out."""
    counts = Counter(key for call in calls if (key := of(call)))
    return {key: _sum([call for call in calls if of(call) == key]) for key, _ in counts.most_common()}


def _sum(calls: Sequence[Call]) -> dict[str, Any]:
    counts = Counter(call.outcome for call in calls)
    seconds = round(median(call.seconds for call in calls), 4) if calls else None
    return {"calls": len(calls), **{name: counts[name] for name in _OUTCOMES}, "median_seconds": seconds}


def _row(name: str, sums: dict[str, Any]) -> list[str]:
    counts = [str(sums[each] or "") for each in ("calls", *_OUTCOMES)]
    return [name, *counts, f"{sums['median_seconds']:.3f}"]


def _nothing(place: str | None) -> str:
    if not load(".")["keep_log"]:
        return "no usage log; set keep_log = true in your configuration to keep one"
    if place is None:
        return "the usage log is empty"
    return "the usage log has no calls here; use --all for all folders"
