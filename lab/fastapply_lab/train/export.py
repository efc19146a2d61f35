"""From a checkpoint to a GGUF file for llama.cpp: weights, tokenizer, and the style of our prompts.

Of a tuning run it is the adapter that is written (`export_adapter`), for the GGUF file of its base.

Known are the shapes of Qwen2 and Qwen3. Matrices are written as ``f32``, ``f16`` or ``bf16``, or made
smaller by llama.cpp's own quantiser; vectors stay f32. What a quantiser cannot do in the wanted kind
(widths that are no multiple of 256 with ``q4_k`` ... ``q6_k``) it does in a larger one, which is told.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, get_args

from fastapply.errors import ModelTrouble, UsageError
from fastapply.models.store import STYLE_KEY
from fastapply_lab.train import demand, demand_llama
from fastapply_lab.train.checkpoint import read_card, read_checkpoint, read_kinds, read_tensors
from fastapply_lab.train.export_adapter import adapter_folder, base_of, write_adapter
from fastapply_lab.train.vocabulary import PRE, read_vocabulary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastapply.models.prompts import StyleName
    from fastapply_lab.train.checkpoint import Checkpoint
    from fastapply_lab.train.vocabulary import Vocabulary

FloatKind = Literal["f32", "f16", "bf16"]
Kind = Literal["f32", "f16", "bf16", "q8_0", "q6_k", "q5_k", "q4_k"]
KINDS: tuple[Kind, ...] = get_args(Kind)
FLOATS: tuple[FloatKind, ...] = get_args(FloatKind)
_NO_STYLE = "no prompt style in fastapply.json: fastapply models use FILE --style NAME must say it"
_BLOCK = 256  # values that a K kind packs together
_SHAPES = {"Qwen2ForCausalLM": "QWEN2", "Qwen3ForCausalLM": "QWEN3"}
_FILE_TYPES = {"f32": "ALL_F32", "f16": "MOSTLY_F16", "bf16": "MOSTLY_BF16"}


@dataclass(frozen=True, slots=True)
class Exported:
    """A file that was written: what its tensors are, and what is to be known about it."""

    path: Path
    bytes: int
    tensors: dict[str, int]  # how many of each GGML type
    notes: tuple[str, ...]


def export(folder: Path, out: Path, kind: Kind = "q8_0", *, style: StyleName | None = None) -> Exported:
    """Write the GGUF file of a checkpoint: whole, or not at all; `style` in place of what its card says.

    Raises `ModelTrouble`: ``bad_checkpoint``, ``bad_tokenizer``, ``unknown_shape``; ``not_installed`` and
    ``no_model`` where something is not installed.
    """
    demand("gguf", "torch", "safetensors")
    adapter = adapter_folder(folder)
    if adapter is not None:
        return _export_adapter(adapter, out, kind, style)
    checkpoint = read_checkpoint(folder)
    if style is not None:
        checkpoint = replace(checkpoint, card=replace(checkpoint.card, style=style))
    if kind not in KINDS:
        raise UsageError(f"there is no kind {kind!r}", hint=f"the kinds are: {', '.join(KINDS)}")
    partial = out.with_name(f"{out.name}.partial")
    try:
        if kind in FLOATS:
            write_gguf(checkpoint, partial, kind)
        else:
            demand_llama()
            with TemporaryDirectory(dir=out.parent, prefix=".fastapply-") as scratch:
                whole = Path(scratch) / "whole.gguf"
                write_gguf(checkpoint, whole, _own_kind(folder))
                _quantise(whole, partial, kind)
        partial.replace(out)
    finally:
        partial.unlink(missing_ok=True)
    return describe(out, kind, checkpoint)


def _export_adapter(folder: Path, out: Path, kind: Kind, style: StyleName | None) -> Exported:
    import gguf

    card = read_card(folder)
    if style is not None:
        card = replace(card, style=style)
    partial = out.with_name(f"{out.name}.partial")
    try:
        write_adapter(folder, partial, kind, card)
        partial.replace(out)
    finally:
        partial.unlink(missing_ok=True)
    counted = Counter(tensor.tensor_type.name for tensor in gguf.GGUFReader(str(out)).tensors)
    notes = [
        f"an adapter for {Path(base_of(folder)['base']).name}: fastapply models use BASE --adapter {out}"
    ]
    if card.style is None:
        notes.append(_NO_STYLE)
    return Exported(out, out.stat().st_size, dict(sorted(counted.items())), tuple(notes))


def write_gguf(checkpoint: Checkpoint, path: Path, kind: FloatKind) -> None:
    """Write a file whose matrices are floats."""
    import gguf
    import numpy as np
    import torch

    config = checkpoint.config
    shape = _shape(checkpoint)
    names = gguf.get_tensor_name_map(shape, config["num_hidden_layers"])
    writer = gguf.GGUFWriter(str(path), gguf.MODEL_ARCH_NAMES[shape], use_temp_file=True)
    try:
        rows, output = 0, False
        for name, tensor in read_tensors(checkpoint.folder):
            if name == "lm_head.weight" and config.get("tie_word_embeddings"):
                continue
            known = names.get_name(name, try_suffixes=(".weight", ".bias"))
            if known is None:
                raise _unknown(checkpoint, f"llama.cpp has no place for its tensor {name}")
            output = output or name == "lm_head.weight"
            if known == "token_embd.weight":
                rows = tensor.shape[0]
            values = tensor.to(torch.float32).numpy()
            if tensor.ndim == 1 or kind == "f32":
                writer.add_tensor(known, values)
            elif kind == "f16":
                writer.add_tensor(known, values.astype(np.float16))
            else:
                kept = gguf.GGMLQuantizationType.BF16
                writer.add_tensor(known, gguf.quants.quantize(values, kept), raw_dtype=kept)
        if not rows or not (output or config.get("tie_word_embeddings")):
            raise _unknown(checkpoint, "it has no embedding, or no output matrix of its own nor a tied one")
        writer.add_file_type(gguf.LlamaFileType[_FILE_TYPES[kind]])
        _add_shape(writer, checkpoint)
        _add_vocabulary(writer, read_vocabulary(checkpoint, rows))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
    finally:
        if writer.temp_file is not None:
            writer.temp_file.close()
        writer.close()


def describe(path: Path, kind: Kind, checkpoint: Checkpoint) -> Exported:
    """What a file holds, read from the file."""
    import gguf

    tensors = gguf.GGUFReader(str(path)).tensors
    counted = Counter(tensor.tensor_type.name for tensor in tensors)
    notes = []
    other = Counter(
        tensor.tensor_type.name
        for tensor in tensors
        if len(tensor.shape) > 1 and int(tensor.shape[0]) % _BLOCK and kind.endswith("_k")
    )
    for name, count in sorted(other.items()):
        notes.append(f"{count} matrices are no multiple of {_BLOCK} wide: {name} in place of {kind}")
    if checkpoint.card.style is None:
        notes.append(_NO_STYLE)
    if checkpoint.tokenizer.get("normalizer"):
        notes.append("the tokenizer normalises texts, and llama.cpp does not")
    return Exported(path, path.stat().st_size, dict(sorted(counted.items())), tuple(notes))


def _own_kind(folder: Path) -> FloatKind:
    """The float that holds the weights exactly: what they are quantised from."""
    kinds: dict[str, FloatKind] = {"BF16": "bf16", "F16": "f16"}
    found = {kinds.get(kind, "f32") for kind in read_kinds(folder)}
    return found.pop() if len(found) == 1 else "f32"


def _quantise(whole: Path, out: Path, kind: Kind) -> None:
    from fastapply_lab.train.quantise import quantise

    quantise(str(whole), str(out), kind)


def _shape(checkpoint: Checkpoint) -> Any:  # noqa: ANN401 - a number of gguf's
    import gguf

    config = checkpoint.config
    named = config.get("architectures") or ["nothing"]
    if named[0] not in _SHAPES:
        raise _unknown(checkpoint, f"it is of the shape {named[0]}; known are {', '.join(_SHAPES)}")
    if config.get("hidden_act", "silu") != "silu" or config.get("use_sliding_window"):
        raise _unknown(checkpoint, "it has another activation than silu, or a sliding window")
    return gguf.MODEL_ARCH[_SHAPES[named[0]]]


def _add_shape(writer: Any, checkpoint: Checkpoint) -> None:  # noqa: ANN401
    config, card = checkpoint.config, checkpoint.card
    heads = config["num_attention_heads"]
    writer.add_name(card.name or checkpoint.folder.resolve().name)
    if card.style is not None:
        writer.add_string(STYLE_KEY, card.style)
    if card.licence:
        writer.add_license(card.licence)
    if card.notes:
        writer.add_description(card.notes)
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads)
    writer.add_head_count_kv(config.get("num_key_value_heads") or heads)
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(checkpoint.rope_theta)
    if config.get("head_dim"):
        writer.add_key_length(config["head_dim"])
        writer.add_value_length(config["head_dim"])


def _add_vocabulary(writer: Any, vocabulary: Vocabulary) -> None:  # noqa: ANN401
    import gguf

    kinds: Mapping[str, int] = {one.name: one for one in gguf.TokenType}
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(PRE)
    writer.add_token_list(list(vocabulary.tokens))
    writer.add_token_types([kinds[kind] for kind in vocabulary.kinds])
    writer.add_token_merges(list(vocabulary.merges))
    writer.add_eos_token_id(vocabulary.eos)
    if vocabulary.eot is not None:
        writer.add_eot_token_id(vocabulary.eot)
    if vocabulary.eom is not None:
        writer.add_eom_token_id(vocabulary.eom)
    if vocabulary.pad is not None:
        writer.add_pad_token_id(vocabulary.pad)
    writer.add_add_bos_token(False)


def _unknown(checkpoint: Checkpoint, why: str) -> ModelTrouble:
    return ModelTrouble(f"{checkpoint.folder} cannot be exported: {why}", reason="unknown_shape")
