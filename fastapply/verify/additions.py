"""What the edit wants and the merged text lacks, and what came that nobody asked for."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from typing import TYPE_CHECKING

from fastapply.formats.markers import is_marker
from fastapply.syntax import definitions
from fastapply.types import Finding
from fastapply.verify.compare import is_comment, key_of
from fastapply.verify.evidence import Place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.verify.evidence import Evidence
    from fastapply.verify.shown import Run, WantedLine

_PATH = re.compile(r"[\w./\\-]+\.\w{1,8}\b")


def check_additions(evidence: Evidence) -> list[Finding]:
    """`marker_left`, `missing_line`, `not_removed`, `foreign_line` and `doubled_line`."""
    return [
        *_check_markers(evidence),
        *_check_missing(evidence),
        *_check_scattered(evidence),
        *_check_came(evidence),
    ]


def _check_markers(evidence: Evidence) -> list[Finding]:
    """Markers that came, unless the edit shows that very line as text, inside a string for one."""
    wanted = evidence.wanted.keys
    findings = []
    for change in evidence.changes:
        for index in range(change.first, change.last):
            line = evidence.merged.lines[index]
            if is_marker(line) and not wanted[key_of(line)]:
                message = f"the marker {line.strip()[:80]!r} was left in"
                findings.append(Finding("marker_left", message, index + 1, "truncation"))
    return findings


# --- what is missing ----------------------------------------------------------------------------------


def _check_missing(evidence: Evidence) -> list[Finding]:
    findings = []
    for number, part in enumerate(evidence.wanted.parts):
        for r, run in enumerate(part.runs):
            for i, line in enumerate(run.lines):
                place = Place(number, r, i)
                if place in evidence.found or _may_miss(evidence, place, line):
                    continue
                message = f"the edit's line {line.text.strip()[:80]!r} is not in the result"
                findings.append(Finding("missing_line", message, None, "functional_error"))
    return findings


def _may_miss(evidence: Evidence, place: Place, line: WantedLine) -> bool:
    """A label such as ``// src/a.ts`` above a snippet, or a line that a later part changes again."""
    if (place.run, place.line) == (0, 0) and is_comment(line.text) and _PATH.search(line.text):
        return True
    return any(part.removed[line.key] for part in evidence.wanted.parts[place.part + 1 :])


def _check_scattered(evidence: Evidence) -> list[Finding]:
    """Lines that the edit shows next to each other stand so, or there is a reason for the gap."""
    findings = []
    for number, part in enumerate(evidence.wanted.parts):
        for r, run in enumerate(part.runs):
            for i in range(len(run.lines) - 1):
                a = evidence.found.get(Place(number, r, i), -1)
                b = evidence.found.get(Place(number, r, i + 1), -1)
                if a < 0 or b < 0:
                    continue
                between = [j for j in range(a + 1, b) if evidence.merged.lines[j].strip()]
                if b < a:
                    between = [b]
                if not between or _may_part(evidence, run, i, between, in_order=part.in_order):
                    continue
                if (
                    not part.in_order
                    and b > a
                    and not any(part.removed[key_of(evidence.merged.lines[j])] for j in between)
                ):
                    continue
                message = (
                    f"the edit shows {run.lines[i + 1].text.strip()[:60]!r} right after "
                    f"{run.lines[i].text.strip()[:60]!r}, but lines stand in between"
                )
                findings.append(Finding("not_removed", message, between[0] + 1, "functional_error"))
    return findings


def _may_part(evidence: Evidence, run: Run, index: int, between: Sequence[int], *, in_order: bool) -> bool:
    """Where a snippet may leave something out without a marker."""
    if not in_order:
        return False
    above, below = run.lines[index], run.lines[index + 1]
    if below.after_blank:
        return True  # a new paragraph: imports above, another function below
    kept = all(evidence.kept_from[j] >= 0 for j in between)
    if not kept:
        return False
    if all(is_comment(evidence.merged.lines[j]) for j in between):
        return True  # comments and decorations that the edit did not repeat
    words = above.text.split()
    if words and words[0] in {"import", "from", "#include", "use", "using", "require", "@import"}:
        return True
    if below.indent > above.indent and not _opens_function(evidence, run, index):
        return True  # the head of a class or of a switch only names the scope
    return below.indent <= above.indent and _begins_definition(evidence, run, index + 1)


def _opens_function(evidence: Evidence, run: Run, index: int) -> bool:
    key = run.lines[index].key
    return any(
        one.kind == "function" and key_of(evidence.merged.lines[one.header_line]) == key
        for one in definitions(evidence.merged.text, evidence.language)
    )


def _begins_definition(evidence: Evidence, run: Run, index: int) -> bool:
    key = run.lines[index].key
    return any(
        key_of(evidence.merged.lines[line]) == key
        for one in definitions(evidence.merged.text, evidence.language)
        for line in {one.first_line, one.header_line, one.attached_line}
    )


# --- what came ----------------------------------------------------------------------------------------


def _check_came(evidence: Evidence) -> list[Finding]:
    """Every line that came is one of the edit's."""
    findings = []
    wanted = evidence.wanted.keys
    within = [hunk for part in evidence.wanted.parts for hunk in part.within]
    for change in evidence.changes:
        for index in range(change.first, change.last):
            line = evidence.merged.lines[index]
            key = key_of(line)
            if index in evidence.shown or is_marker(line) or key in evidence.wanted.dropped:
                continue
            if not key:
                if not _touches(evidence, change.first, change.last):
                    findings.append(Finding("foreign_line", "a blank line came", index + 1, "hallucination"))
                continue
            if within:
                continue
            findings.append(_describe_came(evidence, index, line, key, wanted))
    return findings


