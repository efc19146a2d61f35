"""`fastapply train`: apply models of one's own, and the way from a checkpoint to a GGUF file.

scratch DATA                   train a small one from nothing
lora BASE DATA --out DIR       tune a public model, or a GGUF file, with LoRA
export CHECKPOINT OUT.gguf     write it for llama.cpp; of a run of `lora`, its adapter
plot RUN... --out PNG          draw the logs of runs
check CHECKPOINT GGUF...       which share of its answers such a file gives byte for byte
certainty CASES... --out JSON  fit the weights that rank candidates of lazy edits
trust CASES... --out JSONL     fit when what a model writes may be believed
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from fastapply.errors import FileTrouble, UsageError
from fastapply_lab.cli.train.certainty import certainty
from fastapply_lab.cli.train.lora import lora
from fastapply_lab.cli.train.plot import plot
from fastapply_lab.cli.train.scratch import scratch
from fastapply_lab.cli.train.style import Style  # noqa: TC001 - Typer looks it up
from fastapply_lab.cli.train.trust import trust

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapply.models.prompts import StyleName
    from fastapply_lab.data.windows import Window
    from fastapply_lab.train.lossless import Loss

Kind = Literal["f32", "f16", "bf16", "q8_0", "q6_k", "q5_k", "q4_k"]
_SHOWN_FORKS = 5

_CHECKPOINT = Annotated[
    str, typer.Argument(metavar="CHECKPOINT", help="A checkpoint folder in Hugging Face format.")
]
_JSON = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def export(
    checkpoint: _CHECKPOINT,
    out: Annotated[str, typer.Argument(metavar="OUT.gguf", help="The file to write.")],
    quantise: Annotated[Kind, typer.Option("--quantise", help="The output type.")] = "q8_0",
    style: Annotated[
        Style | None, typer.Option("--style", help="The prompt style. Default: from the checkpoint.")
    ] = None,
    json: _JSON = False,
) -> int:
    """Export a checkpoint as a GGUF file for llama.cpp."""
    from fastapply.terminal.output import say, tell
    from fastapply_lab.train.export import export as write

    written = write(Path(checkpoint), Path(out), quantise, style=style)
    if json:
        _show({"path": out, "bytes": written.bytes, "tensors": written.tensors, "notes": list(written.notes)})
        return 0
    kinds = ", ".join(f"{count} {name}" for name, count in written.tensors.items())
    say(f"{out}: {written.bytes / 1e6:.1f} MB, tensors: {kinds}")
    for note in written.notes:
        tell(f"note: {note}")
    return 0


def check(  # noqa: PLR0917 - one parameter an option
    checkpoint: _CHECKPOINT,
    files: Annotated[list[str], typer.Argument(metavar="GGUF...", help="GGUF files exported from it.")],
    data: Annotated[str, typer.Option("--data", metavar="JSONL", help="Windows not used for training.")] = "",
    adapter: Annotated[
        str | None,
        typer.Option(
            "--adapter", metavar="GGUF", help="The exported adapter of a LoRA run; GGUF is its base."
        ),
    ] = None,
    most: Annotated[int, typer.Option("--most", metavar="N", help="Maximum number of windows.")] = 200,
    style: Annotated[
        Style | None, typer.Option("--style", help="The prompt style. Default: from the checkpoint.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", metavar="N", help="CPU threads. Default: one per core.")
    ] = None,
    json: _JSON = False,
) -> int:
    """Compare the answers of an exported file with those of its checkpoint."""
    from fastapply.terminal.output import say
    from fastapply_lab.train.lossless import check as compare

    windows = _windows(data, most)
    folder = Path(checkpoint)
    losses = compare(
        folder,
        [Path(file) for file in files],
        windows,
        style or _style_of(folder),
        adapter=Path(adapter) if adapter else None,
        threads=threads,
    )
    if json:
        _show({"files": [_object(loss) for loss in losses]})
        return 0
    for loss in losses:
        say(
            f"{loss.path.name}: {loss.equal} of {loss.answers} answers byte-identical ({loss.share:.1%}), "
            f"{loss.right} right, {loss.endless} without an end, {loss.too_long} too long; "
            f"tokens differ in {len(loss.tokenised_otherwise)} of {loss.texts} texts"
        )
        for fork in sorted(loss.forks, key=lambda one: -one.margin)[:_SHOWN_FORKS]:
            say(f"  {fork.id}: parts at token {fork.position} of {fork.tokens}, margin {fork.margin:.3g}")
    return 0


COMMANDS: dict[str, Callable[..., int]] = {
    "scratch": scratch,
    "plot": plot,
    "lora": lora,
    "export": export,
    "check": check,
    "certainty": certainty,
    "trust": trust,
}


def _style_of(folder: Path) -> StyleName:
    """The style that the card of a checkpoint names. Raises `UsageError` where it names none."""
    from fastapply_lab.train.checkpoint import read_card
    from fastapply_lab.train.export_adapter import adapter_folder

    style = read_card(adapter_folder(folder) or folder).style
    if style is None:
        raise UsageError(f"the prompt style of {folder} is unknown", hint="use --style")
    return style


def _windows(data: str, most: int) -> list[Window]:
    """The first windows of a file."""
    from itertools import islice

    from fastapply_lab.data.windows import read_windows

    if not data:
        raise UsageError("no data given", hint="use --data FILE with windows from `dataset windows`")
    try:
        return list(islice(read_windows(Path(data)), most))
    except OSError as error:
        raise FileTrouble(f"cannot read {data}: {error.strerror or error}", reason="unreadable") from None
    except (ValueError, TypeError):
        raise FileTrouble(f"{data} holds no windows", reason="unreadable") from None


def _object(loss: Loss) -> dict[str, Any]:
    from dataclasses import asdict

    return {**asdict(loss), "path": str(loss.path), "share": loss.share}


def _show(value: dict[str, Any]) -> None:
    from fastapply.terminal.output import show_json

    show_json({"schema": 1, **value})
