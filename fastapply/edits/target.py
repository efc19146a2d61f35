"""What a reader of edits may know about the file that an edit is for, indexed for look-ups."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.text import SourceText

_TEXTS = frozenset({"markdown", "rst", "latex", "typst", "feature"})
_DATA = frozenset({None, "yaml", "ini", "properties", "toml", "gitignore", "requirements", "html", "xml"})
_NEAR = 0.85
"""Similarity (Ratcliff and Obershelp) from which on two lines may be one before and after an edit."""
_MOST_LINES = 5_000
_TEXT_EXTENSIONS = (".txt", ".mdx", ".adoc", ".asciidoc", ".org", ".feature", ".text", ".tmpl", ".j2")


@dataclass(frozen=True, slots=True)
class Target:
    """The file that an edit is for; `path` is None and `known` false where there is no such file."""

    path: str | None
    known: bool  # the original text was given
    lines: tuple[str, ...]
    exact: frozenset[str]  # its lines without trailing white space
    stripped: frozenset[str]  # its lines without white space at either end
    run: str  # all stripped lines, each between line feeds
    language: str | None

    @property
    def count(self) -> int:
        """How many lines the file has."""
        return len(self.lines)

    @property
    def single(self) -> bool:
        """Whether the edit is for this one file, whatever names it bears."""
        return self.known or self.path is not None

    @property
    def is_prose(self) -> bool:
        """Whether sentences are what such a file holds, so that they tell no edit from a chat."""
        if self.path is None:
            return False
        return self.language in _TEXTS or self.path.lower().endswith(_TEXT_EXTENSIONS)

    def has_line(self, line: str) -> bool:
        """Whether the file holds this line, trailing white space aside."""
        return line.rstrip() in self.exact

    def has_like(self, line: str) -> bool:
        """Whether the file holds this line, indentation aside."""
        return line.strip() in self.stripped

    def count_near(self, line: str) -> int:
        """How many lines of the file are nearly this one, indentation aside; 0 for one that tells little."""
        wanted = line.strip()
        if not _is_telling(wanted) or self.count > _MOST_LINES:
            return 0
        from difflib import SequenceMatcher

        found = 0
        alike = SequenceMatcher(None, b=wanted, autojunk=False)
        for other in self.lines:
            alike.set_seq1(other.strip())
            if alike.real_quick_ratio() >= _NEAR and alike.quick_ratio() >= _NEAR:
                found += alike.ratio() >= _NEAR
        return found

    @property
    def holds_words(self) -> bool:
        """Whether a line of words can be content at the margin of such a file: prose, data, unknown."""
        return self.is_prose or self.language in _DATA

    def evidence(self, lines: Iterable[str]) -> float:
        """Share of the telling ones among some lines that the file has, 0 to 1."""
        told = [line for line in lines if _is_telling(line)]
        return sum(self.has_like(line) for line in told) / len(told) if told else 0.0

    def has_run(self, lines: Sequence[str]) -> bool:
        """Whether the file holds these lines one after the other, indentation aside."""
        if not lines or not (self.has_like(lines[0]) and self.has_like(lines[-1])):
            return False
        return as_run(lines) in self.run


def _is_telling(line: str) -> bool:
    text = line.strip()
    return len(text) >= 6 and sum(character.isalnum() for character in text) >= 4


def as_run(lines: Iterable[str]) -> str:
    r"""Lines as one string to search in: ``["a", " b"]`` gives ``"\na\nb\n"``."""
    return "\n" + "\n".join(line.strip() for line in lines) + "\n"


@lru_cache(maxsize=4)
def language_of(path: str | None, first_line: str = "") -> str | None:
    """Language of a path; a function of its own so that start-up pays for the table only when asked."""
    from fastapply.syntax.languages import language_of as found

    return found(path, first_line)


def make_target(path: str | None, original: SourceText | None) -> Target:
    """Index the file that an edit is for."""
    lines = original.lines if original is not None else ()
    return Target(
        path,
        original is not None,
        lines,
        frozenset(line.rstrip() for line in lines),
        frozenset(line.strip() for line in lines),
        as_run(lines),
        language_of(path, lines[0] if lines else "") if path else None,
    )


def edit_lines(text: str) -> tuple[str, ...]:
    r"""Lines of an edit's text, without line ends.

    Only LF and CRLF end a line here: a lone CR is content of a diff's line, see `flat`. A text
    that has no LF at all is read as a file would be.
    """
    if "\n" not in text:
        return tuple(text.split("\r")[: -1 if text.endswith("\r") else None]) if text else ()
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return tuple(line.removesuffix("\r") for line in lines)


def flat(lines: Iterable[str]) -> tuple[str, ...]:
    """Split at lone CRs too, as files are, so that no line holds a line end."""
    return tuple(piece for line in lines for piece in (line.split("\r") if "\r" in line else (line,)))
