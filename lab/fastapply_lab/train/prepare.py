"""What a run needs before its first step: a tokenizer, and the samples as token ids."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

from fastapply.errors import FileTrouble
from fastapply_lab.data.windows import read_windows
from fastapply_lab.train.packing import Tokens, write_tokens
from fastapply_lab.train.samples import Tokenizer
from fastapply_lab.train.tokenizer import train_tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fastapply_lab.train.decoder import Shape


def take_start(start: Path, folder: Path) -> Shape:
    """The shape of another run's model; its tokenizer is copied to the folder of the new one.

    Raises `FileTrouble` where there is no model, or another tokenizer in the folder.
    """
    from fastapply_lab.train.decoder import Decoder

    theirs, ours = start / "tokenizer.json", folder / "tokenizer.json"
    if not theirs.is_file() or not (start / "model.safetensors").is_file():
        raise FileTrouble(f"{start} holds no run", reason="missing", hint="give the --out of another one")
    if not ours.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(theirs, ours)
    elif ours.read_bytes() != theirs.read_bytes():
        raise FileTrouble(f"{folder} has another tokenizer", reason="exists", hint="choose another --out")
    return Decoder.load(start).shape


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
