"""What a run has to say, as one value: to a program as JSON, to a person on standard error."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fastapply.errors import FastapplyError, Refused

if TYPE_CHECKING:
    from fastapply.api import Status
    from fastapply.types import Finding, FormatName, Method, Question

SCHEMA = 1
"""Version of the JSON object; it grows when a key goes or changes its meaning, not when one is added."""


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file of a patch."""

    file: str
    action: str  # update, create, delete, move
    status: Status
    added: int = 0
    removed: int = 0
    new_file: str | None = None
    method: Method | None = None

    def as_dict(self) -> dict[str, Any]:
        """Keys of the `files` entries of ``patch --json``."""
        return {
            "file": self.file,
            "action": self.action,
            "new_file": self.new_file,
            "status": self.status,
            "method": self.method,
            "added": self.added,
            "removed": self.removed,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a run. `files` is None for ``apply``."""

    status: Status
    written: bool = False
    reason: str | None = None
    message: str = ""
    hint: str = ""
    file: str | None = None
    files: tuple[FileReport, ...] | None = None
    format: FormatName | None = None
    method: Method | None = None
    added: int = 0
    removed: int = 0
    seconds: float = 0.0
    findings: tuple[Finding, ...] = ()
    questions: tuple[Question, ...] = ()
    diff: str = ""
    exit_status: int = 0
    notes: tuple[str, ...] = field(default=(), kw_only=True)  # for --verbose


def failure(error: FastapplyError, seconds: float, *, file: str | None, files: bool = False) -> Report:
    """The report of an error that ended the run; nothing was written."""
    refused = isinstance(error, Refused)
    return Report(
        "refused" if refused else "error",
        reason=error.reason,
        message=error.message,
        hint=error.hint,
        file=file,
        files=() if files else None,
        seconds=seconds,
        findings=error.findings if isinstance(error, Refused) else (),
        questions=error.questions if isinstance(error, Refused) else (),
        exit_status=error.exit_status,
    )


def as_json(report: Report) -> str:
    """One JSON object on one line; every key is always there."""
    import json

    subject: dict[str, Any] = (
        {"file": report.file}
        if report.files is None
        else {"files": [file.as_dict() for file in report.files]}
    )
    told = {
        "schema": SCHEMA,
        "status": report.status,
        "written": report.written,
        "reason": report.reason,
        "message": report.message,
        "hint": report.hint,
        **subject,
        "format": report.format,
        "method": report.method,
        "added": report.added,
        "removed": report.removed,
        "seconds": round(report.seconds, 4),
        "findings": [
            {"code": one.code, "message": one.message, "line": one.line} for one in report.findings
        ],
        "candidates": [
            {"first": place.lines.first, "last": place.lines.last, "enclosing": place.enclosing}
            for question in report.questions
            for place in question.candidates
        ],
        "model": None,
        "diff": report.diff,
    }
    return json.dumps(told) + "\n"


def say(line: str) -> None:
    """Say something to a person."""
    # What the terminal cannot show is shown escaped: a message must not fail
    encoding = sys.stderr.encoding or "utf-8"
    sys.stderr.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def say_failure(report: Report) -> None:
    """Say why the edit was not put in, all that is open about it, and what to do."""
    subject = f"{report.file}: " if report.file else ""
    word = "refused" if report.status == "refused" else "error"
    say(f"fastapply: {subject}{word} ({report.reason}): {_indented(report.message)}")
    for question in report.questions[1:]:
        say(f"  also ({question.reason}): {_indented(question.message)}")
        if question.hint and question.hint != report.hint:
            say(f"    hint: {question.hint}")
    findings = report.findings[1:] if len(report.findings) > 1 else ()
    for one in findings[:10]:
        where = f"line {one.line}: " if one.line else ""
        say(f"  also ({one.code}): {where}{_indented(one.message)}")
    if len(findings) > 10:
        say(f"  and {len(findings) - 10} more findings, see --json")
    if report.hint:
        say(f"  hint: {report.hint}")
    answers = [place for question in report.questions for place in question.candidates if place.splices]
    if answers and len(report.questions) == 1:
        places = ", ".join(
            f"{number} lines {place.lines.first}-{place.lines.last}"
            for number, place in enumerate(answers[:8], 1)
        )
        say(f"  or answer with --pick N ({places}{', ...' if len(answers) > 8 else ''}) or --at LINES")


def _indented(message: str) -> str:
    return message.replace("\n", "\n    ")
