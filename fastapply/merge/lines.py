"""A text as the aligner sees it: what each line says, how deep it stands, what block it opens.

Nothing here knows a language's grammar. Depth is indentation, mended where indentation lies: a
line inside a multi-line string belongs to the line that opens the string, a C preprocessor line
to the code around it, ``case`` stands inside its ``switch`` also where it is written below it, and
``else`` inside the block that its ``if`` opens.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from fastapply.edits.markers import string_interior
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

TAB = 4
"""Columns that a tab counts when depths are compared."""

_CASE = re.compile(r"case\b(?!.*\sin\s*$).*(?::(?!:)|=>)|when\b(?!.*\{\s*$)|default\b\s*(?::|=>)")
_CONTINUES = re.compile(
    r"[})\]]*\s*(?:else|elif|elsif|elseif|except|finally|rescue|ensure|catch)\b(?!\s*[-=]>)"
)
_COMMENT = re.compile(
    r"\s*(?:#\s|#$|//|/\*|\*[\s/]|--\s|<!--|#\s*(?:if|ifdef|ifndef|else|elif|endif|define|include|pragma)\b)"
)
# written at the left edge whatever is around it, in languages of the C family
_FLUSH = re.compile(
    r"#\s*(?:if|ifdef|ifndef|else|elif|endif|define|undef|include|pragma|error|line)\b|[A-Za-z_]\w*:\s*$"
)
_NEVER = re.compile(r"(?!)")
_C_FAMILY = frozenset(["c", "cpp", "objc", "csharp", "glsl", "hlsl", "cuda", "arduino"])
_CLOSER = re.compile(
    r"(?:[)\]}>;,]+|end[;,.)]*|fi|done|esac|</[\w.:-]*>[)};,]*|\*/|-->|[)\]}]+\s*\.?\w{0,12}\(\)[;,)]*|--%?>|\"\"\"|''')$"
)
_SIGNS = re.compile(r"[\W_]")
_WORD = re.compile(r"[A-Za-z_$][\w$]*|\d+|([^\w\s])\1*")


@dataclass(frozen=True, slots=True)
class LineTable:
    """Per-line facts of one text; every sequence has one entry a line.

    `keys` hold the line without any white space; `depths` are columns (fractions are mends), -1.0
    for a blank line; `parents` give the line that opens the block a line stands in, -1 at top
    level; `ends` the first line behind the block that a line opens (itself + 1 where it opens
    none), trailing blank lines left out.
    """

    lines: tuple[str, ...]
    keys: tuple[str, ...]
    depths: tuple[float, ...]
    parents: tuple[int, ...]
    ends: tuple[int, ...]
    weights: tuple[float, ...]
    in_string: frozenset[int]

    def where(self) -> dict[str, list[int]]:
        """Line numbers by key, blank lines left out."""
        found: dict[str, list[int]] = defaultdict(list)
        for number, key in enumerate(self.keys):
            if key:
                found[key].append(number)
        return found


def columns(line: str) -> int:
    """Depth of a line's first character in columns."""
    width = 0
    for character in line:
        if character == "\t":
            width += TAB - width % TAB
        elif character == " ":
            width += 1
        else:
            return width
    return width


def is_closer(key: str) -> bool:
    """Whether a key only closes blocks: ``});``, ``end``, ``</div>``."""
    return len(key) <= 24 and _CLOSER.match(key) is not None


@lru_cache(maxsize=1 << 14)
def says_something(line: str) -> bool:
    """Whether a line has text and does not only close blocks."""
    key = "".join(line.split())
    return bool(key) and not is_closer(key)


def turns(key: str) -> bool:
    """Whether a key ends a header written over several lines and opens its body: ``):``, ``}: Props) {``."""
    return key[:1] in {")", "]", "}"} and key[-1] in ":{" and _CONTINUES.match(key) is None


def closes(closer: str, opener: str) -> bool:
    """Whether a closing line can end the block that another line opens, judged by their brackets."""
    if is_closer(opener):
        return False
    pairs = {"{": "}", "(": ")", "[": "]"}
    wanted = pairs.get(opener[-1])
    if wanted is not None:
        return closer[0] == wanted
    return closer[0] not in ")]" or opener[-1] != ":"


