"""Facts about an edit script that may read the edit wrongly: what used to be asked about, now weighed."""

from __future__ import annotations

from collections import Counter
from math import log1p
from typing import TYPE_CHECKING

from fastapply.merge.beside import Beside
from fastapply.merge.copies import Copies
from fastapply.merge.doubts import Doubts
from fastapply.merge.readings import Readings
from fastapply.merge.twins import Twins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.elements import Scene
    from fastapply.merge.fill import Op


def doubts_of(scene: Scene, ops: Sequence[Op], ratio: float) -> dict[str, float]:
    """How often each kind of doubt arises about an edit script."""
    doubts = Doubts(scene)
    ops = list(ops)
    found = Counter(
        {
            "copies": len(Copies(scene).find(ops)),
            "misplaced": len(doubts.misplaced(ops, ratio)),
            "emptied": len(doubts.emptied(ops)),
            "elided_news": len(doubts.elided_news(ops)),
            "closed_early": len(doubts.closed_early(ops)),
            "readings": len(Readings(scene).find(ops)),
            "beside": len(Beside(scene).find(ops)),
            "twins": len(Twins(scene).find(ops)),
            "drops": int(doubts.drops(ops)),
        }
    )
    return {f"doubt.{name}": log1p(count) for name, count in found.items() if count}
