"""What is open about a lazy edit, as one question with at most three answers.

    ranked candidates ─▶ what all of them do ─▶ `always`
                      └▶ what they differ in ─▶ "Does `x` (line 9) go?"  1 yes  2 no, each with its diff

Each answer is a whole merge, so that one of them settles everything. The question's `id` is made of file,
edit and instructions: an answer to it is no answer for a file that has changed meanwhile.
"""

from __future__ import annotations

from hashlib import sha256
from math import exp
from typing import TYPE_CHECKING

from fastapply.merge.effects import compare, runs
from fastapply.merge.likeness import definition
from fastapply.merge.phrases import word
from fastapply.merge.short_diff import diff_of, short_diffs
from fastapply.types import Candidate, LineRange, Question
from fastapply.values import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.candidates import Candidate as Merge
    from fastapply.merge.effects import Effect
    from fastapply.merge.lines import LineTable
    from fastapply.merge.listing import Request
    from fastapply.merge.rank import Ranking
    from fastapply.types import Splice

MOST = 3
"""Answers to a question."""
LEAST_CERTAINTY = 0.005
"""Certainty from which on an edit has answers; most below it are for another file.

Of the refused edits in `tests/edits` that were invented, none below 0.05 had a right answer."""
LEAST_SHARE = 0.01
"""Of the likelihood among all candidates, what an answer has at least, the first one aside.

Of 355 refused ones the right merge never had less than 0.03 where it was not the first."""
_AROUND = 2
"""Unchanged lines that a SEARCH block shows on each side of a change, at least."""
_MOST_SEARCHED = 12
"""Lines of a SEARCH block in a hint."""


def ask(request: Request, asked: Question | None, ranking: Ranking) -> Question:
    """The one question about an edit that is not certain; `asked` gives its reason where that is known."""
    merges, shares = _answers(ranking)
    if not merges or ranking.certainty < LEAST_CERTAINTY:
        return replace(asked or _unanswered(ranking), id=identify(request))
    effects, always = compare(request.file, [one.splices for one in merges])
    words, says = word(request.file, effects)
    candidates = tuple(
        Candidate(
            *_where(request.file, one.splices),
            one.splices,
            share=share,
            says=said,
            diff=diff,
        )
        for one, share, said, diff in zip(
            merges, shares, says, short_diffs(request.file, effects), strict=True
        )
    )
    return Question(
        asked.reason if asked else "uncertain",
        f"{asked.message.removesuffix('.')}. {words}" if asked else words,
        asked.hint if asked and asked.reason == "truncated" else _hint(request, effects[0]),
        asked.edit_line if asked else request.snippet.edit_line,
        candidates,
        asked.nearest if asked else None,
        id=identify(request),
        always=always,
        always_diff=diff_of(request.file, always),
    )


def identify(request: Request) -> str:
    """Eight letters and digits that stand for file, edit and instructions."""
    parts = ("\n".join(request.source.lines), "\n".join(request.snippet.lines), request.said)
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:8]


def _unanswered(ranking: Ranking) -> Question:
    """What is said where no candidate is an answer: each is broken, or unlikely, or changes nothing."""
    first = ranking.candidates[0]
    if first.splices:
        return Question(
            "uncertain",
            "no merge of the edit is likely to be right",
            "show unchanged lines above and below each change, or send a SEARCH/REPLACE block",
        )
    return Question(
        "uncertain",
        "the edit changes nothing: all its lines are already in the file",
        "show the lines that change, or say in the instructions what to remove",
    )


def nothing_stands(request: Request) -> Question:
    """The question where no candidate is left: each would leave a marker of the edit as text."""
    return Question(
        "uncertain",
        "every merge would leave a marker in the file, or separate a decorator from its definition",
        "show the code at that place with its decorators, and put markers outside of strings and new code",
        request.snippet.edit_line,
        id=identify(request),
    )


def _answers(ranking: Ranking) -> tuple[list[Merge], list[float]]:
    """The candidates that can be answered with, the likeliest first, and their shares of the likelihood.

    Where the likeliest one takes away what nobody names, so is the likeliest one that does not.
    """
    odds = [exp(score - ranking.scores[0]) for score in ranking.scores]
    total = sum(odds)
    able = [
        (one, round(share / total, 4))
        for one, share in zip(ranking.candidates, odds, strict=True)
        if one.splices and not one.broken
    ]
    first = ranking.candidates[0]
    kept = next((one for one, _ in able if not one.lost), None) if first.lost else None
    found = [(one, share) for one, share in able if one is first or one is kept or share >= LEAST_SHARE]
    if kept is not None and not any(one is kept for one, _ in found[:MOST]):
        found[MOST - 1 :] = [pair for pair in found if pair[0] is kept]
    found = found[:MOST]
    return [one for one, _ in found], [share for _, share in found]


def _where(file: LineTable, splices: Sequence[Splice]) -> tuple[LineRange, str]:
    """Lines that a merge changes, and the definition around the first of them."""
    if not splices:
        return LineRange(1, max(1, len(file.lines))), ""
    first, last = splices[0].start, splices[-1].end
    at = min(first, len(file.lines) - 1)
    around = file.parents[at] if at >= 0 else -1
    while around >= 0 and definition(file.lines[around]) is None:
        around = file.parents[around]
    return LineRange(first + 1, max(last, first)), file.lines[around].strip() if around >= 0 else ""


def _hint(request: Request, effect: Effect) -> str:
    """What to send instead: a SEARCH/REPLACE block, with the lines to search for at the doubtful place.

    They are in the file only once, else the block would be refused as well.
    """
    send = "send a SEARCH/REPLACE block"
    doubtful = _doubtful(request.file, effect)
    if doubtful is None:
        return send
    lines = request.file.lines
    first, last = doubtful
    around = 0
    while around < _AROUND or not _is_alone(lines, first, last):
        if last - first > _MOST_SEARCHED or (first == 0 and last == len(lines)):
            break
        first = next((f for f in range(first - 1, -1, -1) if lines[f].strip()), 0)
        last = next((f + 1 for f in range(last, len(lines)) if lines[f].strip()), len(lines))
        around += 1
    if last - first > _MOST_SEARCHED:
        return send
    block = "\n".join(lines[first:last])
    return f"{send} that searches for:\n{block}" if block.strip() else f"{send} with nothing to search for"


def _doubtful(file: LineTable, effect: Effect) -> tuple[int, int] | None:
    """The first lines that an answer treats in its own way, half-open."""
    lines = sorted({*effect.gone, *effect.kept, *(f for f, _ in effect.touched)})
    places = [*runs(file, lines)[:1], *((at, at) for at, _ in effect.new[:1])]
    places = places or [(one.start, one.end) for one in effect.changes[:1]]
    return min(places, default=None)


def _is_alone(lines: Sequence[str], first: int, last: int) -> bool:
    """Whether lines stand in a row only here."""
    run = lines[first:last]
    places = (f for f, line in enumerate(lines) if line == run[0] and f != first) if run else ()
    return bool(run) and not any(lines[f : f + len(run)] == run for f in places)
