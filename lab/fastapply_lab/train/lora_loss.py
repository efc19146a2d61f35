"""The loss of one answer: with logits for its own tokens only, and for some of them at a time.

A vocabulary of 150,000 makes a row of logits 600 KB, three times over on the way back: that of a whole sample
would take more than the model. So the hidden states of the answer are cut off from the graph, each piece
of them goes through the output matrix and back by itself, and what comes back is handed on to the layers.

Inputs are padded to multiples of `STEP` tokens, behind the answer, where a causal model does not see them: an
allocator that meets few sizes reuses what it has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapply.values import dataclass

if TYPE_CHECKING:
    from fastapply_lab.train.samples import Sample

STEP = 128
_ROWS = 128  # of logits at a time
_IGNORED = -100  # a target that torch leaves out


@dataclass(frozen=True, slots=True)
class Told:
    """How well one answer was foretold: nats over its tokens, and how many would be chosen."""

    nats: float
    right: int


def padded(length: int) -> int:
    """Tokens that a sample of so many is read as."""
    return -(-length // STEP) * STEP


def answer_loss(model: Any, sample: Sample, *, weight: float | None = None) -> Told:  # noqa: ANN401 - of transformers
    """Read a sample; with a `weight`, gradients of its loss times that are added to those of the model."""
    import torch

    device = next(model.parameters()).device
    count, first = len(sample.answer), len(sample.prompt) - 1
    ids = torch.zeros((1, padded(len(sample))), dtype=torch.long, device=device)
    ids[0, : len(sample)] = torch.tensor([*sample.prompt, *sample.answer], device=device)
    hidden = model.get_decoder()(input_ids=ids, use_cache=False).last_hidden_state
    rows = padded(count)
    wanted = torch.full((rows,), _IGNORED, device=device)
    wanted[:count] = torch.tensor(sample.answer, device=device)
    wanted = wanted[: hidden.shape[1] - first]
    answer = hidden.detach()[0, first : first + len(wanted)]
    back = None if weight is None else torch.zeros_like(hidden)
    nats, right = 0.0, 0
    for start in range(0, count, _ROWS):
        piece, targets = answer[start : start + _ROWS], wanted[start : start + _ROWS]
        if back is not None:
            piece = piece.detach().requires_grad_()
        logits = model.get_output_embeddings()(piece).float()
        loss = torch.nn.functional.cross_entropy(logits, targets, reduction="sum", ignore_index=_IGNORED)
        nats += float(loss.detach())
        right += int((logits.detach().argmax(-1) == targets).sum())
        if back is not None:
            (slope,) = torch.autograd.grad(loss * weight, piece)
            back[0, first + start : first + start + len(slope)] = slope
    if back is not None:
        hidden.backward(back)
    return Told(nats, right)
