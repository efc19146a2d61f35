"""Samples as token ids in a file, and batches of whole samples."""

from __future__ import annotations

from itertools import cycle, islice

import pytest
import tiny
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.usefixtures("training")

WINDOWS = [
    tiny.window(1, "a = 1\n", "a = 2\n", "a = 2\n"),
    tiny.window(2, tiny.CORPUS, "# ...\n", tiny.CORPUS),
    tiny.window(3, "b = 1\n", "zzz\n", None),
]


def read_tokenizer(folder):
    """A tokenizer of a few hundred tokens."""
    from fastapply_lab.train.samples import Tokenizer

    tiny.write_tokenizer(folder)
    return Tokenizer(folder, normalise=False)


@pytest.mark.parametrize("size", [400, 100_000], ids=["two bytes", "four bytes"])
def test_samples_come_back_from_the_file(tmp_path, size):
    """Prompt and answer of each window in their order, refusals too; the index tells where and how long."""
    from fastapply_lab.train.packing import Tokens, write_tokens
    from fastapply_lab.train.samples import make_sample

    tokenizer = read_tokenizer(tmp_path)
    made = [make_sample(window, tokenizer, "nano") for window in WINDOWS]
    samples = [sample for sample in made if sample is not None]
    assert write_tokens(iter(WINDOWS), tokenizer, size, tmp_path / "t") == sum(map(len, samples))
    assert (tmp_path / "t" / "tokens.bin").stat().st_size == sum(map(len, samples)) * (
        2 if size == 400 else 4
    )
    tokens = Tokens(tmp_path / "t")
    assert len(tokens) == 3
    for number, sample in enumerate(samples):
        ids, prompt = tokens.sample(number)
        assert (tuple(ids[:prompt]), tuple(ids[prompt:])) == (sample.prompt, sample.answer)
        assert tokens.index[number, 3] == sample.bytes


def test_no_windows_give_no_samples(tmp_path):
    """And no trouble: who needs some says so."""
    from fastapply_lab.train.packing import Tokens, pack, write_tokens

    assert write_tokens([], read_tokenizer(tmp_path), 400, tmp_path / "t") == 0
    tokens = Tokens(tmp_path / "t")
    assert len(tokens) == 0
    assert list(pack(tokens, [], 64, prompt_weight=0.1)) == []


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lengths=st.lists(st.integers(2, 40), min_size=1, max_size=150), seed=st.randoms(use_true_random=False))
def test_packing_loses_no_sample_and_mixes_none(tmp_path, lengths, seed):
    """Each is in one batch, whole, and in one piece; what is left is padding without weight."""
    from fastapply_lab.train.packing import pack

    tokens = tiny.store(tmp_path, lengths)
    order = list(range(len(lengths)))
    seed.shuffle(order)
    found: list[int] = []
    for batch in pack(tokens, order, 40, prompt_weight=0.5):
        assert (len(batch.tokens), sum(batch.lengths)) == (40, 40)
        assert len(batch.lengths) - len(batch.samples) in {0, 1}
        at = 0
        for number, length in zip(batch.samples, batch.lengths, strict=False):
            assert list(batch.tokens[at : at + length]) == list(tokens.sample(number)[0])
            at += length
        assert not batch.tokens[at:].any()
        assert not batch.weights[at:].any()
        assert not batch.answers[at:].any()
        found += batch.samples
    assert sorted(found) == sorted(order)


def test_targets_are_the_next_tokens_and_only_those_of_a_sample(tmp_path):
    """A prompt of two tokens and an answer of three; the last token of a sample has nothing to say."""
    from fastapply_lab.train.packing import pack

    (batch,) = pack(tiny.store(tmp_path, [5, 4], [2, 1]), [0, 1], 11, prompt_weight=0.25)
    assert list(batch.tokens) == [100, 101, 102, 103, 104, 200, 201, 202, 203, 0, 0]
    assert list(batch.targets) == [101, 102, 103, 104, 0, 201, 202, 203, 0, 0, 0]
    assert list(batch.weights) == [0.25, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0]
    assert list(batch.answers) == [False, True, True, True, False, True, True, True, False, False, False]
    assert (batch.lengths, batch.samples) == ((5, 4, 2), (0, 1))


def test_sample_that_does_not_fit_comes_next(tmp_path):
    """A shorter one takes the room that is left; a row that is full has no padding."""
    from fastapply_lab.train.packing import pack

    tokens = tiny.store(tmp_path, [6, 7, 4, 3])
    batches = list(pack(tokens, [0, 1, 2, 3], 10, prompt_weight=0.1))
    assert [(batch.samples, batch.lengths) for batch in batches] == [((0, 2), (6, 4)), ((1, 3), (7, 3))]


def test_order_may_be_endless(tmp_path):
    """Batches are made as they are asked for."""
    from fastapply_lab.train.packing import pack

    tokens = tiny.store(tmp_path, [5, 5])
    batches = list(islice(pack(tokens, cycle([0, 1]), 10, prompt_weight=0.1), 4))
    assert [batch.samples for batch in batches] == [(0, 1)] * 4


def test_sample_longer_than_a_batch_is_refused(tmp_path):
    """One as long as a batch is not."""
    from fastapply_lab.train.packing import pack

    tokens = tiny.store(tmp_path, [5, 11, 10])
    assert [batch.samples for batch in pack(tokens, [0, 2], 10, prompt_weight=0.1)] == [(0,), (2,)]
    with pytest.raises(ValueError, match="a sample of 11 tokens is longer than a batch of 10"):
        list(pack(tokens, [0, 1], 10, prompt_weight=0.1))
