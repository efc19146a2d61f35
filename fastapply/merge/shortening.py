"""In which way a line of an edit only shortens a line of the file: dots, a comment cut, an early end."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from fastapply.edits.markers import comment_body, is_marker, marker_inside
from fastapply.merge.indentation import indent_of
from fastapply.merge.likeness import definition, holds_members, is_attachment
from fastapply.merge.lines import is_closer
from fastapply.types import Splice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LINES = 1 << 14
"""Pairs of lines of which is remembered how one shortens the other."""

# not a spread, nor variadic parameters or what is passed for them
_ELIDED = re.compile(r"(?<![\w$)\]])\.{3}(?![\w$\[({*&])|\.{3}(?=[\"'`])")
_INLINE = re.compile(r"\s(?:<!--.*-->|/\*.*\*/|//.*|#.*|\{/\*.*\*/\})\s*$")
_NEGATIONS = frozenset(
    ["not", "no", "never", "none", "without", "only", "unless", "except", "don", "doesn", "isn"]
)
_DOTTED = re.compile(r"\w+(?:\.\w+)+")
_COMMENT_SIGN = re.compile(r"\s+(?://|#\s|--\s|/\*|<!--|;)")
_TRAILING = re.compile(r"(?:^|\s)(?://|#|--|/\*|<!--|;)[^\"'`]*$")

_NO_QUOTES = dict.fromkeys(map(ord, "\"'`"))
_WORDS = re.compile(r"\w+|[^\w\s]")
_MODIFIERS = frozenset(
    re.findall(
        r"\w+",
        "static const async public private protected internal readonly final export default pub override",
    )
)


@lru_cache(maxsize=LINES)
def shortening(edit_line: str, file_line: str) -> str | None:
    """In which way an edit line only shortens the file's line; None where it does not.

    ``dots``: dots or a marker stand for the rest. ``comment``: a comment with fewer words or signs.
    ``trailing``: the comment behind the code is gone or shorter. ``prefix``: the line ends earlier.
    Each may be carelessness about a line that stays, or the change itself.
    """
    ours, theirs = edit_line.strip(), file_line.strip()
    if not ours or not theirs or ours == theirs:
        return None
    if _dots_for(ours, theirs):
        return "dots"
    one, other = comment_body(edit_line), comment_body(file_line)
    if one is not None and other is not None:
        return "comment" if _fewer_words(one, other) or _fewer_signs(ours, theirs) else None
    if (
        theirs.startswith(ours)
        and _COMMENT_SIGN.match(theirs[len(ours) :])
        and not _COMMENT_SIGN.match(" " + ours)
    ):
        return "trailing"
    behind, before = _TRAILING.search(ours), _TRAILING.search(theirs)
    if before is not None and before.start() > 0:
        code = theirs[: before.start()].rstrip()
        if ours == code:
            return "trailing"
        if behind is not None and ours[: behind.start()].rstrip() == code:
            return "trailing" if _fewer_words(behind.group(), before.group()) else None
    if (
        len(ours) >= 8
        and theirs.startswith(ours.rstrip("."))
        and len(theirs) > len(ours)
        and ours[-1].isalnum()
    ):
        return "prefix"
    return None


def _dots_for(ours: str, theirs: str) -> bool:
    """Whether dots, or a marker at the end, stand for a part of the other line."""
    cut = _INLINE.search(ours)
    if cut is not None and cut.start() >= 8 and is_marker(cut.group().strip()):
        return theirs.startswith(ours[: cut.start()].rstrip())
    inside = marker_inside(ours)
    if inside is not None:
        head, tail = ours[: inside.start()].rstrip(), ours[inside.end() :].lstrip()
        long = 8 <= len(head) + len(tail) < len(theirs)
        return long and theirs.startswith(head) and theirs.endswith(tail)
    if "..." in theirs or "…" in theirs:
        return False
    head = ours.rstrip(" .…")
    if ours.endswith((" ...", " …")) and theirs.startswith(head) and theirs != head and len(ours) >= 12:
        return True
    if not _ELIDED.search(ours):
        return False
    parts = [part.strip() for part in ours.split("...")]
    if parts[-1] in {'"""', "'''"} and len(parts) == 2 and len(parts[0]) >= 8:
        return theirs.startswith(parts[0])
    return (
        len(parts) == 2
        and len("".join(parts)) >= 8
        and theirs.startswith(parts[0])
        and theirs.endswith(parts[1])
        and any(map(str.isalnum, theirs[len(parts[0]) : len(theirs) - len(parts[1])]))
    )


