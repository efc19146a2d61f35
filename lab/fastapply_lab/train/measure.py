"""What a small decoder does on samples that it was not trained on."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from fastapply_lab.train.packing import pack

if TYPE_CHECKING:
    from torch import Tensor

    from fastapply_lab.train.decoder import Decoder
    from fastapply_lab.train.packing import Packed, Tokens
    from fastapply_lab.train.plan import Plan


@dataclass(frozen=True, slots=True)
class Check:
    """What a model does on samples not trained on; `exact` counts answers right to the last token."""

    samples: int
    exact: int
    right_tokens: float  # share of the answers' tokens
    bits_per_byte: float  # of the answers

    def told(self) -> str:
        """One line."""
        return (
            f"exact {self.exact}/{self.samples} = {self.exact / max(1, self.samples):.1%}, "
            f"tokens right {self.right_tokens:.3%}, {self.bits_per_byte:.4f} bits per byte"
        )


def score(decoder: Decoder, batch: Packed, device: str) -> tuple[Tensor, Tensor]:
    """Nats for each next token of a batch ``[N]``, and whether it is the likeliest."""
    tokens = torch.from_numpy(batch.tokens).to(device)
    targets = torch.from_numpy(batch.targets).to(device)
    with torch.autocast(device, dtype=torch.bfloat16):
        nats, right = decoder.token_loss(decoder(tokens, batch.lengths), targets)
    return nats, right


@torch.no_grad()
def check(decoder: Decoder, data: Tokens, plan: Plan, device: str) -> Check:
    """Teacher-forced: an answer all of whose tokens are the likeliest is what greedy decoding writes."""
    fit = [at for at in range(len(data)) if data.index[at, 2] <= plan.batch]
    random.Random(0).shuffle(fit)  # noqa: S311
    exact = samples = right_count = token_count = size = 0
    nats_sum = 0.0
    for batch in pack(data, fit[: plan.check_samples], plan.batch, prompt_weight=0.0):
        nats, right = (x.cpu() for x in score(decoder, batch, device))
        answers = torch.from_numpy(batch.answers)
        at = 0
        for length in batch.lengths[: len(batch.samples)]:
            here = answers[at : at + length]
            exact += bool(right[at : at + length][here].all())
            at += length
        samples += len(batch.samples)
        right_count += int(right[answers].sum())
        token_count += int(answers.sum())
        nats_sum += float(nats[answers].double().sum())
        size += sum(int(data.index[number, 3]) for number in batch.samples)
    return Check(samples, exact, right_count / max(1, token_count), nats_sum / math.log(2) / max(1, size))
