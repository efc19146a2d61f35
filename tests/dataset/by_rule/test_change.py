"""Aligning before and after."""

from __future__ import annotations

from fastapply.dataset.by_rule.change import Replaced, make_change, normalise


def test_an_inserted_function_begins_at_its_header() -> None:
    """Of the places where an insertion could begin, the one with the least indentation is taken."""
    before = ["def first():", "    return 1", "", "def third():", "    return 3"]
    after = [*before[:3], "def second():", "    return 2", "", *before[3:]]
    assert make_change(before, after).replaced == (Replaced(3, 3, 3, 6),)


def test_changes_of_white_space_alone_are_undone() -> None:
    """No edit can say them so that a reader is sure."""
    before = ["alpha = call(1,2)", "beta = 2", "gamma = 3"]
    change = make_change(before, ["alpha = call(1, 2)", "", "beta = 2", "gamma = 4"])
    assert change.after == ("alpha = call(1,2)", "beta = 2", "gamma = 4")


def test_spacing_inside_a_replaced_line_stays_although_another_line_has_it_still() -> None:
    """The old line stands again elsewhere in the after; here only its alignment changed."""
    before = ["first(", "  name:   one,", ")", "", "last_call()"]
    after = [
        "other(",
        "  name:   one,",
        ")",
        "",
        "first(",
        "  more: two,",
        "  name: one,",
        ")",
        "",
        "last_call()",
    ]
    assert "  name: one," not in make_change(before, after).after


def test_moving_lines_into_a_block_is_kept() -> None:
    """Indentation that comes with a real change is part of it."""
    before = ["def run():", "    start_engine()", "    stop_engine()"]
    after = ["def run():", "    if ready():", "        start_engine()", "    stop_engine()"]
    assert make_change(before, after).after == tuple(after)


def test_replacements_with_only_a_bracket_between_them_are_one() -> None:
    """A bracket that happens to stay is no context."""
    before = ["first_call()", "}", "second_call()"]
    assert make_change(before, ["another_call()", "}", "different_call()"]).replaced == (
        Replaced(0, 3, 0, 3),
    )


def test_the_after_lines_that_stayed_know_their_before_line() -> None:
    """`old_of` gives the before line, and None for what is new."""
    change = make_change(["one", "two", "three"], ["one", "new", "three"])
    assert change.old_of == (0, None, 2)


def test_new_lines_lose_white_space_at_their_ends() -> None:
    """Kept lines keep theirs."""
    assert normalise("one  \ntwo\n", "one  \nnew \ntwo\n") == ("one  \ntwo\n", "one  \nnew\ntwo\n")


def test_a_file_of_mixed_line_ends_is_no_source() -> None:
    """Which end a new line gets could not be said."""
    assert normalise("one\r\ntwo\n", "one\r\nthree\n") is None
