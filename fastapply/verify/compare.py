"""Line against line: what a line says, and how alike two are."""

from __future__ import annotations

import re
from collections import Counter

_WORD = re.compile(r"\w+")
_COMMENT = re.compile(r"\{?/\*+|\*+(?=\s|/|$)|//+|#+(?=[\s.!=*-]|$)|--+(?=\s|$)|<!--+|;+(?=\s|$)|%+(?=\s|$)")
_TRAILING_COMMENT = re.compile(r"\s(?://|#|--)\s.*$")
_ELLIPSIS = re.compile(r"\.{3}|…")


def key_of(line: str) -> str:
    """A line without any white space: how lines of an edit are compared with lines of a file."""
    return "".join(line.split())


def indent_of(line: str) -> int:
    """Width of a line's indentation, a tab counted to the next multiple of four."""
    width = 0
    for character in line:
        if character == " ":
            width += 1
        elif character == "\t":
            width += 4 - width % 4
        else:
            break
    return width


def is_comment(line: str) -> bool:
    """Whether a line looks like nothing but a comment."""
    return bool(_COMMENT.match(line.strip()))


def is_weak(key: str) -> bool:
    """Whether a line says too little to be told from others: blank, a closer, ``else``, ``end``."""
    return not re.search(r"\w\w", key) or key in {
        "end",
        "else",
        "else{",
        "}else{",
        "else:",
        "fi",
        "done",
        "esac",
    }


def word_likeness(one: str, other: str) -> float:
    """How alike two lines are, 0 to 1: twice the words in common over all words."""
    left, right = Counter(_WORD.findall(one)), Counter(_WORD.findall(other))
    total = sum(left.values()) + sum(right.values())
    return 2 * sum((left & right).values()) / total if total else 1.0


def covered(old: str, new: str) -> float:
    """The share of an old text's words that the new text has as well."""
    left, right = Counter(re.findall(r"\w+", old)), Counter(re.findall(r"\w+", new))
    total = sum(left.values())
    return sum((left & right).values()) / total if total else 1.0


def is_paraphrase(shown: str, kept: str, *, prose: bool = False) -> bool:
    """Whether a line of an edit only stands for a file's line instead of changing it.

    So are a comment in other words, a line with ``...`` in the place of some of its text, and
    equal code with and without a comment behind it. In `prose` nothing is a comment.
    """
    if _ELLIPSIS.search(shown):
        pieces = [key_of(piece) for piece in _ELLIPSIS.split(shown)]
        pattern = ".*".join(re.escape(piece) for piece in pieces)
        if any(re.search(r"\w", piece) for piece in pieces) and re.fullmatch(pattern, key_of(kept)):
            return True
    if prose:
        return False
    if is_comment(shown) and is_comment(kept):
        return word_likeness(shown, kept) >= 0.3
    return key_of(_TRAILING_COMMENT.sub("", shown)) == key_of(_TRAILING_COMMENT.sub("", kept))


_ASSIGNS = re.compile(
    r"\s*(?P<target>[^=:\"'(){}]*?[\w\]$])\s*(?::\s*[^=]+?)?(?<![=!<>+*/%&|^-])(?::=|=)(?![=>~])\s*(?P<value>.*)"
)
_KEYS = re.compile(r"\s*(?P<key>[\w$\"'-]+)\s*:(?![:=])")
_CALLS = re.compile(r"\s*(?:case\s+)?(?P<call>@?[\w.$]*)[\s(]+(?P<name>:\w+|\"[^\"]*\"|'[^']*')")
_LEAVES = re.compile(r"\s*(?:return|raise|throw)\b")
_IMPORTS = re.compile(r"\s*(?:from\s+(?P<python>[\w.]+)\s+import\b|import\b.*\bfrom\s+(?P<js>\S+))")
_DOCUMENTS = ('"""', "'''", 'r"""')


def is_other_version(old: str, new: str, old_first: bool) -> bool:
    """Whether two neighbouring lines are the old and the new of one statement.

    Both give the same name its value, leave the function, import from the same module, label the
    same case: ``MAX = 200`` beside ``MAX = 500``. A new value made of the old one is none.
    """
    if indent_of(old) != indent_of(new) or key_of(old) == key_of(new):
        return False
    if old.strip().startswith(_DOCUMENTS) and new.strip().startswith(_DOCUMENTS):
        return True
    if _LEAVES.match(old) and _LEAVES.match(new):
        return True
    for pattern, group in ((_IMPORTS, "python"), (_IMPORTS, "js"), (_KEYS, "key")):
        left, right = pattern.match(old), pattern.match(new)
        if left and right and left[group] and left[group] == right[group]:
            return True
    left, right = _CALLS.match(old), _CALLS.match(new)
    if left and right and left.group("call", "name") == right.group("call", "name"):
        return True
    left, right = _ASSIGNS.match(old), _ASSIGNS.match(new)
    if not left or not right or left["target"].split() != right["target"].split():
        return False
    name = re.escape(left["target"].split()[-1])
    later = right if old_first else left
    return not re.search(rf"(?<![\w.]){name}(?!\w)", later["value"])


def leaves_or_ends(line: str) -> bool:
    """Whether nothing can follow a line in its block, not even the line itself: ``return``, ``#endif``."""
    return bool(_LEAVES.match(line)) or line.lstrip().startswith("#endif")
