"""How long a step of the model takes, by its width: what the length of drafts is chosen by.

Measured once for a model on a machine, in a second or so, and kept in the cache folder. Between the
measured widths a straight line is as good as it gets.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

WIDTHS = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512)
"""The widths of steps: few, so that llama.cpp can use its graphs again."""
_FILLED = 512  # tokens in the cache while it is measured, as there are behind a prompt
_ENOUGH_SECONDS = 1.5
_IN_A_ROW, _LONG_SECONDS = 3, 0.02


class Schedule:
    """Seconds of a step for each measured width, ascending."""

    def __init__(self, seconds: dict[int, float]) -> None:
        self.seconds = dict(sorted(seconds.items()))
        self.widths = tuple(self.seconds)
        self._known = dict(self.seconds)

    def step_seconds(self, width: int) -> float:
        """The time of a step of any width, by the measured ones beside it."""
        known = self._known.get(width)
        if known is None:
            known = self._known[width] = self._between(width)
        return known

    def _between(self, width: int) -> float:
        above = next((one for one in self.widths if one >= width), None)
        below = next((one for one in reversed(self.widths) if one <= width), self.widths[0])
        if above is None:
            return self.seconds[below] * width / below
        share = (width - below) / (above - below)
        return self.seconds[below] * (1 - share) + self.seconds[above] * share


def guess_schedule() -> Schedule:
    """A schedule for where nothing was measured: a step costs as much as four more tokens do."""
    return Schedule({width: 4.0 + width for width in WIDTHS})


def measure_schedule(
    evaluate: Callable[[Sequence[int], int, int], npt.NDArray[np.float32]],
    forget: Callable[[int], object],
    *,
    widest: int,
    room: int,
) -> Schedule:
    """Time steps of each width behind a filled cache, the fastest of a few rounds.

    `evaluate` and `forget` are those of a context that is empty, and is so again afterwards; `room` is its
    size in tokens. A slow model is measured at fewer widths.
    """
    filled = max(1, min(_FILLED, room // 2))
    for start in range(0, filled, widest):
        evaluate([1] * min(widest, filled - start), start, 1)
    best: dict[int, float] = {}
    began = time.perf_counter()
    for turn in range(4):
        for width in WIDTHS:
            if width > min(widest, room - filled) or (turn and width not in best):
                continue
            if time.perf_counter() - began > _ENOUGH_SECONDS * (1 + (turn == 0)) and len(best) > 4:
                break
            for _ in range(_IN_A_ROW):  # the first one behind a much wider step takes longer
                started = time.perf_counter()
                evaluate([1] * width, filled, width).argmax(axis=1)
                taken = time.perf_counter() - started
                best[width] = min(best.get(width, float("inf")), taken)
                forget(filled)
                if taken > _LONG_SECONDS:
                    break
    forget(0)
    return Schedule(best)


def load_schedule(path: Path) -> Schedule | None:
    """A schedule that was kept; None where there is none, or none that can be read."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        seconds = {int(width): float(time_taken) for width, time_taken in kept.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return None
    return Schedule(seconds) if seconds.get(1) and all(taken > 0 for taken in seconds.values()) else None


def save_schedule(path: Path, schedule: Schedule) -> None:
    """Keep a schedule; where that cannot be, it is measured again next time."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(schedule.seconds), encoding="utf-8")
    except OSError:
        return
