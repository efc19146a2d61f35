"""Tuning of a public model: LoRA on any causal model of the Hugging Face layout, or on a GGUF file.

The base is frozen, in bf16; adapters are float32. Loss counts on the answer only (see `lora_loss`). A step
reads its samples one by one and weighs all tokens of their answers alike; layers are computed again on the
way back, so that long files fit. A sample that is too long is left out and counted, never cut.

What lies in the folder that is written::

    state.pt     where a run that was stopped goes on: adapters, optimiser, step
    log.jsonl    one line a step, and one for each look at the validation data; log.png draws it
    adapter/     the adapter in peft's layout, as it was when state.pt was, with the card that `export` reads
    merged/      where it is asked for, a checkpoint of base and adapter together
"""

from __future__ import annotations

import math
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapply.errors import ModelTrouble
from fastapply_lab.train import demand
from fastapply_lab.train.adapters import WEIGHTS_FILE
from fastapply_lab.train.base import open_base
from fastapply_lab.train.export_adapter import adapter_folder
from fastapply_lab.train.lora_data import read_data
from fastapply_lab.train.lora_log import Log
from fastapply_lab.train.lora_loss import answer_loss
from fastapply_lab.train.lora_memory import check_memory
from fastapply_lab.train.lora_model import load_adapted, pick_device, save_adapter, save_merged
from fastapply_lab.train.lora_state import describe, load_state, save_state
from fastapply_lab.train.names import ADAPTER
from fastapply_lab.train.plot import can_plot, plot
from fastapply_lab.train.recipe import Score, Tuned
from fastapply_lab.train.samples import Tokenizer, check_style
from fastapply_lab.train.stopping import Stopping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fastapply_lab.train.lora_data import Data
    from fastapply_lab.train.lora_loss import Told
    from fastapply_lab.train.recipe import Recipe
    from fastapply_lab.train.samples import Sample

_LONGEST_GRADIENT = 1.0
_LAST_RATE = 0.1  # of the learning rate, at the end of its cosine
_LATELY = 20  # steps whose speed foretells the rest


def tune(
    base: str,
    data: Path,
    out: Path,
    recipe: Recipe,
    *,
    start: Path | None = None,
    validation: Path | None = None,
    name: str = "",
    merge: bool = False,
    tell: Callable[[str], None] = lambda _: None,
    watch: Callable[[dict[str, Any]], None] | None = None,
) -> Tuned:
    """Tune a model, go on where a run into the same folder was stopped, and write the adapter.

    `base` is a folder, a GGUF file or a name on the hub, `start` the folder of a run or an adapter whose
    weights are the first ones; `tell` is told what is to be known before the first step, `watch` each line of
    the log. Raises `ModelTrouble` (``not_installed``, ``bad_tokenizer``, ``bad_checkpoint``, ``bad_adapter``,
    ``no_data``, ``no_memory``), `UsageError` where the folder holds a run of another recipe or the adapter
    has another shape, `KeyboardInterrupt` once all is kept, where it was asked to stop.
    """
    demand("torch", "transformers", "tokenizers", "safetensors")
    import torch

    out.mkdir(parents=True, exist_ok=True)
    named = str(Path(base).absolute()) if Path(base).exists() else base
    base = open_base(base, tell)
    tokenizer = Tokenizer(base, normalise=False)
    check_style(tokenizer, recipe.style)
    read = read_data(data, tokenizer, recipe.style, recipe.max_length)
    held = read_data(validation, tokenizer, recipe.style, recipe.max_length) if validation else None
    if not len(read):
        raise ModelTrouble(f"{data} holds no sample to train on: {read.left_out}", reason="no_data")
    for line in _told(read, held):
        tell(line)
    tell(f"the run {check_memory(base, recipe).told()}")
    torch.manual_seed(recipe.seed)
    begun = (adapter_folder(start) or start) if start else None
    run = _Run(load_adapted(base, recipe, pick_device(), begun), read, recipe)
    described = describe(base, data, recipe, begun and begun / WEIGHTS_FILE)
    done, run.seconds = load_state(out / "state.pt", run.model, run.optimiser, described)
    log = Log(out / "log.jsonl", done, watch)

    def keep(step: int) -> None:
        save_state(out / "state.pt", run.model, run.optimiser, described, (step, run.seconds))
        save_adapter(run.model, named, out / ADAPTER, style=recipe.style, name=name)

    checked, last, saved = None, None, time.monotonic()
    took: list[float] = []
    with Stopping() as stopping:
        for step in range(done, run.steps):
            if run.seconds_left <= 0:
                break
            started = time.perf_counter()
            last, rate, tokens = run.step(step)
            done = step + 1
            seconds = time.perf_counter() - started
            run.seconds += seconds
            took = [*took[1 - _LATELY :], seconds]
            left = min((run.steps - step - 1) * sum(took) / len(took), run.seconds_left)
            values = {**last.to_object(), "rate": rate, "seconds": seconds}
            log.step(step + 1, tokens, values, left_seconds=left)
            last_one = step + 1 == run.steps or run.seconds_left <= 0
            if held and not stopping.asked and ((step + 1) % recipe.check_every == 0 or last_one):
                checked = run.score(held)
                log.check(step + 1, checked.to_object())
            if last_one or stopping.asked or time.monotonic() - saved > 60 * recipe.save_minutes:
                keep(step + 1)
                saved = time.monotonic()
                if can_plot():
                    plot([out], out / "log.png")
            if stopping.asked and not last_one:
                raise KeyboardInterrupt
    if held and checked is None:
        checked = run.score(held)
    if not (out / ADAPTER).exists():
        keep(done)
    merged = None
    if merge:
        merged = save_merged(run.model, tokenizer, base, out / "merged", style=recipe.style, name=name)
    return Tuned(out / ADAPTER, merged, done, len(read), read.left_out, last, checked)


