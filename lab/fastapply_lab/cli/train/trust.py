"""`fastapply train trust`: when a candidate that a model speaks for may be believed."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - Typer reads the annotations
from typing import Annotated

import typer

from fastapply.errors import ModelTrouble, UsageError


def trust(  # noqa: PLR0917 - one parameter an option
    cases: Annotated[
        list[Path], typer.Argument(metavar="CASES...", help="JSON lines files, plain or compressed.")
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="JSONL", help="The results file. A stopped run resumes.")
    ],
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME|PATH", help="The model. Default: set by models use."),
    ] = None,
    adapter: Annotated[
        Path | None, typer.Option("--adapter", metavar="GGUF", help="A LoRA adapter for --model PATH.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="OWNER/NAME", help="Only edits of this repository. Repeatable."),
    ] = None,
    most: Annotated[
        int | None, typer.Option("--most", metavar="N", min=1, help="Maximum number of ambiguous edits.")
    ] = None,
    most_wrong: Annotated[
        float, typer.Option("--most-wrong", help="Allowed share of wrong answers on unseen edits.")
    ] = 0.02,
    threads: Annotated[
        int | None, typer.Option("--threads", metavar="N", help="CPU threads. Default: one per core.")
    ] = None,
) -> int:
    """Measure a model on ambiguous edits and fit when to trust its answers.

    Use edits from repositories that it was not trained on. Copy the last printed line to the model's entry
    in models/registry.toml.
    """
    from itertools import islice

    from fastapply_lab.train import demand, demand_llama

    demand("numpy")
    demand_llama()
    from fastapply.evaluate.cases import read_cases
    from fastapply.folders import cache_folder
    from fastapply.models.llama.library import Settings
    from fastapply.models.llama.model import LlamaModel
    from fastapply.models.store import chosen_model, resolve
    from fastapply.terminal.output import say
    from fastapply_lab.train.trust import fit_trust, tell, try_cases

    chosen = resolve(model, adapter=adapter) if model is not None else chosen_model()
    if chosen is None:
        raise ModelTrouble("no model is selected", reason="no_model", hint="use --model NAME or PATH")
    opened = LlamaModel(
        chosen.path,
        name=chosen.name,
        style=chosen.style,
        settings=Settings(threads=threads),
        adapter=chosen.adapter,
        cache=cache_folder(),
    )
    wanted = frozenset(only or ())
    read = (case for case in read_cases(cases) if not wanted or case.repository in wanted)
    rows = list(islice(try_cases(read, opened, out), most))
    if len({row.source for row in rows if row.chosen}) < 2:
        raise UsageError("edits from at least two repositories are needed", hint="give more files")
    found, seen = fit_trust(rows, most_wrong)
    for line in tell(rows, found, seen):
        say(line)
    weights = ", ".join(f"{name} = {value}" for name, value in found.weights.items())
    say(f"trust = {{ bias = {found.bias}, threshold = {found.threshold}, weights = {{ {weights} }} }}")
    return 0
