"""`fastapply train lora`: tuning a public model, with progress for who waits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from fastapply_lab.cli.train.style import Style  # noqa: TC001 - Typer looks it up

if TYPE_CHECKING:
    from fastapply_lab.train.recipe import Tuned


def lora(  # noqa: PLR0917 - one parameter an option
    base: Annotated[
        str, typer.Argument(metavar="BASE", help="A checkpoint, a GGUF file, or a model name on the hub.")
    ],
    data: Annotated[str, typer.Argument(metavar="DATA", help="Training windows, as JSON lines.")],
    out: Annotated[str, typer.Option("--out", metavar="RUN", help="The run folder. A stopped run resumes.")],
    style: Annotated[Style, typer.Option("--style", help="The prompt style to train.")] = "instruct",
    adapter: Annotated[
        str | None,
        typer.Option("--adapter", metavar="DIR", help="Start from this run or adapter."),
    ] = None,
    validate: Annotated[
        str | None,
        typer.Option("--validate", metavar="JSONL", help="Validation windows, from other repositories."),
    ] = None,
    name: Annotated[str, typer.Option("--name", help="The model name.")] = "",
    rank: Annotated[int, typer.Option("--rank", min=1, help="Adapter rank.")] = 16,
    alpha: Annotated[int, typer.Option("--alpha", min=1, help="Adapter scale: alpha / rank.")] = 32,
    learning_rate: Annotated[float, typer.Option("--learning-rate", help="Peak learning rate.")] = 2e-4,
    epochs: Annotated[int, typer.Option("--epochs", min=1, help="Number of passes over the data.")] = 1,
    steps: Annotated[int | None, typer.Option("--steps", min=1, help="Maximum number of steps.")] = None,
    minutes: Annotated[
        float | None,
        typer.Option("--minutes", metavar="N", help="Time limit. The learning rate decays accordingly."),
    ] = None,
    batch: Annotated[int, typer.Option("--batch", min=1, help="Samples per step.")] = 4,
    max_length: Annotated[
        int, typer.Option("--max-length", metavar="TOKENS", help="Skip longer samples.")
    ] = 1024,
    recompute: Annotated[
        bool,
        typer.Option(
            "--recompute/--no-recompute", help="Use gradient checkpointing: less memory, more time."
        ),
    ] = True,
    dtype: Annotated[
        Literal["bf16", "f32"], typer.Option("--dtype", help="Data type of the frozen base.")
    ] = "bf16",
    save_minutes: Annotated[
        float, typer.Option("--save-minutes", metavar="N", help="Minutes between checkpoints.")
    ] = 5.0,
    check_every: Annotated[
        int, typer.Option("--check-every", metavar="STEPS", min=1, help="Steps between validations.")
    ] = 50,
    check_samples: Annotated[
        int, typer.Option("--check-samples", metavar="N", min=1, help="Number of windows per validation.")
    ] = 40,
    threads: Annotated[
        int, typer.Option("--threads", metavar="N", min=0, help="CPU threads; 0 means one per core.")
    ] = 0,
    seed: Annotated[int, typer.Option("--seed", help="Random seed.")] = 1,
    merge: Annotated[
        bool, typer.Option("--merge", help="Also write the merged checkpoint to RUN/merged.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Fine-tune a model with LoRA. The adapter goes to RUN/adapter.

    Ctrl-C stops and keeps the progress. Run the same command again to resume.
    """
    from fastapply.terminal.output import tell
    from fastapply_lab.train import demand

    demand("torch", "transformers", "tokenizers", "safetensors")
    from fastapply_lab.train.lora import tune
    from fastapply_lab.train.recipe import Recipe
    from fastapply_lab.train.scratch import set_threads

    recipe = Recipe(
        style=style,
        rank=rank,
        alpha=alpha,
        learning_rate=learning_rate,
        epochs=epochs,
        steps=steps,
        minutes=minutes,
        batch=batch,
        max_length=max_length,
        recompute=recompute,
        dtype=dtype,
        save_minutes=save_minutes,
        check_every=check_every,
        check_samples=check_samples,
        seed=seed,
    )
    set_threads(threads)
    tuned = tune(
        base,
        Path(data),
        Path(out),
        recipe,
        start=Path(adapter) if adapter else None,
        validation=Path(validate) if validate else None,
        name=name,
        merge=merge,
        tell=tell,
        watch=_Progress().tell,
    )
    _show(tuned, json=json)
    return 0


class _Progress:
    """Lines of the log, for people who wait."""

    def __init__(self) -> None:
        self._tokens = 0

    def tell(self, line: dict[str, Any]) -> None:
        """Write one of them to standard error."""
        from fastapply.terminal.output import tell

        share = f"{line['exact']} of {line['samples']} exact"
        if line["kind"] == "check":
            tell(f"step {line['step']}: left out: {share}, {line['bits_per_byte']:.4f} bits a byte")
            return
        speed = (line["tokens"] - self._tokens) / max(line["seconds"], 1e-9) if self._tokens else None
        self._tokens = line["tokens"]
        at = f", {speed:.0f} tokens/s" if speed is not None else ""
        tell(f"step {line['step']}: loss {line['loss']:.4f}, {share}{at}, {_time(line['left_seconds'])} left")


def _time(seconds: float) -> str:
    """``3 h 20 min``, ``4 min``, ``50 s``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min"


def _show(tuned: Tuned, *, json: bool) -> None:
    """What came of the run."""
    from fastapply.terminal.output import say, show_json

    scores = {"last": tuned.last, "validation": tuned.validation}
    if json:
        show_json(
            {
                "schema": 1,
                "adapter": str(tuned.adapter),
                "merged": str(tuned.merged) if tuned.merged else None,
                "steps": tuned.steps,
                "samples": tuned.samples,
                "left_out": tuned.left_out,
                **{key: one and one.to_object() for key, one in scores.items()},
            }
        )
        return
    say(f"{tuned.adapter}: {tuned.steps} steps on {tuned.samples} samples")
    if tuned.validation is not None:
        one = tuned.validation
        say(f"validation: {one.exact} of {one.samples} exact, {one.bits:.4f} bits a byte")
