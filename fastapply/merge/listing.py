"""Which merges of a lazy edit are candidates: those of the alignment, the plain readings, and the whole file.

    readings ─┬ aligned ─ the likeliest ─┬ with the commas of a list, with hidden lines moved
              ├ plain                    └ without imports that lose their last use
              └ the whole file

A snippet can be read in more than one way (a marker inside a string, a removal note that is a comment, other
quotes); each reading has candidates of its own. Candidates with the same text, blank lines aside, are one.
"""

from __future__ import annotations

import re
from itertools import pairwise
from math import log, log1p
from typing import TYPE_CHECKING

from fastapply.edits.markers import comment_body, continues_comment, is_marker, string_interior
from fastapply.merge.align import align
from fastapply.merge.candidates import Candidate, find_candidates, key_of, told
from fastapply.merge.certainty.changes import changes_of, parts_decorator
from fastapply.merge.certainty.contradictions import Contradictions
from fastapply.merge.certainty.said import GONE
from fastapply.merge.elements import (
    MergeContext,
    lone_comments,
    may_stand_for_more,
    read_lazy,
    tells_of_removal,
)
from fastapply.merge.entries import Losses
from fastapply.merge.indentation import indent_of
from fastapply.merge.plain.commas import with_commas
from fastapply.merge.plain.draft import Change, Reindent, script_of, splices_of
from fastapply.merge.plain.readings import plain_drafts
from fastapply.merge.plain.rewrap import with_hidden_moved
from fastapply.merge.restored import with_lost
from fastapply.merge.shortening import with_comments, with_details, with_docs
from fastapply.merge.whole import read_extent, replace_whole
from fastapply.text import splice
from fastapply.types import Splice
from fastapply.values import dataclass, replace

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from fastapply.merge.effort import Effort
    from fastapply.merge.elements import LazyEdit
    from fastapply.merge.lines import LineTable
    from fastapply.text import SourceText
    from fastapply.types import Snippet

_QUOTES = str.maketrans("'", '"')
_QUOTES_ALIKE = frozenset(
    {
        "python",
        "javascript",
        "typescript",
        "tsx",
        "vue",
        "svelte",
        "astro",
        "dart",
        "lua",
        "css",
        "scss",
        "less",
    }
    | {"html", "yaml", "r", "ruby", "php"}
)
"""Languages in which both quotes say the same, but for what `_READ` finds inside."""
_READ = re.compile(r"\\|#\{|\"[^\"]*\$[^\"]*\"")
"""What one kind of quotes reads and the other leaves as it is."""
_REMOVAL_IN_BRACKETS = re.compile(
    r"[(\[]\s*(?:removed|deleted|dropped|moved)\b.*[)\]]|"
    r"[(\[].*\b(?:removed|deleted|dropped|gone)(?:\s+(?:here|now|too))?\W*[)\]]",
    re.IGNORECASE,
)
_UNCHANGED = re.compile(r"\b(?:unchanged|existing|omitted|remaining|as before)\b", re.IGNORECASE)
MOST_JUDGED = 10
"""Candidates whose whole text is looked at."""
MOST_LISTED = 3
"""Candidates of the alignment that are also tried with the commas of a list."""
HOPELESS = 9.0
"""Score by which a candidate's gaps fall short of the best one's when its text is not looked at any more."""


@dataclass(frozen=True, slots=True)
class Request:
    """One snippet for one file, and what was said along with it."""

    source: SourceText
    snippet: Snippet
    file: LineTable
    language: str | None
    said: str  # the line of instructions, and the words around the code


def list_candidates(request: Request, effort: Effort, weights: dict[str, float]) -> list[Candidate]:
    """Candidates of all readings, by the features of their gaps alone."""
    file = request.file
    found: dict[tuple[str, ...], Candidate] = {}
    for edit, features in _readings(request):
        aligner, best = align(edit, file, effort)
        extra = sum(weights.get(name, 0.0) * value for name, value in features.items())
        for one in find_candidates(request.source, MergeContext(edit, file), aligner, best, weights):
            candidate = replace(one, features=one.features | features, score=one.score + extra)
            key = key_of(candidate)
            if key not in found or found[key].score < candidate.score:
                found[key] = candidate
    held = {line.strip() for line in (*file.lines, *_in_strings(request.snippet.lines, file))}
    clean = [
        one
        for one in found.values()
        if not leaves_marker(one.lines, held)
        and not parts_decorator(file, changes_of(one.context, one.ops), request.language)
    ]
    ranked = sorted(clean, key=lambda one: -one.score)[:MOST_JUDGED]
    ranked = [one for one in ranked if one.score >= ranked[0].score - HOPELESS] if ranked else []
    plain = list(_plain(request))
    others = [*plain, *([whole] if (whole := _whole(request)) is not None else [])]
    reindent = Reindent(request.snippet.lines, file.lines)
    for one in ranked[:MOST_LISTED]:
        others += [also for also in (_moved(request, one, reindent),) if also]
        others += [both for also in plain if (both := _with_freed(request, one, also)) is not None]
    if GONE.search(request.said):
        spare = _without_unused(request, [*ranked[:MOST_LISTED], *plain])
        others += spare
    others += list(_restored(request, [*ranked[:MOST_LISTED], *others]))
    others += [also for one in (*ranked, *others) for also in _spared(request, one)]
    return _with(ranked, [one for one in others if not leaves_marker(one.lines, held)])


