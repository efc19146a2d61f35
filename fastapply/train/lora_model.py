"""The model that is tuned: a base with adapters, and afterwards one checkpoint of both."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapply.errors import ModelTrouble
from fastapply.train.checkpoint import Card, read_card, write_card

if TYPE_CHECKING:
    from fastapply.llm.prompts import StyleName
    from fastapply.train.lora import Recipe
    from fastapply.train.samples import Tokenizer

_BESIDE = ("tokenizer_config.json", "special_tokens_map.json", "vocab.json", "merges.txt")


def pick_device() -> str:
    """Where to compute."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def load_adapted(base: str, recipe: Recipe, device: str) -> Any:  # noqa: ANN401 - of peft
    """A base model with adapters on all of its linear layers but the output."""
    import peft
    import torch
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging

    logging.disable_progress_bar()
    wide = recipe.dtype == "f32" or (
        recipe.dtype == "auto" and not (device == "cuda" and torch.cuda.is_bf16_supported())
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # peft calls old names of transformers
        try:
            loaded = AutoModelForCausalLM.from_pretrained(
                base, dtype=torch.float32 if wide else torch.bfloat16
            )
        except (OSError, ValueError) as error:
            raise ModelTrouble(f"cannot load {base}: {error}", reason="bad_checkpoint") from None
        if recipe.recompute:
            loaded.gradient_checkpointing_enable({"use_reentrant": False})
        config = peft.LoraConfig(
            r=recipe.rank, lora_alpha=recipe.alpha, target_modules="all-linear", task_type="CAUSAL_LM"
        )
        return peft.get_peft_model(loaded.to(device), config)


def save_merged(
    model: Any,  # noqa: ANN401
    tokenizer: Tokenizer,
    base: str,
    folder: Path,
    *,
    style: StyleName,
    name: str,
) -> Path:
    """Put the adapters into the weights, and write a checkpoint that `export` takes; gives its folder."""
    merged = model.merge_and_unload(safe_merge=True)
    merged.save_pretrained(folder)
    tokenizer.save(folder / "tokenizer.json")
    licence = ""
    if Path(base).is_dir():
        licence = read_card(Path(base)).licence
        for beside in _BESIDE:
            if (Path(base) / beside).exists():
                shutil.copy(Path(base) / beside, folder / beside)
    write_card(
        folder, Card(style, name or f"{Path(base).name}-{style}", licence, f"tuned from {Path(base).name}")
    )
    return folder
