"""New units put in at a place that words or kinds give, where nothing of the file is shown beside them.

A place is between two units of the file, or at an end of one that holds others. The new lines get its
indentation, the blank lines that such units have between them there, and the commas of a list.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.merge.certainty.said import stems
from fastapply.merge.indentation import indent_of
from fastapply.merge.lines import columns
from fastapply.merge.plain.commas import code_of, ended
from fastapply.merge.plain.draft import Change, Draft
from fastapply.merge.plain.outline import PROSE
from fastapply.merge.plain.spoken import look_up, phrases_of, speaks_of_file
from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastapply.merge.plain.draft import Reindent
    from fastapply.merge.plain.outline import Outline
    from fastapply.merge.plain.spoken import Phrase

MOST_PLACES = 8
_SURE = 0.95
"""Fit of a name that is the unit's own."""
_AHEAD = 0.3
"""How far a place is ahead of all others that is the only one meant."""
_IMPORTS = frozenset({"import", "from", "use", "using", "require", "include"})
_FEW, _SORTED = 2, 3
"""Imports, and other things, that are seen to be sorted."""
_TOP_GAP = 2
"""Blank lines between definitions of Python at top level, where the file shows none."""


@dataclass(frozen=True, slots=True)
class Place:
    """Between the units `at - 1` and `at` of those inside `container`, with the features of that place."""

    container: int
    at: int
    features: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Block:
    """New lines of an edit: their numbers from the first to the last with text, and the units they make."""

    first: int
    last: int
    outline: Outline
    units: tuple[int, ...]

    @property
    def lines(self) -> range:
        """Numbers of the lines."""
        return range(self.first, self.last + 1)


