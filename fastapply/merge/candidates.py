"""The candidates of a lazy edit: its best merges that differ in text, each with its features.

A chain of anchors says which lines of the edit are lines of the file (see `align`); each of its gaps
has alternatives (see `alternatives`). A candidate is one alternative for each gap of one chain; the
best of all combinations are found without trying them all.
"""

from __future__ import annotations

import heapq
from itertools import accumulate, pairwise
from math import log1p
from typing import TYPE_CHECKING

from fastapply.merge.alternatives import GapAlternatives
from fastapply.merge.certainty.blocks import structure_features
from fastapply.merge.chains import find_chains
from fastapply.merge.fill import ScriptLine
from fastapply.merge.gap import add_features
from fastapply.merge.repeated import joined
from fastapply.merge.writing import DOTS, Writer, without_blank_end
from fastapply.text import splice
from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fastapply.merge.align import Aligner, Alignment
    from fastapply.merge.alternatives import Alternative
    from fastapply.merge.anchors import Anchor
    from fastapply.merge.elements import MergeContext
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
    """One merge of a snippet: its edit script, splices and text, and its features."""

    ops: tuple[ScriptLine, ...]
    splices: tuple[Splice, ...]
    lines: tuple[str, ...]
    features: dict[str, float]
    score: float
    chain: int
    context: MergeContext
    broken: bool = False  # the verifier refuses it in any case
    lost: tuple[Entry, ...] = ()  # what it would take away and nobody names


def told(lines: Sequence[str]) -> tuple[str, ...]:
    """Lines without the blank ones and white space at their ends: what makes two candidates different."""
    return tuple(map(str.rstrip, filter(str.strip, lines)))


def key_of(candidate: Candidate) -> tuple[str, ...]:
    """What makes a candidate a different one: its text, or in a large file what it puts where."""
    if len(candidate.lines) < LARGE:
        return told(candidate.lines)
    return tuple(
        text for one in candidate.splices for text in (str(one.start), str(one.end), *told(one.lines))
    )


def find_candidates(
    source: SourceText, context: MergeContext, aligner: Aligner, best: Alignment, weights: dict[str, float]
) -> list[Candidate]:
    """The best candidates of an edit, the best first by the score of their features."""
    gaps = GapAlternatives(context, aligner, weights)
    writing = _Writing(source, context, Writer(context, aligner.ratio), weights)
    found: dict[tuple[str, ...], Candidate] = {}
    for number, chain in enumerate(find_chains(aligner, best, context)):
        anchors = [aligner.start, *chain.anchors, aligner.finish]
        shared = chain_features(gaps, best, chain, number)
        options = [
            gaps.between(a, b, transition)
            for (a, b), transition in zip(pairwise(anchors), chain.transitions, strict=True)
        ]
        base = writing.score(shared)
        for tried, (score, picked) in enumerate(_combinations(options)):
            least = sorted((one.score for one in found.values()), reverse=True)[MOST - 1 : MOST]
            if least and base + score < least[0]:
                break
            script, features = _joined(context, anchors, options, picked)
            features = add_features(shared, features) | structure_features(context, script)
            for candidate in writing.candidates(script, features, number, plain=tried >= VARIED):
                key = writing.key(candidate.splices)
                known = found.get(key)
                found[key] = candidate if known is None else _one_of(known, candidate)
    best_ones = sorted(found.values(), key=lambda one: -one.score)[:MOST]
    return [replace(one, lines=splice(source, one.splices).lines) for one in best_ones]


def _one_of(known: Candidate, other: Candidate) -> Candidate:
    """Of two candidates with the same text the likelier one; its blank lines are those of an alignment."""
    best, least = (known, other) if known.score >= other.score else (other, known)
    if any(name.startswith("repeated.") for name in best.features):
        return replace(least, features=best.features, score=best.score)
    return best


def _joined(
    context: MergeContext,
    anchors: Sequence[Anchor],
    options: Sequence[Sequence[Alternative]],
    picked: tuple[int, ...],
) -> tuple[list[ScriptLine], dict[str, float]]:
    """The script of a whole chain with one alternative picked for each gap, and the sum of their features."""
    ops: list[ScriptLine] = []
    features: dict[str, float] = {}
    for index, choice in enumerate(picked):
        ops += options[index][choice].ops
        features = add_features(features, options[index][choice].features)
        anchor = anchors[index + 1]
        if anchor.kind not in {"bound", "end"}:
            same = context.table.keys[anchor.i] == context.file.keys[anchor.start]
            ops.append(ScriptLine("match" if same else "near", anchor.i, anchor.start))
    return ops, features