_NO_ANCHOR = frozenset({"no_anchor", "step.no_anchor"})


def _with(ranked: Sequence[Candidate], others: Sequence[Candidate]) -> list[Candidate]:
    """Candidates of the alignment and other ones; those of one text are one with the features of both."""
    best = max((one.score for one in ranked), default=0.0)
    found = {told(one.lines): replace(one, features=one.features | {"aligned": 1.0}) for one in ranked}
    for one in others:
        key = told(one.lines)
        known = found.get(key)
        if known is None:
            found[key] = replace(one, score=best)
            continue
        both = one.features | known.features
        if both.get("plain.sure"):  # the words are its anchor
            both = {name: value for name, value in both.items() if name not in _NO_ANCHOR}
        found[key] = replace(known, features=both)
        if known.features.get("no_anchor") and one.features.get("plain"):  # which knows the blank lines there
            found[key] = replace(found[key], splices=one.splices, lines=one.lines)
    return list(found.values())


def _restored(request: Request, found: Sequence[Candidate]) -> Iterator[Candidate]:
    """Candidates in which what they take away and nobody names stays."""
    losses = Losses(request.file, request.snippet.lines, request.said, request.language)
    for one in found:
        lost = losses.of(one.splices)
        made = set[tuple[Splice, ...]]()
        for first in (True, False) if lost else ():
            splices = with_lost(one.splices, request.file, losses, lost, new_first=first)
            if splices is not None and splices not in made:
                made.add(splices)
                splices = with_commas(splices, request.file, request.language) or splices
                name = "kept.entries" if first else "kept.entries_first"
                yield _changed(request, one, splices, name, log1p(len(lost)))


def _changed(
    request: Request, one: Candidate, splices: Sequence[Splice], name: str, value: float = 1.0
) -> Candidate:
    """A candidate with other changes, and a feature that says which."""
    changes = [Change(each.start, each.end, tuple((-1, text) for text in each.lines)) for each in splices]
    found = splices_of(changes, request.source.lines)
    lines = splice(request.source, found).lines
    return replace(one, splices=found, lines=lines, features=one.features | {name: value})


def _spared(request: Request, one: Candidate) -> Iterator[Candidate]:
    """A candidate with the commas that entries lack, and with the details of lines that stay."""
    bare = with_commas(one.splices, request.file, request.language)
    ended = with_commas(one.splices, request.file, request.language, trailing=True)
    file = request.source.lines
    for name, found in (
        ("comma", bare),
        ("comma.trailing", ended if ended != bare else None),
        ("kept.details", with_details(one.splices, file)),
        ("kept.words", with_comments(one.splices, file)),
        ("kept.docs", with_docs(one.splices, file)),
    ):
        if found is not None:
            yield _changed(request, one, found, name)


def _with_freed(request: Request, one: Candidate, other: Candidate) -> Candidate | None:
    """A candidate with a block taken out as another one does, where it leaves that block as it is."""
    if "wrap.freed" not in other.features or not one.splices:
        return None
    splices = sorted([*one.splices, *other.splices], key=lambda each: (each.start, each.end))
    if any(a.end > b.start for a, b in pairwise(splices)):
        return None
    lines = splice(request.source, splices).lines
    return replace(one, splices=tuple(splices), lines=lines, features=one.features | other.features)


