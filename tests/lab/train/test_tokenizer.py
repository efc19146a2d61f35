"""The tokenizer of a model made from scratch."""

from __future__ import annotations

import json

import pytest
import tiny
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.usefixtures("training")

WINDOWS = [tiny.window(number, tiny.CORPUS, f"line {number}\n", "x\n") for number in range(3)]


@pytest.fixture
def learned(training, tmp_path):  # noqa: ARG001 - skips
    """A tokenizer learned of a few windows, as the samples use it."""
    from fastapply_lab.train.samples import Tokenizer
    from fastapply_lab.train.tokenizer import train_tokenizer

    train_tokenizer(WINDOWS, 400).save(str(tmp_path / "tokenizer.json"))
    return Tokenizer(tmp_path, normalise=False)


def test_special_tokens_are_the_first_ids_in_their_order(learned):
    """A model that was trained knows them by these numbers."""
    from fastapply_lab.train.tokenizer import PAD, SPECIAL

    assert SPECIAL == ("<|pad|>", "<|orig|>", "<|edit|>", "<|merge|>", "<|end|>", "<|cannot|>")
    assert [learned.tokenise(name, special=True) for name in SPECIAL] == [[n] for n in range(6)]
    assert PAD == 0


def test_names_of_special_tokens_in_code_are_text(learned):
    """An edit that speaks of the tokens is no command."""
    ids = learned.tokenise("<|end|>\n<|cannot|>")
    assert min(ids) > 5


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(codec="utf-8"), max_size=60))
def test_every_text_comes_back_byte_for_byte(learned, text):
    """Nothing is normalised, and no character is unknown."""
    assert learned._texts.decode(learned.tokenise(text), skip_special_tokens=False) == text


def test_the_same_windows_give_the_same_tokenizer_and_another_size_another(tmp_path):
    """A vocabulary of so many tokens where there is that much to learn; the file says how texts are cut."""
    from fastapply_lab.train.tokenizer import train_tokenizer

    first, second = train_tokenizer(WINDOWS, 300), train_tokenizer(iter(WINDOWS), 300)
    assert first.to_str() == second.to_str()
    assert (first.get_vocab_size(), train_tokenizer(WINDOWS, 290).get_vocab_size()) == (300, 290)
    first.save(str(tmp_path / "t.json"))
    held = json.loads((tmp_path / "t.json").read_text())
    assert (held["normalizer"], held["model"]["type"]) == (None, "BPE")


def test_vocabulary_goes_to_llama_as_it_is(tmp_path):
    """The reader for GGUF files takes it, with the tokens that end an answer."""
    from fastapply_lab.train.checkpoint import Card, Checkpoint
    from fastapply_lab.train.tokenizer import train_tokenizer
    from fastapply_lab.train.vocabulary import read_vocabulary

    held = json.loads(train_tokenizer(WINDOWS, 300).to_str())
    vocabulary = read_vocabulary(Checkpoint(tmp_path, {}, held, Card()), 300)
    assert (len(vocabulary.tokens), vocabulary.eos, vocabulary.eom, vocabulary.pad) == (300, 4, 5, 0)
