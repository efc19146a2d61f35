"""Where lines of a file stand, and what of a change an edit shows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.dataset.by_rule.blocks import Structure
    from fastapply.dataset.by_rule.change import Change, Replaced


@dataclass(frozen=True, slots=True)
class Run:
    """After lines `[start, end)` that are shown without a marker between them."""

    start: int
    end: int


@dataclass(frozen=True)
class Lookup:
    """Where stretches of stripped, non-blank lines stand in a file."""

    lines: tuple[str, ...]

    @cached_property
    def solid(self) -> tuple[int, ...]:
        """Line numbers of the non-blank lines."""
        return tuple(i for i, line in enumerate(self.lines) if line.strip())

    @cached_property
    def rank(self) -> dict[int, int]:
        """Position among the non-blank lines, by line number."""
        return {line: at for at, line in enumerate(self.solid)}

    @cached_property
    def places(self) -> dict[str, tuple[int, ...]]:
        """Positions among the non-blank lines of each stripped line."""
        found: dict[str, list[int]] = {}
        for at, line in enumerate(self.solid):
            found.setdefault(plain(self.lines[line]), []).append(at)
        return {text: tuple(at) for text, at in found.items()}

    def find(self, stretch: Sequence[str], first: int, last: int) -> list[int]:
        """Line numbers at which the stretch begins inside lines `first` to `last`."""
        texts = [plain(line) for line in stretch]
        out = []
        for at in self.places.get(texts[0], ()):
            end = at + len(texts)
            if end > len(self.solid) or self.solid[at] < first or self.solid[end - 1] > last:
                continue
            if all(plain(self.lines[self.solid[at + i]]) == text for i, text in enumerate(texts)):
                out.append(self.solid[at])
        return out


def plain(line: str) -> str:
    """A line with its white space made alike: runs of blanks become one."""
    return " ".join(line.split())


@dataclass(frozen=True, slots=True)
class View:
    """What the filter needs to know of a change: itself and the blocks of both sides."""

    change: Change
    lookup: Lookup  # of the before
    old: Structure
    new: Structure


def runs_of(shown: Iterable[int]) -> list[Run]:
    """Maximal runs of a set of line numbers: ``{1, 2, 5}`` gives ``[1, 3), [5, 6)``."""
    runs: list[Run] = []
    for line in sorted(shown):
        if runs and runs[-1].end == line:
            runs[-1] = Run(runs[-1].start, line + 1)
        else:
            runs.append(Run(line, line + 1))
    return runs


def touches(r: Replaced, run: Run) -> bool:
    """Whether a run shows a replacement, or both sides of a removal."""
    if r.a0 == r.a1:
        return run.start <= r.a0 <= run.end
    return run.start <= r.a0 and r.a1 <= run.end
