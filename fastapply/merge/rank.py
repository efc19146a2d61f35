"""The candidates of a lazy edit, ranked, and how certain it is that the first one is right.

    readings ─ candidates ─ facts of each gap ─ facts of the whole text ─ score ─▶ ranked
                                                                            └────▶ certainty of the first

A snippet can be read in more than one way (a marker inside a string, a removal note that is a comment); each
reading has candidates of its own. Candidates with the same text, blank lines aside, are one. The score of a
candidate is the sum of its weighted facts; the certainty weighs the lead of the first one over the others,
and its facts. All weights are fitted, see `train certainty`.
"""

from __future__ import annotations

from collections import Counter
from math import exp, log, log1p
from typing import TYPE_CHECKING

from fastapply.formats.markers import comment_body, continues_comment, is_marker, string_interior
from fastapply.merge.align import align
from fastapply.merge.candidates import Candidate, find_candidates, key_of, told
from fastapply.merge.certainty.borders import Borders
from fastapply.merge.certainty.changes import anchored_of, changes_of, joined, parts_decorator
from fastapply.merge.certainty.contradictions import Contradictions, adopted, bodiless, seems_cut
from fastapply.merge.certainty.fits import Fits
from fastapply.merge.certainty.habits import habits_of
from fastapply.merge.certainty.keys import doubled_keys
from fastapply.merge.certainty.marked import marked_of, read_markers
from fastapply.merge.certainty.outcome import Outcome
from fastapply.merge.certainty.placed import placed_of, read_places
from fastapply.merge.certainty.said import GONE, count_stems, read_speech, said_of, stems
from fastapply.merge.certainty.seams import fit_of
from fastapply.merge.certainty.shape import hunks_of, shape_of
from fastapply.merge.certainty.terms import Terms
from fastapply.merge.certainty.weights import Weights, load_weights
from fastapply.merge.elements import (
    Scene,
    lone_comments,
    may_stand_for_more,
    read_lazy,
    tells_of_removal,
)
from fastapply.merge.entries import KEYED, Losses
from fastapply.merge.indentation import indent_of
from fastapply.merge.plain.commas import with_commas
from fastapply.merge.plain.draft import Reindent, script_of, splices_of
from fastapply.merge.plain.readings import plain_drafts
from fastapply.merge.plain.rewrap import with_hidden_moved
from fastapply.merge.whole import read_extent, replace_whole
from fastapply.text import splice
from fastapply.types import FileEdit, Splice
from fastapply.values import dataclass, replace
from fastapply.verify import CONSTRAINTS, check_imports_twice, check_readers, verify

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from fastapply.merge.certainty.marked import Named
    from fastapply.merge.effort import Effort
    from fastapply.merge.elements import LazyEdit
    from fastapply.merge.lines import LineTable
    from fastapply.text import SourceText
    from fastapply.types import Snippet

_QUOTES = str.maketrans("'`", '""')
SAYS = 0.2
"""Weight of a line from which on it says something about where it is."""
MOST_JUDGED = 10
"""Candidates whose whole text is looked at."""
MOST_LISTED = 3
"""Candidates of the alignment that are also tried with the commas of a list."""
MOST_VERIFIED = 5
"""Candidates that are parsed and verified; the right one is among them as often as among all."""
HOPELESS = 9.0
"""Score by which a candidate's gaps fall short of the best one's when its text is not looked at any more."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates, the best first, with their scores; `certainty` is the chance that the first is right."""

    candidates: tuple[Candidate, ...]
    scores: tuple[float, ...]
    certainty: float
    facts: dict[str, float]  # what the certainty was made of


@dataclass(frozen=True, slots=True)
class Request:
    """One snippet for one file, and what was said along with it."""

    source: SourceText
    snippet: Snippet
    file: LineTable
    language: str | None
    said: str  # the line of instructions, and the words around the code


def rank(request: Request, effort: Effort, weights: Weights | None = None) -> Ranking:
    """Rank the candidates of a snippet."""
    weights = weights or load_weights()
    found = list_candidates(request, effort, weights.local)
    if not found:
        return Ranking((), (), 0.0, {})
    judged = judge(request, found, weights)
    standing = not_broken(judged)
    scored = sorted(((weights.score(one.facts), one) for one in standing), key=lambda pair: -pair[0])
    ranked, scores = [one for _, one in scored], [score for score, _ in scored]
    facts = lead_facts(scores, ranked[0].facts)
    last = [one for one in judged if one not in standing]  # for picks, and --allow
    scores += [scores[-1] - HOPELESS] * len(last)
    return Ranking((*ranked, *last), tuple(scores), weights.certainty(facts), facts)


