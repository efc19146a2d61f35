"""What sort of change words speak of: learned from edits whose result is known.

"add" goes along with lines that come, "rename" with as many that go, "drop the comment" with a comment that
goes; nobody has to list such words. Each word that was said, and each feature of what a candidate changes, is
a short vector, and their products are added up (a bilinear model of low rank). What becomes of the names that
were said counts as well, by the word before them and the first one of their clause: "after `load`" and
"remove `load`" are not the same for it. The sum of both is one fact for the ranking, `told.words`. See `train
certainty` for how all this is fitted.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import lru_cache
from itertools import pairwise
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply.merge.certainty.said import stems
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fastapply.merge.certainty.shape import Hunk

FILE = Path(__file__).with_name("wording.json")
FEATURES = frozenset(
    re.findall(
        r"[\w.]+",
        """
        beside.definitions_lost beside.kept_alike beside.kept_defined beside.kept_same beside.omitted
        border.parted border.put_00 border.put_01 border.put_10 border.put_11 border.swap_00 border.swap_01
        border.swap_10 border.swap_11 chain.other head.unmarked inside.repeated marker.fits moved
        names.orphaned near out.defined_again out.deleted_share out.idle out.lost out.lost_used rules.guess
        skip skip.named tail.unmarked terms.head terms.hidden terms.lost terms.rare terms.rare_hidden
        terms.sibling terms.unsaid terms.unsaid_hidden told.less told.less_removal told.more verbatim
        version.kept version.least within.definitions_lost within.kept_alike within.kept_same within.omitted
        """,
    )
)
"""Facts that say what a candidate changes, beside those of its shape (``shape.``)."""
_WORD = re.compile(r"[a-z]+")
_ENDING = re.compile(r"(?:ing|ed|es|s|e)$")
_I_WILL = re.compile(r"\s*[Ii](?:'ll|'m| will| am)?\s+(?:also\s+)?")
_EMPTY = frozenset(
    re.findall(r"\w+", "i the a an and of to in for so that it is with on as by its be will this")
)
_MOST = 2000
"""Characters of what was said that are read."""
_MANY = 6
_MOST_MENTIONS = 80
_CLAUSE = re.compile(r"[.;!?](?:\s|$)|\n|,|\b(?:and|then|so)\b")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


@dataclass(frozen=True, slots=True)
class Mention:
    """A name or word that was said: its stems, the word before it, and the first word of its clause."""

    stems: frozenset[str]
    before: str
    first: str


@dataclass(frozen=True, slots=True)
class Spoken:
    """What was said along with an edit."""

    words: tuple[str, ...]
    mentions: tuple[Mention, ...]


def read_spoken(said: str, edit: Sequence[str], markers: int) -> Spoken:
    """What a line of instructions and the words around the code say.

    The words of "Add a test" are ``add``, ``test``, ``add_a`` and ``^add``, the first one. How long the edit
    is, how many markers it has and whether words stand around it are words as well.
    """
    text = said[:_MOST].replace("\u2019", "'")
    line, _, around = text.partition("\n")
    line = _I_WILL.sub("", line, count=1)
    plain = _stems(line)
    found = {f"^{plain[0]}"} if plain else set[str]()
    for part in (plain, _stems(around)):
        found.update(f"{one}_{other}" for one, other in pairwise(part))
        found.update(part)
    found -= _EMPTY
    found.add(f"#markers{min(_MANY, markers)}")
    found.add(f"#lines{min(_MANY, len(edit) // 10)}")
    found.add("#chat" if around.strip() else "#code")
    return Spoken(tuple(sorted(found)), tuple(_mentions(f"{line}\n{around}"))[:_MOST_MENTIONS])


def _mentions(text: str) -> Iterator[Mention]:
    for clause in _CLAUSE.split(text):
        names = _NAME.findall(clause)
        plain = [_plain(name) for name in names]
        for number, name in enumerate(names):
            if said_stems := stems(name):
                yield Mention(said_stems, plain[number - 1] if number else "^", plain[0])


def fates_of(mentions: Iterable[Mention], held: Mapping[str, int], hunks: Iterable[Hunk]) -> dict[str, float]:
    """What becomes of what was said: ``{"remov _>gone": 1.0}``, less for what many lines of the file have.

    `held` says in how many lines of the file a stem stands. A stem is `new` to the file, `gone` from it, in
    `more` or in `less` of its lines, in as many of which some changed (`touched`), or where it was (`still`).
    """
    went: Counter[str] = Counter()
    came: Counter[str] = Counter()
    for gone, new in hunks:
        for line in gone:
            went.update(stems(line))
        for line in new:
            came.update(stems(line))
    fates: dict[str, float] = {}
    for one in mentions:
        for stem in one.stems:
            before, less, more = held.get(stem, 0), went[stem], came[stem]
            if not before and not more:
                continue
            fate = _fate(before, less, more)
            worth = 1 / (1 + log(max(1, before)))
            for key in (f"{one.before} _>{fate}", f"{one.first}..._>{fate}", f"_>{fate}"):
                fates[key] = fates.get(key, 0.0) + worth
    return fates


def _fate(before: int, less: int, more: int) -> str:
    if not before:
        return "new"
    if before - less + more <= 0:
        return "gone"
    if more != less:
        return "more" if more > less else "less"
    return "touched" if less else "still"


def _stems(text: str) -> list[str]:
    return [_plain(word) for word in _WORD.findall(text.lower())]


def _plain(word: str) -> str:
    return _ENDING.sub("", word.lower()) if len(word) > 4 else word.lower()


@dataclass(frozen=True, slots=True)
class Wording:
    """A vector for each word and for each feature, all of the same length, and a weight for each fate.

    Vectors are kept as they are written, numbers with blanks between: few of them are ever needed.
    """

    words: dict[str, str]
    features: dict[str, str]
    fates: dict[str, float]

    def reader(self, words: Iterable[str]) -> dict[str, float]:
        """What each feature counts for whoever said these words."""
        known = [_vector(self.words[word]) for word in words if word in self.words]
        if not known:
            return {}
        total = [sum(column) for column in zip(*known, strict=True)]
        return {
            name: sum(one * other for one, other in zip(total, _vector(numbers), strict=True))
            for name, numbers in self.features.items()
        }

    def of_fates(self, fates: Mapping[str, float]) -> float:
        """How well what becomes of names fits how they were said."""
        return sum(self.fates.get(name, 0.0) * value for name, value in fates.items())


def _vector(numbers: str) -> list[float]:
    return list(map(float, numbers.split()))


def told_words(reader: Mapping[str, float], facts: Mapping[str, float]) -> float:
    """How well what a candidate changes fits what was said; `facts` are its own, those of its shape too."""
    return sum(reader.get(name, 0.0) * value for name, value in facts.items())


@lru_cache(maxsize=2)
def load_wording(path: Path = FILE) -> Wording:
    """Read a file of vectors; see `train certainty` for how it is made."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return Wording(data["words"], data["features"], data["fates"])