def continues(line: str) -> bool:
    """Whether a line goes on with a statement whose block has ended: ``else:``, ``} catch (e) {``."""
    return _CONTINUES.match(line.lstrip()) is not None


def words(line: str) -> list[str]:
    """Split into identifiers, numbers and runs of one punctuation character."""
    return [match.group() for match in _WORD.finditer(line)]


def _weight(key: str) -> float:
    """How much a line says: 0 blank, 0.1 a closer, up to 1.6 for a long line."""
    if not key:
        return 0.0
    if is_closer(key):
        return 0.1
    letters = len(key) - len(_SIGNS.findall(key))
    if letters <= 2:
        return 0.15
    return min(1.6, 0.35 + letters / 25)


def line_table(
    lines: Sequence[str], language: str | None = None, skip: frozenset[int] = frozenset()
) -> LineTable:
    """Read a text's lines; those in `skip` (an edit's markers) open no block and are nobody's parent."""
    inside = string_interior(lines, language)
    keys = tuple("".join(line.split()) for line in lines)
    depths: list[float] = []
    last, before = 0.0, ""
    passive: set[int] = set()  # lines that never open a block
    flush = _FLUSH if language in _C_FAMILY else _NEVER
    for number, line in enumerate(lines):
        if not keys[number]:
            depths.append(-1.0)
            continue
        if number in inside:
            depths.append(last + 0.5)
            continue
        stripped = line.lstrip()
        depth = float(columns(line))
        if depth == 0 and last > 0 and flush.match(line):
            depth = last if not _opens_top(lines, number) else depth
        elif _CASE.match(stripped) or _CONTINUES.match(stripped):
            depth += 0.5
        elif keys[number] == "{" and depth == last and before and before[-1] not in "{[(,;":
            depths.append(depth + 0.5)  # a brace on a line of its own belongs to the line above it
            passive.add(number)
            continue
        depths.append(depth)
        last, before = depth, "" if is_closer(keys[number]) else keys[number]
        if _COMMENT.match(line):
            passive.add(number)
    parents, ends = _blocks(keys, depths, skip | passive)
    return LineTable(tuple(lines), keys, tuple(depths), parents, ends, tuple(map(_weight, keys)), inside)


def _opens_top(lines: Sequence[str], number: int) -> bool:
    """Whether the next line with text stands at the left edge: then so does a preprocessor line."""
    for line in lines[number + 1 : number + 12]:
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            return not line[:1].isspace()
    return True


def _blocks(
    keys: Sequence[str], depths: Sequence[float], skip: frozenset[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    parents = [-1] * len(keys)
    ends = list(range(1, len(keys) + 1))
    stack: list[int] = []
    last_text = -1
    for number, depth in enumerate(depths):
        if depth < 0:
            continue
        while stack and depths[stack[-1]] >= depth:
            ends[stack.pop()] = last_text + 1
        parents[number] = stack[-1] if stack else -1
        if number not in skip and not is_closer(keys[number]):
            stack.append(number)
        last_text = number
    for number in stack:
        ends[number] = last_text + 1
    return tuple(parents), tuple(ends)


class DepthFloor:
    """Smallest depth of a file's lines in a range, in logarithmic time after linear set-up."""

    __slots__ = ("_blocks", "_depths")
    _SIZE = 32

    def __init__(self, table: LineTable) -> None:
        self._depths = [depth if depth >= 0 else 1e9 for depth in table.depths]
        size = self._SIZE
        self._blocks = [min(self._depths[at : at + size]) for at in range(0, len(self._depths), size)]

    def over(self, start: int, end: int) -> float:
        """Smallest depth in `[start, end)`; 1e9 where there is no line with text."""
        size = self._SIZE
        if end - start <= 2 * size:
            return min(self._depths[start:end], default=1e9)
        first, last = -(-start // size), end // size
        return min(
            min(self._depths[start : first * size], default=1e9),
            min(self._blocks[first:last], default=1e9),
            min(self._depths[last * size : end], default=1e9),
        )
