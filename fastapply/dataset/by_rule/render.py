"""Writing a lazy edit down: shown lines, and markers for the rest, the way coding models do.

What varies here: the wording and the comment of markers, their indentation, blank lines beside
them, a first or last marker forgotten; `alter` has the rest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from fastapply.dataset.by_rule.alter import Draft, Manner, add_note, move, shorten, trim
from fastapply.dataset.by_rule.lookup import runs_of
from fastapply.dataset.by_rule.seeming import outer_lead

if TYPE_CHECKING:
    from random import Random

    from fastapply.dataset.by_rule.languages import Language
    from fastapply.dataset.by_rule.lookup import View

_WORDINGS = (
    *("... existing code ...",) * 10,
    *("...",) * 4,
    *("... rest of the code ...",) * 2,
    *("... unchanged ...",) * 2,
    "... (unchanged) ...",
    "... existing code remains unchanged ...",
    "... rest of code remains the same ...",
    "... keep existing code ...",
    "... other code ...",
    "... existing code",
    "[... existing code ...]",
    "... (rest of the code) ...",
    "…",
    "… existing code …",
    "(rest unchanged)",
    "...existing code...",
)
_LAST = (
    "... rest of file ...",
    "... rest of the file unchanged ...",
    "... rest of the file",
    "rest of file unchanged",
)
_METHODS = (
    "... other methods ...",
    "... existing methods ...",
    "... rest of the class ...",
    "... other members ...",
)
_INSIDE = ("... rest of the function ...", "... existing logic ...", "... rest unchanged ...")
_IMPORTS = ("... existing imports ...", "... other imports ...", "(keep the imports)")
_IMPORT = re.compile(r"\s*(?:(?:import|from|use|using|require|#include|const .* = require)\b|\")")
_MARKER_LIKE = re.compile(
    r"\s*(?:#|//|/\*|--|<!--|\{/\*|\*|;|%)?\s*(?:[\[(<]?\s*(?:\.\.\.|…)|.*(?:\.\.\.|…)\s*(?:\*/|-->)?$)"
)
_BRACKETS = re.compile(r"[()\[\]{}]")


@dataclass(frozen=True, slots=True)
class Written:
    """An edit's lines; `literal` is the after if shortened comments are taken as they stand."""

    lines: tuple[str, ...]
    literal: tuple[str, ...] | None = None


def looks_like_marker(line: str) -> bool:
    """Whether a shown line of the file could be taken for a marker; such edits are not written."""
    return bool(_MARKER_LIKE.match(line)) or bool(re.search(r"unchanged|\b(?:rest of|existing) ", line))


def render_lazy(
    view: View, shown: frozenset[int], language: Language, manner: Manner, rng: Random
) -> Written | None:
    """Write a lazy edit; None where this manner does not fit the change."""
    after = view.change.after
    if any(looks_like_marker(after[i]) for i in shown):
        return None
    runs = runs_of(shown)
    if manner.forgot_last and (not _may_stop(view, shown, runs[-1].end) or runs[-1].end == len(after)):
        return None
    if manner.forgot_first and runs[0].start == 0:
        return None
    draft = Draft()
    house = "..." if manner.bare_dots else rng.choice(_WORDINGS)
    comment = ("", "") if manner.bare_dots else _comment(language, rng)
    hand = _Hand(view, shown, language, house, comment, rng)
    noted = False
    end = 0
    for run in runs:
        if run.start > end and not (end == 0 and manner.forgot_first):
            hand.add_gap(draft, end, run.start)
        for line in range(run.start, run.end):
            if manner.notes:
                noted |= add_note(draft, view, line, comment)
            draft.add(after[line].rstrip(), line)
        end = run.end
    if end < len(after) and not manner.forgot_last:
        hand.add_gap(draft, end, len(after))
    if manner.notes and not noted:
        return None
    literal = shorten(draft, view, language, rng) if manner.shorten else None
    if manner.shorten and literal is None:
        return None
    lines = move(draft, manner)
    return None if lines is None else Written(tuple(trim(lines)), literal)


