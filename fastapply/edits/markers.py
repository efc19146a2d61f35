r"""Lines of an edit that stand for something else: elision markers and removal notes.

A *marker* is a line that stands for file lines which the edit does not show. It is a comment of
any language (or nothing but an ellipsis) whose words say so::

    // ... existing code ...      # ... rest of the file unchanged      {/* ... */}
    <!-- ... existing markup -->  -- ...                                …
    // (keep the imports)         // unchanged                           ...

A *removal note* is a comment that says what went away: ``# (removed foo and bar)``.

Both are judged by the line alone; whether the very same line is code of the file is for the
merge to find out. Lines inside a multi-line string are neither.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# longest first, so that the whole delimiter is taken off
_COMMENTS = (
    (r"\{/\*+", r"\*+/\}"),
    (r"\{\{[-~]?\s*/\*+", r"\*+/\s*[-~]?\}\}"),
    (r"\{\{~?!--", r"--~?\}\}"),
    (r"\{\{~?!", r"~?\}\}"),
    (r"@\*+", r"\*+@"),
    (r"\{\{--+", r"--+\}\}"),
    (r"\{\*+", r"\*+\}"),
    (r"<#--+", r"--+>"),
    (r"<!--+", r"--+>"),
    (r"<%!?--", r"--%>"),
    (r"<%#", r"%>"),
    (r"/\*+", r"\*+/"),
    (r"\(\*+", r"\*+\)"),
    (r"\{-", r"-\}"),
    (r"\{#-?", r"-?#\}"),
    (r"/\++", r"\++/"),
    (r"\(;+", r";+\)"),
    (r"#=+", r"=+#"),
    (r"\[(?://|comment)\]:\s*(?:#|<>)\s*(?=\()", r""),
    (r"--\[\[", r"\]\]"),
    (r"<#", r"#>"),
    (r"//+!?", r""),
    (r"#+!?", r""),
    (r"--+", r""),
    (r";+", r""),
    (r"%+", r""),
    (r"(?i:@?rem)\b", r""),
    (r"dnl\b", r""),
    (r"'", r""),
    (r"\"(?=\s)", r""),
    (r"\*(?=\s)", r""),
    # of reStructuredText, where the same begins directives and link targets
    (r"\.\.(?=\s+[a-z][a-z ,]+(?:\.\.)?$)", r"(?:\.\.)?"),
    # comments of few languages, operators of others: reStructuredText, batch files, Fortran, Haml, Slim
    (r"(?:\.\.|::|!|-#|/|\\|\|\||\.\\\")(?=\s+(?:\.{3}|…))", r""),
)
_COMMENT = [re.compile(rf"{opening}\s*(.*?)\s*{closing}", re.DOTALL) for opening, closing in _COMMENTS]
_ELLIPSIS = r"(?:\.{3,}|…|\[\s*(?:\.{3}|…)\s*\])"
_LEADS = re.compile(rf"{_ELLIPSIS}(?!\w*\()")
_TRAILS = re.compile(rf".*{_ELLIPSIS}[)\s]*$")
_TWO_DOTS = re.compile(r"\.\.\s[^.]+\s?\.\.")
_SCISSORS = re.compile(r"[-=~ ]*snip(?:ped)?[-=~ ]*", re.IGNORECASE)
_KEPT_WORDS = r"(?:unchanged|same|existing|rest|omitted|as\s+before|remaining)"
_BARE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_ELLIPSIS}\s*[\w\s,'/()-]*?\s*{_ELLIPSIS}",
        rf"[\[(<]\s*{_ELLIPSIS}[\w\s,'/-]*[\])>]",
        rf"{_ELLIPSIS}\s*[\[(][\w\s,'/&+-]*\b{_KEPT_WORDS}\b[\w\s,'/&+-]*[\])]\s*{_ELLIPSIS}?",
        r"[\[(][\w\s,'/&+-]*\b(?:unchanged|as\s+before|omitted\s+for\s+brevity)[\])]",
        rf"[\[(]\s*{_ELLIPSIS}[\w\s,'/&-]*\b{_KEPT_WORDS}\b[\w\s,'/&-]*{_ELLIPSIS}?\s*[\])]",
        rf"{_ELLIPSIS}\s+(?:the\s+)?(?:rest|remainder)\s+of\s[\w\s,'`./&-]{{1,60}}",
    )
)
"""Bare words that are code in no language: ``... (docstring unchanged)``, ``... rest of the README``."""
_KEEP = re.compile(
    r"\b(?:existing|unchanged|rest|remaining|remainder|other|others|same|previous|keep|kept|omitted|"
    r"elided|snip|snipped|before|above|below|original|stays?|remains?|imports?|more|no\s+changes?)\b",
    re.IGNORECASE,
)
# without an ellipsis only wordings that nobody writes as a comment of their own
_PLAIN = re.compile(
    r"(?:(?:(?:the|your|my|our)\s+)?(?:existing|rest\s+of|remaining|remainder\s+of|previous|original)\s[\w\s,.'`()/-]{0,60}?"
    r"(?:code|file|function|method|class|body|implementation|logic|imports?|unchanged|same|here|before|methods|"
    r"functions|tests|cases|fields|properties|members|content|contents|markup|styles|below|above|omitted|page|"
    r"document|docs|docstring|section|sections|table|rows|list|entries|config|settings|examples|template|rules|readme|"
    r"changelog|guide|macro|script|module|chapter)"
    r"|(?:keep|leave)\s[\w\s,'`/-]{0,40}?(?:unchanged|as[\s-]is|the\s+same|existing\s(?:code|imports?|methods|tests))"
    r"|[\w\s,'`()./+&-]{0,80}?\b(?:unchanged|(?:stays?|remains?|are|is)\s+(?:the\s+)?(?:same|unchanged|as\s+before|as[\s-]is)"
    r"|same\s+as\s+before|as\s+before|omitted\s+for\s+brevity|not\s+shown|no\s+changes?(?:\s+(?:here|in|to|up\s+to|below|above)\b[\w\s,`()./-]{0,40})?)"
    r"|(?!todo|note|fixme)(?:[\w\s,'`./+&-]{1,60}:\s+)?(?:no\s+changes?|unchanged|untouched|as[\s-]is)"
    r"|(?:the\s+)?(?:rest|others?)\s+as[\s-]is"
    r"|(?:the\s+)?(?:rest|remainder)\s+of\s+(?:the\s+)?(?:file|manifest|module|class|script|document|page|config\w*)"
    r"\s+(?:stays?|remains?)"
    r"|(?:[\w.]+\(\)|(?:the\s+)?(?:imports?|rest|others?|everything\s+else))\s+(?:stays?|remains?)"
    r"|existing(?:\s+(?!(?:is|are|was|were|not|must|should|have|has|will|can|may|do|does|keeps?)\b)[\w/-]+){1,4}|snip(?:ped)?|unchanged)\s*[.:]?",
    re.IGNORECASE,
)
_REST = re.compile(r"(?:the\s+)?rest\s+of\s", re.IGNORECASE)
_REMOVED = re.compile(
    r"\b(?:removed|deleted|dropped|replaced\s+by\b|any\s?more\b|moved(?=\s+(?:up|down|to|into|above|below|further|after|before|here|there|in\b)|\W*$)|no\s+longer\s+(?:needed|used|exists?)|(?:is|are)\s+gone)\b",
    re.IGNORECASE,
)
_TO_REMOVE = re.compile(r"(?:remove|delete|drop)\b", re.IGNORECASE)  # as a note between brackets
_REPLACES = re.compile(r"(?:this\s+)?replaces\b", re.IGNORECASE)
_UNTOUCHED = re.compile(r"\b(?:unchanged|existing|rest|remaining|same)\b", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|#)[A-Za-z_$][\w$]*)*[!?]?")
# of Rust and PHP: ``#[cfg(feature = "original-uri")]`` is no comment, ``#[rest unchanged]`` may be one
_ATTRIBUTE = re.compile(r"#!?\[\s*[\w:\\]+\s*[(=,]")
# an entry in single quotes, a private member of JavaScript, a custom property of CSS
_NO_COMMENT = re.compile(
    r"'[^']*'\s*(?:=>|[,:)\]};.+=]|$)|#[A-Za-z_$][\w$]*\s*(?:\([^()]*\)\s*[{;]|(?:=(?!=).*)?;)\s*$|--[\w-]+\s*:.*;\s*$"
)
_POINTED = re.compile(
    r"(.+?)\s*(?:<-+|←)\s*(?:deleted?|removed?|drop(?:ped)?|goes)(?:\s+(?:this|that|it|me|the)\b[\w\s]*)?[\s.!]*",
    re.IGNORECASE,
)
"""A line of code in a comment, and an arrow that says that it goes: ``acl = "private"  <-- delete this``."""
_PHRASE = re.compile(r"[\"'`]([^\"'`]{3,80})[\"'`]")
_PROSE = frozenset(
    re.findall(
        r"\w+",
        """
        a an and are be been by class code comment comments constant constants delete deleted dropped exist
        exists field fields for from function functions gone have helper helpers here import imports in is it
        its line lines longer method methods needed no not now of old on one or previously property remove
        removed since test tests that the them these they this those to two unused use used variable was were
        with both all moved up down top bottom above below further into nothing follows only struct todo file
        end start replaced replaces by these two three anymore any more this
        """,
    )
)

_TOKENS = re.compile(
    r"\\."
    r"|(?P<long>\"\"\"|'''|`)"
    r"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'"
    r"|(?P<comment>(?<![^\s(){};,])(?:\#|//|--\s)[^\n]*|/\*)"
)


@lru_cache(maxsize=1 << 14)
def comment_body(line: str) -> str | None:
    """Text of a line that is one comment and nothing else, or None: ``"  # ... x"`` gives ``"... x"``."""
    stripped = line.strip()
    if _ATTRIBUTE.match(stripped) or _NO_COMMENT.match(stripped):
        return None
    for pattern in _COMMENT:
        match = pattern.fullmatch(stripped)
        if match:
            return str(match.group(1))
    return None


def _unparenthesised(body: str) -> tuple[str, bool]:
    pairs = {"(": ")", "[": "]", "<": ">", "{": "}"}
    if len(body) > 2 and pairs.get(body[0]) == body[-1]:
        return body[1:-1].strip(), True
    return body, False


@lru_cache(maxsize=1 << 14)
def is_marker(line: str) -> bool:
    """Whether a line, judged alone, only stands for file lines that the edit does not show."""
    stripped = line.strip()
    if not stripped or len(stripped) > 200:
        return False
    if stripped in {"...", "…", "....", ".....", "[...]", "(...)", "…."}:
        return True
    body = comment_body(stripped)
    if body is None:
        # bare words between ellipses are no code in any language
        return any(pattern.fullmatch(stripped) for pattern in _BARE)
    body, parenthesised = _unparenthesised(body)
    if not body or removed_names(line) is not None:
        return False
    if stripped.startswith("<!--") and _REST.match(body):
        return True
    if body == ".." or _LEADS.match(body) or _SCISSORS.fullmatch(body):
        return True
    if _TWO_DOTS.fullmatch(body) and _KEEP.search(body):
        return True
    if not (_KEEP.search(body) or _PLAIN.fullmatch(body)) or stripped.startswith("* "):
        return False
    if _TRAILS.fullmatch(body) or parenthesised:
        return True
    return bool(_PLAIN.fullmatch(body))


def removed_names(line: str) -> tuple[str, ...] | None:
    """Names that a removal note gives: ``# (removed foo and bar)`` gives ``("foo", "bar")``.

    None where the line is no such note. A note without names gives ``()``.
    """
    body = comment_body(line)
    if body is None or len(body) > 200:
        return None
    pointed = _POINTED.fullmatch(body)
    if pointed is not None:
        return tuple(name for name in _NAME.findall(pointed[1]) if name.lower() not in _PROSE)[:1]
    return _names_in_note(re.sub(rf"^{_ELLIPSIS}\s*|\s*{_ELLIPSIS}$", "", body), 16)


_NOTE_LINES, _NOTE_WORDS = 5, 48


def note_over_lines(lines: Sequence[str], number: int) -> tuple[int, tuple[str, ...]] | None:
    """A removal note whose bracket opens on a line and closes on another: the line behind it, and its names.

    So with ``// (first, second and`` and ``// third removed)`` below it. None where there is none.
    """
    bodies: list[str] = []
    for line in lines[number : number + _NOTE_LINES]:
        body = comment_body(line)
        if not body or (not bodies and body[0] not in "(["):
            return None
        bodies.append(body)
        opening, closing = ("(", ")") if bodies[0][0] == "(" else ("[", "]")
        told = " ".join(bodies)
        if told.count(opening) <= told.count(closing):
            names = _names_in_note(told, _NOTE_WORDS) if len(bodies) > 1 and told.endswith(closing) else None
            return None if names is None else (number + len(bodies), names)
    return None


def _names_in_note(body: str, most: int) -> tuple[str, ...] | None:
    """Names in a comment of at most so many words that is a removal note; None where it is none."""
    body, bracketed = _unparenthesised(body)
    told = _is_removal(body) or (bracketed and _TO_REMOVE.match(body))
    if not told or _UNTOUCHED.search(body) or len(body.split()) > most:
        return None
    quoted = tuple(match.group(1) for match in _PHRASE.finditer(body))
    rest = _PHRASE.sub(" ", body)
    return quoted + tuple(name for name in _NAME.findall(rest) if name.lower() not in _PROSE)


def _is_removal(body: str) -> bool:
    """Whether a comment begins or ends with a word for removal: its whole point is what went away."""
    if _REPLACES.match(body):
        return True
    found = list(_REMOVED.finditer(body))
    if not found:
        return False
    behind = body[found[-1].end() :].lstrip()
    if found[0].start() == 0 or not behind.strip(" .:;!)-"):
        return True
    return behind[0] in "(,;:" or found[-1].group().lower().startswith(("moved", "replaced"))


_TRIPLE = frozenset(
    ["python", "java", "kotlin", "scala", "swift", "groovy", "julia", "elixir", "toml", "csharp", "dart"]
)
_BACKTICK = frozenset(["javascript", "typescript", "tsx", "go", "svelte", "vue"])


def _quotes(language: str | None) -> tuple[str, ...]:
    """Quotes that open strings of several lines in a language; all of them where it is unknown."""
    if language is None:
        return ('"""', "'''", "`")
    if language in _BACKTICK:
        return ("`",)
    return ('"""', "'''") if language in _TRIPLE else ()


