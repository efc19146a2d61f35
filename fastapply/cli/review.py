"""`--review`: asks a person on the terminal for every hunk of a merge, as `git add -p` does.

Hunks and questions go to standard error; answers come from standard input, or from the terminal itself
where standard input holds the edit. Nothing is written while somebody is asked.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

from fastapply.errors import UsageError
from fastapply.pipeline.differences import answer_rows, is_ranked
from fastapply.pipeline.review import hunks_of, rewrite, take, take_all, take_none
from fastapply.terminal.colours import wants_colour
from fastapply.terminal.output import tell
from fastapply.text import splice
from fastapply.text.diff import Sides, lines_of, render_diff
from fastapply.values import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from fastapply.jobs.request import Request
    from fastapply.text import SourceText
    from fastapply.text.diff import DiffHunk
    from fastapply.types import Draft, Question, Taken
    from fastapply.workspace.changes import Job

_SHOWN = 12  # candidates
_KEYS = {
    "y": "take this hunk",
    "n": "skip this hunk",
    "a": "take this hunk and all later hunks in the file",
    "d": "skip this hunk and all later hunks in the file",
    "e": "edit this hunk in $EDITOR, then take it",
    "q": "quit; skip this hunk and all remaining ones, write the others",
    "?": "this list",
}
_IN_THE_EDITOR = """\
# The hunk is taken as you save it.
# To keep a removed line, replace its '-' with a space. To skip a new line, delete it.
# To add a line, start it with '+'. If all lines are deleted, you are asked again.
"""


def with_review(job: Job, request: Request, edit: str | None) -> Job:
    """Let a person review what a job does. Raises `UsageError` where that cannot be.

    `edit` is where the edit comes from, as on the command line; None where that is the clipboard.
    """
    if request.json or request.check or request.quiet:
        raise UsageError("--review cannot be used with --json, --check or --quiet")
    reviewer = Reviewer(_answers(from_stdin=edit == "-"))
    options = replace(job.options, review=reviewer.review, choose=reviewer.choose)
    return replace(job, options=options)


def _answers(*, from_stdin: bool) -> TextIO:
    """Where answers come from. Raises `UsageError` without a terminal."""
    problem = UsageError("--review needs a terminal", hint="use --dry-run to see the diff")
    if not sys.stderr.isatty():
        raise problem
    if sys.stdin is not None and sys.stdin.isatty():
        return sys.stdin
    if not from_stdin:
        raise problem
    try:
        return open("CONIN$" if os.name == "nt" else "/dev/tty", encoding="utf-8")  # noqa: PTH123
    except OSError:
        raise problem from None


class Reviewer:
    """Asks about the files of one run, one after the other."""

    def __init__(self, answers: TextIO) -> None:
        self._answers = answers
        self._over = False  # nothing more is to be asked

    def review(self, draft: Draft) -> Taken:
        """Ask about every hunk of a file."""
        hunks = hunks_of(draft)
        moves = draft.file_edit.new_path or draft.file_edit.new_mode is not None
        if not hunks and not moves and not draft.deletes and draft.original is not None:
            return take_all(draft)
        if self._over:
            return take_none(draft)
        name = draft.path or "the file"
        sides = Sides(name, draft.original, None if draft.deletes else draft.merged)
        head, shown = _rows(sides)
        _show(head)
        for finding in draft.findings:
            line = f", line {finding.line}" if finding.line is not None else ""
            tell(f"the check failed: {finding.message} [{finding.code}{line}]")
        if draft.deletes or not hunks:
            for rows in shown:
                _show(rows)
            return take_all(draft) if self._agrees(_header_question(draft, name)) else take_none(draft)
        header = self._agrees(_header_question(draft, name)) if moves else True
        taken = self._hunks(draft, hunks, shown)
        return take(draft, taken, header=header and (bool(taken) or draft.original is not None))

    def _hunks(
        self, draft: Draft, hunks: Sequence[DiffHunk], shown: Sequence[Sequence[Text | str]]
    ) -> dict[int, tuple[str, ...] | None]:
        taken: dict[int, tuple[str, ...] | None] = {}
        number = 0
        while number < len(hunks) and not self._over:
            _show(shown[number])
            answer = self._ask(f"({number + 1}/{len(hunks)}) take this hunk", _KEYS)
            if answer == "?":
                for key, does in _KEYS.items():
                    tell(f"{key} - {does}")
                continue
            if answer == "e":
                own = _edited(draft, hunks[number])
                if own is None:
                    continue
                taken[number] = own
            elif answer == "a":
                return taken | dict.fromkeys(range(number, len(hunks)))
            elif answer == "y":
                taken[number] = None
            elif answer == "d":
                break
            self._over = answer == "q"
            number += 1
        return taken

    def choose(self, question: Question, source: SourceText) -> int | None:
        """Show the candidates of a question, and ask for the number of one; None for none of them."""
        tell(question.message)
        if is_ranked(question):
            for row in answer_rows(question):
                tell(row)
            return self._number([str(number) for number in range(1, len(question.candidates) + 1)])
        numbers = []
        for number, candidate in enumerate(question.candidates[:_SHOWN], 1):
            if not candidate.splices:
                continue
            numbers.append(str(number))
            tell(f"{number}:" + (f" in {candidate.enclosing}" if candidate.enclosing else ""))
            _, shown = _rows(Sides("file", source, splice(source, candidate.splices)))
            for rows in shown:
                _show(rows)
        return self._number(numbers)

    def _number(self, numbers: Sequence[str]) -> int | None:
        """Ask for one of the numbers; None where there are none."""
        if not numbers or self._over:
            return None
        answer = self._ask("which one", {**dict.fromkeys(numbers, ""), "q": ""})
        return None if answer == "q" else int(answer)

    def _agrees(self, question: str) -> bool:
        answer = self._ask(question, {"y": "", "n": "", "q": ""}) if not self._over else "n"
        self._over = self._over or answer == "q"
        return answer == "y"

    def _ask(self, question: str, keys: dict[str, str]) -> str:
        """Ask until the answer is one of the keys. Raises `KeyboardInterrupt` at the end of the input."""
        while True:
            sys.stderr.write(f"{question} [{','.join(keys)}]? ")
            sys.stderr.flush()
            line = self._answers.readline()
            if not line:
                raise KeyboardInterrupt
            answer = line.strip().lower()
            if answer in keys:
                return answer
            if answer[:1] in keys and answer.isalpha():
                return answer[:1]
            if "?" in keys:
                return "?"


def _header_question(draft: Draft, name: str) -> str:
    if draft.deletes:
        return f"delete {name}"
    if draft.file_edit.new_path:
        return f"move {name} to {draft.file_edit.new_path}"
    if draft.original is None:
        return f"create empty {name}"
    return f"change the mode of {name} to {draft.file_edit.new_mode or 0:o}"


def _edited(draft: Draft, hunk: DiffHunk) -> tuple[str, ...] | None:
    """Let a hunk be changed in the user's editor; None where it is to be asked about again."""
    old = lines_of(draft.original.text) if draft.original is not None else []
    like = draft.original if draft.original is not None else draft.merged
    before = "".join(row.replace("\r\n", "\n") for row in hunk.rows)
    after = _edit(before + _IN_THE_EDITOR)
    rows = [row for row in after.removesuffix("\n").split("\n") if not row.startswith(("#", "@@"))]
    if not any(row.strip() for row in rows):
        return None
    made = rewrite(hunk, rows, old, like.newline)
    if made is None:
        tell("the edited hunk does not apply: do not change lines that start with a space or '-'")
    return made


