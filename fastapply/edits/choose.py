"""Which fences of a chat reply are the edit, and which are commands, examples, quotes or others' files.

What speaks for a fence: its name, its language, lines that the file has, markers. What speaks
against: another file's name or language, shell commands, words before it that announce use or
output, the file's own lines quoted word for word. Where that does not decide, the reply is
refused; a fence is never dropped without a reason.

Two fences may say together what a SEARCH/REPLACE block says, where the first one holds lines of the file::

    Replace this:            words that announce what is there, then a fence of lines of the file
    ~~~
    return 1
    ~~~
    with:                    a few words that announce what it becomes, then a fence
    ~~~
    return 2
    ~~~
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from fastapply.edits.gather import Piece, hunks_piece, several_files
from fastapply.edits.markers import find_markers, is_marker
from fastapply.edits.names import fits, normal
from fastapply.edits.prose import defines, is_commands, offers_option, shows_example, shows_old, shows_output
from fastapply.edits.snippet import trim
from fastapply.edits.target import as_run, flat, language_of
from fastapply.errors import EditError
from fastapply.types import Hunk, Segment
from fastapply.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.edits.target import Target


_SHELL = frozenset(
    [
        "sh",
        "bash",
        "shell",
        "zsh",
        "console",
        "terminal",
        "cmd",
        "powershell",
        "ps1",
        "bat",
        "shellsession",
        "shell-session",
    ]
)
# other names are found by the table of file extensions
_ALIASES = {
    "js": "javascript",
    "ts": "typescript",
    "golang": "go",
    "c#": "csharp",
    "shell": "bash",
    "python3": "python",
    "py3": "python",
    "objective-c": "objc",
    "postgresql": "sql",
    "postgres": "sql",
    "mysql": "sql",
    "sqlite": "sql",
    "psql": "sql",
    "plsql": "sql",
    "jsonc": "json",
    "json5": "json",
    "docker": "dockerfile",
    "makefile": "make",
    "terraform": "hcl",
    "sass": "scss",
    "less": "scss",
    "mdx": "markdown",
    "dotenv": "properties",
    "env": "properties",
    "conf": "ini",
    "erb": "embeddedtemplate",
}
# what else a fence may call code for a file in a language
_ALSO = {
    "javascript": {"typescript", "tsx"},
    "typescript": {"javascript", "tsx"},
    "tsx": {"javascript", "typescript"},
    "json": {"javascript"},
    "c": {"cpp", "objc"},
    "cpp": {"c", "objc", "cuda"},
    "objc": {"c", "cpp"},
    "cuda": {"c", "cpp"},
    "css": {"scss"},
    "scss": {"css"},
    "ini": {"toml", "properties", "bash"},
    "toml": {"ini", "properties"},
    "properties": {"ini", "toml", "bash"},
    "fish": {"bash"},
    "make": {"bash"},
    "dockerfile": {"bash"},
    "kotlin": {"groovy"},
    "groovy": {"kotlin", "java"},
    "xml": {"html"},
    "html": {"xml", "javascript", "css", "svelte", "vue"},
    "markdown": {"html", "rst"},
    "rst": {"markdown"},
    "ocaml_interface": {"ocaml"},
    "svelte": {"html", "javascript", "typescript", "css", "scss", "vue"},
    "vue": {"html", "javascript", "typescript", "css", "scss"},
    "astro": {"html", "javascript", "typescript", "tsx", "css", "scss"},
    "php": {"html", "javascript", "css"},
    "twig": {"html"},
    "embeddedtemplate": {"html", "ruby", "javascript", "css"},
    "starlark": {"python"},
    "luau": {"lua"},
}
_MANY = 100  # more fences than any reply has: they are not compared with one another
_SHORT = 3  # lines of a fence that may be about one place of several
_FEW_LINES = 20  # lines of a fence that are looked for in the file
_MUCH = 0.3  # ... or is about a fence of a text file
_SOME = 0.15  # share of telling lines from which on a fence has to do with the file
_OLD = r"(?i)\b(?:change|replace|find|swap|from|before|old|current|currently|existing|original|instead of)\b"
_NEW = r"(?i)^\W*(?:to|with|by|into|after|becomes?|new|(?:and )?(?:replace|change) it (?:to|with|by))\b"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One fence that may be the edit: its lines, and all that the reply says of it."""

    lines: tuple[str, ...]
    first: int  # 0-based line of the edit that holds lines[0]
    language: str
    label: str | None  # a name that can only mean this fence
    mention: str | None  # a name in the words before it
    lead: str  # the words before it
    words: str = ""  # the words before and right behind it

    @property
    def told(self) -> tuple[str, ...]:
        """Its lines, without blank ones at both ends."""
        return trim(self.lines).lines

    @property
    def name(self) -> str | None:
        """The best name that there is."""
        return self.label or self.mention