def string_interior(lines: Sequence[str], language: str | None = None) -> frozenset[int]:
    r"""0-based lines that begin inside a triple-quoted string or a backtick string.

    A quote that never closes opens nothing: a snippet may begin in the middle of anything.
    """
    quotes = _quotes(language)
    if not quotes:
        return frozenset()
    inside: set[int] = set()
    closing = ""
    opened = 0
    for number, line in enumerate(lines):
        position = 0
        if closing and number > opened:
            inside.add(number)
        while position <= len(line):
            if closing:
                end = line.find(closing, position)
                while end > 0 and line[end - 1] == "\\":
                    end = line.find(closing, end + 1)
                if end < 0:
                    break
                position, closing = end + len(closing), ""
                continue
            match = _TOKENS.search(line, position)
            if match is None:
                break
            position = match.end()
            if match.group("long") in quotes:
                closing, opened = match.group("long"), number
            elif match.group("comment") == "/*":
                end = line.find("*/", position)
                position = len(line) + 1 if end < 0 else end + 2
    if closing:
        inside -= set(range(opened + 1, len(lines)))
    return frozenset(inside)


_INSIDE = re.compile(r"\{?(?:/\*[^*\n]*\*/|<!--.*?-->)\}?")


def marker_inside(line: str) -> re.Match[str] | None:
    """A comment amid the code of a line that stands for a part of it: ``run(/* ... same text ... */)``."""
    return next(
        (
            found
            for found in _INSIDE.finditer(line)
            if line[: found.start()].strip() and line[found.end() :].strip() and is_marker(found.group())
        ),
        None,
    )


