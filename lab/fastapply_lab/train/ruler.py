"""The ruler of every change to the merge: what becomes of edits, by population, in one process.

    python -m fastapply_lab.train.ruler SET ... [--jobs N] [--sample N] [--wrong] [--refused]

A set is a file of cases or a folder of case folders, a population each. A merge is right where its text is
an answer of the case but for blank lines and white space at line ends; for a case that must be refused,
where it is refused. No model takes part.
"""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path  # noqa: TC003 - typer reads it
from statistics import median
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from fastapply.errors import FastapplyError
from fastapply.evaluate.cases import read_cases
from fastapply.merge.candidates import told
from fastapply.pipeline import merge_edit, read_edit
from fastapply.text import decode
from fastapply.types import Options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.evaluate.cases import Case

HEAD = f"{'set':<24}{'clear':>6}{'right':>6}{'share':>8}{'exact':>6}{'refused':>8}{'wrong':>6}"
HEAD += f"{'to refuse':>11}{'refused':>8}{'median ms':>11}"


class Row(NamedTuple):
    """One case: what became of it (`exact`, `right`, `refused`, `wrong`), why, and in how many ms."""

    case: str
    to_refuse: bool
    outcome: str
    why: str
    ms: float


def measure(case: Case) -> Row:
    """Merge one case and compare."""
    began = time.perf_counter()
    merged, why = "", ""
    try:
        original = decode(case.original.encode("utf-8", "surrogateescape"))
        options = Options(instructions=case.instructions, engine="deterministic")
        edit = read_edit(case.edit, path=case.path, original=original, options=options)
        merged = merge_edit(original, edit, edit.files[0], path=case.path, options=options).text.text
    except FastapplyError as error:
        outcome, why = "refused", f"{error.reason}: {error.message}"
    else:
        answers = [decode(one.encode("utf-8", "surrogateescape")) for one in case.answers]
        if merged in {one.text for one in answers}:
            outcome = "exact"
        else:
            near = told(decode(merged.encode("utf-8", "surrogateescape")).lines)
            outcome = "right" if any(near == told(one.lines) for one in answers) else "wrong"
    return Row(case.id, case.must_refuse, outcome, why, 1000 * (time.perf_counter() - began))


def row_of(name: str, rows: Sequence[Row]) -> str:
    """The line of one set."""
    clear = [row for row in rows if not row.to_refuse]
    count = Counter(row.outcome for row in rows if not row.to_refuse)
    others = [row for row in rows if row.to_refuse]
    right = count["exact"] + count["right"]
    wrong = count["wrong"] + sum(row.outcome != "refused" for row in others)
    kept = sum(row.outcome == "refused" for row in others)
    share, ms = right / max(1, len(clear)), median(row.ms for row in rows) if rows else 0.0
    return (
        f"{name[:23]:<24}{len(clear):>6}{right:>6}{share:>8.1%}{count['exact']:>6}{count['refused']:>8}{wrong:>6}"
        f"{len(others):>11}{kept:>8}{ms:>11.0f}"
    )


def main(
    sets: Annotated[list[Path], typer.Argument(help="Files of cases, or folders of case folders.")],
    jobs: int = 2,
    sample: Annotated[int, typer.Option(help="Of each set only so many, evenly spread; 0: all.")] = 0,
    wrong: Annotated[bool, typer.Option("--wrong", help="Name what is silently wrong.")] = False,
    refused: Annotated[
        bool, typer.Option("--refused", help="Name what is refused though it is clear.")
    ] = False,
) -> None:
    """Print a line for each set."""
    typer.echo(HEAD)
    with ProcessPoolExecutor(jobs) as pool:
        for path in sets:
            cases = list(read_cases([path]))
            if 0 < sample < len(cases):
                cases = [cases[n * len(cases) // sample] for n in range(sample)]
            rows = list(pool.map(measure, cases, chunksize=4))
            typer.echo(row_of(path.name.partition(".")[0], rows))
            for row in rows:
                if wrong and row.outcome != "refused" and (row.to_refuse or row.outcome == "wrong"):
                    typer.echo(f"    wrong    {row.case}")
                if refused and row.outcome == "refused" and not row.to_refuse:
                    typer.echo(f"    refused  {row.case:<28} {row.why.splitlines()[0][:90]}")


if __name__ == "__main__":
    typer.run(main)
