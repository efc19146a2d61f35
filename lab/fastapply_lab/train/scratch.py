"""Training a small decoder from nothing: the loop, its schedule, its checkpoints, its log.

The hidden matrices are trained with Muon, the rest with AdamW; the rate warms up, stays, and falls along a
half cosine. Short samples come first: the longest that is let in grows from `Plan.short` tokens to all over
the first `Plan.growing` of the run. The loss is that of the answer, and a tenth of it that of the prompt,
which teaches what code looks like. A checkpoint holds everything: a run that was stopped goes on as if it
had not been, with the same samples in the same order.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

import torch

from fastapply.errors import UsageError
from fastapply_lab.train.decoder import Decoder
from fastapply_lab.train.measure import check, score
from fastapply_lab.train.plan import batches, rate_at
from fastapply_lab.train.plot import can_plot, plot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fastapply_lab.train.decoder import Shape
    from fastapply_lab.train.measure import Check
    from fastapply_lab.train.packing import Packed, Tokens
    from fastapply_lab.train.plan import Plan

MINUTES_BETWEEN = 5.0  # checkpoints
STEPS_BETWEEN = 50  # lines of the log


class Run:
    """A training run in a folder: ``last.pt`` to go on from, ``log.jsonl``, and the model itself.

    A new run begins with the weights of `start`, another run's folder, where one is given; one that was
    stopped goes on with its own. Raises `UsageError` for a folder with a run of another shape or plan.
    """

    def __init__(
        self, folder: Path, shape: Shape, plan: Plan, *, device: str = "cpu", start: Path | None = None
    ) -> None:
        self.folder, self.plan, self.device = folder, plan, device
        if plan.batch > shape.context:
            raise UsageError(f"a batch of {plan.batch} tokens, and a context of {shape.context}")
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
        elif start:
            self.decoder.load_state_dict(Decoder.load(start).state_dict())

    def train(self, data: Tokens, held_out: Tokens, tell: Callable[[str], None], *, compiled: bool) -> None:
        """Go on until the plan's tokens are seen."""
        long = int((data.index[:, 2] > self.plan.batch).sum())
        if long:
            tell(f"{long} of {len(data)} samples are longer than a batch, and left out")
        if compiled:
            self.decoder.compile_parts()
        saved = time.monotonic()
        took, losses = 0.0, list[float]()
        checked = -1
        for batch in batches(data, self.plan, self.steps):
            began = time.monotonic()
            losses.append(self._step(batch))
            now = time.monotonic()
            self.seconds += now - began
            took += now - began
            if self.steps % STEPS_BETWEEN == 0:
                loss, rate = sum(losses) / len(losses), len(losses) * self.plan.batch / max(1e-9, took)
                took, losses = 0.0, []
                self._log("step", loss=loss, tokens_per_second=rate)
                tell(f"{self.seen / 1e6:8.2f} M tokens  loss {loss:.4f}  {rate:,.0f} tokens/s")
            if self.seen // self.plan.check_every != (self.seen - self.plan.batch) // self.plan.check_every:
                self.check(held_out, tell)
                checked = self.seen
            if now - saved > 60 * MINUTES_BETWEEN:
                self.save()
                saved = now
        if checked != self.seen:
            self.check(held_out, tell)
        self.save()

    def check(self, held_out: Tokens, tell: Callable[[str], None]) -> Check:
        """Measure on some samples held out, log it, draw the log, and write the model."""
        found: Check = check(self.decoder, held_out, self.plan, self.device)
        self._log("check", **asdict(found))
        tell(f"{self.seen / 1e6:8.2f} M tokens  {found.told()}")
        self.decoder.save(self.folder)
        if can_plot():
            plot([self.folder], self.folder / "log.png")
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
            "made_of": self._made_of(),
        }
        torch.save(state, self.folder / "last.pt.part")
        (self.folder / "last.pt.part").replace(self.folder / "last.pt")

    def _restore(self) -> None:
        state = torch.load(self.folder / "last.pt", map_location=self.device, weights_only=True)
        before, now = state.get("made_of", self._made_of()), self._made_of()
        if before != now:
            other = ", ".join(f"{key} was {was}" for key, was in before.items() if now.get(key) != was)
            raise UsageError(f"{self.folder} holds another run: {other}", hint="choose another --out")
        self.decoder.load_state_dict(state["model"])
        for optimizer, saved in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        self.steps, self.seen, self.seconds = state["steps"], state["seen"], state["seconds"]
        log = self.folder / "log.jsonl"
        if log.exists():  # what was logged after the checkpoint comes again
            rows = log.read_text(encoding="utf-8").splitlines(keepends=True)
            log.write_text("".join(row for row in rows if _is_before(row, self.seen)), encoding="utf-8")

    def _made_of(self) -> dict[str, float]:
        """Shape and plan: what must be the same for a run to go on."""
        return {**asdict(self.decoder.shape), **asdict(self.plan)}

    def _step(self, batch: Packed) -> float:
        plan = self.plan
        rate = plan.rate * rate_at(plan, self.seen / plan.tokens)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate
        nats, _ = score(self.decoder, batch, self.device)
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

    def _log(self, kind: str, **values: float) -> None:
        row = {"kind": kind, "tokens": self.seen, "seconds": round(self.seconds, 1), **values}
        with (self.folder / "log.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def _is_before(row: str, seen: int) -> bool:
    """Whether a line of the log is whole and was written at most so many tokens into the run."""
    try:
        return bool(row.endswith("\n") and json.loads(row)["tokens"] <= seen)
    except (ValueError, KeyError, TypeError):
        return False


def set_threads(count: int) -> None:
    """Threads that torch works with; 0 leaves it as it is."""
    if count:
        torch.set_num_threads(count)
