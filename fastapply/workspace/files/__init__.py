"""The only place that reads and writes the files that edits are for.

A run looks like this; nothing here prints, and what the user should know comes back as warnings::

    warnings = recover(path)                  # undo what a killed run left half done
    with locked(path) as held:                # a second fastapply waits here
        state = read(path)
        ...                                   # merge, verify
        with remembered(replaced, keep):         # the old bytes, for `fastapply undo`
            written = write(state, data, held)  # or `commit(root, operations, held)` for several files

Every failure is a `FileTrouble` (exit status 4) whose `reason` is one of: ``missing``, ``unreadable``,
``not_a_file``, ``binary``, ``encoding``, ``changed`` (by somebody else since it was read), ``locked`` (by
another fastapply), ``unfinished`` (a killed run has to be undone first), ``outside_root``, ``exists``,
``read_only``, ``symlink``, ``disk_full``, ``conflict`` (two operations on one path), ``write_failed``,
``not_restored`` (a failed transaction that could not be undone yet).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.workspace.files.entries import Keep as Keep
from fastapply.workspace.files.entries import Replaced as Replaced
from fastapply.workspace.files.entries import remembered as remembered
from fastapply.workspace.files.entries import replaced_at as replaced_at
from fastapply.workspace.files.lock import Held as Held
from fastapply.workspace.files.read import FileState as FileState
from fastapply.workspace.files.read import read as read
from fastapply.workspace.files.recover import locked as locked
from fastapply.workspace.files.recover import recover as recover
from fastapply.workspace.files.root import inside as inside
from fastapply.workspace.files.write import Written as Written
from fastapply.workspace.files.write import create as create
from fastapply.workspace.files.write import git_mode as git_mode
from fastapply.workspace.files.write import save as save
from fastapply.workspace.files.write import write as write

if TYPE_CHECKING:
    from fastapply.workspace.files.journal import Create as Create
    from fastapply.workspace.files.journal import Delete as Delete
    from fastapply.workspace.files.journal import Move as Move
    from fastapply.workspace.files.journal import Operation as Operation
    from fastapply.workspace.files.journal import Restore as Restore
    from fastapply.workspace.files.journal import Write as Write
    from fastapply.workspace.files.journal import commit as commit


def __getattr__(name: str) -> object:
    """Import what changes several files when it is first asked for: a change of one file never does."""
    if name in {"Create", "Delete", "Move", "Operation", "Restore", "Write", "commit"}:
        from fastapply.workspace.files import journal

        return getattr(journal, name)
    raise AttributeError(name)
