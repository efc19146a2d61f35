"""One message with instruction, file and edit between tags: divided in one way, or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastapply.errors import UsageError
from fastapply.server.http.bodies import Parts, parse_message


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        (
            "<instruction>Do it.</instruction>\n<code>a\n</code>\n<update>b\n</update>",
            Parts("Do it.", "a\n", "b\n"),
        ),
        ("<instructions> x </instructions><code>a</code><update>b</update>", Parts("x", "a", "b")),
        (
            "\n<instruction></instruction>\n<code>\na\n</code>\n\n<update>\nb\n</update>\n",
            Parts("", "\na\n", "\nb\n"),
        ),
        ("<code></code><update>b</update>", Parts("", "", "b")),
        ("<code>a</code></code><update>b</update>", Parts("", "a</code>", "b")),
        ("<code><code>a</code>\n x</code>\n<update>b</update>", Parts("", "<code>a</code>\n x", "b")),
        (
            "<code>a <update>c</update></code><update>b</update></update>",
            Parts("", "a <update>c</update>", "b</update>"),
        ),
        (
            "<instruction>use </code> and <update></instruction><code>a</code><update>b</update>",
            Parts("use </code> and <update>", "a", "b"),
        ),
        ("<update>b</update>", Parts("", None, "b")),
        ("<instruction>x</instruction><update>b</update>", Parts("x", None, "b")),
    ],
)
def test_outermost_tags_divide_the_message(message, parts):
    """Between them, everything is taken to the byte."""
    assert parse_message(message) == parts


@pytest.mark.parametrize(
    "message",
    [
        "<code>a</code><update>b</code>\n<update>c</update>",
        "<code>x = '</code><update>'\n</code>\n<update>y</update>",
        "<instruction>a</instruction><code>b</instruction><code>c</code><update>d</update>",
    ],
)
def test_message_that_can_be_divided_in_two_ways_is_refused(message):
    """Neither reading is taken."""
    with pytest.raises(UsageError) as error:
        parse_message(message)
    assert error.value.reason == "ambiguous_message"


@pytest.mark.parametrize(
    "message",
    [
        "<code>a</code>",
        "<code>a</code><update>b",
        "<update>b</update> and more",
        "some words <code>a</code><update>b</update>",
        "<code>a</code> words <update>b</update>",
        "<instruction>x<code>a</code><update>b</update>",
        "<update>b</update><code>a</code>",
        "<instruction>x</instruction>",
    ],
)
def test_message_that_is_nearly_of_the_form_is_refused(message):
    """Its tags must not become lines of a file."""
    with pytest.raises(UsageError) as error:
        parse_message(message)
    assert error.value.reason == "bad_message"


@pytest.mark.parametrize("message", ["", "x = 1\n", "# see <code> and </update> there\n"])
def test_message_without_tags_is_none_of_this_form(message):
    """It may be an edit whose file comes as a prediction."""
    assert parse_message(message) is None


PIECES = st.lists(
    st.sampled_from(
        ["<code>", "</code>", "<update>", "</update>", "<instruction>", "</instruction>", "\n", "a"]
    ),
    max_size=6,
).map("".join)


@given(PIECES, PIECES, PIECES)
def test_a_message_is_read_as_it_was_meant_or_not_at_all(instruction, code, update):
    """Whatever tags the parts hold."""
    message = f"<instruction>{instruction}</instruction>\n<code>{code}</code>\n<update>{update}</update>"
    try:
        parts = parse_message(message)
    except UsageError as error:
        assert error.reason == "ambiguous_message"  # noqa: PT017 - or else it is read, see below
    else:
        assert parts == Parts(instruction.strip(), code, update)
