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

from fastapply.merge.likeness import definition
from fastapply.merge.lines import is_closer
from fastapply.types import Candidate, LineRange, Question
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.merge.candidates import Candidate as Merge
    from fastapply.merge.lines import LineTable
    from fastapply.merge.listing import Request
    from fastapply.merge.rank import Ranking
    from fastapply.types import Splice

MOST = 3
"""Answers to a question."""
LEAST_SHARE = 0.004
"""Of the likelihood among all candidates, what an answer has at least, the first one aside."""
MOST_DIFF = 8
"""Lines that an answer's diff shows."""
_WHICH = "Which of these merges is meant?"
_AROUND = 2
"""Unchanged lines that a SEARCH block shows on each side of a change, at least."""
_MOST_SEARCHED = 12
"""Lines of a SEARCH block in a hint."""


@dataclass(frozen=True, slots=True)
class _Effect:
    """What an answer does that not all do: file lines that go, new lines and the line they come before."""

    gone: tuple[int, ...]
    new: tuple[tuple[int, str], ...]

    @property
    def texts(self) -> list[str]:
        """The new lines without their indentation."""
        return [text.strip() for _, text in self.new if text.strip()]


def ask(request: Request, asked: Question | None, ranking: Ranking) -> Question:
    """The one question about an edit that is not certain; `asked` gives its reason where that is known."""
    merges, shares = _answers(ranking)
    always = tuple(
        one for one in merges[0].splices if all(one in other.splices for other in merges[1:]) and merges[1:]
    )
    effects = _effects(request.file, merges)
    words, says = _worded(request.file, effects)
    if len(set(says)) < len(says):  # "no, it stays" with new lines here, and there
        words, says = _WHICH, [_summary(request.file, one) for one in effects]
    candidates = tuple(
        Candidate(
            *_where(request.file, one.splices),
            one.splices,
            share=share,
            says=said,
            diff=_diff(request.file, one.splices, always),
        )
        for one, share, said in zip(merges, shares, says, strict=True)
    )
    doubtful = [one for one in merges[0].splices if one not in always] or list(merges[0].splices)
    return Question(
        asked.reason if asked else "uncertain",
        f"{asked.message.removesuffix('.')}{'' if asked.message.endswith('?') else '.'} {words}"
        if asked
        else words,
        _hint(request, doubtful),
        asked.edit_line if asked else request.snippet.edit_line,
        candidates,
        asked.nearest if asked else None,
        id=identify(request),
        always=always,
    )


def identify(request: Request) -> str:
    """Eight letters and digits that stand for file, edit and instructions."""
    parts = ("\n".join(request.source.lines), "\n".join(request.snippet.lines), request.said)
    return sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:8]


def nothing_stands(request: Request) -> Question:
    """The question where no candidate is left: each would leave a marker of the edit as text."""
    return Question(
        "uncertain",
        "every merge of the edit would leave a marker as text, or part a decorator from its definition",
        "show what stands there, with the decorators, and put markers outside of strings and new code",
        request.snippet.edit_line,
        id=identify(request),
    )


def _answers(ranking: Ranking) -> tuple[list[Merge], list[float]]:
    """The candidates that can be answered with, the likeliest first, and their shares of the likelihood."""
    odds = [exp(score - ranking.scores[0]) for score in ranking.scores]
    total = sum(odds)
    found = [
        (one, round(share / total, 4))
        for number, (one, share) in enumerate(zip(ranking.candidates, odds, strict=True))
        if number == 0 or (one.splices and not one.broken and share / total >= LEAST_SHARE)
    ][:MOST]
    return [one for one, _ in found], [share for _, share in found]


def _effects(file: LineTable, merges: Sequence[Merge]) -> list[_Effect]:
    """What each merge does beside what all do; blank lines are no effect."""
    gone = [
        {f for one in merge.splices for f in range(one.start, one.end) if file.keys[f]} for merge in merges
    ]
    new = [
        [(one.start, text) for one in merge.splices for text in one.lines if text.strip()] for merge in merges
    ]
    for lines, came in zip(gone, new, strict=True):  # a line that goes and comes again at its place stays
        for place, text in list(came):
            near = next(
                (f for f in sorted(lines) if abs(f - place) < MOST_DIFF and file.lines[f] == text), None
            )
            if near is not None:
                lines.discard(near)
                came.remove((place, text))
    if len(merges) == 1:
        return [_Effect(tuple(sorted(gone[0])), tuple(new[0]))]
    common: set[int] = set.intersection(*gone)
    both = set.intersection(*(set(came) for came in new))
    return [
        _Effect(tuple(sorted(lines - common)), tuple(one for one in came if one not in both))
        for lines, came in zip(gone, new, strict=True)
    ]


def _worded(file: LineTable, effects: Sequence[_Effect]) -> tuple[str, list[str]]:
    """The question in words of the code, and each answer to it."""
    first = effects[0]
    if len(effects) == 1:
        return f"Is this merge meant: {_summary(file, first)}?", ["yes"]
    texts = [sorted(one.texts) for one in effects]
    if first.new and all(other == texts[0] for other in texts):
        if all(one.gone == first.gone for one in effects):
            name = _name(first.texts)
            return f"Where does {name} go?", [_place(file, one) for one in effects]
        return _stays(file, effects)
    if not any(one.new for one in effects):
        return _stays(file, effects)
    return _WHICH, [_summary(file, one) for one in effects]


