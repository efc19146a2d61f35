"""How hunks fit where they stand."""

from __future__ import annotations

from math import log, log1p

import pytest

from fastapply.merge.certainty.fits import Fits
from fastapply.types import Splice

FILE = ["import os", "", "def f():", "    first = 1", "    b = 2", "", "    return first", "", "def g():"]
FILE += ["    first = 1"]


def test_replaced_lines_stand_as_deep_and_end_alike():
    """A statement for a statement is nothing to tell of."""
    assert Fits(FILE).of([Splice(4, 5, ("    b = 3",))]) == {}
    deeper = Fits(FILE).of([Splice(4, 5, ("        return 3",))])
    assert deeper == {"fits.depth": log(2), "fits.last_kind": log(2)}


def test_what_is_replaced_may_hold_paragraphs():
    """One blank line is inside."""
    assert Fits(FILE).of([Splice(4, 7, ("    return 3",))])["fits.paragraphs"] == pytest.approx(log1p(1))


def test_lines_put_in_at_a_blank_one_or_above_deeper_ones():
    """A comment goes in above the body of a function."""
    apart = Fits(FILE).of([Splice(7, 7, ("", "def h():", "    return 1"))])
    assert apart == {"fits.at_blank": log(2), "fits.puts_in_defined": log(2)}
    assert Fits(FILE).of([Splice(3, 3, ("# why",))])["fits.above_deeper"] == pytest.approx(log(2))


def test_first_and_last_line_of_the_file():
    """What is put in before them does not change them."""
    assert "fits.file_start" in Fits(FILE).of([Splice(0, 1, ("import re",))])
    assert "fits.file_end" in Fits(FILE).of([Splice(9, 10, ("    first = 2",))])
    assert not Fits(FILE).of([Splice(0, 0, ("#!/usr/bin/python",))]).keys() & {
        "fits.file_start",
        "fits.file_end",
    }


def test_equal_lines_of_which_some_go():
    """The other one goes as well, or it does not."""
    assert Fits(FILE).of([Splice(3, 4, ())])["fits.some_equal_go"] == pytest.approx(log(2))
    assert "fits.some_equal_go" not in Fits(FILE).of([Splice(3, 4, ()), Splice(9, 10, ())])


def test_line_that_comes_and_is_still_there():
    """The import stood once."""
    again = Fits(FILE).of([Splice(8, 8, ("import os",))])
    assert again["fits.comes_again"] == again["fits.comes_twice"] == pytest.approx(log(2))


def test_lines_of_one_sort_are_replaced_here_and_put_in_there():
    """Assignments, whatever is assigned."""
    replaced = Splice(3, 4, ("    first: int = 1",))
    assert Fits(FILE).of([replaced, Splice(9, 10, ("    first: int = 1",))])["fits.alike"] == pytest.approx(
        log(2)
    )
    assert Fits(FILE).of([replaced, Splice(9, 9, ("    third: int = 1",))])["fits.mixed"] == pytest.approx(
        log(2)
    )


def test_definitions_that_only_go():
    """The last function goes."""
    assert Fits(FILE).of([Splice(8, 10, ())])["fits.goes_defined"] == pytest.approx(log(2))
