"""What people say about merges, in a file of JSON lines to which each annotation is appended at once.

A line is ``{"case": ..., "who": ..., "when": ..., "class": ..., "note": ...}``. `class` is one of the six,
``refused`` where the edit had to be refused, or null where a class was taken back. The last line of a person
on a case counts; what came before stays in the file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, get_args

from fastapply.errors import UsageError
from fastapply.evaluate.outcomes import MergeClass
from fastapply.evaluate.records import append_line, read_whole_lines

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

ANNOTATIONS = "annotations.jsonl"
CHOICES: tuple[str, ...] = (*get_args(MergeClass), "refused")
_LONGEST_NOTE, _LONGEST_NAME = 10_000, 100


@dataclass(frozen=True, slots=True)
class Annotation:
    """One line of the file. `choice` is None where there is none, or where it was taken back."""

    case: str
    who: str
    when: str
    choice: str | None
    note: str = ""

    @property
    def object(self) -> dict[str, Any]:
        """The line as an object."""
        return {
            "case": self.case,
            "who": self.who,
            "when": self.when,
            "class": self.choice,
            "note": self.note,
        }


def annotate(folder: Path, case: str, who: str, choice: str | None, note: str = "") -> Annotation:
    """Append an annotation; it is on the disk when this returns.

    Raises `UsageError` for a class that is none, and for a name or a note that is too long or empty.
    """
    if choice is not None and choice not in CHOICES:
        raise UsageError(f"{choice!r} is not a class", hint=f"one of: {', '.join(CHOICES)}")
    if not who.strip() or len(who) > _LONGEST_NAME or len(note) > _LONGEST_NOTE:
        raise UsageError("an annotation needs a name, and a note of at most 10,000 characters")
    when = datetime.now(UTC).isoformat(timespec="milliseconds")
    made = Annotation(case, who.strip(), when, choice, note)
    append_line(folder / ANNOTATIONS, json.dumps(made.object, ensure_ascii=False) + "\n")
    return made


def read_annotations(folder: Path) -> tuple[Annotation, ...]:
    """What counts: the last annotation of each person on each case, in the order of the file."""
    last: dict[tuple[str, str], Annotation] = {}
    for values in read_whole_lines(folder / ANNOTATIONS):
        made = _read(values)
        if made is not None:
            last.pop((made.case, made.who), None)
            last[made.case, made.who] = made
    return tuple(last.values())


def choices_of(annotations: Iterable[Annotation], who: str) -> dict[str, str]:
    """The classes that a person has chosen, by case."""
    return {one.case: one.choice for one in annotations if one.who == who and one.choice is not None}


def _read(values: dict[str, Any]) -> Annotation | None:
    choice, note = values.get("class"), values.get("note") or ""
    words = (values.get("case"), values.get("who"), values.get("when"))
    if not all(isinstance(word, str) for word in (*words, note)) or choice not in (None, *CHOICES):
        return None
    return Annotation(values["case"], values["who"], values["when"], choice, note)