def _told(read: Data, held: Data | None) -> Iterable[str]:
    """What is to be known of the data before a run."""
    whole = len(read) + sum(read.left_out.values())
    yield f"{len(read)} samples, {read.tokens} tokens"
    for why, count in sorted(read.left_out.items()):
        yield f"{count} of {whole} windows ({count / whole:.1%}) left out: {why}"
    if held is not None:
        shared = sorted(read.repositories & held.repositories)
        if shared:
            yield f"warning: trained on and measured on: {', '.join(shared)}"


class _Run:
    """Model, optimiser and the order of samples."""

    def __init__(self, model: Any, data: Data, recipe: Recipe) -> None:  # noqa: ANN401 - of transformers
        import torch

        self.model, self._data, self._recipe = model, data, recipe
        self._weights = [weight for weight in model.parameters() if weight.requires_grad]
        self.optimiser = torch.optim.AdamW(self._weights, lr=recipe.learning_rate, weight_decay=0.0)
        self._a_pass = math.ceil(len(data) / recipe.batch)  # steps
        self.steps = min(self._a_pass * recipe.epochs, recipe.steps or 1 << 62)
        self.seconds = 0.0  # spent on steps so far, in all parts of the run

    @property
    def seconds_left(self) -> float:
        """Until the recipe's time is up."""
        return math.inf if self._recipe.minutes is None else 60 * self._recipe.minutes - self.seconds

    def step(self, number: int) -> tuple[Score, float, int]:
        """Learn from one batch; gives its score, the learning rate, and the tokens that were read.

        The score is that of before the step: samples of the first pass were never seen.
        """
        import torch

        rate = self._rate(number)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        first = number % self._a_pass * self._recipe.batch
        samples = self._data.batch(self._recipe.seed, number // self._a_pass, first, self._recipe.batch)
        self.model.train()
        weight = 1 / sum(len(sample.answer) for sample in samples)
        told = [(sample, answer_loss(self.model, sample, weight=weight)) for sample in samples]
        torch.nn.utils.clip_grad_norm_(self._weights, _LONGEST_GRADIENT)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        return sum_up(told), rate, sum(map(len, samples))

    def score(self, data: Data) -> Score:
        """How well other answers are foretold: some of them, always the same."""
        import torch

        self.model.eval()
        numbers = list(range(len(data)))
        random.Random(0).shuffle(numbers)  # noqa: S311 - an order, not a secret
        with torch.inference_mode():
            samples = [data[number] for number in numbers[: self._recipe.check_samples]]
            return sum_up([(sample, answer_loss(self.model, sample)) for sample in samples])

    def _rate(self, step: int) -> float:
        """The learning rate of a step: up in a line, then down in a cosine to a tenth.

        What is done of the run is the share of its steps or of its time, whichever is more.
        """
        done = step / self.steps
        if self._recipe.minutes is not None:
            done = max(done, min(1.0, self.seconds / 60 / self._recipe.minutes))
        warmup = max(1 / self.steps, self._recipe.warmup)
        if done < warmup:
            return self._recipe.learning_rate * min(1.0, done / warmup + 1 / max(1.0, self.steps * warmup))
        share = (done - warmup) / max(1e-9, 1 - warmup)
        cosine = (1 + math.cos(math.pi * share)) / 2
        return self._recipe.learning_rate * (_LAST_RATE + (1 - _LAST_RATE) * cosine)


def sum_up(told: Iterable[tuple[Sample, Told]]) -> Score:
    """The score of some answers together."""
    rows = list(told)
    tokens = max(1, sum(len(sample.answer) for sample, _ in rows))
    size = max(1, sum(sample.bytes for sample, _ in rows))
    nats, right = sum(one.nats for _, one in rows), sum(one.right for _, one in rows)
    exact = sum(one.right == len(sample.answer) for sample, one in rows)
    return Score(nats / tokens, nats / math.log(2) / size, right / tokens, exact, len(rows))
