"""The command line of the evaluation room; nothing of `fastapply apply` imports it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run `history`, `score`, `open`, `model` or `threshold`; see their help."""
    parser = argparse.ArgumentParser(prog="python -m fastapply.evaluate", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    history = commands.add_parser("history", help="edits made of git history")
    history.add_argument(
        "--repo", type=Path, action="append", required=True, help="a git repository; repeatable"
    )
    history.add_argument("--count", type=int, default=2000)
    history.add_argument("--seed", type=int, default=1)
    history.add_argument("--edits", type=Path, help="write the edits to this JSONL file and stop")
    score = commands.add_parser("score", help="score the edits of a JSONL file")
    score.add_argument("edits", type=Path)
    for command in (history, score):
        command.add_argument("--jobs", type=int, default=2)
        command.add_argument("--cmd", help="score a command, such as 'fastapply apply {file} {edit}'")
        command.add_argument("--json", type=Path, help="write every outcome to this file")
        command.add_argument(
            "--show", default="", help="list outcomes of these kinds: wrong,blank,refused,crash"
        )
        command.add_argument("--dump", type=Path, help="write each edit that is not right as a case folder")
        command.add_argument("--only", default="", help="only edits whose style or id holds this text")
        command.add_argument("--limit", type=int, default=0, help="only so many edits")
    left = commands.add_parser("open", help="pick out the edits that the closed form leaves open")
    left.add_argument("edits", type=Path)
    left.add_argument("--out", type=Path, required=True)
    left.add_argument("--refused", type=Path, help="what `score --json` wrote: only what it refused")
    left.add_argument("--jobs", type=int, default=2)
    model = commands.add_parser("model", help="ask an apply model about open edits, by writing and choosing")
    model.add_argument("edits", type=Path)
    model.add_argument("--model", type=Path, required=True, help="a GGUF file of the style nano")
    model.add_argument("--json", type=Path, required=True, help="write every answer to this file")
    model.add_argument("--threads", type=int, default=1)
    model.add_argument("--no-write", action="store_true", help="only choose")
    model.add_argument("--limit", type=int, default=0, help="only so many edits")
    threshold = commands.add_parser("threshold", help="set thresholds on some answers, try them on others")
    threshold.add_argument("valid", type=Path, help="answers that thresholds are set on")
    threshold.add_argument("test", type=Path, help="answers that they are tried on, once")
    options = parser.parse_args(argv)
    if options.command in {"open", "model", "threshold"}:
        from fastapply.evaluate import open_command

        return open_command.run(options)
    from fastapply.evaluate.edits import make_edits, read_edits, write_edits

    if options.command == "history":
        edits = make_edits(options.repo, count=options.count, seed=options.seed)
        if options.edits is not None:
            sys.stdout.write(f"{write_edits(edits, options.edits)} edits in {options.edits}\n")
            return 0
    else:
        edits = read_edits(options.edits)
    from fastapply.evaluate.score import report

    return report(edits, options)
