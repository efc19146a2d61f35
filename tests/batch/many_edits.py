"""A folder of files and many edits of them, for batches of a thousand.

Every file has a counter, and each edit counts one up, so that an edit can go in only once and only after
the one before it; every fifth adds a line and would go in a second time just as well; some are refused.
"""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def build(root: Path, count: int) -> None:
    """Make the files: of several kinds, with several line ends."""
    for number in range(count):
        folder = root / f"d{number % 7}"
        folder.mkdir(parents=True, exist_ok=True)
        text = f"# file {number}\nVERSION = 0\n\n\ndef f{number}():\n    total = 0\n    return total\n"
        ending = "\r\n" if number % 3 == 0 else "\n"
        (folder / f"{number}.py").write_bytes(text.replace("\n", ending).encode())


def make_edits(files: int, edits: int, seed: int) -> list[dict[str, Any]]:
    """Write edits in an order that mixes the files; those of one file have to go in in that order."""
    choose = random.Random(seed)  # noqa: S311 - which file is edited next is no secret
    versions = dict.fromkeys(range(files), 0)
    made: list[dict[str, Any]] = []
    while len(made) < edits:
        number = choose.randrange(files)
        name = f"d{number % 7}/{number}.py"
        kind = choose.random()
        edit: Any
        if kind < 0.1:
            edit = (
                f"<<<<<<< SEARCH\nVERSION = {versions[number] + 5}\n=======\nVERSION = 0\n>>>>>>> REPLACE\n"
            )
        elif kind < 0.3:
            line = "    total = 0\n"
            edit = f"<<<<<<< SEARCH\n{line}=======\n{line}    total += {len(made)}\n>>>>>>> REPLACE\n"
        else:
            old, versions[number] = versions[number], versions[number] + 1
            edit = {"old_string": f"VERSION = {old}", "new_string": f"VERSION = {old + 1}"}
        made.append({"file": name, "edit": edit, "id": f"edit {len(made)}"})
    return made


def as_lines(edits: list[dict[str, Any]]) -> bytes:
    """Write the input of a batch."""
    return "".join(json.dumps(edit) + "\n" for edit in edits).encode()


def listing(root: Path) -> dict[str, bytes]:
    """Every file with its bytes; without what killed writes leave for an hour."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and not path.name.startswith(".fastapply-")
    }
