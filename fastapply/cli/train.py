"""`fastapply train`: apply models of one's own, and the way from a checkpoint to a GGUF file.

scratch DATA                   train a small one from nothing
lora BASE DATA --out DIR       tune a public model with LoRA, and write the merged checkpoint
export CHECKPOINT OUT.gguf     write it for llama.cpp, with tokenizer and prompt style
plot RUN... --out PNG          draw the logs of runs from nothing
check CHECKPOINT GGUF...       which share of its answers such a file gives byte for byte
certainty CASES... --out JSON  fit the weights that rank candidates of lazy edits
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from fastapply.cli.train_certainty import certainty
from fastapply.cli.train_plot import plot
from fastapply.cli.train_scratch import scratch
from fastapply.errors import FileTrouble, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapply.dataset.windows import Window
    from fastapply.llm.prompts import StyleName
    from fastapply.train.lossless import Loss

Style = Literal["kortix", "fastedit", "osmosis", "aixapply", "morph", "nano", "instruct"]
Kind = Literal["f32", "f16", "bf16", "q8_0", "q6_k", "q5_k", "q4_k"]
_SHOWN_FORKS = 5

_CHECKPOINT = Annotated[
    str, typer.Argument(metavar="CHECKPOINT", help="A folder in the layout of Hugging Face.")
]
_JSON = Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")]


def lora(  # noqa: PLR0917 - one parameter an option
    base: Annotated[str, typer.Argument(metavar="BASE", help="A checkpoint, or a name on the hub.")],
    data: Annotated[str, typer.Argument(metavar="DATA", help="Windows, one a line, as JSON.")],
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help="What it writes; a run that was stopped goes on.")
    ],
    style: Annotated[Style, typer.Option("--style", help="The prompt that it learns.")] = "kortix",
    validate: Annotated[
        str | None, typer.Option("--validate", metavar="JSONL", help="Windows to measure it on now and then.")
    ] = None,
    name: Annotated[str, typer.Option("--name", help="What the model is to be called.")] = "",
    rank: Annotated[int, typer.Option("--rank", min=1)] = 128,
    alpha: Annotated[int, typer.Option("--alpha", min=1)] = 32,
    learning_rate: Annotated[float, typer.Option("--learning-rate")] = 5e-5,
    epochs: Annotated[int, typer.Option("--epochs", min=1)] = 1,
    steps: Annotated[int | None, typer.Option("--steps", min=1, help="At most so many steps.")] = None,
    batch: Annotated[int, typer.Option("--batch", min=1, help="Samples a step.")] = 16,
    max_length: Annotated[
        int, typer.Option("--max-length", metavar="TOKENS", help="Longer samples are left out, and counted.")
    ] = 8192,
    recompute: Annotated[
        bool,
        typer.Option("--recompute/--no-recompute", help="Less memory, more time (gradient checkpoints)."),
    ] = True,
    dtype: Annotated[
        Literal["auto", "f32", "bf16"], typer.Option("--dtype", help="auto: bf16 on a GPU that has it.")
    ] = "auto",
    save_every: Annotated[int, typer.Option("--save-every", metavar="STEPS", min=1)] = 100,
    seed: Annotated[int, typer.Option("--seed")] = 1,
    json: _JSON = False,
) -> int:
    """Tune a public model on windows with LoRA, and write the merged checkpoint to DIR/merged."""
    from fastapply.cli.output import say, tell
    from fastapply.train.lora import Recipe, tune

    recipe = Recipe(
        style=style,
        rank=rank,
        alpha=alpha,
        learning_rate=learning_rate,
        epochs=epochs,
        steps=steps,
        batch=batch,
        max_length=max_length,
        recompute=recompute,
        dtype=dtype,
        save_every=save_every,
        seed=seed,
    )
    held = Path(validate) if validate else None
    tuned = tune(base, Path(data), Path(out), recipe, validation=held, name=name, watch=_tell_step)
    if json:
        told = {"merged": str(tuned.merged), "steps": tuned.steps, "samples": tuned.samples}
        scores = {"last": tuned.last, "validation": tuned.validation}
        _show(
            {
                **told,
                "left_out": tuned.left_out,
                **{key: one and one.to_object() for key, one in scores.items()},
            }
        )
        return 0
    for why, count in sorted(tuned.left_out.items()):
        tell(f"note: {count} samples left out: {why}")
    say(f"{tuned.merged}: {tuned.steps} steps on {tuned.samples} samples")
    if tuned.validation is not None:
        say(
            f"validation: {tuned.validation.bits:.4f} bits a byte, "
            f"next token right {tuned.validation.right:.2%}"
        )
    return 0


def export(
    checkpoint: _CHECKPOINT,
    out: Annotated[str, typer.Argument(metavar="OUT.gguf", help="The file to write.")],
    quantise: Annotated[
        Kind, typer.Option("--quantise", help="Floats as they are, or llama.cpp's quantiser.")
    ] = "q8_0",
    style: Annotated[
        Style | None, typer.Option("--style", help="Its prompt, where no card beside it says so.")
    ] = None,
    json: _JSON = False,
) -> int:
    """Write a checkpoint as a GGUF file for llama.cpp, with its tokenizer and its prompt style."""
    from fastapply.cli.output import say, tell
    from fastapply.train.export import export as write

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
    files: Annotated[list[str], typer.Argument(metavar="GGUF...", help="Files that were made of it.")],
    data: Annotated[
        str, typer.Option("--data", metavar="JSONL", help="Windows that were not trained on.")
    ] = "",
    most: Annotated[int, typer.Option("--most", metavar="N", help="Of them at most so many.")] = 200,
    style: Annotated[
        Style | None, typer.Option("--style", help="The prompt; else that of the checkpoint's card.")
    ] = None,
    threads: Annotated[int | None, typer.Option("--threads", metavar="N")] = None,
    json: _JSON = False,
) -> int:
    """Tell which share of answers a file gives byte for byte as its checkpoint does in torch, greedily."""
    from fastapply.cli.output import say
    from fastapply.train.lossless import check as compare

    windows = _windows(data, most)
    folder = Path(checkpoint)
    losses = compare(
        folder, [Path(file) for file in files], windows, style or _style_of(folder), threads=threads
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
}


def _tell_step(line: dict[str, Any]) -> None:
    """A line of the log, for people who wait."""
    from fastapply.cli.output import tell

    if "validation" in line:
        tell(f"step {line['step']}: validation {line['validation']['bits_per_byte']:.4f} bits a byte")
    else:
        speed = line["tokens"] / max(line["seconds"], 1e-9)
        tell(
            f"step {line['step']}: loss {line['loss']:.4f}, {line['bits_per_byte']:.4f} bits a byte, "
            f"{speed:.0f} tokens/s"
        )


def _style_of(folder: Path) -> StyleName:
    """The style that the card of a checkpoint names. Raises `UsageError` where it names none."""
    from fastapply.train.checkpoint import read_card

    style = read_card(folder).style
    if style is None:
        raise UsageError(f"nothing in {folder} says its prompt style", hint="name it with --style")
    return style


def _windows(data: str, most: int) -> list[Window]:
    """The first windows of a file."""
    from itertools import islice

    from fastapply.dataset.windows import read_windows

    if not data:
        raise UsageError(
            "there is nothing to ask", hint="--data FILE, windows as `dataset build` writes them"
        )
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
    from fastapply.cli.report import show_json

    show_json({"schema": 1, **value})