def _stays(file: LineTable, effects: Sequence[_Effect]) -> tuple[str, list[str]]:
    """The question where answers differ in the lines that go."""
    shown = sorted({f for one in effects for f in one.gone})  # none of them goes in all answers
    if not shown:
        return _WHICH, [_summary(file, one) for one in effects]
    fresh = effects[0].texts
    what = _quoted_lines(file, shown)
    if fresh:
        question = f"Does {_quoted(fresh[0])} replace {what}?"
    else:
        question = f"{'Does' if len(shown) == 1 else 'Do'} {what} go?"
    says = []
    for one in effects:
        going = [f for f in shown if f in one.gone]
        if len(going) == len(shown):
            says.append("yes, it goes" if len(shown) == 1 else "yes, all of them go")
        elif not going:
            says.append("no, it stays" if len(shown) == 1 else "no, they stay")
        else:
            says.append(f"only {_quoted_lines(file, going)} {'goes' if len(going) == 1 else 'go'}")
    return question, says


def _place(file: LineTable, effect: _Effect) -> str:
    """Where the new lines of an answer come: behind which line, or at the end of what."""
    at, text = effect.new[0]
    above = next((f for f in range(at - 1, -1, -1) if file.keys[f]), -1)
    below = next((f for f in range(at, len(file.keys)) if file.keys[f]), -1)
    if above < 0:
        return "at the top of the file"
    if below < 0:
        return "at the end of the file"
    if is_closer(file.keys[below]) or file.depths[below] < file.depths[above] - 0.6:
        around = file.parents[above]
        while around >= 0 and file.ends[around] < at:
            around = file.parents[around]
        if around >= 0 and _indentation(text) > _indentation(file.lines[around]):
            return f"at the end of {_quoted(file.lines[around])} (line {around + 1})"
    head = above
    if is_closer(file.keys[above]):
        head = next(
            (
                f
                for f in range(above - 1, -1, -1)
                if file.keys[f] and file.depths[f] <= file.depths[above] + 0.6 and not is_closer(file.keys[f])
            ),
            above,
        )
    elif file.depths[above] > file.depths[below]:
        while file.parents[head] >= 0 and file.depths[file.parents[head]] >= file.depths[below]:
            head = file.parents[head]
    return f"after {_quoted(file.lines[head])} (line {above + 1})"


def _summary(file: LineTable, effect: _Effect) -> str:
    """What an answer does, in a few words."""
    words = []
    if effect.gone:
        words.append(f"{_quoted_lines(file, effect.gone)} {'goes' if len(effect.gone) == 1 else 'go'}")
    if effect.new:
        texts = effect.texts
        count = (
            f" and {len(texts) - 1} more lines"
            if len(texts) > 2
            else f" and {_quoted(texts[1])}"
            if len(texts) > 1
            else ""
        )
        place = effect.new[0][0]
        words.append(
            f"{_quoted(texts[0])}{count} {'comes' if len(texts) == 1 else 'come'} at line {place + 1}"
        )
    return ", ".join(words) or "nothing more than what all do"


def _name(texts: Sequence[str]) -> str:
    """What new lines are called: by what the first definition among them defines, else by the first line."""
    name = next((name for text in texts if (name := definition(text)) is not None), None)
    return f"`{name}`" if name else _quoted(texts[0])


def _quoted_lines(file: LineTable, lines: Sequence[int]) -> str:
    """``"`x = 1` (line 9)"``, or of several ``"`x = 1` and 3 more lines (lines 9-14)"``."""
    first = _quoted(file.lines[lines[0]])
    if len(lines) == 1:
        return f"{first} (line {lines[0] + 1})"
    more = len(lines) - 1
    return f"{first} and {more} more line{'s' if more > 1 else ''} (lines {lines[0] + 1}-{lines[-1] + 1})"


def _indentation(text: str) -> int:
    return len(text) - len(text.lstrip())


def _quoted(text: str) -> str:
    stripped = text.strip()
    return f"`{stripped if len(stripped) <= 60 else stripped[:57] + '...'}`"


def _diff(file: LineTable, splices: Sequence[Splice], always: Sequence[Splice]) -> tuple[str, ...]:
    """What a merge does beside what all do, as lines of a diff below an unchanged one; at most eight."""
    rows: list[str] = []
    for one in splices:
        if one in always:
            continue
        above = next((f for f in range(one.start - 1, -1, -1) if file.keys[f]), -1)
        if above >= 0:
            rows.append(f" {file.lines[above]}")
        rows += [f"-{line}" for line in file.lines[one.start : one.end]]
        rows += [f"+{line}" for line in one.lines]
    if len(rows) > MOST_DIFF:
        half = MOST_DIFF // 2
        rows = [*rows[:half], f"  ... {len(rows) - MOST_DIFF + 1} more lines", *rows[-half + 1 :]]
    return tuple(rows)


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


def _hint(request: Request, doubtful: Sequence[Splice]) -> str:
    """What to send instead: a SEARCH/REPLACE block, with the lines to search for at the doubtful place.

    They are in the file only once, else the block would be refused as well.
    """
    send = "send a SEARCH/REPLACE block"
    if not doubtful:
        return send
    lines = request.file.lines
    first, last = doubtful[0].start, doubtful[0].end
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
    return f"{send} that searches for:\n{block}"


def _is_alone(lines: Sequence[str], first: int, last: int) -> bool:
    """Whether lines stand in a row only here."""
    run = lines[first:last]
    places = (f for f, line in enumerate(lines) if line == run[0] and f != first) if run else ()
    return bool(run) and not any(lines[f : f + len(run)] == run for f in places)
