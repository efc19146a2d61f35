"""Where words say that new code goes: ``after get``, ``at the end of Store``, ``next to the other routes``.

Read from the instructions, the words around the code, and the markers beside it, which may name what they
stand for. What a phrase names is looked up among the units of the file.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from fastapply.edits.markers import comment_body
from fastapply.merge.certainty.said import stems
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fastapply.merge.plain.outline import Outline

Side = Literal["after", "before", "beside", "in", "top", "replace", "body"]

_WHAT = (
    r"(?P<what>[^,;()\n]*?)(?=[,;()\n]|[.:](?:\s|$)|$|\s(?:so|that|which|when|if|is|are|was|has|have|gets?|with|by|"
    r"instead|plus|while|because|but|at\s+the\s+(?:very\s+)?(?:end|bottom|top|start|beginning)|"
    r"and\s+(?:before|after|also|then|I|remove|drop|delete|make|let))\b)"
)
_PHRASES: tuple[tuple[Side, re.Pattern[str]], ...] = (
    (
        "after",
        re.compile(rf"\b(?:after|below|beneath|behind|under|underneath|following)\s+{_WHAT}", re.IGNORECASE),
    ),
    ("before", re.compile(rf"\b(?:before|above|ahead of|in front of)\s+{_WHAT}", re.IGNORECASE)),
    (
        "beside",
        re.compile(rf"\b(?:next to|beside|alongside|between|along with|like)\s+{_WHAT}", re.IGNORECASE),
    ),
    (
        "top",
        re.compile(
            r"\b(?:(?:at|to|as|right at) the (?:very )?(?:top|beginning|start|head|first \w+)|"
            r"as (?:the|its) first(?: \w+)?)"
            rf"(?:\s+(?:of|in|to)\s+{_WHAT})?",
            re.IGNORECASE,
        ),
    ),
    (
        "in",
        re.compile(
            r"\b(?:(?:(?:at|to) the (?:very )?(?:end|bottom)|as (?:the |its )?last(?: \w+)?|last \w+)\s+"
            rf"(?:of|in|to)|in|into|to|inside|within|under|of|for|on)\s+{_WHAT}",
            re.IGNORECASE,
        ),
    ),
    (
        "in",
        re.compile(
            r"\b(?:at|to) the (?:very )?(?:end|bottom)\b(?!\s+(?:of|in|to)\b)(?P<what>)", re.IGNORECASE
        ),
    ),
    (
        "replace",
        re.compile(
            rf"\b(?:replac\w*|renam\w*|swap\w*(?: out)?|rewrit\w*|convert\w*|turn\w*)\s+{_WHAT}",
            re.IGNORECASE,
        ),
    ),
    ("body", re.compile(rf"\b(?:body|implementation|contents?) of\s+{_WHAT}", re.IGNORECASE)),
)
_TOLD_BY = re.compile(r"\s+(?:that|which|where)\s+(?P<what>[^,;.()\n]+)", re.IGNORECASE)
_NTH = re.compile(r"\b(?P<nth>first|second|third|fourth|fifth)\s+(?P<sort>\w+)", re.IGNORECASE)
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_REPLACED = re.compile(r"\s+(?:with|by|to|into|for|through)\s+", re.IGNORECASE)
_END = re.compile(r"\b(?:end|bottom)\b|\blast\b|\bappend", re.IGNORECASE)
_LAST = re.compile(r"\blast\s+(?!of\b|in\b|to\b|members?\b|lines?\b|items?\b|things?\b)\w", re.IGNORECASE)
_FILE = re.compile(r"\b(?:file|module|script|document|page|list)\b", re.IGNORECASE)
_ARTICLES = frozenset({"the", "this", "that", "a", "whole", "s", "of", "very"})
_WORD = re.compile(r"[\w$][\w$.:/-]*|`[^`]+`")
_SORTS = stems(
    "route function method class test key field entry import line section block case property column "
    "endpoint handler row step job variable constant rule clause item element tag option setting dependency "
    "call check statement definition declaration attribute parameter argument helper one existing other"
)
"""Words for sorts of things, which name none."""
_CLAUSE = re.compile(r"[,;:\n]|\.\s|\band\b")
_ARITY = re.compile(r"/\d+$")
_MOST_SAID = 1_500
_LEAST, _SURE = 0.5, 0.9
_ALL = 1.1
"""Fit of a name of several words that is all there."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """One phrase: on which side of what.

    `subject` is what stands before it in its sentence; `end` where it speaks of an end, `last` where that is
    the last one of its sort, `marked` where a marker says it, `between` where it is the second of two things
    that the new code goes between, and the one before it is the first.
    """

    side: Side
    what: str
    subject: str = ""
    end: bool = False
    last: bool = False
    marked: bool = False
    between: bool = False


def read_phrases(said: str, above: Iterable[str] = (), below: Iterable[str] = ()) -> list[Phrase]:
    """The phrases of what was said; `above` and `below` are markers on both sides of the new code."""
    found: list[Phrase] = []
    said = said[:_MOST_SAID]
    tops: list[range] = []
    for side, pattern in _PHRASES:
        for match in pattern.finditer(said):
            what = match["what"] or ""
            if not stems(what) - _SORTS and (told := _TOLD_BY.match(said, match.end())):
                what = told["what"]  # "after the task that installs nginx"
            if side == "top":
                tops.append(range(*match.span()))
            elif side == "in" and any(match.start() in span for span in tops):
                continue  # "as the first entry of scripts"
            if side == "replace":
                what = _REPLACED.split(what)[0]
            if side in {"after", "before"}:  # "after get and call it in main"
                what = what.split(" and ")[0]
            subject = _CLAUSE.split(said[: match.start()])[-1]
            if side == "beside" and " and " in what and match[0].lower().startswith("between"):
                first, _, second = what.partition(" and ")
                found += [Phrase(side, first, subject), Phrase(side, second, subject, between=True)]
                continue
            end, last = _END.search(match[0]), _LAST.search(match[0])
            found.append(Phrase(side, what, subject, bool(end), bool(last)))
            if side == "beside" and " and " in what:
                found += [Phrase(side, part, subject) for part in what.split(" and ")]
    for side, lines in (("after", above), ("before", below)):
        for line in lines:
            body = comment_body(line)
            if body and stems(body):
                found.append(Phrase(side, body, marked=True))
    return found


def look_up(outline: Outline, what: str, among: Iterable[int] | None = None) -> list[tuple[float, int]]:
    """Units that a phrase may name, the likeliest first, each with how well it fits, 0 to 1; at most four.

    A unit that has the name itself fits best; else the share of the phrase's words that its first line has.
    """
    inner, held_in, outer = what.partition(" in ")
    if held_in and among is None:  # "area in the impl for Rect"
        around = {number for _, number in look_up(outline, outer)}
        inside = [n for n in range(len(outline.units)) if around & set(outline.around(n))]
        found = [pair for pair in look_up(outline, inner, inside) if pair[0] > _SURE] if inside else []
        if found:
            return found
    names = {_ARITY.sub("", word.strip("`'\"()").rstrip(".:").lower()) for word in _WORD.findall(what)}
    names |= {name.rpartition(".")[2].rpartition("::")[2] for name in names}
    every = stems(what)
    wanted = every - _SORTS or every
    spoken = names - _ARTICLES
    if not spoken and not wanted:
        return []
    found = []
    for number in range(len(outline.units)) if among is None else among:
        unit = outline.units[number]
        name = outline.name(number)
        fit = 0.0
        if name and " " in name and name.lower() in what.lower():
            fit = _ALL
        elif name and len(name) > 1 and _plain(name) & names:
            fit = 1.0
        elif wanted:
            held = stems(" ".join(outline.lines[unit.start : unit.head + 1]))
            fit = 0.9 * len(wanted & held) / len(wanted) if held else 0.0
        elif spoken <= set(re.findall(r"[\w$]+", outline.lines[unit.head].lower())):
            fit = 0.9  # words that say little, and are all there
        if fit >= _LEAST:
            found.append((fit - 0.02 * _depth(outline, number), number))
    found.sort(key=lambda pair: (-pair[0], pair[1]))
    nth = _nth(outline, what) if among is None and (not found or found[0][0] < _SURE) else None
    return [(_SURE, nth)] if nth is not None else found[:4]


def _nth(outline: Outline, what: str) -> int | None:
    """The unit that ``the second job`` means, where all of its sort stand in one thing."""
    match = _NTH.search(what)
    if match is None:
        return None
    sort = match["sort"].lower().rstrip("s")
    kin = [
        n
        for n, unit in enumerate(outline.units)
        if (unit.parent >= 0 and (outline.name(unit.parent) or "").lower().rstrip("s") == sort)
        or outline.kind(n) == f"call:{sort}"
        or (outline.kind(n) == "function" and sort in stems(outline.name(n) or ""))
    ]
    at = _ORDINALS.index(match["nth"].lower())
    homes = {outline.units[n].parent for n in kin}
    return kin[at] if len(homes) == 1 and at < len(kin) else None


def _plain(name: str) -> set[str]:
    """A name as people say it: ``"Store.get"`` is also ``get``, ``get /users`` also ``/users``."""
    lower = name.lower()
    return {
        lower,
        lower.rpartition(".")[2],
        lower.rpartition("::")[2],
        lower.rpartition(" ")[2].strip("'\"`"),
        lower.lstrip("#.$@&-"),
        lower.rstrip("!?"),
    }


def _depth(outline: Outline, number: int) -> int:
    return sum(1 for _ in outline.around(number))


def speaks_of_file(phrase: Phrase) -> bool:
    """Whether a phrase names the file itself, or nothing."""
    return not phrase.what.strip() or not set(re.findall(r"\w+", _FILE.sub("", phrase.what))) - _ARTICLES


def speaks_of(phrase: Phrase, name: str | None) -> bool:
    """Whether something of a name is what a phrase tells the place of."""
    return name is not None and bool(stems(name) & stems(phrase.subject))


def phrases_of(phrases: Sequence[Phrase], *sides: Side) -> Iterator[Phrase]:
    """Those on some sides."""
    return (one for one in phrases if one.side in sides)
