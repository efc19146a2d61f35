"""Windows as tokens: a prompt as the engine of llama.cpp makes it, and the answer that is to be learned.

A text is cut into tokens by itself, without special ones in it, as `LlamaModel` does it: what is trained on
is what is asked later.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapply.errors import ModelTrouble
from fastapply.models.prompts import (
    CANNOT,
    PromptPiece,
    ShownToModel,
    answer_form,
    expected_answer,
    render_prompt,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastapply.models.prompts import StyleName
    from fastapply_lab.data.windows import Window


class Tokenizer:
    """The tokenizer of a checkpoint folder, or of a name on the hub, from its ``tokenizer.json``.

    Without `normalise` texts stay as they are, as in llama.cpp, whatever the file says. Raises `ModelTrouble`
    (``bad_checkpoint``) where there is no such file.
    """

    def __init__(self, folder: Path | str, *, normalise: bool = True) -> None:
        self._texts, self._special = _load(folder, normalise=normalise), _load(folder, normalise=normalise)
        self._texts.encode_special_tokens = True

    def tokenise(self, text: str, *, special: bool = False) -> list[int]:
        """The tokens of a text; `special` where names of special tokens in it are meant as such."""
        encoder = self._special if special else self._texts
        ids: list[int] = encoder.encode(text, add_special_tokens=False).ids
        return ids

    def tokenise_pieces(self, pieces: Iterable[PromptPiece]) -> list[int]:
        """The tokens of the pieces of a prompt or an answer."""
        return [token for piece in pieces for token in self.tokenise(piece.text, special=piece.special)]

    def knows(self, token: str) -> bool:
        """Whether there is a token of this name."""
        return self._special.token_to_id(token) is not None

    def save(self, path: Path) -> None:
        """Write the ``tokenizer.json``, as it is used here."""
        self._special.save(str(path))


@dataclass(frozen=True, slots=True)
class Sample:
    """A window as tokens; `bytes` are those of the answer's text, for bits a byte."""

    id: str
    prompt: tuple[int, ...]
    answer: tuple[int, ...]
    bytes: int

    def __len__(self) -> int:
        return len(self.prompt) + len(self.answer)


def make_sample(window: Window, tokenizer: Tokenizer, style: StyleName) -> Sample | None:
    """The sample of a window; None where it must be refused and the style has no words for that."""
    answer = answer_pieces(style, window.merged)
    if answer is None:
        return None
    shown = ShownToModel(window.original, window.edit, window.language, window.instructions)
    return Sample(
        window.id,
        tuple(tokenizer.tokenise_pieces(render_prompt(style, shown).pieces)),
        tuple(tokenizer.tokenise_pieces(answer)),
        sum(len(piece.text.encode()) for piece in answer if not piece.special),
    )


def answer_pieces(style: StyleName, text: str | None) -> tuple[PromptPiece, ...] | None:
    """All that a model of this style is to write, the token that ends it included: what one is trained on.

    `text` is the merged text, None for an edit that is to be refused; the answer is None where the style has
    no way to say so.
    """
    end = PromptPiece("<|end|>" if style == "nano" else "<|im_end|>", special=True)
    if text is not None:
        return (PromptPiece(expected_answer(style, text)), end)
    if style == "nano":
        return (PromptPiece(CANNOT, special=True),)
    form = answer_form(style)
    return (PromptPiece(form.start + form.end), end) if form.may_refuse else None


def check_style(tokenizer: Tokenizer, style: StyleName, *, refusals: bool = False) -> None:
    """Raise `ModelTrouble` (``bad_tokenizer``) where the tokens of a style are not in the vocabulary.

    With `refusals` the one that refuses must be there too.
    """
    pieces = [*render_prompt(style, ShownToModel("", "")).pieces, *(answer_pieces(style, "") or ())]
    if refusals:
        pieces += answer_pieces(style, None) or ()
    named = {text for piece in pieces if piece.special for text in _names(piece.text)}
    missing = sorted(name for name in named if not tokenizer.knows(name))
    if missing:
        raise ModelTrouble(
            f"the tokenizer has no {' '.join(missing)}, which prompts of the style {style} are made of",
            reason="bad_tokenizer",
        )


def _names(text: str) -> list[str]:
    """The names of special tokens in a text: ``<|im_start|>user`` has one."""
    return [f"<|{part.partition('|>')[0]}|>" for part in text.split("<|")[1:]]


def _load(folder: Path | str, *, normalise: bool) -> Any:  # noqa: ANN401 - imported where it is used
    import tokenizers

    loaded = tokenizers.Tokenizer.from_file(str(_tokenizer_file(folder)))
    loaded.no_truncation()
    loaded.no_padding()
    if not normalise:
        loaded.normalizer = None
    return loaded


def _tokenizer_file(folder: Path | str) -> Path:
    """Where the file is; of a model on the hub it is fetched, as its weights are."""
    path = Path(folder) / "tokenizer.json"
    if not path.exists() and not Path(folder).exists():
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

        with suppress(HfHubHTTPError, HFValidationError, LocalEntryNotFoundError):
            path = Path(hf_hub_download(str(folder), "tokenizer.json"))
    if not path.exists():
        raise ModelTrouble(f"{folder} has no tokenizer.json", reason="bad_checkpoint")
    return path
