"""What a place in a file is inside of, told by indentation: its enclosing definitions and their names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.merge.indentation import indent_of, width

if TYPE_CHECKING:
    from collections.abc import Sequence

_CLOSES = re.compile(
    r"\s*(?:[)\]}>;,]+|end\b|else\b|elif\b|except\b|finally\b|rescue\b|ensure\b|catch\b|[{(\[]+\s*$)"
)
_KEYWORD = re.compile(
    r"\b(?:def|class|function|func|fn|fun|interface|struct|enum|trait|impl|module|namespace|object|record"
    r"|protocol|extension|type|sub|proc|macro|package|contract|table)\b\s*\*?\s*(?:\([^)]*\)\s*)?(?:self\.)?"
    r"([A-Za-z_$][\w$]*[!?]?)"
)
_ASSIGNED = re.compile(r"\b(?:const|let|var|val|static|readonly)\s+([A-Za-z_$][\w$]*)\s*[:=]")
_CALLED = re.compile(r"""\b(?:test|it|describe|context|suite)(?:\.\w+)?\s*\(\s*(['"`])(.+?)\1""")
_SIGNATURE = re.compile(r"([A-Za-z_$][\w$]*)\s*\(")
_SELECTOR = re.compile(r"^\s*[.#]?([A-Za-z_][\w-]*)[^(){}]*\{\s*$")
_KEY = re.compile(r"""^\s*(?:-\s+)?["']?([A-Za-z_][\w.-]*)["']?\s*:(?:\s|$)""")
_CONTROL = frozenset(
    (
        "if",
        "for",
        "while",
        "switch",
        "case",
        "catch",
        "with",
        "when",
        "match",
        "unless",
        "until",
        "do",
        "else",
        "elif",
        "try",
        "loop",
        "foreach",
        "return",
    )
)


def enclosing_lines(lines: Sequence[str], at: int) -> list[int]:
    """The lines that open the blocks around line `at`, the innermost first."""
    place = at
    while place < len(lines) and not lines[place].strip():
        place += 1
    depth = width(indent_of(lines[place])) if place < len(lines) else 0
    found = []
    for number in range(min(at, len(lines)) - 1, -1, -1):
        if not depth:
            break
        line = lines[number]
        if not line.strip() or _CLOSES.match(line):
            continue
        here = width(indent_of(line))
        if here < depth:
            depth = here
            found.append(number)
    return found


def definition_name(line: str) -> str | None:
    """The name that a line defines: ``"def pay(self):"`` gives ``"pay"``; None where it defines nothing."""
    for pattern in (_KEYWORD, _ASSIGNED):
        if match := pattern.search(line):
            return match.group(1)
    if match := _CALLED.search(line):
        return match.group(2)
    if (match := _SIGNATURE.search(line)) and match.group(1) not in _CONTROL:
        return match.group(1)
    for pattern in (_SELECTOR, _KEY):
        if (match := pattern.match(line)) and match.group(1) not in _CONTROL:
            return match.group(1)
    return None


def enclosing_names(lines: Sequence[str], at: int) -> set[str]:
    """Names of all definitions around line `at`."""
    names = (definition_name(lines[number]) for number in enclosing_lines(lines, at))
    return {name for name in names if name}


def enclosing_definition(lines: Sequence[str], at: int) -> str:
    """The line that opens the innermost definition around line `at`, stripped; "" at top level."""
    around = enclosing_lines(lines, at)
    for number in around:
        if definition_name(lines[number]):
            return lines[number].strip()
    return lines[around[0]].strip() if around else ""


def block_end(lines: Sequence[str], opener: int) -> int | None:
    """The line behind the block that a line opens; None where it opens none.

    The lines that only close or continue the block at its own depth belong to it.
    """
    depth = width(indent_of(lines[opener]))
    deeper = False
    for number in range(opener + 1, len(lines)):
        line = lines[number]
        if not line.strip():
            continue
        here = width(indent_of(line))
        if here > depth:
            deeper = True
        elif not (here == depth and _CLOSES.match(line)):
            return _without_blank(lines, opener, number) if deeper else None
    return len(lines) if deeper else None


def _without_blank(lines: Sequence[str], opener: int, end: int) -> int:
    while end - 1 > opener and not lines[end - 1].strip():
        end -= 1
    return end
