"""`fastapply apply FILE [EDIT|-]`: one edit into one file, or a refusal."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from fastapply.cli.report import Report, as_json, failure, say, say_failure
from fastapply.errors import FastapplyError, FileTrouble, UsageError

if TYPE_CHECKING:
    from fastapply.files import FileState, Held
    from fastapply.pipeline import Merged, Options

FormatOption = Literal["lazy", "search_replace", "udiff", "v4a", "str_replace", "whole", "mixed"]
EngineOption = Literal["auto", "deterministic", "model"]

EPILOG = "An edit that was already applied leaves the file alone and exits with 0; a refusal exits with 1."


@dataclass(frozen=True, slots=True)
class Request:
    """What one run of ``apply`` was asked to do."""

    file: Path
    edit: str | None
    options: Options
    output: str | None
    preview: bool  # --dry-run or --check: nothing is written
    stage: bool
    require_clean: bool
    backup: bool
    wants_diff: bool


@dataclass(frozen=True, slots=True)
class Done:
    """The end of a run: its report, and what goes to standard output besides."""

    report: Report
    encoding: str = "utf-8"
    result: bytes | None = None  # for --output -
    warnings: tuple[str, ...] = ()


def command(
    file: Annotated[Path, typer.Argument(help="The file to edit.")],
    edit: Annotated[str | None, typer.Argument(help="The edit; '-' or nothing: standard input.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Show a diff, write nothing.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Would it apply? Write and show nothing.")] = False,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="PATH|-", help="Write the result there, leave FILE alone."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
    instructions: Annotated[
        str, typer.Option("--instructions", "-i", help="The line that the model sent along; may decide.")
    ] = "",
    format_name: Annotated[FormatOption | None, typer.Option("--format", help="Skip detection.")] = None,
    engine: Annotated[EngineOption, typer.Option("--engine", help="Who decides.")] = "auto",
    at: Annotated[
        str | None, typer.Option("--at", metavar="LINES", help="Answer a refusal: the place, as 41-47.")
    ] = None,
    pick: Annotated[
        list[int] | None,
        typer.Option("--pick", metavar="N", help="Answer a refusal: its candidate N. Repeatable."),
    ] = None,
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", metavar="CODE", help="Accept this finding of the verifier. Repeatable."),
    ] = None,
    create: Annotated[bool, typer.Option("--create", help="A whole file may create FILE.")] = False,
    stage: Annotated[bool, typer.Option("--stage", help="git add what was written.")] = False,
    require_clean: Annotated[
        bool, typer.Option("--require-clean", help="Refuse a file with uncommitted changes.")
    ] = False,
    backup: Annotated[bool, typer.Option("--backup", help="Keep the old text as FILE~.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing on success.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Say how the merge was made.")] = False,
) -> None:
    """Run the command."""
    from fastapply.cli.request import check_codes, parse_lines
    from fastapply.pipeline import Options

    started = time.perf_counter()
    try:
        if json and output == "-":
            raise UsageError("--json and --output - both want standard output")
        if output is not None and (dry_run or check):
            raise UsageError("--output writes, --dry-run and --check do not")
        options = Options(
            instructions=instructions,
            format_name=format_name,
            engine=engine,
            allow=check_codes(allow or []),
            at=parse_lines(at),
            picks=tuple(pick or ()),
            create=create,
        )
        wants_diff = json or (dry_run and not check)
        preview = dry_run or check
        done = run(
            Request(file, edit, options, output, preview, stage, require_clean, backup, wants_diff)
        )
    except FastapplyError as error:
        done = Done(failure(error, 0.0, file=str(file)))
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    report = replace(done.report, seconds=time.perf_counter() - started)
    _tell(done, report, json=json, diff=dry_run and not check, quiet=quiet, verbose=verbose)
    raise typer.Exit(report.exit_status)


def run(request: Request) -> Done:
    """Read, merge, write. Raises all of `errors`."""
    from fastapply import files
    from fastapply.cli.request import read_edit_text

    edit = read_edit_text(request.edit)
    if request.require_clean:
        from fastapply.git import require_clean

        require_clean(request.file)
    with ExitStack() as stack:
        warnings: tuple[str, ...] = ()
        held: Held | None = None
        target = Path(request.output) if request.output else request.file
        if not request.preview and request.output != "-":
            warnings = files.recover(request.file)
            held = stack.enter_context(files.locked(request.file, *([target] if request.output else [])))
        state = _read(request.file)
        merged = _merge(request, state, edit)
        data = _encoded(merged)
        if request.stage and held is not None:
            from fastapply.git import require_stageable

            require_stageable([target])
        written = _write(request, state, merged, data, held)
        if written is not None:
            warnings += written.warnings
            if request.stage:
                from fastapply.git import stage

                stage([target])
    report = _report(request, state, merged, written=written is not None)
    result = data if request.output == "-" else None
    return Done(report, merged.text.encoding, result, warnings)


def _read(file: Path) -> FileState | None:
    from fastapply import files

    try:
        return files.read(file)
    except FileTrouble as trouble:
        if trouble.reason == "missing" and not file.is_symlink():
            return None
        raise


def _merge(request: Request, state: FileState | None, edit: str) -> Merged:
    from fastapply.api import apply_to_text

    return apply_to_text(state and state.source, edit, path=str(request.file), options=request.options)


def _encoded(merged: Merged) -> bytes:
    from fastapply.text import encode

    return encode(merged.text)


def _write(
    request: Request, state: FileState | None, merged: Merged, data: bytes, held: Held | None
) -> files.Written | None:  # type: ignore[name-defined]
    """Write what has to be written; None where nothing was."""
    from fastapply import files

    if held is None:
        return None
    if request.output:
        return files.save(Path(request.output).absolute(), data, held)
    if state is None:
        return files.create(request.file.absolute(), data, held, mode=merged.mode)
    if merged.unchanged and _mode_stays(state, merged):
        return None
    return files.write(state, data, held, mode=merged.mode, backup=request.backup)


def _mode_stays(state: FileState | None, merged: Merged) -> bool:
    return state is None or merged.mode is None or bool(merged.mode & 0o100) == bool(state.mode & 0o100)


def _report(request: Request, state: FileState | None, merged: Merged, *, written: bool) -> Report:
    from fastapply.diff import FileDiff, count_changes, render_diff

    old = state and state.source
    unchanged = merged.unchanged and _mode_stays(state, merged)
    added, removed = (0, 0) if unchanged else count_changes(old, merged.text)
    diff = ""
    if request.wants_diff and not unchanged:
        from fastapply.cli.request import name_in_diff

        old_mode = 0o100755 if state and state.mode & 0o100 else 0o100644
        file_diff = FileDiff(name_in_diff(request.file), old, merged.text, None, old_mode, _git_mode(merged.mode))
        diff = render_diff(file_diff)
    return Report(
        "unchanged" if unchanged else "applied",
        written=written,
        file=str(request.file),
        format=merged.format,
        method=merged.method,
        added=added,
        removed=removed,
        findings=merged.accepted,
        diff=diff,
        notes=_notes(old, merged),
    )


def _git_mode(mode: int | None) -> int | None:
    return None if mode is None else 0o100755 if mode & 0o100 else 0o100644


def _notes(old: object, merged: Merged) -> tuple[str, ...]:
    """For --verbose: how each part was put in, and what was allowed."""
    del old
    tiers = [f"part {number}: {method}" for number, method in enumerate(merged.methods, 1)]
    return (f"format {merged.format}", *tiers, *(f"allowed {one.code}: {one.message}" for one in merged.accepted))


def _tell(done: Done, report: Report, *, json: bool, diff: bool, quiet: bool, verbose: bool) -> None:
    """Results on standard output, all else on standard error."""
    for warning in () if quiet else done.warnings:
        say(f"fastapply: warning: {warning}")
    if report.status in {"refused", "error"}:
        say_failure(report)
    elif not quiet:
        say(f"fastapply: {report.file}: {_summary(report)}")
    if verbose:
        for note in report.notes:
            say(f"  {note}")
    if json:
        typer.echo(as_json(report), nl=False)
    elif diff or done.result is not None:
        from fastapply.view import write_bytes, write_diff

        if done.result is not None:
            write_bytes(done.result)
        else:
            write_diff(report.diff, encoding=done.encoding)


def _summary(report: Report) -> str:
    if report.status == "unchanged":
        return "unchanged, the edit is in the file already"
    done = "applied" if report.written else "would apply"
    return f"{done} (+{report.added} -{report.removed}, {report.format}, {report.method})"
