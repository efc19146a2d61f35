"""Finding lines by tiers of strictness."""

from __future__ import annotations

import pytest

from fastapply.merge.locate import LOOSE, STRICT, LineIndex, Region, fold, locate_lines

EXACT, TRAILING = STRICT
INDENTATION, COLLAPSED, SQUEEZED, UNICODE = LOOSE

FILE = (
    "def pay(order):",
    "    total = order.total",
    "",
    "    if total  >  0:",
    "        charge(\u201cnow\u201d \u2013 total)",
    "def pay(order):",
)


@pytest.mark.parametrize(
    ("wanted", "tier", "places"),
    [
        (["    total = order.total"], EXACT, [1]),
        (["    total = order.total", ""], EXACT, [1]),
        (["    total = order.total  "], TRAILING, [1]),
        (["total = order.total"], INDENTATION, [1]),
        (["\ttotal = order.total", "", "\tif total  >  0:"], INDENTATION, [1]),
        (["    if total > 0:"], COLLAPSED, [3]),
        (["    if total>0:"], SQUEEZED, [3]),
        (['        charge("now" - total)'], UNICODE, [4]),
        (["def pay(order):"], EXACT, [0, 5]),
    ],
    ids=lambda value: getattr(value, "method", None),
)
def test_lines_are_found_at_their_tier(wanted, tier, places):
    """Every place is named, at the tier that forgives just that difference."""
    assert locate_lines(LineIndex(FILE), wanted, tier) == places


@pytest.mark.parametrize(
    ("wanted", "tier"),
    [
        (["    total = order.total  "], EXACT),
        (["total = order.total"], TRAILING),
        (["    if total > 0:"], INDENTATION),
        (["    if total>0:"], COLLAPSED),
        (['        charge("now" - total)'], SQUEEZED),
        (['        charge("now" + total)'], UNICODE),
        ([], EXACT),
    ],
    ids=lambda value: getattr(value, "method", None),
)
def test_lines_are_not_found_at_a_stricter_tier(wanted, tier):
    """A tier forgives nothing that belongs to the next one."""
    assert locate_lines(LineIndex(FILE), wanted, tier) == []


def test_indentation_must_shift_by_one_rule():
    """Lines at one depth in the edit and at two in the file are another structure."""
    index = LineIndex(("if a:", "    b", "c"))
    assert locate_lines(index, ("if a:", "b", "c"), INDENTATION) == []
    assert locate_lines(index, ("  if a:", "      b", "  c"), INDENTATION) == [0]


def test_region_bounds_the_search():
    """Places that reach out of the region are not places."""
    index = LineIndex(FILE)
    assert locate_lines(index, ["def pay(order):"], EXACT, Region(1, 6)) == [5]
    assert locate_lines(index, ["def pay(order):"], EXACT, Region(1, 5)) == []


def test_fold_makes_typographic_characters_plain():
    """Quotes, dashes, ligatures and odd blanks are what a keyboard would type."""
    assert fold("x\u00a0= \u201cb\u201d\u2014\ufb01\u200b") == 'x="b"-fi'
