"""What judges answered, a line of JSON for each merge, in ``RUN/judgements.jsonl``.

::

    {"case": ..., "judge": NAME, "prompt": NAME, "class": ..., "line": ..., "sentence": ..., "seconds": ...,
     "prompt_tokens": ..., "output_tokens": ..., "trouble": ""}

`class` is null and `trouble` says why, where the answer was none.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapply.evaluate.outcomes import CLASSES
from fastapply.evaluate.records import append_line, read_whole_lines

if TYPE_CHECKING:
    from pathlib import Path

JUDGEMENTS = "judgements.jsonl"


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer of a judge: a class, the line of the diff that decides, and a sentence."""

    case: str
    judge: str
    prompt: str
    choice: str | None
    line: str = ""
    sentence: str = ""
    seconds: float = 0.0
    prompt_tokens: int = 0
    output_tokens: int = 0
    trouble: str = ""

    @property
    def object(self) -> dict[str, Any]:
        """The line as an object."""
        return {
            "case": self.case,
            "judge": self.judge,
            "prompt": self.prompt,
            "class": self.choice,
            "line": self.line,
            "sentence": self.sentence,
            "seconds": round(self.seconds, 3),
            "prompt_tokens": self.prompt_tokens,
            "output_tokens": self.output_tokens,
            "trouble": self.trouble,
        }


def append_judgement(folder: Path, one: Judgement) -> None:
    """Keep an answer; it is on the disk when this returns."""
    append_line(folder / JUDGEMENTS, json.dumps(one.object, ensure_ascii=False) + "\n")


def read_judgements(folder: Path) -> tuple[Judgement, ...]:
    """The last answer of each judge with each prompt on each case; trouble gives way to an answer."""
    last: dict[tuple[str, str, str], Judgement] = {}
    for values in read_whole_lines(folder / JUDGEMENTS):
        words = (values.get("case"), values.get("judge"), values.get("prompt"))
        choice = values.get("class")
        if not all(isinstance(word, str) for word in words) or choice not in (None, *CLASSES):
            continue
        one = Judgement(
            values["case"],
            values["judge"],
            values["prompt"],
            choice,
            str(values.get("line") or ""),
            str(values.get("sentence") or ""),
            float(values.get("seconds") or 0),
            int(values.get("prompt_tokens") or 0),
            int(values.get("output_tokens") or 0),
            str(values.get("trouble") or ""),
        )
        last[one.case, one.judge, one.prompt] = one
    return tuple(last.values())
