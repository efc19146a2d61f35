"""Words that changed inside of a line."""

from __future__ import annotations

import pytest

from fastapply.terminal.view import changed_words, pair_lines


def marked(line, spans):
    """The line with its spans in brackets."""
    for first, last in reversed(spans):
        line = f"{line[:first]}[{line[first:last]}]{line[last:]}"
    return line


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    return [a]", "    return [b]"),
        ("total([first second], tax)", "total([one two], tax)"),
        ("call(a, b)", "call(a, b[, c])"),
        ("x = 'naïve [☃]'", "x = 'naïve [☂]'"),
        ("if ready[ and set]:", "if ready:"),
    ],
)
def test_words_that_changed_are_those_that_differ(old, new):
    """On both sides, whole words; a gap of white space between two of them is marked as well."""
    plain = [line.replace("[", "").replace("]", "") for line in (old, new)]
    spans = changed_words(*plain)
    assert [marked(line, each) for line, each in zip(plain, spans, strict=True)] == [old, new]


@pytest.mark.parametrize(
    ("old", "new"), [("import os", "def main(argv):"), ("same", "same"), ("", "x = 1"), ("a" * 3000, "b")]
)
def test_lines_that_are_different_or_equal_have_no_marks(old, new):
    """Everything marked is nothing marked."""
    assert changed_words(old, new) == ((), ())


def test_equal_runs_are_paired_in_order_and_others_by_likeness():
    """A line that is new has no partner."""
    assert list(pair_lines(["a = 1", "b = 1"], ["a = 2", "b = 2"])) == [(0, 0), (1, 1)]
    assert list(pair_lines(["value = old"], ["import x", "value = new"])) == [(0, 1)]
    assert list(pair_lines(["b = 1"], ["import x", "class Y:"])) == []
