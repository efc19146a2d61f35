"""What the order of lines alone gives away: code behind a ``return``, a block that is closed twice.

They come of an old line that stayed behind the new one that was to replace it. Indentation tells
them in any language, so no grammar is needed, and a grammar may even pass them.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.types import Finding
from fastapply.verify.compare import indent_of, is_comment, is_weak, key_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastapply.verify.evidence import Evidence

_FENCE = re.compile(r"\s*(`{3,}|~{3,})([^`]*)$")
_LEAVES = re.compile(r"\s*(?:return|raise|throw)\b(?!.*\b(?:if|unless|or|and)\b)(?P<rest>.*)")
_GOES_ON = re.compile(r"[\])},.&|?:+*/=<>-]|(?:and|or|if|else|for|where|unless|rescue|with)\b")
_LABEL = re.compile(
    r"(?:case|default|when|else|elif|elsif|except|rescue|ensure|finally|catch|end|fi|done|esac|public|private|"
    r"protected|def|class|func|fn|function|async|static)\b|\w+:\s*$|[@#]"
)
_C_FAMILY = frozenset(["c", "cpp", "objc", "csharp", "cuda", "glsl", "hlsl", "arduino"])
_DIRECTIVE = re.compile(r"\s*#\s*(?P<word>if|ifdef|ifndef|endif)\b")
_LEAVE_BY_OTHER_WORDS = frozenset(
    ["haskell", "purescript", "elm", "ocaml", "fsharp", "scala", "markdown", "rst"]
)
_CLOSERS = frozenset(["end", "}", "};", "});", "})", ");", ")", "],", "},", "fi", "done"])


def check_flow(evidence: Evidence) -> list[Finding]:
    """`unreachable`, `doubled_line` for closers, `not_removed` behind one, an unpaired ``#if``."""
    if evidence.language == "markdown":
        return _check_fences(evidence)
    if evidence.language in _LEAVE_BY_OTHER_WORDS:
        return []
    return [
        *_check_unreachable(evidence),
        *_check_closers(evidence),
        *_check_steps(evidence),
        *_check_orphans(evidence),
        *_check_directives(evidence),
    ]


def _check_fences(evidence: Evidence) -> list[Finding]:
    """`parse_error` where lines that open or close fences were even in number and are odd now.

    A grammar sees nothing of it: what follows an open fence is code up to the end of the next one.
    """
    old, new = (
        [number for number, line in enumerate(text.lines) if _FENCE.match(line)]
        for text in (evidence.original, evidence.merged)
    )
    quoted = not any(part.is_snippet for part in evidence.wanted.parts)  # such an edit says each line of it
    if quoted or len(old) % 2 or not len(new) % 2:
        return []
    line = next((number for number in new if evidence.kept_from[number] < 0), new[-1])
    return [Finding("parse_error", "a fence is no longer closed", line + 1, "functional_error")]


def _seams(evidence: Evidence) -> Iterator[tuple[int, int]]:
    """Neighbouring lines with text of the merged text of which at least one came."""
    keys = evidence.new_keys
    for change in evidence.changes:
        low, high = change.first - 1, change.last
        while low > 0 and not keys[low]:
            low -= 1
        while high < len(keys) - 1 and not keys[high]:
            high += 1
        told = [index for index in range(max(low, 0), min(high + 1, len(keys))) if keys[index]]
        yield from pairwise(told)


def _check_unreachable(evidence: Evidence) -> list[Finding]:
    """A line that stays, in one block with a new statement that leaves it, directly behind that one."""
    lines = evidence.merged.lines
    for above, below in _seams(evidence):
        if evidence.kept_from[above] >= 0 or evidence.kept_from[below] < 0 or below in evidence.shown:
            continue
        line, after = lines[above], lines[below]
        match = _LEAVES.match(line)
        if match is None or not _is_closed(match["rest"]) or indent_of(line) != indent_of(after):
            continue
        if is_weak(key_of(after)) or is_comment(after):
            continue
        if _LABEL.match(after.strip()) or _GOES_ON.match(after.strip()):
            continue
        message = f"{after.strip()[:80]!r} is still after {line.strip()[:60]!r}, so it is unreachable"
        return [Finding("unreachable", message, below + 1, "functional_error")]
    return []


