"""The same thing twice: an old version beside the new one, a block that came once too often."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.syntax import definitions
from fastapply.types import Finding, Snippet
from fastapply.verify.compare import is_other_version, is_weak, key_of, leaves_or_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.text import SourceText
    from fastapply.types import FileEdit
    from fastapply.verify.evidence import Evidence

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
# overloads there are methods alone: no specialised templates, no merged declarations, no partial classes
_ONE_TYPE = frozenset({"java", "kotlin", "dart", "groovy", "apex"})
_FORBIDS = _ONE_TYPE | {
    *("c", "cpp", "csharp", "swift", "scala", "typescript", "tsx", "go", "rust", "zig", "solidity", "proto"),
    *("graphql", "prisma", "sql", "toml", "yaml", "json", "hcl", "terraform"),
}
"""Languages in which one scope has no two things of one name; in others the last one counts, or both do."""
_ONCE = frozenset({"function", "class", "type", "test", "rule", "table", "key", "block", "macro"})
_VARIANT = re.compile(
    r"\.(?:setter|getter|deleter|overload|register)\b|\boverload\b|\bsingledispatch|#\[cfg|^(?:static\s+)?[gs]et\s"
    r"|\bextension\b|\bpartial\b|\bdeclare\b"
)
# a whole import statement on one line; what C includes may stand twice, in two branches
_IMPORT = re.compile(
    r"(?:import\b.*[\w'\";*)]|from\s+\S+\s+import\s+[\w*].*[\w*]|(?:pub\s+)?(?:use|mod)\s+\w.*;)\s*$"
)
_IMPORTING = frozenset(
    {"python", "java", "kotlin", "javascript", "typescript", "tsx", "rust", "scala", "dart"}
)
_BRANCH = re.compile(r"^\s*#\s*(?:if|ifdef|ifndef|else|elif|endif)\b")


def check_duplicates(evidence: Evidence) -> list[Finding]:
    """`duplicate_definition`, `doubled_line`, and `not_removed` for an old version beside the new."""
    return [
        *_check_definitions(evidence),
        *_check_noted(evidence),
        *_check_taken(evidence),
        *_check_old_versions(evidence),
        *_check_copies(evidence),
        *_check_doubled(evidence),
        *_check_imports(evidence),
    ]


def _check_definitions(evidence: Evidence) -> list[Finding]:
    language = evidence.language or ""
    if language in _CLAUSES or not evidence.changes:
        return []
    after = definitions(evidence.merged.text, language)
    has = Counter((one.scope, one.kind, one.name) for one in after)
    new = {
        (one.scope, one.kind, one.name)
        for one in after
        if any(evidence.kept_from[line] < 0 for line in (one.first_line, one.header_line))
    }
    twice = [what for what in new if has[what] > 1 and what[1] in _ONCE]
    quoted = not any(part.is_snippet for part in evidence.wanted.parts)  # hunks say where they go
    if not twice or (quoted and language not in _FORBIDS):
        return []
    before = definitions(evidence.original.text, language)
    had = Counter((one.scope, one.kind, one.name) for one in before)
    findings = []
    for what in twice:
        _scope, kind, name = what
        count = has[what]
        if count <= had[what] or not had[what] or (kind == "block" and " " not in name):
            continue
        if language == "make" and name.startswith("."):  # ``.PHONY``, as often as one likes
            continue
        same = [one for one in after if (one.scope, one.kind, one.name) == what]
        came = [one for one in same if evidence.kept_from[one.header_line] < 0]
        lines = evidence.merged.lines
        if all(one.header_line in evidence.shown for one in same):
            continue
        one_type = kind in {"class", "type"} and language in _ONE_TYPE
        may_differ = language in _OVERLOADS and not one_type
        if may_differ and len({key_of(one.signature) for one in same}) == count:
            continue
        heads = ["\n".join(lines[one.attached_line : one.header_line + 1]).strip() for one in same]
        if any(_VARIANT.search(head) for head in heads):
            continue
        if any(_is_parted(lines, a.last_line, b.first_line) for a, b in pairwise(same)):
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
    """The same line twice in a row where a line came, when neither file nor edit has it so.

    A blank line between two equal ones counts only for what nobody writes twice: ``return x``.
    """
    lines = evidence.merged.lines
    pairs: set[tuple[str, str]] | None = None
    findings = []
    for change in evidence.changes:
        for index in range(max(change.first - 1, 0), min(change.last + 1, len(lines) - 1)):
            line, after = lines[index], index + 1
            while after < len(lines) and not lines[after].strip():
                after += 1
            if not line.strip() or after == len(lines) or line != lines[after]:
                continue
            if after > index + 1 and not leaves_or_ends(line):
                continue
            if evidence.kept_from[index] >= 0 and evidence.kept_from[after] >= 0:
                continue
            if pairs is None:
                pairs = _pairs(evidence)
            if (key_of(line), key_of(line)) not in pairs:
                message = f"{line.strip()[:80]!r} is repeated"
                findings.append(Finding("doubled_line", message, after + 1, "functional_error"))
    return findings


def check_imports_twice(
    original: SourceText, edit: FileEdit, merged: SourceText, language: str | None
) -> list[Finding]:
    """`doubled_import` where an import stands more often than it did, and than pieces of code show it.

    Of 8,062 right merges of lazy edits that models wrote three do so, two of them in templates of code.
    """
    if language not in _IMPORTING:
        return []
    before, after = Counter(original.lines), Counter(merged.lines)
    twice = [line for line, count in after.items() if count > before[line] > 0 and _IMPORT.match(line)]
    if not twice:
        return []
    shown = Counter(line.strip() for part in edit.parts if isinstance(part, Snippet) for line in part.lines)
    return [
        Finding("doubled_import", f"{line[:80]!r} would be imported twice", number, "functional_error")
        for number, line in enumerate(merged.lines, 1)
        if line in twice and shown[line.strip()] <= before[line]
    ][:1]


def _check_imports(evidence: Evidence) -> list[Finding]:
    """An import at the left edge that came, while the same one stays: nobody imports twice."""
    if evidence.language not in _IMPORTING:
        return []
    lines, had, findings = evidence.merged.lines, set(evidence.original.lines), []
    for change in evidence.changes:
        for index in range(change.first, change.last):
            line = lines[index]
            if line not in had or not _IMPORT.match(line) or evidence.wanted.keys[key_of(line)] != 1:
                continue
            stays = next((i for i, other in enumerate(lines) if other == line and i != index), -1)
            if stays >= 0 and lines.count(line) > evidence.original.lines.count(line):
                message = f"{line.strip()[:80]!r} is in the file already, at line {stays + 1}"
                findings.append(Finding("doubled_line", message, index + 1, "functional_error"))
    return findings


def _pairs(evidence: Evidence) -> set[tuple[str, str]]:
    """Pairs of equal neighbours in the file and in the edit's runs."""
    texts = [[key for key in evidence.old_keys if key]]
    texts += [[line.key for line in run.lines] for part in evidence.wanted.parts for run in part.runs]
    return {(a, b) for text in texts for a, b in pairwise(text) if a == b}


