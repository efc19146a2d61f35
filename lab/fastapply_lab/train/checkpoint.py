"""Reading a checkpoint: a folder in the layout of Hugging Face, with a card of our own beside it.

``fastapply.json`` holds ``{"style": "nano", "name": "...", "licence": "...", "notes": "..."}``; each is
optional, and so is the file.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from fastapply.errors import ModelTrouble
from fastapply.models.prompts import STYLES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import torch

    from fastapply.models.prompts import StyleName

CARD_FILE = "fastapply.json"
_WEIGHTS, _INDEX = "model.safetensors", "model.safetensors.index.json"


@dataclass(frozen=True, slots=True)
class Card:
    """What a model says of itself beside its weights."""

    style: StyleName | None = None
    name: str = ""
    licence: str = ""
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint without its weights: `config` and `tokenizer` as their files hold them."""

    folder: Path
    config: dict[str, Any]
    tokenizer: dict[str, Any]
    card: Card

    @property
    def rope_theta(self) -> float:
        """The base of the rotary embedding. Raises `ModelTrouble` for a scaled one."""
        rope = self.config.get("rope_parameters") or self.config.get("rope_scaling") or {}
        if rope.get("rope_type", rope.get("type", "default")) != "default":
            raise _bad(self.folder, "its rotary embedding is scaled")
        return float(rope.get("rope_theta") or self.config.get("rope_theta") or 10_000.0)


def read_checkpoint(folder: Path) -> Checkpoint:
    """Read all but the weights. Raises `ModelTrouble` (``bad_checkpoint``)."""
    config, tokenizer = _object(folder / "config.json"), _object(folder / "tokenizer.json")
    if not _weight_files(folder):
        raise _bad(folder, f"there is no {_WEIGHTS}")
    return Checkpoint(folder, config, tokenizer, read_card(folder))


def read_card(folder: Path) -> Card:
    """The card of a checkpoint; an empty one where there is none."""
    if not (folder / CARD_FILE).exists():
        return Card()
    said = _object(folder / CARD_FILE)
    style = said.get("style")
    if style is not None and style not in STYLES:
        raise _bad(folder, f"its card names the prompt style {style!r}, which there is not")
    return Card(style, *(str(said.get(key) or "") for key in ("name", "licence", "notes")))


def write_card(folder: Path, card: Card) -> None:
    """Put a card beside a checkpoint."""
    text = json.dumps(asdict(card), ensure_ascii=False, indent=2)
    (folder / CARD_FILE).write_text(text + "\n", encoding="utf-8")


def read_tensors(folder: Path) -> Iterator[tuple[str, torch.Tensor]]:
    """The weights by their names, one after the other, so that not all of them need be in memory."""
    from safetensors import safe_open

    for path in _weight_files(folder):
        with safe_open(path, framework="pt") as held:
            for name in held.keys():  # noqa: SIM118 - it is no mapping
                yield name, held.get_tensor(name)


def read_kinds(folder: Path) -> set[str]:
    """In what the weights are kept: names as F32, F16, BF16."""
    from safetensors import safe_open

    found: set[str] = set()
    for path in _weight_files(folder):
        with safe_open(path, framework="pt") as held:
            found |= {held.get_slice(name).get_dtype() for name in held.keys()}  # noqa: SIM118
    return found


def _weight_files(folder: Path) -> list[Path]:
    if (folder / _WEIGHTS).exists():
        return [folder / _WEIGHTS]
    if not (folder / _INDEX).exists():
        return []
    return [folder / name for name in sorted(set(_object(folder / _INDEX)["weight_map"].values()))]


def _object(path: Path) -> dict[str, Any]:
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise _bad(path.parent, f"cannot read {path.name}: {error.strerror or error}") from None
    except ValueError:
        held = None
    if not isinstance(held, dict):
        raise _bad(path.parent, f"{path.name} is no JSON object")
    return held


def _bad(folder: Path, why: str) -> ModelTrouble:
    return ModelTrouble(f"{folder} is no checkpoint to use: {why}", reason="bad_checkpoint")