def not_broken(judged: Sequence[Candidate]) -> list[Candidate]:
    """Candidates that break no constraint of the verifier; all of them where each breaks one."""
    return [one for one in judged if not one.broken] or list(judged)


def list_candidates(request: Request, effort: Effort, weights: dict[str, float]) -> list[Candidate]:
    """Candidates of all readings, by the facts of their gaps alone."""
    file = request.file
    found: dict[tuple[str, ...], Candidate] = {}
    for edit, facts in _readings(request):
        aligner, best = align(edit, file, effort)
        extra = sum(weights.get(name, 0.0) * value for name, value in facts.items())
        for one in find_candidates(request.source, Scene(edit, file), aligner, best, weights):
            candidate = replace(one, facts=one.facts | facts, score=one.score + extra)
            key = key_of(candidate)
            if key not in found or found[key].score < candidate.score:
                found[key] = candidate
    held = {line.strip() for line in (*file.lines, *_in_strings(request.snippet.lines, file))}
    clean = [
        one
        for one in found.values()
        if not leaves_marker(one.lines, held)
        and not parts_decorator(file, changes_of(one.scene, one.ops), request.language)
    ]
    ranked = sorted(clean, key=lambda one: -one.score)[:MOST_JUDGED]
    ranked = [one for one in ranked if one.score >= ranked[0].score - HOPELESS] if ranked else []
    plain = list(_plain(request))
    others = [*plain, *([whole] if (whole := _whole(request)) is not None else [])]
    reindent = Reindent(request.snippet.lines, file.lines)
    for one in ranked[:MOST_LISTED]:
        others += [also for also in (_with_commas(request, one), _moved(request, one, reindent)) if also]
    if GONE.search(request.said):
        spare = _without_unused(request, [*ranked[:MOST_LISTED], *plain])
        others += spare
    return _with(ranked, [one for one in others if not leaves_marker(one.lines, held)])


def _with(ranked: Sequence[Candidate], others: Sequence[Candidate]) -> list[Candidate]:
    """Candidates of the alignment and other ones; what gives the same text is one with the facts of both."""
    best = max((one.score for one in ranked), default=0.0)
    found = {told(one.lines): replace(one, facts=one.facts | {"aligned": 1.0}) for one in ranked}
    for one in others:
        key = told(one.lines)
        known = found.get(key)
        if known is None:
            found[key] = replace(one, score=best)
            continue
        found[key] = replace(known, facts=one.facts | known.facts)
        if known.facts.get("no_anchor") and one.facts.get("plain"):  # which knows the blank lines there
            found[key] = replace(found[key], splices=one.splices, lines=one.lines)
    return list(found.values())


def _with_commas(request: Request, one: Candidate) -> Candidate | None:
    """A candidate with the commas that its new entries and those beside them lack."""
    splices = with_commas(one.splices, request.file, request.language)
    if splices is None:
        return None
    facts = one.facts | {"comma": 1.0}
    return replace(one, splices=splices, lines=splice(request.source, splices).lines, facts=facts)


def _without_unused(request: Request, found: Sequence[Candidate]) -> list[Candidate]:
    """Merges that also take out the imports which they leave without a use, where something is told to go."""
    contradictions = Contradictions(request.file, request.said, request.language)
    tried: list[Candidate] = []
    for one in found:
        spare = contradictions.unused(one.splices)
        if not spare:
            continue
        splices = sorted([*one.splices, *(Splice(n, n + 1, ()) for n in spare)], key=lambda each: each.start)
        lines = splice(request.source, splices).lines
        facts = one.facts | {"imports_go": 1.0}
        tried.append(replace(one, splices=tuple(splices), lines=lines, facts=facts))
    return tried


def _moved(request: Request, one: Candidate, reindent: Reindent) -> Candidate | None:
    """A candidate with hidden lines indented as their marker, in a new block or out of one that goes."""
    change = with_hidden_moved(one.scene, one.ops, one.lines, reindent)
    if change is None:
        return None
    splices = splices_of((change,), request.source.lines)
    return replace(
        one,
        splices=splices,
        lines=splice(request.source, splices).lines,
        ops=tuple(script_of(one.scene, (change,))),
        facts=one.facts | {"moved_hidden": 1.0},
    )


