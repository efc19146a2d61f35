"""A window: the lines of a file that a model is shown, an edit, and what it must write.

One JSON object a line::

    {"id": ..., "repo": ..., "commit": ..., "path": ..., "licence": ..., "language": ..., "format": ...,
     "style": ..., "original": "...", "edit": "...", "merged": "...", "instructions": "..."}

`merged` is null where the edit must be refused. The lines of `original` are those of region mode (see
`fastapply.models.region` and `surroundings`): the blocks around what changes, and the heads that the edit
names.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from fastapply.errors import FastapplyError
from fastapply.merge.rewrite import changed_runs
from fastapply.models.region import choose_region, predict
from fastapply.models.rewrite import edit_text
from fastapply.pipeline import read_edit
from fastapply.text import from_text
from fastapply.types import Options, Proposal, Splice

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path
    from random import Random

    from fastapply.evaluate.cases import Case
    from fastapply.models.region import Region
    from fastapply.types import Part

ELSEWHERE = 0.3
"""Share of windows that also show a place where nothing changes, as an open question does."""


@dataclass(frozen=True, slots=True)
class Window:
    """One sample; see the module."""

    id: str
    repo: str
    commit: str
    path: str
    licence: str
    language: str
    format: str
    style: str
    original: str
    edit: str
    merged: str | None
    instructions: str = ""

    @property
    def characters(self) -> int:
        """Of prompt and answer together."""
        return len(self.original) + len(self.edit) + len(self.merged or "")


def make_window(edit: Case, licence: str, rng: Random) -> Window | None:
    """The window that region mode would show for an edit, and its merge.

    None where the edit has several parts (each is a task of its own, on a file that the one before has
    changed), or is not read as one at all.
    """
    source = from_text(edit.original)
    part = read_part(edit.edit, edit.path)
    if part is None:
        return None
    splices = splices_between(source.lines, from_text(edit.expected or "").lines)
    if not splices:
        return None
    region = region_around(source.lines, part, splices, rng)
    merged = predict(source.lines, region, splices)
    return Window(
        edit.id,
        edit.repository,
        edit.commit,
        edit.path,
        licence,
        edit.language,
        edit.format,
        edit.style,
        joined(region.texts(source.lines)),
        edit_text(part),
        joined(merged),
    )


def region_around(file: Sequence[str], part: Part, splices: tuple[Splice, ...], rng: Random) -> Region:
    """What region mode would show of a file where this changes in it, and by chance one place more."""
    places = splices
    if rng.random() < ELSEWHERE and file:
        spot = rng.randrange(len(file))
        places = tuple(sorted((*splices, Splice(spot, spot, ())), key=lambda one: (one.start, one.end)))
    return choose_region(file, part, Proposal(places, "aligned"))


def read_part(edit: str, path: str) -> Part | None:
    """The one part of an edit of one file; None where there are more, or none."""
    try:
        said = read_edit(edit, path=path, original=None, options=Options())
    except FastapplyError:
        return None
    parts = [part for one in said.files for part in one.parts]
    return parts[0] if len(parts) == 1 else None


def splices_between(before: Sequence[str], after: Sequence[str]) -> tuple[Splice, ...]:
    """What makes the lines `after` of the lines `before`."""
    return tuple(Splice(a, b, tuple(after[c:d])) for a, b, c, d in changed_runs(before, after))


def joined(lines: Iterable[str]) -> str:
    """Lines as text, each with its end."""
    return "".join(f"{line}\n" for line in lines)


def to_json(window: Window) -> str:
    """One line of a windows file, without its end."""
    return json.dumps(asdict(window), ensure_ascii=False)


def read_windows(path: Path) -> Iterator[Window]:
    """The windows of a file, one after the other."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield Window(**json.loads(line))
