"""An edit as a piece of the file's own tree: what it shows of a thing by name takes that thing's place.

A class that is shown with some of its members keeps the others; a member that is not there comes behind the
one that is shown before it. A thing that is said to be replaced goes for the one that is shown.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.merge.indentation import indent_of
from fastapply.merge.lines import columns
from fastapply.merge.plain.draft import Change, Draft
from fastapply.merge.plain.place import Block
from fastapply.merge.plain.spoken import look_up, phrases_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from fastapply.merge.plain.outline import Outline
    from fastapply.merge.plain.place import Placer
    from fastapply.merge.plain.spoken import Phrase

_HOLDS = frozenset({"holder", "section", "key", "value"})
"""Kinds whose inner units may be shown in part; so may elements, and sections of Markdown."""
_SURE = 0.95
"""From which fit on a phrase names a unit for sure."""


class Grafter:
    """Puts an edit's units in place of those of the same name, for one edit and one file."""

    def __init__(
        self, edit: Outline, placer: Placer, markers: Collection[int], phrases: Sequence[Phrase]
    ) -> None:
        self.edit, self.file, self.placer = edit, placer.file, placer
        self.markers, self.phrases = markers, phrases

    def drafts(self, units: Sequence[int]) -> list[Draft]:
        """The edit grafted by names, by what is said to be replaced, and as the body of what is named."""
        found = [self._by_names(units), self._as_replacement(units), *self._as_bodies(units)]
        return [one for one in found if one is not None]

    # --- by names ---------------------------------------------------------------------------------

    def _by_names(self, units: Sequence[int]) -> Draft | None:
        facts: dict[str, float] = {"graft": 1.0}
        changes = self._graft(units, -1, facts)
        if not changes:
            return None
        changes.sort(key=lambda one: (one.start, one.end))
        if any(a.end > b.start for a, b in pairwise(changes)):
            return None
        return Draft(tuple(changes), facts)

    def _graft(self, units: Sequence[int], container: int, facts: dict[str, float]) -> list[Change] | None:
        edit, file = self.edit, self.file
        changes: list[Change] = []
        fresh: list[int] = []
        last: int | None = None  # unit of the file that the one before is
        last_in = container
        taken: set[int] = set()
        for number in units:
            if edit.kind(number) == "comment":
                if number == units[-1]:
                    return None
                continue
            match = self._match(number, container, taken, facts)
            if match is None:
                fresh.append(number)
                continue
            taken.add(match)
            home = file.units[match].parent
            if fresh:
                place = file.children(home).index(last) + 1 if last is not None and last_in == home else None
                at = place if place is not None else file.children(home).index(match)
                if any(map(self._marked, fresh)):
                    return None
                changes.append(self._insert(fresh, home, at, facts))
                fresh = []
            inner = self._take(number, match, facts)
            if inner is None:
                return None
            changes += inner
            last, last_in = match, home
        if fresh:
            if any(map(self._marked, fresh)):
                return None
            if last is not None:
                at = file.children(last_in).index(last) + 1
            elif container >= 0:
                last_in, at = container, len(file.children(container))
            else:
                return None
            facts["graft.at_end"] = float(last is None)
            changes.append(self._insert(fresh, last_in, at, facts))
        return changes

    def _match(
        self, number: int, container: int, taken: Collection[int], facts: dict[str, float]
    ) -> int | None:
        """The unit of the file that has an edit unit's name, in a container, or alone in the whole file."""
        edit, file = self.edit, self.file
        name, kind = edit.name(number), edit.kind(number)
        if name is None or kind.startswith("call:return"):
            return None
        head = edit.table.keys[edit.units[number].head]
        inner = [n for n in file.children(container) if n not in taken and file.name(n) == name]
        same = [n for n in inner if file.table.keys[file.units[n].head] == head] or [
            n for n in inner if file.kind(n) == kind
        ]
        found = same or inner
        if not found and container < 0:
            found = [n for n in range(len(file.units)) if file.name(n) == name and file.kind(n) == kind]
            if len(found) > 1:
                return None
            facts["graft.deep"] = 1.0 if found else facts.get("graft.deep", 0.0)
        if len(found) > 1:
            facts["graft.twins"] = 1.0
        return found[0] if found else None

    def _take(self, number: int, match: int, facts: dict[str, float]) -> list[Change] | None:
        """Changes that make a unit of the file what the edit shows of it."""
        edit, file = self.edit, self.file
        one, other = edit.units[number], file.units[match]
        marked = any(n in self.markers for n in range(one.start, one.end))
        kind = edit.kind(number)
        holds = kind in _HOLDS or kind.startswith(("tag:", "#"))
        if holds and edit.children(number) and file.children(match):
            named = [n for n in edit.children(number) if edit.name(n) is not None]
            if marked or (named and self._knows(named, match)):
                facts["graft.holders"] = facts.get("graft.holders", 0.0) + 1
                changes = self._graft(edit.children(number), match, facts)
                if changes is None:
                    return None
                heads = self._replace(one.head, one.head + 1, other.head, other.head + 1, other.head)
                same = edit.table.keys[one.head] == file.table.keys[other.head]
                return changes if same else [heads, *changes]
        if marked:
            return None
        facts["graft.replaced"] = facts.get("graft.replaced", 0.0) + 1
        start = other.start if one.start < one.head else other.head
        return [self._replace(one.start, one.end, start, other.end, other.head)]

    def _knows(self, numbers: Sequence[int], match: int) -> bool:
        held = {self.file.name(n) for n in self.file.children(match)}
        return any(self.edit.name(n) in held for n in numbers) or self.file.kind(match) == "holder"

    def _replace(self, first: int, last: int, start: int, end: int, head: int) -> Change:
        """Edit lines ``[first, last)`` in place of file lines, as deep as line `head` of the file."""
        edit, file = self.edit, self.file
        full = [n for n in range(first, last) if edit.lines[n].strip()]
        base = min(columns(edit.lines[n]) for n in full)
        target = indent_of(file.lines[head])
        lines = [(n, self.placer.reindent.line(edit.lines[n], base, target)) for n in range(first, last)]
        while lines and not lines[-1][1]:
            lines.pop()
        if lines and end > start and file.language not in {"markdown", "rst"}:
            lines[-1] = (lines[-1][0], comma_as(lines[-1][1], file.lines[end - 1]))
        return Change(start, end, tuple(lines))

    def _insert(self, fresh: Sequence[int], container: int, at: int, facts: dict[str, float]) -> Change:
        facts["graft.new"] = facts.get("graft.new", 0.0) + len(fresh)
        edit, inner = self.edit, self.file.children(container)
        for phrase in phrases_of(self.phrases, "after", "before"):
            named = [
                n for fit, n in look_up(self.file, phrase.what, inner) if fit > _SURE and not phrase.marked
            ]
            if len(named) == 1:  # what is said goes before the order in which things are shown
                at = inner.index(named[0]) + (phrase.side == "after")
                facts["graft.said"] = 1.0
        block = Block(edit.units[fresh[0]].start, edit.units[fresh[-1]].end - 1, edit, tuple(fresh))
        change, fit = self.placer.put(block, container, at)
        facts |= fit
        return change

    # --- by words ---------------------------------------------------------------------------------

    def _as_replacement(self, units: Sequence[int]) -> Draft | None:
        """One unit in place of another that is said to be replaced or renamed."""
        edit, file = self.edit, self.file
        whole = [n for n in units if edit.kind(n) != "comment"]
        if len(whole) != 1 or self._marked(whole[0]):
            return None
        number = whole[0]
        for phrase in phrases_of(self.phrases, "replace"):
            for fit, match in look_up(file, phrase.what):
                if file.name(match) == edit.name(number) or file.kind(match) != edit.kind(number):
                    continue
                one, other = edit.units[number], file.units[match]
                start = other.start if one.start < one.head else other.head
                change = self._replace(one.start, one.end, start, other.end, other.head)
                return Draft((change,), {"graft.renamed": fit})
        return None

    def _as_bodies(self, units: Sequence[int]) -> list[Draft]:
        """All that is shown as the body of something that is named."""
        edit, file = self.edit, self.file
        found: list[Draft] = []
        if not units or any(self._marked(number) for number in units):
            return found
        first, last = edit.units[units[0]].start, edit.units[units[-1]].end
        for phrase in phrases_of(self.phrases, "body", "in", "replace"):
            for fit, match in look_up(file, phrase.what)[:1]:
                inner = file.children(match)
                if (
                    not inner
                    or file.kind(match) not in {"function", "key", "value"}
                    or "graft.body" in {name for one in found for name in one.facts}
                ):
                    continue
                start, end = file.body(match)
                if start >= end:
                    continue
                change = self._replace(first, last, start, end, file.units[inner[0]].head)
                spoken = float(phrase.side == "body")
                found.append(Draft((change,), {"graft.body": fit, "graft.body_said": spoken}))
        return found

    def _marked(self, number: int) -> bool:
        unit = self.edit.units[number]
        return any(n in self.markers for n in range(unit.start, unit.end))


def comma_as(line: str, other: str) -> str:
    """A line with a comma at its end where another one has it, and without where it has none."""
    new, old = line.rstrip(), other.rstrip()
    if old.endswith(",") and new and new[-1] not in ",;{([:":
        return new + ","
    if new.endswith(",") and old and old[-1] in "}])\"'0123456789el":
        return new[:-1]
    return line
