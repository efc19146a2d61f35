"""An edit as a piece of the file's own tree: what it shows of a thing by name takes that thing's place.

A class that is shown with some of its members keeps the others; a member that is not there comes behind the
one that is shown before it. A thing that is said to be replaced goes for the one that is shown.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.merge.entries import LISTED
from fastapply.merge.indentation import indent_of
from fastapply.merge.likeness import similarity
from fastapply.merge.lines import columns
from fastapply.merge.plain.draft import Change, Draft
from fastapply.merge.plain.gone import taken, told_gone
from fastapply.merge.plain.place import Block
from fastapply.merge.plain.spoken import look_up, phrases_of, speaks_of, speaks_of_file

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from fastapply.merge.plain.outline import Outline
    from fastapply.merge.plain.place import Placer
    from fastapply.merge.plain.rewrap import Rewrapper
    from fastapply.merge.plain.spoken import Phrase

_HOLDS = frozenset({"holder", "section", "key", "value", "rule"})
"""Kinds whose inner units may be shown in part; so may elements, and sections of Markdown."""
_FRAMES = frozenset({"{", "[", "exportdefault{", "module.exports={"})
"""Lines that open what a whole file is, and have no name."""
_CLEAR = 0.05
"""By how much a phrase has to fit one unit better than any other."""
_TELLING = 0.25
"""Weight from which on a line names what it begins."""
_LIKE, _AHEAD = 0.6, 0.15
"""How much a header is like the one that it replaces, and by how much more than like any other."""


_ANOTHER = re.compile(r"\b(?:overload\w*|another|second|further|clause|variant)\b", re.IGNORECASE)
"""Words for a function beside one of its name."""


class Grafter:
    """Puts an edit's units in place of those of the same name, for one edit and one file."""

    def __init__(
        self,
        edit: Outline,
        placer: Placer,
        rewrapper: Rewrapper,
        markers: Collection[int],
        phrases: Sequence[Phrase],
    ) -> None:
        self.edit, self.file, self.placer, self.rewrapper = edit, placer.file, placer, rewrapper
        self.markers, self.phrases = markers, phrases
        self._renamed: dict[int, int] = {}  # units of the edit that replace one of another name
        self._whole = False  # whether a thing that is shown without a marker is shown whole

    def drafts(self, units: Sequence[int], told: str) -> list[Draft]:
        """The edit grafted by names, as what replaces something, and as the body of what is named.

        `told` is what words and notes tell of what goes.
        """
        found: dict[tuple[Change, ...], Draft] = {}
        renamed, features = self._read_renamed(units)
        for names, whole in (({}, False), ({}, True), (renamed, False), (renamed, True)):
            if names is renamed and not renamed:
                break
            self._renamed, self._whole = names, whole
            draft = self._by_names(units)
            if draft is not None and draft.changes not in found:
                draft.features.update(features if names else {})
                found[draft.changes] = draft
        gone = told_gone(self.file, told)
        less = [also for draft in found.values() if (also := self._without(draft, gone)) is not None]
        return [*found.values(), *less, *self._as_bodies(units), *self._as_overload(units, told)]

    def _without(self, draft: Draft, gone: Sequence[int]) -> Draft | None:
        """A draft that also takes away what is told to go; None where it does, or where it shows that."""
        shown = {self.edit.name(n) for n in range(len(self.edit.units))}
        away = [taken(self.file, n) for n in gone if self.file.name(n) not in shown]
        changes = sorted((*draft.changes, *away), key=lambda one: (one.start, one.end))
        if not away or any(a.end > b.start for a, b in pairwise(changes)):
            return None
        return Draft(tuple(changes), draft.features | {"graft.gone": float(len(away))})

    def _as_overload(self, units: Sequence[int], told: str) -> list[Draft]:
        """A function beside the last one of its name, where words speak of another one."""
        edit, file = self.edit, self.file
        shown = [n for n in units if edit.kind(n) != "comment"]
        if len(shown) != 1 or edit.kind(shown[0]) != "function" or _ANOTHER.search(told) is None:
            return []
        number = shown[0]
        same = [n for n in range(len(file.units)) if file.name(n) == edit.name(number)]
        homes = {file.units[n].parent for n in same}
        if len(homes) != 1 or self._marked(number) or any(self._same_head(number, n) for n in same):
            return []
        home = homes.pop()
        block = Block(edit.units[number].start, edit.units[number].end - 1, edit, (number,))
        change, fitness = self.placer.put(block, home, file.children(home).index(same[-1]) + 1)
        return [Draft((change,), {"graft": 1.0, "graft.overload": 1.0} | fitness)]

    # --- by names ---------------------------------------------------------------------------------

    def _by_names(self, units: Sequence[int]) -> Draft | None:
        features: dict[str, float] = {"graft": 1.0}
        changes = self._graft(units, -1, features)
        if not changes:
            return None
        changes.sort(key=lambda one: (one.start, one.end))
        if any(a.end > b.start for a, b in pairwise(changes)):
            return None
        return Draft(tuple(changes), features)

    def _read_renamed(self, units: Sequence[int]) -> tuple[dict[int, int], dict[str, float]]:
        """Units whose name the file lacks, and which is said to be replaced or renamed of the same kind."""
        edit, file = self.edit, self.file
        held = {(file.kind(n), file.name(n)) for n in range(len(file.units))}
        fresh = [n for n in units if edit.name(n) is not None and (edit.kind(n), edit.name(n)) not in held]
        found: dict[int, int] = {}
        features: dict[str, float] = {}
        for phrase in phrases_of(self.phrases, "replace"):
            for fit, match in look_up(file, phrase.what):
                number = next((n for n in fresh if edit.kind(n) == file.kind(match)), None)
                if number is None or match in found.values():
                    continue
                found[number] = match
                features["graft.renamed"] = fit
                fresh.remove(number)
                break
        return found, features

    def _graft(self, units: Sequence[int], container: int, features: dict[str, float]) -> list[Change] | None:
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
            match = self._match(number, container, taken, features)
            if match is None:
                fresh.append(number)
                continue
            taken.add(match)
            home = file.units[match].parent
            if fresh:
                if any(map(self._marked, fresh)):
                    return None
                if last is not None and (last_in == home or self._is_parted(fresh[-1], number)):
                    changes += self._insert(fresh, last_in, file.children(last_in).index(last) + 1, features)
                else:
                    changes += self._insert(fresh, home, file.children(home).index(match), features)
                fresh = []
            inner = self._take(number, match, features)
            if inner is None:
                return None
            changes += inner
            last, last_in = match, home
        if fresh:
            if any(map(self._marked, fresh)):
                return None
            if last is not None:
                last, last_in = self._level(fresh[0], last, last_in)
                at = file.children(last_in).index(last) + 1
            elif container >= 0:
                last_in, at = container, len(file.children(container))
            else:
                return None
            features["graft.at_end"] = float(last is None)
            changes += self._insert(fresh, last_in, at, features)
        return changes

    def _is_parted(self, number: int, other: int) -> bool:
        """Whether a marker stands between two units of the edit."""
        return any(self.edit.units[number].end <= n < self.edit.units[other].start for n in self.markers)

    def _level(self, number: int, last: int, home: int) -> tuple[int, int]:
        """The thing, and what it stands in, behind which a new one goes: where its kind is found."""
        kind = self.edit.kind(number)
        at, around = last, home
        while around >= 0:
            if any(self.file.kind(n) == kind for n in self.file.children(around)):
                return at, around
            at, around = around, self.file.units[around].parent
        if any(self.file.kind(n) == kind for n in self.file.children(-1)):
            return at, -1
        return last, home

    def _match(
        self, number: int, container: int, taken: Collection[int], features: dict[str, float]
    ) -> int | None:
        """The unit of the file that has an edit unit's name, in a container, or alone in the whole file."""
        edit, file = self.edit, self.file
        name, kind = edit.name(number), edit.kind(number)
        if number in self._renamed:
            return self._renamed[number]
        head = edit.table.keys[edit.units[number].head]
        equal = [n for n in file.children(container) if file.table.keys[file.units[n].head] == head]
        telling = edit.table.weights[edit.units[number].head] >= _TELLING
        if len(equal) == 1 and equal[0] not in taken and telling:
            return equal[0]
        if self._frames(number) and container < 0:
            outer = [n for n, unit in enumerate(file.units) if file.table.keys[unit.head] == head]
            return outer[0] if len(outer) == 1 or (outer and outer[0] == 0) else None
        if name is None or kind.startswith("call:return"):
            return self._alike(number, features) if container < 0 else None
        inner = [n for n in file.children(container) if n not in taken and file.name(n) == name]
        same = [n for n in inner if file.table.keys[file.units[n].head] == head]
        if kind == "-" and not LISTED.match(edit.lines[edit.units[number].head]):
            return same[0] if len(same) == 1 else None
        found = same or [n for n in inner if file.kind(n) == kind] or inner
        if not found and container < 0:
            found = [n for n in range(len(file.units)) if file.name(n) == name and file.kind(n) == kind]
            if len(found) != 1:
                return None if found else self._alike(number, features)
            features["graft.deep"] = 1.0
        if len(found) > 1:
            features["graft.twins"] = 1.0
        return found[0] if found else None

    def _frames(self, number: int) -> bool:
        """Whether a unit is what a whole file is: the object of a file of JSON."""
        return self.edit.table.keys[self.edit.units[number].head] in _FRAMES

    def _same_head(self, number: int, match: int) -> bool:
        edit, file = self.edit, self.file
        return edit.table.keys[edit.units[number].head] == file.table.keys[file.units[match].head]

    def _alike(self, number: int, features: dict[str, float]) -> int | None:
        """What begins with the same line, if one does; for a lone header, what is much like it."""
        edit, file = self.edit, self.file
        line, key = edit.lines[edit.units[number].head], edit.table.keys[edit.units[number].head]
        if edit.table.weights[edit.units[number].head] < _TELLING:
            return None
        bare = key.rstrip(",;")
        same = [n for n, unit in enumerate(file.units) if file.table.keys[unit.head].rstrip(",;") == bare]
        if len(same) == 1:
            features["graft.deep"] = 1.0
            return same[0]
        if same or edit.is_block(number):
            return None
        header = key[-1] in "{:"
        kin = [
            n
            for n in range(len(file.units))
            if file.kind(n) == edit.kind(number) and (header or not file.is_block(n))
        ]
        close = sorted((similarity(line, file.lines[file.units[n].head]), n) for n in kin)[-2:]
        if not close or close[-1][0] < _LIKE or (len(close) > 1 and close[-1][0] - close[0][0] < _AHEAD):
            return None
        features["graft.alike"] = close[-1][0]
        return close[-1][1]

    def _take(self, number: int, match: int, features: dict[str, float]) -> list[Change] | None:
        """Changes that make a unit of the file what the edit shows of it."""
        edit, file = self.edit, self.file
        one, other = edit.units[number], file.units[match]
        marked = any(n in self.markers for n in range(one.start, one.end))
        kind = edit.kind(number)
        holds = kind in _HOLDS or kind.startswith(("tag:", "#", "block:")) or self._frames(number)
        if not edit.is_block(number) and file.is_block(match) and edit.table.keys[one.head][-1] in "{:":
            return [self._replace(one.head, one.head + 1, other.head, other.head + 1, other.head)]
        if holds and edit.children(number) and file.children(match):
            named = [n for n in edit.children(number) if edit.name(n) is not None]
            if marked or (not self._whole and named and self._knows(named, match)):
                features["graft.holders"] = features.get("graft.holders", 0.0) + 1
                changes = self._graft(edit.children(number), match, features)
                if changes is None:
                    return None
                heads = self._replace(one.head, one.head + 1, other.head, other.head + 1, other.head)
                return changes if self._same_head(number, match) else [heads, *changes]
        if marked:
            within = self.rewrapper.align(one.head, one.end, other.head, other.end, near=True)
            if within is None:
                return None
            change, fit = within
            for feature, value in fit.items():
                features[feature] = features.get(feature, 0.0) + value
            features["graft.within"] = 1.0
            if one.start < one.head:  # comments and decorators
                above = self._replace(one.start, one.head, other.start, other.head, other.head)
                return [above, change]
            return [change]
        features["graft.replaced"] = features.get("graft.replaced", 0.0) + 1
        start = other.start if one.start < one.head else other.head
        return [self._replace(one.start, one.end, start, other.end, other.head)]

    def _knows(self, numbers: Sequence[int], match: int) -> bool:
        held = {self.file.name(n) for n in self.file.children(match)}
        framed = self.file.table.keys[self.file.units[match].head] in _FRAMES
        known = any(self.edit.name(n) in held for n in numbers)
        return known or framed or self.file.kind(match) == "holder"

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

    def _insert(
        self, fresh: Sequence[int], container: int, at: int, features: dict[str, float]
    ) -> list[Change]:
        """New units between two of the file; those of which words say the place go there."""
        features["graft.new"] = features.get("graft.new", 0.0) + len(fresh)
        edit, file = self.edit, self.file
        told: dict[int, tuple[int, int]] = {}
        sides = list(phrases_of(self.phrases, "after", "before"))
        for phrase in sides:
            spoken = [n for n in fresh if n not in told and speaks_of(phrase, edit.name(n))]
            if not spoken and len(sides) == 1 and not phrase.marked:
                spoken = [n for n in fresh if n not in told][-1:]
            found = [] if phrase.marked or not spoken else look_up(file, phrase.what)
            kinds = {edit.kind(n) for n in spoken}
            alike = [(fit, n) for fit, n in found if file.kind(n) in kinds] or found
            if not alike or (len(alike) > 1 and alike[0][0] - alike[1][0] < _CLEAR):
                continue
            fit, beside = alike[0]
            home = file.units[beside].parent
            told[spoken[-1]] = home, file.children(home).index(beside) + (phrase.side == "after")
            features["graft.said"] = fit
        for phrase in phrases_of(self.phrases, "in"):
            if phrase.end and speaks_of_file(phrase):
                told |= {
                    n: (-1, len(file.children(-1)))
                    for n in fresh
                    if n not in told and speaks_of(phrase, edit.name(n))
                }
        changes = []
        rest = [n for n in fresh if n not in told]
        for group, place in ([(rest, (container, at))] if rest else []) + [([n], told[n]) for n in told]:
            block = Block(edit.units[group[0]].start, edit.units[group[-1]].end - 1, edit, tuple(group))
            change, fitness = self.placer.put(block, *place)
            changes.append(change)
            features |= fitness
        return changes

    # --- by words ---------------------------------------------------------------------------------

    def _as_bodies(self, units: Sequence[int]) -> list[Draft]:
        """All that is shown as the body of something that is named."""
        edit, file = self.edit, self.file
        found: list[Draft] = []
        if not units:
            return found
        first, last = edit.units[units[0]].start, edit.units[units[-1]].end
        if any(n in self.markers for n in range(first, last)):
            return found
        for phrase in sorted(
            phrases_of(self.phrases, "body", "in", "replace"), key=lambda one: one.side != "body"
        ):
            for fit, match in look_up(file, phrase.what)[:1]:
                inner = file.children(match)
                if (
                    not inner
                    or file.kind(match) not in {"function", "key", "value"}
                    or "graft.body" in {name for one in found for name in one.features}
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