def _edit(text: str) -> str:
    """Open the user's editor on a text, and give what it leaves. Raises `UsageError` where that fails."""
    import shlex
    import subprocess
    import tempfile
    from pathlib import Path

    usual = "notepad" if os.name == "nt" else "vi"
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or usual
    with tempfile.TemporaryDirectory(prefix="fastapply-") as folder:
        file = Path(folder) / "hunk.diff"
        file.write_text(text, encoding="utf-8", errors="surrogateescape", newline="\n")
        try:
            done = subprocess.run([*shlex.split(editor), str(file)], check=False)
        except (OSError, ValueError) as error:
            raise UsageError(f"cannot start the editor {editor}: {error}", hint="set EDITOR") from None
        if done.returncode != 0:
            tell(f"the editor {editor} exited with status {done.returncode}")
            return ""
        return file.read_text(encoding="utf-8", errors="surrogateescape")


def _rows(sides: Sides) -> tuple[list[Text | str], list[list[Text | str]]]:
    """Rows of a diff: those above its hunks, and those of each hunk."""
    rows: list[Text | str]
    if wants_colour(sys.stderr):
        from fastapply.terminal.view import rows_of

        rows = list(rows_of(sides))
    else:
        rows = [row.removesuffix("\r") for row in render_diff(sides).split("\n")[:-1]]
    head: list[Text | str] = []
    hunks: list[list[Text | str]] = []
    for row in rows:
        if str(row).startswith("@@ "):
            hunks.append([])
        (hunks[-1] if hunks else head).append(row)
    return head, hunks


def _show(rows: Sequence[Text | str]) -> None:
    if not wants_colour(sys.stderr):
        for row in rows:
            tell(str(row))
        return
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    for row in rows:
        console.print(row, soft_wrap=True)