_SIGN = re.compile(r"\s*(///?|\#|--|;|%)+(?!\w)\s*(?P<text>.*)")
_FEW_WORDS = 2


def continues_comment(lines: Sequence[str], number: int) -> bool:
    """Whether a comment line is one of a block of comment lines, and no marker or note of its own.

    A few words and dots stand for lines of the file wherever they are; so may what is in brackets and says
    that something was removed.
    """
    here = _SIGN.fullmatch(lines[number])
    if here is None or re.search(_ELLIPSIS, lines[number]) or len(here["text"].split()) < _FEW_WORDS:
        return False
    text = here["text"]
    note = removed_names(lines[number]) is not None
    if note and text[0] in "([":
        return False
    whole = bool(_PLAIN.fullmatch(text))  # it could well be a marker, were it not in the middle of a sentence
    if whole and not (text[0].islower() and text.endswith(".")):
        return False
    for n in (number - 1, number + 1) if note else (number - 1,):
        other = _SIGN.fullmatch(lines[n]) if 0 <= n < len(lines) else None
        if (
            other is not None
            and other[1] == here[1]
            and len(other["text"].split()) > _FEW_WORDS
            and not re.search(_ELLIPSIS, other["text"])
            and not (whole and other["text"].endswith(tuple(".:!?")))
            and removed_names(lines[n]) is None
            and not is_marker(lines[n])
        ):
            return True
    return False


_PLACE = re.compile(r"(?:in|inside|within)\s+(?P<name>[\w.:<>$#@]+(?:\([^()]*\))?)\s*:?")


def _tells_place(lines: Sequence[str], number: int) -> bool:
    """Whether a comment below a marker only says where the next lines are: ``// in ResetAsync``."""
    body = comment_body(lines[number])
    match = _PLACE.fullmatch(body) if body else None
    if match is None or not re.search(r"[a-z0-9][A-Z]|_|\.\w|::|\(", match["name"]):
        return False
    above = next((line for line in lines[:number][::-1] if line.strip()), None)
    return above is not None and is_marker(above)


def find_markers(
    lines: Sequence[str], language: str | None = None, *, in_strings: bool = False
) -> frozenset[int]:
    """0-based indices of the marker lines of a snippet; those inside multi-line strings only if asked for."""
    found = {
        n
        for n, line in enumerate(lines)
        if (is_marker(line) or _tells_place(lines, n)) and not continues_comment(lines, n)
    }
    if in_strings or not found:
        return frozenset(found)
    return frozenset(found - string_interior(lines, language))
