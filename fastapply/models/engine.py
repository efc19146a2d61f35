"""What an apply model is to the rest of fastapply, wherever it runs: in a process, here, or on a server."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, Literal, Protocol, cast

from fastapply.types import Finish, Usage
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapply.models.prompts import Prompt, StyleName


@dataclass(frozen=True, slots=True)
class Drafts:
    """Texts that an answer is likely to repeat, the likeliest first; an engine may use them or not.

    Where all of them are "", nothing is drafted.

    `predicted` is the whole answer as the closed form guesses it, tags included: the `prediction` of
    a chat server that takes one. `original` and `edit` are what the prompt shows.
    """

    predicted: str
    original: str
    edit: str


@dataclass(frozen=True, slots=True)
class Task:
    """One answer to be written, greedily: the prompt, what to draft from, and its length at most."""

    prompt: Prompt
    drafts: Drafts
    longest: int  # characters, more than a right answer has; an engine that reaches them stops with `endless`


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model wrote: all of it, tags included, up to where it stopped."""

    text: str
    finish: Finish
    usage: Usage = Usage()  # frozen


Stage = Literal["loading", "reading", "writing"]
MODEL_SECONDS = 120.0
"""What a model may take for one answer, loading and reading included."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an answer is: characters and tokens written, and characters that are expected in all.

    `about` is the decision that is asked, in words.
    """

    written: int
    tokens: int
    expected: int
    stage: Stage = "writing"
    about: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """How likely a model finds one of several answers, where they differ; sums of natural logarithms."""

    log_likelihood: float  # minus infinity where it was not asked for, since it could not be the best
    tokens: int  # that it is the sum of
    behind: float = 0.0  # how much likelier the model's own token at each place is; 0: it is just those


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores of some answers, in their order, and what they took."""

    scores: tuple[Score, ...]
    usage: Usage = Usage()  # frozen


@dataclass(frozen=True, slots=True)
class Trust:
    """Weights by the name of a fact, and the certainty from which on a merge is taken."""

    weights: dict[str, float]
    bias: float
    threshold: float

    def certainty(self, facts: Mapping[str, float]) -> float:
        """The chance, 0 to 1, that a merge with these facts is right."""
        odds = self.bias + sum(self.weights.get(name, 0.0) * value for name, value in facts.items())
        return 1 / (1 + exp(-max(-30.0, min(30.0, odds))))


class ApplyModel(Protocol):
    """A model that merges: given a prompt, it writes the merged text.

    Raises `ModelTrouble` where it cannot run, `Refused` (``too_long``) where prompt and answer do not
    fit its context.
    """

    @property
    def name(self) -> str:
        """The name for people and for ``--json``."""

    @property
    def style(self) -> StyleName:
        """The prompt that it was trained on."""

    @property
    def context_length(self) -> int:
        """Tokens that prompt and answer may have together; 0 where that is not known."""

    def complete(self, task: Task) -> Completion:
        """Write the answer to a prompt."""


class ChoosingModel(ApplyModel, Protocol):
    """An apply model that can also say how likely it finds given answers, which takes no decoding.

    Raises what `ApplyModel` does.
    """

    def score(self, prompt: Prompt, texts: Sequence[str], leads: Sequence[float]) -> Scored:
        """Score each of some whole answers to a prompt (tags included), in their order.

        What they have in common does not count: only the tokens from where the first two part up to a few
        behind where all are alike again, or as many as tell what comes. The sums may be compared with each
        other, and with nothing else.

        `leads` says how far each is ahead beforehand, in natural logarithms like the sums. One that cannot
        come to the best sum of both any more, whatever the model says, is left out (minus infinity).
        """


class TrustedModel(ChoosingModel, Protocol):
    """An apply model of which is known when its merges are right."""

    @property
    def trust(self) -> Trust:
        """How sure one may be of a merge of it."""


def with_trust(model: ApplyModel) -> TrustedModel | None:
    """The model, if anything is known of when it is right; the verifier alone judges others."""
    return cast("TrustedModel", model) if getattr(model, "trust", None) is not None else None
