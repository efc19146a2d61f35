"""`fastapply train scratch`: a small model from nothing, on windows of `fastapply dataset`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path  # noqa: TC003 - Typer reads it at run time
from typing import Annotated

import typer

from fastapply.errors import FileTrouble, UsageError


def scratch(  # noqa: PLR0917 - Typer calls it by name
    data: Annotated[Path, typer.Argument(metavar="DATA", help="A folder with train.jsonl and valid.jsonl.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="The run folder. Default: in the cache folder."),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option("--start", metavar="RUN", help="Start from the model of another run."),
    ] = None,
    tokens: Annotated[float, typer.Option("--tokens", min=0.001, help="Training tokens, in millions.")] = 30,
    vocabulary: Annotated[int, typer.Option("--vocabulary", min=300, help="Vocabulary size.")] = 4096,
    layers: Annotated[int, typer.Option("--layers", min=1, help="Number of layers.")] = 4,
    width: Annotated[int, typer.Option("--width", min=2, help="Layer width.")] = 256,
    inner: Annotated[int, typer.Option("--inner", min=1, help="Feed-forward width.")] = 704,
    heads: Annotated[int, typer.Option("--heads", min=1, help="Attention heads per layer.")] = 4,
    batch: Annotated[
        int, typer.Option("--batch", min=16, help="Tokens per step. Longer samples are skipped.")
    ] = 4096,
    rate: Annotated[float, typer.Option("--rate", help="Peak learning rate.")] = 2e-3,
    seed: Annotated[int, typer.Option("--seed", help="Random seed.")] = 1,
    threads: Annotated[
        int, typer.Option("--threads", min=0, help="CPU threads; 0 means the torch default.")
    ] = 0,
    device: Annotated[str, typer.Option("--device", help="cpu or cuda.")] = "cpu",
    compiled: Annotated[bool, typer.Option("--compile/--no-compile", help="Use torch.compile.")] = True,
) -> int:
    """Train a small model from scratch. A stopped run resumes.

    The run folder gets the tokenizer, the model, log.jsonl and log.png.
    """
    from fastapply_lab.train import demand

    demand("torch", "tokenizers", "safetensors", "numpy")
    from fastapply.folders import cache_folder
    from fastapply.terminal.output import say
    from fastapply_lab.train.decoder import Shape
    from fastapply_lab.train.plan import Plan
    from fastapply_lab.train.prepare import prepare, take_start
    from fastapply_lab.train.scratch import Run, set_threads

    if width % (2 * heads):
        raise UsageError(f"--width {width} is not a multiple of twice the {heads} heads")
    for name in ("train.jsonl", "valid.jsonl"):
        if not (data / name).is_file():
            raise FileTrouble(
                f"{data} has no {name}", reason="missing", hint="create it with fastapply dataset windows"
            )
    set_threads(threads)
    if start:
        if not out:
            raise UsageError("--start needs a different run folder", hint="--out DIR")
        shape = take_start(start, out)
    else:
        shape = Shape(layers, width, inner, heads, heads, vocabulary, context=max(4096, batch))
    folder = out or cache_folder() / "train" / f"nano-{layers}x{width}"
    train, valid = prepare(data, folder, shape.vocabulary, say)
    plan = Plan(tokens=int(tokens * 1_000_000), batch=batch, rate=rate, seed=seed)
    if start:
        plan = replace(plan, growing=0.0)
    Run(folder, shape, plan, device=device, start=start).train(train, valid, say, compiled=compiled)
    say(f"the model is in {folder}")
    return 0
