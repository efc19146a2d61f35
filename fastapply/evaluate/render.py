"""Writing a lazy edit down: shown lines, and markers for the rest, the way coding models do.

What varies: the wording and the comment of markers, their indentation, blank lines beside them, a
first or last marker forgotten, comments in context shortened, notes where something was removed,
the whole snippet moved to the left, tabs shown as spaces.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from fastapply.evaluate.decidable import runs_of

if TYPE_CHECKING:
    from random import Random

    from fastapply.evaluate.decidable import View
    from fastapply.evaluate.languages import Language

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
class Manner:
    """How an edit is written down, once its lines are chosen."""

    forgot_first: bool = False
    forgot_last: bool = False
    dedent: bool = False
    tab_width: int = 0  # leading tabs are shown as so many spaces; 0 leaves them
    bare_dots: bool = False
    notes: bool = False  # a comment where a definition was removed
    shorten: bool = False  # a comment in context loses its end


@dataclass(frozen=True, slots=True)
class Written:
    """An edit's lines; `literal` is the after if shortened comments are taken as they stand."""

    lines: tuple[str, ...]
    literal: tuple[str, ...] | None = None


@dataclass(slots=True)
class _Draft:
    lines: list[str] = field(default_factory=list)
    sources: list[int | None] = field(default_factory=list)  # the after line that each one is

    def add(self, line: str, source: int | None = None) -> None:
        self.lines.append(line)
        self.sources.append(source)


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
    draft = _Draft()
    house = "..." if manner.bare_dots else rng.choice(_WORDINGS)
    comment = ("", "") if manner.bare_dots else _comment(language, rng)
    noted = False
    end = 0
    for run in runs:
        if run.start > end and not (end == 0 and manner.forgot_first):
            _add_gap(draft, view, shown, end, run.start, language, house, comment, rng)
        for line in range(run.start, run.end):
            if manner.notes:
                noted |= _add_note(draft, view, line, comment)
            draft.add(after[line].rstrip(), line)
        end = run.end
    if end < len(after) and not manner.forgot_last:
        _add_gap(draft, view, shown, end, len(after), language, house, comment, rng)
    if manner.notes and not noted:
        return None
    literal = _shorten(draft, view, language, rng) if manner.shorten else None
    if manner.shorten and literal is None:
        return None
    lines = _move(draft, manner)
    return None if lines is None else Written(tuple(_trim(lines)), literal)


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


def _add_gap(
    draft: _Draft,
    view: View,
    shown: frozenset[int],
    first: int,
    end: int,
    language: Language,
    house: str,
    comment: tuple[str, str],
    rng: Random,
) -> None:
    after, old = view.change.after, view.change.old_of
    hidden = [i for i in range(first, end) if after[i].strip()]
    if not hidden:
        return
    lead = _marker_indent(view, shown, hidden[0], end, language, rng)
    opening, closing = comment
    beside = after[end] if end < len(after) else ""
    if language.name in {"javascript", "tsx"} and (
        after[hidden[0]].lstrip().startswith("<") or beside.lstrip().startswith("</")
    ):
        opening, closing = "{/* ", " */}"
    words = _wording(view, hidden, first, end, house, rng) if opening else house
    if draft.lines:
        blank = sum(1 for _ in takewhile(lambda line: not line.strip(), after[first:end]))
        for _ in range(_blank_lines(blank, rng, exact=old[first - 1] is None)):
            draft.add("")
    draft.add(f"{lead}{opening}{words}{closing}")
    if end < len(after):
        blank = sum(1 for _ in takewhile(lambda line: not line.strip(), reversed(after[first:end])))
        for _ in range(_blank_lines(blank, rng, exact=old[end] is None)):
            draft.add("")


def _blank_lines(blank: int, rng: Random, *, exact: bool) -> int:
    """How many blank lines stand beside a marker where the file has `blank`: as many, or as it comes."""
    if exact:
        return blank
    return int(rng.random() < (0.7 if blank else 0.08))


