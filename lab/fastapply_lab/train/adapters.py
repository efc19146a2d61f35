"""LoRA on the linear layers of a frozen model: ``y = x W' + (alpha / rank) (x A') B'``.

A and B are float32 and computed with in the base's own type: products with sixteen columns in float32 take as
long on a processor as all of the base in bf16. Kept and read in peft's layout (``adapter_config.json``,
``adapter_model.safetensors``), so that adapters go both ways.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from fastapply.errors import ModelTrouble
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONFIG_FILE, WEIGHTS_FILE = "adapter_config.json", "adapter_model.safetensors"
_BEFORE = "base_model.model."  # what peft puts before the name of a module
_ODD = ("use_rslora", "use_dora", "fan_in_fan_out", "rank_pattern", "alpha_pattern", "modules_to_save")


class _Product(torch.autograd.Function):
    """The formula above and its slopes; the weights of the base have none."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, layer: AdaptedLinear, a: Tensor, b: Tensor) -> Tensor:  # noqa: ANN401
        """`x` is ``[..., in]``, `a` ``[rank, in]``, `b` ``[out, rank]``."""
        base, scale = layer.base, layer.scale
        flat, weight = x.reshape(-1, x.shape[-1]), base.weight.to(x.dtype)
        inner = flat @ a.to(x.dtype).t()
        bias = base.bias
        y = flat @ weight.t() if bias is None else torch.addmm(bias.to(x.dtype), flat, weight.t())
        y.addmm_(inner, b.to(x.dtype).t(), alpha=scale)
        ctx.save_for_backward(flat, inner, a, b)
        ctx.base, ctx.scale, ctx.shape = base, scale, x.shape
        return y.reshape(*x.shape[:-1], -1)

    @staticmethod
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, None, Tensor, Tensor]:  # noqa: ANN401
        """From the slopes of `y` to those of `x`, `a` and `b`."""
        flat, inner, a, b = ctx.saved_tensors
        rows = slope.reshape(-1, slope.shape[-1])
        through = (rows @ b.to(rows.dtype)).mul_(ctx.scale)
        slope_x = (rows @ ctx.base.weight).addmm_(through, a.to(rows.dtype))
        slope_a = (through.t() @ flat).to(a.dtype)
        slope_b = (rows.t() @ inner).to(b.dtype).mul_(ctx.scale)
        return slope_x.reshape(ctx.shape), None, slope_a, slope_b


