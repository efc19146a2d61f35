"""Reading a model's answer: the merged text and nothing else, or a finding."""

from __future__ import annotations

import pytest

from fastapply.models.engine import Completion
from fastapply.models.rewrite import read_answer

CODE = "a\nb\n"


def read(text, style="kortix", finish="end_tag", code=CODE):
    """The text of an answer, or code and class of what is wrong with it."""
    got = read_answer(Completion(text, finish), style, code=code)
    return got if isinstance(got, str) else (got.code, got.failure)


@pytest.mark.parametrize(
    ("style", "text"),
    [
        ("kortix", "<updated-code>a\nc\n</updated-code>"),
        ("kortix", "<updated-code>\na\nc\n</updated-code>"),
        ("fastedit", "\n<updated-code>a\nc\n</updated-code>\n"),
        ("osmosis", "<code>\na\nc\n</code>"),
        ("aixapply", "<update_file>a\nc\n</update_file>"),
        ("morph", "a\nc\n"),
        ("nano", "a\nc\n"),
    ],
)
def test_answer_is_what_stands_between_the_tags(style, text):
    """A line end behind the first tag is the model's, not the text's."""
    assert read(text, style) == "a\nc\n"


@pytest.mark.parametrize(
    ("text", "finish", "found"),
    [
        ("<updated-code>a\na\na\n", "length", ("answer_length", "truncation")),
        ("<updated-code>a\na\na\n", "endless", ("answer_endless", "truncation")),
        ("<updated-code>a\nc\n", "eos", ("answer_cut", "truncation")),
        ("", "eos", ("answer_around", "functional_error")),
        ("a\nc\n", "eos", ("answer_around", "functional_error")),
        ("Sure!\n<updated-code>a\n</updated-code>", "end_tag", ("answer_around", "functional_error")),
        ("<updated-code>a\n</updated-code>\nDone.", "eos", ("answer_around", "functional_error")),
        (
            "<think>\nlet me see\n</think>\n<updated-code>a\n</updated-code>",
            "end_tag",
            ("answer_around", "functional_error"),
        ),
        (
            "<updated-code>a\n</updated-code><updated-code>b\n</updated-code>",
            "eos",
            ("answer_around", "functional_error"),
        ),
    ],
)
def test_anything_beside_a_tagged_answer_is_a_finding(text, finish, found):
    """With the class of the failure that it would have been."""
    assert read(text, finish=finish) == found


@pytest.mark.parametrize(
    ("text", "finish", "found"),
    [
        ("<think>\nhm\n</think>\na\n", "eos", ("answer_around", "functional_error")),
        ("```python\na\nc\n```\n", "eos", ("answer_around", "functional_error")),
        ("a\na\na\na\n", "length", ("answer_length", "truncation")),
    ],
)
def test_anything_beside_a_bare_answer_is_a_finding(text, finish, found):
    """Fences and thoughts, where the code has none."""
    assert read(text, "morph", finish) == found


def test_model_may_say_that_it_cannot():
    """An empty answer of the styles that were trained to give one."""
    assert read("<update_file></update_file>", "aixapply") == ("answer_cannot", "functional_error")
    assert read("", "nano", "eos") == ("answer_cannot", "functional_error")


@pytest.mark.parametrize("text", ["", "a\nc\n"])
def test_answer_that_ends_in_a_refusal_is_none(text):
    """Whatever was written before it."""
    assert read(text, "nano", "cannot") == ("answer_cannot", "functional_error")
    assert read(text, "nano", "cannot", code="") == ("answer_cannot", "functional_error")


def test_code_that_holds_the_tags_is_read_whole():
    """The last end tag is the answer's."""
    code = 'end = "</updated-code>"\n'
    assert read(f"<updated-code>{code}x\n</updated-code>", finish="eos", code=code) == f"{code}x\n"


def test_fence_in_markdown_belongs_to_the_text():
    """A file that begins with a fence is answered with one."""
    assert read("```sh\nls\n```\n", "morph", "eos", code="```sh\npwd\n```\n") == "```sh\nls\n```\n"
