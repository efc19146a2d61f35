"""From the adapter of a tuning run, or any LoRA in peft's layout, to a GGUF adapter for llama.cpp.

Matrices are written as ``f32``, ``f16``, ``bf16`` or ``q8_0``; a matrix that is no multiple of 32 wide, as B
of rank 16 is, stays ``f16`` with ``q8_0``. The names of tensors are those of llama.cpp's own converter:
``blk.0.attn_q.weight.lora_a``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from fastapply.errors import ModelTrouble, UsageError
from fastapply.models.store import STYLE_KEY
from fastapply_lab.train.names import ADAPTER, BASE_FILE, SHAPES, gguf_name

if TYPE_CHECKING:
    from pathlib import Path

    from fastapply_lab.train.checkpoint import Card

AdapterKind = Literal["f32", "f16", "bf16", "q8_0"]
_BLOCK = 32  # values that q8_0 packs together
_CONFIG = "adapter_config.json"


def adapter_folder(folder: Path) -> Path | None:
    """Where the adapter of a run is, or the folder itself if it is one; None for a whole checkpoint."""
    for one in (folder, folder / ADAPTER):
        if (one / _CONFIG).exists():
            return one
    return None


def base_of(folder: Path) -> dict[str, Any]:
    """The base of an adapter: ``base`` as it was named (see `open_base`), ``config`` as transformers has it.

    Raises `ModelTrouble` (``bad_adapter``) where nothing beside the adapter says so.
    """
    try:
        if (folder / BASE_FILE).exists():
            held = json.loads((folder / BASE_FILE).read_text(encoding="utf-8"))
            return {"base": str(held["base"]), "config": dict(held["config"])}
        named = json.loads((folder / _CONFIG).read_text(encoding="utf-8"))["base_model_name_or_path"]
        from transformers import AutoConfig

        return {"base": str(named), "config": AutoConfig.from_pretrained(named).to_dict()}
    except (OSError, ValueError, KeyError, TypeError):
        raise ModelTrouble(
            f"nothing in {folder} says what its base is", reason="bad_adapter", hint="train lora writes that"
        ) from None


def write_adapter(folder: Path, path: Path, kind: str, card: Card) -> None:
    """Write the GGUF file of an adapter. Raises `ModelTrouble` (``bad_adapter``, ``unknown_shape``)."""
    import gguf
    import numpy as np

    from fastapply_lab.train.adapters import read_shape, read_weights

    if kind not in {"f32", "f16", "bf16", "q8_0"}:
        raise UsageError(f"an adapter cannot be written as {kind}", hint="f32, f16, bf16 or q8_0")
    shape, architecture = read_shape(folder), _architecture(folder)
    writer = gguf.GGUFWriter(str(path), architecture)
    try:
        writer.add_type("adapter")
        writer.add_string("adapter.type", "lora")
        writer.add_float32("adapter.lora.alpha", shape.alpha)
        _add_card(writer, card)
        for module, pair in read_weights(folder).items():
            name = gguf_name(module)
            if name is None:
                raise ModelTrouble(
                    f"{folder} cannot be exported: llama.cpp has no place for {module}",
                    reason="unknown_shape",
                )
            for letter, tensor in zip("ab", pair, strict=True):
                values = tensor.numpy()
                known = f"{name}.weight.lora_{letter}"
                fits = kind != "q8_0" or values.shape[1] % _BLOCK == 0
                if kind == "f32":
                    writer.add_tensor(known, values)
                elif kind == "f16" or not fits:
                    writer.add_tensor(known, values.astype(np.float16))
                else:
                    kept = gguf.GGMLQuantizationType[kind.upper()]
                    writer.add_tensor(known, gguf.quants.quantize(values, kept), raw_dtype=kept)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
    finally:
        writer.close()


def _architecture(folder: Path) -> str:
    named = (base_of(folder)["config"].get("architectures") or ["nothing"])[0]
    if named not in SHAPES:
        raise ModelTrouble(
            f"{folder} cannot be exported: its base is of the shape {named}; known are {', '.join(SHAPES)}",
            reason="unknown_shape",
        )
    return SHAPES[named]


def _add_card(writer: Any, card: Card) -> None:  # noqa: ANN401 - of gguf
    """What the model says of itself: name, prompt, licence."""
    if card.name:
        writer.add_name(card.name)
    if card.style is not None:
        writer.add_string(STYLE_KEY, card.style)
    if card.licence:
        writer.add_license(card.licence)
    if card.notes:
        writer.add_description(card.notes)
