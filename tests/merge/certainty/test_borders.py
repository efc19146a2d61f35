"""What becomes neighbours at the borders of new lines."""

from __future__ import annotations

from math import log

import pytest

from fastapply.merge.certainty.borders import Borders
from fastapply.types import Splice

FILE = [
    "class A:",
    "    x = 1",
    "    y = 2",
    "    z = 3",
    "",
    "    def f(self):",
    "        return self.x",
    "",
    "    def g(self):",
    "        return self.y",
]
EDIT = ["class A:", "    # ...", "    y = 2", "    w = 4", "    # ..."]


def test_border_beside_a_marker_is_open_and_one_beside_a_shown_line_is_not():
    """The marker is below."""
    features = Borders(FILE, EDIT).of([Splice(3, 3, ("    w = 4",))])
    assert features["border.put_01"] == pytest.approx(log(2))
    assert (
        features["border.put.below.level"] == features["border.put.below.skeleton"] == pytest.approx(log(2))
    )
    assert not any(name.startswith("border.put.above") for name in features)
    assert "border.parted" not in features


def test_line_that_is_replaced_leaves_another_one_below():
    """A method is next to the new line then."""
    features = Borders(FILE, EDIT).of([Splice(3, 4, ("    w = 4",))])
    assert features["border.swap_01"] == pytest.approx(log(2))
    assert (
        features["border.swap.below.defines"] == features["border.swap.below.blank"] == pytest.approx(log(2))
    )
    assert features["border.swap.below.as_many"] == pytest.approx(log(2))
    assert "border.swap.below.skeleton" not in features


def test_new_line_that_does_not_follow_the_one_shown_above_it():
    """`z = 3` is between them."""
    assert Borders(FILE, EDIT).of([Splice(4, 4, ("    w = 4",))])["border.parted"] == pytest.approx(log(2))


def test_neighbours_as_the_file_has_them_are_usual():
    """An assignment behind an assignment."""
    usual = Borders(FILE, EDIT).of([Splice(3, 3, ("    w = 4",))])
    odd = Borders(FILE, EDIT).of([Splice(7, 7, ("    w = 4",))])
    assert usual["border.least_odds"] > odd["border.least_odds"]
    assert usual["border.open_odds"] < 0


def test_blocks_that_lines_go_from_and_are_put_in():
    """Their headers are shown, or they are not."""
    known = Borders(FILE, EDIT)
    assert "border.from_shown" in known.of([Splice(3, 4, ())])
    assert "border.from_hidden" in known.of([Splice(6, 7, ())])
    assert "border.from_top" in known.of([Splice(0, 1, ("class B:",))])
    assert "border.in_own_block" in known.of([Splice(3, 3, ("    w = 4",))])
    assert "border.in_hidden_block" in known.of([Splice(7, 7, ("        w = 4",))])


def test_lines_that_only_go_between_shown_ones_or_hidden_ones():
    """One place has a shown line below it, the other has none."""
    shown = Borders(FILE, ["    y = 2", "    z = 3"]).of([Splice(2, 2, ()), Splice(1, 2, ())])
    assert shown["border.deleted_01"] == pytest.approx(log(2)), "the edit shows what is below"
    assert Borders(FILE, EDIT).of([Splice(5, 7, ())])["border.deleted_00"] == pytest.approx(log(2))


def test_nothing_that_changes_has_no_features():
    """And no file has no neighbours."""
    assert Borders(FILE, EDIT).of([]) == {}
    assert Borders([], EDIT).of([Splice(0, 0, tuple(EDIT))]) == {"border.put_11": log(2)}
