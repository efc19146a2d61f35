"""The commands about open edits: `open`, `model` and `threshold`."""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING

from fastapply.evaluate.edits import read_edits, write_edits
from fastapply.evaluate.open_edits import (
    CERTAINTIES,
    Answered,
    ask,
    choose_threshold,
    is_open,
    judge_at,
    render,
)

if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from fastapply.evaluate.edits import KnownEdit


def run(options: argparse.Namespace) -> int:
    """Do what one of the three commands says."""
    if options.command == "open":
        edits = read_edits(options.edits)
        if options.refused is not None:
            rows = json.loads(options.refused.read_text(encoding="utf-8"))
            refused = {row["id"] for row in rows if row["outcome"] == "refused"}
            edits = (edit for edit in edits if edit.id in refused)
        with ProcessPoolExecutor(options.jobs) as pool:
            found = pool.map(_if_open, edits, chunksize=16)
            count = write_edits((edit for edit in found if edit is not None), options.out)
        _say(f"{count} open edits in {options.out}")
    elif options.command == "model":
        _ask_all(options)
    else:
        _settle(read_answers(options.valid), read_answers(options.test))
    return 0


def _if_open(edit: KnownEdit) -> KnownEdit | None:
    return edit if is_open(edit) else None


def _ask_all(options: argparse.Namespace) -> None:
    from fastapply.llm.llama.library import Settings
    from fastapply.llm.llama.model import LlamaModel

    model = LlamaModel(
        options.model, name=options.model.stem, style="nano", settings=Settings(threads=options.threads)
    )
    rows: list[Answered] = []
    try:
        with options.json.open("w", encoding="utf-8") as file:
            for edit in islice(read_edits(options.edits), options.limit or None):
                row = ask(edit, model, write=not options.no_write)
                if row is not None:
                    rows.append(row)
                    file.write(json.dumps(asdict(row)) + "\n")
    finally:
        model.close()
    _say(render(rows))


def read_answers(path: Path) -> list[Answered]:
    """The answers that `model` wrote."""
    return [Answered(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def _settle(valid: list[Answered], test: list[Answered]) -> None:
    set_ones = [one for by in CERTAINTIES if (one := choose_threshold(valid, by)) is not None]
    _say("thresholds are set on: " + render(valid, set_ones))
    _say("and tried on: " + render(test, [judge_at(test, one.by, one.threshold) for one in set_ones]))
    for by in CERTAINTIES:
        if all(one.by != by for one in set_ones):
            _say(f"  {by}: no threshold makes it sure enough")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
