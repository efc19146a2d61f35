"""What only a grammar can see: text that no longer parses, imports that are missed."""

from __future__ import annotations

import builtins
import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from fastapply.syntax import definitions, error_lines, import_names, parse, string_lines
from fastapply.types import Finding
from fastapply.verify.compare import is_comment, key_of
from fastapply.verify.readers import LONGEST, python_error, shown_at

if TYPE_CHECKING:
    from fastapply.verify.evidence import Evidence

# one name imported from a class or module, or all of them: ``import static a.B.*;``
_PART = re.compile(r"\s*(?:import|use)\s+(?:static\s+)?([\w.:]+?)(?:\.|::)(\w+|\*);?\s*$")


def check_grammar(evidence: Evidence) -> list[Finding]:
    """`parse_error` and `lost_import`."""
    if evidence.language is None or not evidence.changes:
        return []
    return [*_check_errors(evidence), *_check_imports(evidence)]


def _check_errors(evidence: Evidence) -> list[Finding]:
    if evidence.language == "python":
        line = _wrongly_indented(evidence)
        if line is not None:
            return [_unparsed(evidence, "the result is indented wrongly", line)]
    after = error_lines(evidence.merged.text, evidence.language)
    if not after:
        return []
    before = error_lines(evidence.original.text, evidence.language)
    if len(after) <= len(before):
        return []
    old = {evidence.kept_as[line] for line in before if line < len(evidence.kept_as)}
    new = [line for line in after if line not in old] or list(after)
    if before:  # where the file was unreadable to its grammar already, more of the same is as well
        near = {line + step for line in old for step in range(-2, 3)}
        new = [line for line in new if line not in near]
        if not new:
            return []
    message = "the result no longer parses" if not before else "the result parses worse than the file did"
    return [_unparsed(evidence, message, new[0] + 1)]


def _unparsed(evidence: Evidence, message: str, line: int) -> Finding:
    return Finding("parse_error", message + shown_at(evidence.merged.lines, line), line, "functional_error")


def _wrongly_indented(evidence: Evidence) -> int | None:
    """Line where Python's own parser meets wrong indentation, which the grammar lets pass.

    None where there is none, or where the file had it, too. Other errors are the grammar's to find:
    syntax that is newer than the running Python is right.
    """
    if len(evidence.merged.text) > LONGEST:
        return None
    first, last = _statements_around(evidence)
    line = _indentation_error("\n".join([*evidence.merged.lines[first:last], ""]))
    if line is None or _indentation_error(evidence.original.text) is not None:
        return None
    return first + line


def _statements_around(evidence: Evidence) -> tuple[int, int]:
    """The lines of all statements at the top level that a change touches, with one on each side.

    All lines where the grammar cannot tell.
    """
    merged = evidence.merged
    tree = parse(merged.text, evidence.language)
    if tree is None or tree.root_node.has_error:
        return 0, len(merged.lines)
    starts = [node.start_point.row for node in tree.root_node.named_children if node.type != "comment"]
    touched = [change.first for change in evidence.changes] + [change.last for change in evidence.changes]
    before = bisect_left(starts, min(touched)) - 2
    after = bisect_right(starts, max(touched)) + 1
    return (
        starts[before] if before > 0 else 0,
        starts[after] if after < len(starts) else len(merged.lines),
    )


def _indentation_error(text: str) -> int | None:
    """1-based line of the first syntax error, if that is one of indentation."""
    found = python_error(text)
    return found[0] if found is not None and found[1] else None


def _check_imports(evidence: Evidence) -> list[Finding]:
    language = evidence.language
    old = import_names(evidence.original.text, language)
    if not old or all(
        evidence.kept_as[line] >= 0
        for one in old
        for line in range(one.first_line, min(one.last_line + 1, len(evidence.kept_as)))
    ):
        return []
    new = import_names(evidence.merged.text, language)
    bound = {name for one in new for name in one.names}
    bound |= {one.name for one in definitions(evidence.merged.text, language)}
    matches = [match for line in evidence.merged.lines if (match := _PART.match(line))]
    wholes = {match.group(1) for match in matches if match.group(2) == "*"}
    findings = []
    for one in old:
        part = _PART.match(evidence.original.lines[one.first_line])
        if part is not None and part.group(1) in wholes:
            continue  # all names from there are imported now
        for name in one.names:
            if (
                name in bound
                or (language == "python" and name in dir(builtins))
                or _is_taken(evidence, one.first_line, one.last_line, name)
            ):
                continue
            skip = {line for other in new for line in range(other.first_line, other.last_line + 1)}
            where = used_at(evidence, name, skip)
            if where is not None:
                message = f"{name} is no longer imported, but still used"
                findings.append(Finding("lost_import", message, where + 1, "functional_error"))
    return findings


def _is_taken(evidence: Evidence, first: int, last: int, name: str) -> bool:
    """Whether a hunk, a whole file, or two neighbours shown tight together take it out on purpose."""
    if evidence.is_whole:
        return True
    for change in evidence.changes:
        if change.start <= first < change.end and change.first == change.last:
            above, below = evidence.shown.get(change.first - 1), evidence.shown.get(change.last)
            if (
                above
                and below
                and (above.part, above.run, above.line + 1) == (below.part, below.run, below.line)
            ):
                return True
    lines = evidence.original.lines[first : last + 1]
    keys = [key_of(line) for line in lines if re.search(rf"\b{re.escape(name)}\b", line)]
    return any(part.before[key] for part in evidence.wanted.parts for key in keys)


def used_at(evidence: Evidence, name: str, skip: set[int]) -> int | None:
    """The first line that uses a name as code and not as a member, a comment or a string."""
    use = re.compile(rf"(?<![\w.$'\"-])(?<!::){re.escape(name)}(?![\w$'\"-])(?!\s*[:=](?!=))")
    word = re.escape(name)
    binds = re.compile(
        rf"\b(?:let|const|var|val|def|class|function|func|fn|type|for|as)\s+{word}\b"
        rf"|(?:^\s*|[(,]\s*){word}\s*:(?!:)|^\s+(?:from\b.*\bimport|import|use|using)\b.*\b{word}\b"
    )
    strings = string_lines(evidence.merged.text, evidence.language)
    found = None
    for index, line in enumerate(evidence.merged.lines):
        if name not in line or index in skip or index in strings or is_comment(line):
            continue
        if binds.search(line):
            return None
        if found is None and use.search(line):
            found = index
    return found