class AdaptedLinear(nn.Module):
    """A linear layer with an adapter, which does nothing until it is trained."""

    def __init__(self, base: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        self.base, self.scale = base, alpha / rank
        device = base.weight.device
        self.lora_a = nn.Parameter(torch.empty(rank, base.in_features, device=device))
        self.lora_b = nn.Parameter(torch.zeros(base.out_features, rank, device=device))
        nn.init.kaiming_uniform_(self.lora_a, a=math.sqrt(5))  # as peft does it

    def forward(self, x: Tensor) -> Tensor:
        """See the module."""
        result: Tensor = _Product.apply(x, self, self.lora_a, self.lora_b)
        return result

    def merged(self) -> nn.Linear:
        """The linear layer that does the same; the base's own, changed."""
        with torch.no_grad():
            delta = self.lora_b @ self.lora_a * self.scale
            self.base.weight.copy_((self.base.weight.float() + delta).to(self.base.weight.dtype))
        return self.base


@dataclass(frozen=True, slots=True)
class Shape:
    """What an adapter is, beside its numbers."""

    rank: int
    alpha: float


def adapt(model: Any, shape: Shape) -> Any:  # noqa: ANN401 - of transformers
    """Freeze a model and put new adapters on all of its linear layers but the output."""
    output = model.get_output_embeddings()
    linears = [(name, one) for name, one in freeze(model).named_modules() if isinstance(one, nn.Linear)]
    for name, one in linears:
        if one is not output:
            _replace(model, name, AdaptedLinear(one, shape.rank, shape.alpha))
    return model


def freeze(model: Any) -> Any:  # noqa: ANN401
    """Let none of a model's weights be learned."""
    return model.requires_grad_(requires_grad=False)


def adapters(model: Any) -> Iterator[tuple[str, AdaptedLinear]]:  # noqa: ANN401
    """The adapted layers of a model, by the names that they have in its base."""
    for name, one in model.named_modules():
        if isinstance(one, AdaptedLinear):
            yield name, one


def merge(model: Any) -> Any:  # noqa: ANN401
    """Put adapters into the weights; what comes back is a plain model."""
    for name, one in list(adapters(model)):
        _replace(model, name, one.merged())
    return model


def save(model: Any, folder: Path, base: str) -> None:  # noqa: ANN401
    """Write the adapters of a model in peft's layout."""
    from safetensors.torch import save_file

    found = dict(adapters(model))
    first = next(iter(found.values()))
    rank = first.lora_a.shape[0]
    config = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": base,
        "r": rank,
        "lora_alpha": first.scale * rank,
        "lora_dropout": 0.0,
        "bias": "none",
        "target_modules": sorted({name.rpartition(".")[2] for name in found}),
    }
    weights = {}
    for name, one in found.items():
        for kind, weight in (("lora_A", one.lora_a), ("lora_B", one.lora_b)):
            weights[f"{_BEFORE}{name}.{kind}.weight"] = weight.detach().cpu().contiguous()
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f"{WEIGHTS_FILE}.partial"
    save_file(weights, str(partial), metadata={"format": "pt"})
    partial.replace(folder / WEIGHTS_FILE)
    (folder / CONFIG_FILE).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def read_shape(folder: Path) -> Shape:
    """What an adapter in peft's layout is. Raises `ModelTrouble` (``bad_adapter``) for one that is odd."""
    try:
        config = json.loads((folder / CONFIG_FILE).read_text(encoding="utf-8"))
        odd = [name for name in _ODD if config.get(name)]
        if config.get("peft_type") != "LORA" or odd:
            raise _bad(folder, f"it sets {', '.join(odd)}" if odd else "it is no LoRA")
        return Shape(int(config["r"]), float(config["lora_alpha"]))
    except (OSError, ValueError, KeyError, TypeError):
        raise _bad(folder, f"there is no {CONFIG_FILE} in it, or a damaged one") from None


def read_weights(folder: Path) -> dict[str, tuple[Tensor, Tensor]]:
    """A and B for each module. Raises `ModelTrouble` (``bad_adapter``)."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        held = load_file(str(folder / WEIGHTS_FILE))
    except (OSError, SafetensorError) as error:
        raise _bad(folder, f"cannot read {WEIGHTS_FILE}: {error}") from None
    found: dict[str, dict[str, Tensor]] = {}
    for name, weight in held.items():
        module, _, kind = name.removeprefix(_BEFORE).removesuffix(".weight").rpartition(".")
        found.setdefault(module, {})[kind] = weight.float()
    if any(set(pair) != {"lora_A", "lora_B"} for pair in found.values()):
        raise _bad(folder, "it holds more than pairs of matrices")
    return {module: (pair["lora_A"], pair["lora_B"]) for module, pair in found.items()}


def load(model: Any, folder: Path) -> Any:  # noqa: ANN401
    """Put a kept adapter on a plain model."""
    shape, weights = read_shape(folder), read_weights(folder)
    named = dict(model.named_modules())
    for module, (a, b) in weights.items():
        base = named.get(module)
        if not isinstance(base, nn.Linear) or (b.shape[0], a.shape[1]) != tuple(base.weight.shape):
            raise _bad(folder, f"the base has no {module} of its size")
        one = AdaptedLinear(base, a.shape[0], shape.alpha)
        with torch.no_grad():
            one.lora_a.copy_(a)
            one.lora_b.copy_(b)
        _replace(model, module, one)
    return model


def _replace(model: Any, name: str, module: nn.Module) -> None:  # noqa: ANN401
    parent, _, child = name.rpartition(".")
    setattr(model.get_submodule(parent), child, module)


def _bad(folder: Path, why: str) -> ModelTrouble:
    return ModelTrouble(f"{folder} is no adapter to use: {why}", reason="bad_adapter")
