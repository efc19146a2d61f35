"""The file's own repository, asked how it imports a name. Looks at tracked files, and only reads."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from fastapply.errors import FastapplyError
from fastapply.text import decode
from fastapply.values import dataclass
from fastapply.workspace import git

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_FILES = 400
_LARGEST = 1_000_000  # bytes of a file that is looked at


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository of a file; `name` is the file's path from its top, with slashes."""

    top: Path
    name: str

    def others_with(self, word: str, suffixes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Give name and text of other files that hold a word, of files whose names end so."""
        try:
            names = git.files_with(self.top, word, [f"*{suffix}" for suffix in suffixes])
        except FastapplyError:
            return
        for name in names[:_MOST_FILES]:
            file = self.top / name
            try:
                if name != self.name and file.stat().st_size <= _LARGEST:
                    yield name, decode(file.read_bytes()).text
            except (OSError, FastapplyError):
                continue

    def package(self) -> str:
        """The folder of the package of Node that the file belongs to, with a slash; "" for the top."""
        for folder in PurePosixPath(self.name).parents[:-1]:
            if (self.top / folder / "package.json").is_file():
                return f"{folder}/"
        return ""


def open_repository(base: str, path: str | None) -> Repository | None:
    """Find the repository of a file whose path is relative to `base`; None where it is in none."""
    if path is None:
        return None
    place = Path(os.path.realpath(Path(base) / path))
    top = git.top_of_folder(place.parent)
    return None if top is None else Repository(top, place.relative_to(top).as_posix())
