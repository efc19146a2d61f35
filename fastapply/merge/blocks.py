"""Blocks of a lazy edit: which of them it shows closed, and where they end in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.merge.likeness import subject

if TYPE_CHECKING:
    from fastapply.merge.anchors import Anchor
    from fastapply.merge.elements import LazyEdit
    from fastapply.merge.lines import LineTable


class Blocks:
    """What is known of the blocks of one edit; `ratio` is columns of the file to one of the edit.

    `places` are the file lines that each edit line may be.
    """

    def __init__(self, edit: LazyEdit, file: LineTable, ratio: float) -> None:
        self.edit = edit
        self.file = file
        self.ratio = ratio
        size = len(edit.kinds)
        texts = [kind == "text" for kind in edit.kinds]
        self.defines = [texts[i] and subject(edit.table.lines[i]) is not None for i in range(size)]
        ends = "end" in file.keys
        self.open = [texts[i] and self._left_open(i, ends=ends) for i in range(size)]
        self.around = [self._ancestors(i) for i in range(size)]
        self.places: dict[int, list[int]] = {}
        marked = [x for x, kind in enumerate(edit.kinds) if kind == "marker"]
        self._elided = {y for x in marked for y in self.around[x][1:]}

    def _ancestors(self, i: int) -> tuple[int, ...]:
        """An edit line and the lines that open the blocks around it, the innermost first."""
        found = [i]
        while self.edit.parents[found[-1]] >= 0:
            found.append(self.edit.parents[found[-1]])
        return tuple(found)

    def _left_open(self, i: int, *, ends: bool) -> bool:
        """Whether an edit line opens a block that needs a closing line which the edit doesn't show."""
        if i in self.edit.closers:
            return False
        line = self.edit.table.lines[i].rstrip()
        after = next((key for key in self.edit.table.keys[i + 1 :] if key), "")
        return line.endswith(("{", "(", "[")) or after == "{" or (ends and not line.endswith((":", ",")))

    def block_end(self, a: Anchor, opener: int) -> int:
        """End of the block around `a` that edit line `opener` opens; blank lines behind it are left out.

        The innermost file line around `a` that the opener may be tells; else depth does, seen from `a`.
        """
        for start in reversed(self.places.get(opener, ())):
            if start <= a.start < self.file.ends[start]:
                return max(self.file.ends[start], a.end)
        depth = self.edit.depths[opener]
        target = self.file.depths[a.start] + (depth - self.edit.depths[a.i]) * self.ratio + 0.3
        at = a.end
        size = len(self.file.lines)
        while at < size and not 0 <= self.file.depths[at] <= target:
            at += 1
        while at > a.end and not self.file.keys[at - 1]:
            at -= 1
        return at

    def closed_opener(self, i: int, upto: int) -> int | None:
        """Line that opens the outermost block around edit line `i` which the edit leaves before `upto`.

        `upto` is an edit line (a marker, or the next anchor). None where no such block is left.
        """
        kinds, depths, parents = self.edit.kinds, self.edit.depths, self.edit.parents
        inner = [
            depths[x]
            for x in range(i + 1, upto)
            if kinds[x] not in {"blank", "end"} and self.edit.table.keys[x] != "{"
        ]
        if upto < len(kinds):
            inner.append(depths[upto])
        if not inner:
            return None
        low = min(inner)
        found: int | None = None
        if len(inner) > 1 and inner[0] > depths[i] >= low and self._closed(i, upto):
            found = i
        parent = parents[i]
        while parent >= 0 and depths[parent] >= low and self._closed(parent, upto):
            found = parent
            parent = parents[parent]
        return found

    def _closed(self, opener: int, upto: int) -> bool:
        """Whether the edit shows, before line `upto`, that the block which `opener` opens has ended."""
        return not self.open[opener] and self.edit.closers.get(opener, -1) < upto

    def closed_at_end(self, a: Anchor) -> int | None:
        """As `closed_opener`, for the end of the edit: a definition opened there is shown to its end."""
        depths, parents, kinds = self.edit.depths, self.edit.parents, self.edit.kinds
        if a.kind == "end":
            return None
        found: int | None = None
        following = [x for x in range(a.i + 1, len(kinds)) if kinds[x] == "text"]
        header = self.edit.openers.get(a.i, a.i)
        if following and depths[following[0]] > depths[a.i] and self.defines[header] and not self.open[a.i]:
            found = a.i
        parent = parents[a.i]
        while parent >= 0 and not self.open[parent] and parent not in self._elided:
            if self.defines[parent]:
                if found is not None and not self.edit.has_markers:
                    break  # the definitions around it only say where it is
                found = parent
            parent = parents[parent]
        return found
