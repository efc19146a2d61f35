"""The checkpoint in torch, in float32: says what it would write where another wrote something.

Weights stay in memory as they are kept, bf16 mostly, and each becomes float32 while it is used: that takes
half the memory of a model in float32, and gives the same numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapply_lab.train.base import open_base
from fastapply_lab.train.export_adapter import adapter_folder, base_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_ROWS = 256  # of logits at a time


class Reference:
    """A checkpoint, loaded; of a tuning run its base with the adapter."""

    def __init__(self, folder: Path) -> None:
        from transformers import AutoModelForCausalLM
        from transformers.utils import logging

        logging.disable_progress_bar()
        adapter = adapter_folder(folder)
        base = folder if adapter is None else open_base(base_of(adapter)["base"])
        loaded: Any = AutoModelForCausalLM.from_pretrained(base, dtype="auto")
        for module in loaded.modules():
            _widen(module)
        if adapter is not None:
            from fastapply_lab.train.adapters import load

            loaded = load(loaded, adapter)
        self._model = loaded.eval()

    def first_fork(
        self, prompt: Sequence[int], answer: Sequence[int], ends: Sequence[int]
    ) -> tuple[int, float] | None:
        """The place of the first token of an answer that is not this model's own, and its margin.

        Behind the answer one of `ends` must come; nothing is said about that where there are none.
        """
        import torch

        with torch.inference_mode():
            ids = torch.tensor([[*prompt, *answer]])
            hidden = self._model.get_decoder()(input_ids=ids, use_cache=False).last_hidden_state[0]
            hidden = hidden[len(prompt) - 1 :]
            for start in range(0, len(answer), _ROWS):
                wanted = torch.tensor(answer[start : start + _ROWS])
                logits = self._model.get_output_embeddings()(hidden[start : start + len(wanted)])
                wrong = (logits.argmax(-1) != wanted).nonzero()
                if len(wrong):
                    at = int(wrong[0])
                    return start + at, float(logits[at].max() - logits[at, wanted[at]])
            last = self._model.get_output_embeddings()(hidden[-1])
            if ends and int(last.argmax()) not in ends:
                return len(answer), float(last.max() - last[list(ends)].max())
        return None

    def write(
        self, prompt: Sequence[int], begun: Sequence[int], stop: Callable[[list[int]], bool]
    ) -> list[int]:
        """The answer from what is begun of it on, one token after the other, until `stop` is true of it."""
        import torch

        tokens = list(begun)
        with torch.inference_mode():
            new, cache = torch.tensor([[*prompt, *begun]]), None
            while True:
                done = self._model(input_ids=new, past_key_values=cache, use_cache=True, logits_to_keep=1)
                cache = done.past_key_values
                tokens.append(int(done.logits[0, -1].argmax()))
                if stop(tokens):
                    return tokens
                new = torch.tensor([[tokens[-1]]])


def _widen(module: Any) -> None:  # noqa: ANN401 - of torch
    """Make a module compute in float32, whatever its weights are kept in."""
    import torch
    from torch.nn import functional

    def linear(x: Any) -> Any:  # noqa: ANN401
        bias = None if module.bias is None else module.bias.float()
        return functional.linear(x.float(), module.weight.float(), bias)

    def embedding(ids: Any) -> Any:  # noqa: ANN401
        return functional.embedding(ids, module.weight).float()

    if isinstance(module, torch.nn.Linear):
        module.forward = linear
    elif isinstance(module, torch.nn.Embedding):
        module.forward = embedding
    elif not list(module.children()):  # norms, and what has no weights
        module.float()
