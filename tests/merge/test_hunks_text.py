"""String replacements, which may begin and end within a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastapply.merge.hunks import merge_hunks
from fastapply.text import from_text, splice
from fastapply.types import Hunk, HunkList, Segment


def call(old, new, number=1, *, replace_all=False):
    """One tool call as a hunk."""
    segment = Segment(tuple(old.split("\n")), tuple(new.split("\n")))
    return Hunk(number, number, (segment,), within_line=True, replace_all=replace_all)


def merge(text, *calls):
    """The merged text, or the reasons of the questions."""
    source = from_text(text)
    proposal = merge_hunks(source, HunkList("str_replace", calls))
    if not proposal.certain:
        return tuple(question.reason for question in proposal.questions)
    return splice(source, proposal.splices).text


REWRITES = {
    "within a line": ("a = f(x)\n", "f(x)", "g(x)", "a = g(x)\n"),
    "across lines": ("f(a,\n  b)\n", "a,\n  b", "c", "f(c)\n"),
    "whole lines": ("a\nb\nc\n", "b\n", "", "a\nc\n"),
    "a line without its end, to nothing": ("a\n  b\nc\n", "b", "", "a\nc\n"),
    "within a line, to nothing": ("Hello world\n", "Hello ", "", "world\n"),
    "the line end alone": ("a\nb\nc\n", "a\nb", "ab", "ab\nc\n"),
    "at the end without a line end": ("a\nb", "b", "c\nd", "a\nc\nd"),
    "line ends of the file": ("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n"),
    "missing indentation": (
        "if a:\n\tb = 1\n\tc = 2\n",
        "b = 1\nc = 2",
        "b = 3\nc = 4",
        "if a:\n\tb = 3\n\tc = 4\n",
    ),
    "deeper new lines": (
        "if a:\n    if b:\n        c\n",
        "if b:\n    c",
        "if b:\n    c\n    d",
        "if a:\n    if b:\n        c\n        d\n",
    ),
    "at the start of the file": ("a\nb\n", "", "first\n", "first\na\nb\n"),
    "into an empty file": ("", "", "first\n", "first\n"),
}


@pytest.mark.parametrize("case", REWRITES.values(), ids=REWRITES)
def test_text_is_replaced(case):
    """Exactly where it stands, or as whole lines that are indented otherwise."""
    text, old, new, expected = case
    assert merge(text, call(old, new)) == expected


REFUSALS = {
    "twice in a line": ("test test\n", "test", "exam", ("ambiguous",)),
    "overlapping itself": ("aaa\n", "aa", "b", ("ambiguous",)),
    "nowhere": ("Hello\n", "xyz", "abc", ("not_found",)),
    "in another case": ("Hello\n", "hello", "abc", ("not_found",)),
    "new lines of unclear depth": ("if a:\n    x = 1\n", "x = 1", "x = 1\ny = 2", ("unclear_indentation",)),
    "whole file again": ("a = 1\nb = 2\n", "", "a = 1\nb = 3\n", ("empty_search",)),
    "no line end at the start of the file": ("a\nb\n", "", "first", ("empty_search",)),
}


@pytest.mark.parametrize("case", REFUSALS.values(), ids=REFUSALS)
def test_text_is_not_replaced(case):
    """Several places, none, or a result that is unclear."""
    text, old, new, reasons = case
    assert merge(text, call(old, new)) == reasons


def test_new_lines_that_show_their_depth_are_put_as_they_are():
    """The twin of the unclear one: all lines but the first have the file's indentation."""
    assert merge("if a:\n    x = 1\n", call("x = 1", "x = 1\n    y = 2")) == "if a:\n    x = 1\n    y = 2\n"


def test_new_definition_beside_the_one_around_is_put_as_it_is():
    """It follows a blank line and is as deep as the definition that holds the place."""
    text = "def f():\n    return 1\n"
    assert merge(text, call("return 1", "return 1\n\n\ndef g():\n    return 2")) == (
        "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
    )


def test_replace_all_changes_every_occurrence():
    """Also several in a line, and inside of words."""
    assert merge("test testing\ntest\n", call("test", "exam", replace_all=True)) == "exam examing\nexam\n"
    assert merge("aaaa\n", call("aa", "b", replace_all=True)) == "bb\n"


def test_calls_build_on_each_other():
    """The second call finds what the first one wrote."""
    assert merge("Hello\n", call("Hello", "Hi there"), call("Hi", "Ho", 2)) == "Ho there\n"
    assert merge("x y x\n", call("x", "a", replace_all=True), call("y", "b", 2)) == "a b a\n"


def test_calls_of_which_one_fails_change_nothing():
    """The first one would fit."""
    assert merge("Hello\n", call("Hello", "Hi"), call("missing", "text", 2)) == ("not_found",)


def test_text_that_was_replaced_before_is_done():
    """The new text stands once, the old one no more."""
    proposal = merge_hunks(from_text("a = new(x)\n"), HunkList("str_replace", (call("old(x)", "new(x)"),)))
    assert (proposal.splices, proposal.already_applied) == ((), True)


@given(
    st.text("ab \n", min_size=1),
    st.text("ab\n", min_size=1, max_size=3),
    st.text("xy\n", min_size=1, max_size=3),
)
def test_replace_all_is_what_the_text_says(text, old, new):
    """Compared with Python's own replacement, but for the final line end, which stays the file's."""
    if old not in text:
        return
    merged = merge(text, call(old, new, replace_all=True))
    expected = text.replace(old, new)
    assert isinstance(merged, str)
    assert merged.removesuffix("\n") == expected.removesuffix("\n") or merged == expected
