"""The files of a folder, with all that is below it: those that a person would call the project's.

Inside of a git repository they are what git tracks or would track, by its ignore rules; elsewhere all but
what belongs to a version control system. Links are not followed: what they name is elsewhere.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.errors import FileTrouble
from fastapply.workspace.files.root import working_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NOT_THE_PROJECTS = frozenset({".git", ".hg", ".svn", ".jj"})


def files_of(names: Iterable[str]) -> Iterator[str]:
    """The files that are named, and those of the folders that are, each once and under the name as given.

    ``["a.py", "src"]`` gives ``a.py``, ``src/b.py``, ``src/c/d.py``. A name of nothing is given as it is.
    Raises `FileTrouble` (``unreadable``) for a folder, `UsageError` (``no_git``) and `FileTrouble` (``git``)
    for one of a repository.
    """
    for name in dict.fromkeys(names):
        if os.path.isdir(name):  # noqa: PTH112 - a name with a NUL is none
            yield from _below(name)
        else:
            yield name


def _below(folder: str) -> Iterator[str]:
    real = Path(os.path.realpath(folder))
    top = working_tree(real / "file")
    if top is None:
        yield from _all_below(folder)
        return
    from fastapply.workspace.git import list_files

    for path in list_files(real, top):
        shown = os.path.normpath(os.path.join(folder, os.path.relpath(path, real)))  # noqa: PTH118
        try:
            mode = os.lstat(path).st_mode
        except OSError:  # git knows it, and it was deleted
            continue
        if stat.S_ISREG(mode):
            yield shown
        elif stat.S_ISDIR(mode):  # a repository of its own, or a submodule
            yield from _below(shown)


def _all_below(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda one: one.name)
    except OSError as error:
        raise FileTrouble(
            f"cannot read the folder {folder}: {error.strerror or error}", reason="unreadable"
        ) from None
    for entry in entries:
        shown = os.path.normpath(entry.path)
        if entry.is_file(follow_symlinks=False):
            yield shown
        elif entry.is_dir(follow_symlinks=False) and entry.name not in _NOT_THE_PROJECTS:
            # A folder below may be the working tree of a repository
            yield from _below(shown) if os.path.lexists(f"{entry.path}/.git") else _all_below(shown)
