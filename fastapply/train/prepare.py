"""What a run needs before its first step: a tokenizer, and the samples as token ids."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from fastapply.dataset.windows import read_windows
from fastapply.errors import FileTrouble
from fastapply.train.packing import Tokens, write_tokens
from fastapply.train.samples import Tokenizer
from fastapply.train.tokenizer import train_tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def prepare(data: Path, folder: Path, vocabulary: int, tell: Callable[[str], None]) -> tuple[Tokens, Tokens]:
    """The samples to train on and those held out; what the run folder has already is taken from there.

    Raises `FileTrouble` where there are none of either.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tokenizer.json"
    if not path.is_file():
        tell("learning a tokenizer")
        train_tokenizer(read_windows(data / "train.jsonl"), vocabulary).save(str(path))
    note = folder / "fastapply.json"
    note.write_text(json.dumps({"style": "nano", "name": folder.name}) + "\n", encoding="utf-8")
    tokenizer = Tokenizer(folder, normalise=False)
    both: list[Tokens] = []
    for split in ("train", "valid"):
        target = folder / "tokens" / split
        if not (target / "index.npy").is_file():
            count = write_tokens(read_windows(data / f"{split}.jsonl"), tokenizer, vocabulary, target)
            tell(f"{split}: {count / 1e6:.1f} M tokens")
        tokens = Tokens(target)
        if not len(tokens):
            (target / "index.npy").unlink()
            raise FileTrouble(
                f"{data / split}.jsonl holds no windows",
                reason="empty",
                hint="hold one out with --repos",
            )
        both.append(tokens)
    return both[0], both[1]