def _comment(language: Language, rng: Random) -> tuple[str, str]:
    if len(language.comments) > 1 and rng.random() < 0.2:
        return language.comments[1]
    usual = language.comments[0]
    return (usual[0].rstrip(), usual[1]) if not usual[1] and rng.random() < 0.05 else usual


def _may_stop(view: View, shown: frozenset[int], end: int) -> bool:
    """Whether an edit that stops here, without a marker, leaves no block half shown."""
    start = max(run.start for run in runs_of(shown) if run.end == end)
    for block in view.new.blocks:
        if start <= block.start < end and block.end not in shown:
            return False
    depth = 0
    for line in range(start, end):
        for bracket in _BRACKETS.findall(view.change.after[line]):
            depth += 1 if bracket in "([{" else -1
            depth = max(depth, 0)
    return depth == 0


def _blank_lines(blank: int, rng: Random, *, exact: bool) -> int:
    """How many blank lines stand beside a marker where the file has `blank`: as many, or as it comes."""
    if exact:
        return blank
    return int(rng.random() < (0.7 if blank else 0.08))


def _lead(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


@dataclass(frozen=True, slots=True)
class _Hand:
    """One writer of markers: its usual wording and comment."""

    view: View
    shown: frozenset[int]
    language: Language
    house: str
    comment: tuple[str, str]
    rng: Random

    def add_gap(self, draft: Draft, first: int, end: int) -> None:
        """Write a marker for the hidden lines `[first, end)`, with blank lines as it comes."""
        after, old = self.view.change.after, self.view.change.old_of
        hidden = [i for i in range(first, end) if after[i].strip()]
        if not hidden:
            return
        lead = outer_lead(self.view, self.shown, first, end, self._indent(hidden[0], end))
        opening, closing = self.comment
        beside = after[end] if end < len(after) else ""
        in_markup = after[hidden[0]].lstrip().startswith("<") or beside.lstrip().startswith("</")
        if self.language.name in {"javascript", "tsx"} and in_markup and opening:
            opening, closing = "{/* ", " */}"
        words = self._wording(hidden, first, end) if opening else self.house
        if draft.lines:
            blank = sum(1 for _ in takewhile(lambda line: not line.strip(), after[first:end]))
            for _ in range(_blank_lines(blank, self.rng, exact=old[first - 1] is None)):
                draft.add("")
        draft.add(f"{lead}{opening}{words}{closing}")
        if end < len(after):
            blank = sum(1 for _ in takewhile(lambda line: not line.strip(), reversed(after[first:end])))
            for _ in range(_blank_lines(blank, self.rng, exact=old[end] is None)):
                draft.add("")

    def _wording(self, hidden: list[int], first: int, end: int) -> str:
        after, new = self.view.change.after, self.view.new
        if self.rng.random() < 0.75:
            return self.house
        if all(_IMPORT.match(after[i]) for i in hidden):
            return self.rng.choice(_IMPORTS)
        if end == len(after):
            return self.rng.choice(_LAST)
        inner = new.enclosing(hidden[0], hidden[-1])
        if inner and inner[-1].defines and inner[-1].start < first:
            several = any(b.defines and b.start in hidden for b in new.blocks)
            return self.rng.choice(_METHODS if several else _INSIDE)
        return self.house

    def _indent(self, hidden: int, end: int) -> str:
        after = self.view.change.after
        own = _lead(after[hidden])
        half_shown = any(b.start in self.shown and b.end not in self.shown for b in self.view.new.blocks)
        if self.language.offside and half_shown:
            return own
        pick = self.rng.random()
        if pick < 0.7 or (half_shown and pick < 0.9):
            return own
        return _lead(after[end]) if pick < 0.8 and end < len(after) else ""
