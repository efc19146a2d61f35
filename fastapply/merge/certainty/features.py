"""Features of one alternative of a gap: what it replaces, what it leaves beside it, how its ends fit.

A feature is a number with a name: mostly a count or a share, 0 where there is nothing to say. What a feature
weighs is fitted on edits whose right merge is known (see `weights`); none of them decides by itself.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import log1p
from typing import TYPE_CHECKING

from fastapply.merge.certainty.blocks import find_noted
from fastapply.merge.imports import is_import
from fastapply.merge.likeness import definition, identity, is_attachment, similarity
from fastapply.merge.lines import is_closer, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.merge.anchors import Anchor
    from fastapply.merge.elements import MergeContext
    from fastapply.merge.fill import ScriptLine
    from fastapply.merge.gap import Gap

ALIKE = 0.5
"""Similarity from which on two lines are worth speaking of as alike."""
WINDOW = 8
"""Kept lines beside a cut that new lines are compared with."""
_STRINGS = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|//.*$|#\s.*$")
_OPEN, _CLOSE = "([{", ")]}"
HEAD = 8
"""Words and signs at the beginning of a line that are compared with those of other lines."""
MOST_HEADS = 5_000
"""Lines from which on a file is too long to ask which beginnings stand once."""


@lru_cache(maxsize=1 << 14)
def _tokens(line: str) -> tuple[str, ...]:
    return tuple(words(line))


@lru_cache(maxsize=1 << 14)
def balance(line: str) -> int:
    """Brackets that a line opens less those that it closes, strings and comments left out."""
    bare = _STRINGS.sub("", line)
    return sum(bare.count(sign) for sign in _OPEN) - sum(bare.count(sign) for sign in _CLOSE)


class Features:
    """Finds features, for one edit and one file; `ratio` is columns of the file to one of the edit."""

    def __init__(self, context: MergeContext, ratio: float) -> None:
        self.context, self.ratio = context, ratio
        self.edit, self.table, self.file = context.edit, context.table, context.file
        self._alike: dict[tuple[int, int], float] = {}
        self._edit_names: dict[int, str | None] = {}
        self._file_names: dict[int, str | None] = {}
        self._balances: dict[tuple[bool, int], int] = {}
        self._heads: dict[int, Counter[tuple[str, ...]]] = {}
        self._speaks = [bool(key) and not is_closer(key) for key in self.file.keys]
        self._states = [bool(key) and not is_closer(key) for key in self.table.keys]

    # --- single lines -------------------------------------------------------------------------

    def alike(self, e: int, f: int) -> float:
        """Similarity of an edit line and a file line, 0 to 1."""
        known = self._alike.get((e, f))
        if known is None:
            if self.table.keys[e] == self.file.keys[f]:
                known = 1.0
            else:
                known = similarity(self.table.lines[e], self.file.lines[f])
            self._alike[e, f] = known
        return known

    def edit_name(self, e: int) -> str | None:
        """What an edit line is about."""
        if e not in self._edit_names:
            self._edit_names[e] = identity(self.table.lines[e])
        return self._edit_names[e]

    def file_name(self, f: int) -> str | None:
        """What a file line is about."""
        if f not in self._file_names:
            self._file_names[f] = identity(self.file.lines[f])
        return self._file_names[f]

    def _balance(self, number: int, *, of_edit: bool) -> int:
        known = self._balances.get((of_edit, number))
        if known is None:
            known = balance((self.table if of_edit else self.file).lines[number])
            self._balances[of_edit, number] = known
        return known

    def _says(self, e: int) -> bool:
        return self._states[e]

    def _tells(self, f: int) -> bool:
        return self._speaks[f]

    def _beyond(self, e: int, f: int, told: Sequence[int], gone: Sequence[int]) -> float:
        """How much more an edit line is like a file line than what goes is, and than its neighbours are."""
        mine = max((self.alike(e, g) for g in gone[:40]), default=0.0)
        near = [
            g for g in (*told, f - 1, f + 1) if 0 <= g < len(self.file.lines) and g != f and self._tells(g)
        ]
        usual = max((similarity(self.file.lines[g], self.file.lines[f]) for g in near), default=0.0)
        return self.alike(e, f) - max(mine, usual)

    def _head(self, e: int, f: int) -> float:
        """How long the beginning is that an edit line shares with a file line and with no other, 0 to 1."""
        if len(self.file.lines) > MOST_HEADS or self.table.keys[e] == self.file.keys[f]:
            return 0.0
        mine, theirs = _tokens(self.table.lines[e]), _tokens(self.file.lines[f])
        if mine[:1] != theirs[:1]:
            return 0.0
        size = 0
        for one, other in zip(mine[:HEAD], theirs[:HEAD], strict=False):
            if one != other:
                break
            size += 1
        if size == 0 or (size == 1 and len(theirs) > 1 and len(mine) > 1):
            return 0.0
        if size not in self._heads:
            self._heads[size] = Counter(_tokens(line)[:size] for line in self.file.lines)
        return size / HEAD if self._heads[size][theirs[:size]] == 1 else 0.0

    # --- what an edit script does -------------------------------------------------------------

    def _script(self, ops: Iterable[ScriptLine]) -> tuple[list[int], list[int], dict[str, float]]:
        """Inserted edit lines and deleted file lines that say something, and the features of both."""
        features: dict[str, float] = {}
        new, gone = list[int](), list[int]()
        shut = 0
        lean = 0
        matched = 0
        for op in ops:
            if op.kind == "insert" and op.e >= 0:
                if self._says(op.e):
                    new.append(op.e)
                if self.table.keys[op.e]:
                    lean += self._balance(op.e, of_edit=True)
            elif op.kind == "delete":
                if self._tells(op.f):
                    gone.append(op.f)
                elif self.file.keys[op.f]:
                    shut += 1
                if self.file.keys[op.f]:
                    lean -= self._balance(op.f, of_edit=False)
            elif op.kind == "near":
                new.append(op.e)
                gone.append(op.f)
                lean += self._balance(op.e, of_edit=True) - self._balance(op.f, of_edit=False)
            elif op.kind == "match" and self._tells(op.f):
                matched += 1
        if matched:
            features["matched"] = log1p(matched)
        if gone:
            features["deletes"] = 1.0
            features["deleted"] = log1p(len(gone))
            best_gone = {f: max((self.alike(e, f) for e in new[:40]), default=0.0) for f in gone[:40]}
            features["deleted_unlike"] = log1p(
                sum(1 - (s if s >= ALIKE else 0.0) for s in best_gone.values()) + max(0, len(gone) - 40)
            )
            features["first_alike"] = self.alike(new[0], gone[0]) if new else 0.0
            features["last_alike"] = self.alike(new[-1], gone[-1]) if new else 0.0
            shown = sum(self.file.keys[f] in self.context.shown for f in gone)
            if shown:
                features["deleted_shown"] = shown / len(gone)
            names = {self.edit_name(e) for e in new} - {None}
            told = [self.file_name(f) for f in gone[:60]]
            defined = [definition(self.file.lines[f]) for f in gone[:60]]
            features["renewed"] = log1p(sum(name in names for name in told if name))
            lost = [
                name
                for name, f in zip(defined, gone, strict=False)
                if name and name not in names and self.file.keys[f] not in self.context.shown
            ]
            features["definitions_lost"] = log1p(len(lost))
            features["comments_lost"] = float(all(is_attachment(self.file.lines[f]) for f in gone))
            features["imports_lost"] = log1p(
                sum(
                    is_import(self.file.lines[f]) for f in gone if self.file.keys[f] not in self.context.shown
                )
            )
            head = max((self._head(e, f) for e in new[:20] for f in gone[:20]), default=0.0)
            if head:
                features["gone_head"] = head
            if new:
                resembling = sum(max(self.alike(e, f) for f in gone[:40]) >= ALIKE for e in new[:40])
                features["inserted_alike"] = resembling / min(40, len(new))
        elif shut:
            features["closers_lost"] = float(shut)
        if new:
            features["inserts"] = 1.0
        if lean:
            features["unbalanced"] = float(min(3, abs(lean)))
        return new, gone, features

    def _beside(
        self, features: dict[str, float], new: Sequence[int], gone: Sequence[int], kept: Sequence[int]
    ) -> None:
        """How much new lines resemble file lines that stay beside them, more than those that go."""
        told = [f for f in kept if self._tells(f) and self.file.keys[f] not in self.context.shown][:WINDOW]
        if not new or not told:
            return
        excess, most = 0.0, 0.0
        twice = again = 0
        here = {self.file_name(f) for f in told} - {None}
        left = {self.file_name(f) for f in gone} - {None}
        defined = {definition(self.file.lines[f]) for f in told} - {None}
        for e in new[:40]:
            there = max(self.alike(e, f) for f in told)
            mine = max((self.alike(e, f) for f in gone[:40]), default=0.0)
            if there >= ALIKE and there > mine:
                excess += there - max(mine, 0.3)
                most = max(most, there - mine)
            name = self.edit_name(e)
            if name and name in here and name not in left:
                again += 1
                twice += name in defined
        if excess:
            features["kept_alike"] = log1p(excess)
            features["kept_alike_most"] = most
        if again:
            features["kept_same"] = log1p(again)
        if twice:
            features["kept_defined"] = log1p(twice)
        head = 0.0
        for e in new[:20]:
            mine = max((self._head(e, f) for f in gone[:20]), default=0.0)
            head = max(head, max(self._head(e, f) for f in told) - mine)
        if head > 0:
            features["kept_head"] = head
        if most:
            over = max(
                self._beyond(e, f, told, gone) for e in new[:40] for f in told if self.alike(e, f) >= ALIKE
            )
            features["kept_alike_over"] = max(0.0, over)
        if any(self._covers(e, f) for e in new[:40] for f in told[:2]):
            features["kept_covered"] = 1.0
        first, nearest = new[0], told[0]
        features["kept_first_alike"] = max(0.0, self.alike(first, nearest) - ALIKE)

    def _covers(self, e: int, f: int) -> bool:
        """Whether an edit line begins with all the words of a file line, four or more, and goes on."""
        mine, theirs = _tokens(self.table.lines[e]), _tokens(self.file.lines[f])
        return 4 <= len(theirs) < len(mine) and mine[: len(theirs)] == theirs

    def closed_at(self, anchor: Anchor) -> int:
        """Where the lines end that a file line opens and the changed line in its place does not; else 0.

        So with ``open(`` in the file and ``open(path)`` in the edit, for all lines up to the bracket.
        """
        if anchor.kind != "near":
            return 0
        file, e, f = self.file, anchor.i, anchor.start
        old, new = file.lines[f].rstrip(), self.table.lines[e].rstrip()
        if file.ends[f] == f + 1 or self.table.ends[e] > e + 1 or old[-1:] == new[-1:]:
            return 0
        open_, stop = balance(old), file.ends[f]
        if balance(new) > 0:
            return 0
        open_ += sum(balance(line) for line in file.lines[f + 1 : stop])
        while open_ > 0 and stop < len(file.lines) and is_closer(file.keys[stop]):
            open_ += balance(file.lines[stop])
            stop += 1
        while stop > f + 1 and not file.keys[stop - 1]:
            stop -= 1
        return stop

    def of_side(
        self,
        ops: Sequence[ScriptLine],
        kept: Iterable[int],
        gap: Gap,
        *,
        mark: int | None,
        notes: Sequence[int],
        cut: int,
        above: bool,
    ) -> dict[str, float]:
        """Features of lines put in beside a marker, or at an end of the edit.

        `kept` are file lines that stay, the nearest first; hidden lines begin at file line `cut`, or end
        there where the new lines stand `above` the lower anchor.
        """
        new, gone, features = self._script(ops)
        self._beside(features, new, gone, list(kept))
        file, start, end = self.file, gap.start, gap.end
        edge = self._text_from(cut - 1 if above else cut, -1 if above else 1, start, end)
        if gone and start < cut < end and edge is not None:
            floor = min(file.depths[f] for f in gone)
            features["cut_deeper"] = float(file.depths[edge] > floor + 0.3)
            features["cut_tight"] = float(bool(file.keys[cut]) and bool(file.keys[cut - 1]))
        if mark is not None and edge is not None:
            features["marker_depth"] = float(self._depth_differs(mark, edge, new, gone))
        if notes:
            self._noted(features, notes, gone)
        lone = [op.e for op in ops if op.kind == "insert" and op.e >= 0 and self.table.keys[op.e]]
        if lone and not gone and all(e in self.edit.remarks for e in lone):
            features["comment_only"] = 1.0
        return {f"beside.{name}": value for name, value in features.items() if value}

    def _text_from(self, at: int, step: int, start: int, end: int) -> int | None:
        while start <= at < end:
            if self.file.keys[at]:
                return at
            at += step
        return None

    def _depth_differs(self, mark: int, edge: int, new: Sequence[int], gone: Sequence[int]) -> bool:
        """Whether a marker is indented otherwise than the first line that it would stand for.

        Seen from the new line beside it, whose depth in the file is that of the line which it replaces.
        """
        if not new:
            return False
        ref = min(new, key=lambda e: abs(e - mark))
        deep = self.edit.depths[mark] - self.edit.depths[ref]
        base = min((self.file.depths[f] for f in gone), default=None)
        if base is None:
            return False
        return abs(self.file.depths[edge] - base - deep * self.ratio) > 0.6

    def _noted(self, features: dict[str, float], notes: Sequence[int], gone: Sequence[int]) -> None:
        for note in notes:
            names = self.edit.removed.get(note, ())
            held = any(name in self.file.lines[f] for name in names for f in gone)
            if gone and (held or not names):
                features["noted"] = features.get("noted", 0.0) + 1.0
            elif names:
                features["note_idle"] = features.get("note_idle", 0.0) + 1.0

    def of_unmarked(self, ops: Sequence[ScriptLine], gap: Gap, kept: Iterable[int] = ()) -> dict[str, float]:
        """Features of lines put in between two anchors without a marker."""
        new, gone, features = self._script(ops)
        self._beside(features, new, gone, list(kept))
        if gap.notes:
            self._noted(features, gap.notes, gone)
        if not new and gone:
            features["omitted"] = log1p(len(gone))
            last = gone[-1]
            features["omits_attached"] = float(is_attachment(self.file.lines[last]) and last + 1 == gap.end)
            features["omits_inside"] = float(self._opens(gap))
            features["omits_named"] = float(any(definition(self.file.lines[f]) is not None for f in gone))
        if "near" in {gap.a.kind, gap.b.kind}:
            features["near_end"] = 1.0
        return {f"within.{name}": value for name, value in features.items() if value}

    def _opens(self, gap: Gap) -> bool:
        """Whether the upper anchor of a gap opens the block that the lower one stands in."""
        return gap.a.i >= 0 and gap.b.i < len(self.edit.parents) and self.edit.parents[gap.b.i] == gap.a.i

    def noted_units(self, notes: Sequence[int], start: int, end: int) -> list[tuple[int, int]]:
        """File ranges of what removal notes name; see `find_noted`."""
        return find_noted(self.context, notes, start, end)

    # --- places for lines that nothing anchors ------------------------------------------------

    def places_for(self, lines: Sequence[int], start: int, end: int) -> list[tuple[int, int]]:
        """File ranges that lines between two markers may replace, or (empty) stand before."""
        file = self.file
        texts = [e for e in lines if self._says(e)]
        found: list[tuple[int, int]] = []
        if not texts:
            return [(end, end), (start, start)]
        ranked: list[tuple[float, int]] = []
        head = texts[0]
        names = {self.edit_name(e) for e in texts} - {None}
        for f in range(start, min(end, start + 3000)):
            if self._tells(f):
                score = self.alike(head, f) + 0.5 * (self.file_name(f) in names)
                if score >= ALIKE:
                    ranked.append((score, f))
        ranked.sort(key=lambda pair: (-pair[0], pair[1]))
        for _, f in ranked[:3]:
            stop = max(file.ends[f], f + 1)
            while stop < end and is_closer(file.keys[stop]) and file.depths[stop] >= file.depths[f] - 0.3:
                stop += 1
            found += [(f, min(stop, end)), (f, f), (min(stop, end), min(stop, end))]
            if len(texts) == 1 and stop > f + 1:
                found.append((f, f + 1))
        last = end
        while last > start and not file.keys[last - 1]:
            last -= 1
        first = start
        while first < end and not file.keys[first]:
            first += 1
        found += [(last, last), (first, first)]
        return list(dict.fromkeys(found))
