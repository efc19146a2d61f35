"""The tokenizer of a model made from scratch: byte-level BPE, so that every text comes back byte for byte.

Texts are split by the expression of Qwen2 before pairs are merged, which llama.cpp knows by the name
``qwen2``; nothing is normalised. The special tokens are the first ids, in the order of `SPECIAL`::

    <|orig|> code <|edit|> edit <|merge|> merged <|end|>
    <|orig|> code <|edit|> edit <|merge|> <|cannot|>
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastapply.dataset.windows import Window

SPECIAL = ("<|pad|>", "<|orig|>", "<|edit|>", "<|merge|>", "<|end|>", "<|cannot|>")
PAD, ORIG, EDIT, MERGE, END, CANNOT = range(len(SPECIAL))
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def train_tokenizer(windows: Iterable[Window], vocabulary: int) -> Tokenizer:
    """Learn a vocabulary of so many tokens, special ones included, of what windows show and want."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(SPLIT), "isolated"),
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


def encode_window(tokenizer: Tokenizer, window: Window) -> tuple[list[int], int]:
    """Token ids of a whole sample, and how many of them are the prompt, as ``style = "nano"`` renders it.

    The texts' own ``<|end|>`` and the like are plain characters: special tokens are set between texts.
    """
    code, edit = (_plain(tokenizer, text) for text in (window.original, window.edit))
    prompt = [ORIG, *code, EDIT, *edit, MERGE]
    answer = [CANNOT] if window.merged is None else [*_plain(tokenizer, window.merged), END]
    return prompt + answer, len(prompt)


def _plain(tokenizer: Tokenizer, text: str) -> list[int]:
    ids: list[int] = tokenizer.encode(text.removesuffix("\n"), add_special_tokens=False).ids
    return ids


def load_tokenizer(path: str) -> Tokenizer:
    """A ``tokenizer.json``, set to read special tokens in a text as characters."""
    tokenizer = Tokenizer.from_file(path)
    tokenizer.encode_special_tokens = True
    return tokenizer
