"""From repositories to windows, as a stream: commits, filters, edits, windows, three files by repository.

A repository is in one of the files only, and its windows are first a file of their own, with the keys of
their changes. Those for training come first, then those for validation and for tests, so that what was
trained on is in neither of them. Memory holds one change of each repository at work, the list of what its
commits changed (not their texts), and what `filters.Seen` takes: it does not grow with the samples.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from fastapply.dataset.by_rule.edits import edits_of
from fastapply.dataset.by_rule.history import read_changes, repository_name
from fastapply.dataset.filters import Seen, change_keys, why_not
from fastapply.dataset.licence import permissive_licence
from fastapply.dataset.negatives import make_negative
from fastapply.dataset.windows import Window, make_window, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fastapply.dataset.by_rule.history import FileChange

Split = Literal["train", "valid", "test"]
SPLITS: tuple[Split, ...] = ("train", "valid", "test")
MOST_CHARACTERS = 12_000
"""Of prompt and answer: about 4,000 tokens. What is longer is left out and counted."""
_ONE_REPO = 1 << 24  # bits of the filter for duplicates within a repository
_STYLES_SEEN = 1000  # the shares of styles are kept within so many edits


@dataclass(frozen=True, slots=True)
class Recipe:
    """What data to make. Sizes are per repository, so that no large one drowns the others."""

    seed: int = 1
    per_repo: int = 2000  # windows
    per_held_out: int = 0  # the same of one for validation or tests; 0: as `per_repo`
    per_path: int = 4  # changes of one file
    negatives: float = 0.06  # share of windows beside which one that must be refused is tried; some cannot be
    train: tuple[str, ...] = ()  # names of repositories
    valid: tuple[str, ...] = ()
    test: tuple[str, ...] = ()
    valid_share: float = 0.05  # of those not named, by a hash of their names, where `valid` names none
    licences: frozenset[str] = frozenset()  # SPDX names to take besides the permissive ones


@dataclass(slots=True)
class Tally:
    """What was made and what was left out, counted."""

    windows: Counter[Split] = field(default_factory=Counter)
    characters: Counter[Split] = field(default_factory=Counter)
    refusals: int = 0  # windows that must be refused
    repos: dict[str, tuple[Split, str, int]] = field(default_factory=dict)
    refused_repos: dict[str, str] = field(default_factory=dict)
    by: dict[str, Counter[str]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)

    def count(self, window: Window, split: Split) -> None:
        """Count one window."""
        self.windows[split] += 1
        self.characters[split] += window.characters
        self.refusals += window.merged is None
        for kind in ("language", "format", "style"):
            self.by.setdefault(kind, Counter())[getattr(window, kind)] += 1


def build(
    repos: Sequence[Path],
    out: Path,
    recipe: Recipe,
    *,
    jobs: int = 1,
    told: Callable[[str, int], None] | None = None,
) -> Tally:
    """Write ``train.jsonl``, ``valid.jsonl`` and ``test.jsonl`` into a folder; `told` hears how far it is.

    `jobs` repositories are read at a time; the files are the same however many. They replace older ones when
    all are whole. Repositories under no permissive licence are left out and named in the tally.
    """
    out.mkdir(parents=True, exist_ok=True)
    tally, seen = Tally(), Seen()
    ordered = sorted(repos, key=lambda repo: SPLITS.index(split_of(repository_name(repo), recipe)))
    with ExitStack() as stack:
        parts = Path(stack.enter_context(TemporaryDirectory(dir=out, prefix="parts-")))
        pool = stack.enter_context(ProcessPoolExecutor(jobs))
        whole = {split: parts / f"{split}.jsonl" for split in SPLITS}
        files = {
            split: stack.enter_context(path.open("w", encoding="utf-8")) for split, path in whole.items()
        }
        work = partial(_write_part, recipe=recipe)
        targets = [parts / f"{at}.part" for at in range(len(ordered))]
        for repo, part, done in zip(ordered, targets, pool.map(work, ordered, targets), strict=True):
            name = repository_name(repo)
            licence, left_out = done
            if licence is None:
                tally.refused_repos[name] = "no permissive licence"
                continue
            tally.left_out.update(left_out)
            split, made = split_of(name, recipe), 0
            for window in _new_windows(part, seen, tally.left_out):
                files[split].write(to_json(window) + "\n")
                tally.count(window, split)
                made += 1
            part.unlink()
            tally.repos[name] = (split, licence, made)
            if told is not None:
                told(name, made)
        for split, file in files.items():
            file.close()
            whole[split].replace(out / f"{split}.jsonl")
    return tally


def _new_windows(part: Path, seen: Seen, left_out: Counter[str]) -> Iterator[Window]:
    """The windows of a repository whose changes no other has made before, nor ones nearly like them."""
    judged, known = "", False
    with part.open(encoding="utf-8") as lines:
        for line in lines:
            change, keys, values = json.loads(line)
            if change != judged:
                judged = change
                known = sum(seen.add(key.encode()) for key in keys) > 0  # each of them is remembered
            window = Window(**values)
            if known:
                left_out["in another repository"] += 1
            elif seen.add(f"{window.edit}\0{window.merged}".encode()):
                left_out["duplicate"] += 1
            else:
                yield window


def _write_part(repo: Path, part: Path, *, recipe: Recipe) -> tuple[str | None, Counter[str]]:
    """The windows of one repository in a file of their own: its licence, and what was left out.

    A line is ``[change, keys of the change, window]``.
    """
    left_out = Counter[str]()
    licence = permissive_licence(repo, recipe.licences)
    if licence is not None:
        with part.open("w", encoding="utf-8") as file:
            for change, window in repo_windows(repo, licence, recipe, left_out):
                named = f"{change.commit} {change.path}"
                keys = change_keys(change.before, change.after)
                file.write(f"[{json.dumps(named)}, {json.dumps(keys)}, {to_json(window)}]\n")
    return licence, left_out


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


def repo_windows(
    repo: Path, licence: str, recipe: Recipe, left_out: Counter[str]
) -> Iterator[tuple[FileChange, Window]]:
    """The windows of one repository with the changes they show, always the same ones for the same recipe.

    With a smaller size they are the first of those of a larger one.
    """
    held_out = split_of(repository_name(repo), recipe) != "train"
    most = (held_out and recipe.per_held_out) or recipe.per_repo
    seen = Seen(_ONE_REPO)
    rng = random.Random(f"{recipe.seed}:{repository_name(repo)}")  # noqa: S311 - repeatable, not secret
    styles = Counter[str]()
    made = 0
    last: Window | None = None
    for change in read_changes(repo, seed=recipe.seed, per_path=recipe.per_path):
        reason = why_not(change, seen, rng)
        if reason:
            left_out[reason] += 1
            continue
        for window in _windows_of(change, licence, styles, rng, left_out=left_out, number=made):
            yield change, window
            made += 1
            if made < most and rng.random() < recipe.negatives:
                negative = make_negative(window, last, rng)
                if negative is not None:
                    yield change, negative
                    made += 1
            last = window
            if made >= most:
                return


def _windows_of(
    change: FileChange,
    licence: str,
    styles: Counter[str],
    rng: random.Random,
    *,
    left_out: Counter[str],
    number: int,
) -> Iterator[Window]:
    if styles.total() >= _STYLES_SEEN:
        styles.clear()
    edits = edits_of(change, styles, 2 * _STYLES_SEEN, rng, number)
    if not edits:
        left_out["no edit can show it"] += 1
    for edit in edits:
        styles[edit.style] += 1
        window = make_window(edit, licence, rng)
        if window is None:
            left_out["several parts"] += 1
        elif window.characters > MOST_CHARACTERS:
            left_out["too long"] += 1
        else:
            yield window
