"""Which folders an agent's files may be in, and which of them a file's name means.

``--root`` decides; else the roots that the client names; else the working directory, unless that is
no project (the root of the disk, the user's home), where some clients start their servers.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

from fastapply.errors import FileTrouble, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NAME_ONE = "start the server with `fastapply mcp --root FOLDER`"


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
