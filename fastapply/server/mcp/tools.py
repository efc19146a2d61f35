"""The tools: `edit_file`, `edit_files` and `preview_edit`, from arguments to the text of the answer.

A merge runs in a thread. An agent that gives a call up, or a merge that takes too long, ends the call
before anything is written, or not at all: the thread asks once more just before it writes.

Which folders an agent's files may be in: ``--root`` decides, else the roots that the client names, else the
working directory, unless that is no project (the root of the disk, the user's home), where some clients start
their servers.

What an agent reads is short, and in the words of the tools, not of the command line:

    src/cart.ts: applied (+1 -0)
    @@ -25,6 +25,7 @@
    ...

A refusal names the places that fit, the nearest lines of the file, and what to send instead.
"""

from __future__ import annotations

import os
import time
from functools import partial
from itertools import dropwhile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

import anyio
from anyio import from_thread, to_thread

from fastapply.config import keep_of, limits_of, load
from fastapply.edits.prompt_text import LAZY_RULES
from fastapply.errors import FastapplyError, FileTrouble, Refused, UsageError
from fastapply.jobs.texts import outcome_text, plain_hints
from fastapply.pipeline.differences import answer_rows, differences, is_ranked, where
from fastapply.pipeline.picks import read_lines, read_picks, read_where
from fastapply.types import Options
from fastapply.values import dataclass
from fastapply.workspace.files import inside, read
from fastapply.workspace.git import open_repository
from fastapply.workspace.patches import NamedEdit, change_named_files
from fastapply.workspace.usage_log import Note, keep_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fastapply.models.engine import ApplyModel
    from fastapply.types import LineRange, Opener, Question
    from fastapply.workspace.changes import Outcome

TIME_LIMIT = 150.0  # seconds for a merge; a model on a server may take most of them

EDIT_FILE = f"""\
Edit an existing file: put only the changes in code_edit.

code_edit holds the changed code with some unchanged lines around it. Where code of the file stays and \
you leave it out, put a comment line `... existing code ...` in the language of the file:

// ... existing code ...
  total(): number {{
    return this.lines.length;
  }}
// ... existing code ...

{LAZY_RULES}
SEARCH/REPLACE blocks, a unified diff or the whole file work as well. Make all edits of a file in one \
call. The edit is applied only if it is certain. The answer shows the diff, or why nothing was written \
and what to send instead.
"""
EDIT_FILES = """\
Edit several files at once, all or none. Write each edit as for edit_file.
"""
PREVIEW_EDIT = """\
Show what edit_file would do with the same arguments, without writing.
"""
TARGET = "The file to change: relative to the root of the project, or absolute."
INSTRUCTIONS = (
    "One sentence on the edit. Name the enclosing definition if the same lines occur several times."
)
CODE_EDIT = "Only the lines that change, with `... existing code ...` comments for what stays between them."
AT_LINES = 'Only to resolve a refusal: the lines to apply the edit at, such as "41" or "41-47".'
WHERE = (
    'Where code_edit goes, by name: "after NAME", "before NAME" or "replace NAME" for new code without '
    'markers, "in NAME" for an edit of that function, class, method (Store.get), key or section alone.'
)
PICK = (
    'Only to answer a refusal: the number of the answer that is meant, as in "1", or with the id of the '
    'question, as in "4f0c2a91:1"; where several parts of an edit are open, one for each, as in "1, 2".'
)
CREATE_FILE = "code_edit is a whole new file, and target_file does not exist yet."
_NAME_ONE = "start the server with `fastapply mcp --root FOLDER`"
_DIFF_LINES = 60  # in one answer, over all files
_WIDTH = 240  # characters of one line
_PLACES = 8
_NEAREST_LINES = 12
_PERHAPS_WRITTEN = "not_restored"  # a transaction that failed and could not be undone yet
_CREATE = "to create a new file, send its full content with create_file"


@dataclass(frozen=True, slots=True)
class Request:
    """One edit as an agent sends it."""

    target_file: str
    instructions: str
    code_edit: str
    at_lines: str = ""
    create_file: bool = False
    pick: int | str = ""
    where: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """The text of a tool's answer, and whether it is one of failure."""

    text: str
    failed: bool = False


