"""Which repositories data is made of: paths, addresses to clone, and lists that say who is held out.

A list has one repository a line, with ``valid`` or ``test`` before it where it is held out (``train`` says
that it is not); ``#`` begins a comment::

    pallets+flask/repo
    valid https://github.com/spf13/viper
    test ../requests
"""

from __future__ import annotations

import hashlib
import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapply.errors import FileTrouble, UsageError
from fastapply.folders import cache_folder
from fastapply_lab.data.history import repository_name

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_COMMENT = re.compile(r"(?:^|\s)#.*")
_ADDRESS = re.compile(r"^(?:[a-z+]+://|[\w.-]+@[\w.-]+:)")


@dataclass(frozen=True, slots=True)
class Sources:
    """Local repositories, and the names of those that a list puts into one of the three files."""

    paths: tuple[Path, ...]
    train: tuple[str, ...] = ()
    valid: tuple[str, ...] = ()
    test: tuple[str, ...] = ()


def read_sources(named: Sequence[str], listed: Path | None, root: Path | None = None) -> Sources:
    """Repositories from the command line and from a list, cloned where they are addresses.

    Paths of a list begin at `root`, or at the list's own folder. Raises `FileTrouble` for a list that is
    not there, a path that is not a repository, and one that cannot be cloned; `UsageError` for a line that
    means nothing, and for two repositories of one name, since windows tell and splits are made by names.
    """
    from pathlib import Path

    entries = [("", _local(name, Path.cwd())) for name in named]
    if listed is not None:
        try:
            text = listed.read_text(encoding="utf-8")
        except OSError as error:
            raise FileTrouble(f"cannot read {listed}: {error.strerror}", reason="missing") from None
        except UnicodeDecodeError:
            raise FileTrouble(f"{listed} is not a list of repositories", reason="unreadable") from None
        said = [_read_line(line, f"{listed}:{number}") for number, line in _numbered(text)]
        entries += [(split, _local(name, root or listed.parent)) for split, name in said]
    _refuse_twins(entries)
    names = {
        split: tuple(repository_name(path) for kind, path in entries if kind == split)
        for split in ("train", "valid", "test")
    }
    return Sources(tuple(path for _, path in entries), **names)


def _numbered(text: str) -> list[tuple[int, str]]:
    """The lines that say something, without their comments, by their numbers."""
    said = ((number, _COMMENT.sub("", line).strip()) for number, line in enumerate(text.splitlines(), 1))
    return [(number, line) for number, line in said if line]


def _read_line(line: str, where: str) -> tuple[str, str]:
    """The split that a line names, or "", and the repository."""
    words = line.split()
    if len(words) == 1:
        return "", words[0]
    if len(words) == 2 and words[0] in {"train", "valid", "test"}:
        return words[0], words[1]
    raise UsageError(f"{where}: {line!r} is not a repository", hint="[train|valid|test] PATH|URL")


def _refuse_twins(entries: Sequence[tuple[str, Path]]) -> None:
    seen: dict[str, Path] = {}
    for _, path in entries:
        name = repository_name(path)
        if name in seen:
            same = "is named twice" if seen[name].resolve() == path.resolve() else "is the name of two"
            raise UsageError(f"the repository {name} {same}: {seen[name]} and {path}")
        seen[name] = path


def _local(name: str, root: Path) -> Path:
    if _ADDRESS.match(name):
        return _clone(name)
    path = root / name
    if not (path / "HEAD").is_file() and not (path / ".git").exists():
        raise FileTrouble(
            f"{path} is not a git repository", reason="missing", hint="give a git clone, bare or not"
        )
    return path


def _clone(address: str) -> Path:
    """A bare clone in the user's cache folder, made once: the folder is that of the whole address."""
    from git import Repo
    from git.exc import GitCommandError

    steps = re.split(r"[/:]+", address.rstrip("/").removesuffix(".git"))
    name = "+".join(re.sub(r"[^\w.-]+", "+", step) for step in steps[-2:])
    where = hashlib.sha256(address.encode()).hexdigest()[:12]
    path = cache_folder() / "repositories" / where / f"{name}.git"
    if not (path / "HEAD").is_file():
        part = path.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)  # of a clone that was stopped
        try:
            Repo.clone_from(address, part, bare=True)
        except GitCommandError as error:
            fatal = re.search(r"fatal: .*[^'\s]", str(error.stderr))
            why = fatal.group() if fatal else f"git exited with {error.status}"
            raise FileTrouble(f"cannot clone {address}: {why}", reason="missing") from None
        part.replace(path)
    return path
