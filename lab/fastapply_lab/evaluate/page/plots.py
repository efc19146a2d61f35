"""Plots as SVG, in the colours of the page: outcomes by format, and how long cases took."""

from __future__ import annotations

import math
from collections import Counter
from html import escape
from typing import TYPE_CHECKING

from fastapply.evaluate.outcomes import OUTCOMES
from fastapply.evaluate.tables import GROUPS, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.evaluate.records import Record

_WIDTH, _LEFT, _BAR = 640, 130, 22
_PLOT = _WIDTH - _LEFT - 60


def outcome_plot(records: Sequence[Record]) -> str:
    """A bar a format, and one of all, parted by outcome."""
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(GROUPS["format"](record), []).append(record)
    rows = [("all", list(records))] if len(groups) != 1 else []
    rows += sorted(groups.items(), key=lambda item: -len(item[1]))[:12]
    parts = []
    for number, (name, group) in enumerate(rows):
        top, x = 6 + number * (_BAR + 6), float(_LEFT)
        parts.append(_text(_LEFT - 8, top + 16, name[:18], "end"))
        counts = Counter(record.verdict.outcome for record in group)
        for outcome in OUTCOMES:
            if counts[outcome]:
                width = _PLOT * counts[outcome] / len(group)
                title = f"{words(outcome)}: {counts[outcome]} of {len(group)}"
                parts.append(
                    f'<rect class="o-{outcome}" x="{x:.1f}" y="{top}" width="{width:.1f}" height="{_BAR}">'
                    f"<title>{escape(title)}</title></rect>"
                )
                x += width
        parts.append(_text(_LEFT + _PLOT + 8, top + 16, str(len(group)), "start"))
    return _svg("Outcomes by format", 12 + len(rows) * (_BAR + 6), parts)


def latency_plot(records: Sequence[Record]) -> str:
    """The share of cases that took at most so long, on a logarithmic scale of seconds."""
    times = sorted(max(r.attempt.seconds, 1e-4) for r in records if r.verdict.outcome != "not_applicable")
    if not times:
        return ""
    low, high = math.floor(math.log10(times[0])), math.ceil(math.log10(times[-1]))
    high = max(high, low + 1)
    height, bottom = 210, 170

    def x_of(seconds: float) -> float:
        return _LEFT + _PLOT * (math.log10(seconds) - low) / (high - low)

    parts = [
        f'<line class="grid" x1="{_LEFT}" x2="{_LEFT + _PLOT}" y1="{_y(share)}" y2="{_y(share)}"/>'
        + _text(_LEFT - 8, _y(share) + 4, f"{share:.0%}", "end")
        for share in (0, 0.25, 0.5, 0.75, 1)
    ]
    for power in range(low, high + 1):
        x = x_of(10.0**power)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="10" y2="{bottom}"/>')
        parts.append(_text(x, bottom + 18, f"{10.0**power:g} s", "middle"))
    points = [(x_of(time), _y((rank + 1) / len(times))) for rank, time in _thinned(times)]
    path = f"M{points[0][0]:.1f},{_y(0)}" + "".join(f"L{x:.1f},{y:.1f}" for x, y in points)
    parts.append(f'<path class="curve" d="{path}"/>')
    return _svg("Cases that took at most so long", height, parts)


def _thinned(times: Sequence[float]) -> Iterable[tuple[int, float]]:
    step = max(1, len(times) // 400)
    return [(at, times[at]) for at in range(len(times)) if at % step == 0 or at == len(times) - 1]


def _y(share: float) -> float:
    return 170 - 160 * share


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(title: str, height: float, parts: Iterable[str]) -> str:
    return (
        f'<svg class="plot" viewBox="0 0 {_WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )
