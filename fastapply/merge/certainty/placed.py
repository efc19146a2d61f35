"""Features of where the instructions say that something stands, and what they say stays or is replaced.

``add a test after test_merge``, ``between the current and the minimum``, ``at the end of the file``,
``rename run to start``, ``the overloads stay``: read by patterns, so that a sentence may be taken for what it
is not; each is evidence to weigh.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from fastapply.merge.certainty.said import stems, weigh
from fastapply.merge.likeness import is_attachment
from fastapply.merge.lines import is_closer, says_something
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fastapply.merge.certainty.changes import Change
    from fastapply.merge.lines import LineTable

_MOST_SAID = 2_000
_MOST_WHAT = 90
_SIDES = {
    **dict.fromkeys(("after", "below", "behind", "beneath", "underneath", "following"), "above"),
    **dict.fromkeys(("before", "above", "ahead of", "in front of"), "below"),
    **dict.fromkeys(("next to", "beside", "alongside"), "either"),
    "between": "both",
}
"""On which side of new lines a thing stands that they are said to stand ``after``, ``before``, ..."""
_RELATION = re.compile(
    rf"\b(?P<relation>{'|'.join(_SIDES)})\s+(?P<what>[^,;:()\n]*?)"
    r"(?=[,;:()\n]|\.(?:\s|$)|$|\s(?:so|that|which|in|to|when|if|is|are|was|has|have|gets?|for|from|with|by|as|"
    r"instead|plus|while|because)\b)",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\s+and\s+(?=(?:also |then )?(?:add|use|let|make|move|remove|drop|delete|rename|replace|return|call|"
    r"pass|switch|keep|put|inline|turn|have|give|document|mention|bump|"
    r"import|fix|test|I|a|an|the new|its)\b)",
    re.IGNORECASE,
)
_END = re.compile(
    r"\b(?:(?:at|to|near|on|until) (?:the |its )?(?:very )?(?:end|bottom)\b|append\w*|at last|as the last|"
    r"last (?:in|one|entry|item|test|section))\b",
    re.IGNORECASE,
)
_TOP = re.compile(
    r"\b(?:(?:at|to|near|on) (?:the |its )?(?:very )?(?:top|beginning|start|head)|prepend\w*|as the first|"
    r"first (?:in|entry|item))\b",
    re.IGNORECASE,
)
_STAYS = re.compile(
    r"\b(?:stays?|keeps?|kept|remains?|unchanged|untouched|leaves?|leaving|keeping|staying|"
    r"as (?:it|they) (?:is|are|was|were)|still)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.;,:]\s|\n|\(|\)|\s(?:and|but|while)\s")
_STOP = r"(?=[,;\n]|\.(?:\s|$)|$|\sand\s|\s(?:in|so|where|when|because|on|for|everywhere)\b)"
_REPLACES = (
    re.compile(
        r"\b(?:renam\w*|chang\w*|turn\w*|convert\w*|mov\w*|switch\w*|migrat\w*|updat\w*|bump\w*|replac\w*|swap\w*|"
        r"exchang\w*)\s+(?:from )?(?P<old>[^,;\n]{2,80}?)\s+(?:in)?(?:to|by|with|for|->|\u2192)\s+"
        rf"(?P<new>[^,;\n]{{2,80}}?){_STOP}",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:us\w+|call\w*|return\w*|tak\w+|read\w*|pass\w*|check\w*|build\w*|import\w*)\s+"
        r"(?P<new>[^,;\n]{2,80}?)\s+(?:instead of|in place of|rather than|and no longer|not)\s+"
        rf"(?P<old>[^,;\n]{{2,80}}?){_STOP}",
        re.IGNORECASE,
    ),
)
_NEAR = 40
"""Lines of a block above that are looked at besides its header."""
_ATTACHED = 6
"""Comment lines and decorators that belong to a header."""
_BELOW = 4
"""Lines behind the header below that are looked at besides it."""

_Words = dict[str, float]


@dataclass(frozen=True, slots=True)
class Places:
    """What was said about places and fates of things that the file has; the words are weighted.

    `relations` are a side and the words of what stands there (two of them where it is ``both``);
    `replaced` are the words of each thing that is said to be replaced by another.
    """

    relations: tuple[tuple[str, _Words, _Words], ...]
    at_end: bool
    at_top: bool
    stays: _Words
    replaced: _Words

    def __bool__(self) -> bool:
        return bool(self.relations or self.at_end or self.at_top or self.stays or self.replaced)


def read_places(said: str, held: Mapping[str, int]) -> Places:
    """What was said about places; `held` has in how many lines of the file each word stands."""
    said = said[:_MOST_SAID]

    def known(text: str) -> _Words:
        return weigh(sorted(stems(text)), held)

    relations = []
    for match in _RELATION.finditer(said):
        what = _GOES_ON.split(match["what"])[0][:_MOST_WHAT]
        side = _SIDES[match["relation"].lower()]
        one, _, other = what.partition(" and ") if side == "both" else (what, "", "")
        words = known(one), known(other)
        if any(words):
            relations.append((side, *words))
    stays = " ".join(clause for clause in _CLAUSE.split(said) if _STAYS.search(clause))
    replaced: _Words = {}
    for pattern in _REPLACES:
        for match in pattern.finditer(said):
            new = stems(match["new"])
            replaced |= {word: weight for word, weight in known(match["old"]).items() if word not in new}
    return Places(
        tuple(relations),
        _END.search(said) is not None,
        _TOP.search(said) is not None,
        known(stays),
        replaced,
    )


def placed_of(places: Places, file: LineTable, changes: Sequence[Change]) -> dict[str, float]:
    """Features about whether changes are where they were said to be."""
    if not places:
        return {}
    adding = [one for one in changes if any(says_something(line) for line in one.new)]
    features: dict[str, float] = {}
    if places.relations:
        best = [
            max((_fits(relation, file, one) for one in adding), default=0.0) for relation in places.relations
        ]
        features["told.placed"] = sum(best) / len(best)
        features["told.misplaced"] = 1 - features["told.placed"]
        features["told.place_lost"] = _lost(
            {
                word: value
                for _, *things in places.relations
                for thing in things
                for word, value in thing.items()
            },
            file,
            changes,
        )
    if places.at_end:
        reached = max((_ends(file, one) for one in adding), default=0)
        features[("told.end_missed", "told.end_block", "told.end_file")[reached]] = 1.0
    if places.at_top:
        features["told.top" if any(_is_first(file, one) for one in adding) else "told.top_missed"] = 1.0
    for words, if_gone, if_not in (
        (places.stays, "told.stay_lost", "told.stay_kept"),
        (places.replaced, "told.swapped", "told.unswapped"),
    ):
        if words:
            features[if_gone] = _lost(words, file, changes)
            features[if_not] = 1 - features[if_gone]
    return {name: value for name, value in features.items() if value}


def _lost(words: _Words, file: LineTable, changes: Sequence[Change]) -> float:
    """Weighted share of words that stand in fewer lines than before."""
    away = Counter(
        word
        for one in changes
        for line in file.lines[one.start : one.end]
        if says_something(line)
        for word in stems(line)
    )
    came = Counter(word for one in changes for line in one.new for word in stems(line))
    return sum(value for word, value in words.items() if away[word] > came[word]) / sum(words.values())


def _fits(relation: tuple[str, _Words, _Words], file: LineTable, change: Change) -> float:
    """How well a change stands where a relation says it does, 0 to 1."""
    side, one, other = relation
    if side == "above":
        return _share(one, file, *_thing_above(file, change.start))
    if side == "below":
        return _share(one, file, *_thing_below(file, change.end))
    above, below = _thing_above(file, change.start), _thing_below(file, change.end)
    if side == "either":
        return max(_share(one, file, *above), _share(one, file, *below))
    shares = [_share(words, file, *thing) for words, thing in ((one, above), (other, below)) if words]
    return sum(shares) / len(shares)


def _share(words: _Words, file: LineTable, header: Sequence[int], body: Sequence[int]) -> float:
    """Weighted share of words that a thing has: all that a header's has, half of what its body has."""
    named = {word for number in header for word in stems(file.lines[number])}
    inside = {word for number in body for word in stems(file.lines[number])}
    found = sum(
        value * (1.0 if word in named else 0.5 if word in inside else 0.0) for word, value in words.items()
    )
    return found / sum(words.values()) if words else 0.0