def _without_unused(request: Request, found: Sequence[Candidate]) -> list[Candidate]:
    """Merges that also take out the imports which they leave without a use, where something is told to go."""
    contradictions = Contradictions(request.source, request.file, request.said, request.language)
    tried: list[Candidate] = []
    for one in found:
        spare = contradictions.unused(one.splices)
        if not spare:
            continue
        splices = sorted([*one.splices, *(Splice(n, n + 1, ()) for n in spare)], key=lambda each: each.start)
        lines = splice(request.source, splices).lines
        features = one.features | {"imports_go": 1.0}
        tried.append(replace(one, splices=tuple(splices), lines=lines, features=features))
    return tried


def _moved(request: Request, one: Candidate, reindent: Reindent) -> Candidate | None:
    """A candidate with hidden lines indented as their marker, in a new block or out of one that goes."""
    change = with_hidden_moved(one.context, one.ops, one.lines, reindent)
    if change is None:
        return None
    splices = splices_of((change,), request.source.lines)
    return replace(
        one,
        splices=splices,
        lines=splice(request.source, splices).lines,
        ops=tuple(script_of(one.context, (change,))),
        features=one.features | {"moved_hidden": 1.0},
    )


def _plain(request: Request) -> Iterator[Candidate]:
    """The plain readings, in no order."""
    lines = request.snippet.lines
    quoted = quoted_as(lines, request.file, request.language)
    for shown in [lines, quoted] if quoted != lines else [lines]:
        context = MergeContext(read_lazy(shown, request.file, request.language), request.file)
        features = {"reading.quotes": 1.0} if shown is not lines else {}
        for draft in plain_drafts(context, request.said, request.language):
            splices = splices_of(draft.changes, request.source.lines)
            merged = splice(request.source, splices).lines
            ops = tuple(script_of(context, draft.changes))
            yield Candidate(ops, splices, merged, draft.features | features, 0.0, 0, context)


def quoted_as(lines: tuple[str, ...], file: LineTable, language: str | None) -> tuple[str, ...]:
    """An edit's lines, those that differ from a file line in nothing but quotes as the file has them.

    All as they are where quotes are all that the edit changes.
    """
    if language not in _QUOTES_ALIKE:
        return lines
    held = {key.translate(_QUOTES): number for number, key in enumerate(file.keys) if key}
    known = set(file.keys)
    found = list(lines)
    for number, line in enumerate(lines):
        key = "".join(line.split())
        if (
            key not in known
            and not _READ.search(key)
            and (same := held.get(key.translate(_QUOTES))) is not None
        ):
            found[number] = indent_of(line) + file.lines[same].strip()
    news = any(
        key and key.translate(_QUOTES) not in held and not is_marker(line)
        for line in lines
        if (key := "".join(line.split()))
    )
    return tuple(found) if news else lines


def _in_strings(lines: Sequence[str], file: LineTable) -> Iterator[str]:
    """Lines of an edit in a string of several lines, which are text there if the file has one like them."""
    inside = [lines[number].strip() for number in string_interior(lines)]
    if any(is_marker(line) and "".join(line.split()) in file.keys for line in inside):
        yield from inside


def leaves_marker(lines: Sequence[str], held: Collection[str]) -> bool:
    """Whether a marker or a note became text: a comment, or bare words that say so; other dots may be code.

    So may nothing that says in brackets what was removed: ``// (cases 0 and 1 removed)``.

    `held` are the file's own lines, without white space at their ends.
    """
    for number, line in enumerate(lines):
        if line.strip() in held:
            continue
        body = comment_body(line)
        stands = body is not None or _UNCHANGED.search(line) is not None
        if stands and is_marker(line) and not continues_comment(lines, number):
            return True
        if body and _REMOVAL_IN_BRACKETS.fullmatch(body):
            return True
    return False


def _readings(request: Request) -> Iterator[tuple[LazyEdit, dict[str, float]]]:
    lines, file, language = request.snippet.lines, request.file, request.language
    plain = read_lazy(lines, file, language)
    yield plain, {}
    quoted = quoted_as(lines, file, language)
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
    features = {"whole": 1.0, "whole.kept": extent.kept, "whole.said": float(snippet.said_whole)}
    first = next((key for key in edit.table.keys if key), "")
    last = next((key for key in reversed(edit.table.keys) if key), "")
    features["whole.begins"] = float(first == next((key for key in file.keys if key), ""))
    features["whole.ends"] = float(last == next((key for key in reversed(file.keys) if key), ""))
    size = sum(1 for key in file.keys if key)
    features["whole.longer"] = log((1 + sum(1 for key in edit.table.keys if key)) / (1 + size))
    lines = splice(request.source, splices).lines
    return Candidate((), splices, lines, features, 0.0, 0, MergeContext(edit, file))
