"""How lines resemble each other."""

from __future__ import annotations

import pytest

from fastapply.merge.shortening import shortening


@pytest.mark.parametrize(
    ("shown", "line", "way"),
    [
        ("    return total(first, ...", "    return total(first, second)", "dots"),
        ("value = compute ...", "value = compute(a) + b", "dots"),
        ("    def stub(self) -> None: ...", "    def stub(self) -> None:", None),
        ("    def stub(self) -> None: ...", "    def stub(self) -> None: ...", None),
    ],
)
def test_dots_shorten_a_line_only_where_they_stand_for_something(shown, line, way):
    """Behind all that the file's line has they are new: the body of a function in Python."""
    assert shortening(shown, line) == way
