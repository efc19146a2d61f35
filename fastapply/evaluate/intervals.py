"""Shares with their uncertainty, and what else the tables calculate."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_Z = 1.959964  # of a 95 % interval


def wilson(count: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927); from 0 to 1 where there is nothing to count.

    >>> [round(end, 3) for end in wilson(9, 10)]
    [0.596, 0.982]
    """
    if not of:
        return 0.0, 1.0
    share = count / of
    centre = share + _Z * _Z / (2 * of)
    spread = _Z * math.sqrt(share * (1 - share) / of + _Z * _Z / (4 * of * of))
    scale = 1 + _Z * _Z / of
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which a share of ordered values lies, the nearest rank; 0 of none."""
    if not ordered:
        return 0.0
    return ordered[min(len(ordered), max(1, math.ceil(share * len(ordered)))) - 1]


def sign_test(better: int, worse: int) -> float:
    """The chance that pairs which differ fall so unevenly, or more so: McNemar's exact test, two-sided."""
    pairs = better + worse
    if not pairs:
        return 1.0
    tail = sum(math.comb(pairs, k) for k in range(min(better, worse) + 1))
    return min(1.0, 2.0 * tail / float(2**pairs))
