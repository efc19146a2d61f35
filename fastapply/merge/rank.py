"""The candidates of a lazy edit, ranked, and how certain it is that the first one is right.

    readings ─ candidates ─ features of each gap ─ features of the whole text ─ score ─▶ ranked
                                                                            └────▶ certainty of the first

Which merges are candidates says `listing`. The score of a candidate is the sum of its weighted features; the
certainty weighs the lead of the first one over the others, and its features. All weights are fitted, see
`train certainty`.
"""

from __future__ import annotations

from collections import Counter
from math import exp, log, log1p
from typing import TYPE_CHECKING

from fastapply.merge.certainty.borders import Borders
from fastapply.merge.certainty.changes import anchored_of, changes_of, joined
from fastapply.merge.certainty.contradictions import (
    Contradictions,
    adopted,
    bodiless,
    noted_stays,
    seems_cut,
)
from fastapply.merge.certainty.fits import Fits
from fastapply.merge.certainty.habits import habits_of
from fastapply.merge.certainty.heeded import Heeded
from fastapply.merge.certainty.keys import doubled_keys
from fastapply.merge.certainty.marked import marked_of, read_markers
from fastapply.merge.certainty.outcome import Outcome
from fastapply.merge.certainty.placed import placed_of, read_places
from fastapply.merge.certainty.said import count_stems, read_instructions, said_of, stems
from fastapply.merge.certainty.seams import fit_of
from fastapply.merge.certainty.shape import hunks_of, shape_of
from fastapply.merge.certainty.terms import Terms
from fastapply.merge.certainty.weights import Weights, load_weights
from fastapply.merge.elements import (
    MergeContext,
    read_lazy,
)
from fastapply.merge.entries import KEYED, Losses
from fastapply.merge.listing import HOPELESS, Request, list_candidates
from fastapply.merge.shortening import lacks_of
from fastapply.text import splice
from fastapply.types import FileEdit
from fastapply.values import dataclass, replace
from fastapply.verify import CONSTRAINTS, check_imports_twice, check_readers, verify

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.candidates import Candidate
    from fastapply.merge.certainty.marked import Named
    from fastapply.merge.effort import Effort

SAYS = 0.2
"""Weight of a line from which on it says something about where it is."""
MOST_VERIFIED = 5
"""Candidates that are parsed and verified; the right one is among them as often as among all."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates, the best first, with their scores; `certainty` is the chance that the first is right."""

    candidates: tuple[Candidate, ...]
    scores: tuple[float, ...]
    certainty: float
    features: dict[str, float]  # what the certainty was made of


def rank(request: Request, effort: Effort, weights: Weights | None = None) -> Ranking:
    """Rank the candidates of a snippet."""
    weights = weights or load_weights()
    found = list_candidates(request, effort, weights.local)
    if not found:
        return Ranking((), (), 0.0, {})
    judged = judge(request, found, weights)
    standing = not_broken(judged)
    scored = sorted(((weights.score(one.features), one) for one in standing), key=lambda pair: -pair[0])
    ranked, scores = [one for _, one in scored], [score for score, _ in scored]
    features = lead_features(scores, ranked[0].features)
    last = [one for one in judged if one not in standing]  # for picks, and --allow
    scores += [scores[-1] - HOPELESS] * len(last)
    return Ranking((*ranked, *last), tuple(scores), weights.certainty(features), features)


def not_broken(judged: Sequence[Candidate]) -> list[Candidate]:
    """Candidates that break no constraint of the verifier; all of them where each breaks one."""
    return [one for one in judged if not one.broken] or list(judged)


def judge(request: Request, found: Sequence[Candidate], weights: Weights | None = None) -> list[Candidate]:
    """Candidates with the features of their whole texts.

    With `weights`, only the few are parsed and verified that come first by what costs little to know; the
    others are left out.
    """
    if not found:
        return []
    judged = _cheap(request, found)
    if weights is not None and len(judged) > MOST_VERIFIED:
        scored = sorted(judged, key=lambda one: -weights.promise(one.features))
        judged = scored[:MOST_VERIFIED]
    return _costly(request, judged)