def _check_copies(evidence: Evidence) -> list[Finding]:
    """A piece that came is a copy of the lines right beside it, which stay."""
    findings = []
    old = evidence.old_keys
    for change in evidence.changes:
        keys = list(evidence.new_keys[change.first : change.last])
        while keys and not keys[0]:
            del keys[0]
        while keys and not keys[-1]:
            del keys[-1]
        if change.start < change.end or sum(not is_weak(key) for key in keys) < 3:
            continue
        for at in range(len(old) - len(keys) + 1):
            if old[at] != keys[0] or list(old[at : at + len(keys)]) != keys:
                continue
            there = [evidence.kept_as[index] for index in range(at, at + len(keys)) if old[index]]
            beside = abs(there[0] - change.last) <= 1 or abs(there[-1] - change.first + 1) <= 1
            if beside and all(index >= 0 and index not in evidence.shown for index in there):
                message = f"{len(keys)} lines were added that are also still at line {there[0] + 1}"
                findings.append(Finding("doubled_line", message, change.first + 1, "functional_error"))
                break
    return findings


def _check_noted(evidence: Evidence) -> list[Finding]:
    """What a removal note names is gone."""
    notes = evidence.wanted.notes
    if not notes:
        return []
    had = {one.name for one in definitions(evidence.original.text, evidence.language)}
    wanted = evidence.wanted.keys
    return [
        Finding(
            "not_removed",
            f"the edit says that {one.name} is removed, but it is still there",
            one.header_line + 1,
            "functional_error",
        )
        for one in definitions(evidence.merged.text, evidence.language)
        if one.name in notes
        and one.name in had
        and not wanted[key_of(evidence.merged.lines[one.header_line])]
    ]


def _check_taken(evidence: Evidence) -> list[Finding]:
    """Lines that hunks take away stand less often than before."""
    taken: Counter[str] = Counter()
    for part in evidence.wanted.parts:
        taken.update(part.removed)
    if not taken:
        return []
    had, has = Counter(evidence.old_keys), Counter(evidence.new_keys)
    wanted = evidence.wanted.keys
    findings = []
    for key, count in taken.items():
        if wanted[key] or not had[key] or evidence.wanted.is_within or not evidence.changes:
            continue
        if has[key] > max(had[key] - count, 0) and had[key] == has[key]:
            where = next(i for i, line in enumerate(evidence.merged.lines) if key_of(line) == key)
            message = (
                f"the edit takes {evidence.merged.lines[where].strip()[:80]!r} away, but it is still there"
            )
            findings.append(Finding("not_removed", message, where + 1, "functional_error"))
    return findings


def _check_old_versions(evidence: Evidence) -> list[Finding]:
    """A file line that the edit does not show, right beside the line that was to replace it."""
    lines = evidence.merged.lines
    findings = []
    for change in evidence.changes:
        if change.first == change.last:
            continue
        new = range(change.first, change.last)
        for index, others in ((change.first - 1, new), (change.last, reversed(new))):
            if not 0 <= index < len(lines) or index in evidence.shown or evidence.kept_from[index] < 0:
                continue
            beside = next(iter(others))
            if beside not in evidence.shown or not is_other_version(
                lines[index], lines[beside], index < beside
            ):
                continue
            message = f"{lines[index].strip()[:60]!r} is still there, next to {lines[beside].strip()[:60]!r}"
            findings.append(Finding("not_removed", message, index + 1, "functional_error"))
    return findings
