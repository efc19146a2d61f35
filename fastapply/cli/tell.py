"""Telling how a run ended: results on standard output, all else on standard error."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapply.cli.report import as_json

if TYPE_CHECKING:
    from fastapply.cli.report import Report


@dataclass(frozen=True, slots=True)
class Done:
    """The end of a run: its report, and what goes to standard output besides."""

    report: Report
    encoding: str = "utf-8"
    result: bytes | None = None  # for --output -
    warnings: tuple[str, ...] = ()


def tell(done: Done, report: Report, *, json: bool, diff: bool, quiet: bool, verbose: bool) -> None:
    """Say everything that there is to say about a run."""
    for warning in () if quiet else done.warnings:
        say(f"fastapply: warning: {warning}")
    if report.status in {"refused", "error"}:
        say_failure(report)
    elif not quiet:
        subject = report.file or f"{len(report.files or ())} files"
        say(f"fastapply: {subject}: {_summary(report)}")
        for one in report.files or ():
            moved = f" to {one.new_file}" if one.new_file else ""
            say(f"  {one.action} {one.file}{moved}: {one.status} (+{one.added} -{one.removed})")
    if verbose:
        for note in report.notes:
            say(f"  {note}")
    if json:
        sys.stdout.write(as_json(report))
    elif done.result is not None or (diff and report.diff):
        from fastapply.view import write_bytes, write_diff

        if done.result is not None:
            write_bytes(done.result)
        else:
            write_diff(report.diff, encoding=done.encoding)


def _summary(report: Report) -> str:
    if report.status == "unchanged":
        return "unchanged, the edit is in the file already"
    done = "applied" if report.written else "would apply"
    return f"{done} (+{report.added} -{report.removed}, {report.format}, {report.method})"


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
