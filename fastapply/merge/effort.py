"""A bound on the work of one merge, counted in steps and not in seconds, so that it is the same everywhere.

What aligning costs grows with how often the edit's lines stand in the file. Edits of code stay far
below the bound; one of a thousand lines that all stand a hundred times would take minutes to be
refused as ambiguous, and is refused here for what it is.
"""

from __future__ import annotations

from fastapply.errors import Refused

MOST = 20_000_000
"""Comparisons of an edit line with a file line that one merge may take, or their worth in other work."""
TRANSITION = 50
"""What finding out what stands between two anchors is worth."""


class Effort:
    """What is left of the work that one merge may take."""

    __slots__ = ("left",)

    def __init__(self, most: int | None = None) -> None:
        self.left = MOST if most is None else most

    def spend(self, comparisons: int) -> None:
        """Take note of work; raises `Refused` (`too_repetitive`) where it has become too much."""
        self.left -= comparisons
        if self.left < 0:
            raise Refused(
                "the edit's lines repeat so often in the file that finding their places takes too long",
                reason="too_repetitive",
                hint="send fewer lines around each change, or one edit for each change, with unique lines;"
                " SEARCH/REPLACE blocks with unique lines are found at once",
            )
