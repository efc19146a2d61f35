"""The samples of a file of windows, read from it as they are needed: memory holds where they begin."""

from __future__ import annotations

import json
import random
from array import array
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapply.errors import FileTrouble
from fastapply_lab.data.windows import Window
from fastapply_lab.train.samples import check_style, make_sample

if TYPE_CHECKING:
    from pathlib import Path

    from fastapply.models.prompts import StyleName
    from fastapply_lab.train.samples import Sample, Tokenizer


@dataclass(frozen=True, slots=True)
class Data:
    """Samples by their numbers; `left_out` counts windows that are none, by the reason.

    `tokens` are those of all samples together, `repositories` where they come from.
    """

    path: Path
    starts: array[int]  # offsets of lines, in bytes
    tokenizer: Tokenizer
    style: StyleName
    left_out: dict[str, int]
    tokens: int
    repositories: frozenset[str]

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, number: int) -> Sample:
        with self.path.open("rb") as lines:
            lines.seek(self.starts[number])
            sample = make_sample(Window(**json.loads(lines.readline())), self.tokenizer, self.style)
        if sample is None:
            raise FileTrouble(f"{self.path} changed while it was read", reason="changed")
        return sample

    def batch(self, seed: int, epoch: int, first: int, count: int) -> list[Sample]:
        """Samples of the order that a seed gives an epoch; fewer than `count` at its end."""
        order = list(range(len(self)))
        random.Random(f"{seed}-{epoch}").shuffle(order)  # noqa: S311 - an order, not a secret
        return [self[number] for number in order[first : first + count]]


def read_data(path: Path, tokenizer: Tokenizer, style: StyleName, max_length: int) -> Data:
    """Look through a file of windows.

    Left out are ``too_long`` ones, of more than `max_length` tokens, and those that must be refused in a
    style that has no words for it (``no_refusal``). Raises `FileTrouble` for a file that is none of windows.
    """
    starts, left_out, refusals = array("q"), Counter[str](), False
    tokens, repositories = 0, set[str]()
    try:
        with path.open("rb") as lines:
            at = 0
            for line in lines:
                window = Window(**json.loads(line))
                sample = make_sample(window, tokenizer, style)
                if sample is None:
                    left_out["no_refusal"] += 1
                elif len(sample) > max_length:
                    left_out["too_long"] += 1
                else:
                    starts.append(at)
                    tokens += len(sample)
                    repositories.add(window.repo)
                    refusals = refusals or window.merged is None
                at += len(line)
    except OSError as error:
        raise FileTrouble(f"cannot read {path}: {error.strerror or error}", reason="unreadable") from None
    except (ValueError, TypeError):
        raise FileTrouble(f"{path} holds lines that are no windows", reason="unreadable") from None
    if refusals:
        check_style(tokenizer, style, refusals=True)
    return Data(path, starts, tokenizer, style, dict(left_out), tokens, frozenset(repositories))
