"""What a model is trained on: answers with the token that ends them."""

from __future__ import annotations

from fastapply.models.prompts import PromptPiece
from fastapply_lab.train.samples import answer_pieces


def test_answer_to_train_on_ends_with_the_token_that_ends_it():
    """`<|end|>` for models of our own, the end of the turn for the others."""
    assert answer_pieces("nano", "a\n") == (PromptPiece("a"), PromptPiece("<|end|>", special=True))
    assert answer_pieces("osmosis", "a\n") == (
        PromptPiece("<code>a\n</code>"),
        PromptPiece("<|im_end|>", special=True),
    )


def test_answer_to_an_edit_that_must_be_refused_is_the_refusal_of_the_style():
    """And none where it has no words for that."""
    assert answer_pieces("nano", None) == (PromptPiece("<|cannot|>", special=True),)
    assert answer_pieces("aixapply", None) == (
        PromptPiece("<update_file></update_file>"),
        PromptPiece("<|im_end|>", special=True),
    )
    assert answer_pieces("kortix", None) is None
