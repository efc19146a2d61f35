"""The page that goes with a data set: what is in it, where it is from, what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.dataset.build import SPLITS

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator

    from fastapply.dataset.build import Recipe, Tally

_MOST_ROWS = 60


def render_statistics(tally: Tally, recipe: Recipe) -> str:
    """The page in Markdown; the same data gives the same page."""
    total = tally.windows.total()
    lines = ["# Windows for apply models", ""]
    held_out = f" ({recipe.per_held_out} of one that is held out)" if recipe.per_held_out else ""
    lines.append(
        f"{total} windows of {len(tally.repos)} repositories, seed {recipe.seed}: at most "
        f"{recipe.per_repo} of one repository{held_out}, {recipe.per_path} changes of one file. "
        f"{tally.refusals} of them ({tally.refusals / max(1, total):.1%}) must be refused. Made by rule of "
        "public history: the right answer of each is known by construction.\n"
    )
    sizes = (
        (split, tally.windows[split], tally.characters[split] // max(1, tally.windows[split]))
        for split in SPLITS
    )
    lines += _table(("split", "windows", "characters each"), sizes)
    rows = ((name, split, licence, made) for name, (split, licence, made) in tally.repos.items())
    lines += _table(("repository", "split", "licence", "windows"), rows)
    for kind, counts in tally.by.items():
        lines += _table((kind, "windows", "share"), _shares(counts))
    lines += _table(("left out because", "times", "share"), _shares(tally.left_out))
    if tally.refused_repos:
        lines += _table(("repository left out", "because"), tally.refused_repos.items())
    return "\n".join(lines)


def _shares(counts: Counter[str]) -> Iterator[tuple[str, int, str]]:
    total = counts.total()
    for name, count in counts.most_common(_MOST_ROWS):
        yield name, count, f"{count / total:.1%}"


def _table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    return [*lines, ""]
