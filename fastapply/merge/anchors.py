"""Where the lines of a lazy edit may stand in the file: the points that an alignment is made of.

A *point* says that one edit line is one file line. It is *exact* (alike but for white space),
*near* (the edit's version of that line: the same name is defined, or most words agree), or
*derived* (the line that closes a block whose opening line has a point). A block end without a
closing line (Python, YAML) is a point as well, of no lines.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fastapply.formats.markers import comment_body
from fastapply.merge.lines import is_closer, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.merge.lines import LineTable

_RARITY = {1: 1.5, 2: 1.2}
COMMON = 8
"""A line that stands more often in the file is an anchor only beside another one."""
NEAR = 0.6
"""Similarity from which on an edit line may be a new version of a file line."""
OTHER = 0.8
"""What is left of a similarity where a definition was renamed."""
NEAR_EACH = 6
"""Near points kept for one edit line."""

_DEFINES = re.compile(
    r"(?:@?\w+\s+)*?(?:def|class|function\*?|func|fn|fun|interface|type|struct|enum|trait|impl|module|namespace|"
    r"const|let|var|val|object|record|protocol|extension|union|macro_rules!|sub|package|table|view|index|resource|data|"
    r"TABLE|VIEW|INDEX|FUNCTION|PROCEDURE|TRIGGER|SCHEMA|TYPE|describe|it|test|context|scope)\b\s*(?:\([\w\s*&.,\[\]]*\)\s*)?\(?\s*(?P<name>[\w$][\w$.:!?=-]*|'[^']*'|\"[^\"]*\"|`[^`]*`)",
)
_SIGNATURE = re.compile(r"[{(,)]$|\)\s*(?:throws\s+[\w.,\s]+|const|noexcept|override|async)$")
_ANNOTATIONS = re.compile(r"(?:@[\w.]+(?:\([^)]*\))?\s+)+(?=\w)")
_METHOD = re.compile(
    r"(?:(?:public|private|protected|internal|static|final|async|override|abstract|virtual|export|inline|extern|"
    r"unsafe|get|set|readonly|synchronized|native)\s+)*"
    r"(?:[\w$<>\[\],.?*&:]+\s+[*&]*)??(?P<name>[A-Za-z_$~][\w$:~]*)\s*\([^;]*$"
)
_PROTOTYPE = re.compile(
    r"(?!(?:return|await|throw|new|delete|else|yield|case|goto)\b)(?:[\w:<>,]+[\s*&]+)+(?P<name>[A-Za-z_]\w*)\s*\([^;]*\)[\w\s]*;$"
)
_ASSIGNED = re.compile(r"(?P<name>[A-Za-z_$@][\w$.-]*\??|'[^']+'|\"[^\"]+\")\s*(?::=|=(?![=>])|:(?!:))")
_NO_NAMES = frozenset(
    ["if", "for", "while", "switch", "return", "catch", "with", "elif", "else", "await", "throw", "raise", "assert"]
)

Kind = Literal["exact", "near", "derived", "end", "bound"]


@dataclass(frozen=True, slots=True)
class Point:
    """Edit line `i` is the file lines `[start, end)`: one line, or none at a block's end."""

    i: int
    start: int
    end: int
    weight: float
    kind: Kind


def definition(line: str) -> str | None:
    """Name of the function, type, test or variable that a line declares; None where it declares none."""
    stripped = _ANNOTATIONS.sub("", line.strip())
    match = _DEFINES.match(stripped)
    if match is None and _SIGNATURE.search(stripped) and "=" not in stripped.partition("(")[0]:
        match = _METHOD.match(stripped)
    if match is None and stripped.endswith(";"):
        match = _PROTOTYPE.match(stripped)
    name = match.group("name").strip(":") if match else ""
    return name if name and name not in _NO_NAMES else None


