"""How to tune a base: the numbers of a run, and what its results are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pathlib import Path

    from fastapply.models.prompts import StyleName

Dtype = Literal["bf16", "f32"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What decides what a run comes to, and how it is watched.

    The defaults are those of a first run that worked on two cores: rank 16, alpha 32, AdamW, 2e-4, four
    samples a step, at most 1,024 tokens a sample.
    """

    style: StyleName = "instruct"
    rank: int = 16
    alpha: int = 32
    learning_rate: float = 2e-4
    warmup: float = 0.03  # share of the steps
    epochs: int = 1
    steps: int | None = None  # at most so many, whatever the epochs
    minutes: float | None = None  # at most so long: the learning rate falls with the time then
    batch: int = 4  # samples a step
    max_length: int = 1024  # tokens of prompt and answer
    recompute: bool = True  # layers are computed again on the way back: a third more time, far less memory
    dtype: Dtype = "bf16"  # of the base, which is frozen; adapters are float32
    save_minutes: float = 5.0  # between checkpoints, beside the one when a run is stopped
    check_every: int = 50  # steps between looks at the validation data
    check_samples: int = 40  # of them
    seed: int = 1


MAY_CHANGE = ("minutes", "save_minutes", "recompute", "check_every", "check_samples")
"""What two parts of one run may have otherwise: it changes no weight, or only when the run ends."""


@dataclass(frozen=True, slots=True)
class Score:
    """How well answers are foretold, forced along the right one.

    `loss` is in nats a token, `bits` a byte of their texts; an answer is `exact` where each of its tokens
    would be chosen, which is what greedy decoding would write.
    """

    loss: float
    bits: float
    right: float  # share of next tokens that would be chosen
    exact: int
    samples: int

    @property
    def share(self) -> float:
        """Of the answers, those that are exact."""
        return self.exact / max(1, self.samples)

    def to_object(self) -> dict[str, Any]:
        """As it stands in the log."""
        return {
            "loss": self.loss,
            "bits_per_byte": self.bits,
            "next_token_right": self.right,
            "exact": self.exact,
            "samples": self.samples,
        }


@dataclass(frozen=True, slots=True)
class Tuned:
    """What came of a run; `merged` is None where that was not asked for."""

    adapter: Path
    merged: Path | None
    steps: int
    samples: int
    left_out: dict[str, int]  # samples, by the reason
    last: Score | None  # of the last step
    validation: Score | None