def choose(found: Sequence[Candidate], target: Target, *, beside: bool) -> tuple[Candidate, ...]:
    """Pick the fences that are the edit; `beside` says that the reply holds parts of other formats.

    Raises `EditError` where several could be it and nothing tells which.
    """
    left = [one for one in found if any(line.strip() for line in one.lines)]
    left = [one for one in left if not _is_shell(one, target)]
    if target.known and (beside or 1 < len(left) <= _MANY):
        left = [one for one in left if one.label or not target.has_run(one.told)]
    if beside or len(left) > 1:
        kept = [one for one in left if not _is_aside(one, target)]
        left = kept if kept or beside else left
    left = _without_excerpts(left, target)
    if len(left) > 1 and any(offers_option(one.lead) for one in left[1:]):
        raise EditError(
            "the reply offers several alternatives",
            reason="ambiguous_edit",
            hint="send only the code to apply",
        )
    if not target.single:
        return _named(left, beside=beside)
    left = _in_language(left, target, beside=beside)
    return _for_file(left, target)


def same_language(fence: str, target: Target) -> bool | None:
    """Whether a fence's language can be that of the file; None where either is unknown."""
    language = _ALIASES.get(fence, fence)
    if not language or target.language is None:
        return None
    known = language_of("x." + language) or language
    if target.language in {known, language}:
        return True
    if not _ALSO.get(target.language, set()).isdisjoint({known, language}):
        return True
    is_known = language_of("x." + language) is not None or language in set(_ALIASES.values()) | {
        "python", "ruby", "rust", "kotlin", "markdown", "haskell", "elixir", "csharp", "powershell", "perl"
    }  # fmt: skip
    return False if is_known else None


def _is_shell(one: Candidate, target: Target) -> bool:
    if one.label or find_markers(one.lines) or target.evidence(one.lines) >= _SOME:
        return False
    if one.language in _SHELL:
        return target.language not in {"bash", "fish", "powershell"} or is_commands(one.lines)
    unnamed = one.language in {"", "text", "plaintext", "txt"}
    return (
        unnamed
        and is_commands(one.lines)
        and target.language not in {"bash", "fish"}
        and not target.evidence(one.lines)
    )


def _is_aside(one: Candidate, target: Target) -> bool:
    """Whether words say that a fence is an example, or the code as it was, and its lines bear it out."""
    if one.label:
        return False
    told = [line for line in one.lines if line.strip() and not is_marker(line)]
    if shows_old(one.lead) and target.known:
        return all(target.has_like(line) for line in told)
    if shows_output(one.lead):
        return target.evidence(told) < _SOME
    # an example calls what the edit defines; code that defines something may be part of the edit
    return (
        shows_example(one.lead)
        and not find_markers(one.lines)
        and target.evidence(told) < 0.5
        and not any(defines(line) for line in told)
    )


def _without_excerpts(left: list[Candidate], target: Target) -> list[Candidate]:
    """Leave out a fence that only repeats lines of a longer one.

    Where the file has its lines at several places, it may be about another one of them, and stays.
    """
    if len(left) > _MANY:
        return left
    runs = [as_run(one.told) for one in left]
    return [
        one
        for number, one in enumerate(left)
        if (len(one.told) <= _SHORT and all(target.count_near(line) > 1 for line in one.told))
        or not any(
            runs[number] in run and (len(runs[number]) < len(run) or other < number)
            for other, run in enumerate(runs)
            if other != number and not (one.label and left[other].label and one.label != left[other].label)
        )
    ]


