"""Lines that an edit shows at a new place, and that a marker keeps at the old one: they moved."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fastapply.merge.fill import Op

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.elements import Scene

TELLING = 0.5
"""Weight from which on a line that stands once in file and edit says that it is the one that moved."""


def take_moved(scene: Scene, ops: Sequence[Op]) -> tuple[list[Op], int]:
    """The script without the old places of lines that it puts in elsewhere, and how many lines those are.

    With a line that stands only once go those beside it that are the same at both places.
    """
    edit, file = scene.table, scene.file
    shown = Counter(edit.keys)
    at = {file.keys[op.f]: n for n, op in enumerate(ops) if op.kind == "keep" and _stands_once(scene, op.f)}
    gone: set[int] = set()
    for new, op in enumerate(ops):
        if op.kind != "insert" or op.e < 0 or edit.weights[op.e] <= TELLING:
            continue
        old = at.get(edit.keys[op.e])
        if old is not None and old not in gone and shown[edit.keys[op.e]] == 1:
            gone |= _same_lines(scene, ops, new, old)
    lines = sum(bool(file.keys[ops[n].f]) for n in gone)
    return [Op("delete", -1, op.f) if n in gone else op for n, op in enumerate(ops)], lines


def _same_lines(scene: Scene, ops: Sequence[Op], new: int, old: int) -> set[int]:
    """Operations that keep lines around `old`, as far as the lines put in around `new` are the same."""
    found: set[int] = set()
    for step in (-1, 1):
        one, other = new, old
        while min(one, other) >= 0 and max(one, other) < len(ops):
            put_in, kept = ops[one], ops[other]
            if put_in.kind != "insert" or kept.kind != "keep":
                break
            key = scene.table.keys[put_in.e] if put_in.e >= 0 else ""
            if key != scene.file.keys[kept.f]:
                break
            found.add(other)
            one, other = one + step, other + step
    return found


def _stands_once(scene: Scene, line: int) -> bool:
    return bool(scene.file.keys[line]) and scene.count[scene.file.keys[line]] == 1
