"""Where in a text a model may go on otherwise: behind words that stand elsewhere with another word behind.

A model that copies finds its place by what it wrote last. Where the same words stand twice and go on
differently, it has to know which place it is at, and that is where it leaves the way: measured on a small
trained one, 0.3 % of its tokens were not those drafted; behind 4 to 7 tokens that stand elsewhere with
another one behind them it were 2 %, behind 8 to 15 12 %, and behind 16 and more 33 %.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

LENGTHS = (4, 8, 16)
"""Tokens before a place that are compared; each length is twice the one before."""
_FACTORS = {
    2: 0x1E37_79B9_7F4A_7C15,
    4: 0x3F58_476D_1CE4_E5B9,
    8: 0x14D0_49BB_1331_11EB,
    16: 0x2545_F491_4F6C_DD1D,
}
"""By which codes of halves are put together to codes of wholes: so odd that different ones stay different."""


def find_forks(texts: Sequence[Sequence[int]]) -> list[list[int]]:
    """For each token of some texts how many of `LENGTHS` stand before it and elsewhere before another one.

    Of ``a b c d x`` and ``a b c d y`` that is 0 0 0 0 1 for each of them. The end of a text is another one.
    """
    if not texts:
        return []
    parts: list[Sequence[int]] = []
    for number, text in enumerate(texts):
        parts += [text, [-1 - number]]  # between two texts stands what stands nowhere else
    tokens = np.concatenate([np.asarray(part, np.int64) for part in parts])
    kinds: npt.NDArray[np.int8] = np.zeros(len(tokens), np.int8)
    with np.errstate(over="ignore"):
        codes = tokens
        for length, factor in _FACTORS.items():
            half = length // 2
            if len(codes) <= half + 1:
                break
            codes = codes[: len(codes) - half] * factor + codes[half:]
            if length in LENGTHS:
                kinds[_forks(codes[:-1], tokens[length:]) + length] += 1
    found, at = [], 0
    for text in texts:
        found.append(kinds[at : at + len(text)].tolist())
        at += len(text) + 1
    return found


def _forks(before: npt.NDArray[np.int64], behind: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    """The places whose code stands at another place as well, and with something else behind it."""
    order = np.argsort(before)
    codes, follows = before[order], behind[order]
    alike = codes[1:] == codes[:-1]
    group = np.concatenate(([0], np.cumsum(~alike)))
    parted: npt.NDArray[np.bool_] = np.zeros(len(codes), bool)
    parted[group[1:][alike & (follows[1:] != follows[:-1])]] = True
    return order[parted[group]]