def _plain(request: Request) -> Iterator[Candidate]:
    """The plain readings, in no order."""
    lines = request.snippet.lines
    quoted = quoted_as(lines, request.file)
    for shown in [lines, quoted] if quoted != lines else [lines]:
        scene = Scene(read_lazy(shown, request.file, request.language), request.file)
        facts = {"reading.quotes": 1.0} if shown is not lines else {}
        for draft in plain_drafts(scene, request.said, request.language):
            splices = splices_of(draft.changes, request.source.lines)
            merged = splice(request.source, splices).lines
            ops = tuple(script_of(scene, draft.changes))
            yield Candidate(ops, splices, merged, draft.facts | facts, 0.0, 0, scene)


def quoted_as(lines: tuple[str, ...], file: LineTable) -> tuple[str, ...]:
    """An edit's lines, those that differ from a file line in nothing but quotes as the file has them.

    All as they are where quotes are all that the edit changes.
    """
    held = {key.translate(_QUOTES): number for number, key in enumerate(file.keys) if key}
    known = set(file.keys)
    found = list(lines)
    for number, line in enumerate(lines):
        key = "".join(line.split())
        if key not in known and (same := held.get(key.translate(_QUOTES))) is not None:
            found[number] = indent_of(line) + file.lines[same].strip()
    news = any(
        key and key not in known and not is_marker(line) for line in found if (key := "".join(line.split()))
    )
    return tuple(found) if news else lines


def _in_strings(lines: Sequence[str], file: LineTable) -> Iterator[str]:
    """Lines of an edit in a string of several lines, which are text there if the file has one like them."""
    inside = [lines[number].strip() for number in string_interior(lines)]
    if any(is_marker(line) and "".join(line.split()) in file.keys for line in inside):
        yield from inside


def leaves_marker(lines: Sequence[str], held: Collection[str]) -> bool:
    """Whether a comment that stands for hidden lines became text; three bare dots may be code.

    So may nothing that says in brackets what was removed: ``// (cases 0 and 1 removed)``.

    `held` are the file's own lines, without white space at their ends.
    """
    return any(
        line.strip() not in held
        and (body := comment_body(line)) is not None
        and (
            (is_marker(line) and not continues_comment(lines, number))
            or (_in_brackets(body) and tells_of_removal(line))
        )
        for number, line in enumerate(lines)
    )


def _in_brackets(body: str) -> bool:
    return body[:1] + body[-1:] in {"()", "[]"}


def _readings(request: Request) -> Iterator[tuple[LazyEdit, dict[str, float]]]:
    lines, file, language = request.snippet.lines, request.file, request.language
    plain = read_lazy(lines, file, language)
    yield plain, {}
    quoted = quoted_as(lines, file)
    if quoted != lines:
        yield read_lazy(quoted, file, language), {"reading.quotes": 1.0}
    other = read_lazy(lines, file, language, in_strings=True)
    if other.kinds != plain.kinds:
        yield other, {"reading.in_strings": 1.0}
    if "note" in plain.kinds:
        yield read_lazy(lines, file, language, notes=False), {"reading.no_notes": 1.0}
    may_be = any(may_stand_for_more(line) or tells_of_removal(line) for line in lines)
    if may_be or lone_comments(lines, file, language):
        loose = read_lazy(lines, file, language, loose=True)
        if loose.kinds != plain.kinds:
            yield loose, {"reading.loose": 1.0}


def _whole(request: Request) -> Candidate | None:
    """The candidate in which the snippet is the whole file; None for a snippet with markers."""
    file, snippet = request.file, request.snippet
    edit = read_lazy(snippet.lines, file, request.language)
    if edit.has_markers:
        return None
    extent = read_extent(edit.table, file, said_whole=snippet.said_whole)
    splices = replace_whole(edit.table, file)
    facts = {"whole": 1.0, "whole.kept": extent.kept, "whole.said": float(snippet.said_whole)}
    first = next((key for key in edit.table.keys if key), "")
    last = next((key for key in reversed(edit.table.keys) if key), "")
    facts["whole.begins"] = float(first == next((key for key in file.keys if key), ""))
    facts["whole.ends"] = float(last == next((key for key in reversed(file.keys) if key), ""))
    size = sum(1 for key in file.keys if key)
    facts["whole.longer"] = log((1 + sum(1 for key in edit.table.keys if key)) / (1 + size))
    lines = splice(request.source, splices).lines
    return Candidate((), splices, lines, facts, 0.0, 0, Scene(edit, file))