def _thing_above(file: LineTable, start: int) -> tuple[list[int], list[int]]:
    """What ends directly above a file line: the lines of its headers, and some of its body."""
    last = next((f for f in range(start - 1, -1, -1) if file.keys[f]), -1)
    if last < 0:
        return [], []
    headers = [last, *_openers(file, last)]
    for header in tuple(headers):
        headers += _attached(file, header)
    return headers, [f for f in range(max(min(headers), last - _NEAR), last) if file.keys[f]]


def _openers(file: LineTable, last: int) -> Iterator[int]:
    """Headers of the blocks that end with a line."""
    if is_closer(file.keys[last]):
        for f in range(last - 1, -1, -1):
            if file.keys[f] and file.depths[f] <= file.depths[last] + 0.6 and not is_closer(file.keys[f]):
                yield f
                return
        return
    parent = file.parents[last]
    for _ in range(3):
        if parent < 0 or file.ends[parent] > last + 1:
            return
        yield parent
        parent = file.parents[parent]


def _attached(file: LineTable, header: int) -> Iterator[int]:
    """Comments and decorators directly above a line."""
    for f in range(header - 1, max(-1, header - 1 - _ATTACHED), -1):
        if not file.keys[f] or not is_attachment(file.lines[f]):
            return
        yield f


def _thing_below(file: LineTable, end: int) -> tuple[list[int], list[int]]:
    """What begins directly below: its comments, decorators and header, and some of its body."""
    first = next((f for f in range(end, len(file.keys)) if file.keys[f]), -1)
    if first < 0:
        return [], []
    headers = [first]
    at = first
    while at + 1 < min(len(file.keys), first + 9) and (not file.keys[at] or is_attachment(file.lines[at])):
        at += 1
        headers.append(at)
    return headers, [f for f in range(first, min(len(file.keys), at + _BELOW)) if file.keys[f]]


def _ends(file: LineTable, change: Change) -> int:
    """2 where a change is the end of its file, 1 where it is that of a block."""
    below = (f for f in range(change.end, len(file.keys)) if file.keys[f])
    first = next(below, -1)
    if first < 0 or (is_closer(file.keys[first]) and all(is_closer(file.keys[f]) for f in below)):
        return 2
    if is_closer(file.keys[first]):
        return 1
    last = next((f for f in range(change.start - 1, -1, -1) if file.keys[f]), -1)
    return int(last >= 0 and file.depths[first] < file.depths[last] - 0.6)


def _is_first(file: LineTable, change: Change) -> bool:
    """Whether a change is the beginning of its file or of a block, comments aside."""
    above = next(
        (f for f in range(change.start - 1, -1, -1) if file.keys[f] and not is_attachment(file.lines[f])), -1
    )
    return above < 0 or (file.ends[above] > change.start and file.ends[above] >= change.end)
