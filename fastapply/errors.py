"""The failures that end a run: one small tree, each with a message, a hint and an exit status.

Outcomes that only choose the next step are values (see `types.Question`, `types.Finding`);
only `cli` turns one of these into an exit status.
"""

from __future__ import annotations

from math import ceil, floor
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from fastapply.types import Candidate, Finding, ModelRun, Question


class FastapplyError(Exception):
    """Base of all errors that fastapply raises on purpose.

    `reason` is a stable code for programs; `hint` says what the caller can do about it.
    """

    exit_status: ClassVar[int] = 70
    reason: str = "internal"

    def __init__(self, message: str, *, reason: str | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if reason is not None:
            self.reason = reason


class Refused(FastapplyError):
    """The edit is not put in, because that could not be done with certainty."""

    exit_status = 1
    reason = "refused"

    def __init__(
        self,
        message: str,
        *,
        reason: str | None = None,
        hint: str = "",
        questions: tuple[Question, ...] = (),
        findings: tuple[Finding, ...] = (),
        model: ModelRun | None = None,
        certainty: float | None = None,
        needed: float | None = None,
    ) -> None:
        super().__init__(message, reason=reason, hint=hint)
        self.questions = questions
        self.findings = findings
        self.model = model  # what a model did that was asked
        self.certainty = certainty  # of a lazy edit: how likely its first candidate is right, 0 to 1
        self.needed = needed  # the certainty from which on it would have been written
        self.taken: tuple[str, ...] = ()  # picks that answered other parts of the edit: they are sent again

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """All places that the open questions name, in their order."""
        return tuple(candidate for question in self.questions for candidate in question.candidates)

    @property
    def decision(self) -> str | None:
        """The id of the question that is to be answered; None where it has none."""
        return next((question.id for question in self.questions if question.id), None)

    @property
    def limit(self) -> str:
        """How certain the edit is and would have to be; "" where that is not why it is refused.

        ``"96.9 % certain, 97 % needed"``: never rounded to where the two look alike.
        """
        if self.certainty is None or self.needed is None or self.certainty >= self.needed:
            return ""
        needed = ceil(round(self.needed * 1000, 6))
        certain = min(floor(round(self.certainty * 1000, 6)), needed - 1)
        return f"{certain / 10:.1f} % certain, {needed / 10:g} % needed"


class EditError(Refused):
    """The edit itself is unusable: empty, cut off, prose without code, malformed."""

    reason = "bad_edit"


class UsageError(FastapplyError):
    """A usage error: options or arguments that cannot be used like this."""

    exit_status = 2
    reason = "usage"


class FileTrouble(FastapplyError):
    """A file is missing, unreadable, binary, changed meanwhile, or can't hold the result."""

    exit_status = 4
    reason = "file"


class ModelTrouble(FastapplyError):
    """The model path is needed and does not work."""

    exit_status = 5
    reason = "model"
