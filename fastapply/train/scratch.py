"""Training a small decoder from nothing: the loop, its schedule, its checkpoints, its log.

The hidden matrices are trained with Muon, the rest with AdamW; the rate warms up, stays, and falls along a
half cosine. Short samples come first: the longest that is let in grows from `Plan.short` tokens to all over
the first `Plan.growing` of the run. The loss is that of the answer, and a tenth of it that of the prompt,
which teaches what code looks like. A checkpoint holds everything: a run that was stopped goes on as if it
had not been.
"""

from __future__ import annotations

import json
import math
import random
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import torch

from fastapply.train.decoder import Decoder, Shape
from fastapply.train.packing import pack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from torch import Tensor

    from fastapply.train.packing import Packed, Tokens

MINUTES_BETWEEN = 5.0  # checkpoints


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


class Run:
    """A training run in a folder: ``last.pt`` to go on from, ``log.jsonl``, and the model itself."""

    def __init__(self, folder: Path, shape: Shape, plan: Plan, *, device: str = "cpu") -> None:
        self.folder, self.plan, self.device = folder, plan, device
        folder.mkdir(parents=True, exist_ok=True)
        torch.manual_seed(plan.seed)
        self.decoder = Decoder(shape).to(device)
        matrices = [p for name, p in self.decoder.named_parameters() if p.ndim == 2 and "embed" not in name]
        others = [p for name, p in self.decoder.named_parameters() if p.ndim != 2 or "embed" in name]
        self.optimizers: tuple[torch.optim.Optimizer, ...] = (
            torch.optim.Muon(matrices, lr=plan.rate, weight_decay=plan.decay, adjust_lr_fn="match_rms_adamw"),
            torch.optim.AdamW(others, lr=plan.rate, weight_decay=0.0, betas=(0.9, 0.98)),
        )
        self.steps, self.seen, self.seconds = 0, 0, 0.0
        if (folder / "last.pt").exists():
            self._restore()

    def train(self, data: Tokens, held_out: Tokens, tell: Callable[[str], None], *, compiled: bool) -> None:
        """Go on until the plan's tokens are seen."""
        if compiled:
            self.decoder.compile_parts()
        began = saved = self._mark = time.monotonic()
        losses: list[float] = []
        for batch in self._batches(data):
            losses.append(self._step(batch))
            now = time.monotonic()
            if self.steps % 50 == 0:
                self.seconds += now - began
                began = now
                loss = sum(losses) / len(losses)
                losses.clear()
                rate = 50 * self.plan.batch / max(1e-9, now - self._mark)
                self._mark = now
                self._log("step", loss=loss, tokens_per_second=rate)
                tell(f"{self.seen / 1e6:8.2f} M tokens  loss {loss:.4f}  {rate:,.0f} tokens/s")
            if self.seen // self.plan.check_every != (self.seen - self.plan.batch) // self.plan.check_every:
                self.check(held_out, tell)
                began = self._mark = time.monotonic()
            if now - saved > 60 * MINUTES_BETWEEN:
                self.save()
                saved = now
        self.check(held_out, tell)
        self.save()

    _mark = 0.0

    def check(self, held_out: Tokens, tell: Callable[[str], None]) -> Check:
        """Measure on the first samples held out, log it, and write the model."""
        found: Check = check(self.decoder, held_out, self.plan, self.device)
        self._log("check", **asdict(found))
        tell(f"{self.seen / 1e6:8.2f} M tokens  {found.told()}")
        self.decoder.save(self.folder)
        return found

    def save(self) -> None:
        """Write all that it takes to go on."""
        self.decoder.save(self.folder)
        state = {
            "model": self.decoder.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
            "steps": self.steps,
            "seen": self.seen,
            "seconds": self.seconds,
        }
        torch.save(state, self.folder / "last.pt.part")
        (self.folder / "last.pt.part").replace(self.folder / "last.pt")

    def _restore(self) -> None:
        state = torch.load(self.folder / "last.pt", map_location=self.device, weights_only=True)
        self.decoder.load_state_dict(state["model"])
        for optimizer, saved in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        self.steps, self.seen, self.seconds = state["steps"], state["seen"], state["seconds"]

    def _batches(self, data: Tokens) -> Iterator[Packed]:
        """Batches from where the run stands to its end: in stretches, each with an order of its own."""
        plan = self.plan
        stretch = max(1, plan.tokens // plan.batch // 200)  # batches
        while self.seen < plan.tokens:
            number = self.steps // stretch
            longest = _longest(plan, self.seen / plan.tokens)
            fit = [at for at in range(len(data)) if data.index[at, 2] <= longest]
            random.Random(f"{plan.seed}:{number}").shuffle(fit)  # noqa: S311 - repeatable, not secret
            batches = pack(data, fit, plan.batch, prompt_weight=plan.prompt_weight)
            for at, batch in zip(range(stretch), batches, strict=False):
                if at >= self.steps % stretch:
                    yield batch
                    if self.steps % stretch == 0 or self.seen >= plan.tokens:
                        break

    def _step(self, batch: Packed) -> float:
        plan = self.plan
        rate = plan.rate * rate_at(plan, self.seen / plan.tokens)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate
        nats, _ = self._nats(batch)
        weights = torch.from_numpy(batch.weights).to(self.device)
        loss = (nats * weights).sum() / weights.sum()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.decoder.parameters(), 1.0)
        for optimizer in self.optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        self.steps += 1
        self.seen += plan.batch
        answers = torch.from_numpy(batch.answers)
        return float(nats.detach().cpu()[answers].mean())

    def _nats(self, batch: Packed) -> tuple[Tensor, Tensor]:
        return score(self.decoder, batch, self.device)

    def _log(self, kind: str, **values: float) -> None:
        row = {"kind": kind, "tokens": self.seen, "seconds": round(self.seconds, 1), **values}
        with (self.folder / "log.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def set_threads(count: int) -> None:
    """Threads that torch works with; 0 leaves it as it is."""
    if count:
        torch.set_num_threads(count)


def score(decoder: Decoder, batch: Packed, device: str) -> tuple[Tensor, Tensor]:
    """Nats for each next token of a batch ``[N]``, and whether it is the likeliest."""
    tokens = torch.from_numpy(batch.tokens).to(device)
    targets = torch.from_numpy(batch.targets).to(device)
    with torch.autocast(device, dtype=torch.bfloat16):
        nats, right = decoder.token_loss(decoder(tokens, batch.lengths), targets)
    return nats, right


def rate_at(plan: Plan, done: float) -> float:
    """The share of the full rate when so much is done: up, flat, then a half cosine to a twentieth."""
    if done < plan.warmup:
        return (done + 1e-3) / (plan.warmup + 1e-3)
    if done < 1 - plan.cooling:
        return 1.0
    fallen = (done - (1 - plan.cooling)) / plan.cooling
    return 0.05 + 0.95 * (1 + math.cos(math.pi * min(1.0, fallen))) / 2


def _longest(plan: Plan, done: float) -> int:
    grown = min(1.0, done / plan.growing) if plan.growing else 1.0
    return int(plan.short * (plan.batch / plan.short) ** grown)


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
