"""Sentences around an edit: is a line prose or code, and what does it say of the fence below it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_TICKS = r"`[^`\n]*`"
_WORDS = r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*"
_SYMBOLS = r"[{}\[\]=<>|\\$@]|;\s*$|;\S|\w\(|::|->|^\s*(?:#|//|--|/\*|\*/)"
_LIST = r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+"
_OPENER = (
    r"(?i)^(?:sure|certainly|of course|absolutely|okay|ok|great|got it|no problem|sorry|unfortunately"
    r"|understood|done"
    r"|i(?:'|\u2019)?(?:ve|ll|m|d)?\b(?:\s+(?:have|will|can|cannot|can't|could|would|am|apologi[sz]e"
    r"|think|need|see|made"
    r"|added|updated|changed|don't|do))?|here(?:'s| is| are)|let me|let's|this (?:change|edit|update"
    r"|adds|will)"
    r"|to (?:do|fix|add|implement|make)|the (?:following|change|edit|fix)|as an ai)\b"
)
_CODE = (
    r"[{}\[\];=<>]|\w\(|^\s*(?:@\w|#include\b|(?:def|class|import|from|func|fn|function|const|let|var"
    r"|return|public|"
    r"private|protected|static|package|use|type|struct|enum|impl|module|end|else|elif|if|for|while|try"
    r"|except)\b)"
)
_EXAMPLE = (
    r"(?i)\b(?:usage|(?:for|an|simple|quick|as an|small) example|examples?:|e\.g\.|for instance"
    r"|you (?:can|could|may|should|would|will|might) (?:now |then |also |simply )*"
    r"(?:(?:run|test|try|verify|install|start)\b|(?:use|call|invoke|check|see) (?:it|them|that)\b"
    r"|(?:use|call|invoke)\b[^.]{0,60}\b(?:like (?:this|so)|as follows|as in)\b)"
    r"|(?:use|call|run|invoke|try|start|test|verify|install|execute|launch|check) (?:it|this|them|that"
    r"|the (?:script|tests?|server|app|command|migration|suite|program|dependenc\w+|package))\b[^.]*$"
    r"|to (?:run|test|try|verify|check|install|use) (?:it|this|them|that|the)\b"
    r"|run (?:with|this|the following)|callers? (?:can|could|may|now|would))"
)
_OUTPUT = (
    r"(?i)\b(?:outputs?\b|prints?:?$|you(?:'ll| will| should) (?:now )?(?:see|get)\b|responds? with"
    r"|response (?:is|looks|will|now|body|would)|error message|stack ?trace"
    r"|which (?:prints|gives|outputs|returns)|looks? like this (?:on|in|when))"
)
_DEFINES = (
    r"^\s*(?:(?:export|default|async|public|private|protected|static|abstract|final|pub|override|virtual)\s+)*"
    r"(?:def|function|class|interface|type|struct|enum|impl|trait|fn|func|fun|module|namespace|record)\b"
    r"|=>\s*\{?\s*$|^\s*(?:public|private|protected)\b"
)
_OLD = (
    r"(?i)\b(?:before:|(?:the )?(?:previous|old|current|original|existing) (?:\w+ ){0,3}"
    r"(?:is|was|looks?|looked|does|did|reads?)\b"
    r"|(?:the )?(?:previous|old|current|original|existing) (?:code|version|implementation|file"
    r"|function)\s*:?\s*$"
    r"|currently|at the moment|right now|you (?:currently )?have|the (?:bug|problem|issue|culprit"
    r"|cause)\b[^.]*"
    r"|instead of(?: this)?:?\s*$|this (?:line|code|part) (?:is|was) wrong|used to be)"
)
_EDIT = (
    r"(?i)\b(?:chang(?:e[sd]?|ing)|updat(?:e[sd]?|ing)|replac(?:e[sd]?|ing)|add(?:s|ed|ing)?|modif(?:y|ied"
    r"|ies)|edit(?:s|ed)?"
    r"|insert(?:ed)?|apply|fix(?:e[sd])?|rewr\w+|remov(?:e[sd]?|ing)|delet(?:e[sd]?|ing)|renam(?:e[sd]?"
    r"|ing)|becomes?|new)\b"
)
_OPTION = (
    r"(?i)\b(?:alternatively|another (?:way|option|approach)|option (?:\d|[a-c]|one|two)\b|(?:or"
    r"|but) if you (?:prefer|want|'d)"
    r"|as an alternative|or (?:else|simply)?:)"
)
_PART = (
    r"(?:file|code|version|contents?|module|component|script|stylesheet|source|document|listing"
    r"|rewrite|replacement)"
)
_WHOLE = (
    r"(?i)\b(?:full|complete|entire|whole)(?:ly)?\b[^.!?\n]{0,60}?(?:\b"
    + _PART
    + r"\b|`[^`\n]+\.\w+`|[\w/-]+\.[a-z]{1,6}\b)"
    r"|\breplace\b[^.!?\n]{0,40}?(?:`[^`\n]+\.\w+`|\b(?:file|contents?)\b)[^.!?\n]{0,20}\b(?:with|by)\b"
    r"|\b(?:file|`[^`\n]+\.\w+`)[^.!?\n]{0,20}\b(?:in full|in its entirety)\b"
    r"|\bnew version of (?:the file\b|`[^`\n]+\.\w+`)"
    r"|\boverwrite\b[^.!?\n]{0,40}(?:file|`[^`\n]+\.\w+`)"
)
_NOT_WHOLE = (
    r"(?i)\b(?:not|without|instead of|rather than|don't|won't|isn't|only|just|relevant|avoid|parts? of"
    r"|sections? of|lines? (?:of|in)|block in|function in|method in|rest of|remains?|unchanged|stays?"
    r"|reviewed|have read|checked|looked|went through|tested)\b"
)
_COMMAND = (
    r"^\s*(?:[$>%#]\s+)?(?:sudo\s+)?(?:npm|npx|pnpm|yarn|bun|bunx|pip3?|pipx|uv|poetry|python3?|py|node"
    r"|deno|go|cargo|"
    r"rustup|git|make|cmake|docker|docker-compose|kubectl|helm|curl|wget|cd|mkdir|rm|cp|mv|ls|cat|touch"
    r"|export|brew|"
    r"apt|apt-get|dnf|pytest|tox|bundle|rails|rake|gem|ruby|mvn|gradle|\./\S+|dotnet|terraform|psql"
    r"|mysql|sqlite3|php|"
    r"composer|mix|swift|flutter|dart|java|javac|gcc|g\+\+|clang|bash|sh|source|chmod|echo|tsc|vitest"
    r"|jest|eslint|"
    r"prettier|ruff|black|mypy|alembic|flask|uvicorn|gunicorn)\b(?!\s*[=(:{])"
)


def is_sentence(line: str) -> bool:
    """Whether a line is words rather than code: ``Here's the change:`` is."""
    text = re.sub(_LIST, "", re.sub(_TICKS, " ", line)).strip().strip("*_# ")
    if not text or len(text) > 2000:
        return bool(text)
    words = re.findall(_WORDS, text)
    if re.match(r"\s*#[a-z]+\b", line):  # ``#define MAX 64``
        return False
    if len(words) < 2 or re.search(_SYMBOLS, text):
        return False
    if len(words) == 2 and text[-1] not in ".:!?":
        return False
    return sum(map(len, words)) + text.count(" ") >= 0.8 * len(text)


