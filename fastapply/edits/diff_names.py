r"""File names in the headers of unified diffs: prefixes, time stamps, git's quoting.

``--- a/src/x.py<TAB>2024-01-01``, ``"b/na\303\257ve.txt"``, ``diff --git a/x b/x``.
"""

from __future__ import annotations

import re

_STAMP = re.compile(
    r"\s+(?:\d{4}-\d\d-\d\d[ T]\d|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3}\b|\((?:revision|working)).*$"
)
_ESCAPE = re.compile(r"\\([0-7]{1,3}|.)")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_QUOTED = re.compile(r'^"((?:[^"\\]|\\.)*)"')


def header_name(text: str) -> str:
    """Return the name behind `---` or `+++`, without time stamp and quoting."""
    text = text.strip(" ")
    quoted = _QUOTED.match(text)
    if quoted:
        return unquote(quoted[1])
    return _STAMP.sub("", text.split("\t")[0]).strip()


def plain_name(text: str) -> bool:
    """Whether what follows `---` can be a file name and not a comment's words."""
    name = header_name(text)
    return name == "/dev/null" or bool(re.fullmatch(r"\S+", name) and re.search(r"[./\\]", name))


def unquote(text: str) -> str:
    r"""Undo git's quoting: ``na\303\257ve`` gives ``naïve``."""

    def byte(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] in "01234567":
            return chr(int(code, 8) & 0xFF)
        return _LETTERS.get(code, code)

    if "\\" not in text:
        return text
    raw = _ESCAPE.sub(byte, text)
    try:
        return raw.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return raw


def git_names(text: str) -> tuple[str | None, str | None]:
    """Both names of a `diff --git` line: ``a/x y b/x y`` gives ``("a/x y", "b/x y")``."""
    quoted = _QUOTED.match(text)
    if quoted:
        rest = text[quoted.end() :].strip()
        return unquote(quoted[1]), header_name(rest) or None
    second = re.search(r' ("(?:[^"\\]|\\.)*")$', text)
    if second:
        return text[: second.start()], header_name(second[1])
    middle = len(text) // 2
    if (
        len(text) % 2
        and text[middle] == " "
        and text[:middle].partition("/")[2] == text[middle + 1 :].partition("/")[2]
    ):
        return text[:middle], text[middle + 1 :]
    old, space, new = text.partition(" b/")
    if space:
        return old, "b/" + new
    first, _, last = text.partition(" ")
    return first or None, last or None


def same_file(old: str | None, new: str | None, *, git: bool) -> tuple[str | None, str | None]:
    """Take the prefixes off: those of git, and any pair that only differs in its first component."""
    if old is None or new is None:
        only = old if new is None else new
        if only is not None and git and only[:2] in {"a/", "b/"}:
            only = only[2:]
        return (only, None) if new is None else (None, only)
    if "/dev/null" in (old, new):
        return tuple(name[2:] if name[:2] in {"a/", "b/"} else name for name in (old, new))  # type: ignore[return-value]
    if old[:2] == "a/" and new[:2] == "b/":
        return old[2:], new[2:]
    left, _, old_rest = old.partition("/")
    right, _, new_rest = new.partition("/")
    if left != right and old_rest and old_rest == new_rest:
        return old_rest, new_rest
    return old, new
