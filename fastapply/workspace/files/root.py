"""Paths that an edit names, held inside the folder that it may change, and how a file's place is written.

`git apply` reads the names of a diff from the top of the repository that it is called in, also in a folder
below it, and silently skips what lies outside of that folder. So a diff that is made inside of a repository
names its files from there. Outside of one, names start from the current directory, as `git apply` then reads
them.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from fastapply.errors import FileTrouble

_DRIVE = re.compile(r"[A-Za-z]:(?:[\\/]|$)")
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|:|$)")
_FORBIDDEN = re.compile(r'[<>:"|?*\x00-\x1f]|[. ]$')


def inside(root: str | os.PathLike[str], path: str, *, windows: bool = os.name == "nt") -> Path:
    """Find the place under `root` that an edit means by `path`.

    The result is absolute. Its folder has all symbolic links followed, its last part has not, so that
    a link can be told from its target; where the last part is a link, its target is inside as well.
    The file need not exist. ``windows`` chooses whose rules for file names hold.

    Raises `FileTrouble` (``outside_root``) for an absolute path or ``..`` that leads out, a symbolic link
    that leads out, a drive letter or a name that Windows reserves, ``~``, an empty name, one with a NUL,
    and for everything in ``.git`` (a hook written there would be run).
    """
    base = Path(os.path.realpath(root))
    if not path.strip() or "\0" in path:
        raise _outside(path, base, "it is not a file name")
    candidate = Path(path)
    if candidate.is_absolute():
        parts = candidate.parts[1:]
    else:
        parts = tuple(re.split(r"[\\/]", path))
        _check_relative(path, parts, base, windows=windows)
    if windows and any(_RESERVED.match(part) or _FORBIDDEN.search(part) for part in parts if part.strip(".")):
        raise _outside(path, base, "Windows does not allow that name")
    joined = base / candidate
    try:
        folder = Path(os.path.realpath(joined.parent))
        target = Path(os.path.realpath(joined))
    except (OSError, ValueError):
        raise _outside(path, base, "it contains a broken link") from None
    place = target if joined.name in {"", ".", ".."} else folder / joined.name
    if not place.is_relative_to(base) or not target.is_relative_to(base):
        raise _outside(path, base, "it is outside that folder")
    if target == base:
        raise FileTrouble(f"{path} is the folder itself, not a file", reason="not_a_file")
    names = (*place.relative_to(base).parts, *target.relative_to(base).parts)
    if any(name.casefold() in {".git", "git~1"} for name in names):
        raise _outside(path, base, "files in .git cannot be edited")
    return place


def _check_relative(path: str, parts: tuple[str, ...], base: Path, *, windows: bool) -> None:
    """Judge the text alone, by the rules of every system: an edit may come from another one."""
    if _DRIVE.match(path) or (windows and re.match(r"[A-Za-z]:", path)):
        raise _outside(path, base, "it has a drive letter")
    if path.startswith(("\\", "/")):
        raise _outside(path, base, "it is an absolute path")
    if parts[0].startswith("~") and (len(parts) > 1 or parts[0] == "~"):
        raise _outside(path, base, "it starts with a home folder")
    depth = 0
    for part in parts:
        depth += -1 if part == ".." else part not in {"", "."}
        if depth < 0:
            raise _outside(path, base, "it is outside that folder")


def _outside(path: str, base: Path, why: str) -> FileTrouble:
    return FileTrouble(
        f"{path!r} cannot be changed under {base}: {why}",
        reason="outside_root",
        hint="use a path relative to the root, or change the root with --root",
    )


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