def _fewer_words(ours: str, theirs: str) -> bool:
    """Whether a comment has some of another one's words, in their order, and no others.

    Not where it lost a link, a bracket, the first parts of a name, or a negation: these say something else.
    """
    a, b = re.findall(r"\w+", ours), re.findall(r"\w+", theirs)
    if set(_DOTTED.findall(theirs)) - set(_DOTTED.findall(ours)) or (set(b) - set(a)) & _NEGATIONS:
        return False
    if any(ours.count(sign) != theirs.count(sign) for sign in ("{", "<", "[", "](", "|", "@")):
        return False
    rest = iter(b)
    return 2 <= len(a) < len(b) and all(word in rest for word in a)


def _fewer_signs(ours: str, theirs: str) -> bool:
    return re.findall(r"\w+", ours) == re.findall(r"\w+", theirs) and len(ours) < len(theirs)


def with_details(splices: Sequence[Splice], lines: Sequence[str]) -> tuple[Splice, ...] | None:
    """Changes that leave lines as they are of which they only leave out a detail; None where they do not.

    A detail is the comment behind the code, quotes, or modifiers such as ``static``.
    """
    return _with_file_lines(splices, lines, _lacks_detail)


def with_comments(splices: Sequence[Splice], lines: Sequence[str]) -> tuple[Splice, ...] | None:
    """Changes that leave comments as they are of which they have fewer words; None where they do not."""
    return _with_file_lines(splices, lines, lambda ours, theirs: shortening(ours, theirs) == "comment")


def _with_file_lines(
    splices: Sequence[Splice], lines: Sequence[str], is_same: Callable[[str, str], bool]
) -> tuple[Splice, ...] | None:
    found: list[Splice] = []
    kept = 0
    for one in splices:
        old = list(lines[one.start : one.end])
        new = list(one.lines)
        for number, line in enumerate(new):
            same = next((other for other in old if is_same(line, other)), None)
            if same is not None:
                old.remove(same)
                new[number] = indent_of(line) + same.strip()
                kept += 1
        found.append(Splice(one.start, one.end, tuple(new)))
    return tuple(found) if kept else None


def with_docs(splices: Sequence[Splice], lines: Sequence[str]) -> tuple[Splice, ...] | None:
    """Changes that leave comments and decorators above definitions that stay; None where they do."""
    found: list[Splice] = []
    for one in splices:
        start, end, new = one.start, one.end, list(one.lines)
        stays = end < len(lines) and definition(lines[end]) is not None and not is_attachment(lines[end])
        if stays and not _is_documented(new, len(new)):
            end -= _documents(lines[start:end], end - start)
        old = list(lines[start:end])
        at = {name: n for n, line in enumerate(old) if (name := _defined(line))}
        for n in reversed(range(len(new))):
            m = at.get(_defined(new[n]) or "")
            if m is not None and not _is_documented(new, n):
                new[n:n] = old[m - _documents(old, m) : m]
        if start < end or new:
            found.append(Splice(start, end, tuple(new)))
    return tuple(found) if found != list(splices) else None


def lacks_of(splices: Sequence[Splice], lines: Sequence[str]) -> dict[str, float]:
    """Features of changes that lack details of lines, words of comments, or comments above what stays."""
    ways = (("lacks.details", with_details), ("lacks.words", with_comments), ("lacks.docs", with_docs))
    return {name: 1.0 for name, keep in ways if keep(splices, lines) is not None}


def _documents(lines: Sequence[str], at: int) -> int:
    """How many lines right above a line are comments or decorators."""
    first = at
    while first and is_attachment(lines[first - 1]):
        first -= 1
    return at - first


def _is_documented(lines: Sequence[str], at: int) -> bool:
    return at > 0 and is_attachment(lines[at - 1])


def _defined(line: str) -> str | None:
    return None if is_attachment(line) else definition(line)


def _lacks_detail(ours: str, theirs: str) -> bool:
    """Whether a line is another one without a comment, quotes, modifiers or base classes that it has."""
    if "".join(ours.split()) == "".join(theirs.split()):
        return False
    if shortening(ours, theirs) == "trailing" or _lacks_bases(ours, theirs):
        return True
    if is_closer(ours.strip()) and theirs.strip() == f"{ours.strip()} {{":
        return True
    mine, others = (
        [word for word in _WORDS.findall(_bare(line)) if word not in _MODIFIERS] for line in (ours, theirs)
    )
    return len(mine) > 1 and mine == others and len(ours.split()) <= len(theirs.split())


def _lacks_bases(ours: str, theirs: str) -> bool:
    """Whether a line opens a class that another one opens too, and says more of: ``class A(B):``."""
    if not (holds_members(ours) and holds_members(theirs)) or definition(ours) != definition(theirs):
        return False
    rest = iter(_WORDS.findall(theirs))
    return definition(ours) is not None and all(word in rest for word in _WORDS.findall(ours))


def _bare(line: str) -> str:
    """A line without white space and quotes at the ends of words."""
    return " ".join(line.translate(_NO_QUOTES).split())