class Placer:
    """Finds places for a block of new units in a file, and puts it there."""

    def __init__(self, file: Outline, reindent: Reindent) -> None:
        self.file, self.reindent = file, reindent

    def drafts(self, block: Block, phrases: Sequence[Phrase]) -> list[Draft]:
        """The block at each place that something speaks for; one for each place."""
        best: dict[tuple[int, int], dict[str, float]] = {}
        for place in self._places(block, phrases):
            features = best.setdefault((place.container, place.at), {})
            for name, value in place.features:
                features[name] = max(features.get(name, 0.0), value)
        ranked = sorted(best.items(), key=lambda item: -_promise(item[1]))[:MOST_PLACES]
        named = [features for _, features in ranked if _is_named(features)]
        found = []
        for (container, at), features in ranked:
            change, fit = self.put(block, container, at)
            own = _promise(features)
            others = [_promise(other) for _, other in ranked if other is not features]
            more = {
                "plain.place": 1.0,
                "plain.promise": own,
                "plain.lead": own - max(others, default=0.0),
                "plain.rivals": float(sum(other >= own - 0.05 for other in others)),
                "plain.named_elsewhere": float(bool(named) and not _is_named(features)),
            }
            found.append(Draft((change,), _with_sureness(features | fit | more)))
        return found

    # --- where ------------------------------------------------------------------------------------

    def _places(self, block: Block, phrases: Sequence[Phrase]) -> Iterator[Place]:
        file = self.file
        kinds = [block.outline.kind(number) for number in block.units]
        inside: dict[int, float] = {}  # "to Customer, after email": which of several of that name
        for phrase in phrases_of(phrases, "in"):
            inside |= {number: fit for fit, number in look_up(file, phrase.what) if file.children(number)}
        between = list(self._between(phrases))
        yield from between
        firsts = any(phrase.side == "top" and not phrase.what.strip() for phrase in phrases)
        for phrase in phrases_of(phrases, "after", "before", "beside"):
            if between and phrase.side == "beside":
                continue
            for fit, number in self._named(phrase, block):
                parent = file.units[number].parent
                within = max((inside.get(around, 0.0) for around in file.around(number)), default=0.0)
                at = file.children(parent).index(number)
                told = (
                    ("plain.named", fit),
                    ("plain.within", within),
                    ("plain.marked", float(phrase.marked)),
                )
                if phrase.side != "before":
                    yield Place(parent, at + 1, (*told, ("plain.beside", float(phrase.side == "beside"))))
                else:
                    yield Place(parent, at, (*told, ("plain.beside", 0.0)))
        for phrase in phrases_of(phrases, "in", "top"):
            if speaks_of_file(phrase):
                at = 0 if phrase.side == "top" else len(file.children(-1))
                yield Place(-1, at, (("plain.file_said", 1.0),))
            for fit, number in look_up(file, phrase.what):
                if not file.children(number) and not file.is_block(number):
                    continue
                inner = file.children(number)
                top = phrase.side == "top" or (firsts and not phrase.end)
                kin = [] if top else list(self._kin(block, kinds, number, fit))
                if phrase.last and kin:  # "as the last case of State"
                    kin = [replace(one, features=(*one.features, ("plain.end_said", 1.0))) for one in kin]
                end = top or (phrase.end and not (phrase.last and kin))
                at = 0 if top else len(inner)
                yield Place(number, at, (("plain.inside", fit), ("plain.end_said", float(end))))
                yield from kin
        yield from self._kin(block, kinds, None)
        yield Place(-1, len(file.children(-1)), (("plain.file_end", 1.0),))
        holders = [n for n in range(len(file.units)) if file.kind(n) == "holder"]
        for number in holders[:2] + holders[-1:]:
            only = float(len(holders) == 1)
            yield Place(
                number, len(file.children(number)), (("plain.holder", 1.0), ("plain.only_holder", only))
            )

    def _between(self, phrases: Sequence[Phrase]) -> Iterator[Place]:
        """Between two units that follow each other, both of which the words name."""
        for first, second in pairwise(phrases):
            if not second.between:
                continue
            pairs = [
                (min(fit, other), min(one, two), max(one, two))
                for fit, one in look_up(self.file, first.what)
                for other, two in look_up(self.file, second.what)
            ]
            for fit, upper, lower in sorted(pairs, key=lambda pair: -pair[0]):
                parent = self.file.units[upper].parent
                inner = self.file.children(parent)
                if upper != lower and lower in inner and inner.index(lower) == inner.index(upper) + 1:
                    told = (("plain.named", fit), ("plain.between", 1.0))
                    yield Place(parent, inner.index(lower), told)

    def _named(self, phrase: Phrase, block: Block) -> list[tuple[float, int]]:
        """What a phrase names, those of the block's own kind and depth first."""
        kinds = {block.outline.kind(number) for number in block.units}
        found = look_up(self.file, phrase.what)
        alike = [(fit, number) for fit, number in found if self.file.kind(number) in kinds]
        if not alike:  # "after the email field": what is named stands in one of the block's kind
            alike = [
                (fit - 0.05, around)
                for fit, number in found
                for around in self.file.around(number)
                if self.file.kind(around) in kinds
            ][:2]
        rest = [(fit - 0.3 if alike else fit, n) for fit, n in found if (fit, n) not in alike]
        return (alike + rest)[:3]

    def _kin(
        self, block: Block, kinds: Sequence[str], inside: int | None, fit: float = 0.0
    ) -> Iterator[Place]:
        """Behind the last unit of the block's kind, in each thing that holds some; imports in their order."""
        file, kind = self.file, kinds[0]
        held: dict[int, list[int]] = {}
        for number, unit in enumerate(file.units):
            if (inside is None or unit.parent == inside) and file.kind(number) == kind:
                held.setdefault(unit.parent, []).append(number)
        own = set(stems(" ".join(block.outline.lines[n] for n in block.lines)))
        for parent, kin in sorted(held.items(), key=lambda item: (-len(item[1]), item[0]))[:4]:
            inner = file.children(parent)
            words = [stems(file.lines[file.units[number].head]) for number in kin]
            at = self._in_order(block, kin)
            features = [
                ("plain.kin_last", 1.0),
                ("plain.sorted", float(at == len(kin))),
                ("plain.unsorted", float(at is not None and at < len(kin))),
                ("plain.kin_share", len(kin) / max(1, len(inner))),
                ("plain.kin_many", min(1.0, len(kin) / 4)),
                ("plain.kin_groups", float(len(held) - 1)),
                ("plain.kin_alike", max((len(own & one) / max(1, len(one)) for one in words), default=0.0)),
                ("plain.inside", fit),
            ]
            yield Place(parent, inner.index(kin[-1]) + 1, tuple(features))
            if at is not None and at < len(kin):
                yield Place(parent, inner.index(kin[at]), (("plain.sorted", 1.0), ("plain.inside", fit)))
            group = self._group(block, kin)
            if group is not None:
                yield Place(parent, inner.index(group) + 1, (("plain.group", 1.0), ("plain.inside", fit)))

    def _in_order(self, block: Block, kin: Sequence[int]) -> int | None:
        """How many of some units come before the block's; None where they are not sorted, or too few."""
        heads = [_head(self.file, number) for number in kin]
        new = _head(block.outline, block.units[0])
        imports = new[0] in _IMPORTS
        same = [n for n, head in enumerate(heads) if not imports or head[0] == new[0]]
        words = [heads[n][1] for n in same]
        if len(words) < (_FEW if imports else _SORTED) or words != sorted(words):
            return None
        return next((n for n in same if heads[n][1] > new[1]), same[-1] + 1)

    def _group(self, block: Block, kin: Sequence[int]) -> int | None:
        """The last of some units whose names begin as the block's does, but not all: ``db.pool.max``."""
        new = _parts(block.outline.name(block.units[0]))
        shared = [_common(new, _parts(self.file.name(number))) for number in kin]
        most = max(shared, default=0)
        alike = [number for number, count in zip(kin, shared, strict=True) if count == most]
        return alike[-1] if most and len(alike) < len(kin) else None

    # --- how --------------------------------------------------------------------------------------

    def put(self, block: Block, container: int, at: int) -> tuple[Change, dict[str, float]]:
        """The block between two units, and features of how well it fits there."""
        file = self.file
        inner = file.children(container)
        before = inner[at - 1] if at else None
        after = inner[at] if at < len(inner) else None
        target = self._indent(container, before, after)
        base = min(columns(block.outline.lines[n]) for n in block.lines if block.outline.lines[n].strip())
        new = [(n, self.reindent.line(block.outline.lines[n], base, target)) for n in block.lines]
        above, below, lead = self._gaps(block, container, before, after)
        if after is not None and lead:
            start = end = file.units[after].start
        elif before is not None:
            start = end = file.units[before].end
        elif after is not None:
            start = end = file.units[after].start
        else:
            start = end = file.body(container)[0]
        start, head, new = self._commas(container, at, start, new)
        blank = (-1, "")
        lines = (*head, *[blank] * above, *new, *[blank] * below)
        names = {file.name(number) for number in inner} - {None}
        kin = {block.outline.kind(number) for number in block.units}
        features = {
            "plain.depth": float(columns(target) == base),
            "plain.flush": float(base == 0),
            "plain.taken": float(bool({block.outline.name(n) for n in block.units} & names)),
            "plain.beside_kin": float(before is not None and file.kind(before) in kin)
            + float(after is not None and file.kind(after) in kin),
            "plain.alone": float(not inner),
        }
        return Change(start, end, lines), features

    def _indent(self, container: int, before: int | None, after: int | None) -> str:
        file = self.file
        sibling = before if before is not None else after
        if sibling is not None:
            return indent_of(file.lines[file.units[sibling].head])
        if container < 0:
            return ""
        return indent_of(file.lines[file.units[container].head]) + self.reindent.level

    def _gaps(
        self, block: Block, container: int, before: int | None, after: int | None
    ) -> tuple[int, int, bool]:
        """Blank lines above and below the block, and whether it goes right above the next unit."""
        file = self.file
        between = 0
        if before is not None and after is not None:
            between = file.units[after].start - file.units[before].end
        tall = any(block.outline.is_block(number) for number in block.units) or len(block.lines) > len(
            block.units
        )
        usual = self._usual(block, container, tall=tall)
        kinds = {block.outline.kind(number) for number in block.units}
        first = before is None or file.kind(before) not in kinds
        if not tall and after is not None and file.kind(after) in kinds and first:
            return 0, usual, True
        if before is None:
            return 0, usual if after is not None else 0, after is not None
        below = max(0, usual - between) if after is not None and not between else 0
        if after is not None and between and usual > between:
            below = 0
        return usual, below, False

    def _usual(self, block: Block, container: int, *, tall: bool) -> int:
        """Blank lines that units like these have between them in a container."""
        file = self.file
        inner = file.children(container)
        kinds = {block.outline.kind(number) for number in block.units}
        alike, sized, every = list[int](), list[int](), list[int]()
        for a, b in pairwise(inner):
            gap = file.units[b].start - file.units[a].end
            every.append(gap)
            if file.kind(a) in kinds and file.kind(b) in kinds:
                alike.append(gap)
            if (tall and (file.is_block(a) or file.is_block(b))) or (
                not tall and not file.is_block(a) and not file.is_block(b)
            ):
                sized.append(gap)
        for gaps in (alike, sized):
            if gaps:
                counted = Counter(gaps)
                return max(counted, key=lambda gap: (counted[gap], -gap))
        if not tall:
            return 0
        if self.file.language in PROSE or (self.file.language == "python" and container < 0):
            return _TOP_GAP if self.file.language == "python" else 1
        return max(every, default=1) if every else int(container < 0)

    def _commas(
        self, container: int, at: int, start: int, new: list[tuple[int, str]]
    ) -> tuple[int, list[tuple[int, str]], list[tuple[int, str]]]:
        """The block with the commas of the list that it goes into, and the line above it with its own."""
        file = self.file
        inner = [n for n in file.children(container) if file.kind(n) != "comment"]
        if not inner or file.language in PROSE:
            return start, [], new
        ends = [code_of(file.lines[file.units[n].end - 1]) for n in inner]
        kids = file.children(container)
        is_last = at >= len(kids) or all(file.kind(n) == "comment" for n in kids[at:])
        commas = sum(end.endswith(",") for end in ends)
        listed = commas >= max(1, len(ends) - 1)
        if not listed and len(ends) == 1 and file.language in {"json", "jsonc", "json5"} and container >= 0:
            listed = True
        if not listed:
            return start, [], new
        last = new[-1]
        body = last[1].rstrip()
        if not is_last:
            return (
                start,
                [],
                new if code_of(body).endswith(",") else [*new[:-1], (last[0], ended(body, "", ","))],
            )
        final = ends[-1]
        if final.endswith(","):
            return (
                start,
                [],
                new if code_of(body).endswith(",") else [*new[:-1], (last[0], ended(body, "", ","))],
            )
        above = file.units[inner[-1]].end - 1
        line = file.lines[above]
        ending = ";" if final.endswith(";") else ""
        mended = ended(line, ending, ",")
        bare = body.removesuffix(",")
        if ending and not bare.endswith(ending):
            bare += ending
        return (
            above,
            [(-1, mended), *[(-1, text) for text in file.lines[above + 1 : start]]],
            [*new[:-1], (last[0], bare)],
        )