def defined_name(line: str) -> str | None:
    """Name that a line declares or sets: ``"def f(x):"`` gives ``"f"``; None where it does neither."""
    name = definition(line)
    if name is not None:
        return name
    match = _ASSIGNED.match(line.strip())
    return match.group("name") if match and match.group("name") not in _NO_NAMES else None


_MODULE = re.compile(r"(?:import|from|use|using|#\s*include|require|package|export\s.*from)\b")
_QUOTED = re.compile(r"\"([^\"]*)\"|'([^']*)'|`([^`]*)`|<([^<>\s]*)>")
_CASE = re.compile(r"(?:case|when)\b\s*(?P<name>.+?)\s*(?::|=>|\bthen\b|\)|$)|(?P<arm>[\w\"'./*|-]+)\)$")
_TESTED = re.compile(
    r"(?:assert\s+(?P<what>.+?)\s*(?:[=!]=|<=?|>=?|\bis\b|\bin\b|\bnot\b|,|$)|(?:await\s+)?expect\((?P<expected>.+?)\)\s*\.)"
)
_CALL = re.compile(r"(?:(?:await|return|yield|defer|go|new|throw|raise)\s+)*(?P<name>[\w$.:?!@-]+?)[!?]?\s*[({]")


def subject(line: str) -> str | None:
    """What a line declares, imports, or matches as a case; None where it does nothing of these."""
    stripped = line.strip()
    if _MODULE.match(stripped):
        quoted = _QUOTED.search(stripped)
        if quoted:
            return _text(quoted)
        found = words(stripped)
        if found[0] == "from" and "import" in found:
            return "".join(found[1 : found.index("import")])
        return "".join(word for word in found[1:] if word not in "{};") or None
    match = _CASE.match(stripped)
    if match:
        return match.group("name") or match.group("arm") or None
    return definition(line)


def identity(line: str) -> str | None:
    """What a line is about, so that two lines about different things are never versions of one.

    Its `subject`, the name it sets, or the function it calls with its first text; None where none
    of these shows.
    """
    stripped = line.strip()
    name = subject(line)
    if name is not None:
        return name
    name = defined_name(line)
    if name is not None:
        return name
    match = _TESTED.match(stripped)
    if match:
        return "assert " + "".join((match.group("what") or match.group("expected")).split())
    match = _CALL.match(stripped)
    if match and match.group("name") not in _NO_NAMES:
        quoted = _QUOTED.match(stripped[match.end() :])
        return match.group("name") + (" " + (_text(quoted) or "") if quoted else "")
    if stripped[:1] in "\"'`":
        quoted = _QUOTED.match(stripped)
        if quoted:
            return _text(quoted)
    return None


def _text(quoted: re.Match[str]) -> str | None:
    return next((group for group in quoted.groups() if group), None)


def similarity(left: str, right: str) -> float:
    """Share of words that two lines have in common, order counted: 0 to 1."""
    a, b = words(left), words(right)
    if not a or not b:
        return 0.0
    counted = Counter(a)
    counted.subtract(b)
    shared = (len(a) + len(b) - sum(abs(count) for count in counted.values())) / 2
    if 2 * shared / (len(a) + len(b)) < 0.4:
        return 0.0
    return 2 * _common(a, b) / (len(a) + len(b))


def _common(a: Sequence[str], b: Sequence[str]) -> float:
    """Length of the longest common subsequence of words, each counted by its letters' worth."""
    row = [0.0] * (len(b) + 1)
    for word in a:
        previous = 0.0
        for column, other in enumerate(b, 1):
            keep = row[column]
            row[column] = previous + 1.0 if word == other else max(keep, row[column - 1])
            previous = keep
    return row[-1]


_DECORATOR = re.compile(r"\s*(?:@\w[\w.]*(?:\(.*)?\s*$|#!?\[|\[\w[^\]]*\]\s*$)")


def is_decorator(line: str) -> bool:
    """Whether a line only decorates what follows: ``@dataclass``, ``#[test]``, ``[Fact]``."""
    return _DECORATOR.match(line) is not None