def _touches(evidence: Evidence, first: int, last: int) -> bool:
    """Whether something shown, or a place where lines went, is right beside these merged lines."""
    if any(index in evidence.shown for index in range(first - 2, last + 2)):
        return True
    return any(change.first == first and change.end > change.start for change in evidence.changes)


def _describe_came(evidence: Evidence, index: int, line: str, key: str, wanted: Counter[str]) -> Finding:
    if wanted[key] or any(key == key_of(other) for other in evidence.original.lines):
        message = f"{line.strip()[:80]!r} stands once more than the file and the edit say"
        return Finding("doubled_line", message, index + 1, "functional_error")
    message = f"{line.strip()[:80]!r} is neither in the file nor in the edit"
    return Finding("foreign_line", message, index + 1, "hallucination")


# --- the same thing twice -------------------------------------------------------------------------------

_OVERLOADS = frozenset(
    {
        "java",
        "cpp",
        "cuda",
        "csharp",
        "kotlin",
        "swift",
        "scala",
        "typescript",
        "tsx",
        "dart",
        "groovy",
        "d",
        "solidity",
        "apex",
        "sql",
        "objc",
        "julia",
        "glsl",
        "hlsl",
    }
)
_CLAUSES = frozenset(
    {"elixir", "haskell", "erlang", "purescript", "ocaml", "elm", "fsharp", "prolog", "julia"}
)
_ONCE = frozenset({"function", "class", "type", "test", "rule", "table", "key", "block", "macro"})
_VARIANT = re.compile(
    r"\.(?:setter|getter|deleter|overload|register)\b|\boverload\b|\bsingledispatch|#\[cfg|^(?:static\s+)?[gs]et\s"
    r"|\bextension\b|\bpartial\b|\bdeclare\b"
)
_BRANCH = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef|else|elif|endif)\b")


def check_duplicates(evidence: Evidence) -> list[Finding]:
    """`duplicate_definition`, and lines that stand twice in a row as nowhere before."""
    return [*_check_definitions(evidence), *_check_doubled(evidence)]


def _check_definitions(evidence: Evidence) -> list[Finding]:
    language = evidence.language or ""
    if language in _CLAUSES or not evidence.changes:
        return []
    after = definitions(evidence.merged.text, language)
    before = definitions(evidence.original.text, language)
    had = Counter((one.scope, one.kind, one.name) for one in before)
    has = Counter((one.scope, one.kind, one.name) for one in after)
    wanted = evidence.wanted.keys
    findings = []
    for what, count in has.items():
        _scope, kind, name = what
        if count < 2 or count <= had[what] or not had[what] or kind not in _ONCE:
            continue
        if kind == "block" and " " not in name:
            continue
        same = [one for one in after if (one.scope, one.kind, one.name) == what]
        came = [one for one in same if evidence.kept_from[one.header_line] < 0]
        lines = evidence.merged.lines
        if sum(wanted[header] for header in {key_of(lines[one.header_line]) for one in same}) >= count:
            continue
        if language in _OVERLOADS and len({key_of(one.signature) for one in same}) == count:
            continue
        heads = ["\n".join(lines[one.attached_line : one.header_line + 1]).strip() for one in same]
        if any(_VARIANT.search(head) for head in heads):
            continue
        if any(_is_parted(lines, a.last_line, b.first_line) for a, b in itertools.pairwise(same)):
            continue
        line = (came or same)[-1].header_line + 1
        message = f"{name} is defined {count} times, {had[what]} before"
        findings.append(Finding("duplicate_definition", message, line, "functional_error"))
    return findings


def _is_parted(lines: Sequence[str], first: int, last: int) -> bool:
    """Whether two definitions stand in different branches or under different parents."""
    if first >= last:
        return False
    own = len(lines[last]) - len(lines[last].lstrip())
    return any(
        _BRANCH.match(line) or (line.strip() and len(line) - len(line.lstrip()) < own)
        for line in lines[first + 1 : last]
    )


def _check_doubled(evidence: Evidence) -> list[Finding]:
    """The same line twice in a row where a line came, when neither file nor edit has it so."""
    lines = evidence.merged.lines
    pairs: set[tuple[str, str]] | None = None
    findings = []
    for change in evidence.changes:
        for index in range(max(change.first - 1, 0), min(change.last + 1, len(lines) - 1)):
            line = lines[index]
            if not line.strip() or line != lines[index + 1]:
                continue
            if (
                evidence.kept_from[index] >= 0
                and evidence.kept_from[index + 1] == evidence.kept_from[index] + 1
            ):
                continue
            if pairs is None:
                pairs = _pairs(evidence)
            if (key_of(line), key_of(line)) not in pairs:
                message = f"{line.strip()[:80]!r} stands twice in a row"
                findings.append(Finding("doubled_line", message, index + 2, "functional_error"))
    return findings


def _pairs(evidence: Evidence) -> set[tuple[str, str]]:
    """Pairs of equal neighbours in the file and in the edit's runs."""
    texts = [[key_of(line) for line in evidence.original.lines if line.strip()]]
    texts += [[line.key for line in run.lines] for part in evidence.wanted.parts for run in part.runs]
    return {(a, b) for text in texts for a, b in itertools.pairwise(text) if a == b}
