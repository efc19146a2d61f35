"""Tuning of a public model: LoRA on any causal model of the Hugging Face layout, then one merged checkpoint.

The defaults are the settings that Relace published for their apply model: rank 128, alpha 32, AdamW with
a learning rate of 5e-5. Loss counts on the answer only. A step reads its samples one by one, each as long as
it is, and weighs all tokens of their answers alike; layers are computed again on the way back, so that
long files fit. A sample that is too long is left out and counted, never cut.

What lies in the folder that is written::

    state.pt     where a run that was stopped goes on: adapter, optimiser, step
    log.jsonl    one line a step, and one for each look at the validation data
    merged/      the checkpoint, with the card that `export` reads
"""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fastapply.errors import ModelTrouble
from fastapply.train import demand
from fastapply.train.lora_data import read_data
from fastapply.train.lora_model import load_adapted, pick_device, save_merged
from fastapply.train.lora_state import describe, load_state, save_state
from fastapply.train.samples import Tokenizer, check_style

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from fastapply.llm.prompts import StyleName
    from fastapply.train.lora_data import Data
    from fastapply.train.samples import Sample

_LONGEST_GRADIENT = 1.0
_LAST_RATE = 0.1  # of the learning rate, at the end of its cosine


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to tune."""

    style: StyleName = "kortix"
    rank: int = 128
    alpha: int = 32
    learning_rate: float = 5e-5
    warmup: float = 0.03  # share of the steps
    epochs: int = 1
    steps: int | None = None  # at most so many, whatever the epochs
    batch: int = 16  # samples a step
    max_length: int = 8192  # tokens of prompt and answer
    recompute: bool = True  # layers are computed again on the way back: slower, and far less memory
    dtype: Literal["auto", "f32", "bf16"] = "auto"  # of the base; auto: bf16 where a GPU has it
    save_every: int = 100  # steps
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Score:
    """How well answers are foretold: `loss` in nats a token, `bits` a byte of their texts."""

    loss: float
    bits: float
    right: float  # share of next tokens that would be chosen

    def to_object(self) -> dict[str, float]:
        """As it stands in the log."""
        return {"loss": self.loss, "bits_per_byte": self.bits, "next_token_right": self.right}


@dataclass(frozen=True, slots=True)
class Tuned:
    """What came of a run."""

    merged: Path
    steps: int
    samples: int
    left_out: dict[str, int]  # samples, by the reason
    last: Score | None  # of the last step
    validation: Score | None


def tune(
    base: str,
    data: Path,
    out: Path,
    recipe: Recipe,
    *,
    validation: Path | None = None,
    name: str = "",
    watch: Callable[[dict[str, Any]], None] | None = None,
) -> Tuned:
    """Tune a model, go on where a run into the same folder was stopped, and write the merged checkpoint.

    `base` is a folder or a name on the hub; `watch` is told each line of the log. Raises `ModelTrouble`
    (``not_installed``, ``bad_tokenizer``, ``bad_checkpoint``, ``no_data``), `UsageError` where the folder
    holds a run of another recipe.
    """
    demand("torch", "transformers", "peft", "tokenizers", "safetensors")
    import torch

    out.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(base, normalise=False)
    check_style(tokenizer, recipe.style)
    read = read_data(data, tokenizer, recipe.style, recipe.max_length)
    held = validation and read_data(validation, tokenizer, recipe.style, recipe.max_length)
    if not len(read):
        raise ModelTrouble(f"{data} holds no sample to train on: {read.left_out}", reason="no_data")
    torch.manual_seed(recipe.seed)
    model = load_adapted(base, recipe, pick_device())
    run = _Run(model, read, recipe)
    described = describe(base, data, recipe)
    done = load_state(out / "state.pt", run.model, run.optimiser, described)
    log = _Log(out / "log.jsonl", done, watch)
    checked, last = None, None
    for step in range(done, run.steps):
        started = time.perf_counter()
        last, rate, tokens = run.step(step)
        seconds = time.perf_counter() - started
        log.write(step + 1, {**last.to_object(), "rate": rate, "tokens": tokens, "seconds": seconds})
        if (step + 1) % recipe.save_every == 0 or step + 1 == run.steps:
            save_state(out / "state.pt", run.model, run.optimiser, described, step + 1)
            if held:
                checked = run.score(held)
                log.write(step + 1, {"validation": checked.to_object()})
    if held and checked is None:
        checked = run.score(held)
    merged = save_merged(run.model, tokenizer, base, out / "merged", style=recipe.style, name=name)
    return Tuned(merged, run.steps, len(read), read.left_out, last, checked)


class _Run:
    """Model, optimiser and the order of samples."""

    def __init__(self, model: Any, data: Data, recipe: Recipe) -> None:  # noqa: ANN401 - of peft
        import torch

        self.model, self._data, self._recipe = model, data, recipe
        weights = [weight for weight in model.parameters() if weight.requires_grad]
        self._weights = weights
        self.optimiser = torch.optim.AdamW(weights, lr=recipe.learning_rate, weight_decay=0.0)
        self._a_pass = math.ceil(len(data) / recipe.batch)  # steps
        self.steps = min(self._a_pass * recipe.epochs, recipe.steps or 1 << 62)

    def step(self, number: int) -> tuple[Score, float, int]:
        """Learn from one batch; gives its score, the learning rate, and the tokens that were read."""
        import torch

        rate = self._rate(number)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        first = number % self._a_pass * self._recipe.batch
        samples = self._data.batch(self._recipe.seed, number // self._a_pass, first, self._recipe.batch)
        self.model.train()
        tally, tokens = _Tally(), sum(len(sample.answer) for sample in samples)
        for sample in samples:
            loss, right = _answer_loss(self.model, sample)
            (loss / tokens).backward()
            tally.add(sample, float(loss.detach()), right)
        torch.nn.utils.clip_grad_norm_(self._weights, _LONGEST_GRADIENT)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        return tally.score(), rate, sum(map(len, samples))

    def score(self, data: Data) -> Score:
        """How well other answers are foretold."""
        import torch

        self.model.eval()
        tally = _Tally()
        with torch.inference_mode():
            for number in range(len(data)):
                sample = data[number]
                loss, right = _answer_loss(self.model, sample)
                tally.add(sample, float(loss), right)
        return tally.score()

    def _rate(self, step: int) -> float:
        """The learning rate of a step: up in a line, then down in a cosine to a tenth."""
        warmup = max(1, round(self.steps * self._recipe.warmup))
        if step < warmup:
            return self._recipe.learning_rate * (step + 1) / warmup
        share = (step - warmup) / max(1, self.steps - warmup)
        cosine = (1 + math.cos(math.pi * share)) / 2
        return self._recipe.learning_rate * (_LAST_RATE + (1 - _LAST_RATE) * cosine)


def _answer_loss(model: Any, sample: Sample) -> tuple[Any, int]:  # noqa: ANN401
    """The loss of an answer, summed over its tokens in nats, and how many would be chosen."""
    import torch

    device = next(model.parameters()).device
    ids = torch.tensor([[*sample.prompt, *sample.answer]], device=device)
    wanted = torch.tensor(sample.answer, device=device)
    logits = model(input_ids=ids, use_cache=False, logits_to_keep=len(sample.answer) + 1).logits
    logits = logits[0, -len(sample.answer) - 1 : -1].float()
    right = int((logits.argmax(-1) == wanted).sum())
    return torch.nn.functional.cross_entropy(logits, wanted, reduction="sum"), right


class _Tally:
    """Sums over answers."""

    def __init__(self) -> None:
        self._nats, self._right, self._tokens, self._bytes = 0.0, 0, 0, 0

    def add(self, sample: Sample, nats: float, right: int) -> None:
        """Count one answer."""
        self._nats += nats
        self._right += right
        self._tokens += len(sample.answer)
        self._bytes += sample.bytes

    def score(self) -> Score:
        """What they come to."""
        tokens, size = max(1, self._tokens), max(1, self._bytes)
        return Score(self._nats / tokens, self._nats / math.log(2) / size, self._right / tokens)


class _Log:
    """The log's file; lines of steps that are done anew are taken out of it."""

    def __init__(self, path: Path, done: int, watch: Callable[[dict[str, Any]], None] | None) -> None:
        kept: Sequence[str] = path.read_text(encoding="utf-8").splitlines() if path.exists() else ()
        kept = [line for line in kept if json.loads(line)["step"] <= done]
        path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")
        self._path, self._watch = path, watch

    def write(self, step: int, values: dict[str, Any]) -> None:
        """Add a line."""
        line = {"step": step, **values}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        if self._watch is not None:
            self._watch(line)