def _head(outline: Outline, number: int) -> tuple[str, str]:
    """The first word of a unit, and what it is sorted by: its name, or its first line."""
    line = outline.lines[outline.units[number].head].strip().lower()
    return line.partition(" ")[0], (outline.name(number) or line).lower()


def _parts(name: str | None) -> list[str]:
    return re.split(r"[._\-/:]", (name or "").lower())


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many parts two names have in common at their beginnings, the last part of each left aside."""
    count = 0
    for a, b in zip(one[:-1], other[:-1], strict=False):
        if a != b:
            break
        count += 1
    return count


def _promise(features: dict[str, float]) -> float:
    """Which places are looked at first."""
    return (
        3 * features.get("plain.named", 0.0)
        + 2 * features.get("plain.between", 0.0)
        + features.get("plain.within", 0.0)
        + 2 * features.get("plain.inside", 0.0)
        + 1.5 * features.get("plain.file_said", 0.0)
        + 1.2 * features.get("plain.kin_last", 0.0)
        + 1.3 * features.get("plain.sorted", 0.0)
        + 1.0 * features.get("plain.group", 0.0)
        + 0.5 * features.get("plain.end_said", 0.0)
        + 0.4 * features.get("plain.only_holder", 0.0)
        + 0.2 * features.get("plain.file_end", 0.0)
        - 0.3 * features.get("plain.marked", 0.0)
        - 0.2 * features.get("plain.beside", 0.0)
    )


def _with_sureness(features: dict[str, float]) -> dict[str, float]:
    """The features of a place, and whether all of them together leave no doubt about it.

    So where words name one unit of the block's kind beside it, the end of one thing, or the end of the file,
    and no other place comes near.
    """
    doubted = features.get("plain.rivals") or features.get("plain.taken") or features.get("plain.marked")
    named = features.get("plain.named", 0.0) >= _SURE and features.get("plain.beside_kin", 0.0) >= 1
    named = named or features.get("plain.between", 0.0) > 0
    ended = features.get("plain.inside", 0.0) >= _SURE and features.get("plain.end_said", 0.0) > 0
    below = features.get("plain.file_said", 0.0) > 0 and features.get("plain.file_end", 0.0) > 0
    ahead = features.get("plain.lead", 0.0) >= _AHEAD
    return features | {"plain.sure": float((named or ended or below) and ahead and not doubted)}


def _is_named(features: dict[str, float]) -> bool:
    return features.get("plain.named", 0.0) + features.get("plain.inside", 0.0) > 0.8
