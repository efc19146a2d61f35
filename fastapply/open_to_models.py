"""Whether an apply model could answer what is open about an edit; known without loading anything of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapply.types import Proposal

NOT_FOR_A_MODEL = frozenset(
    {"truncated", "empty", "empty_search", "size_drop", "whole_or_part", "partly_applied", "overlap"}
)
"""Questions about the edit itself: a model could only guess what was meant."""


def may_answer(proposal: Proposal) -> bool:
    """Whether a model can answer what is open: more than a guess about an edit that fits nowhere."""
    return not any(
        question.reason in NOT_FOR_A_MODEL or (question.reason == "not_found" and question.nearest is None)
        for question in proposal.questions
    )
