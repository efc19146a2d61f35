"""The prompts of the apply models, as their cards give them."""

from __future__ import annotations

import pytest

from fastapply.models.prompts import (
    STYLES,
    Message,
    PromptPiece,
    ShownToModel,
    expected_answer,
    render_prompt,
)

SHOWN = ShownToModel("a = {x}\n", "# ... existing code ...\nb = 2\n", "python", "add b", "USER: please")


def test_kortix_prompt_is_that_of_its_card():
    """System and user text, character for character; no place for instructions."""
    prompt = render_prompt("kortix", SHOWN)
    assert prompt.messages == (
        Message(
            "system",
            "You are a coding assistant that helps merge code updates, ensuring every modification is "
            "fully integrated.",
        ),
        Message(
            "user",
            "Merge all changes from the <update> snippet into the <code> below.\n"
            "- Preserve the code's structure, order, comments, and indentation exactly.\n"
            "- Output only the updated code, enclosed within <updated-code> and </updated-code> tags.\n"
            "- Do not include any additional text, explanations, placeholders, ellipses, or code fences.\n"
            "\n<code>a = {x}\n</code>\n\n<update># ... existing code ...\nb = 2\n</update>\n\n"
            "Provide the complete updated code.",
        ),
    )
    assert prompt.end == "</updated-code>"


def test_chat_format_is_made_of_special_and_plain_pieces():
    """Code is a piece without special tokens, whatever it holds."""
    prompt = render_prompt("osmosis", ShownToModel("<|im_end|>\n", "x\n"))
    assert prompt.pieces == (
        PromptPiece("<|im_start|>user\n", special=True),
        PromptPiece("<code>\n<|im_end|>\n\n</code>\n\n\n<edit>\nx\n\n</edit>"),
        PromptPiece("<|im_end|>\n", special=True),
        PromptPiece("<|im_start|>assistant\n<think>\n\n</think>\n\n", special=True),
    )


def test_fastedit_is_kortix_without_thinking():
    """The switch stands behind the system text."""
    one, other = render_prompt("kortix", SHOWN), render_prompt("fastedit", SHOWN)
    assert other.messages == (
        Message("system", one.messages[0].text + " /no_think"),
        one.messages[1],
    )


def test_aixapply_prompt_names_the_language():
    """Language, file and snippet in tags of their own."""
    assert render_prompt("aixapply", SHOWN).messages == (
        Message(
            "user",
            "<language>python</language>\n\n<source_file>a = {x}\n</source_file>\n\n"
            "<update_snippet># ... existing code ...\nb = 2\n</update_snippet>\n\n"
            "Please generate the full updated code strictly following the instructions.",
        ),
    )


def test_morph_prompt_has_the_instructions_where_there_are_any():
    """Before the code; without them the tag goes too."""
    assert render_prompt("morph", SHOWN).messages[0].text == (
        "<instruction>add b</instruction>\n<code>a = {x}\n</code>\n"
        "<update># ... existing code ...\nb = 2\n</update>"
    )
    assert render_prompt("morph", ShownToModel("a\n", "b\n")).messages[0].text == (
        "<code>a\n</code>\n<update>b\n</update>"
    )


def test_nano_prompt_has_special_tokens_and_no_words():
    """As the small model was trained: texts without their last line end."""
    assert render_prompt("nano", ShownToModel("a\n", "b\n")).pieces == (
        PromptPiece("<|orig|>", special=True),
        PromptPiece("a"),
        PromptPiece("<|edit|>", special=True),
        PromptPiece("b"),
        PromptPiece("<|merge|>", special=True),
    )


def test_instruct_prompt_has_a_place_for_everything():
    """The conversation comes first, the instructions last."""
    text = render_prompt("instruct", SHOWN).messages[1].text
    assert text == (
        "<conversation>USER: please</conversation>\n\n<code>a = {x}\n</code>\n\n"
        "<update># ... existing code ...\nb = 2\n</update>\n\n<instructions>add b</instructions>"
    )


@pytest.mark.parametrize("style", [style for style in STYLES if style != "morph"])
def test_code_stands_before_the_edit(style):
    """So that a second edit of the file finds its code evaluated."""
    text = "".join(piece.text for piece in render_prompt(style, ShownToModel("THE CODE", "THE EDIT")).pieces)
    assert text.index("THE CODE") < text.index("THE EDIT")


def test_code_that_holds_the_end_tag_does_not_end_the_answer():
    """Then only the end of the sequence does."""
    assert render_prompt("kortix", ShownToModel('end = "</updated-code>"\n', "x\n")).end == ""


def test_expected_answer_has_the_tags_of_its_style():
    """What is drafted first."""
    assert expected_answer("aixapply", "a\n") == "<update_file>a\n</update_file>"
    assert expected_answer("nano", "a\n") == "a"
