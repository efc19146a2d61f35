"""How long a step of the model takes, by its width: what the length of drafts is chosen by.

The time is not convex in the width: from some width on llama.cpp takes other kernels, and a step of 16 may
take less time than one of 8. So no width is judged by its neighbours, but for what cannot be: a step never
takes longer than the same tokens in narrower steps, and one token never longer than more of them. Such a
time was taken while something else had the processor, and is thrown out.

A table is the fastest of rounds that are spread in time: a short one when a model is first loaded, the
others while a worker has nothing to do, and the steps of real answers. It is kept in the cache folder with
its date. Between the widths in it a straight line is as good as it gets.
"""

from __future__ import annotations

import json
import time
from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

WIDTHS = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512)
"""The widths of steps: few, so that llama.cpp can use its graphs again."""
ROUNDS = 5
"""So many rounds make a table that is believed for a while; each begins where nobody waits but the first."""
_FILLED = 512  # tokens in the cache while it is measured, as there are behind a prompt
_FIRST_SECONDS = 4.0  # of the first round, for which somebody waits
_LONGEST_SECONDS = 1.5  # of one step: so long may a request wait for a round to make way
_IN_A_ROW, _LONG_SECONDS = 3, 0.02
_NOISE = 1.2  # a width may be slower than its tokens one by one: no time is exact
_SLACK = 1.5  # a width may be slower than the same tokens in narrower steps, as 64 is than two of 32
_FASTER = 0.95  # of the time before: less of a change is not worth writing down
_ENOUGH_STEPS = 4  # of a width in one answer, for it to be called slower than the table says
_STALE_DAYS = 90  # drivers, libraries and power plans change


class Schedule:
    """Seconds of a step for each measured width, ascending, without the implausible ones.

    `rounds` is how often they were measured, `measured` the day of the first time (ISO 8601).
    """

    def __init__(self, seconds: Mapping[int, float], *, rounds: int = 0, measured: str = "") -> None:
        self.seconds = plausible(seconds)
        self.rounds, self.measured = rounds, measured
        self._lately: dict[int, float] = {}  # widths that real steps found slower than the table
        self._know()

    def _know(self) -> None:
        self._points = {
            width: max(least, self._lately.get(width, 0.0)) for width, least in self.seconds.items()
        }
        self.widths = tuple(self._points)
        self._known = dict(self._points)

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
            return self._points[below] * width / below
        share = (width - below) / (above - below)
        return self._points[below] * (1 - share) + self._points[above] * share

    def add_round(self, seconds: Mapping[int, float], *, today: str) -> None:
        """Take in what another round came to: the faster time of each width counts.

        One that made way for somebody, and so knows fewer widths, is no round.
        """
        self.rounds += len(seconds) >= len(self.seconds)
        self.seconds = plausible(_fastest(self.seconds, seconds))
        self.measured = self.measured or today
        self._know()

    def learn(self, steps: Iterable[tuple[int, float]]) -> bool:
        """Correct the times by the steps of an answer, (width, seconds) each; true where it changed much.

        A faster step is believed at once. A slower one may have had a busy machine: a width counts as slower,
        until the model is loaded anew, by as much as it fell behind the other widths of the same answer.
        """
        taken: dict[int, list[float]] = {}
        for width, seconds in steps:
            if width in self.seconds and seconds > 0:
                taken.setdefault(width, []).append(seconds)
        often = {width: min(times) for width, times in taken.items() if len(times) >= _ENOUGH_STEPS}
        if often:
            load = max(1.0, min(least / self.seconds[width] for width, least in often.items()))
            self._lately.update({width: least / load for width, least in often.items()})
        before = self.seconds
        self.seconds = plausible(_fastest(before, {width: min(times) for width, times in taken.items()}))
        self._know()
        return any(least < _FASTER * before.get(width, 0.0) for width, least in self.seconds.items())