def is_attachment(line: str) -> bool:
    """Whether a line belongs to the definition below it: a decorator or a comment."""
    return is_decorator(line) or comment_body(line) is not None or line.lstrip().startswith(("*", "/**", "///"))


def same_name(score: float) -> float:
    """Similarity of two lines about the same thing: raised, but the more alike one stays ahead."""
    score = max(score, 0.5)
    return score + 0.5 * (1 - score)


def find_points(
    edit: LineTable, file: LineTable, texts: Iterable[int], openers: dict[int, int], block_ends: dict[int, int]
) -> list[Point]:
    """All points of an edit, sorted by edit line and then by file line.

    `texts` are the edit lines that show code; `openers` maps a closing edit line to the edit line
    that opens its block; `block_ends` maps a virtual edit line (a block's end) to its opening line.
    """
    where = file.where()
    shown = list(texts)
    exact = _exact_points(edit, file, shown, where)
    points: dict[int, list[Point]] = defaultdict(list)
    for point in exact:
        points[point.i].append(point)
    unmatched = [i for i in shown if edit.weights[i] > 0.15 and not _unique(points.get(i), where, edit.keys[i])]
    for point in _near_points(edit, file, unmatched, where):
        points[point.i].append(point)
    for closer, opener in sorted(openers.items()):
        known = {point.start for point in points[closer]}
        for point in points.get(opener, ()):
            at = closing_line(file, point.start)
            if at < len(file.lines) and at not in known and file.keys[at][:1] == edit.keys[closer][:1]:
                known.add(at)
                exactly = file.keys[at] == edit.keys[closer]
                points[closer].append(Point(closer, at, at + 1, 0.35 if exactly else 0.2, "derived"))
    for virtual, opener in block_ends.items():
        places = {file.ends[point.start] for point in points.get(opener, ())}
        points[virtual] = [Point(virtual, at, at, 0.3, "end") for at in places]
    return sorted((p for group in points.values() for p in group), key=lambda p: (p.i, p.start))


def closing_line(file: LineTable, opener: int) -> int:
    """First line with text behind the block that a file line opens; the number of lines if there is none."""
    at = file.ends[opener]
    while at < len(file.lines) and not file.keys[at]:
        at += 1
    return at


def _unique(points: list[Point] | None, where: dict[str, list[int]], key: str) -> bool:
    return bool(points) and len(where.get(key, ())) >= 1


def _exact_points(
    edit: LineTable, file: LineTable, shown: Sequence[int], where: dict[str, list[int]]
) -> list[Point]:
    found: list[Point] = []
    texts = [i for i in shown if not is_closer(edit.keys[i])]
    before = dict(zip(texts[1:], texts, strict=False))
    after = dict(zip(texts, texts[1:], strict=False))
    common: list[int] = []
    around: set[int] = set()
    for i in texts:
        places = where.get(edit.keys[i], [])
        if len(places) > COMMON or edit.weights[i] <= 0.15:
            common.append(i)
            continue
        for j in places:
            found.append(Point(i, j, j + 1, edit.weights[i] * _RARITY.get(len(places), 1.0), "exact"))
            around.update(range(j - 12, j + 13))
    for i in common:
        places = where.get(edit.keys[i], [])
        kept = [
            j for j in places
            if j in around
            or _beside(edit, file, before.get(i), j, -1) or _beside(edit, file, after.get(i), j, 1)
        ]
        if not kept and edit.weights[i] > 0.15 and len(places) <= 40:
            kept = places
        found += [Point(i, j, j + 1, edit.weights[i], "exact") for j in kept[:60]]
    return found


def _beside(edit: LineTable, file: LineTable, i: int | None, j: int, step: int) -> bool:
    """Whether the next file line from `j` on that is no closer equals edit line `i`."""
    if i is None:
        return False
    at = j + step
    while 0 <= at < len(file.lines) and file.weights[at] <= 0.1:
        at += step
    return 0 <= at < len(file.lines) and file.keys[at] == edit.keys[i]


