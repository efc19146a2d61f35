"""The small decoder: its numbers are those of Qwen2, and documents in a row do not see each other."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.usefixtures("training")

SHAPES = [{"heads": 4, "kv_heads": 4}, {"heads": 4, "kv_heads": 2}]


def decoder_of(**more):
    """A tiny decoder whose weights are wide enough that all of them count."""
    import torch

    from fastapply_lab.train.decoder import Decoder, Shape

    torch.manual_seed(3)
    decoder = Decoder(
        Shape(**{"layers": 2, "width": 32, "inner": 48, "vocabulary": 90, "context": 64, **more})
    )
    with torch.no_grad():
        for weights in decoder.parameters():
            weights.add_(torch.randn_like(weights) * 0.2)
    return decoder


def tokens_of(*lengths):
    """Tokens of documents of these lengths in one row."""
    import torch

    return torch.randint(0, 90, (sum(lengths),), generator=torch.Generator().manual_seed(7))


@pytest.mark.parametrize("shape", SHAPES, ids=["as many keys", "grouped keys"])
def test_scores_are_those_of_transformers(tmp_path, shape):
    """`Qwen2ForCausalLM` reads the saved folder, and has all of its weights."""
    import torch
    from transformers import Qwen2ForCausalLM

    decoder = decoder_of(**shape)
    decoder.save(tmp_path)
    theirs, told = Qwen2ForCausalLM.from_pretrained(
        tmp_path, dtype=torch.float32, attn_implementation="eager", output_loading_info=True
    )
    assert [set(told[key]) - {"lm_head.weight"} for key in ("missing_keys", "unexpected_keys")] == [
        set(),
        set(),
    ]
    tokens = tokens_of(50)
    with torch.no_grad():
        ours = decoder.logits(decoder(tokens, [50]))
        expected = theirs(tokens[None]).logits[0]
    assert expected.std() > 0.5
    assert torch.allclose(ours, expected, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("shape", SHAPES, ids=["as many keys", "grouped keys"])
def test_documents_in_a_row_give_what_each_gives_alone(shape):
    """Whatever stands before and behind them."""
    import torch

    decoder, lengths = decoder_of(**shape), (7, 1, 30, 12)
    tokens = tokens_of(*lengths)
    with torch.no_grad():
        together = decoder.logits(decoder(tokens, lengths))
        alone = [decoder.logits(decoder(part, [len(part)])) for part in tokens.split(lengths)]
    assert torch.allclose(together, torch.cat(alone), atol=1e-5)


def test_a_token_does_not_see_what_follows():
    """The scores of the beginning stay when the end changes."""
    import torch

    decoder = decoder_of()
    tokens = tokens_of(20)
    other = tokens.clone()
    other[10:] = 5
    with torch.no_grad():
        one, two = (decoder.logits(decoder(row, [20])) for row in (tokens, other))
    assert torch.equal(one[:10], two[:10])
    assert not torch.allclose(one[10:], two[10:])


def test_loss_of_a_token_is_what_its_score_says():
    """In nats, and whether it is the likeliest."""
    import torch

    decoder, tokens = decoder_of(), tokens_of(20)
    with torch.no_grad():
        hidden = decoder(tokens, [20])
        nats, right = decoder.token_loss(hidden, tokens)
        chances = decoder.logits(hidden).softmax(-1)
    assert torch.allclose((-nats).exp(), chances[torch.arange(20), tokens], atol=1e-5)
    assert torch.equal(right, chances.argmax(-1) == tokens)


def test_saved_decoder_comes_back(tmp_path):
    """Shape and weights, bit for bit."""
    import torch

    from fastapply_lab.train.decoder import Decoder

    decoder = decoder_of(kv_heads=2)
    decoder.save(tmp_path)
    again = Decoder.load(tmp_path)
    assert again.shape == decoder.shape
    for (name, one), (other_name, other) in zip(
        decoder.state_dict().items(), again.state_dict().items(), strict=True
    ):
        assert name == other_name
        assert torch.equal(one, other)
