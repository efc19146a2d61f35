"""What happened to a file, as far as it can be told from the three texts.

Two alignments are the ground of every check: file to merged text (what was kept), and edit to
merged text (what was shown). A change is a place where the file's lines went, others came, or both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.text.align import align
from fastapply.values import dataclass
from fastapply.verify.compare import key_of
from fastapply.verify.diffs import Change, align_unshown_first, find_changes, slide
from fastapply.verify.places import MergedLines, Place, find_paraphrases, place_part
from fastapply.verify.shown import read_edit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.text import SourceText
    from fastapply.types import FileEdit
    from fastapply.verify.shown import Wanted

__all__ = ["Change", "Evidence", "Place", "gather"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The three texts and how their lines belong together."""

    original: SourceText
    merged: SourceText
    language: str | None
    wanted: Wanted
    old_keys: Sequence[str]  # the file's lines without white space
    new_keys: Sequence[str]  # those of the merged text
    kept_as: Sequence[int]  # for each file line the merged line that it is, or -1
    kept_from: Sequence[int]  # for each merged line the file line that it is, or -1
    changes: tuple[Change, ...]
    shown: dict[int, Place]  # merged line -> where the edit shows it
    found: dict[Place, int]  # and back; wanted lines that are not here are missing
    paraphrased: frozenset[Place]  # wanted lines for which the file's line was kept

    @property
    def is_whole(self) -> bool:
        """Whether the merged text is a snippet that the edit gives, from first line to last."""
        parts = self.wanted.parts
        if len(parts) != 1 or not parts[0].is_snippet or parts[0].marked:
            return False
        return [key for key in self.new_keys if key] == [
            line.key for run in parts[0].runs for line in run.lines
        ]


def gather(
    original: SourceText,
    edit: FileEdit,
    merged: SourceText,
    language: str | None,
    *,
    unshown_first: bool = False,
) -> Evidence:
    """Align the three texts.

    With `unshown_first`, lines that the edit does not show are aligned before all others: where
    the edit swaps two pieces, a plain diff may take the one that it shows for kept, and the one
    that must have been kept for moved.
    """
    keys = [key_of(line) for line in merged.lines]
    prose = language in {"markdown", "rst"}
    wanted = read_edit(edit, keys, prose=prose)
    kept_as = align(original.lines, merged.lines)
    full = [index for index, key in enumerate(keys) if key]
    text = MergedLines(merged.lines, keys, full, _came(kept_as, len(keys)))
    shown: dict[int, Place] = {}
    found: dict[Place, int] = {}
    for number, part in enumerate(wanted.parts):
        for place, index in place_part(part, number, text).items():
            found[place] = index
            shown.setdefault(index, place)
    if unshown_first:
        kept_as = align_unshown_first(original.lines, merged.lines, shown)
    kept_as = slide(original.lines, merged.lines, kept_as, shown)
    kept_from = [-1] * len(merged.lines)
    for index, other in enumerate(kept_as):
        if other >= 0:
            kept_from[other] = index
    paraphrased = find_paraphrases(wanted, merged.lines, kept_from, shown, found, prose=prose)
    return Evidence(
        original=original,
        merged=merged,
        language=language,
        wanted=wanted,
        old_keys=[key_of(line) for line in original.lines],
        new_keys=keys,
        kept_as=kept_as,
        kept_from=kept_from,
        changes=find_changes(kept_as, len(merged.lines)),
        shown=shown,
        found=found,
        paraphrased=paraphrased,
    )


def _came(kept_as: Sequence[int], size: int) -> frozenset[int]:
    return frozenset(range(size)) - frozenset(kept_as)
