"""The tools: `edit_file`, `edit_files` and `preview_edit`, from arguments to the text of the answer.

A merge runs in a thread. An agent that gives a call up, or a merge that takes too long, ends the call
before anything is written, or not at all: the thread asks once more just before it writes.

Which folders an agent's files may be in: ``--root`` decides, else the roots that the client names, else the
working directory, unless that is no project (the root of the disk, the user's home), where some clients start
their servers.
"""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

import anyio
from anyio import from_thread, to_thread

from fastapply.config import keep_of, limits_of, load
from fastapply.edits.prompt_text import LAZY_RULES
from fastapply.errors import FastapplyError, FileTrouble, Refused, UsageError
from fastapply.pipeline.picks import read_lines, read_picks, read_where
from fastapply.server.mcp.answers import error_answer, outcome_answer
from fastapply.types import Options
from fastapply.values import dataclass
from fastapply.workspace.files import inside, read
from fastapply.workspace.git import open_repository
from fastapply.workspace.named import NamedEdit, change_named_files
from fastapply.workspace.usage_log import Note, keep_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fastapply.models.engine import ApplyModel
    from fastapply.types import Opener
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