def _wording(view: View, hidden: list[int], first: int, end: int, house: str, rng: Random) -> str:
    after = view.change.after
    if rng.random() < 0.75:
        return house
    if all(_IMPORT.match(after[i]) for i in hidden):
        return rng.choice(_IMPORTS)
    if end == len(after):
        return rng.choice(_LAST)
    inner = view.new.enclosing(hidden[0], hidden[-1])
    if inner and inner[-1].defines and inner[-1].start < first:
        several = any(b.defines and b.start in hidden for b in view.new.blocks)
        return rng.choice(_METHODS if several else _INSIDE)
    return house


def _marker_indent(
    view: View, shown: frozenset[int], hidden: int, end: int, language: Language, rng: Random
) -> str:
    after = view.change.after
    own = after[hidden][: len(after[hidden]) - len(after[hidden].lstrip())]
    half_shown = any(b.start in shown and b.end not in shown for b in view.new.blocks)
    if language.offside and half_shown:
        return own
    pick = rng.random()
    if pick < 0.7 or (half_shown and pick < 0.9):
        return own
    if pick < 0.8 and end < len(after):
        return after[end][: len(after[end]) - len(after[end].lstrip())]
    return ""


def _add_note(draft: _Draft, view: View, line: int, comment: tuple[str, str]) -> bool:
    for r in view.change.replaced:
        if r.a0 != r.a1 or r.a0 != line or not comment[0]:
            continue
        gone = [b for b in view.old.blocks if b.defines and b.name and r.b0 <= b.start and b.end < r.b1]
        tops = [
            b for b in gone if not any(o is not b and o.start <= b.start and b.end <= o.end for o in gone)
        ]
        if not tops:
            continue
        header = view.change.before[tops[0].start]
        lead = header[: len(header) - len(header.lstrip())]
        names = " and ".join(b.name for b in tops)
        words = (f"(removed {names})", f"{names} removed", f"removed: {names}", f"Removed {names}")[r.b0 % 4]
        if draft.lines and draft.lines[-1].strip() and not view.change.after[line].strip():
            draft.add("")
        draft.add(f"{lead}{comment[0]}{words}{comment[1]}")
        if view.change.after[line].strip():
            draft.add("")
        return True
    return False


def _shorten(draft: _Draft, view: View, language: Language, rng: Random) -> tuple[str, ...] | None:
    """Cut the end off one comment in context; returns the after with the comment cut as well."""
    opening = next((o.strip() for o, c in language.comments if not c), "")
    fits = []
    for at, source in enumerate(draft.sources):
        if source is None or view.change.old_of[source] is None or not opening:
            continue
        if any(first <= source <= last for first, last in view.new.tokens):
            continue  # inside a string it is no comment
        text = draft.lines[at].strip()
        inner = (
            0 < at < len(draft.lines) - 1
            and draft.sources[at - 1] == source - 1
            and draft.sources[at + 1] == source + 1
        )
        if inner and text.startswith(opening + " ") and len(text.split()) >= 6 and text.count("`") == 0:
            fits.append(at)
    if not fits:
        return None
    at = rng.choice(fits)
    words = draft.lines[at].rstrip().rsplit(" ", rng.randint(1, 2))[0].rstrip(",:;-")
    draft.lines[at] = words
    literal = list(view.change.after)
    literal[draft.sources[at] or 0] = words
    return tuple(literal)


def _move(draft: _Draft, manner: Manner) -> list[str] | None:
    lines = draft.lines
    solid = [line for line in lines if line.strip()]
    if manner.dedent:
        shown = [
            line
            for line, source in zip(lines, draft.sources, strict=True)
            if source is not None and line.strip()
        ]
        lead = min((line[: len(line) - len(line.lstrip())] for line in shown), key=len)
        if not lead or not all(line.startswith(lead) for line in shown):
            return None
        lines = [line.removeprefix(lead) if line.startswith(lead) else line.lstrip() for line in lines]
    if manner.tab_width:
        leads = [line[: len(line) - len(line.lstrip())] for line in solid]
        if not any(leads) or any(set(lead) - {"\t"} for lead in leads):
            return None
        lines = [" " * manner.tab_width * (len(x) - len(x.lstrip())) + x.lstrip() for x in lines]
    return lines


def _trim(lines: list[str]) -> list[str]:
    start, end = 0, len(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return lines[start:end]


def without_markers(manner: Manner) -> Manner:
    """The same manner with both outer markers forgotten."""
    return replace(manner, forgot_first=True, forgot_last=True)
