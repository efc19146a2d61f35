"""`fastapply log [FILE]`: the writes that were kept, newest first; what the usage log says."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fastapply.cli import options as opt  # noqa: TC001 - Typer reads the annotations
from fastapply.config import load
from fastapply.errors import FileTrouble, UsageError
from fastapply.jobs.objects import SCHEMA
from fastapply.terminal.colours import wants_colour
from fastapply.terminal.output import columns, say, show_json, tell, write_out
from fastapply.text import decode
from fastapply.text.diff import Sides, count_changes
from fastapply.workspace.files.calls import Call, read_calls
from fastapply.workspace.files.entries import EntryFile, texts
from fastapply.workspace.files.read import trouble
from fastapply.workspace.files.root import shown_path
from fastapply.workspace.undo import ListedEntry, list_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_TITLES = ("time", "id", "undo", "+", "-", "format", "method", "file")
_NUMBERS = (3, 4)  # columns that end at the right
_OUTCOMES = ("applied", "unchanged", "refused", "error")
_GROUPS: dict[str, Callable[[Call], str]] = {
    "reason": lambda call: call.reason or "",
    "format": lambda call: call.format or "",
    "command": lambda call: call.command,
    "model": lambda call: call.model or "",
    "day": lambda call: f"{datetime.fromtimestamp(call.nanoseconds // 10**9, UTC).astimezone():%Y-%m-%d}",
}


def command(  # noqa: PLR0917 - one parameter an option
    file: Annotated[
        str, typer.Argument(metavar="[FILE]", help="Only writes to this file or below this folder.")
    ] = ".",
    everywhere: Annotated[bool, typer.Option("--all", help="Include all folders.")] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", min=1, help="Show only the newest N.")
    ] = None,
    stat: Annotated[bool, typer.Option("--stat", help="Summarize the usage log.")] = False,
    export: Annotated[
        str | None,
        typer.Option("--export", metavar="CASES.jsonl|-", help="Export the usage log as cases for evaluate."),
    ] = None,
    json: opt.AsJson = False,
) -> int:
    """List recent writes in the current directory and below, newest first.

    The third column says whether "fastapply undo ID" can undo the write: "yes", "no" (the same lines
    changed since), or "undone" ("fastapply redo ID" redoes it).

    --stat and --export read the usage log, which also has refused calls. It is off by default; set
    keep_log = true in your configuration to turn it on. It never leaves this machine.
    """
    if stat or export is not None:
        if stat and export is not None:
            raise UsageError("--stat and --export cannot be used together")
        place = None if everywhere else file
        return show_sums(place, limit, json=json) if export is None else export_calls(place, limit, export)
    writes = list(islice(list_entries(None if everywhere else file), limit))
    if json:
        show_json({"schema": SCHEMA, "entries": [_object(write) for write in writes]})
        return 0
    if not writes:
        tell(_nothing(file, everywhere=everywhere))
        return 0
    rows = [row for write in writes for row in _rows(write)]
    colour = wants_colour(sys.stdout)
    for number, line in enumerate(columns([_TITLES, *rows] if colour else rows, right=_NUMBERS)):
        say(f"\x1b[1m{line}\x1b[0m" if colour and not number else line)
    return 0


def _nothing(file: str, *, everywhere: bool) -> str:
    if not load(file)["undo"]:
        return "no writes: undo is off in the configuration"
    if everywhere:
        return "no writes yet"
    where = "here" if file == "." else f"for {file}"
    return f"no writes {where}; fastapply log --all lists all folders"


def _time(write: ListedEntry) -> datetime:
    return datetime.fromtimestamp(write.entry.nanoseconds // 10**9, UTC).astimezone()


def _rows(write: ListedEntry) -> Iterator[Sequence[str]]:
    """A row for each file; only the first one says which write it is."""
    can = "undone" if write.entry.is_undone else "no" if write.changed else "yes"
    head = (f"{_time(write):%Y-%m-%d %H:%M:%S}", write.entry.name, can)
    for each, (added, removed) in zip(write.entry.files, _counts(write), strict=True):
        words = {"create": " (new)", "delete": " (deleted)", "update": ""}[_action(each)]
        changed = " (changed since)" if each.path in write.changed else ""
        name = f"{shown_path(each.path)}{words}{changed}"
        yield (*head, f"+{added}", f"-{removed}", each.format, each.method, name)
        head = ("", "", "")


def _object(write: ListedEntry) -> dict[str, Any]:
    return {
        "entry": write.entry.name,
        "time": _time(write).isoformat(),
        "undoable": not write.changed and not write.entry.is_undone,
        "undone": write.entry.is_undone,
        "changed": [shown_path(path) for path in write.changed],
        "files": [
            {
                "file": shown_path(each.path),
                "action": _action(each),
                "added": added,
                "removed": removed,
                "format": each.format or None,
                "method": each.method or None,
            }
            for each, (added, removed) in zip(write.entry.files, _counts(write), strict=True)
        ],
    }


def _action(each: EntryFile) -> str:
    """What the write did to a file."""
    return "delete" if each.new is None else "create" if each.old is None else "update"


def _counts(write: ListedEntry) -> list[tuple[int, int]]:
    """The lines that were added and removed, a file at a time; none of a file that is no text."""
    counts = []
    pairs: Sequence[tuple[bytes | None, bytes | None]] = ((None, None),) * len(write.entry.files)
    with suppress(FileTrouble):  # a damaged entry
        pairs = texts(write.entry)
    for old, new in pairs:
        try:
            before, after = (None if data is None else decode(data) for data in (old, new))
            counts.append(count_changes(Sides("", before, after)))
        except FileTrouble:
            counts.append((0, 0))
    return counts


def show_sums(place: str | None, limit: int | None, *, json: bool) -> int:
    """Count the calls for a place, in all and by what they have in common."""
    calls = list(islice(read_calls(place), limit))
    if json:
        groups = {name: _sums(calls, of) for name, of in _GROUPS.items()}
        show_json({"schema": SCHEMA, **_sum(calls), "by": groups})
        return 0
    if not calls:
        tell(_no_calls(place))
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
    from fastapply.evaluate.cases import line_of, open_text

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
        tell(_no_calls(place))
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


def _no_calls(place: str | None) -> str:
    if not load(".")["keep_log"]:
        return "no usage log; set keep_log = true in your configuration to keep one"
    if place is None:
        return "the usage log is empty"
    return "the usage log has no calls here; use --all for all folders"
