"""What an apply model is to the rest of fastapply, wherever it runs: in a process, here, or on a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, cast

from fastapply.values import dataclass, field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.llm.prompts import Prompt, StyleName

Finish = Literal["end_tag", "eos", "cannot", "length", "endless", "choice"]
"""Why a model stopped: its answer's end tag, the end of its sequence, its token that says that it cannot tell
what the edit means; a limit that cut it off (``length``: its context, or what its server allows), or more
text than any answer to the task can have (``endless``: it repeats itself, or goes on behind its answer); or
it chose one of several ways and wrote nothing."""


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
class Usage:
    """What an answer took. Times are in seconds; zero where an engine does not know."""

    prompt_tokens: int = 0
    cached_tokens: int = 0  # of the prompt, kept from the request before
    output_tokens: int = 0
    drafted: int = 0  # tokens that were proposed to the model
    accepted: int = 0  # ... and that it would have written as well
    steps: int = 0  # evaluations of the model after the prompt
    load_seconds: float = 0.0
    prefill_seconds: float = 0.0
    decode_seconds: float = 0.0
    seconds: float = 0.0  # the whole request, its first token included, loading not


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model wrote: all of it, tags included, up to where it stopped."""

    text: str
    finish: Finish
    usage: Usage = field(default_factory=Usage)


Stage = Literal["loading", "reading", "writing"]
MODEL_SECONDS = 120.0
"""What a model may take for one answer, loading and reading included."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an answer is: characters and tokens written, and characters that are expected in all."""

    written: int
    tokens: int
    expected: int
    stage: Stage = "writing"


@dataclass(frozen=True, slots=True)
class Score:
    """How likely a model finds one of several answers, where they differ; a sum of natural logarithms."""

    log_likelihood: float
    tokens: int  # that it is the sum of


@dataclass(frozen=True, slots=True)
class Thresholds:
    """How sure a model has to be of a merge, measured on edits that it was not trained on.

    `write` is the least log-likelihood of a whole answer that it wrote, `choose` how much likelier the best
    of the ways must be than the next, and `agree` the same where what it writes is that way as well; None
    where nothing that it does in this way is sure enough.
    """

    write: float | None
    choose: float | None
    agree: float | None = None

    @property
    def chooses(self) -> bool:
        """Whether it is worth asking which way is likeliest."""
        return self.choose is not None or self.agree is not None

    def takes(self, margin: float) -> bool:
        """Whether a choice with such a margin is sure enough by itself."""
        return self.choose is not None and margin >= self.choose

    def may_agree(self, margin: float) -> bool:
        """Whether a choice with such a margin is sure enough where the model writes the same."""
        return self.agree is not None and margin >= self.agree


class ApplyModel(Protocol):
    """A model that merges: given a prompt, it writes the merged text.

    Raises `ModelTrouble` where it cannot run, `Refused` (``too_long``) where prompt and answer do not
    fit its context.
    """

    @property
    def name(self) -> str:
        """The name for people and for ``--json``."""
        ...

    @property
    def style(self) -> StyleName:
        """The prompt that it was trained on."""
        ...

    @property
    def context_length(self) -> int:
        """Tokens that prompt and answer may have together; 0 where that is not known."""
        ...

    def complete(self, task: Task) -> Completion:
        """Write the answer to a prompt."""
        ...


class ChoosingModel(ApplyModel, Protocol):
    """An apply model that can also say how likely it finds given answers, which takes no decoding.

    Raises what `ApplyModel` does.
    """

    def score(self, prompt: Prompt, texts: Sequence[str]) -> tuple[Score, ...]:
        """Score each of some whole answers to a prompt (tags included), in their order.

        What they have in common does not count: only the tokens from where the first two part up to a few
        behind where all are alike again. The sums may be compared with each other, and with nothing else.
        """
        ...


class SureModel(ChoosingModel, Protocol):
    """An apply model of which is known how sure it has to be."""

    @property
    def thresholds(self) -> Thresholds:
        """From where on its merges are taken."""
        ...


def with_thresholds(model: ApplyModel) -> SureModel | None:
    """The model, if anything is known of how sure it has to be; the verifier alone judges others."""
    thresholds = getattr(model, "thresholds", None)
    return cast("SureModel", model) if isinstance(thresholds, Thresholds) else None
