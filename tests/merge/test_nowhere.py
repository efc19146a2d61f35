"""Edits of which neither a shown line nor a word says where they go: never written, whatever is asked for."""

from __future__ import annotations

import pytest

from fastapply import apply_edit

POEM = "alpha beta\ngamma delta\nepsilon zeta\n"


@pytest.mark.parametrize("least", [0.0, 0.5, None])
def test_an_edit_that_fits_nowhere_is_refused_at_any_certainty(least):
    """No line of it is in the file, and it is of no kind that the file has."""
    result = apply_edit(POEM, "def render(page):\n    return page.text\n", path="a.py", min_certainty=least)
    assert (result.status, result.text) == ("refused", POEM)


def test_a_word_that_says_where_is_enough_for_a_caller_who_asks_for_no_certainty():
    """The twin: "at the end of the file" places it."""
    file = "def one():\n    return 1\n"
    edit = "def two():\n    return 2\n"
    said = "add two at the end of the file"
    result = apply_edit(file, edit, path="a.py", instructions=said, min_certainty=0.0)
    assert (result.status, result.text) == ("applied", f"{file}\n\n{edit}")