def _cheap(request: Request, found: Sequence[Candidate]) -> list[Candidate]:
    """Candidates with the features that need no parser: of words, places, markers, and what stands beside."""
    source, snippet = request.source, request.snippet
    held = count_stems(request.file.lines)
    instructions, places = read_instructions(request.said, held), read_places(request.said, held)
    terms = Terms(source.lines, snippet.lines, request.said)
    fits, borders = Fits(source.lines), Borders(source.lines, snippet.lines)
    losses = Losses(request.file, snippet.lines, request.said, request.language)
    contradictions = Contradictions(request.source, request.file, request.said, request.language)
    heeded = Heeded(request.file, snippet.lines, request.said, held)
    markers: dict[MergeContext, Named] = {}
    best = max(one.score for one in found)
    seen = seen_features(request)
    edit = read_lazy(snippet.lines, request.file, request.language)
    judged = []
    for one in found:
        features = one.features | seen
        if one.score < best:
            features["behind"] = log1p(best - one.score)
        if one.ops:
            if one.context not in markers:
                markers[one.context] = read_markers(one.context, held)
            changes = changes_of(one.context, one.ops)
            features |= said_of(one.context, one.ops, instructions)
            features |= placed_of(places, one.context.file, changes)
            features |= marked_of(one.context, one.ops, markers[one.context])
            features |= habits_of(one.context, one.ops)
            features |= anchored_of(one.context, one.ops, joined(changes, one.context.file))
            features |= fit_of(one.context, one.ops, one.lines)
            features["odd.adopted"] = adopted(one.context, one.ops)
            features["odd.bodiless"] = bodiless(one.context, one.ops)
        features |= shape_of(hunks_of(source.lines, one.splices)) | terms.of(one.splices)
        features |= fits.of(one.splices) | borders.of(one.splices) | contradictions.of(one.splices)
        features |= heeded.of(one.splices) | lacks_of(one.splices, source.lines)
        features["odd.noted_stays"] = noted_stays(edit, one.lines)
        lost = () if snippet.said_whole else tuple(losses.of(one.splices))
        if lost:
            features["lost.unnamed"] = log1p(len(lost))
        judged.append(replace(one, features=features, lost=lost))
    return judged


def _costly(request: Request, found: Sequence[Candidate]) -> list[Candidate]:
    """Candidates with what parser and verifier say of their texts, features ``out.*`` and ``found.*``."""
    source, snippet, language = request.source, request.snippet, request.language
    outcome = Outcome(source.lines, snippet.lines, language, request.said)
    alone = FileEdit(None, "update", (snippet,))
    twice = doubled_keys(source.lines, language)
    judged = []
    for one in found:
        features = one.features | {
            f"out.{name}": value for name, value in outcome.of(one.lines, one.splices).items()
        }
        if features.pop("out.told_spacing", 0.0) and ("spacing" in features or "verbatim" in features):
            features["out.spacing_told"] = 1.0
        counted: dict[str, int] = {}
        merged = splice(source, one.splices)
        for finding in verify(source, alone, merged, language=language):
            counted[finding.code] = counted.get(finding.code, 0) + 1
        broken = (
            not CONSTRAINTS.isdisjoint(counted)
            or bool(check_imports_twice(source, alone, merged, language))
            or bool(check_readers(source, merged, language))
        )
        features |= {f"found.{code}": 1 + log(count) for code, count in counted.items()}
        again = doubled_keys(one.lines, language) - twice
        if again > 0:
            features["out.key_twice"] = log1p(again)
        judged.append(replace(one, features=features, broken=broken))
    return judged


def seen_features(request: Request) -> dict[str, float]:
    """What is seen of an edit before anything is merged: sizes, markers, and how much of it is in the file.

    The population that an edit comes from is not known in use; these tell what they can of it.
    """
    edit = read_lazy(request.snippet.lines, request.file, request.language)
    held = set(request.file.keys)
    texts = [e for e, kind in enumerate(edit.kinds) if kind == "text"]
    shown = [e for e in texts if edit.table.keys[e] in held and edit.table.weights[e] > SAYS]
    count = Counter(request.file.keys)
    once = sum(count[edit.table.keys[e]] == 1 for e in shown)
    told = stems("\n".join(edit.table.lines[e] for e in texts))
    known = stems("\n".join(request.file.lines))
    return {
        "seen.file": log1p(len(request.file.lines)),
        "seen.edit": log1p(len(texts)),
        "seen.markers": float(min(4, edit.kinds.count("marker"))),
        "seen.notes": float("note" in edit.kinds),
        "seen.shown": len(shown) / max(1, len(texts)),
        "seen.once": log1p(once),
        "seen.said": float(bool(request.said.strip())),
        "seen.words": len(told & known) / len(told) if told else 0.0,
        "seen.cut": seems_cut(edit, request.language),
        "seen.data": float(request.language in KEYED),
        "seen.flush": float(bool(texts) and min(edit.depths[e] for e in texts) == 0),
    }


def lead_features(scores: Sequence[float], first: dict[str, float]) -> dict[str, float]:
    """The lead of the first candidate over the others, whose scores come sorted, and its own features."""
    share = 1 / sum(exp(score - scores[0]) for score in scores)
    features = {f"first.{name}": value for name, value in first.items()}
    features["lead"] = min(12.0, log(share + 1e-6) - log(1 - share + 1e-6))
    features["margin"] = min(12.0, scores[0] - scores[1]) if len(scores) > 1 else 12.0
    features["alone"] = float(len(scores) == 1)
    features["score"] = scores[0]
    features["candidates"] = log1p(len(scores))
    return features
