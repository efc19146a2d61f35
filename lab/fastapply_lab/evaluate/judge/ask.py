"""Asking a judge: the prompt from its file, the answer read and checked, many merges at a time."""

from __future__ import annotations

from difflib import unified_diff
from importlib.resources import files
from itertools import islice
from string import Template
from typing import TYPE_CHECKING

from fastapply.errors import ModelTrouble, Refused
from fastapply.evaluate.outcomes import CLASSES
from fastapply_lab.chat import MOST_TROUBLE, OF_ONE_QUESTION, Chat, ask_ahead, find_object
from fastapply_lab.evaluate.judgements import Judgement, append_judgement, read_judgements

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from fastapply.evaluate.cases import Case
    from fastapply.evaluate.records import Record

PROMPT = "merge-judge-1"
"""The file of the prompt, without its ending; another wording is another file, so that figures stay true."""
SCHEMA = {
    "type": "object",
    "properties": {
        "line": {"type": "string"},
        "sentence": {"type": "string"},
        "class": {"type": "string", "enum": list(CLASSES)},
    },
    "required": ["line", "sentence", "class"],
    "additionalProperties": False,
}
_CONTEXT = 5  # lines around a change
_LONGEST = 2000  # characters of a sentence that are kept


def question_of(case: Case, merged: str) -> tuple[str, str]:
    """The two messages of the prompt: what the judge is, and the merge. The known answer is not in them."""
    text = (files("fastapply_lab.evaluate.judge") / f"{PROMPT}.md").read_text(encoding="utf-8")
    system, _, question = text.partition("\n---\n")
    diff = unified_diff(
        case.original.split("\n"), merged.split("\n"), "file", "merge", n=_CONTEXT, lineterm=""
    )
    filled = Template(question).substitute(
        instructions=case.instructions or "(none)",
        path=case.path,
        file=case.original.rstrip("\n"),
        edit=case.edit.rstrip("\n"),
        diff="\n".join(diff) or "(the file is unchanged)",
    )
    return system.strip(), filled.encode("utf-8", "replace").decode("utf-8")


def judge_merge(chat: Chat, case: Case, merged: str) -> Judgement:
    """Ask about one merge; an answer that is none is a judgement with trouble.

    Raises `ModelTrouble` where the server cannot be asked.
    """
    system, question = question_of(case, merged)
    try:
        reply = chat.ask(system, question, schema=SCHEMA)
    except (ModelTrouble, Refused) as trouble:
        if trouble.reason not in OF_ONE_QUESTION:
            raise
        return Judgement(case.id, chat.model, PROMPT, None, trouble=trouble.message)
    said = find_object(reply.text) or {}
    choice = said.get("class")
    known = choice if isinstance(choice, str) and choice in CLASSES else None
    return Judgement(
        case.id,
        chat.model,
        PROMPT,
        known,
        str(said.get("line") or "")[:_LONGEST],
        str(said.get("sentence") or "")[:_LONGEST],
        reply.seconds,
        reply.prompt_tokens,
        reply.output_tokens,
        "" if known else f"no class in its answer: {' '.join(reply.text.split())[:200]}",
    )


def judge_run(
    folder: Path, records: Iterable[Record], chat: Chat, *, most: int | None = None, jobs: int = 4
) -> Iterator[Judgement]:
    """Ask about the merges that this judge has not answered on; gives each when it is on the disk.

    At most `most` are asked about. Raises `ModelTrouble` where the server cannot be asked, or makes trouble
    again and again.
    """
    answered = {
        one.case
        for one in read_judgements(folder)
        if one.choice is not None and (one.judge, one.prompt) == (chat.model, PROMPT)
    }
    left = (
        (record.case, record.attempt.merged)
        for record in records
        if record.attempt.merged is not None and record.case.id not in answered
    )
    troubles = 0
    for one in ask_ahead(lambda merge: judge_merge(chat, *merge), islice(left, most), jobs):
        append_judgement(folder, one)
        yield one
        troubles = 0 if one.choice or one.output_tokens else troubles + 1
        if troubles == MOST_TROUBLE:
            raise ModelTrouble(f"{one.trouble}, {MOST_TROUBLE} times in a row", reason="endpoint_broken")
