"""Where the lines of a lazy edit may stand in the file: the anchors that an alignment is made of.

An *anchor* says that one edit line is one file line. It is *exact* (alike but for white space),
*near* (the edit's version of that line: the same name is defined, or most words agree), or
*derived* (the line that closes a block whose opening line has an anchor). A closing line is an anchor
otherwise only behind a marker, or at the end of the edit. A block end without a closing line (Python, YAML)
is an anchor as well, of no lines.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from difflib import SequenceMatcher
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from fastapply.merge.likeness import (
    definition,
    identity,
    is_control,
    renamed,
    same_kind,
    same_name,
    similarity,
    subject,
)
from fastapply.merge.lines import is_closer, words
from fastapply.merge.shortening import shortening
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fastapply.merge.lines import LineTable

_RARITY = {1: 1.5, 2: 1.2}
COMMON = 8
"""A line that stands more often in the file is an anchor only beside another one."""
CROWD = 1000
"""Anchors from which on lines that stand often are looked for only beside their neighbours."""
CLOSE = 4
"""Lines from one that tells something, where such a line is looked for then without a neighbour."""
NEAR = 0.6
"""Similarity from which on an edit line may be a new version of a file line."""
NEAR_CONTROL = 0.8
"""The same for conditions and loops, of which one is often put in beside another that is much like it."""
OTHER = 0.8
"""What is left of a similarity where a definition was renamed."""
NAMES_ALIKE = 0.6
"""Share of letters from which on two names may be the old and the new one of a block that is shown elided."""
NEAR_EACH = 6
"""Near anchors kept for one edit line."""

Kind = Literal["exact", "near", "derived", "end", "bound"]


@dataclass(frozen=True, slots=True)
class Anchor:
    """Edit line `i` is the file lines `[start, end)`: one line, or none at a block's end."""

    i: int
    start: int
    end: int
    weight: float
    kind: Kind


def find_anchors(
    edit: LineTable,
    file: LineTable,
    texts: Iterable[int],
    openers: dict[int, int],
    block_ends: dict[int, int],
) -> list[Anchor]:
    """All anchors of an edit, sorted by edit line and then by file line.

    `texts` are the edit lines that show code; `openers` maps a closing edit line to the edit line
    that opens its block; `block_ends` maps a virtual edit line (a block's end) to its opening line.
    """
    where = file.where()
    shown = list(texts)
    held = frozenset(shown)

    def hides(start: int, end: int) -> bool:
        """Whether a marker stands between two edit lines."""
        return any(edit.keys[i] and i not in held for i in range(start, end))

    exact = _exact_anchors(edit, file, shown, where)
    anchors: dict[int, list[Anchor]] = defaultdict(list)
    for anchor in exact:
        anchors[anchor.i].append(anchor)
    unmatched = [i for i in shown if edit.weights[i] > 0.15 and i not in anchors]
    hiding = frozenset(i for i in unmatched if hides(i, edit.ends[i]))
    for anchor in _near_anchors(edit, file, unmatched, where, hiding):
        anchors[anchor.i].append(anchor)
    for closer, opener in sorted(openers.items()):
        known = {anchor.start for anchor in anchors[closer]}
        for anchor in anchors.get(opener, ()):
            at = closing_line(file, anchor.start)
            if at < len(file.lines) and at not in known and _same_end(file.keys[at], edit.keys[closer]):
                known.add(at)
                exactly = file.keys[at] == edit.keys[closer]
                anchors[closer].append(Anchor(closer, at, at + 1, 0.35 if exactly else 0.2, "derived"))
    for closer in shown:
        if is_closer(edit.keys[closer]) and not anchors.get(closer):
            before = next((i for i in range(closer - 1, -1, -1) if edit.keys[i]), closer)
            if hides(openers.get(closer, before), closer):
                anchors[closer] = _behind_hidden(edit, file, closer, anchors)
    for anchor in _last_closers(edit, file, shown, openers):
        anchors[anchor.i] = anchors[anchor.i] or [anchor]
    for virtual, opener in block_ends.items():
        places = {file.ends[anchor.start] for anchor in anchors.get(opener, ())}
        anchors[virtual] = [Anchor(virtual, at, at, 0.3, "end") for at in places]
    return sorted((p for group in anchors.values() for p in group), key=lambda p: (p.i, p.start))


def _behind_hidden(
    edit: LineTable, file: LineTable, closer: int, anchors: Mapping[int, Sequence[Anchor]]
) -> list[Anchor]:
    """The end of a block with hidden lines whose opening line is new, or whose end in the file is not known.

    That is the first line like its closing line, just as deep, below the last line that is shown above it.
    """
    above = next((i for i in range(closer - 1, -1, -1) if anchors.get(i)), None)
    line = edit.lines[closer].rstrip()
    starts = [anchor.end for anchor in anchors[above]] if above is not None else []
    found = {
        next((j for j in range(start, len(file.lines)) if file.lines[j].rstrip() == line), -1)
        for start in starts
    }
    return [Anchor(closer, at, at + 1, 0.2, "exact") for at in sorted(found - {-1})]


def _last_closers(
    edit: LineTable, file: LineTable, shown: Sequence[int], openers: Mapping[int, int]
) -> Iterator[Anchor]:
    """Closing lines that an edit ends with, of blocks that it does not open: the file ends with them too."""
    at, left = len(file.lines), [*shown]
    for i in reversed(range(len(edit.lines))):
        if not edit.keys[i]:
            continue
        if not left or i != left.pop() or not is_closer(edit.keys[i]) or i in openers:
            return
        at = next((j for j in range(at - 1, -1, -1) if file.keys[j]), -1)
        if at < 0 or file.lines[at].rstrip() != edit.lines[i].rstrip():
            return
        yield Anchor(i, at, at + 1, 0.35, "exact")


def _same_end(key: str, other: str) -> bool:
    """Whether two closing lines end the same kind of block; a comment's or tag's end has one form only."""
    return key == other or (key[:1] == other[:1] and key[:1] not in "*<-")


def closing_line(file: LineTable, opener: int) -> int:
    """First line with text behind the block that a file line opens; the number of lines if there is none."""
    at = file.ends[opener]
    while at < len(file.lines) and not file.keys[at]:
        at += 1
    return at


def _exact_anchors(
    edit: LineTable, file: LineTable, shown: Sequence[int], where: dict[str, list[int]]
) -> list[Anchor]:
    found: list[Anchor] = []
    texts = [i for i in shown if not is_closer(edit.keys[i])]
    after = dict(pairwise(texts))
    before = {later: earlier for earlier, later in after.items()}
    common: list[int] = []
    around: set[int] = set()
    close: set[int] = set()
    for i in texts:
        places = where.get(edit.keys[i], [])
        if len(places) > COMMON or edit.weights[i] <= 0.15:
            common.append(i)
            continue
        for j in places:
            found.append(Anchor(i, j, j + 1, edit.weights[i] * _RARITY.get(len(places), 1.0), "exact"))
            around.update(range(j - 12, j + 13))
            close.update(range(j - CLOSE, j + CLOSE + 1))
    many: list[tuple[int, list[int], list[int]]] = []
    for i in common:
        places = where.get(edit.keys[i], [])
        sides = {
            j: _beside(edit, file, before.get(i), j, -1) + _beside(edit, file, after.get(i), j, 1)
            for j in places
        }
        kept = [j for j in places if sides[j] or j in around]
        if not kept and (len(places) == 1 or (edit.weights[i] > 0.15 and len(places) <= 40)):
            kept = places
        many.append((i, kept[:60], [j for j in places if sides[j] == 2 or (sides[j] and j in close)]))
    # what a chain costs grows with the square of its anchors: of very many, those that tell something
    crowded = len(found) + sum(len(kept) for _, kept, _ in many) > CROWD
    for i, kept, sure in many:
        chosen = sure[:60] or [j for j in kept if j in close] if crowded else kept
        found += [Anchor(i, j, j + 1, edit.weights[i], "exact") for j in chosen]
    return found


def _beside(edit: LineTable, file: LineTable, i: int | None, j: int, step: int) -> bool:
    """Whether the next file line from `j` on that is no closer equals edit line `i`."""
    if i is None:
        return False
    at = j + step
    while 0 <= at < len(file.lines) and file.weights[at] <= 0.1:
        at += step
    return 0 <= at < len(file.lines) and file.keys[at] == edit.keys[i]


def _near_anchors(
    edit: LineTable,
    file: LineTable,
    unmatched: Sequence[int],
    where: dict[str, list[int]],
    hiding: frozenset[int],
) -> list[Anchor]:
    """Near anchors; those lines of the edit whose block hides lines, `hiding`, may have been renamed."""
    if not unmatched:
        return []
    wanted: dict[str, list[int]] = defaultdict(list)
    bags: dict[int, Counter[str]] = {}
    for i in unmatched:
        bags[i] = Counter(words(edit.lines[i]))
        for word in bags[i]:
            if len(word) > 1:
                wanted[word].append(i)
    names = {i: identity(edit.lines[i]) for i in unmatched}
    edit_keys = {key for key in edit.keys if key}
    votes: dict[int, Counter[int]] = defaultdict(Counter)
    for j, line in enumerate(file.lines):
        if file.weights[j] <= 0.15:
            continue
        for word in set(words(line)):
            for i in wanted.get(word, ()):
                votes[i][j] += 1
    found: list[Anchor] = []
    for i, counted in votes.items():
        ranked: list[tuple[float, int]] = []
        others = {
            j: identity(file.lines[j]) for j, _ in counted.most_common(40) if file.keys[j] != edit.keys[i]
        }
        name = names[i]
        # of several definitions with one name (overloads) the name tells nothing
        overloaded = (
            sum(other == name and definition(file.lines[j]) is not None for j, other in others.items()) > 1
        )
        for j, other in others.items():
            score = similarity(edit.lines[i], file.lines[j])
            if overloaded and name == other:
                pass
            elif name is not None and name == other and same_kind(edit.lines[i], file.lines[j]):
                score = same_name(score)
            elif (name is not None and other is not None) or (
                subject(edit.lines[i]) or subject(file.lines[j])
            ):
                factor = _renamed_block(name, other) if i in hiding and name and other else 0.0
                score *= max(factor, OTHER) if renamed(edit, file, i, j) else factor
            if file.keys[j] in edit_keys:  # shown itself: it is not what this line used to be
                score *= 0.8 if len(where[file.keys[j]]) > 1 else 0.0
            if shortening(edit.lines[i], file.lines[j]) in {"dots", "trailing"}:
                score = 1.0
            control = is_control(edit.lines[i]) and is_control(file.lines[j])
            if score >= (NEAR_CONTROL if control else NEAR):
                ranked.append((score, j))
        ranked.sort(key=lambda pair: (-pair[0], pair[1]))
        best = ranked[0][0] if ranked else 0.0
        # a line that is like many is a pattern, and tells little about which of them it was
        alike = sum(score >= best - 0.1 for score, _ in ranked)
        for score, j in ranked[:NEAR_EACH]:
            if score >= best - 0.25:
                weight = edit.weights[i] * min(1.0, score) ** 2
                weight *= (0.9 if score > 0.85 else 0.7) / (1.0 if names[i] else min(alike, 3))
                found.append(Anchor(i, j, j + 1, weight, "near"))
    return found


def _renamed_block(name: str, other: str) -> float:
    """What is left of a similarity where a block that hides lines has a name much like another one's."""
    alike = SequenceMatcher(None, name.lower(), other.lower(), autojunk=False).ratio()
    return 0.6 + 0.4 * alike if alike >= NAMES_ALIKE else 0.0
