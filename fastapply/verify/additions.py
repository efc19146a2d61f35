"""What the edit wants and the merged text lacks, and what came that nobody asked for."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from fastapply.edits.markers import continues_comment, is_marker
from fastapply.syntax import definitions, import_names
from fastapply.types import Finding
from fastapply.verify.compare import is_comment, key_of
from fastapply.verify.evidence import Place
from fastapply.verify.grammar import used_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.verify.evidence import Change, Evidence
    from fastapply.verify.shown import Run, WantedLine

_SWITCH = re.compile(r"\s*(?:[\w.]+\s*=\s*|return\s+)?(?:switch|case|match|select|when)\b")
_SEPARATORS = ",;"
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
            if (
                is_marker(line)
                and not wanted[key_of(line)]
                and key_of(line) not in evidence.wanted.texts
                and not continues_comment(evidence.merged.lines, index)
            ):
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
                if place in evidence.found or line.is_note or _may_miss(evidence, place, line):
                    continue
                message = f"the edit's line {line.text.strip()[:80]!r} is not in the result"
                findings.append(Finding("missing_line", message, None, "functional_error"))
    return findings


def _may_miss(evidence: Evidence, place: Place, line: WantedLine) -> bool:
    """A label such as ``// src/a.ts`` above a snippet, or a line that a later part changes again."""
    if (place.run, place.line) == (0, 0) and is_comment(line.text) and _PATH.search(line.text):
        return True
    return any(part.before[line.key] for part in evidence.wanted.parts[place.part + 1 :])


def _check_scattered(evidence: Evidence) -> list[Finding]:
    """Lines that the edit shows next to each other stand so, or there is a reason for the gap."""
    findings = []
    for number, part in enumerate(evidence.wanted.parts):
        for r, run in enumerate(part.runs):
            here = [i for i in range(len(run.lines)) if Place(number, r, i) in evidence.found]
            for i, after in pairwise(here):
                a, b = evidence.found[Place(number, r, i)], evidence.found[Place(number, r, after)]
                if any(not line.is_note for line in run.lines[i + 1 : after]):
                    continue  # a line is missing, and found so
                between = [j for j in range(a + 1, b) if evidence.merged.lines[j].strip()]
                if b < a:
                    between = [b]
                if not between or _may_part(evidence, run, (i, after), between, in_order=part.in_order):
                    continue
                if (
                    not part.in_order
                    and b > a
                    and not any(part.removed[key_of(evidence.merged.lines[j])] for j in between)
                ):
                    continue
                message = (
                    f"the edit shows {run.lines[after].text.strip()[:60]!r} right after "
                    f"{run.lines[i].text.strip()[:60]!r}, but there are lines in between"
                )
                findings.append(Finding("not_removed", message, between[0] + 1, "functional_error"))
    return findings


def _may_part(
    evidence: Evidence, run: Run, pair: tuple[int, int], between: Sequence[int], *, in_order: bool
) -> bool:
    """Where a snippet may leave something out without a marker."""
    if not in_order:
        return False
    above, below = run.lines[pair[0]], run.lines[pair[1]]
    lines = evidence.merged.lines
    if not all(evidence.kept_from[j] >= 0 for j in between):
        return False
    beside = (between[0] - 1, between[-1] + 1)
    if all(is_comment(lines[j]) for j in between):  # comments and decorations that the edit did not repeat
        return not any(is_comment(lines[j]) and evidence.kept_from[j] < 0 for j in beside)
    if _is_needed(evidence, between):
        return True
    shown = evidence.wanted.keys
    if all(shown[evidence.new_keys[j]] for j in between):
        return False  # what the edit shows elsewhere was to be moved there
    if below.after_blank:  # a new paragraph: imports above, another function below
        tail = next((j for j in reversed(between) if not _is_attached(lines[j])), between[0])
        return not lines[between[0] - 1].strip() and (tail < between[-1] or not lines[tail + 1].strip())
    if below.indent > above.indent:  # the head of a class or of a switch only names the scope
        return _opens_scope(evidence, above)
    return _begins_definition(evidence, below)


def _is_attached(line: str) -> bool:
    """A comment, decorator or attribute, which belongs to what stands below it."""
    return is_comment(line) or line.lstrip().startswith(("@", "#[", "["))


def _is_needed(evidence: Evidence, between: Sequence[int]) -> bool:
    """Whether these lines are imports of names that are all used: an excerpt of them was shown."""
    imports = import_names(evidence.merged.text, evidence.language)
    inside = {line: one for one in imports for line in range(one.first_line, one.last_line + 1)}
    if not all(j in inside and inside[j].names for j in between):
        return False
    skip = set(inside)
    bound = Counter(name for one in imports for name in one.names)
    names = {name for j in between for name in inside[j].names}
    return all(bound[name] == 1 and used_at(evidence, name, skip) is not None for name in names)


def _opens_scope(evidence: Evidence, line: WantedLine) -> bool:
    """Whether a line opens something of which one part can be shown without the rest."""
    if _SWITCH.match(line.text) or evidence.language is None:
        return True
    return any(
        one.kind != "function" and key_of(evidence.merged.lines[one.header_line]) == line.key
        for one in definitions(evidence.merged.text, evidence.language)
    )


def _begins_definition(evidence: Evidence, line: WantedLine) -> bool:
    return any(
        key_of(evidence.merged.lines[at]) == line.key
        for one in definitions(evidence.merged.text, evidence.language)
        for at in {one.first_line, one.header_line, one.attached_line}
    )


# --- what came ----------------------------------------------------------------------------------------


def _check_came(evidence: Evidence) -> list[Finding]:
    """Every line that came is one of the edit's, or one of the file's with another comma or semicolon."""
    if evidence.wanted.is_within:
        return []  # see `replaced`
    findings = []
    wanted = evidence.wanted.keys
    snippets = any(part.is_snippet for part in evidence.wanted.parts)
    for change in evidence.changes:
        for index in range(change.first, change.last):
            line = evidence.merged.lines[index]
            key = key_of(line)
            if index in evidence.shown or is_marker(line):
                continue
            if not key:
                if snippets and not _touches(evidence, change.first, change.last):
                    findings.append(Finding("foreign_line", "a blank line came", index + 1, "hallucination"))
                continue
            if key.rstrip(_SEPARATORS) in _went(evidence, change):
                continue
            findings.append(_describe_came(evidence, index, line, key, wanted))
    return findings


def _went(evidence: Evidence, change: Change) -> set[str]:
    """The file lines that a change took away, without the comma or semicolon that ended them."""
    return {evidence.old_keys[index].rstrip(_SEPARATORS) for index in range(change.start, change.end)}


def _touches(evidence: Evidence, first: int, last: int) -> bool:
    """Whether something shown, or a place where lines went, is right beside these merged lines."""
    if any(index in evidence.shown for index in range(first - 2, last + 2)):
        return True
    return any(change.first == first and change.end > change.start for change in evidence.changes)


def _describe_came(evidence: Evidence, index: int, line: str, key: str, wanted: Counter[str]) -> Finding:
    if wanted[key] or key in evidence.old_keys:
        message = f"{line.strip()[:80]!r} is in the result once more than the file and the edit explain"
        return Finding("doubled_line", message, index + 1, "functional_error")
    message = f"{line.strip()[:80]!r} is neither in the file nor in the edit"
    return Finding("foreign_line", message, index + 1, "hallucination")
