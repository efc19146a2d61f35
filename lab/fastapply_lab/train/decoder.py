"""A small decoder in the shape of Qwen2, for packed sequences: every document attends only to itself.

Tokens of several documents lie one behind the other in one row ``[N]``. All that works on single tokens
is compiled for that one shape; attention goes document by document, so that nothing is computed across
their borders and no mask is needed. Parameters bear the names that ``Qwen2ForCausalLM`` of transformers
gives them, and the numbers agree with it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a decoder; the width of a head is `width` / `heads`."""

    layers: int = 4
    width: int = 256
    inner: int = 704  # of the feed-forward part
    heads: int = 4
    kv_heads: int = 4
    vocabulary: int = 4096
    context: int = 4096
    rope_base: float = 10_000.0
    epsilon: float = 1e-6

    def config(self) -> dict[str, object]:
        """The ``config.json`` that transformers reads."""
        return {
            "architectures": ["Qwen2ForCausalLM"],
            "model_type": "qwen2",
            "hidden_size": self.width,
            "intermediate_size": self.inner,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "num_key_value_heads": self.kv_heads,
            "vocab_size": self.vocabulary,
            "max_position_embeddings": self.context,
            "rope_theta": self.rope_base,
            "rms_norm_eps": self.epsilon,
            "hidden_act": "silu",
            "tie_word_embeddings": True,
            "attention_dropout": 0.0,
            "use_sliding_window": False,
            "bos_token_id": None,
            "eos_token_id": 4,
            "pad_token_id": 0,
            "torch_dtype": "float32",
        }


class _Attention(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        side = shape.width // shape.heads
        self.side = side
        self.q_proj = nn.Linear(shape.width, shape.heads * side)
        self.k_proj = nn.Linear(shape.width, shape.kv_heads * side)
        self.v_proj = nn.Linear(shape.width, shape.kv_heads * side)
        self.o_proj = nn.Linear(shape.heads * side, shape.width, bias=False)


class _FeedForward(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(shape.width, shape.inner, bias=False)
        self.up_proj = nn.Linear(shape.width, shape.inner, bias=False)
        self.down_proj = nn.Linear(shape.inner, shape.width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.down_proj(functional.silu(self.gate_proj(x)) * self.up_proj(x))
        return result


class _Layer(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.self_attn = _Attention(shape)
        self.mlp = _FeedForward(shape)
        self.input_layernorm = nn.RMSNorm(shape.width, shape.epsilon)
        self.post_attention_layernorm = nn.RMSNorm(shape.width, shape.epsilon)

    def before(self, x: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values ``[heads, N, side]``, turned by their positions."""
        attention, x = self.self_attn, self.input_layernorm(x)
        q, k, v = (
            project(x).view(x.shape[0], -1, attention.side).transpose(0, 1)
            for project in (attention.q_proj, attention.k_proj, attention.v_proj)
        )
        return _turn(q, cos, sin), _turn(k, cos, sin), v

    def after(self, x: Tensor, attended: Tensor) -> Tensor:
        """What follows attention ``[heads, N, side]``."""
        flat = attended.transpose(0, 1).reshape(x.shape[0], -1)
        x = x + self.self_attn.o_proj(flat)
        result: Tensor = x + self.mlp(self.post_attention_layernorm(x))
        return result


class _Body(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(shape.vocabulary, shape.width)
        self.layers = nn.ModuleList(_Layer(shape) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.width, shape.epsilon)


class Decoder(nn.Module):
    """See the module. The output matrix is that of the embeddings."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.model = _Body(shape)
        side = shape.width // shape.heads
        rates = shape.rope_base ** (-torch.arange(0, side, 2, dtype=torch.float32) / side)
        angles = torch.outer(torch.arange(shape.context, dtype=torch.float32), rates).repeat(1, 2)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)
        self.apply(_start)
        for layer in self.model.layers:  # so that the stream does not grow with depth (GPT-2)
            for weight in (layer.self_attn.o_proj.weight, layer.mlp.down_proj.weight):
                weight.data.div_((2 * shape.layers) ** 0.5)

    def compile_parts(self) -> None:
        """Compile what works on single tokens; the first step takes a minute."""
        for layer in self.model.layers:
            layer.before = torch.compile(layer.before, dynamic=False)
            layer.after = torch.compile(layer.after, dynamic=False)
        self.token_loss = torch.compile(self.token_loss, dynamic=False)  # type: ignore[method-assign]

    def forward(self, tokens: Tensor, lengths: Sequence[int]) -> Tensor:
        """Hidden states ``[N, width]`` of tokens ``[N]``: documents of these lengths, N in all."""
        positions = torch.cat([torch.arange(length, device=tokens.device) for length in lengths])
        cos, sin = self.cos[positions], self.sin[positions]
        x = self.model.embed_tokens(tokens)
        for layer in self.model.layers:
            q, k, v = layer.before(x, cos, sin)
            x = layer.after(x, _attend(q, k, v, lengths))
        return x

    def logits(self, hidden: Tensor) -> Tensor:
        """Scores of all tokens for what comes next ``[N, vocabulary]``."""
        return functional.linear(self.model.norm(hidden), self.model.embed_tokens.weight)

    def token_loss(self, hidden: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        """Nats for each next token ``[N]``, and whether it has the highest score."""
        scores = self.logits(hidden).float()
        return functional.cross_entropy(scores, targets, reduction="none"), scores.argmax(-1) == targets

    def save(self, folder: Path) -> None:
        """Write ``config.json`` and ``model.safetensors``."""
        from safetensors.torch import save_file

        folder.mkdir(parents=True, exist_ok=True)
        config = json.dumps(self.shape.config(), indent=2) + "\n"
        (folder / "config.json").write_text(config, encoding="utf-8")
        (folder / "shape.json").write_text(json.dumps(asdict(self.shape)) + "\n", encoding="utf-8")
        state = {name: value.detach().float().cpu().contiguous() for name, value in self.state_dict().items()}
        save_file(state, str(folder / "model.safetensors"), metadata={"format": "pt"})

    @staticmethod
    def load(folder: Path) -> Decoder:
        """Read what `save` wrote."""
        from safetensors.torch import load_file

        decoder = Decoder(Shape(**json.loads((folder / "shape.json").read_text(encoding="utf-8"))))
        decoder.load_state_dict(load_file(str(folder / "model.safetensors")))
        return decoder


def _attend(q: Tensor, k: Tensor, v: Tensor, lengths: Sequence[int]) -> Tensor:
    """Causal attention within each document: ``[heads, N, side]``."""
    attend = functional.scaled_dot_product_attention
    parts = zip(*(x.split(list(lengths), dim=1) for x in (q, k, v)), strict=True)
    grouped = q.shape[0] != k.shape[0]
    return torch.cat(
        [attend(a[None], b[None], c[None], is_causal=True, enable_gqa=grouped)[0] for a, b, c in parts], dim=1
    )


def _turn(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary positions, halves as in Hugging Face's Llama."""
    left, right = x.chunk(2, dim=-1)
    turned: Tensor = x * cos.to(x.dtype) + torch.cat((-right, left), dim=-1) * sin.to(x.dtype)
    return turned


def _start(module: nn.Module) -> None:
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
    if isinstance(module, nn.Linear) and module.bias is not None:
        nn.init.zeros_(module.bias)
