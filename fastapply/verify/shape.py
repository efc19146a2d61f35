"""Indentation of new lines, and the white space inside them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from fastapply.types import Finding
from fastapply.verify.compare import indent_of
from fastapply.verify.places import Place

if TYPE_CHECKING:
    from fastapply.verify.evidence import Evidence


def check_shape(evidence: Evidence) -> list[Finding]:
    """`indentation`: a line that came is indented as the lines beside it in the edit are."""
    findings = []
    for number, part in enumerate(evidence.wanted.parts):
        became: dict[str, set[str]] = defaultdict(set)
        came: list[tuple[int, str, str]] = []
        for place, index in evidence.found.items():
            if place.part != number or place in evidence.paraphrased:
                continue
            text, line = part.runs[place.run].lines[place.line].text, evidence.merged.lines[index]
            if evidence.kept_from[index] >= 0:
                became[_lead(text)].add(_lead(line))
            else:
                came.append((index, text, line))
        as_they_are = bool(became) and all(lead in leads for lead, leads in became.items())
        for index, text, line in came:
            wanted = became.get(_lead(text)) or ({_lead(text)} if as_they_are and len(became) > 1 else None)
            if text.strip() != line.strip():
                message = f"{line.strip()[:80]!r} has other blanks in it than the edit's line"
            elif wanted and _lead(line) not in wanted:
                message = f"{line.strip()[:80]!r} is not indented like the lines next to it"
            else:
                continue
            findings.append(Finding("indentation", message, index + 1, "functional_error"))
            break
    return findings or _check_steps(evidence)


def _check_steps(evidence: Evidence) -> list[Finding]:
    """New lines below each other step in and out as they do in the edit, whatever a step's width."""
    for place, index in evidence.found.items():
        below = Place(place.part, place.run, place.line + 1)
        after = evidence.found.get(below, -1)
        if after != index + 1 or evidence.kept_from[index] >= 0 or evidence.kept_from[after] >= 0:
            continue
        lines = evidence.wanted.parts[place.part].runs[place.run].lines
        wanted = lines[below.line].indent - lines[place.line].indent
        has = indent_of(evidence.merged.lines[after]) - indent_of(evidence.merged.lines[index])
        if (wanted > 0) != (has > 0) or (wanted < 0) != (has < 0):
            text = evidence.merged.lines[after].strip()[:80]
            message = f"{text!r} is not indented to the line above it as in the edit"
            return [Finding("indentation", message, after + 1, "functional_error")]
    return []


def _lead(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