async def run_edits(
    roots: Sequence[Path],
    requests: Sequence[Request],
    *,
    write: bool,
    limit: float = TIME_LIMIT,
    open_model: Callable[[], ApplyModel | None] | None = None,
) -> Answer:
    """Carry out one call: all of its edits, or none; `limit` in seconds."""
    started = time.perf_counter()
    try:
        root = root_of(roots, [request.target_file for request in requests])
        found = load(root)
        smooth: Opener | None = None
        if found["smooth"]:
            smooth = partial(open_repository, str(root))
        edits = [
            _named_edit(request, open_model, found["min_certainty"], smooth=smooth) for request in requests
        ]
    except FastapplyError as error:
        return Answer(error_answer(error), failed=True)
    with anyio.move_on_after(limit) as scope:

        def keep_on() -> None:
            """Let nothing end the call from here on."""
            if not scope.cancel_called:
                scope.shield, scope.deadline = True, float("inf")
                return
            raise Refused("the call was canceled", reason="too_slow")

        def before_write() -> None:
            from_thread.check_cancelled()
            from_thread.run_sync(keep_on)

        def work() -> Outcome:
            return change_named_files(
                root, edits, write=write, keep=keep_of(found), before_write=before_write
            )

        came: Outcome | FastapplyError
        try:
            came = await to_thread.run_sync(work, abandon_on_cancel=True)
        except FastapplyError as error:
            came = error
        if write and found["keep_log"] and len(requests) == 1:
            one = requests[0]
            data = one.code_edit.encode()
            note = Note("mcp", one.target_file, data, one.instructions, limits_of(found))
            # what cannot be kept is not, for there is nobody to tell
            keep_run(note, came, str(root), time.perf_counter() - started)
        if isinstance(came, FastapplyError):
            return Answer(error_answer(came, _lines(root, requests)), failed=True)
        return Answer(outcome_answer(came, dry=not write))
    slow = Refused(
        f"merging took more than {limit:g} seconds",
        reason="too_slow",
        hint="send a shorter edit or SEARCH/REPLACE blocks",
    )
    return Answer(error_answer(slow), failed=True)


def _named_edit(
    request: Request,
    open_model: Callable[[], ApplyModel | None] | None,
    min_certainty: float | None,
    *,
    smooth: Opener | None,
) -> NamedEdit:
    at = read_lines(request.at_lines.strip(), "at_lines") if request.at_lines else None
    if request.where and at is not None:
        raise UsageError("where and at_lines cannot be used together")
    picks = read_picks(request.pick)
    if any(one.number < 1 for one in picks):
        raise UsageError("pick counts from 1")
    try:
        data = request.code_edit.encode()
        request.target_file.encode()
    except UnicodeEncodeError:
        raise UsageError("the text contains half a surrogate pair", hint="send the edit as UTF-8") from None
    options = Options(
        instructions=request.instructions,
        at=at,
        where=read_where(request.where) if request.where else None,
        picks=picks,
        create=request.create_file,
        open_model=open_model,
        min_certainty=min_certainty,
        smooth=smooth,
    )
    return NamedEdit(request.target_file, data, options)


def _lines(root: Path, requests: Sequence[Request]) -> tuple[str, ...] | None:
    """The lines of the file that a refusal is about, where there is no doubt which that is."""
    if len(requests) != 1:
        return None
    try:
        return read(inside(root, requests[0].target_file)).source.lines
    except FastapplyError:
        return None


def folders_of(uris: Iterable[str]) -> tuple[Path, ...]:
    """The folders that a client's ``file:`` addresses name. Raises `UsageError` where there is none."""
    found: list[Path] = []
    for uri in uris:
        parts = urlsplit(uri)
        if parts.scheme != "file" or parts.netloc not in {"", "localhost"} or "%00" in parts.path:
            continue
        folder = Path(os.path.realpath(url2pathname(parts.path)))
        if folder.is_dir():
            found.append(folder)
    if not found:
        raise UsageError("the client names no root folder", hint=_NAME_ONE)
    return tuple(dict.fromkeys(found))


def working_folder() -> tuple[Path, ...]:
    """The working directory as the only root. Raises `UsageError` where that is no project."""
    folder = Path.cwd()
    if folder in {Path(folder.anchor), Path.home()}:
        raise UsageError(f"{folder} is too broad as a root for an agent", hint=_NAME_ONE)
    return (folder,)


def root_of(roots: Sequence[Path], names: Sequence[str]) -> Path:
    """The one root that holds all of these files.

    A relative name means the root in which such a file is. Raises `FileTrouble` (``outside_root``) for a
    file of no root, `UsageError` where the names leave open which root is meant, or need more than one.
    """
    if len(roots) == 1:
        return roots[0]
    found = {_root_of_one(roots, name) for name in names}
    if len(found) > 1:
        shown = ", ".join(sorted(map(str, found)))
        raise UsageError(f"the files are in several roots ({shown})", hint="edit files of one root per call")
    return found.pop()


