"""Asking a teacher for an edit of a change, and then for what the edit means, without the change."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import unified_diff
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from fastapply.errors import ModelTrouble, Refused
from fastapply.evaluate.cases import Case
from fastapply.evaluate.outcomes import squash
from fastapply.syntax import language_of
from fastapply_lab.chat import OF_ONE_QUESTION
from fastapply_lab.data.written.characters import Part, part_for

if TYPE_CHECKING:
    from fastapply_lab.chat import Chat
    from fastapply_lab.data.history import FileChange

WRITE, APPLY = "write-edit-1", "apply-blind-1"
_WARM = 0.8  # temperature of the writer: the same commit is to be said in many ways
_EDIT = re.compile(r"<edit>[ \t]*\n?(.*?)\n?[ \t]*</edit>", re.DOTALL)
_INSTRUCTION = re.compile(r"<instruction>(.*?)</instruction>", re.DOTALL)
_SKIP = re.compile(r"<skip>(.*?)</skip>", re.DOTALL)
_FILE = re.compile(r"<file>[ \t]*\n?(.*)</file>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Written:
    """An edit that a blind reader understood."""

    case: Case
    part: Part
    subject: str
    teacher: str


@dataclass(frozen=True, slots=True)
class Dropped:
    """A change whose edit is not kept.

    `reason` is ``skipped`` (by the teacher), ``no_edit``, ``no_file`` (answers that are none), ``whole_file``
    (the edit is the changed file itself), ``misread`` (the blind reader came to something else), or the
    server's.
    """

    id: str
    repository: str
    part: Part
    reason: str
    message: str = ""
    told: bool = False  # whether the server answered


def change_id(change: FileChange) -> str:
    """The name of a change, by which a run that was stopped knows it again."""
    return f"{change.repo}/{change.commit[:12]}/{change.path}"


def write_and_check(chat: Chat, change: FileChange, licence: str, seed: int) -> Written | Dropped:
    """Have a change written as an edit, and the edit applied blind.

    Raises `ModelTrouble` where the server cannot be asked.
    """
    part = part_for(seed, change_id(change))

    def drop(reason: str, message: str = "", *, told: bool = True) -> Dropped:
        return Dropped(change_id(change), change.repo, part, reason, " ".join(message.split())[:300], told)

    try:
        answer = chat.ask(*_writing(change, part), temperature=_WARM).text
        skipped, edit = _SKIP.search(answer), _EDIT.search(answer)
        if edit is None or not edit[1].strip():
            return drop("skipped", skipped[1]) if skipped else drop("no_edit", answer)
        said = _INSTRUCTION.search(answer)
        case = Case(
            change_id(change),
            change.path,
            change.before,
            edit[1].strip("\n") + "\n",
            change.after,
            instructions=" ".join(said[1].split()) if said else "",
            format=part.style,
            style=part.style,
            language=language_of(change.path, change.before.partition("\n")[0]) or "",
            repository=change.repo,
            commit=change.commit,
            licence=licence,
        )
        if squash(case.edit) == squash(change.after):
            return drop("whole_file")
        reading = chat.ask(*_reading(case)).text
    except (ModelTrouble, Refused) as trouble:
        if trouble.reason not in OF_ONE_QUESTION:
            raise
        return drop(trouble.reason, trouble.message, told=False)
    read = _FILE.search(reading)
    if read is None:
        return drop("no_file", reading)
    if squash(_unfenced(read[1])) != squash(change.after):
        return drop("misread")
    return Written(case, part, change.subject, chat.model)


def _writing(change: FileChange, part: Part) -> tuple[str, str]:
    lines = change.before.split("\n"), change.after.split("\n")
    diff = unified_diff(*lines, "before", "after", n=3, lineterm="")
    return _filled(
        WRITE,
        part=part.words,
        path=change.path,
        subject=change.subject or "(no message)",
        file=change.before.rstrip("\n"),
        diff="\n".join(diff),
    )


def _reading(case: Case) -> tuple[str, str]:
    return _filled(
        APPLY,
        instructions=case.instructions or "(none)",
        path=case.path,
        file=case.original.rstrip("\n"),
        edit=case.edit.rstrip("\n"),
    )


def _filled(name: str, **values: str) -> tuple[str, str]:
    text = (files("fastapply_lab.data.written") / f"{name}.md").read_text(encoding="utf-8")
    system, _, question = text.partition("\n---\n")
    return Template(system).safe_substitute(values).strip(), Template(question).safe_substitute(values)


def _unfenced(text: str) -> str:
    """A file without the fence that a model likes to put around it."""
    lines = text.strip("\n").split("\n")
    if len(lines) > 2 and lines[0].startswith("```") and lines[-1].strip() == "```":
        return "\n".join(lines[1:-1])
    return text