def is_entry(line: str) -> bool:
    """Whether a line of words may be an entry of code: ``"preview": "vite preview"``, ``email TEXT,``."""
    if is_statement(line) or opens_chat(line):
        return False
    return re.search(r"^\s*[\"'][^\"']+[\"']\s*:\s*\S|^\s+\S.*[\w)]$|,\s*$", line) is not None


def is_bullet(line: str) -> bool:
    """Whether a line is an item of a list of sentences: ``- Added a log line``."""
    match = re.match(_LIST, line)
    return match is not None and is_sentence(line) and len(line[match.end() :].split()) >= 3


def is_statement(line: str) -> bool:
    """Whether a line is a full sentence at the margin: nothing that a code line can be mistaken for."""
    text = line.strip()
    return (
        is_sentence(line)
        and not line[:1].isspace()
        and text[0].isupper()
        and text[-1] in ".:!?"
        and (len(re.findall(_WORDS, text)) >= 4 or opens_chat(line))
    )


def opens_chat(line: str) -> bool:
    """Whether a line begins as replies of chat models begin: ``Sure! …``, ``Here is …``."""
    return bool(re.match(_OPENER, line.strip()))


def looks_like_code(line: str) -> bool:
    """Whether a line has signs of code and is no sentence."""
    return not is_sentence(line) and bool(re.search(_CODE, line))


def is_commands(lines: Sequence[str]) -> bool:
    """Whether all lines are shell commands (or comments between them)."""
    told = [line for line in lines if line.strip() and not line.lstrip().startswith("# ")]
    return bool(told) and all(re.match(_COMMAND, line) for line in told)


def shows_example(lead: str) -> bool:
    """Whether the words before a fence announce use or a command, and no change."""
    last = _last_sentence(lead)
    return bool(re.search(_EXAMPLE, last)) and not re.search(_EDIT, last)


def shows_output(lead: str) -> bool:
    """Whether the words before a fence announce what a program prints or answers."""
    last = _last_sentence(lead)
    return bool(re.search(_OUTPUT, last)) and not re.search(_EDIT, last)


def defines(line: str) -> bool:
    """Whether a line begins the definition of a function or a type."""
    return re.search(_DEFINES, line) is not None


def shows_old(lead: str) -> bool:
    """Whether the words before a fence announce the code as it was."""
    last = _last_sentence(lead)
    return bool(re.search(_OLD, last)) and not re.search(_EDIT, last)


def offers_option(lead: str) -> bool:
    """Whether the words before a fence announce an alternative to another one."""
    return bool(re.search(_OPTION, _last_sentence(lead)))


def says_whole(words: str) -> bool:
    """Whether words say that the complete file follows: ``Here is the full updated `a.css`:``."""
    sentences = re.split(r"(?<=[!?:])\s|(?<=\.)\s|\n", words)
    return any(re.search(_WHOLE, one) and not re.search(_NOT_WHOLE, one) for one in sentences)


def _last_sentence(text: str) -> str:
    stripped = text.strip()[-600:]
    pieces = [
        piece
        for piece in re.split(r"(?<=[!?])\s+|(?<=[a-z)`]\.)\s+(?=[A-Z`])|\n\s*\n", stripped)
        if piece.strip()
    ]
    return pieces[-1] if pieces else ""
