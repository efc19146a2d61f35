"""Indentation of new lines, and the white space inside them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from fastapply.types import Finding

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
                message = f"{line.strip()[:80]!r} is indented otherwise than the lines beside it"
            else:
                continue
            findings.append(Finding("indentation", message, index + 1, "functional_error"))
            break
    return findings


def _lead(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
