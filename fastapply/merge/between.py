"""What an edit shows between two of its lines: markers, new lines, notes, and the blocks that they are in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.blocks import Blocks
    from fastapply.merge.elements import LazyEdit


@dataclass(frozen=True, slots=True)
class Between:
    """The edit lines strictly between two anchors."""

    markers: tuple[int, ...]
    texts: tuple[int, ...]
    notes: tuple[int, ...]
    floor: float  # smallest depth of all of them
    closed: int | None  # see `Blocks.closed_opener`, up to the first marker or the second anchor
    unclosed: int  # closing lines among `texts` for blocks that are opened at or around the first anchor
    middle: tuple[int, ...]  # those of `texts` that stand between two markers
    passed: int  # how many of `texts` are pinned
    covers: tuple[int, ...] | None  # lines that open the markers' blocks; None where one reaches further


class Betweens:
    """Finds it for any two lines of one edit, each pair once.

    `pinned` are edit lines that stand once in edit and file alike, and open no block.
    """

    def __init__(self, edit: LazyEdit, blocks: Blocks) -> None:
        self._edit, self._blocks = edit, blocks
        self._known: dict[tuple[int, int], Between] = {}
        self.pinned: frozenset[int] = frozenset()

    def find(self, i: int, other: int) -> Between:
        """Edit lines strictly between two anchors' lines."""
        known = self._known.get((i, other))
        if known is None:
            kinds = self._edit.kinds
            inner = range(i + 1, other)
            depths = [self._edit.depths[x] for x in inner if kinds[x] not in {"blank", "end"}]
            markers = tuple(x for x in inner if kinds[x] == "marker")
            texts = tuple(x for x in inner if kinds[x] == "text")
            around = set(self._blocks.around[i]) if i >= 0 else set()
            known = Between(
                markers,
                texts,
                tuple(x for x in inner if kinds[x] == "note"),
                min(depths, default=1e9),
                self._blocks.closed_opener(i, markers[0] if markers else other) if i >= 0 else None,
                sum(self._edit.openers.get(x, -1) in around for x in texts),
                tuple(x for x in texts if markers and markers[0] < x < markers[-1]),
                sum(x in self.pinned for x in texts),
                self._covers(markers, i, other),
            )
            self._known[i, other] = known
        return known

    def _covers(self, markers: Sequence[int], i: int, other: int) -> tuple[int, ...] | None:
        """Lines that open the blocks which markers stand in, if the edit leaves all these before `other`."""
        kinds, parents, depths = self._edit.kinds, self._edit.parents, self._edit.depths
        found: list[int] = []
        for marker in markers:
            parent = parents[marker]
            if parent < 0 or depths[marker] <= depths[parent] or self._blocks.open[parent]:
                return None
            if not any(
                depths[x] <= depths[parent]
                for x in range(marker + 1, min(other + 1, len(kinds)))
                if kinds[x] != "blank"
            ):
                return None
            if parent <= i:
                found.append(parent)
        return tuple(found)
