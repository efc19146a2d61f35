"""Merging a snippet: a lazy edit, or a whole file; the file decides which of the two it is.

    rules ─────────────┐
    candidates ─ facts ┴─ rank ─ certain enough ─▶ the first candidate
                              └─ not ───────────▶ the candidates, ranked, for the caller to pick from

The rules (`rules`) make one merge and say what they doubt; the ranking (`rank`) weighs that with everything
else. Only the certainty of the ranking decides, and a threshold, which is never lower where nothing is said.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.errors import Refused
from fastapply.formats.markers import is_marker
from fastapply.merge.certainty.explain import explain, nothing_stands
from fastapply.merge.certainty.outcome import speaks_of_spacing
from fastapply.merge.certainty.said import names_to_go
from fastapply.merge.certainty.weights import load_weights
from fastapply.merge.effort import Effort
from fastapply.merge.elements import read_lazy
from fastapply.merge.entries import unnamed_losses
from fastapply.merge.lines import line_table
from fastapply.merge.rank import Request, leaves_marker, rank
from fastapply.merge.rules import merge_by_rules
from fastapply.text import splice
from fastapply.types import Proposal, Question
from fastapply.values import replace

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from fastapply.merge.candidates import Candidate
    from fastapply.merge.entries import Entry
    from fastapply.merge.lines import LineTable
    from fastapply.merge.rank import Ranking
    from fastapply.text import SourceText
    from fastapply.types import Method, Snippet, Splice

LEAST_WORDS, LEAST_SHARE = 5, 0.3
"""Words, and share of its words, that new code at an end of a file has in common with it.

Of 699 edits put to another file of their language 17 would be written without this, and 6 are with it.
"""
_WORDS = re.compile(r"[A-Za-z_$][\w$]{3,}")
_NAMES = re.compile(r"[A-Za-z_$][\w$]*")
_LESS = re.compile(
    r"\b(?:without|except|minus|un-?wrapped|dedented|no longer|removed|but not)\b", re.IGNORECASE
)
ALWAYS = frozenset({"truncated", "size_drop"})
"""Questions of the rules that no certainty outweighs: they are about the edit, not about where it goes."""


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
    file, effort = line_table(source.lines, language), Effort()
    ruled = merge_by_rules(source, snippet, file, language=language, instructions=instructions, effort=effort)
    said = f"{instructions}\n{around}"
    spaced = speaks_of_spacing(said)
    stays = not ruled.splices and _stays(names_to_go(said), source.lines)
    idle = not (ruled.splices or spaced or stays or _has_news(snippet, file, language) or _less(snippet))
    held = {line.strip() for line in source.lines}
    whole = ruled.method == "whole" and not leaves_marker(snippet.lines, held)
    whole = whole and not _losses(source, ruled.splices, snippet, said, language)
    if ruled.certain and (whole or idle):
        return ruled  # the whole file, or nothing to change
    asked = {question.reason for question in ruled.questions}
    if asked & ALWAYS or ("not_found" in asked and not _reaches_an_end(snippet, file, language)):
        return ruled
    weights = load_weights()
    request = Request(source, snippet, file, language, said)
    try:
        ranking = rank(request, ruled, effort, weights)
    except Refused:
        if ruled.certain:
            raise
        return ruled
    quiet = not said.strip()
    least = (weights.quiet if quiet else weights.threshold) if min_certainty is None else min_certainty
    groundless = (
        not ranking.candidates
        or _groundless(ranking.candidates[0], idle=ruled.certain and idle, spaced=spaced or quiet)
        or (quiet and _may_be_cut_off(ranking.candidates[0]))
    )
    if ranking.certainty >= least and not groundless:
        first = ranking.candidates[0]
        lost = _losses(source, first.splices, snippet, said, language)
        if lost:
            return _open(request, replace(ruled, questions=(_unnamed(snippet, lost),)), ranking)
        method: Method = "whole" if "whole" in first.facts else "aligned"
        return Proposal(first.splices, method, certainty=ranking.certainty, weighed=True)
    return _open(request, ruled, ranking)


def _losses(
    source: SourceText, splices: tuple[Splice, ...], snippet: Snippet, said: str, language: str | None
) -> list[Entry]:
    """Definitions, keys and sections that a merge takes away, and that nobody names: it is not written."""
    if snippet.said_whole or all(change.start == change.end for change in splices):
        return []
    after = splice(source, splices).lines
    return unnamed_losses(source.lines, after, edit=snippet.lines, said=said, language=language)


def _unnamed(snippet: Snippet, lost: Sequence[Entry]) -> Question:
    names = ", ".join(dict.fromkeys(one.name for one in lost[:4])) + (", ..." if len(lost) > 4 else "")
    return Question(
        "unnamed_loss",
        f"the likeliest merge removes {names} (line {lost[0].line + 1}), which the edit does not mention",
        "say in the instructions what is to be removed, or put `... existing code ...` where code stays",
        snippet.edit_line,
    )


def _has_news(snippet: Snippet, file: LineTable, language: str | None) -> bool:
    """Whether a line that a snippet shows stands nowhere in the file: cut short there, or what changes."""
    edit, held = read_lazy(snippet.lines, file, language), set(file.keys)
    return any(
        kind == "text" and key not in held for kind, key in zip(edit.kinds, edit.table.keys, strict=True)
    )


def _less(snippet: Snippet) -> bool:
    """Whether a marker says that what it stands for changes: ``# ... the body, without the flag ...``."""
    return any(is_marker(line) and _LESS.search(line) for line in snippet.lines)


