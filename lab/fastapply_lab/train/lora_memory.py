"""What memory a run takes, known before its weights are loaded.

The base once, frozen; the adapters four times over in float32 (weights, slopes, two moments of AdamW); and
what one sample leaves in the layers on its way through: of all of them where nothing is computed again, else
the input of each and the inside of one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapply.errors import ModelTrouble
from fastapply.models.memory import available_bytes, gigabytes
from fastapply.values import dataclass
from fastapply_lab.train.lora_loss import STEP, padded

if TYPE_CHECKING:
    from fastapply_lab.train.recipe import Recipe

_PROGRAM = 900 << 20  # torch and transformers themselves
_LOGITS = 128 * 4 * 3  # bytes of logits for each entry of the vocabulary
_INSIDE = (8, 5)
"""Numbers that a layer keeps for a token: so many times its width, so many times its inner width."""
_SPARE = 1.1  # an allocator never fits exactly


@dataclass(frozen=True, slots=True)
class Need:
    """Bytes, by what they are for."""

    base: int
    adapters: int
    sample: int  # the longest one

    @property
    def bytes(self) -> int:
        """All together."""
        return int((self.base + self.adapters + self.sample) * _SPARE) + _PROGRAM

    def told(self) -> str:
        """One line."""
        return (
            f"needs about {gigabytes(self.bytes)} of memory: {gigabytes(self.base)} for the base, "
            f"{gigabytes(self.adapters)} for the adapters, {gigabytes(self.sample)} for the longest sample"
        )


def estimate(base: str, recipe: Recipe) -> Need:
    """What a run of a recipe takes. Raises `ModelTrouble` (``bad_checkpoint``)."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    try:
        config = AutoConfig.from_pretrained(base)
    except (OSError, ValueError) as error:
        raise ModelTrouble(f"cannot load {base}: {error}", reason="bad_checkpoint") from None
    with torch.device("meta"):
        empty: Any = AutoModelForCausalLM.from_config(config)
    weights = sum(one.numel() for one in empty.parameters())
    output = empty.get_output_embeddings()
    linears = [one for one in empty.modules() if isinstance(one, torch.nn.Linear) and one is not output]
    adapters = sum(recipe.rank * (one.in_features + one.out_features) for one in linears)
    return Need(
        weights * (2 if recipe.dtype == "bf16" else 4),
        adapters * 16,
        _sample(config, recipe.max_length, recipe),
    )


def _sample(config: Any, length: int, recipe: Recipe) -> int:  # noqa: ANN401 - of transformers
    tokens, width, layers = padded(length), config.hidden_size, config.num_hidden_layers
    size = 2 if recipe.dtype == "bf16" else 4
    inside = tokens * size * (_INSIDE[0] * width + _INSIDE[1] * config.intermediate_size)
    kept = layers * tokens * width * size if recipe.recompute else layers * inside
    return int(kept + 2 * inside + config.vocab_size * _LOGITS)


def check_memory(base: str, recipe: Recipe) -> Need:
    """What a run takes. Raises `ModelTrouble` (``no_memory``), with what would fit, where there is less."""
    import torch
    from transformers import AutoConfig

    need, free = estimate(base, recipe), available_bytes()
    if torch.cuda.is_available() or free is None or need.bytes <= free:
        return need
    config = AutoConfig.from_pretrained(base)
    room = (free - _PROGRAM) / _SPARE - need.base - need.adapters
    most = next(
        (one for one in range(recipe.max_length, 0, -STEP) if _sample(config, one, recipe) <= room), 0
    )
    hint = f"--max-length {most} fits" if most else "a smaller base or --rank takes less"
    if not recipe.recompute:
        hint += ", and so may --recompute"
    raise ModelTrouble(f"the run {need.told()}; {gigabytes(free)} are free", reason="no_memory", hint=hint)
