"""`fastapply bench [FILE EDIT]`: how fast an apply model decodes here, and how near that is to the limit."""

from __future__ import annotations

import json as json_module
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fastapply.cli import options as opt  # noqa: TC001 - Typer reads the annotations
from fastapply.cli.exits import INTERRUPTED
from fastapply.errors import FileTrouble, ModelTrouble, UsageError
from fastapply.jobs.request import ModelRequest, model_settings
from fastapply.models.opening import INSTALL
from fastapply.models.store import chosen_model, resolve
from fastapply.models.worker.messages import read_error
from fastapply.pipeline.picks import no_model
from fastapply.terminal.output import show_json, tell
from fastapply.values import fields_of

if TYPE_CHECKING:
    from collections.abc import Callable

_GRACE_SECONDS = 10.0


def command(  # noqa: PLR0917 - one parameter an option
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="A file to edit; requires EDIT.")
    ] = None,
    edit: Annotated[
        str | None, typer.Argument(metavar="[EDIT]", help="A file with the edit of FILE.")
    ] = None,
    model: opt.ModelName = None,
    style: Annotated[
        str | None,
        typer.Option("--style", help="The prompt style, if the model file does not name it."),
    ] = None,
    adapter: Annotated[
        str | None,
        typer.Option("--adapter", metavar="PATH", help="A GGUF LoRA adapter for --model."),
    ] = None,
    cases: Annotated[
        str | None,
        typer.Option("--cases", metavar="JSONL", help='JSON lines with "original", "edit" and "merged".'),
    ] = None,
    most: Annotated[int, typer.Option("--most", metavar="N", help="Maximum number of cases.")] = 40,
    region: Annotated[
        bool, typer.Option("--region", help="Rewrite only the unclear part, as apply does.")
    ] = False,
    rounds: Annotated[
        int, typer.Option("--rounds", metavar="N", help="Number of rounds; the best one counts.")
    ] = 2,
    threads: opt.Threads = None,
    gpu_layers: opt.GpuLayers = None,
    json: opt.AsJson = False,
) -> int:
    """Benchmark a model: its decoding speed and the limit of this machine.

    The limit is the time to evaluate the same output in batches of 256 tokens. Without FILE and --cases,
    edits of fastapply's own code are used. Ctrl-C stops and shows the results.
    """
    if (file is None) != (edit is None):
        raise UsageError("give both FILE and EDIT, or neither")
    given = {
        **_model(model, style, adapter),
        "settings": model_settings(ModelRequest(model, False, None, gpu_layers, threads, None)),
        "cases": _cases(file, edit, cases, most),
        "full_file": not region,
        "rounds": max(1, rounds),
    }
    rows, summary = _run(given, quiet=json)
    if json:
        show_json({"schema": 1, **summary, "cases": rows})
    else:
        from fastapply.terminal.view import show_bench

        show_bench(rows, summary)
    return 0 if summary["complete"] else INTERRUPTED


def _model(name: str | None, style: str | None, adapter: str | None) -> dict[str, Any]:
    """The model to measure. Raises `ModelTrouble` (``no_model``) without one."""
    if find_spec("llama_cpp") is None:
        raise ModelTrouble("llama-cpp-python is not installed", reason="no_model", hint=INSTALL)
    if adapter is not None and name is None:
        raise UsageError("--adapter requires --model PATH")
    on_it = Path(adapter) if adapter else None
    chosen = resolve(name, style, adapter=on_it) if name is not None else chosen_model()
    if chosen is None:
        raise no_model("no model is selected", "use --model PATH")
    return {
        "model": str(chosen.path),
        "adapter": str(chosen.adapter) if chosen.adapter else None,
        "name": chosen.name,
        "style": chosen.style,
    }


def _cases(file: str | None, edit: str | None, cases: str | None, most: int) -> list[dict[str, Any]]:
    from fastapply.bench.cases import BenchCase, read_cases

    if cases is not None:
        return [fields_of(case) for case in read_cases(Path(cases), most)]
    if file is None or edit is None:
        return []
    try:
        original, text = Path(file).read_text(encoding="utf-8"), Path(edit).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise FileTrouble(f"cannot read {file} or {edit}: {error}", reason="unreadable") from None
    return [fields_of(BenchCase(file, file, original, text))]


def _run(given: dict[str, Any], *, quiet: bool) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Run the benchmark in a process of its own; where it is interrupted, what it came to by then.

    Raises `ModelTrouble` where it ends early by itself, `KeyboardInterrupt` where nothing is measured yet.
    """
    rows: list[dict[str, Any]] = []
    summary: dict[str, Any] = {}
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "fastapply.bench", json_module.dumps(given)],
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    try:
        for line in process.stdout or ():
            _take(json_module.loads(line), rows, summary, None if quiet else tell)
    except KeyboardInterrupt:  # which a terminal sends to both processes
        if not summary:
            raise
        return rows, summary
    finally:
        _end(process)
    if not summary.get("complete"):
        raise ModelTrouble(
            f"the benchmark's process ended with status {process.returncode}",
            reason="crashed",
            hint="run fastapply doctor to test the model",
        )
    return rows, summary


def _end(process: subprocess.Popen[str]) -> None:
    """Wait until it has ended what it began; not for long."""
    try:
        process.wait(timeout=_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.terminate()
        process.wait()


def _take(
    told: dict[str, Any],
    rows: list[dict[str, Any]],
    summary: dict[str, Any],
    tell: Callable[[str], None] | None,
) -> None:
    """Take one line of the benchmark's process. Raises the error that it tells of."""
    if "error" in told:
        raise read_error(told["error"])
    summary.update(told.get("summary", ()))
    if "row" in told:
        rows.append(told["row"])
        told["note"] = f"{told['row']['case']}: {told['row']['share_of_limit']:.2f} of the limit"
    if tell is not None and "note" in told:
        tell(told["note"])