def _stays(names: Collection[str], file: Sequence[str]) -> bool:
    """Whether a name that is said to go stands in the file: then an edit is not in place already."""
    return bool(names) and any(word in names for line in file for word in _NAMES.findall(line))


def _reaches_an_end(snippet: Snippet, file: LineTable, language: str | None) -> bool:
    """Whether a marker of an edit stands for all above its new lines, or for all below: they go to an end.

    They have to speak of what the file speaks of, since nothing else says that it is the right one.
    """
    edit = read_lazy(snippet.lines, file, language)
    kinds = [kind for kind in edit.kinds if kind not in {"blank", "end"}]
    if "marker" not in kinds or kinds[0] == kinds[-1] == "marker":
        return False
    shown = [line for kind, line in zip(edit.kinds, edit.table.lines, strict=True) if kind == "text"]
    told, held = ({word for line in lines for word in _WORDS.findall(line)} for lines in (shown, file.lines))
    return len(told & held) >= max(LEAST_WORDS, LEAST_SHARE * len(told))


def _groundless(first: Candidate, *, idle: bool, spaced: bool) -> bool:
    """Whether a candidate is never written: nothing says where it goes, it changes nothing, or it unimports.

    An edit is in place already where it is `idle`; else what it changes was not understood. Where nothing but
    white space changes, what was said has to speak of it (`spaced`), if anything was said.
    """
    if not spaced and (first.facts.get("spacing.alone") or first.facts.get("verbatim.alone")):
        return True
    if first.facts.get("no_anchor") or first.facts.get("out.unimported"):
        return True
    return bool(first.splices) if idle else not first.splices


def _may_be_cut_off(first: Candidate) -> bool:
    """Whether all that a candidate does is to take lines away at an end that the edit does not mark.

    Without a word beside it, that is what an edit looks like whose end got lost.
    """
    keys = first.scene.table.keys
    new = any(op.kind in {"insert", "near"} and op.e >= 0 and keys[op.e] for op in first.ops)
    return bool(first.facts.get("implied")) and not new


def _open(request: Request, ruled: Proposal, ranking: Ranking) -> Proposal:
    """A proposal with one question, whose candidates are the ranked ones."""
    asked = ruled.questions
    if not ranking.candidates:
        return replace(ruled, questions=asked or (nothing_stands(request),), certainty=0.0)
    question = explain(request, ruled, ranking)
    return Proposal(ranking.candidates[0].splices, "aligned", (question,), certainty=ranking.certainty)
