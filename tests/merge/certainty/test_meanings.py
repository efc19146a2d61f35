"""What a feature means to a reader, and whether it can be a reason for a merge or against one."""

from __future__ import annotations

import pytest

from fastapply.merge.certainty.meanings import can_speak, meaning


@pytest.mark.parametrize(
    ("name", "can_be_for", "can_be_against"),
    [
        ("out.only_adds_loses", False, True),
        ("found.lost_lines", False, True),
        ("seam.deeper", False, True),
        ("out.named_and_gone", True, False),
        ("rules.certain", True, False),
        ("spacing.told", True, False),
        ("beside.deletes", True, True),
        ("told.more", True, True),
    ],
)
def test_reason_is_told_on_the_side_that_it_speaks_for(name, can_be_for, can_be_against):
    """Weights that were fitted together may have the other sign."""
    assert meaning(name) != name
    assert (can_speak(name, 1.0), can_speak(name, -1.0)) == (can_be_for, can_be_against)


def test_numbers_of_a_shape():
    """Of all lines, or of those of one kind."""
    assert meaning("shape.goes") == "number of lines that go"
    assert (
        meaning("first.shape.goes.test")
        == "of the first candidate: number of lines that go, of the kind test"
    )
    assert meaning("shape.hunks.insert") == "number of places where lines only come"
