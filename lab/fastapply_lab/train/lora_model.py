"""The model that is tuned: a frozen base with adapters, and what is kept of it."""

from __future__ import annotations

import json
import shutil
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapply.errors import ModelTrouble, UsageError
from fastapply_lab.train.adapters import Shape, adapt, freeze, load, merge, read_shape, save
from fastapply_lab.train.checkpoint import Card, read_card, write_card
from fastapply_lab.train.names import BASE_FILE

if TYPE_CHECKING:
    from fastapply.models.prompts import StyleName
    from fastapply_lab.train.recipe import Recipe
    from fastapply_lab.train.samples import Tokenizer

_BESIDE = ("tokenizer_config.json", "special_tokens_map.json", "vocab.json", "merges.txt")


def pick_device() -> str:
    """Where to compute."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def load_adapted(
    base: str,
    recipe: Recipe,
    device: str,
    start: Path | None = None,
) -> Any:  # noqa: ANN401 - of transformers
    """A base model with adapters in float32: those of a folder in peft's layout, or new ones.

    New ones are on all linear layers but the output. Raises `ModelTrouble` (``bad_checkpoint``,
    ``bad_adapter``), and `UsageError` (``other_shape``) where those of the folder have another rank or alpha
    than the recipe.
    """
    import torch
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging

    logging.disable_progress_bar()
    dtype = torch.float32 if recipe.dtype == "f32" else torch.bfloat16
    try:
        loaded: Any = AutoModelForCausalLM.from_pretrained(base, dtype=dtype)
    except (OSError, ValueError) as error:
        raise ModelTrouble(f"cannot load {base}: {error}", reason="bad_checkpoint") from None
    if recipe.recompute:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # it has another name from transformers 6 on
            loaded.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    loaded, shape = loaded.to(device), Shape(recipe.rank, recipe.alpha)
    if start is None:
        return adapt(loaded, shape)
    if (held := read_shape(start)) != shape:
        raise UsageError(
            f"the adapter in {start} has rank {held.rank} and alpha {held.alpha:g}",
            reason="other_shape",
            hint=f"go on with --rank {held.rank} --alpha {held.alpha:g}",
        )
    return load(freeze(loaded), start)


def save_adapter(
    model: Any,  # noqa: ANN401
    base: str,
    folder: Path,
    *,
    style: StyleName,
    name: str,
) -> Path:
    """Write the adapter in peft's layout, with its card and what base it is for; gives its folder."""
    save(model, folder, base)
    about = {"base": base, "config": model.config.to_dict()}
    (folder / BASE_FILE).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    write_card(folder, _card(base, style, name))
    return folder


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
    merge(model).save_pretrained(folder)
    tokenizer.save(folder / "tokenizer.json")
    if Path(base).is_dir():
        for beside in _BESIDE:
            if (Path(base) / beside).exists():
                shutil.copy(Path(base) / beside, folder / beside)
    write_card(folder, _card(base, style, name))
    return folder


def _card(base: str, style: StyleName, name: str) -> Card:
    licence = read_card(Path(base)).licence if Path(base).is_dir() else ""
    return Card(style, name or f"{Path(base).name}-{style}", licence, f"tuned from {Path(base).name}")
