"""What a run that was stopped needs to go on as if it had not been: one file, replaced as a whole."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fastapply.errors import UsageError
from fastapply_lab.train.recipe import MAY_CHANGE

if TYPE_CHECKING:
    from pathlib import Path

    from fastapply_lab.train.recipe import Recipe


def describe(base: str, data: Path, recipe: Recipe, start: Path | None = None) -> dict[str, Any]:
    """What two runs must have in common for one to go on where the other stopped.

    `start` is the file of the adapter that a run goes on from.
    """
    kept = {key: value for key, value in asdict(recipe).items() if key not in MAY_CHANGE}
    begun = {"adapter": _digest(start)} if start else {}
    return {"base": base, "data": _digest(data), **kept, **begun}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def save_state(
    path: Path,
    model: Any,  # noqa: ANN401
    optimiser: Any,  # noqa: ANN401
    described: dict[str, Any],
    done: tuple[int, float],
) -> None:
    """Keep adapters, optimiser, and what is done: steps, and seconds that they took."""
    import torch

    adapters = {name: weight for name, weight in model.named_parameters() if weight.requires_grad}
    step, seconds = done
    told = {"described": described, "step": step, "seconds": seconds}
    held = {**told, "optimiser": optimiser.state_dict(), "adapters": adapters}
    partial = path.with_suffix(".partial")
    torch.save(held, partial)
    partial.replace(path)


def load_state(path: Path, model: Any, optimiser: Any, described: dict[str, Any]) -> tuple[int, float]:  # noqa: ANN401
    """Take up what was kept; gives the steps that are done and their seconds, 0 where nothing was.

    Raises `UsageError` (``other_run``) where it is of another base, other data or another recipe.
    """
    import torch

    if not path.exists():
        return 0, 0.0
    held = torch.load(path, map_location="cpu", weights_only=True)
    before = held["described"]
    other = sorted(key for key in before | described if before.get(key) != described.get(key))
    if other:
        raise UsageError(
            f"{path.parent} holds a run with another {', '.join(other)}",
            reason="other_run",
            hint="name another folder with --out, or delete that one",
        )
    weights = dict(model.named_parameters())
    with torch.no_grad():
        for name, kept in held["adapters"].items():
            weights[name].copy_(kept)
    optimiser.load_state_dict(held["optimiser"])
    return held["step"], held["seconds"]