def chain_features(gaps: GapAlternatives, best: Alignment, chain: Alignment, number: int) -> dict[str, float]:
    """Features of a chain itself: how far it is behind the best one, and what its changed lines say."""
    shared: dict[str, float] = {}
    if number:
        shared["chain.other"] = 1.0
        shared["chain.behind"] = log1p(max(0.0, best.score - chain.score))
    for anchor in chain.anchors:
        if anchor.kind == "near":
            alike = gaps.features.alike(anchor.i, anchor.start)
            shared["near"] = shared.get("near", 0.0) + 1.0
            shared["near.unlike"] = shared.get("near.unlike", 0.0) + 1 - alike
            new, old = gaps.features.edit_name(anchor.i), gaps.features.file_name(anchor.start)
            if new and old and new != old:
                shared["near.renamed"] = shared.get("near.renamed", 0.0) + 1.0
    for transition in chain.transitions:
        if transition.question:
            shared[f"step.{transition.question}"] = shared.get(f"step.{transition.question}", 0.0) + 1.0
    return shared


class _Writing:
    """Writes scripts as candidates: as they are, and with other readings of white space and short lines."""

    def __init__(
        self, source: SourceText, context: MergeContext, writer: Writer, weights: dict[str, float]
    ) -> None:
        self._source, self._context, self._writer, self._weights = source, context, writer, weights
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

    def score(self, features: dict[str, float]) -> float:
        """Score of features."""
        weights = self._weights
        return sum(weights.get(name, 0.0) * value for name, value in features.items())

    def candidates(
        self, ops: list[ScriptLine], features: dict[str, float], chain: int, *, plain: bool
    ) -> Iterator[Candidate]:
        """The candidates of one script; `plain` leaves out the readings of white space and imports."""
        writer, context = self._writer, self._context
        ways = writer.shortened(ops)
        usual = _shortened(ways, DOTS)
        first = writer.write(ops)
        yield self._made(ops, first, features | usual, chain)
        if plain:
            return
        once, lines = joined(context, ops)
        if lines:
            yield self._made(
                once, writer.write(once), features | usual | {"repeated.joined": log1p(lines)}, chain
            )
        for name, splices in (
            ("spacing", writer.write(ops, literal=True)),
            ("verbatim", writer.verbatim(ops)),
        ):
            more = self._spacing(name, ops, first, splices)
            if more is not None:
                yield self._made(ops, splices, features | usual | more, chain)

    def _made(
        self, ops: list[ScriptLine], splices: tuple[Splice, ...], features: dict[str, float], chain: int
    ) -> Candidate:
        splices = without_blank_end(splices, self._source.lines)
        return Candidate(tuple(ops), splices, (), features, self.score(features), chain, self._context)

    def _spacing(
        self, name: str, ops: list[ScriptLine], first: tuple[Splice, ...], splices: tuple[Splice, ...]
    ) -> dict[str, float] | None:
        """Features of a reading that changes white space of shared lines; None where it changes none."""
        if splices == first:
            return None
        lines, other = splice(self._source, first).lines, splice(self._source, splices).lines
        if len(lines) != len(other):
            return None
        matched = max(1, sum(op.kind == "match" and bool(self._context.file.keys[op.f]) for op in ops))
        differing = sum(one != two for one, two in zip(lines, other, strict=True))
        return {
            name: 1.0,
            f"{name}.share": differing / matched,
            f"{name}.alone": float(not first),
            f"{name}.wrapped": _under_new(self._context, ops) / matched,
        }


def _shortened(ways: Iterable[str], kept: frozenset[str]) -> dict[str, float]:
    """Features of lines of the file that the edit shortens: which stay whole, and which do not."""
    return {f"kept.{way}" if way in kept else f"taken.{way}": 1.0 for way in ways}


def _under_new(context: MergeContext, ops: Sequence[ScriptLine]) -> int:
    """Shared lines that stand in a block which the edit opens anew."""
    new = {op.e for op in ops if op.kind == "insert"}
    count = 0
    for op in ops:
        if op.kind == "match" and context.table.keys[op.e]:
            parent = context.edit.parents[op.e]
            while parent >= 0 and parent not in new:
                parent = context.edit.parents[parent]
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
