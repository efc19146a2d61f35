"""What a training run does when: the learning rate, and which samples come in which order.

Pure functions of the plan, so that a run that was stopped goes on with what would have come.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from fastapply.errors import UsageError
from fastapply_lab.train.packing import pack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapply_lab.train.packing import Packed, Tokens


@dataclass(frozen=True, slots=True)
class Plan:
    """A run. Sizes are in tokens, padding included."""

    tokens: int = 30_000_000
    batch: int = 4096
    rate: float = 2e-3
    decay: float = 0.05
    warmup: float = 0.02  # shares of the run
    cooling: float = 0.5
    short: int = 384
    growing: float = 0.35
    prompt_weight: float = 0.1
    seed: int = 1
    check_every: int = 2_000_000
    check_samples: int = 300

    @property
    def steps(self) -> int:
        """How many steps a run has: the last one may go beyond its tokens."""
        return -(-self.tokens // self.batch)

    @property
    def stretch(self) -> int:
        """Steps between two new orders of the samples: a two hundredth of the run."""
        return max(1, self.tokens // self.batch // 200)


def rate_at(plan: Plan, done: float) -> float:
    """The share of the full rate when so much is done: up, flat, then a half cosine to a twentieth."""
    if done < plan.warmup:
        return (done + 1e-3) / (plan.warmup + 1e-3)
    if done < 1 - plan.cooling or not plan.cooling:
        return 1.0
    fallen = (done - (1 - plan.cooling)) / plan.cooling
    return 0.05 + 0.95 * (1 + math.cos(math.pi * min(1.0, fallen))) / 2


def batches(data: Tokens, plan: Plan, steps: int = 0) -> Iterator[Packed]:
    """The batches of a run from one of its steps to its end: in stretches, each with an order of its own.

    All of a stretch depends on its number alone, so that a run can go on in the middle of one. Where its
    samples are used up before its end, they come again in another order. Raises `UsageError` where no sample
    is short enough for a batch.
    """
    lengths = np.asarray(data.index[:, 2])
    shortest = int(lengths.min())
    if shortest > plan.batch:
        raise UsageError(f"the shortest sample has {shortest} tokens, a batch {plan.batch}", hint="--batch")
    while steps < plan.steps:
        number, done = divmod(steps, plan.stretch)
        longest = max(shortest, _longest(plan, number * plan.stretch * plan.batch / plan.tokens))
        fit: list[int] = np.flatnonzero(lengths <= longest).tolist()
        order = _shuffled(fit, random.Random(f"{plan.seed}:{number}"))  # noqa: S311 - repeatable, not secret
        end = min(plan.stretch, plan.steps - number * plan.stretch)
        yield from islice(pack(data, order, plan.batch, prompt_weight=plan.prompt_weight), done, end)
        steps = number * plan.stretch + end


def _shuffled(numbers: list[int], rng: random.Random) -> Iterator[int]:
    """All numbers by chance, again and again."""
    while True:
        rng.shuffle(numbers)
        yield from numbers


def _longest(plan: Plan, done: float) -> int:
    grown = min(1.0, done / plan.growing) if plan.growing else 1.0
    if grown >= 1 or plan.short >= plan.batch:
        return plan.batch
    return int(plan.short * (plan.batch / plan.short) ** grown)