def _near_points(
    edit: LineTable, file: LineTable, unmatched: Sequence[int], where: dict[str, list[int]]
) -> list[Point]:
    if not unmatched:
        return []
    wanted: dict[str, list[int]] = defaultdict(list)
    bags: dict[int, Counter[str]] = {}
    for i in unmatched:
        bags[i] = Counter(words(edit.lines[i]))
        for word in bags[i]:
            if len(word) > 1:
                wanted[word].append(i)
    names = {i: identity(edit.lines[i]) for i in unmatched}
    edit_keys = {key for key in edit.keys if key}
    votes: dict[int, Counter[int]] = defaultdict(Counter)
    for j, line in enumerate(file.lines):
        if file.weights[j] <= 0.15:
            continue
        for word in set(words(line)):
            for i in wanted.get(word, ()):
                votes[i][j] += 1
    found: list[Point] = []
    for i, counted in votes.items():
        ranked: list[tuple[float, int]] = []
        others = {j: identity(file.lines[j]) for j, _ in counted.most_common(40) if file.keys[j] != edit.keys[i]}
        name = names[i]
        # of several definitions with one name (overloads) the name tells nothing
        overloaded = sum(other == name and definition(file.lines[j]) is not None for j, other in others.items()) > 1
        for j, other in others.items():
            score = similarity(edit.lines[i], file.lines[j])
            if overloaded and name == other:
                pass
            elif name is not None and name == other and same_kind(edit.lines[i], file.lines[j]):
                score = same_name(score)
            elif (name is not None and other is not None) or (subject(edit.lines[i]) or subject(file.lines[j])):
                score *= OTHER if renamed(edit, file, i, j) else 0.0
            if file.keys[j] in edit_keys:
                score *= 0.8  # the file line is shown itself: it is not what this line used to be
            if score >= NEAR:
                ranked.append((score, j))
        ranked.sort(key=lambda pair: (-pair[0], pair[1]))
        best = ranked[0][0] if ranked else 0.0
        for score, j in ranked[:NEAR_EACH]:
            if score >= best - 0.25:
                weight = edit.weights[i] * min(1.0, score) ** 2
                found.append(Point(i, j, j + 1, weight * (0.9 if score > 0.85 else 0.7), "near"))
    return found


def renamed(edit: LineTable, file: LineTable, i: int, j: int) -> bool:
    """Whether edit line `i` defines what file line `j` defined under another name.

    So it is where the edit no longer knows the old name, and shows at least as many other lines
    with the new one as the file has others with the old one, and there is at least one.
    """
    new, old = defined_name(edit.lines[i]), defined_name(file.lines[j])
    if new is None or old is None or not re.fullmatch(r"[\w$]{3,}", old) or not re.fullmatch(r"[\w$]{3,}", new):
        return False
    whole_old, whole_new = re.compile(rf"(?<![\w$]){re.escape(old)}(?![\w$])"), re.compile(rf"(?<![\w$]){re.escape(new)}(?![\w$])")
    if any(old in line and whole_old.search(line) for line in edit.lines):
        return False
    if any(new in line and whole_new.search(line) for line in file.lines):
        return False
    used = sum(1 for n, line in enumerate(file.lines) if n != j and old in line and whole_old.search(line))
    shown = sum(1 for n, line in enumerate(edit.lines) if n != i and new in line and whole_new.search(line))
    return 0 < used <= shown


_KIND = re.compile(r"\b(?:class|interface|struct|enum|trait|impl|def|function|func|fn|fun|type|module)\b")


def same_kind(left: str, right: str) -> bool:
    """Whether two lines that define one name define the same kind of thing, as far as keywords say."""
    a, b = _KIND.search(left), _KIND.search(right)
    return (a.group() if a else "") == (b.group() if b else "")
