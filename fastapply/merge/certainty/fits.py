"""How the hunks of a change fit where they stand: what comes beside what goes, and beside what stays.

Old lines that new ones replace stand as deep as these, and end as they do; lines that are put in stand
between paragraphs; lines that are alike are treated alike.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from math import log1p
from typing import TYPE_CHECKING

from fastapply.merge.certainty.shape import kind_of, net_of
from fastapply.merge.certainty.terms import key_of, skeleton_of
from fastapply.merge.lines import columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.merge.certainty.shape import Hunk
    from fastapply.types import Splice

_SHORT = 3
_DEFINES = {"define", "test"}


class Fits:
    """Asks how the changes of candidates fit in one file."""

    def __init__(self, file: Sequence[str]) -> None:
        self._file = file
        self._keys = Counter(key for line in file if (key := key_of(line)))

    def of(self, splices: Iterable[Splice]) -> dict[str, float]:
        """Features of one candidate, most of them as log(1 + count); those that are 0 are left out."""
        counts: defaultdict[str, int] = defaultdict(int)
        gone, new = list[str](), list[str]()
        swapped: Counter[tuple[str, str]] = Counter()
        beside: list[tuple[str, str]] = []
        for one in splices:
            counts["file_start"] += one.start == 0 < one.end
            counts["file_end"] += one.end >= len(self._file) - 1 and one.end > one.start
            hunk = went, came = net_of(self._file[one.start : one.end], one.lines)
            gone += went
            new += came
            if went and came:
                self._replaced(counts, one, hunk)
                swapped.update(zip(map(skeleton_of, went), map(skeleton_of, came), strict=False))
            elif came:
                self._put_in(counts, one, came)
                beside += self._beside(one, came)
            elif went:
                counts["goes_defined"] += sum(kind_of(line) in _DEFINES for line in went)
        counts["mixed"] = sum(swapped[pair] > 0 for pair in beside)
        counts["alike"] = sum(count > 1 for count in swapped.values())
        features = {name: log1p(count) for name, count in (counts | self._equal(gone, new)).items()}
        return {f"fits.{name}": value for name, value in features.items() if value}

    def _replaced(self, counts: dict[str, int], one: Splice, hunk: Hunk) -> None:
        went, came = hunk
        counts["depth"] += min(map(columns, went)) != min(map(columns, came))
        counts["last_kind"] += kind_of(went[-1]) != kind_of(came[-1])
        counts["paragraphs"] += sum(not line.strip() for line in self._file[one.start + 1 : one.end - 1])

    def _put_in(self, counts: dict[str, int], one: Splice, came: Sequence[str]) -> None:
        above, below = self._around(one)
        counts["at_blank"] += (above is not None and not above.strip()) or (
            below is not None and not below.strip()
        )
        counts["above_deeper"] += bool(below and below.strip()) and columns(below or "") > columns(came[-1])
        counts["puts_in_defined"] += kind_of(came[0]) in _DEFINES

    def _around(self, one: Splice) -> tuple[str | None, str | None]:
        """The lines above and below a change; None where the file ends there."""
        file = self._file
        above = file[one.start - 1] if one.start else None
        return above, file[one.end] if one.end < len(file) else None

    def _beside(self, one: Splice, came: Sequence[str]) -> list[tuple[str, str]]:
        """Old and new lines that are neighbours, without their names."""
        file = self._file
        above = next((file[n] for n in range(one.start - 1, -1, -1) if file[n].strip()), "")
        below = next((file[n] for n in range(one.end, len(file)) if file[n].strip()), "")
        return [(skeleton_of(below), skeleton_of(came[0])), (skeleton_of(above), skeleton_of(came[-1]))]

    def _equal(self, gone: Iterable[str], new: Iterable[str]) -> dict[str, int]:
        """What becomes of lines that stand several times."""
        went = Counter(key for line in gone if len(key := key_of(line)) > _SHORT)
        came = Counter(key for line in new if len(key := key_of(line)) > _SHORT)
        held = self._keys
        return {
            "some_equal_go": sum(held[key] > count for key, count in went.items()),
            "comes_twice": sum(held[key] <= 1 < held[key] - went[key] + came[key] for key in came),
            "comes_again": sum(held[key] > went[key] for key in came),
        }
