"""A refusal of a lazy edit in words: the candidates, ranked, and what speaks for and against each."""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING

from fastapply.merge.certainty.meanings import can_speak, meaning
from fastapply.merge.certainty.weights import load_weights
from fastapply.merge.likeness import definition
from fastapply.types import Candidate, LineRange, Question

if TYPE_CHECKING:
    from fastapply.merge.candidates import Candidate as Merge
    from fastapply.merge.rank import Ranking, Request
    from fastapply.types import Proposal, Splice

MOST = 5
"""Candidates that a refusal lists."""
MOST_WHY = 3
"""Facts that are told of each."""
WORTH_TELLING = 0.25
"""Difference in score that a fact has to make to be told."""
_AROUND = 2
"""Unchanged lines that a SEARCH block shows on each side of a change."""


def explain(request: Request, ruled: Proposal, ranking: Ranking) -> Question:
    """The one question of an open edit, with at most five candidates to pick from."""
    listed = ranking.candidates[:MOST]
    shares = [exp(score - ranking.scores[0]) for score in ranking.scores]
    total = sum(shares)
    candidates = tuple(
        Candidate(
            *_where(request, one.splices),
            one.splices,
            share=round(share / total, 4),
            why=_why(one, [other for other in listed if other is not one]),
        )
        for one, share in zip(listed, shares, strict=False)
    )
    asked = ruled.questions[0] if ruled.questions else None
    reason = asked.reason if asked else "uncertain"
    what = asked.message if asked else _told(candidates)
    return Question(
        reason,
        f"{what}; the likeliest of {len(candidates)} merges has a certainty of {ranking.certainty:.1%}",
        _hint(request, ranking.candidates[0].splices),
        asked.edit_line if asked else request.snippet.edit_line,
        candidates,
        asked.nearest if asked else None,
    )


def nothing_stands(request: Request) -> Question:
    """The question where every candidate was out, as a marker of the edit would have become text in it."""
    return Question(
        "uncertain",
        "every merge of the edit would leave a line of it as text that stands for hidden lines, or put new "
        "lines between a decorator and what it decorates",
        "show what is to stand there, with the decorators, and put markers outside of strings and new code",
        request.snippet.edit_line,
    )


def _told(candidates: tuple[Candidate, ...]) -> str:
    lines = candidates[0].lines
    against = [why for why in candidates[0].why if why.startswith("against")]
    reason = f" ({against[0].partition(': ')[2]})" if against else ""
    where = f"lines {lines.first}-{lines.last}" if lines.last >= lines.first else f"line {lines.first}"
    return f"the edit can be read in more than one way at {where}{reason}"


def _where(request: Request, splices: tuple[Splice, ...]) -> tuple[LineRange, str]:
    """Lines that a merge changes, and the definition around the first of them."""
    file = request.file
    if not splices:
        return LineRange(1, max(1, len(file.lines))), ""
    first, last = splices[0].start, splices[-1].end
    at = min(first, len(file.lines) - 1)
    around = file.parents[at] if at >= 0 else -1
    while around >= 0 and definition(file.lines[around]) is None:
        around = file.parents[around]
    return LineRange(first + 1, max(last, first)), file.lines[around].strip() if around >= 0 else ""


def _why(one: Merge, others: list[Merge]) -> tuple[str, ...]:
    """What sets a candidate apart from the others, the weightiest first."""
    weights = load_weights().whole
    names = {name for each in (one, *others) for name in each.facts}
    told: list[tuple[float, str]] = []
    for name in names:
        mean = sum(each.facts.get(name, 0.0) for each in others) / max(1, len(others))
        worth = weights.get(name, 0.0) * (one.facts.get(name, 0.0) - mean)
        if one.facts.get(name, 0.0) and abs(worth) >= WORTH_TELLING and can_speak(name, worth):
            told.append((worth, name))
    told.sort(key=lambda pair: -abs(pair[0]))
    lines: list[str] = []
    for worth, name in told:
        line = f"{'for' if worth > 0 else 'against'}: {meaning(name)}"
        if line not in lines:
            lines.append(line)
    return tuple(lines[:MOST_WHY])


def _hint(request: Request, splices: tuple[Splice, ...]) -> str:
    """What to send instead: a SEARCH/REPLACE block, with the lines of the file to search for."""
    send = "send a SEARCH/REPLACE block for each change"
    if not splices:
        return send
    lines = request.file.lines
    change = splices[0]
    first, last = change.start, change.end
    shown = 0
    while first > 0 and shown < _AROUND:
        first -= 1
        shown += bool(lines[first].strip())
    shown = 0
    while last < len(lines) and shown < _AROUND:
        shown += bool(lines[last].strip())
        last += 1
    if last - first > 12:
        return send
    block = "\n".join(lines[first:last])
    return f"{send}; the lines to search for, where the first one is:\n{block}"
