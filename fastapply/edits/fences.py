r"""Markdown fences: finding them, and which line closes which.

Grammar (CommonMark's, with what chat models do to it)::

    Here is the change:              prose
    ~~~python src/app.py             opening: three or more ` or ~, then an info string
    code
    ~~~                              closing: the same character, at least as many, nothing else

CommonMark ends a fence at the first bare line of enough ticks. Models put fences into fences of
the same length, so here a fence line *with* an info string opens an inner fence; a bare one
inside Markdown does where it looks like it (a blank line before, text right behind), and one
inside a string of Python or JavaScript closes nothing. A fence may be indented, under a list
item: as much indentation is taken off its content.

The module says nothing about what a fence holds.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

_LINE = re.compile(r"^([ \t]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?)(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_BACKTICK = dict.fromkeys(
    ("js", "jsx", "javascript", "ts", "tsx", "typescript", "mjs", "go", "golang"), ("`",)
)
_QUOTES = {"python": ('"""', "'''"), "py": ('"""', "'''"), "kotlin": ('"""',), "java": ('"""',), **_BACKTICK}
_MARKDOWN = frozenset({"md", "markdown", "mdx", "rst"})


@dataclass(frozen=True, slots=True)
class Fence:
    """One fence; lines are 0-based, `close` is the end of the text where nothing closes it."""

    open: int
    close: int
    info: str
    indent: str
    closed: bool

    def body(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Lines inside, without the indentation of the fence."""
        inner = lines[self.open + 1 : self.close]
        if not self.indent:
            return tuple(inner)
        blanks = (len(line) - len(line.lstrip(" \t")) for line in inner)
        return tuple(line[min(blank, len(self.indent)) :] for line, blank in zip(inner, blanks, strict=True))


def is_fence_line(line: str) -> bool:
    """Whether a line opens or closes a fence."""
    return _LINE.match(line) is not None


def find_fences(lines: Sequence[str], masked: Sequence[bool], *, markdown: bool) -> tuple[Fence, ...]:
    """Top-level fences in order; masked lines (blocks that other readers own) are never fence lines.

    `markdown` says that the file to edit is Markdown, so that fences inside fences are likely.
    """
    tokens = [
        (number, match)
        for number, line in enumerate(lines)
        if not masked[number] and (match := _LINE.match(line))
    ]
    plain = _pair(lines, tokens, inner="markdown" if markdown else "named")
    if plain and not plain[-1].closed:
        for inner in ("markdown", "all", "none"):
            other = _pair(lines, tokens, inner=inner)
            if other[-1].closed:
                return other
    return plain


def _pair(lines: Sequence[str], tokens: list[tuple[int, re.Match[str]]], *, inner: str) -> tuple[Fence, ...]:
    found: list[Fence] = []
    at = 0
    while at < len(tokens):
        number, match = tokens[at]
        info = match[3].strip()
        language = re.split(r"[\s:{,]", info.lower(), maxsplit=1)[0]
        guess = inner == "all" or (inner == "markdown" and language in _MARKDOWN | {""})
        guess = guess or (inner == "named" and language in _MARKDOWN)
        closing = _closing(lines, tokens, at, nested=inner != "none", guess=guess)
        if closing is None and guess:
            closing = _closing(lines, tokens, at, nested=inner != "none", guess=False)
        elif closing is not None:
            closing = _beyond_string(lines, tokens, at, closing, language) or closing
        prefix = re.sub(r"[^\t]", " ", match[1])
        if closing is None:
            found.append(Fence(number, len(lines), info, prefix, closed=False))
            break
        found.append(Fence(number, tokens[closing][0], info, prefix, closed=True))
        at = closing + 1
    return tuple(found)


def _closing(
    lines: Sequence[str], tokens: list[tuple[int, re.Match[str]]], at: int, *, nested: bool, guess: bool
) -> int | None:
    first = tokens[at][1]
    margin = len(first[1].expandtabs(4))
    depth = 0
    for index in range(at + 1, len(tokens)):
        number, match = tokens[index]
        if match[2][0] != first[2][0] or len(match[2]) < len(first[2]):
            continue
        if len(match[1].expandtabs(4)) >= margin + 4:
            continue
        if match[3].strip():
            depth += nested
        elif depth:
            depth -= 1
        elif guess and _looks_opening(lines, number):
            depth += 1
        else:
            return index
    return None


def _beyond_string(
    lines: Sequence[str], tokens: list[tuple[int, re.Match[str]]], at: int, closing: int, language: str
) -> int | None:
    """Return a later closing line where the first one stands inside a string; None where it does not.

    Prompts and documentation in strings hold bare fence lines at the margin.
    """
    quotes = _QUOTES.get(language, ())
    first = tokens[at][1]
    if not quotes or _balanced(lines, tokens[at][0], tokens[closing][0], quotes):
        return None
    for index in range(closing + 1, min(closing + 12, len(tokens))):
        number, match = tokens[index]
        plain = not match[3].strip() and match[2][0] == first[2][0] and len(match[2]) >= len(first[2])
        if plain and _balanced(lines, tokens[at][0], number, quotes):
            return index
    return None


def _balanced(lines: Sequence[str], begin: int, end: int, quotes: tuple[str, ...]) -> bool:
    body = "\n".join(line for line in lines[begin + 1 : end] if not is_fence_line(line)).replace("\\`", "")
    return not any(body.count(quote) % 2 for quote in quotes)


def _looks_opening(lines: Sequence[str], number: int) -> bool:
    before = lines[number - 1].strip()
    after = lines[number + 1].strip() if number + 1 < len(lines) else ""
    return bool(after) and not is_fence_line(after) and (not before or before.endswith(":"))
