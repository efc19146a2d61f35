"""Syntax colours: a text as lines of runs, each a class of one letter and the characters it is for.

``def f():`` gives ``["k", "def", "", " ", "f", "f", "", "():"]``: pairs, one list a line.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pygments.lexer import Lexer
    from pygments.token import _TokenType

_LONGEST = 400_000  # characters; a longer text is not coloured


def coloured_lines(text: str, path: str, kind: str = "") -> list[list[str]]:
    """The lines of a text as runs; plain where no lexer knows the file's name.

    `kind` is ``edit`` for the text of an edit, which may be a diff, or a chat reply with fences.
    """
    name = _edit_name(text, path) if kind == "edit" else path.rpartition("/")[2]
    lexer = _lexer_for(name) if len(text) <= _LONGEST else None
    if lexer is None:
        return [["", line] for line in text.split("\n")]
    lines: list[list[str]] = [[]]
    for token, value in lexer.get_tokens(text):
        letter = _letter(token)
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if part:
                line = lines[-1]
                if line and line[-2] == letter:
                    line[-1] += part
                else:
                    line += [letter, part]
    wanted = text.split("\n")
    if ["".join(line[1::2]) for line in lines[: len(wanted)]] != wanted:
        return [["", line] for line in wanted]  # a lexer that changes the text: no colours, rather
    return lines[: len(wanted)]


def _edit_name(text: str, path: str) -> str:
    if text.startswith(("diff --git", "--- ", "@@", "*** Begin Patch")):
        return "edit.diff"
    return "edit.md" if "```" in text else path.rpartition("/")[2]


@lru_cache(maxsize=128)
def _lexer_for(name: str) -> Lexer | None:
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        return get_lexer_for_filename(name, stripnl=False, ensurenl=False, stripall=False)
    except ClassNotFound:
        return None


@lru_cache(maxsize=512)
def _letter(token: _TokenType) -> str:
    from pygments.token import Comment, Generic, Keyword, Literal, Name, Number, String

    for kind, letter in (
        (Comment, "c"),
        (Keyword, "k"),
        (String, "s"),
        (Number, "n"),
        (Literal, "s"),
        (Name.Function, "f"),
        (Name.Class, "f"),
        (Name.Decorator, "f"),
        (Name.Tag, "k"),
        (Name.Attribute, "f"),
        (Generic.Inserted, "i"),
        (Generic.Deleted, "d"),
        (Generic.Heading, "k"),
        (Generic.Subheading, "k"),
    ):
        if token in kind:
            return letter
    return ""
