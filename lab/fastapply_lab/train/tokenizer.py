"""The tokenizer of a model made from scratch: byte-level BPE, so that every text comes back byte for byte.

Texts are split by the expression of Qwen2 before pairs are merged, which llama.cpp knows by the name
``qwen2``; nothing is normalised. The special tokens are the first ids, in the order of `SPECIAL`::

    <|orig|> code <|edit|> edit <|merge|> merged <|end|>
    <|orig|> code <|edit|> edit <|merge|> <|cannot|>
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from fastapply_lab.train.vocabulary import QWEN2_SPLIT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastapply_lab.data.windows import Window

SPECIAL = ("<|pad|>", "<|orig|>", "<|edit|>", "<|merge|>", "<|end|>", "<|cannot|>")
PAD = SPECIAL.index("<|pad|>")


def train_tokenizer(windows: Iterable[Window], vocabulary: int) -> Tokenizer:
    """Learn a vocabulary of so many tokens, special ones included, of what windows show."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(QWEN2_SPLIT), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = (text for window in windows for text in (window.original, window.edit))
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer
