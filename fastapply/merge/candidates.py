"""The candidates of a lazy edit: its best merges that differ in text, each with the facts about it.

A chain of points says which lines of the edit are lines of the file (see `align`); each of its gaps
has alternatives (see `alternatives`). A candidate is one alternative for each gap of one chain; the
best of all combinations are found without trying them all.
"""

from __future__ import annotations

import heapq
from itertools import accumulate, pairwise
from math import log1p
from typing import TYPE_CHECKING

from fastapply.merge.alternatives import Gaps
from fastapply.merge.certainty.blocks import structure_facts
from fastapply.merge.chains import find_chains
from fastapply.merge.fill import Op
from fastapply.merge.gap import add_facts
from fastapply.merge.repeated import joined
from fastapply.merge.writing import DOTS, Writer, without_blank_end
from fastapply.text import splice
from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fastapply.merge.align import Aligner, Alignment
    from fastapply.merge.alternatives import Alternative
    from fastapply.merge.anchors import Point
    from fastapply.merge.elements import Scene
    from fastapply.merge.entries import Entry
    from fastapply.text import SourceText
    from fastapply.types import Splice

MOST = 12
"""Candidates with different texts."""
LARGE = 5_000
"""Lines from which on a file is too large to compare whole texts of it time and again."""
VARIED = 3
"""Scripts of a chain that are also written with other readings of white space and imports."""
TRIES = 60
"""Combinations that are written to find candidates with different texts."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One merge of a snippet: its edit script, splices and text, and the facts about it."""

    ops: tuple[Op, ...]
    splices: tuple[Splice, ...]
    lines: tuple[str, ...]
    facts: dict[str, float]
    score: float
    chain: int
    scene: Scene
    broken: bool = False  # the verifier refuses it in any case
    lost: tuple[Entry, ...] = ()  # what it would take away and nobody names


def told(lines: Sequence[str]) -> tuple[str, ...]:
    """Lines without the blank ones and white space at their ends: what makes two candidates different."""
    return tuple(line.rstrip() for line in lines if line.strip())


def key_of(candidate: Candidate) -> tuple[str, ...]:
    """What makes a candidate a different one: its text, or in a large file what it puts where."""
    if len(candidate.lines) < LARGE:
        return told(candidate.lines)
    return tuple(
        text for one in candidate.splices for text in (str(one.start), str(one.end), *told(one.lines))
    )


def find_candidates(
    source: SourceText, scene: Scene, aligner: Aligner, best: Alignment, weights: dict[str, float]
) -> list[Candidate]:
    """The best candidates of an edit, the best first by the score of their facts."""
    gaps = Gaps(scene, aligner, weights)
    writing = _Writing(source, scene, Writer(scene, aligner.ratio), weights)
    found: dict[tuple[str, ...], Candidate] = {}
    for number, chain in enumerate(find_chains(aligner, best, scene)):
        points = [aligner.start, *chain.points, aligner.finish]
        shared = chain_facts(gaps, best, chain, number)
        options = [
            gaps.between(a, b, step) for (a, b), step in zip(pairwise(points), chain.steps, strict=True)
        ]
        base = writing.worth(shared)
        for tried, (score, picked) in enumerate(_combinations(options)):
            least = sorted((one.score for one in found.values()), reverse=True)[MOST - 1 : MOST]
            if least and base + score < least[0]:
                break
            script, facts = _joined(scene, points, options, picked)
            facts = add_facts(shared, facts) | structure_facts(scene, script)
            for candidate in writing.candidates(script, facts, number, plain=tried >= VARIED):
                key = writing.key(candidate.splices)
                known = found.get(key)
                found[key] = candidate if known is None else _one_of(known, candidate)
    best_ones = sorted(found.values(), key=lambda one: -one.score)[:MOST]
    return [replace(one, lines=splice(source, one.splices).lines) for one in best_ones]


def _one_of(known: Candidate, other: Candidate) -> Candidate:
    """Of two candidates with the same text the likelier one; its blank lines are those of an alignment."""
    best, least = (known, other) if known.score >= other.score else (other, known)
    if any(name.startswith("repeated.") for name in best.facts):
        return replace(least, facts=best.facts, score=best.score)
    return best


def _joined(
    scene: Scene, points: Sequence[Point], options: Sequence[Sequence[Alternative]], picked: tuple[int, ...]
) -> tuple[list[Op], dict[str, float]]:
    """The script of a whole chain with one alternative picked for each gap, and the sum of their facts."""
    ops: list[Op] = []
    facts: dict[str, float] = {}
    for index, choice in enumerate(picked):
        ops += options[index][choice].ops
        facts = add_facts(facts, options[index][choice].facts)
        point = points[index + 1]
        if point.kind not in {"bound", "end"}:
            same = scene.table.keys[point.i] == scene.file.keys[point.start]
            ops.append(Op("match" if same else "near", point.i, point.start))
    return ops, facts


def chain_facts(gaps: Gaps, best: Alignment, chain: Alignment, number: int) -> dict[str, float]:
    """Facts about a chain itself: how far it is behind the best one, and what its changed lines say."""
    shared: dict[str, float] = {}
    if number:
        shared["chain.other"] = 1.0
        shared["chain.behind"] = log1p(max(0.0, best.score - chain.score))
    for point in chain.points:
        if point.kind == "near":
            alike = gaps.facts.alike(point.i, point.start)
            shared["near"] = shared.get("near", 0.0) + 1.0
            shared["near.unlike"] = shared.get("near.unlike", 0.0) + 1 - alike
            new, old = gaps.facts.edit_name(point.i), gaps.facts.file_name(point.start)
            if new and old and new != old:
                shared["near.renamed"] = shared.get("near.renamed", 0.0) + 1.0
    for step in chain.steps:
        if step.question:
            shared[f"step.{step.question}"] = shared.get(f"step.{step.question}", 0.0) + 1.0
    return shared


class _Writing:
    """Writes scripts as candidates: as they are, and with other readings of white space and short lines."""

    def __init__(self, source: SourceText, scene: Scene, writer: Writer, weights: dict[str, float]) -> None:
        self._source, self._scene, self._writer, self._weights = source, scene, writer, weights
        solid = [line.strip() != "" for line in source.lines]
        self._told = told(source.lines)
        self._before = [0, *accumulate(solid)]  # lines with text above each line

    def key(self, splices: Sequence[Splice]) -> tuple[str, ...]:
        """What `told` gives for the lines that splices make."""
        key: list[str] = []
        at = 0
        for one in splices:
            key += self._told[at : self._before[one.start]]
            key += told(one.lines)
            at = self._before[one.end]
        return (*key, *self._told[at:])

    def worth(self, facts: dict[str, float]) -> float:
        """Score of facts."""
        weights = self._weights
        return sum(weights.get(name, 0.0) * value for name, value in facts.items())

    def candidates(
        self, ops: list[Op], facts: dict[str, float], chain: int, *, plain: bool
    ) -> Iterator[Candidate]:
        """The candidates of one script; `plain` leaves out the readings of white space and imports."""
        writer, scene = self._writer, self._scene
        ways = writer.shortened(ops)
        usual = _shortened(ways, DOTS)
        first = writer.write(ops)
        yield self._made(ops, first, facts | usual, chain)
        if plain:
            return
        once, lines = joined(scene, ops)
        if lines:
            yield self._made(
                once, writer.write(once), facts | usual | {"repeated.joined": log1p(lines)}, chain
            )
        for name, splices in (
            ("spacing", writer.write(ops, literal=True)),
            ("verbatim", writer.verbatim(ops)),
        ):
            more = self._spacing(name, ops, first, splices)
            if more is not None:
                yield self._made(ops, splices, facts | usual | more, chain)

    def _made(
        self, ops: list[Op], splices: tuple[Splice, ...], facts: dict[str, float], chain: int
    ) -> Candidate:
        splices = without_blank_end(splices, self._source.lines)
        return Candidate(tuple(ops), splices, (), facts, self.worth(facts), chain, self._scene)

    def _spacing(
        self, name: str, ops: list[Op], first: tuple[Splice, ...], splices: tuple[Splice, ...]
    ) -> dict[str, float] | None:
        """Facts of a reading that changes white space of shared lines; None where it changes none."""
        if splices == first:
            return None
        lines, other = splice(self._source, first).lines, splice(self._source, splices).lines
        if len(lines) != len(other):
            return None
        matched = max(1, sum(op.kind == "match" and bool(self._scene.file.keys[op.f]) for op in ops))
        differing = sum(one != two for one, two in zip(lines, other, strict=True))
        return {
            name: 1.0,
            f"{name}.share": differing / matched,
            f"{name}.alone": float(not first),
            f"{name}.wrapped": _under_new(self._scene, ops) / matched,
        }


def _shortened(ways: Iterable[str], kept: frozenset[str]) -> dict[str, float]:
    """Facts about lines of the file that the edit shortens: which stay whole, and which do not."""
    return {f"kept.{way}" if way in kept else f"taken.{way}": 1.0 for way in ways}


def _under_new(scene: Scene, ops: Sequence[Op]) -> int:
    """Shared lines that stand in a block which the edit opens anew."""
    new = {op.e for op in ops if op.kind == "insert"}
    count = 0
    for op in ops:
        if op.kind == "match" and scene.table.keys[op.e]:
            parent = scene.edit.parents[op.e]
            while parent >= 0 and parent not in new:
                parent = scene.edit.parents[parent]
            count += parent >= 0
    return count


def _combinations(options: Sequence[Sequence[Alternative]]) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Choices of one alternative a gap, the best sum of scores first, at most `TRIES` of them."""
    first = tuple(0 for _ in options)
    best = sum(one[0].score for one in options)
    heap = [(-best, first)]
    seen = {first}
    for _ in range(TRIES):
        if not heap:
            return
        negative, picked = heapq.heappop(heap)
        yield -negative, picked
        for index, choice in enumerate(picked):
            if choice + 1 < len(options[index]):
                other = (*picked[:index], choice + 1, *picked[index + 1 :])
                if other not in seen:
                    seen.add(other)
                    loss = options[index][choice].score - options[index][choice + 1].score
                    heapq.heappush(heap, (negative + loss, other))
