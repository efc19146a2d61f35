"""The benchmark of `fastapply bench`, with other programs beside it, or in whole files of several lengths.

    python -m fastapply_lab.bench [--model PATH --style STYLE [--adapter PATH]] [--long] [--peers/--no-peers]

Without a model one of random weights is made, which replays the right results. Writes a JSON object a line,
as `fastapply.bench.__main__` does; the last one has the summary.
"""

from __future__ import annotations

import shutil
from pathlib import Path  # noqa: TC003 - typer reads it
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fastapply.bench.__main__ import measure, say
from fastapply.bench.cases import built_in_cases, read_cases, stretched
from fastapply.folders import cache_folder
from fastapply.models.llama.library import Settings
from fastapply_lab.bench.peers import measure_peers
from fastapply_lab.bench.random_model import Size, make_model

if TYPE_CHECKING:
    from collections.abc import Sequence

LENGTHS = (250, 1000, 2500)
"""Lines of the files of `--long`."""


def main(  # noqa: PLR0917 - one parameter an option
    model: Annotated[Path | None, typer.Option(help="A GGUF file. Default: random weights.")] = None,
    style: Annotated[str, typer.Option(help="Its prompt style.")] = "nano",
    adapter: Annotated[Path | None, typer.Option(help="A GGUF LoRA adapter on it.")] = None,
    size: Annotated[Size, typer.Option(help="Size of the model of random weights.")] = "small",
    cases: Annotated[Path | None, typer.Option(help="JSON lines. Default: fastapply's own code.")] = None,
    most: Annotated[int, typer.Option(help="Maximum number of cases.")] = 40,
    region: Annotated[bool, typer.Option("--region", help="Rewrite only the unclear part.")] = False,
    long: Annotated[bool, typer.Option("--long", help="Whole files of several lengths; no peers.")] = False,
    peers: Annotated[bool, typer.Option(help="Measure other programs.")] = True,
    llama_server: Annotated[str | None, typer.Option(help="Default: from PATH.")] = None,
    threads: Annotated[int | None, typer.Option(help="CPU threads. Default: one per core.")] = None,
    rounds: Annotated[int, typer.Option(help="The best one counts.")] = 2,
) -> None:
    """Measure, and write what was measured."""
    path = model or cache_folder() / f"bench-{size}.gguf"
    if model is None and not path.exists():
        say({"note": f"making a model with random weights: {path}"})
        path.parent.mkdir(parents=True, exist_ok=True)
        make_model(path, size)
    settings: dict[str, Any] = {} if threads is None else {"threads": threads}
    given: dict[str, Any] = {
        "model": str(path),
        "adapter": str(adapter) if adapter else None,
        "name": path.name,
        "style": style,
        "settings": settings,
        "full_file": not region,
        "rounds": max(1, rounds),
    }
    chosen = list(built_in_cases()) if cases is None else read_cases(cases, most)
    if long:
        chosen = [stretched(chosen[0], lines) for lines in LENGTHS]
    benches, rows, summary = measure(given, chosen, region=not long, replay=model is None)
    if long:
        summary["long"] = by_length(rows)
    elif peers:
        server = llama_server or shutil.which("llama-server")
        summary["peers"] = list(
            measure_peers(
                path,
                Settings(**settings),
                adapter,
                benches,
                rows,
                server=server,
                note=lambda text: say({"note": text}),
            )
        )
    say({"summary": summary | {"complete": True}})


def by_length(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The time of a token in whole files of several lengths, over that in the first one; and the limit's."""
    told = []
    for row in rows:
        one = {key: row[key] for key in ("lines", "output_tokens", "as_expected")}
        for name, key in (("", "seconds"), ("limit_", "limit_seconds")):
            each, first = (each_row[key] / each_row["output_tokens"] for each_row in (row, rows[0]))
            one |= {f"{name}milliseconds_a_token": each * 1e3, f"{name}ratio": each / first}
        told.append(one)
    return told


if __name__ == "__main__":
    typer.run(main)
