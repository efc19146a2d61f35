"""Windows as token ids in one flat file, and batches of whole documents of them.

``tokens.bin`` holds the ids of all samples one behind the other (uint16, or uint32 for large
vocabularies), ``index.npy`` a row ``(start, prompt, length, bytes of the answer)`` a sample. Both are mapped
into memory, so that the size of the data does not matter.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from fastapply_lab.train.samples import make_sample
from fastapply_lab.train.tokenizer import PAD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import numpy.typing as npt

    from fastapply_lab.data.windows import Window
    from fastapply_lab.train.samples import Tokenizer

_WAITING = 64  # documents among which the next one that fits is looked for


@dataclass(frozen=True, slots=True)
class Packed:
    """One batch: tokens ``[N]``, what comes next ``[N]``, weights of its loss ``[N]``, documents' lengths."""

    tokens: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float32]
    answers: npt.NDArray[np.bool_]  # where the next token is one of the answer's
    lengths: tuple[int, ...]
    samples: tuple[int, ...]  # numbers of the documents; padding at the end has none


class Tokens:
    """Samples as token ids; see the module."""

    def __init__(self, folder: Path) -> None:
        self.index: npt.NDArray[np.int64] = np.load(folder / "index.npy", mmap_mode="r")
        count = int(self.index[-1, [0, 2]].sum()) if len(self.index) else 0
        narrow = (folder / "tokens.bin").stat().st_size == 2 * count
        kind = np.uint16 if narrow else np.uint32
        self.ids = np.memmap(folder / "tokens.bin", dtype=kind, mode="r") if count else np.empty(0, kind)

    def __len__(self) -> int:
        return len(self.index)

    def sample(self, number: int) -> tuple[npt.NDArray[np.int64], int]:
        """The ids of a sample, and how many of them are the prompt."""
        start, prompt, length, _ = self.index[number]
        return self.ids[start : start + length].astype(np.int64), int(prompt)


def write_tokens(windows: Iterable[Window], tokenizer: Tokenizer, size: int, folder: Path) -> int:
    """Tokenise windows into a folder, for a vocabulary of `size`; returns how many tokens there are.

    The index is written last: where it is, the folder is whole.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kind = np.uint16 if size <= 1 << 16 else np.uint32
    rows = array("q")
    at = 0
    with (folder / "tokens.bin").open("wb") as file:
        for window in windows:
            sample = make_sample(window, tokenizer, "nano")
            if sample is None:
                continue
            file.write(np.array(sample.prompt + sample.answer, dtype=kind).tobytes())
            rows.extend((at, len(sample.prompt), len(sample), sample.bytes))
            at += len(sample)
    np.save(folder / "index.npy", np.array(rows, dtype=np.int64).reshape(-1, 4))
    return at


def pack(tokens: Tokens, order: Iterable[int], size: int, *, prompt_weight: float) -> Iterator[Packed]:
    """Batches of `size` tokens from samples in about this order, none of which may be longer than that.

    Every sample comes in exactly one batch, whole; what is left of a batch is padding. The order may be
    endless.
    """
    samples = iter(order)
    waiting = list(islice(samples, _WAITING))
    while waiting:
        room, chosen = size, list[int]()
        at = 0
        while at < len(waiting):
            length = int(tokens.index[waiting[at], 2])
            if length > size:
                raise ValueError(f"a sample of {length} tokens is longer than a batch of {size}")
            if length <= room:
                room -= length
                chosen.append(waiting.pop(at))
                waiting.extend(islice(samples, 1))
            else:
                at += 1
        yield _batch(tokens, chosen, size, prompt_weight)


def _batch(tokens: Tokens, chosen: list[int], size: int, prompt_weight: float) -> Packed:
    row: npt.NDArray[np.int64] = np.full(size, PAD, dtype=np.int64)
    targets: npt.NDArray[np.int64] = np.full(size, PAD, dtype=np.int64)
    weights: npt.NDArray[np.float32] = np.zeros(size, dtype=np.float32)
    answers: npt.NDArray[np.bool_] = np.zeros(size, dtype=np.bool_)
    lengths: list[int] = []
    at = 0
    for number in chosen:
        ids, prompt = tokens.sample(number)
        end = at + len(ids)
        row[at:end] = ids
        targets[at : end - 1] = ids[1:]
        weights[at : at + prompt - 1] = prompt_weight
        weights[at + prompt - 1 : end - 1] = 1.0
        answers[at + prompt - 1 : end - 1] = True
        lengths.append(len(ids))
        at = end
    if at < size:
        lengths.append(size - at)
    return Packed(row, targets, weights, answers, tuple(lengths), tuple(chosen))
