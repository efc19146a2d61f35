"""What tells candidates apart: the answers that ranked ones are, the changes that not all of them make.

candidates of a question ─▶ `answer_rows` ─▶ "  1  yes, it goes", and below it the lines that go and come
                         └▶ `differences` ─▶ for each, in words: "line 52 goes",
                                             "lines 75-78 become 3 lines, among them `return total`"
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.types import Candidate, Question, Splice

_MOST = 3  # changes that are told of a candidate
_WIDTH = 60  # characters of a line that is quoted
_INDENT = " " * 7
_MOST_PLACES = 6


def is_ranked(question: Question) -> bool:
    """Whether the candidates are answers, each a whole merge with its share of the likelihood."""
    return any(candidate.share is not None for candidate in question.candidates)


def where(candidate: Candidate) -> str:
    """The lines that a candidate is for; where lines only come in, the one that they come before."""
    first, last = candidate.lines.first, candidate.lines.last
    if last < first:
        return f"before line {first}"
    return f"line {first}" if first == last else f"lines {first}-{last}"


def answer_rows(question: Question) -> list[str]:
    """The answers to a question about a lazy edit, each with its diff, and what all of them do."""
    told = [(f"{number}  {one.says}", one.diff) for number, one in enumerate(question.candidates, 1)]
    if question.always:
        told.append((in_any_case(question), question.always_diff))
    return [
        row for says, diff in told for row in (f"  {says}", *(f"{_INDENT}{line}".rstrip() for line in diff))
    ]


def in_any_case(question: Question) -> str:
    """What every answer does: ``"in any case: +3 -1, at lines 4, 9-12"``.

    New lines that replace nothing are named by the line that they come before.
    """
    added = sum(len(splice.lines) for splice in question.always)
    removed = sum(splice.end - splice.start for splice in question.always)
    places = [
        f"{one.start + 1}" if one.end <= one.start + 1 else f"{one.start + 1}-{one.end}"
        for one in question.always
    ]
    places = list(dict.fromkeys(places))
    word = "line" if len(places) == 1 and "-" not in places[0] else "lines"
    more = ", ..." if len(places) > _MOST_PLACES else ""
    return f"in any case: +{added} -{removed}, at {word} {', '.join(places[:_MOST_PLACES])}{more}"


def differences(candidates: Sequence[Candidate]) -> list[tuple[str, ...]]:
    """For each candidate what it does; () where no other one lists the same lines.

    A change that all which list these lines make is left out. Of many changes those that the fewest make
    are told, and all of them where these do not tell two candidates apart.
    """
    said = [_does(candidate, candidates, most=_MOST) for candidate in candidates]
    return [
        _does(candidate, candidates, most=len(candidate.splices))
        if words and said.count(words) > 1
        else words
        for candidate, words in zip(candidates, said, strict=True)
    ]


def _does(candidate: Candidate, candidates: Sequence[Candidate], *, most: int) -> tuple[str, ...]:
    alike = [other for other in candidates if _place(other) == _place(candidate)]
    if len(alike) == 1:
        return ()
    shared = set(alike[0].splices).intersection(*(other.splices for other in alike))
    others = [splice for other in alike if other is not candidate for splice in other.splices]
    own = [
        splice
        for splice in candidate.splices
        if splice not in shared and (splice.lines or splice.start < splice.end)
    ]
    rare = sorted(own, key=others.count)[:most]
    words = [_words(splice, others) for splice in own if splice in rare]
    if len(own) > most:
        words.append(f"and {len(own) - most} more")
    return tuple(words) or ("nothing but what the others do as well",)


def _place(candidate: Candidate) -> tuple[object, ...]:
    return candidate.lines, candidate.enclosing


def _words(splice: Splice, others: Sequence[Splice]) -> str:
    first, last, new = splice.start + 1, splice.end, [line for line in splice.lines if line.strip()]
    old = f"line {first}" if first == last else f"lines {first}-{last}"
    if not splice.lines:
        return f"{old} {'goes' if first == last else 'go'}"
    count = f"{len(splice.lines)} line{'' if len(splice.lines) == 1 else 's'}"
    beside = [
        other.lines
        for other in others
        if splice.start <= other.end and other.start <= splice.end and other != splice
    ]
    # The line that the fewest of the others have, and its indentation where only that differs
    rare = min(new, key=lambda line: sum(line in lines for lines in beside), default="")
    only_moved = any(rare.strip() == line.strip() for lines in beside if rare not in lines for line in lines)
    whole = rare.rstrip() if only_moved else rare.strip()
    shown = whole if len(whole) <= _WIDTH else f"{whole[:_WIDTH]}..."
    quoted = f": `{shown}`" if len(splice.lines) == 1 else f", among them `{shown}`"
    if not shown:
        quoted = ", blank"
    if last < first:
        return f"before line {first} {'comes' if len(splice.lines) == 1 else 'come'} {count}{quoted}"
    return f"{old} {'becomes' if first == last else 'become'} {count}{quoted}"