def _is_content(one: Candidate, target: Target) -> bool:
    """Whether a fence shows lines that stand in a fence of the file, or nearly do."""
    if target.evidence(one.lines) >= _MUCH:
        return True
    told = [line for line in one.told[:_FEW_LINES] if line.strip() and not is_marker(line)]
    return sum(target.count_near(line) > 0 for line in told) >= max(1, _MUCH * len(told))


def _named(left: list[Candidate], *, beside: bool) -> tuple[Candidate, ...]:
    """Without a FILE every fence must say which file it is for, as soon as one does."""
    named = [one for one in left if one.name]
    unnamed = [one for one in left if not one.name]
    if unnamed and (named or beside) and any(find_markers(one.lines) for one in unnamed):
        raise EditError(
            f"the fence at line {unnamed[0].first} of the edit does not name its file",
            hint="write the file name on its own line before each fence",
        )
    return tuple(named or ([] if beside else left))


def _in_language(left: list[Candidate], target: Target, *, beside: bool) -> list[Candidate]:
    """Leave out code in a language that the file is not in."""
    odd = [
        one
        for one in left
        if same_language(one.language, target) is False
        and not fits(one.label, target.path)
        and not (target.is_prose and _is_content(one, target))
    ]
    strange = {id(one) for one in odd}
    if beside or len(odd) < len(left):
        return [one for one in left if id(one) not in strange]
    if odd and not any(target.evidence(one.lines) >= 0.3 for one in odd):
        raise EditError(
            f"the only code in the reply is {odd[0].language}, and {target.path} is {target.language}",
            reason="other_file",
            hint="name the file in the edit, or remove the fence",
        )
    return left


def _for_file(left: list[Candidate], target: Target) -> tuple[Candidate, ...]:
    """Leave out what is for another file, by label first and by the lines that the file has.

    A mention decides nothing here: a sentence may be about any file.
    """
    labels = {normal(one.label) for one in left if one.label}
    if any(fits(one.name, target.path) for one in left):
        return tuple(one for one in left if one.label is None or fits(one.label, target.path))
    if len(left) < 2 or not labels or (len(labels) == 1 and all(one.label for one in left)):
        return tuple(left)
    scored = [(one, target.evidence(one.lines)) for one in left]
    there = {normal(one.label) for one, score in scored if one.label and score >= _SOME}
    chosen, best = max(scored, key=lambda pair: pair[1])
    if len(there) > 1 or (len(labels) > 1 and best < _SOME):
        raise several_files(sorted(there if len(there) > 1 else labels))
    if best < _SOME:
        return tuple(left)
    order = {id(one): place for place, one in enumerate(left)}
    return tuple(
        one
        for one, score in scored
        if one.label in {None, chosen.label}
        or score >= _SOME
        # a name holds for the fences below it, so only one behind the edit turns to another file
        or (chosen.label is None and order[id(one)] < order[id(chosen)])
    )


def take_pairs(
    candidates: Sequence[Candidate], target: Target
) -> tuple[tuple[Piece, ...], tuple[Candidate, ...]]:
    """Take the pairs of old and new out of a reply's fences; gives their pieces and the other fences."""
    pieces: list[Piece] = []
    others: list[Candidate] = []
    at = 0
    while at < len(candidates):
        if at + 1 < len(candidates) and _are_pair(candidates[at], candidates[at + 1], target):
            old, new = candidates[at : at + 2]
            segment = Segment(flat(trim(old.lines).lines), flat(trim(new.lines).lines))
            hunk = Hunk(1, old.first + 1, (segment,))
            pieces.append(hunks_piece("search_replace", (hunk,), old.label))
            at += 2
        else:
            others.append(candidates[at])
            at += 1
    return tuple(pieces), tuple(others)


def _are_pair(old: Candidate, new: Candidate, target: Target) -> bool:
    words = new.lead.strip()
    if len(words.split()) > 8 or not re.search(_NEW, words):
        return False
    if not re.search(_OLD, old.lead.strip()[-200:]) or find_markers((*old.lines, *new.lines)):
        return False
    return target.has_run(trim(old.lines).lines)
