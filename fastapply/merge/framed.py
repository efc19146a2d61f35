"""Whether new lines stand between two lines that the edit shows and that the file has side by side.

Then nothing that is hidden can be what they take the place of: an old version would have to stand
between those two. Both sides are sure of their place where equal lines of edit and file, without
anything hidden in between, lead to one that says something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.elements import Scene
    from fastapply.merge.fill import Op

SAYS = 0.3
"""Weight from which on a line tells its place; a closing line or a word of two letters does not."""


def is_framed(scene: Scene, ops: Sequence[Op], at: int) -> bool:
    """Whether the new lines around operation `at` are an insertion between two shown neighbours.

    The shown lines above and below are looked through up to the first that says something; none may
    be hidden, replaced or left out on the way, and no marker may stand between.
    """
    run = scene.run(ops[at].e)
    above = _side(scene, ops, at, run, -1)
    below = _side(scene, ops, at, run, 1)
    if above is None or below is None:
        return False
    return not any(scene.file.keys[above + 1 : below])


def _side(scene: Scene, ops: Sequence[Op], at: int, run: range, step: int) -> int | None:
    """File line beside the new lines on one side, if shown lines lead from it to one that says something."""
    beside: int | None = None
    n = at
    while 0 <= n < len(ops):
        op = ops[n]
        if op.kind == "insert":
            if beside is not None:
                return None
        elif op.kind == "match":
            if op.e not in run:
                return None
            if scene.file.keys[op.f]:
                beside = op.f if beside is None else beside
                if scene.file.weights[op.f] > SAYS:
                    return beside
        elif scene.file.keys[op.f]:
            return None
        n += step
    return None