def _root_of_one(roots: Sequence[Path], name: str) -> Path:
    try:
        path = Path(name)
        if path.is_absolute():
            real = Path(os.path.realpath(path))
            holding = [root for root in roots if real.is_relative_to(root)]
        else:
            holding = [root for root in roots if os.path.lexists(root / path)]
    except ValueError:
        holding = []
    if holding:
        if len(holding) > 1 and not path.is_absolute():
            raise UsageError(
                f"{name} is in several roots ({', '.join(map(str, holding))})", hint="use its absolute path"
            )
        return max(holding, key=lambda root: len(root.parts))
    raise FileTrouble(
        f"{name!r} is outside the roots ({', '.join(map(str, roots))})",
        reason="outside_root",
        hint="use a file in these folders; for a new file, use its absolute path",
    )


def outcome_answer(outcome: Outcome, *, dry: bool) -> str:
    """Say what became of each file, with a diff that is cut where it gets long."""
    rows = ["nothing is written, this is a preview"] if dry else []
    room = _DIFF_LINES
    for change in outcome.changes:
        rows.append(outcome_text(change, dry=dry))
        lines = list(dropwhile(lambda line: not line.startswith("@@"), change.diff.split("\n")[:-1]))
        rows += [_cut(line) for line in lines[:room]]
        if len(lines) > room:
            rows.append(f"... {len(lines) - room} more lines of the diff")
        room = max(0, room - len(lines))
    rows += [] if outcome.certainty is None else [f"certainty {outcome.certainty:.1%}"]
    rows += [f"warning: {warning}" for warning in outcome.warnings]
    return "\n".join(rows)


def error_answer(error: FastapplyError, lines: tuple[str, ...] | None = None) -> str:
    """Say why an edit was not put in and what to send instead.

    `lines` are those of the file, where it is one that can be read: the nearest of them are shown.
    """
    refused = isinstance(error, Refused)
    written = "" if error.reason == _PERHAPS_WRITTEN else ", nothing was written"
    message = error.message.replace("--at ", "at_lines ")
    rows = [f"{'refused' if refused else 'failed'} [{error.reason}]{written}: {message}"]
    hints = [error.hint]
    if isinstance(error, Refused):
        for number, question in enumerate(error.questions):
            if number:
                rows.append(f"also: {question.message} [{question.reason}]")
                hints.append(question.hint)
            rows += _places(question)
            rows += [] if is_ranked(question) else _nearest(question.nearest, lines)
        rows += [
            f"{finding.message} [{finding.code}]"
            for finding in error.findings
            if finding.message not in error.message
        ]
        if any(is_ranked(question) for question in error.questions):
            hints = [_how_to_pick(error), *(f"or {hint}" for hint in hints[:1]), *hints[1:]]
        elif any(_differ(question) for question in error.questions):
            hints.append("or send the same edit with at_lines, the lines of the right place")
    if error.reason == "missing":
        hints.append(_CREATE)
    rows += [f"hint: {hint}" for hint in plain_hints(hints)]
    return "\n".join(rows)


def _how_to_pick(refused: Refused) -> str:
    """The call that answers a question about a lazy edit."""
    before = "".join(f"{one}, " for one in refused.taken)
    named = before if refused.decision is None else f"{before}{refused.decision}:"
    if len(refused.candidates) == 1:
        return f'if this is right, make the same call again with pick "{named}1"'
    numbers = range(1, len(refused.candidates) + 1)
    picks = [f'"{named}{number}"' for number in numbers]
    return f"make the same call again with pick {', '.join(picks[:-1])} or {picks[-1]}"


def _differ(question: Question) -> bool:
    """Whether lines of the file tell the candidates apart."""
    places = [place.lines for place in question.candidates]
    return len(places) > 1 and len(set(places)) == len(places)


def _places(question: Question) -> list[str]:
    """The answers to a question, or the places that lines of the file tell apart."""
    if is_ranked(question):
        return [_cut(row) for row in answer_rows(question)]
    rows: list[str] = []
    if not _differ(question):
        return rows
    does = differences(question.candidates)
    for place, words in zip(question.candidates[:_PLACES], does, strict=False):
        rows.append(f"  fits at {where(place)}" + (f" in {_cut(place.enclosing)}" if place.enclosing else ""))
        rows += [f"    {_cut(word)}" for word in words]
    if len(question.candidates) > _PLACES:
        rows.append(f"  and at {len(question.candidates) - _PLACES} more places")
    return rows


def _nearest(nearest: LineRange | None, lines: tuple[str, ...] | None) -> list[str]:
    if nearest is None or lines is None:
        return []
    last = min(nearest.last, nearest.first + _NEAREST_LINES - 1, len(lines))
    shown = [f"  {number}: {_cut(lines[number - 1])}" for number in range(nearest.first, last + 1)]
    return ["the nearest lines of the file:", *shown] if shown else []


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[:_WIDTH]}..."
