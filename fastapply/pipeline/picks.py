"""A caller's answers: numbers of candidates, perhaps with the id of the question each is for, and lines.

    2, "2", "4f0c2a91:2"; several in one text: "1, 2" ─▶ Pick ─▶ Answers ─ not all needed ─▶ `notes_on`

A pick with an id counts for that question alone: one for another question is refused, and so is one that
nothing was open for. A pick without an id answers whatever is open first; what was not needed is said.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, get_args

from fastapply.errors import Refused, UsageError
from fastapply.types import LineRange, Pick, Side, Spare, Where
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.types import Question

_LINES = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_PICK = re.compile(r"(?:([0-9a-fA-F]{8}):)?(\d{1,4})")


def read_picks(given: int | str | Iterable[int | str | Pick]) -> tuple[Pick, ...]:
    """Read a pick, a text of several with commas between them, or a list. Raises `UsageError`."""
    if isinstance(given, str):
        return tuple(_read(one.strip()) for one in given.split(",")) if given.strip() else ()
    return (_read(given),) if isinstance(given, int) else tuple(_read(one) for one in given)


def _read(given: int | str | Pick) -> Pick:
    if isinstance(given, Pick):
        return given
    if isinstance(given, int) and not isinstance(given, bool):
        return Pick(given)
    match = _PICK.fullmatch(given.strip()) if isinstance(given, str) else None
    if match is None:
        raise UsageError(
            f"pick {given!r} is not a number",
            hint="write 1, or ID:1 with the id of the question; 1, 2 for two open parts",
        )
    return Pick(int(match[2]), (match[1] or "").lower())


def read_lines(given: str, name: str) -> LineRange:
    """Read ``41`` or ``41-47``; `name` is what the caller calls that. Raises `UsageError`."""
    match = _LINES.fullmatch(given)
    first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    if not 1 <= first <= last:
        raise UsageError(f"{name} {given} is not a line range", hint=f"use {name} 41 or {name} 41-47")
    return LineRange(first, last)


def read_where(text: str) -> Where:
    """Read ``"after Store.get"``. Raises `UsageError` where the first word is no side, or no name follows."""
    side, _, name = text.strip().partition(" ")
    for known in get_args(Side):
        if side == known and name.strip():
            return Where(known, name.strip())
    raise UsageError(
        f"where {text!r} names no place",
        hint='write "in NAME", "after NAME", "before NAME" or "replace NAME"',
    )


@dataclass(slots=True)
class Answers:
    """What a caller answered, from which each question takes its own."""

    picks: list[Pick]
    at: LineRange | None
    picked: bool = False
    at_used: bool = False
    taken: tuple[str, ...] = ()  # as the caller gave them, in the order of the questions

    def take(self, question: Question) -> Pick | None:
        """Take the pick for a question: the one with its id, else the first one without any."""
        own = next((one for one in self.picks if one.id and one.id == question.id), None)
        own = own or next((one for one in self.picks if not one.id), None)
        if own is not None:
            self.picks.remove(own)
            self.picked = True
            self.taken += (str(own),)
        return own

    @property
    def spare(self) -> Spare:
        """What no question took."""
        return Spare(tuple(self.picks), None if self.at_used else self.at, self.picked)


def notes_on(spares: Sequence[Spare]) -> tuple[str, ...]:
    """What to tell of answers that none of the files of an edit needed.

    Raises `Refused` (``changed_meanwhile``) for a pick that names a question: it is not open any more.
    """
    if not spares:
        return ()
    left = Counter(spares[0].picks)
    for spare in spares[1:]:
        left &= Counter(spare.picks)
    named = next((one for one in left if one.id), None)
    if named is not None:
        raise Refused(
            f"the question has changed since it had the id {named.id}: nothing is open now",
            reason="changed_meanwhile",
            hint="send the edit without the pick, or see whether it is in the file already",
        )
    picked = any(spare.picked for spare in spares)
    why = "nothing else was open" if picked else "the edit is clear without it"
    notes = [f"pick {one} was not needed: {why}" for one in left.elements()]
    if all(spare.at is not None for spare in spares):
        at = spares[0].at
        named_lines = "" if at is None else f"{at.first}" if at.first == at.last else f"{at.first}-{at.last}"
        notes.append(
            f"at {named_lines} was " + ("ignored: the pick decided" if picked else f"not needed: {why}")
        )
    return tuple(notes)
