"""Which repositories data is made of: paths, addresses to clone, and lists that say who is held out.

A list has one repository a line, with ``valid`` or ``test`` before it where it is held out; ``#`` begins a
comment::

    pallets+flask/repo
    valid https://github.com/spf13/viper
    test ../requests
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapply.errors import FileTrouble
from fastapply.evaluate.history import repository_name
from fastapply.llm.places import cache_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_ADDRESS = re.compile(r"^(?:[a-z+]+://|[\w.-]+@[\w.-]+:)")


@dataclass(frozen=True, slots=True)
class Sources:
    """Local repositories, and the names of those that are held out."""

    paths: tuple[Path, ...]
    valid: tuple[str, ...] = ()
    test: tuple[str, ...] = ()


def read_sources(named: Sequence[str], listed: Path | None, root: Path | None = None) -> Sources:
    """Repositories from the command line and from a list, cloned where they are addresses.

    Paths of a list begin at `root`, or at the list's own folder. Raises `FileTrouble` for a list that is
    not there, a path that is no repository, and one that cannot be cloned.
    """
    from pathlib import Path

    entries = [("", _local(name, Path.cwd())) for name in named]
    if listed is not None:
        try:
            text = listed.read_text(encoding="utf-8")
        except OSError as error:
            raise FileTrouble(f"cannot read {listed}: {error.strerror}", reason="missing") from None
        for line in text.splitlines():
            words = line.partition("#")[0].split()
            if words:
                split = words[0] if len(words) > 1 and words[0] in {"train", "valid", "test"} else ""
                entries.append((split, _local(words[-1], root or listed.parent)))
    held = {
        split: tuple(repository_name(path) for kind, path in entries if kind == split)
        for split in ("valid", "test")
    }
    return Sources(tuple(path for _, path in entries), held["valid"], held["test"])


def _local(name: str, root: Path) -> Path:
    if _ADDRESS.match(name):
        return _clone(name)
    path = root / name
    if not (path / "HEAD").is_file() and not (path / ".git").exists():
        raise FileTrouble(f"{path} is no git repository", reason="missing", hint="give a clone, bare or not")
    return path


def _clone(address: str) -> Path:
    """A bare clone in the user's cache folder, made once."""
    from git import Repo
    from git.exc import GitCommandError

    name = re.sub(r"[^\w.-]+", "+", "/".join(re.split(r"[/:]+", address)[-2:]).removesuffix(".git"))
    path = cache_folder() / "repositories" / f"{name}.git"
    if not (path / "HEAD").is_file():
        part = path.with_suffix(".part")
        try:
            Repo.clone_from(address, part, bare=True)
        except GitCommandError as error:
            message = str(error.stderr).strip().splitlines()[-1:] or [str(error.status)]
            raise FileTrouble(f"cannot clone {address}: {message[0].strip()}", reason="missing") from None
        part.replace(path)
    return path