def judge(request: Request, found: Sequence[Candidate], weights: Weights | None = None) -> list[Candidate]:
    """Candidates with the facts about their whole texts.

    With `weights`, only the few are parsed and verified that come first by what costs little to know; the
    others are left out.
    """
    if not found:
        return []
    judged = _cheap(request, found)
    if weights is not None and len(judged) > MOST_VERIFIED:
        scored = sorted(judged, key=lambda one: -weights.promise(one.facts))
        judged = scored[:MOST_VERIFIED]
    return _costly(request, judged)


def _cheap(request: Request, found: Sequence[Candidate]) -> list[Candidate]:
    """Candidates with the facts that need no parser: about words, places, markers, and what stands beside."""
    source, snippet = request.source, request.snippet
    held = count_stems(request.file.lines)
    speech, places = read_speech(request.said, held), read_places(request.said, held)
    terms = Terms(source.lines, snippet.lines, request.said)
    fits, borders = Fits(source.lines), Borders(source.lines, snippet.lines)
    losses = Losses(request.file, snippet.lines, request.said, request.language)
    contradictions = Contradictions(request.file, request.said, request.language)
    markers: dict[Scene, Named] = {}
    best = max(one.score for one in found)
    seen = seen_facts(request)
    judged = []
    for one in found:
        facts = one.facts | seen
        if one.score < best:
            facts["behind"] = log1p(best - one.score)
        if one.ops:
            if one.scene not in markers:
                markers[one.scene] = read_markers(one.scene, held)
            changes = changes_of(one.scene, one.ops)
            facts |= said_of(one.scene, one.ops, speech)
            facts |= placed_of(places, one.scene.file, changes)
            facts |= marked_of(one.scene, one.ops, markers[one.scene])
            facts |= habits_of(one.scene, one.ops)
            facts |= anchored_of(one.scene, one.ops, joined(changes, one.scene.file))
            facts |= fit_of(one.scene, one.ops, one.lines)
            facts["odd.adopted"] = adopted(one.scene, one.ops)
            facts["odd.bodiless"] = bodiless(one.scene, one.ops)
        facts |= shape_of(hunks_of(source.lines, one.splices)) | terms.of(one.splices)
        facts |= fits.of(one.splices) | borders.of(one.splices) | contradictions.of(one.splices)
        lost = () if snippet.said_whole else tuple(losses.of(one.splices))
        if lost:
            facts["lost.unnamed"] = log1p(len(lost))
        judged.append(replace(one, facts=facts, lost=lost))
    return judged


def _costly(request: Request, found: Sequence[Candidate]) -> list[Candidate]:
    """Candidates with what parser and verifier say of their texts, facts ``out.*`` and ``found.*``."""
    source, snippet, language = request.source, request.snippet, request.language
    outcome = Outcome(source.lines, snippet.lines, language, request.said)
    alone = FileEdit(None, "update", (snippet,))
    twice = doubled_keys(source.lines, language)
    judged = []
    for one in found:
        facts = one.facts | {
            f"out.{name}": value for name, value in outcome.of(one.lines, one.splices).items()
        }
        if facts.pop("out.told_spacing", 0.0) and ("spacing" in facts or "verbatim" in facts):
            facts["out.spacing_told"] = 1.0
        counted: dict[str, int] = {}
        merged = splice(source, one.splices)
        for finding in verify(source, alone, merged, language=language):
            counted[finding.code] = counted.get(finding.code, 0) + 1
        broken = (
            not CONSTRAINTS.isdisjoint(counted)
            or bool(check_imports_twice(source, alone, merged, language))
            or bool(check_readers(source, merged, language))
        )
        facts |= {f"found.{code}": 1 + log(count) for code, count in counted.items()}
        again = doubled_keys(one.lines, language) - twice
        if again > 0:
            facts["out.key_twice"] = log1p(again)
        judged.append(replace(one, facts=facts, broken=broken))
    return judged


def seen_facts(request: Request) -> dict[str, float]:
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


def lead_facts(scores: Sequence[float], first: dict[str, float]) -> dict[str, float]:
    """The lead of the first candidate over the others, whose scores come sorted, and its own facts."""
    share = 1 / sum(exp(score - scores[0]) for score in scores)
    facts = {f"first.{name}": value for name, value in first.items()}
    facts["lead"] = min(12.0, log(share + 1e-6) - log(1 - share + 1e-6))
    facts["margin"] = min(12.0, scores[0] - scores[1]) if len(scores) > 1 else 12.0
    facts["alone"] = float(len(scores) == 1)
    facts["score"] = scores[0]
    facts["candidates"] = log1p(len(scores))
    return facts
