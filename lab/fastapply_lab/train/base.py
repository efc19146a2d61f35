"""The base that is tuned: a folder, a name on the hub, or a GGUF file, which becomes a folder.

A GGUF file is dequantised once, into bf16, with its tokenizer, and kept in the cache folder; what is trained
on are then the weights that llama.cpp will compute with, roundings of the quantiser included.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapply.errors import ModelTrouble
from fastapply.folders import cache_folder
from fastapply.models.gguf_header import read_header
from fastapply_lab.train import demand
from fastapply_lab.train.names import SHAPES, checkpoint_name
from fastapply_lab.train.vocabulary import PRE, QWEN2_SPLIT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_ROWS = 8192  # of a matrix that are dequantised at a time, which bounds the memory
_CONTROL, _USER_DEFINED, _UNUSED = 3, 4, 5  # kinds of tokens, of gguf.TokenType


def open_base(base: str, tell: Callable[[str], None] = lambda _: None) -> str:
    """What transformers loads for a base: its folder, or its name on the hub.

    Raises `ModelTrouble` (``bad_checkpoint``) for a GGUF file of another shape or with another tokenizer.
    """
    path = Path(base).expanduser()
    if path.suffix != ".gguf":
        return str(path) if path.is_dir() else base
    demand("gguf", "torch", "tokenizers", "safetensors")
    header = read_header(path)
    known = path.stat()
    described = f"{path.resolve()}|{known.st_size}|{known.st_mtime_ns}".encode()
    folder = cache_folder() / "bases" / f"{path.stem}-{hashlib.sha256(described).hexdigest()[:8]}"
    if folder.exists():
        return str(folder)
    config = _config(path, header)
    tell(f"{path.name} is made into a checkpoint, once: {folder}")
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        _write(path, partial, config)
        partial.replace(folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return str(folder)


def _config(path: Path, header: Mapping[str, Any]) -> dict[str, Any]:
    """The ``config.json``, but for what only the tensors tell."""
    shape = header.get("general.architecture")
    named = next((name for name, known in SHAPES.items() if known == shape), None)
    if named is None:
        raise _bad(path, f"it is of the shape {shape}; known are {', '.join(SHAPES.values())}")
    if (header.get("tokenizer.ggml.model"), header.get("tokenizer.ggml.pre")) != ("gpt2", PRE):
        raise _bad(path, "its tokenizer is not that of Qwen2")
    if header.get(f"{shape}.rope.scaling.type", "none") != "none":
        raise _bad(path, "its rotary embedding is scaled")

    def of(key: str) -> Any:  # noqa: ANN401 - whatever the header holds
        if f"{shape}.{key}" not in header:
            raise _bad(path, f"it does not say its {key}")
        return header[f"{shape}.{key}"]

    heads = of("attention.head_count")
    return {
        "architectures": [named],
        "model_type": shape,
        "hidden_size": of("embedding_length"),
        "intermediate_size": of("feed_forward_length"),
        "num_hidden_layers": of("block_count"),
        "num_attention_heads": heads,
        "num_key_value_heads": header.get(f"{shape}.attention.head_count_kv", heads),
        "head_dim": header.get(f"{shape}.attention.key_length", of("embedding_length") // heads),
        "max_position_embeddings": of("context_length"),
        "rope_theta": header.get(f"{shape}.rope.freq_base", 10_000.0),
        "rms_norm_eps": of("attention.layer_norm_rms_epsilon"),
        "hidden_act": "silu",
        "use_sliding_window": False,
        "eos_token_id": header.get("tokenizer.ggml.eos_token_id"),
        "pad_token_id": header.get("tokenizer.ggml.padding_token_id"),
        "bos_token_id": None,
        "torch_dtype": "bfloat16",
    }


def _write(path: Path, folder: Path, config: dict[str, Any]) -> None:
    import gguf
    from safetensors.torch import save_file

    reader = gguf.GGUFReader(str(path))
    weights: dict[str, Any] = {}
    for tensor in reader.tensors:
        name = checkpoint_name(tensor.name)
        if name is None:
            raise _bad(path, f"it has a tensor {tensor.name}")
        weights[name] = _dequantised(tensor)
    config["vocab_size"] = weights["model.embed_tokens.weight"].shape[0]
    config["tie_word_embeddings"] = "lm_head.weight" not in weights
    save_file(weights, str(folder / "model.safetensors"), metadata={"format": "pt"})
    _tokenizer(reader).save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def _dequantised(tensor: Any) -> Any:  # noqa: ANN401 - of gguf, and of torch
    """A tensor in bf16, some rows after the other."""
    import gguf
    import torch

    shape = tuple(int(size) for size in reversed(tensor.shape))
    whole = torch.empty(shape, dtype=torch.bfloat16)
    rows = tensor.data.reshape(shape[0], -1) if len(shape) > 1 else tensor.data.reshape(1, -1)
    flat = whole.view(rows.shape[0], -1)
    for start in range(0, rows.shape[0], _ROWS):
        values = gguf.quants.dequantize(rows[start : start + _ROWS], tensor.tensor_type)
        flat[start : start + _ROWS] = torch.from_numpy(values.copy())
    return whole


def _tokenizer(reader: Any) -> Any:  # noqa: ANN401
    """The tokenizer of a GGUF file, as llama.cpp reads it: nothing is normalised."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

    tokens = reader.get_field("tokenizer.ggml.tokens").contents()
    kinds = reader.get_field("tokenizer.ggml.token_type").contents()
    merges = reader.get_field("tokenizer.ggml.merges").contents()
    special = {number for number, kind in enumerate(kinds) if kind in {_CONTROL, _USER_DEFINED}}
    vocabulary = {
        token: number
        for number, (token, kind) in enumerate(zip(tokens, kinds, strict=True))
        if kind != _UNUSED and number not in special
    }
    # an added token gets the next free number: those below it must be taken
    vocabulary |= {tokens[number]: number for number in special}
    pairs = [tuple(merge.split(" ")) for merge in merges]
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=pairs))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(QWEN2_SPLIT), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    for number in sorted(special):
        token = AddedToken(tokens[number], special=kinds[number] == _CONTROL, normalized=False)
        (tokenizer.add_special_tokens if token.special else tokenizer.add_tokens)([token])
    return tokenizer


def _bad(path: Path, why: str) -> ModelTrouble:
    return ModelTrouble(
        f"{path} cannot be trained on: {why}",
        reason="bad_checkpoint",
        hint="name a folder in the layout of Hugging Face, or a name on the hub",
    )
