"""Merging a snippet: a lazy edit, or a whole file; the file decides which of the two it is.

    alignment ──────┐
    plain readings ─┼─ candidates ─ features ─ rank ─ certain enough ─▶ the first candidate
    whole file ─────┘                            └─ not ───────────────▶ the candidates, ranked, to pick from

Who decides what: what happens between two shown lines, `alternatives`; where new code goes that nothing is
shown beside, `plain.place`; what takes an old thing's place, `plain.graft`. Each only makes candidates. The
certainty of the ranking decides, and a threshold, which is never lower where nothing is said. A snippet that
shows nearly all of the file is the file (`whole`). Notes that name all that goes decide where the likeliest
merge is not sure of something else (`noted`). What nobody names is not removed (`entries`).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.edits.markers import is_marker
from fastapply.merge.candidates import told
from fastapply.merge.certainty.outcome import speaks_of_spacing
from fastapply.merge.certainty.said import DROPS, names_to_go, stems
from fastapply.merge.certainty.weights import load_weights
from fastapply.merge.decisions import ask, nothing_stands
from fastapply.merge.effort import Effort
from fastapply.merge.elements import read_lazy, tells_of_removal
from fastapply.merge.entries import Losses
from fastapply.merge.imports import is_import
from fastapply.merge.large import LARGE, merge_in_pieces
from fastapply.merge.lines import columns, line_table
from fastapply.merge.listing import Request, leaves_marker
from fastapply.merge.noted import noted_removals
from fastapply.merge.plain.outline import Outline
from fastapply.merge.questions import cut_off, drops_most, ends_in_comma, not_found
from fastapply.merge.rank import rank
from fastapply.merge.whole import read_extent, replace_whole
from fastapply.text import splice
from fastapply.types import Proposal, Question

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fastapply.merge.candidates import Candidate
    from fastapply.merge.entries import Entry
    from fastapply.merge.lines import LineTable
    from fastapply.text import SourceText
    from fastapply.types import Method, Snippet

_NAMES = re.compile(r"[A-Za-z_$][\w$]*")
_UNWRAPS = re.compile(
    r"\b(?:un-?wrap\w*|un-?nest\w*|dedent\w*|flatten\w*|hoist\w*|lift\w*|out of|"
    r"no longer (?:in|inside|behind|wrapped|within))\b",
    re.IGNORECASE,
)
"""Words for a change that shows no new line."""
_SAYS_WHERE = (
    "plain.named",
    "plain.inside",
    "plain.file_said",
    "plain.kin_last",
    "plain.sorted",
    "graft",
    "graft.renamed",
    "graft.body",
    "wrap",
)
"""Features of candidates of which no shown line says where they go, but a name, a word or their kind does."""
_UNDONE = (
    "out.unimported",
    "out.told_definition_stays",
    "odd.dangling",
    "odd.copied",
    "odd.bodiless",
    "odd.noted_stays",
    "odd.type_again",
    "odd.bared",
)
"""Features of merges that leave something undone."""
_INDENTS = re.compile(r"\b(?:re|un|de|out)?-?indent\w*|\bdedent\w*", re.IGNORECASE)
_OUT_OF = re.compile(
    r"\b(?:(?:was|were|that's|lines?|code|body|statements?)\s+(?:formerly\s+)?inside|formerly|"
    r"of the former|less indent\w*|dedent\w*|un-?indent\w*|un-?nest\w*|un-?wrap\w*|"
    r"one level (?:less|up|out))\b",
    re.IGNORECASE,
)
"""Words of a marker whose lines lose the block that they are in."""
_LESS = re.compile(r"\b(?:without|except|minus|un-?wrap\w*|no longer|removed|but not)\b", re.IGNORECASE)


def merge_snippet(
    source: SourceText,
    snippet: Snippet,
    *,
    language: str | None,
    instructions: str = "",
    around: str = "",
    min_certainty: float | None = None,
) -> Proposal:
    """Merge a snippet into a file; certain only where the first candidate is likely enough to be right.

    `language` is the tree-sitter name of the file's language, for callers that know it. `instructions` is the
    one line that came along, `around` the words around the code. `min_certainty`, 0 to 1, takes the place of
    the fitted threshold.
    """
    if len(source.lines) >= LARGE:

        def merge(part: SourceText) -> Proposal:
            return merge_snippet(
                part,
                snippet,
                language=language,
                instructions=instructions,
                around=around,
                min_certainty=min_certainty,
            )

        found = merge_in_pieces(source, snippet, language, merge)
        if found is not None:
            return found
    file, said = line_table(source.lines, language), f"{instructions}\n{around}"
    cut = _no_use(snippet, file, language)
    if cut is not None and not ends_in_comma(snippet):
        return Proposal((), "aligned", (cut,), certainty=0.0)
    whole = _whole(snippet, file, said, language)
    if whole is not None and cut is None:
        return whole
    weights = load_weights()
    request = Request(source, snippet, file, language, said)
    ranking = rank(request, Effort(), weights)
    if not ranking.candidates:
        return Proposal((), "aligned", (nothing_stands(request),), certainty=0.0)
    first, quiet = ranking.candidates[0], not said.strip()
    if cut is not None:
        return Proposal(first.splices, "aligned", (ask(request, cut, ranking),), certainty=0.0)
    least = (
        (weights.threshold_without_instructions if quiet else weights.threshold)
        if min_certainty is None
        else min_certainty
    )
    method: Method = "whole" if "whole" in first.features else "aligned"
    sure = ranking.certainty >= least
    noted = noted_removals(request) if min_certainty is None else ()
    if noted:
        agree = told(splice(request.source, noted).lines) == told(first.lines)
        if agree or not sure:
            return Proposal(
                noted, "aligned", certainty=max(ranking.certainty, least), weighed=True, needed=least
            )
        sure = False  # the likeliest merge does something else
    question: Question | None
    if sure and not _groundless(request, first, quiet=quiet):
        if not first.lost:
            return Proposal(first.splices, method, certainty=ranking.certainty, weighed=True, needed=least)
        question = _unnamed(snippet, first.lost)
    else:
        question = _nowhere(request, first)
    questions = (ask(request, question, ranking),)
    return Proposal(first.splices, method, questions, certainty=ranking.certainty, needed=least)


def _notes_what_goes(request: Request, first: Candidate) -> bool:
    """Whether lines go and a comment that tells of a removal comes in their place."""
    held = {line.strip() for line in request.source.lines}
    return any(
        tells_of_removal(line) and line.strip() not in held
        for one in first.splices
        if one.start < one.end
        for line in one.lines
    )


def _no_use(snippet: Snippet, file: LineTable, language: str | None) -> Question | None:
    """What is wrong with an edit whatever its candidates are: it is cut off, or drops most of the file."""
    edit = read_lazy(snippet.lines, file, language)
    cut = cut_off(edit, file, snippet, language)
    if cut is not None:
        return cut
    if snippet.said_whole and not edit.has_markers:
        extent = read_extent(edit.table, file, said_whole=True)
        if extent.kind == "drops":
            return drops_most(snippet, extent.kept)
    return None


def _whole(snippet: Snippet, file: LineTable, said: str, language: str | None) -> Proposal | None:
    """The snippet as the whole file, where it shows so much of it that nobody would read it otherwise.

    It has no markers, and all that the file imports, defines or sets is still there or named; one that says
    that it is the whole file may leave out what it likes.
    """
    edit = read_lazy(snippet.lines, file, language)
    held = {line.strip() for line in file.lines}
    noted = any(tells_of_removal(line) and line.strip() not in held for line in snippet.lines)
    if edit.has_markers or noted or leaves_marker(snippet.lines, held):
        return None
    extent = read_extent(edit.table, file, said_whole=snippet.said_whole)
    fewer = sum(map(bool, edit.table.keys)) < sum(map(bool, file.keys))
    if extent.kind != "whole" or (not snippet.said_whole and not extent.kept and fewer):
        return None
    splices = replace_whole(line_table(snippet.lines), file)
    imports = {key for key, line in zip(file.keys, file.lines, strict=True) if key and is_import(line)}
    lost = bool(imports - set(edit.table.keys)) or Losses(file, snippet.lines, said, language).of(splices)
    if lost and not snippet.said_whole:
        return None
    return Proposal(splices, "whole")


def _nowhere(request: Request, first: Candidate) -> Question | None:
    """The question where no line of the edit is in the file: nothing but words could say where it goes."""
    edit = read_lazy(request.snippet.lines, request.file, request.language)
    held = set(request.file.keys)
    if first.features.get("whole") or any(
        kind == "text" and key in held and weight > _SLIGHT
        for kind, key, weight in zip(edit.kinds, edit.table.keys, edit.table.weights, strict=True)
    ):
        return None
    return not_found(edit, request.file, request.snippet)


_SLIGHT = 0.2
"""Weight of a line up to which it says nothing about where it is."""


def _unnamed(snippet: Snippet, lost: Sequence[Entry]) -> Question:
    names = ", ".join(dict.fromkeys(one.name for one in lost[:4])) + (", ..." if len(lost) > 4 else "")
    return Question(
        "unnamed_loss",
        f"the likeliest merge removes {names} (line {lost[0].line + 1}), which the edit does not mention",
        "say in the instructions what to remove, or put `... existing code ...` in place of unchanged code",
        snippet.edit_line,
    )


def _has_news(snippet: Snippet, file: LineTable, language: str | None) -> bool:
    """Whether a line that a snippet shows stands nowhere in the file: cut short there, or what changes."""
    edit, held = read_lazy(snippet.lines, file, language), set(file.keys)
    return any(
        kind == "text" and key not in held for kind, key in zip(edit.kinds, edit.table.keys, strict=True)
    )


def _leaves_out(request: Request) -> bool:
    """Whether the edit shows a block to its end, without a marker in it, that has more lines in the file."""
    edit = read_lazy(request.snippet.lines, request.file, request.language)
    skip = {e for e, kind in enumerate(edit.kinds) if kind in {"marker", "note", "end"}}
    shown = Outline(edit.table, request.language, skip)
    last = max((e for e, kind in enumerate(edit.kinds) if kind != "blank"), default=0)
    for unit in shown.units:
        if unit.end in {unit.head + 1, last + 1} or skip & set(range(unit.start, unit.end)):
            continue  # one line, or nothing shows that it ends there
        keys = set(edit.table.keys[unit.start : unit.end])
        for head in (f for f, key in enumerate(request.file.keys) if key == edit.table.keys[unit.head]):
            block = range(head, request.file.ends[head])
            if any(request.file.keys[f] not in keys and request.file.weights[f] > _SLIGHT for f in block):
                return True
    return False


def _shifted(request: Request, first: Candidate) -> bool:
    """Whether lines that the edit shows are not as deep in the merge as there, a shift of all left aside."""
    snippet = [line for line in request.snippet.lines if line.strip()]
    held = {line.strip(): columns(line) for line in first.lines}
    pairs = [(columns(line), held[line.strip()]) for line in snippet if line.strip() in held]
    return len({shown - stands for shown, stands in pairs}) > 1


def leaves_undone(features: Mapping[str, float]) -> bool:
    """Whether a merge with such features is never written: it leaves something undone, or goes anywhere."""
    nowhere = features.get("no_anchor") or features.get("plain.place")
    return any(features.get(name) for name in _UNDONE) or bool(
        nowhere and not any(features.get(name) for name in _SAYS_WHERE)
    )


def _freed(snippet: Snippet) -> bool:
    """Whether a marker says that what it stands for comes out of a block."""
    return any(is_marker(line) and _OUT_OF.search(line) for line in snippet.lines)


def _less(snippet: Snippet) -> bool:
    """Whether a marker says that what it stands for changes: ``# ... the body, without the flag ...``."""
    return any(is_marker(line) and _LESS.search(line) for line in snippet.lines)