def plausible(seconds: Mapping[int, float]) -> dict[int, float]:
    """The times, ascending, without those that cannot be.

    Of ``{1: 0.07, 2: 0.1, 4: 3.2, 8: 0.34}`` the 4 goes: four single steps take 0.28.
    """
    found: dict[int, float] = {}
    if not seconds:
        return found
    for width, taken in sorted(seconds.items()):
        if width == 1:
            found[1] = min(seconds.values())  # one token takes no longer than more of them
        elif all(
            taken <= (_NOISE if one == 1 else _SLACK) * -(-width // one) * least
            for one, least in found.items()
        ):
            found[width] = taken
    return found


def guess_schedule() -> Schedule:
    """A schedule for where nothing was measured: a step costs as much as four more tokens do."""
    return Schedule({width: 4.0 + width for width in WIDTHS})


def measure_round(
    evaluate: Callable[[Sequence[int], int, int], npt.NDArray[np.float32]],
    forget: Callable[[int], object],
    known: Schedule | None = None,
    *,
    held: int = 0,
    widest: int,
    room: int,
    busy: Callable[[], bool] = lambda: False,
) -> dict[int, float]:
    """Time a step of each width behind a filled cache, the fastest of a few in a row.

    `evaluate` and `forget` are those of a context whose cache holds `held` tokens, and does again afterwards;
    `room` is its size in tokens. The first round (nothing is `known`) ends after some seconds; a later one
    where `busy` says that somebody waits, and leaves out what would make them wait long.
    """
    filled = max(held, min(_FILLED, room // 2))
    for start in range(held, filled, widest):
        evaluate([1] * min(widest, filled - start), start, 1)
    best: dict[int, float] = {}
    began = time.perf_counter()
    for width in WIDTHS:
        if width > min(widest, room - filled) or busy():
            break
        if known is None and time.perf_counter() - began > _FIRST_SECONDS:
            break
        if _expected(known.seconds if known is not None else best, width) > _LONGEST_SECONDS:
            break
        for _ in range(_IN_A_ROW):  # the first one behind a much wider step takes longer
            started = time.perf_counter()
            evaluate([1] * width, filled, width).argmax(axis=1)
            taken = time.perf_counter() - started
            best[width] = min(best.get(width, float("inf")), taken)
            forget(filled)
            if taken > _LONG_SECONDS:
                break
    forget(held)
    return best


def _expected(seconds: Mapping[int, float], width: int) -> float:
    """What a step of a width will take, in proportion to the widest that is no wider."""
    below = max((one for one in seconds if one <= width), default=None)
    return seconds[below] * width / below if below is not None else 0.0


def _fastest(one: Mapping[int, float], other: Mapping[int, float]) -> dict[int, float]:
    """The lower time of each width."""
    return {width: min(some[width] for some in (one, other) if width in some) for width in {**one, **other}}


def load_schedule(path: Path, *, today: date | None = None) -> Schedule | None:
    """A schedule that was kept; None where there is none, none that can be read, or only an old one."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        seconds = {int(width): float(taken) for width, taken in kept["seconds"].items()}
        measured, rounds = date.fromisoformat(kept["measured"]), int(kept["rounds"])
    except (OSError, ValueError, AttributeError, TypeError, KeyError):
        return None
    age = ((today or date.today()) - measured).days  # noqa: DTZ011 - the user's own day
    if not seconds.get(1) or not all(0 < taken < float("inf") for taken in seconds.values()):
        return None
    return Schedule(seconds, rounds=rounds, measured=kept["measured"]) if age <= _STALE_DAYS else None


def save_schedule(path: Path, schedule: Schedule) -> None:
    """Keep a schedule; where that cannot be, it is measured again next time."""
    kept = {"measured": schedule.measured, "rounds": schedule.rounds, "seconds": schedule.seconds}
    partial = path.with_suffix(".partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(json.dumps(kept), encoding="utf-8")
        partial.replace(path)
    except OSError:
        return
