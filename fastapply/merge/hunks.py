"""Merge of hunks that say what stands in the file: SEARCH/REPLACE, diffs, V4A, string replacements.

Each hunk is looked for by tiers of strictness (see `locate`) and must have one place at the tier
where it is found, or the edit must tell which is meant (see `choose`). All hunks go in or none. A
unified diff whose counts are right and whose every hunk stands exactly at its stated line is
applied there, as ``git apply`` would.

The hunks are read against the file as it is. Blocks of the formats that other tools apply one
after the other may also build on each other: they are tried in sequence where they don't fit
together.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.merge.find_hunk import Found, find_hunk, stands_at
from fastapply.merge.locate import LineIndex
from fastapply.text import splice
from fastapply.types import METHOD_ORDER, HunkList, Proposal, Question, Splice
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.merge.rewrite import Placement
    from fastapply.text import SourceText
    from fastapply.types import Hunk, Method


@dataclass(frozen=True, slots=True)
class _Placed:
    hunk: Hunk
    place: Placement


def merge_hunks(source: SourceText, hunks: HunkList, *, instructions: str = "") -> Proposal:
    """Put all hunks into the file, or say what is open. Raises nothing."""
    if not hunks.hunks:
        return Proposal((), "exact", (Question("empty", "the edit has no hunks", "send what should change"),))
    together = _merge_together(source, hunks, instructions)
    if together.certain or hunks.format in ("udiff", "v4a") or len(hunks.hunks) == 1:
        return together
    return _merge_in_sequence(source, hunks, instructions) or together


def _merge_together(source: SourceText, hunks: HunkList, instructions: str) -> Proposal:
    """All hunks against the file as it is."""
    if hunks.format == "udiff" and (stated := _at_stated_lines(source, hunks.hunks)):
        return _assemble(source, stated, ())
    index = LineIndex(source.lines)
    found = [find_hunk(source, index, hunk, hunks.format) for hunk in hunks.hunks]
    narrowed = [state.places for state in found]
    if any(len(places) > 1 for places in narrowed):
        from fastapply.merge.choose import narrow

        narrowed = narrow(
            source.lines,
            hunks.hunks,
            narrowed,
            in_order=hunks.format != "str_replace",
            order_is_rule=hunks.format == "v4a",
            instructions=instructions,
        )
    placed = [
        _Placed(hunk, places[0])
        for hunk, places in zip(hunks.hunks, narrowed, strict=True)
        if len(places) == 1
    ]
    if len(placed) == len(hunks.hunks):
        return _assemble(source, placed, ())
    return _assemble(source, placed, _questions(index, hunks, found, narrowed, placed))


def _questions(
    index: LineIndex,
    hunks: HunkList,
    found: Sequence[Found],
    narrowed: Sequence[tuple[Placement, ...]],
    placed: Sequence[_Placed],
) -> tuple[Question, ...]:
    """What keeps the hunks from going in; nothing where all of them are done already."""
    from fastapply.merge import refusals

    questions: list[Question] = []
    done = [hunk for hunk, state in zip(hunks.hunks, found, strict=True) if state.done]
    settled = len(placed) + len(done) == len(hunks.hunks) - 1
    others = [change for one in placed for change in one.place.splices] if settled else None
    for hunk, state, places in zip(hunks.hunks, found, narrowed, strict=True):
        if state.trouble is not None:
            question = refusals.question_of(index, hunk, hunks.format, state.trouble)
        elif len(places) > 1:
            question = refusals.ambiguous(index, hunk, places)
        else:
            continue
        question = refusals.completed(question, others)
        first = done and not questions
        questions.append(refusals.partly_applied(done, hunk, question) if first else question)
    if done and not questions:
        working = [one.hunk for one in placed if one.place.splices]
        questions += [refusals.partly_applied(done, hunk) for hunk in working[:1]]
    return tuple(questions)


def _at_stated_lines(source: SourceText, hunks: Sequence[Hunk]) -> list[_Placed]:
    """All hunks of a diff at their stated lines; empty unless its counts and lines are all right.

    A diff that shows no line of the file proves nothing about its numbers.
    """
    placed = []
    for hunk in hunks:
        place = stands_at(source, hunk) if hunk.counts_right else None
        if place is None:
            return []
        placed.append(_Placed(hunk, place))
    in_order = all(one.place.end <= other.place.start for one, other in pairwise(placed))
    shows = any(hunk.segments[0].before for hunk in hunks)
    return placed if in_order and (shows or not source.lines) else []


def _assemble(source: SourceText, placed: Sequence[_Placed], questions: tuple[Question, ...]) -> Proposal:
    """One proposal of all places; asks where two of them change the same lines."""
    changes = sorted(
        ((change, one) for one in placed for change in one.place.splices),
        key=lambda item: (item[0].start, item[0].end, item[1].place.start, item[1].hunk.number),
    )
    for (one, by), (other, other_by) in pairwise(changes):
        same_place = one.start == one.end == other.start == other.end
        told = by.place.start < other_by.place.start or by.place.start == len(source.lines)
        if one.end > other.start or (same_place and by is not other_by and not told):
            from fastapply.merge import refusals

            first, second = sorted((by, other_by), key=lambda placed: placed.hunk.number)
            question = refusals.overlapping(second.hunk, first.hunk, second.place)
            return Proposal((), _least_strict(placed), (*questions, question))
    splices = tuple(change for change, _ in changes)
    final = _final_newline(source, placed)
    unchanged = not splices and not questions and final in (None, source.final_newline)
    return Proposal(splices, _least_strict(placed), questions, unchanged, final)


def _least_strict(placed: Iterable[_Placed]) -> Method:
    return max((one.place.method for one in placed), key=METHOD_ORDER.index, default="exact")


def _final_newline(source: SourceText, placed: Iterable[_Placed]) -> bool | None:
    """What a diff says about the end of the file, where one of its hunks reaches it."""
    for one in placed:
        if one.hunk.no_newline_after is not None and one.place.end == len(source.lines):
            return not one.hunk.no_newline_after
    return None


def _merge_in_sequence(source: SourceText, hunks: HunkList, instructions: str) -> Proposal | None:
    """Each hunk against what the earlier ones left; None where that does not work out either."""
    current = source
    origins: list[int | None] = list(range(len(source.lines)))
    methods: list[Method] = []
    seen = set[tuple[object, ...]]()
    for hunk in hunks.hunks:
        step = _merge_together(current, HunkList(hunks.format, (hunk,)), instructions)
        if not step.certain or (step.already_applied and hunk.segments not in seen):
            return None
        current = splice(current, step.splices)
        origins = _follow(origins, step.splices)
        methods.append(step.method)
        seen.add(hunk.segments)
    splices = _as_one(source, current, origins)
    return Proposal(splices, max(methods, key=METHOD_ORDER.index), already_applied=not splices)


def _follow(origins: Sequence[int | None], splices: Iterable[Splice]) -> list[int | None]:
    """The original line that each line still is, after changes; None for a new one."""
    followed: list[int | None] = []
    at = 0
    for change in splices:
        followed += [*origins[at : change.start], *([None] * len(change.lines))]
        at = change.end
    return [*followed, *origins[at:]]


def _as_one(source: SourceText, current: SourceText, origins: Sequence[int | None]) -> tuple[Splice, ...]:
    """The changes from the source to the current text, given the lines that were kept."""
    splices = []
    at = 0
    new: list[str] = []
    for line, origin in zip((*current.lines, ""), (*origins, len(source.lines)), strict=True):
        if origin is None:
            new.append(line)
            continue
        if new or origin > at:
            splices.append(Splice(at, origin, tuple(new)))
        at, new = origin + 1, []
    return tuple(splices)
