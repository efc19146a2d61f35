"""`fastapply batch [LINES|-]`: many edits in one run, as JSON lines."""

import contextlib
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Annotated

import typer

from fastapply.batch.ledger import Ledger, alone_with
from fastapply.batch.schedule import Batch
from fastapply.batch.work import Setup
from fastapply.cli import options as opt
from fastapply.cli.exits import INTERRUPTED, cores, stopped_by_interrupt
from fastapply.cli.run import request_from
from fastapply.errors import FileTrouble, UsageError
from fastapply.jobs.request import configured, make_job
from fastapply.terminal.colours import wants_colour
from fastapply.terminal.output import show_json, tell
from fastapply.values import replace


def command(  # noqa: PLR0917 - one parameter an option
    lines: Annotated[
        str | None,
        typer.Argument(metavar="[LINES|-]", help="A file of JSON lines. Default: standard input."),
    ] = None,
    root: opt.Root = ".",
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", metavar="N", min=1, help="Number of processes. Default: one per core."),
    ] = None,
    ledger: Annotated[
        str | None,
        typer.Option("--ledger", metavar="PATH", help="Record finished lines, to resume from PATH."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", "-n", help="Show the results without writing.")
    ] = False,
    stop_on_error: Annotated[
        bool, typer.Option("--stop-on-error", help="Stop after the first failure.")
    ] = False,
    engine: opt.EngineName = None,
    stage: opt.Stage = None,
    require_clean: opt.RequireClean = None,
    backup: opt.Backup = None,
    allow: opt.Allow = None,
    min_certainty: opt.MinCertainty = None,
    undo: opt.Undo = None,
    keep_log: Annotated[
        bool | None,
        typer.Option("--keep-log/--no-keep-log", help="Record these calls in the usage log. Off by default."),
    ] = None,
    quiet: Annotated[
        bool | None, typer.Option("--quiet/--no-quiet", "-q", help="Print no progress and no summary.")
    ] = None,
) -> int:
    """Apply many edits, given as JSON lines.

    Each line has "file" and "edit". Optional keys: "id", "instructions", "format", "at", "where", "pick",
    "allow" and "create". Each result is one JSON line. The exit status is the highest of all lines.

    With --ledger, an interrupted run resumes where it stopped.
    """
    if dry_run and ledger is not None:
        raise UsageError("--dry-run and --ledger cannot be used together")
    request = request_from(locals())
    warnings: list[str] = []
    general = configured(request, root, warnings.append)
    make_job(general)  # complains about --allow before anything is read
    if not os.path.isdir(root):  # noqa: PTH112 - a name with a NUL is none
        raise UsageError(f"--root {root} is not a folder")
    with contextlib.ExitStack() as open_things:
        rows = open_things.enter_context(_open(lines))
        kept: Ledger | None = None
        if ledger is not None:
            open_things.enter_context(alone_with(ledger))
            kept = open_things.enter_context(contextlib.closing(Ledger(ledger)))
            kept.wait_for_others()
        # One process loads the model, this one: where each edit needs it, others have nothing to do
        number = 1 if general.engine == "model" else jobs or cores()
        leaves_open = number > 1 and general.engine == "auto" and find_spec("llama_cpp") is not None
        own = replace(request, engine="deterministic" if leaves_open else general.engine)
        batch = Batch(Setup(own, root, ledger, leaves_open), number, kept)
        tell_once = _teller()
        tell_once(warnings)
        status = 0
        counts: Counter[str] = Counter()
        with contextlib.ExitStack() as stack:
            progress: Callable[[int, int], None] | None = None
            # Where the results themselves run over the screen, a bar below them is only in the way
            if wants_colour(sys.stderr) and not wants_colour(sys.stdout) and not general.quiet:
                from fastapply.terminal.view import show_progress

                progress = stack.enter_context(show_progress())
            interrupted = stack.enter_context(stopped_by_interrupt(batch.stop))
            for done in batch.run(rows):
                show_json(done.object)
                status = max(status, done.status)
                counts[done.object["status"]] += 1
                tell_once(done.warnings)
                if progress is not None:
                    progress(batch.finished, batch.read)
                if done.status and stop_on_error:
                    batch.stop()
        if not general.quiet:
            tell(_summary(batch, counts, dry_run=dry_run))
        return INTERRUPTED if interrupted else status


def _teller() -> Callable[[Iterable[str]], None]:
    """Make what tells warnings, each of them once: a project's are the same for all of its files."""
    told: set[str] = set()

    def tell_once(warnings: Iterable[str]) -> None:
        for warning in warnings:
            if warning not in told:
                told.add(warning)
                tell(f"warning: {warning}")

    return tell_once


def _summary(batch: Batch, counts: Counter[str], *, dry_run: bool) -> str:
    words = {
        "applied": "would apply" if dry_run else "applied",
        "unchanged": "unchanged",
        "refused": "refused",
        "error": "failed",
    }
    said = [f"{counts[name]} {word}" for name, word in words.items() if counts[name]]
    if batch.read > batch.finished:
        said.append(f"{batch.read - batch.finished} not tried")
    return f"{batch.read} {'edit' if batch.read == 1 else 'edits'}: {', '.join(said) or 'nothing to do'}"


@contextlib.contextmanager
def _open(lines: str | None) -> Iterator[Iterable[bytes]]:
    if lines is None or lines == "-":
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError(
                "no edits: standard input is a terminal",
                hint="give a file of JSON lines or pipe them in: fastapply batch < edits.jsonl",
            )
        yield _rows(sys.stdin.buffer)
        return
    try:
        opened = Path(lines).open("rb")  # noqa: SIM115 - closed below
    except FileNotFoundError:
        raise FileTrouble(f"the edits {lines} do not exist", reason="missing") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise FileTrouble(f"cannot read the edits {lines}: {why}", reason="unreadable") from None
    with opened:
        yield _rows(opened)


def _rows(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines of a stream, read without its lock: Python dies at exit where a thread waits inside of it."""
    try:
        descriptor = stream.fileno()
    except OSError:  # no file behind it
        yield from stream
        return
    rest = b""
    while data := os.read(descriptor, 1 << 16):
        *rows, rest = (rest + data).split(b"\n")
        yield from rows
    if rest:
        yield rest
