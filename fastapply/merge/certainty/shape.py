"""The shape of a change: how many lines of which kind go and come, and in what sort of hunks."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import log1p
from typing import TYPE_CHECKING

from fastapply.merge.lines import is_closer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.types import Splice

_FIRST = re.compile(r"([A-Za-z_]+)(?:\(\w+\))?\s*")
_MODIFIERS = frozenset(
    re.findall(
        r"\w+",
        """
        export default pub public private protected internal static async abstract override final virtual
        inline open suspend unsafe extern data sealed declare readonly
        """,
    )
)
_KINDS = {
    "import": "import from use using require require_relative require_once include package namespace",
    "define": "def defp class fn func function fun interface struct enum trait impl type module object "
    "record protocol extension sub defmodule macro_rules",
    "test": "test it describe context specify expect assert assertEquals assertEqual should TEST SECTION "
    "REQUIRE CHECK Assert",
    "control": "if else elif elsif elseif for while switch case when match try catch except finally rescue "
    "ensure unless until with do loop guard select begin",
    "leave": "return raise throw yield break continue panic exit",
    "log": "print println printf console log logger puts echo",
    "declare": "const let var val local my our auto mut",
}
_BY_WORD = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_ASSIGNS = re.compile(r"[\w.$@\[\]\"'>-]+\s*(?::?=(?!=)|\+=|\|\|=|\?\?=)")
_IS_KEY = re.compile(r"[\"']?[\w.$-]+[\"']?\s*(?::(?!:)|=>)")
_COMMENTS = ("//", "/*", "*/", "* ", "--", "<!--", ";;", '"""', "'''")


@lru_cache(maxsize=1 << 14)
def kind_of(line: str) -> str:
    """What sort of a line it is, by its first word or sign: ``kind_of("  return x")`` gives ``"leave"``."""
    text = line.strip()
    if is_closer("".join(text.split())):
        return "closer"
    if text.startswith(_COMMENTS) or text == "*":
        return "comment"
    if text[0] == "#":
        return {" ": "comment", "#": "heading"}.get(text[1:2], "decorator")
    if text[0] == "@":
        return "decorator"
    if text[0] in "\"'`" or text[:2] in {"- ", "+ "}:
        return "item"
    at = 0
    while (found := _FIRST.match(text, at)) is not None:
        word = found.group(1)
        if word not in _MODIFIERS:
            if word in _BY_WORD:
                return _BY_WORD[word]
            break
        at = found.end()
    if _ASSIGNS.match(text):
        return "assign"
    if _IS_KEY.match(text):
        return "key"
    return "call" if "(" in text else "other"


Hunk = tuple[list[str], list[str]]
"""Lines with text that go, and those that come in their place."""


def hunks_of(file: Sequence[str], splices: Iterable[Splice]) -> list[Hunk]:
    """What `splices` change of a file; lines that a splice takes out and puts in again are left out."""
    hunks = [net_of(file[one.start : one.end], one.lines) for one in splices]
    return [(went, came) for went, came in hunks if went or came]


def shape_of(hunks: Sequence[Hunk]) -> dict[str, float]:
    """Features of a change, as log(1 + count); those that are 0 are left out."""
    went = [line for gone, _ in hunks for line in gone]
    came = [line for _, new in hunks for line in new]
    kinds_went, kinds_came = Counter(map(kind_of, went)), Counter(map(kind_of, came))
    defined = kinds_came["define"] - kinds_went["define"]
    counts: dict[str, int] = {f"goes.{kind}": count for kind, count in kinds_went.items()}
    counts |= {f"comes.{kind}": count for kind, count in kinds_came.items()}
    counts |= {
        "goes": len(went),
        "comes": len(came),
        "grows": max(0, len(came) - len(went)),
        "shrinks": max(0, len(went) - len(came)),
        "defines_more": max(0, defined),
        "defines_less": max(0, -defined),
        "moves": (Counter(map(_key, went)) & Counter(map(_key, came))).total(),
        "hunks.insert": sum(not gone for gone, _ in hunks),
        "hunks.delete": sum(not new for _, new in hunks),
        "hunks.replace": sum(bool(gone and new) for gone, new in hunks),
        "hunks.same_size": sum(len(gone) == len(new) for gone, new in hunks),
        "hunks.shorter": sum(0 < len(new) < len(gone) for gone, new in hunks),
        "hunks.longer": sum(0 < len(gone) < len(new) for gone, new in hunks),
    }
    return {f"shape.{name}": log1p(count) for name, count in counts.items() if count}


def net_of(old: Sequence[str], new: Sequence[str]) -> Hunk:
    """Lines with text of one side that the other one does not have."""
    here, there = Counter(map(_key, new)), Counter(map(_key, old))
    return _without(old, here), _without(new, there)


def _without(lines: Sequence[str], held: Counter[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        key = _key(line)
        if not key:
            continue
        if held[key] > 0:
            held[key] -= 1
        else:
            found.append(line)
    return found


def _key(line: str) -> str:
    return "".join(line.split())