def _stays(said: str, file: Sequence[str]) -> bool:
    """Whether what is said to go stands in the file, by name or by words: then an edit is not in place."""
    names = names_to_go(said)
    if names and any(word in names for line in file for word in _NAMES.findall(line)):
        return True
    told = [words for match in DROPS.finditer(said) if len(words := stems(match["what"])) > 1]
    return any(len(words & stems(line)) > max(1, len(words) / 2) for words in told for line in file)


def _groundless(request: Request, first: Candidate, *, quiet: bool) -> bool:
    """Whether a candidate is never written: nothing says where it goes, or it leaves something undone.

    Undone is a change of nothing, a name without its import or definition, a block that stands twice.

    An edit is in place already where it shows nothing new and nothing says that something changes. Where
    nothing but white space changes, what was said has to speak of it, if anything was said.
    """
    spaced = speaks_of_spacing(request.said)
    if not (spaced or quiet) and (
        first.features.get("spacing.alone") or first.features.get("verbatim.alone")
    ):
        return True
    if _INDENTS.search(request.said) and _shifted(request, first):
        return True
    if leaves_undone(first.features) or _notes_what_goes(request, first):
        return True  # whatever certainty is asked for
    if _freed(request.snippet) and not any(first.features.get(name) for name in ("wrap.moved", "wrap.freed")):
        return True
    if quiet and (_may_be_cut_off(first) or (not first.splices and _only_begins(request))):
        return True
    if first.splices or first.features.get("whole"):
        return False
    stays = _stays(request.said, request.source.lines)
    news = _has_news(request.snippet, request.file, request.language)
    unwraps = _UNWRAPS.search(request.said) is not None
    return spaced or stays or news or unwraps or _less(request.snippet) or _leaves_out(request)


def _only_begins(request: Request) -> bool:
    """Whether an edit is how the file begins and nothing else: it changes nothing, or the rest is to go."""
    shown = ["".join(line.split()) for line in request.snippet.lines if line.strip()]
    held = [key for key in request.file.keys if key]
    return len(shown) < len(held) and held[: len(shown)] == shown


def _may_be_cut_off(first: Candidate) -> bool:
    """Whether all that a candidate does is to take lines away at an end that the edit does not mark.

    Without a word beside it, that is what an edit looks like whose end got lost.
    """
    keys = first.context.table.keys
    new = any(op.kind in {"insert", "near"} and op.e >= 0 and keys[op.e] for op in first.ops)
    return bool(first.features.get("implied")) and not new
