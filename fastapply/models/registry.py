"""The apply models that are known by name: `models/registry.toml`, which lies in the wheel as well."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.errors import ModelTrouble
from fastapply.models.engine import Trust
from fastapply.models.prompts import STYLES
from fastapply.values import dataclass

if TYPE_CHECKING:
    from fastapply.models.prompts import StyleName


@dataclass(frozen=True, slots=True)
class KnownModel:
    """One model of the registry; `file` is "" where no GGUF file is known."""

    name: str
    title: str
    repo: str
    file: str
    quantisation: str
    bytes: int  # about
    sha256: str  # "" where it is not known
    licence: str
    context: int  # tokens; 0 where it is not known
    style: StyleName
    end_tag: str
    base: str
    notes: str
    measured: str  # whether its answers were, by this project; "no", or what is known
    source: str
    revision: str = "main"
    adapter: str = ""  # a GGUF LoRA adapter beside the registry; `file` is then its base
    adapter_bytes: int = 0
    adapter_sha256: str = ""
    trust: Trust | None = None  # when what it writes is believed; None where that was not measured


@cache
def entries() -> tuple[KnownModel, ...]:
    """All models of the registry, in its order."""
    rows = tomllib.loads(registry_file().read_text(encoding="utf-8"))["model"]
    found = tuple(
        KnownModel(**{**row, "trust": Trust(**row["trust"]) if "trust" in row else None}) for row in rows
    )
    for entry in found:
        if entry.style not in STYLES:
            msg = f"{entry.name} has an unknown style, {entry.style}"
            raise ValueError(msg)
    return found


def registry_file() -> Path:
    """Where the registry lies: in an installed package, or beside it in a checkout."""
    package = Path(__file__).parents[1]
    inside = package / "models" / "registry.toml"
    return inside if inside.exists() else package.parent / "models" / "registry.toml"


def adapter_file(entry: KnownModel) -> Path | None:
    """The adapter of a model, which comes with the program; None where it has none.

    Raises `ModelTrouble` (``missing_model``) where the installation lost it, or holds another one.
    """
    if not entry.adapter:
        return None
    path = registry_file().parent / entry.adapter
    if not path.exists() or (entry.adapter_bytes and path.stat().st_size != entry.adapter_bytes):
        raise ModelTrouble(
            f"the adapter of {entry.name} is damaged: {path}",
            reason="missing_model",
            hint="reinstall fastapply",
        )
    return path


def find_entry(name: str) -> KnownModel | None:
    """The model of a name; None where the registry has none."""
    return next((entry for entry in entries() if entry.name == name), None)


def known_entry(name: str) -> KnownModel:
    """The model of a name. Raises `ModelTrouble` (``unknown_model``), with the names that there are."""
    entry = find_entry(name)
    if entry is None:
        raise ModelTrouble(
            f"unknown model {name!r}",
            reason="unknown_model",
            hint=f"known are {', '.join(one.name for one in entries())}; or name a GGUF file by its path",
        )
    return entry
