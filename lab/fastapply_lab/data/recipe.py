"""What data to make of repositories, and the file that each of them belongs to.

A repository is in one of the files only, so that what was trained on is in neither of the others.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

Split = Literal["train", "valid", "test"]
SPLITS: tuple[Split, ...] = ("train", "valid", "test")


@dataclass(frozen=True, slots=True)
class Recipe:
    """What data to make. Sizes are per repository, so that no large one drowns the others."""

    seed: int = 1
    per_repo: int = 2000  # changes
    per_path: int = 4  # changes of one file
    train: tuple[str, ...] = ()  # names of repositories
    valid: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    valid_share: float = 0.05  # of those not named, by a hash of their names, where `valid` names none
    licences: frozenset[str] = frozenset()  # SPDX names to take besides the permissive ones


def split_of(name: str, recipe: Recipe) -> Split:
    """The file that a repository belongs to, by its name."""
    if name in recipe.test:
        return "test"
    if name in recipe.valid:
        return "valid"
    if recipe.valid or name in recipe.train:
        return "train"
    spot = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") / 2**32
    return "valid" if spot < recipe.valid_share else "train"
