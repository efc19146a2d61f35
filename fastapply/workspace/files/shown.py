"""How the place of a file is written: for a person, and in the headers of a diff.

`git apply` reads the names of a diff from the top of the repository that it is called in, also in a folder
below it, and silently skips what lies outside of that folder. So a diff that is made inside of a repository
names its files from there. Outside of one, names start from the current directory, as `git apply` then reads
them.
"""

from __future__ import annotations

import os
from pathlib import Path


def working_tree(path: Path) -> Path | None:
    """Find git's working tree around `path`, which need not exist: `.git` lies in it, or leads away."""
    for folder in path.parents:
        if os.path.lexists(folder / ".git") and ".git" not in path.relative_to(folder).parts:
            return folder
    return None


def shown_path(path: str | os.PathLike[str]) -> str:
    """A path as a person writes it: relative to the current directory where it lies in it."""
    place = Path(path)
    here = os.path.realpath(".")
    return (place.relative_to(here) if place.is_relative_to(here) else place).as_posix()


def name_in_diff(path: str | os.PathLike[str]) -> str:
    """The name of a file in a diff, with slashes; `path` is absolute, and its folders are real ones.

    It starts from the repository of the current directory where that holds the file; else from the present
    folder where that is in no repository and holds it; else from the file's own repository, or the root.
    """
    place, here = Path(path), Path(os.path.realpath("."))
    around = working_tree(here / "file")
    for start in (around if around is not None else here, working_tree(place)):
        if start is not None and place.is_relative_to(start):
            return place.relative_to(start).as_posix()
    return place.relative_to(place.anchor).as_posix()
