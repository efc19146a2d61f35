"""What a warm model adds to `fastapply apply`, whole process against whole process: medians, in milliseconds.

    python tests/models/warm_latency.py

The same file and the same result: once by an edit that is certain, once by one that fits at two places and is
decided by a small model that reads its answer in its prompt, in a worker that has the model loaded. What the
model itself took, prompt and answer, is told by `--json` and taken off.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pointer_model import point, write_model

from fastapply.models.llama.library import Model, Settings
from fastapply.models.prompts import ShownToModel, expected_answer, render_prompt

ROUNDS = 20
FILE = "def one():\n    x = 1\n    return x\n\n\ndef two():\n    x = 1\n    return x\n"
OPEN = "<<<<<<< SEARCH\n    return x\n=======\n    return x, x\n>>>>>>> REPLACE\n"
CERTAIN = OPEN.replace("    return x\n=", "def two():\n    x = 1\n    return x\n=").replace(
    "=\n    return x, x", "=\ndef two():\n    x = 1\n    return x, x"
)
MERGED = FILE[: FILE.rindex("return")] + "return x, x\n"


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for variable in ("FASTAPPLY_STATE_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            os.environ[variable] = str(folder / variable.lower())
        model = make_model(folder / "pointer.gguf")
        (folder / "open.txt").write_text(OPEN, encoding="utf-8")
        (folder / "certain.txt").write_text(CERTAIN, encoding="utf-8")
        run(folder, "models", "use", str(model), "--style", "nano")
        apply(folder, "open.txt")
        certain, warm, itself = [], [], []
        for _ in range(ROUNDS):
            certain.append(apply(folder, "certain.txt")[0])
            seconds, told = apply(folder, "open.txt")
            warm.append(seconds)
            itself.append(len(expected_answer("nano", MERGED)) / told["model"]["chars_per_second"])
        run(folder, "worker", "stop")
    beyond = [total - own for total, own in zip(warm, itself, strict=True)]
    for words, values in (("certain", certain), ("warm model", warm), ("the model itself", itself)):
        show(words, statistics.median(values))
    show(
        "warm, beyond the model and the certain edit", statistics.median(beyond) - statistics.median(certain)
    )


def make_model(path: Path) -> Path:
    """A model that answers the open edit."""
    write_model(path)
    bare = Model(str(path), Settings(threads=1))
    prompt = render_prompt("nano", ShownToModel(FILE, OPEN))
    tokens = [
        token
        for piece in prompt.pieces
        for token in bare.tokenise(piece.text.encode(), special=piece.special)
    ]
    wanted = bare.tokenise(expected_answer("nano", MERGED).encode())
    bare.close()
    write_model(path, *point(tokens, wanted))
    return path


def apply(folder: Path, edit: str) -> tuple[float, dict[str, Any]]:
    """Seconds of one whole run, and what it told."""
    (folder / "a.py").write_text(FILE, encoding="utf-8")
    started = time.perf_counter()
    told = json.loads(run(folder, "apply", "--json", "--threads", "1", "a.py", edit))
    seconds = time.perf_counter() - started
    assert (folder / "a.py").read_text(encoding="utf-8") == MERGED
    assert (told["method"] == "model") == (edit == "open.txt")
    return seconds, told


def run(folder: Path, *arguments: str) -> str:
    """The command line."""
    done = subprocess.run(
        [sys.executable, "-m", "fastapply", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def show(words: str, seconds: float) -> None:
    """One line."""
    print(f"{words}: {seconds * 1e3:.1f} ms")  # noqa: T201 - a script


if __name__ == "__main__":
    main()
