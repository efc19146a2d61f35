"""From ``tokenizer.json`` to the vocabulary of a GGUF file, or a refusal: both must cut texts alike.

Known is what models of the Qwen2 family and our own have: byte-level BPE behind the split of Qwen2, which
llama.cpp calls ``qwen2``. A normaliser is passed over, since llama.cpp has none: texts that it would change
fall into other tokens there (`lossless` counts them), and code must not be changed anyway.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from fastapply.errors import ModelTrouble
from fastapply.models.prompts import CANNOT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fastapply_lab.train.checkpoint import Checkpoint

QWEN2_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""Where texts are cut before merges; the spelling of the public Qwen2 tokenizers."""
PRE = "qwen2"
_TURN_END = "<|im_end|>"
Kind = Literal["NORMAL", "CONTROL", "USER_DEFINED", "UNUSED"]  # names of gguf.TokenType


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Tokens by their numbers, merges in their order, and the tokens that end an answer."""

    tokens: tuple[str, ...]
    kinds: tuple[Kind, ...]
    merges: tuple[str, ...]
    eos: int
    eot: int | None  # the end of a turn of a chat
    eom: int | None  # the refusal of a model of ours: llama.cpp ends at this one too
    pad: int | None


def read_vocabulary(checkpoint: Checkpoint, rows: int) -> Vocabulary:
    """The vocabulary of a checkpoint, filled up to `rows`, those of its embedding.

    Raises `ModelTrouble` (``bad_tokenizer``) for one that llama.cpp would read in another way.
    """
    held = checkpoint.tokenizer
    model = held.get("model") or {}
    _check(held, model)
    numbers: dict[str, int] = model["vocab"]
    added = {str(one["content"]): one for one in held.get("added_tokens") or ()}
    tokens: dict[int, str] = {number: token for token, number in numbers.items()}
    kinds: dict[int, Kind] = dict.fromkeys(tokens, "NORMAL")
    for token, one in added.items():
        if any(one.get(key) for key in ("lstrip", "rstrip", "single_word")):
            raise _bad(f"the token {token} takes white space beside it, or only stands alone")
        tokens[one["id"]] = token
        kinds[one["id"]] = "CONTROL" if one.get("special") else "USER_DEFINED"
    if max(tokens) >= rows:
        raise _bad(f"it has a token {max(tokens)}, and the embedding {rows} rows")
    known = {token: number for number, token in tokens.items()}
    eos = _eos(checkpoint.config, known)
    return Vocabulary(
        tuple(tokens.get(number, f"[PAD{number}]") for number in range(rows)),
        tuple(kinds.get(number, "UNUSED") for number in range(rows)),
        tuple(one if isinstance(one, str) else " ".join(one) for one in model["merges"]),
        eos,
        known.get(_TURN_END) if known.get(_TURN_END) != eos else None,
        known.get(CANNOT),
        _number(checkpoint.config.get("pad_token_id"), known.get("<|pad|>")),
    )


def _check(held: Mapping[str, Any], model: Mapping[str, Any]) -> None:
    """Raise where cutting or merging is not that which llama.cpp does for `PRE`."""
    if model.get("type") != "BPE":
        raise _bad(f"it is {model.get('type')}, and not BPE")
    odd = ("dropout", "byte_fallback", "ignore_merges", "continuing_subword_prefix", "end_of_word_suffix")
    for name in odd:
        if model.get(name):
            raise _bad(f"it sets {name}")
    steps = held.get("pre_tokenizer") or {}
    parts = steps.get("pretokenizers", [steps]) if steps else []
    if [one.get("type") for one in parts] != ["Split", "ByteLevel"]:
        raise _bad("its pre-tokenizer is not a split and then bytes")
    split, bytewise = parts
    if split.get("pattern") != {"Regex": QWEN2_SPLIT} or split.get("behavior") != "Isolated":
        raise _bad("its split is not that of Qwen2")
    if split.get("invert") or bytewise.get("add_prefix_space") or bytewise.get("use_regex", True):
        raise _bad("it splits the other way round, or twice, or puts a space before texts")


def _eos(config: Mapping[str, Any], known: Mapping[str, int]) -> int:
    """The token that ends a sequence: our own, else that of the configuration."""
    said = config.get("eos_token_id")
    first = said[0] if isinstance(said, list) and said else said
    for number in (known.get("<|end|>"), first, known.get("<|endoftext|>")):
        if isinstance(number, int):
            return number
    raise _bad("nothing says which token ends a sequence")


def _number(*given: object) -> int | None:
    return next((one for one in given if isinstance(one, int)), None)


def _bad(why: str) -> ModelTrouble:
    return ModelTrouble(
        f"llama.cpp would not read this tokenizer alike: {why}",
        reason="bad_tokenizer",
        hint="known are byte-level BPE tokenizers with the split of Qwen2",
    )
