"""What models do to the lines of a lazy edit, besides leaving most of them out.

Notes where something was removed, comments in context that lose their end, the whole snippet
moved to the left, tabs shown as spaces.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from fastapply.dataset.by_rule.languages import Language
    from fastapply.dataset.by_rule.lookup import View


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


def without_markers(manner: Manner) -> Manner:
    """The same manner with both outer markers forgotten."""
    return replace(manner, forgot_first=True, forgot_last=True)


@dataclass(slots=True)
class Draft:
    """Lines as they are written, and beside each the after line that it is."""

    lines: list[str] = field(default_factory=list)
    sources: list[int | None] = field(default_factory=list)  # the after line that each one is

    def add(self, line: str, source: int | None = None) -> None:
        """Append a line; without a source it is a marker, a note or a blank line of the writer."""
        self.lines.append(line)
        self.sources.append(source)


def add_note(draft: Draft, view: View, line: int, comment: tuple[str, str]) -> bool:
    """Write a comment before `line` if a definition went there; false if none did."""
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


def shorten(draft: Draft, view: View, language: Language, rng: Random) -> tuple[str, ...] | None:
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


def move(draft: Draft, manner: Manner) -> list[str] | None:
    """The lines dedented or with their tabs shown as spaces; None where that cannot be done."""
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


def trim(lines: list[str]) -> list[str]:
    """Lines without the blank ones at both ends."""
    start, end = 0, len(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return lines[start:end]
