"""A model that says what a test tells it to: the one double, for models that misbehave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapply.models.engine import Completion, Score, Scored
from fastapply.types import Usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.models.engine import Task, Trust
    from fastapply.models.prompts import Prompt, StyleName
    from fastapply.types import Finish


class ScriptedModel:
    """Gives the answers that were put in its queue; `history` has the tasks that it was asked."""

    def __init__(self, style: StyleName = "kortix", *, context_length: int = 8192) -> None:
        self.name = "scripted"
        self.style = style
        self.context_length = context_length
        self.history: list[Task] = []
        self._answers: list[Completion] = []

    def enqueue(self, text: str, finish: Finish = "end_tag") -> None:
        """Add an answer, as the model would write it: with its tags, and whatever else."""
        usage = Usage(prompt_tokens=100, output_tokens=len(text) // 4, steps=3, decode_seconds=0.5, seconds=1)
        self._answers.append(Completion(text, finish, usage))

    def complete(self, task: Task) -> Completion:
        """The next answer of the queue."""
        self.history.append(task)
        return self._answers.pop(0)


class TrustedModel(ScriptedModel):
    """A scripted model of which is known when it is right; `likely` has its scores, call by call."""

    def __init__(self, trust: Trust, *likely: tuple[float, ...], style: StyleName = "kortix") -> None:
        super().__init__(style)
        self.trust = trust
        self.asked: list[tuple[str, ...]] = []
        self.prompts: list[Prompt] = []
        self._likely = list(likely)

    def score(
        self,
        prompt: Prompt,
        texts: Sequence[str],
        leads: Sequence[float],  # noqa: ARG002
    ) -> Scored:
        """The next scores of the script, for each text its likelihood and as much as that behind."""
        self.prompts.append(prompt)
        self.asked.append(tuple(texts))
        likely = self._likely.pop(0)
        return Scored(tuple(Score(value, 1, -value) for value in likely[: len(texts)]))
