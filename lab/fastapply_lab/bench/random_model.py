"""A GGUF file with random weights, for a benchmark without a model: only its times are real.

The shapes are those of small Qwen2 models. The tokenizer is a byte-level BPE whose merges are learned from
fastapply's own code, so that texts fall into tokens about as with a trained one; `large` fills its vocabulary
up to that of Qwen2, as every output row costs as much as the vocabulary is wide.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import fastapply
from fastapply.models.store import STYLE_KEY
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

Size = Literal["small", "large"]
SPECIAL = ("<|end|>", "<|orig|>", "<|edit|>", "<|merge|>")
_WORD = re.compile(r"\s+(?=\s)|\s?[A-Za-z]+|\s?\d+|\s?[^\sA-Za-z\d]+|\s")
_MERGES = 1500
_AT_ONCE = 12  # pairs of one count: counting takes the time


@dataclass(frozen=True, slots=True)
class Shape:
    """The numbers of a model."""

    layers: int
    width: int
    forward: int
    heads: int
    key_heads: int
    vocabulary: int


SHAPES: dict[str, Shape] = {
    "small": Shape(4, 256, 704, 4, 4, 4096),
    "large": Shape(24, 896, 4864, 14, 2, 151_936),  # Qwen2 0.5B
}


def make_model(path: Path, size: Size) -> None:
    """Write the file: 10 MB for `small`, 0.5 GB for `large`, both in Q8_0."""
    import gguf
    import numpy as np

    shape = SHAPES[size]
    random = np.random.default_rng(1)
    names = _byte_names()
    merges = _learn_merges(names)
    tokens = [*SPECIAL, *names, *("".join(pair) for pair in merges)]
    tokens += [f"<|unused{number}|>" for number in range(shape.vocabulary - len(tokens))]
    special = [gguf.TokenType.CONTROL] * len(SPECIAL)
    rest = [gguf.TokenType.NORMAL] * (len(names) + len(merges))
    unused = [gguf.TokenType.UNUSED] * (len(tokens) - len(special) - len(rest))

    partial = path.with_suffix(".partial")
    writer = gguf.GGUFWriter(str(partial), "qwen2")
    writer.add_name(f"fastapply bench {size}")
    writer.add_string(STYLE_KEY, "nano")
    writer.add_context_length(131072)
    writer.add_embedding_length(shape.width)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.forward)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.key_heads)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(1_000_000.0)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types([*special, *rest, *unused])
    writer.add_token_merges([" ".join(pair) for pair in merges])
    writer.add_eos_token_id(0)
    writer.add_add_bos_token(False)
    for name, rows, columns in _matrices(shape):
        values = random.standard_normal((rows, columns), dtype=np.float32) * 0.02
        kind = gguf.GGMLQuantizationType.Q8_0
        writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)
    for name, length, value in _vectors(shape):
        writer.add_tensor(name, np.full(length, value, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    partial.replace(path)


def _matrices(shape: Shape) -> Iterable[tuple[str, int, int]]:
    keys = shape.width // shape.heads * shape.key_heads
    yield "token_embd.weight", shape.vocabulary, shape.width
    for layer in range(shape.layers):
        yield f"blk.{layer}.attn_q.weight", shape.width, shape.width
        yield f"blk.{layer}.attn_k.weight", keys, shape.width
        yield f"blk.{layer}.attn_v.weight", keys, shape.width
        yield f"blk.{layer}.attn_output.weight", shape.width, shape.width
        yield f"blk.{layer}.ffn_gate.weight", shape.forward, shape.width
        yield f"blk.{layer}.ffn_up.weight", shape.forward, shape.width
        yield f"blk.{layer}.ffn_down.weight", shape.width, shape.forward


def _vectors(shape: Shape) -> Iterable[tuple[str, int, float]]:
    keys = shape.width // shape.heads * shape.key_heads
    yield "output_norm.weight", shape.width, 1.0
    for layer in range(shape.layers):
        yield f"blk.{layer}.attn_norm.weight", shape.width, 1.0
        yield f"blk.{layer}.ffn_norm.weight", shape.width, 1.0
        yield f"blk.{layer}.attn_q.bias", shape.width, 0.0
        yield f"blk.{layer}.attn_k.bias", keys, 0.0
        yield f"blk.{layer}.attn_v.bias", keys, 0.0


def _byte_names() -> list[str]:
    """The names of the 256 bytes in vocabularies of this kind: each a character that can be seen."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    names = {byte: chr(byte) for byte in shown}
    hidden = (byte for byte in range(256) if byte not in names)
    names.update({byte: chr(256 + number) for number, byte in enumerate(list(hidden))})
    return [names[byte] for byte in range(256)]


def _learn_merges(names: list[str]) -> list[tuple[str, str]]:
    """The pairs that stand most often beside each other in fastapply's own code, one after the other."""
    folder = Path(fastapply.__file__).parent
    counted: Counter[str] = Counter()
    for path in sorted(folder.rglob("*.py")):
        counted.update(_WORD.findall(path.read_text(encoding="utf-8")))
    words = {tuple(names[byte] for byte in word.encode()): count for word, count in counted.items()}
    merges: list[tuple[str, str]] = []
    while len(merges) < _MERGES:
        pairs: Counter[tuple[str, str]] = Counter()
        for word, count in words.items():
            for pair in pairwise(word):
                pairs[pair] += count
        if not pairs:
            break
        for best in _apart(sorted(pairs, key=lambda pair: (-pairs[pair], pair))[:_AT_ONCE]):
            merges.append(best)
            words = {_merged(word, best) if best[0] in word else word: count for word, count in words.items()}
    return merges


def _apart(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The first of some pairs, and those behind it that have no part with an earlier one in common."""
    used: set[str] = set()
    kept = []
    for pair in pairs:
        if not used & set(pair):
            kept.append(pair)
        used.update(pair)
    return kept


def _merged(word: tuple[str, ...], pair: tuple[str, str]) -> tuple[str, ...]:
    parts: list[str] = []
    at = 0
    while at < len(word):
        if word[at : at + 2] == pair:
            parts.append(pair[0] + pair[1])
            at += 2
        else:
            parts.append(word[at])
            at += 1
    return tuple(parts)
