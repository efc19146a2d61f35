"""Changed files out of a git repository."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from fastapply.dataset.by_rule.history import read_changes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_every_commit_gives_the_files_that_it_changed(
    shop_repo: Path, steps: tuple[tuple[str, str, str], ...]
) -> None:
    """Before and after are the whole texts of each commit, and nothing else is read."""
    changes = list(read_changes(shop_repo, seed=1, per_path=20))
    assert len(changes) == len(steps)
    by_edit = {(old, new): name for name, old, new in steps}
    for change in changes:
        fitting = [
            name for (old, new), name in by_edit.items() if change.before.replace(old, new, 1) == change.after
        ]
        assert fitting == [change.path]


def test_vendored_short_and_binary_files_are_left_out(shop_repo: Path) -> None:
    """Copies of other projects, files of a few lines and binary files make no edits."""
    assert {c.path for c in read_changes(shop_repo, seed=1, per_path=20)} == {"shop.py", "server.go"}


def test_the_order_depends_on_the_seed_alone(shop_repo: Path) -> None:
    """The same seed gives the same changes in the same order, another seed another order."""
    first = [c.commit for c in read_changes(shop_repo, seed=1, per_path=20)]
    assert first == [c.commit for c in read_changes(shop_repo, seed=1, per_path=20)]
    others = {tuple(c.commit for c in read_changes(shop_repo, seed=s, per_path=20)) for s in range(2, 6)}
    assert others != {tuple(first)}


def test_one_path_gives_only_a_few_changes(shop_repo: Path) -> None:
    """The cap for a path holds."""
    assert len(list(read_changes(shop_repo, seed=1, per_path=1))) == 2


def test_a_bare_repository_is_read_as_well(shop_repo: Path, git: Callable[..., str], tmp_path: Path) -> None:
    """Mirrors have no work tree."""
    bare = tmp_path / "mirror+shop" / "repo"
    git(shop_repo, "clone", "--quiet", "--bare", str(shop_repo), str(bare))
    changes = list(read_changes(bare, seed=1))
    shutil.rmtree(bare)
    assert {c.repo for c in changes} == {"mirror+shop"}