def _is_closed(rest: str) -> bool:
    """Whether a statement ends on its line: its brackets are closed, and no sign asks for more."""
    text = rest.rstrip()
    if any(text.count(one) != text.count(other) for one, other in ("()", "[]", "{}")):
        return False
    return not text or text[-1] not in "\\,+-*/=<&|?:.("


def _check_closers(evidence: Evidence) -> list[Finding]:
    """Two equal closing lines below each other, equally deep, in a file that had none such."""
    lines = evidence.merged.lines
    for above, below in _seams(evidence):
        key = key_of(lines[above])
        if key not in _CLOSERS or lines[above].rstrip() != lines[below].rstrip():
            continue
        if _has_second(evidence.original.lines) or _is_shown_twice(evidence, key):
            return []
        message = f"{lines[below].strip()!r} closes a block that is already closed"
        return [Finding("doubled_line", message, below + 1, "functional_error")]
    return []


def _check_steps(evidence: Evidence) -> list[Finding]:
    """A block's end right below the end of a block around it, in a file that had none such."""
    lines = evidence.merged.lines
    for above, below in _seams(evidence):
        if _steps_in(lines[above], lines[below]):
            if any(_steps_in(one, other) for one, other in pairwise(evidence.original.lines)):
                return []
            message = f"{lines[below].strip()!r} ends a block after the end of its outer block"
            return [Finding("doubled_line", message, below + 1, "functional_error")]
    return []


def _steps_in(above: str, below: str) -> bool:
    ends = {"end", "}", "fi", "done"}
    return above.strip() in ends and below.strip() in ends and indent_of(below) > indent_of(above)


def _check_orphans(evidence: Evidence) -> list[Finding]:
    """A line that stays, deeper than the new closing line right above it: the block it was in is closed."""
    lines = evidence.merged.lines
    for above, below in _seams(evidence):
        if evidence.kept_from[above] >= 0 or evidence.kept_from[below] < 0 or below in evidence.shown:
            continue
        closer, after = lines[above], lines[below]
        if key_of(closer) not in _CLOSERS or indent_of(after) <= indent_of(closer):
            continue
        if _GOES_ON.match(after.strip()) or is_comment(after):
            continue
        message = f"{after.strip()[:80]!r} is now after the end of its block"
        return [Finding("not_removed", message, below + 1, "functional_error")]
    return []


def _check_directives(evidence: Evidence) -> list[Finding]:
    """`parse_error` where each ``#if`` had its ``#endif`` and has no longer: grammars of C don't see that."""
    if evidence.language not in _C_FAMILY or _unpaired(evidence.original.lines) is not None:
        return []
    line = _unpaired(evidence.merged.lines)
    if line is None:
        return []
    return [Finding("parse_error", "an #if or #endif lost its other half", line + 1, "functional_error")]


def _unpaired(lines: Sequence[str]) -> int | None:
    """The first ``#endif`` without an ``#if``, or an ``#if`` without an ``#endif``; None where all pair."""
    opened: list[int] = []
    for index, line in enumerate(lines):
        match = _DIRECTIVE.match(line)
        if match is None:
            continue
        if match["word"] != "endif":
            opened.append(index)
        elif opened:
            opened.pop()
        else:
            return index
    return opened[-1] if opened else None


def _has_second(lines: Sequence[str]) -> bool:
    """Whether a text has two equal closing lines below each other anywhere."""
    told = [line.rstrip() for line in lines if line.strip()]
    return any(one == other and key_of(one) in _CLOSERS for one, other in pairwise(told))


def _is_shown_twice(evidence: Evidence, key: str) -> bool:
    runs = [run for part in evidence.wanted.parts for run in part.runs]
    return any(
        one.key == other.key == key and one.indent == other.indent
        for run in runs
        for one, other in pairwise(run.lines)
    )
