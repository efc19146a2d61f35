"""`fastapply evaluate judge RUN`: a language model's verdict on each merge."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from fastapply.cli.evaluate.run import progress
from fastapply.errors import UsageError
from fastapply.terminal.output import say


def command(  # noqa: PLR0917 - one parameter an option
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run folder.")],
    endpoint: Annotated[
        str | None, typer.Option("--endpoint", metavar="URL", help="The judge's server.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="The judge's model name.")
    ] = None,
    most: Annotated[
        int | None, typer.Option("--most", metavar="N", min=1, help="Maximum number of merges.")
    ] = None,
    open_only: Annotated[bool, typer.Option("--open", help="Only merges whose class is a guess.")] = False,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Parallel requests.")] = 4,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Let a language model classify each merge (only in a checkout).

    It sees the file, the edit, the instructions and the merge as a diff, but not the expected result.
    Answers go to RUN/judgements.jsonl. A stopped run resumes. "evaluate align" measures the judge.
    """
    from fastapply.evaluate.records import read_records
    from fastapply.models.remote.endpoint import find_endpoint
    from fastapply.terminal.output import show_json
    from fastapply_lab.chat import Chat
    from fastapply_lab.evaluate.judge.ask import PROMPT, judge_run

    found = find_endpoint(endpoint, model)
    if found is None:
        raise UsageError("no judge is set", hint="use --endpoint URL or set FASTAPPLY_ENDPOINT")
    records = [
        record
        for record in read_records(Path(run))
        if record.attempt.merged is not None and (not open_only or record.verdict.decided == "suggested")
    ]
    if not records:
        raise UsageError(f"{run} has no merges to judge")
    chat = Chat(found)
    counts, tokens, name = Counter[str](), 0, chat.model
    try:
        with progress() as update:
            for number, one in enumerate(judge_run(Path(run), records, chat, most=most, jobs=jobs), 1):
                counts[one.choice or "no answer"] += 1
                tokens += one.prompt_tokens + one.output_tokens
                update(number, min(most or len(records), len(records)))
    finally:
        chat.close()
    if json:
        said = {"judge": name, "prompt": PROMPT, "tokens": tokens, "classes": dict(counts)}
        show_json({"schema": 1, **said})
        return 0
    say(f"{name} ({PROMPT}): {counts.total()} merges judged, {tokens} tokens")
    for choice, count in counts.most_common():
        say(f"{count:>7} {choice.replace('_', ' ')}")
    return 0
