"""What an export loses: answers of a GGUF file in llama.cpp beside those of its checkpoint in torch.

Both write greedily. The checkpoint (in float32) need not write one token after the other to show that it
writes the same: it reads the other's answer in one go, and where each token is the one that it would have
chosen, its answer is that one. Only from the first other token on does it write by itself. So what is
counted are texts that are equal byte for byte, whatever tokens they are made of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapply.errors import Refused, UsageError
from fastapply.models.engine import Drafts, Task
from fastapply.models.prompts import ShownToModel, expected_answer, render_prompt
from fastapply_lab.train import demand, demand_llama
from fastapply_lab.train.base import open_base
from fastapply_lab.train.export_adapter import adapter_folder, base_of
from fastapply_lab.train.reference import Reference
from fastapply_lab.train.samples import Tokenizer, check_style

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from fastapply.models.llama.library import Model
    from fastapply.models.llama.model import LlamaModel
    from fastapply.models.prompts import StyleName
    from fastapply.types import Finish
    from fastapply_lab.data.windows import Window

UNENDED = frozenset({"length", "endless"})
_SLACK = 256  # characters that an answer may have beyond those of code and edit, as in `models.rewrite`


@dataclass(frozen=True, slots=True)
class Fork:
    """Where two answers part.

    `position` is in tokens of the answer; `margin` is by how much the checkpoint's logit of its own token
    lies above that of the file's: small where a rounding decides, large where something is wrong.
    """

    id: str
    position: int
    tokens: int  # of the file's answer
    margin: float


@dataclass(frozen=True, slots=True)
class Loss:
    """What was found for one file. `equal` of `answers` are byte-identical, and end alike."""

    path: Path
    answers: int
    equal: int
    endless: int  # of the answers: cut at their greatest length
    right: int  # of the answers: the merged text that the window holds
    forks: tuple[Fork, ...]
    too_long: int  # windows that do not fit the context, which are in no other count
    texts: int  # that the two tokenizers were compared on
    tokenised_otherwise: tuple[str, ...]  # those that they cut into other tokens, their beginnings

    @property
    def share(self) -> float:
        """Of the answers, those that are equal."""
        return self.equal / self.answers if self.answers else 0.0


def check(
    folder: Path,
    paths: Sequence[Path],
    windows: Sequence[Window],
    style: StyleName,
    *,
    adapter: Path | None = None,
    threads: int | None = None,
    watch: Callable[[int], None] | None = None,
) -> list[Loss]:
    """Compare files with the checkpoint that they were made of, on answers to windows.

    Of a tuning run, `paths` are those of its base, and `adapter` is the file that goes on each of them.

    `watch` is told how many answers are done. Raises `ModelTrouble` as `demand` and `LlamaModel` do.
    """
    demand("torch", "transformers", "tokenizers", "safetensors")
    demand_llama()
    import torch

    from fastapply.models.llama.library import Settings
    from fastapply.models.llama.model import LlamaModel

    tuned = adapter_folder(folder)
    if (tuned is None) != (adapter is None):
        raise UsageError(
            f"{folder} is {'no' if tuned is None else 'a'} tuning run",
            hint="of one, name the GGUF file of its base, and --adapter with what `train export` wrote",
        )
    base = folder if tuned is None else open_base(base_of(tuned)["base"])
    tokenizer = Tokenizer(base, normalise=tuned is None)
    check_style(tokenizer, style)
    reference = Reference(folder)
    if threads is not None:
        torch.set_num_threads(threads)
    losses = []
    for path in paths:
        model = LlamaModel(
            path, name=path.stem, style=style, settings=Settings(threads=threads), adapter=adapter
        )
        try:
            losses.append(_check_file(path, model, reference, tokenizer, windows, watch=watch))
        finally:
            model.close()
    return losses


def differing_texts(tokenizer: Tokenizer, model: Model, texts: Iterable[str]) -> list[str]:
    """The texts that a ``tokenizer.json`` and a GGUF file cut into other tokens."""
    return [text for text in texts if tokenizer.tokenise(text) != model.tokenise(text.encode())]


def _check_file(
    path: Path,
    model: LlamaModel,
    reference: Reference,
    tokenizer: Tokenizer,
    windows: Sequence[Window],
    *,
    watch: Callable[[int], None] | None,
) -> Loss:
    texts = {text for one in windows for text in (one.original, one.edit, one.merged or "")}
    differing = differing_texts(tokenizer, model.model, sorted(texts))
    ends = _ends(model.model)
    forks, equal, endless, right, too_long = list[Fork](), 0, 0, 0, 0
    for number, window in enumerate(windows):
        try:
            one = _Answer(model, reference, window, ends)
        except Refused:
            too_long += 1
            continue
        fork = one.fork()
        if fork is None:
            equal += 1
        else:
            forks.append(fork)
        endless += one.finish in UNENDED
        right += one.is_right
        if watch is not None:
            watch(number + 1)
    return Loss(
        path,
        len(windows) - too_long,
        equal,
        endless,
        right,
        tuple(forks),
        too_long,
        len(texts),
        tuple(text[:80] for text in differing),
    )


def _alike(one: Finish, other: Finish) -> bool:
    """Whether two answers ended alike; one that did not end may have met either limit first."""
    return one == other or (one in UNENDED and other in UNENDED)


def _ends(model: Model) -> dict[Finish, list[int]]:
    """The tokens that end an answer, by what they say of it."""
    found = [token for token in range(model.vocab_size) if model.ends(token)]
    return {
        "eos": [token for token in found if not model.refuses(token)],
        "cannot": [token for token in found if model.refuses(token)],
    }


class _Answer:
    """The answer of a file to one window. Raises `Refused` (``too_long``)."""

    def __init__(
        self,
        model: LlamaModel,
        reference: Reference,
        window: Window,
        ends: Mapping[Finish, Sequence[int]],
    ) -> None:
        self._model, self._reference, self._window, self._ends = model, reference, window, ends
        shown = ShownToModel(window.original, window.edit, window.language)
        self._rendered = render_prompt(model.style, shown)
        predicted = expected_answer(model.style, window.original)
        self._longest = max(len(window.original), len(predicted)) + len(window.edit) + _SLACK
        drafts = Drafts(predicted, window.original, window.edit)
        done = model.complete(Task(self._rendered, drafts, self._longest))
        self.text, self.finish = done.text, done.finish
        self._prompt = model.prompt_tokens(self._rendered)
        self._most = model.context.size - len(self._prompt) - 1  # tokens
        self._tokens = model.written

    @property
    def is_right(self) -> bool:
        """Whether it is what the window asks for."""
        merged = self._window.merged
        if merged is None or self.finish in {"cannot", *UNENDED}:
            return merged is None and self.finish == "cannot"
        return self.text == expected_answer(self._model.style, merged)

    def fork(self) -> Fork | None:
        """Where the checkpoint would have written something else; None where its answer is the same.

        Where it would have made the same text of other tokens, that is the same answer.
        """
        found = self._reference.first_fork(self._prompt, self._tokens, self._ends.get(self.finish, ()))
        if found is None:
            return None
        place, margin = found
        written = self._reference.write(self._prompt, self._tokens[:place], self._stops)
        if not self._departs(written):
            text, finish = self._read(written)
            if _alike(finish, self.finish) and (text == self.text or finish in UNENDED):
                return None
        return Fork(self._window.id, place, len(self._tokens), margin)

    def _stops(self, tokens: list[int]) -> bool:
        """Whether all is known: the checkpoint's answer is at its end, or is another one for certain."""
        ended = self._model.model.ends(tokens[-1])
        return ended or self._departs(tokens) or self._read(tokens)[1] != "eos"

    def _departs(self, tokens: list[int]) -> bool:
        """Whether these tokens stand for another text than the file's answer begins with."""
        one, other = self._bytes(tokens), self._bytes(self._tokens)
        return not (one.startswith(other) or other.startswith(one))

    def _bytes(self, tokens: Sequence[int]) -> bytes:
        model = self._model.model
        return b"".join(model.piece(token) for token in tokens if not model.ends(token))

    def _read(self, tokens: list[int]) -> tuple[str, Finish]:
        """What tokens of the checkpoint say, read as `llama.decode` reads them."""
        model, data = self._model.model, self._bytes(tokens)
        end = self._rendered.end.encode()
        at = data.find(end) if end else -1
        if at >= 0:
            return data[: at + len(end)].decode("utf-8", "replace"), "end_tag"
        text = data.decode("utf-8", "replace")
        if model.ends(tokens[-1]):
            return text, "cannot" if model.refuses(tokens[-1]) else "eos"
        if len(text) >= self._longest:
            return text, "endless"
        return text, "length" if len(tokens) >= self._most else "eos"
