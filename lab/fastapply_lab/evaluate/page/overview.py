"""What the page knows of all cases at once: rows of the table, tables of counts, and plots."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fastapply.evaluate.outcomes import OUTCOMES, RIGHT_CLASSES
from fastapply.evaluate.tables import SHORT, group_table, latency_table, outcome_table, summary, words
from fastapply_lab.evaluate.page.plots import latency_plot, outcome_plot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.evaluate.cases import Case
    from fastapply.evaluate.records import Record
    from fastapply.evaluate.tables import Table
    from fastapply_lab.evaluate.annotations import Annotation
    from fastapply_lab.evaluate.judgements import Judgement

_MOST_NAMES = 5  # sources of cases that are named
_GROUPS = ("format", "language", "lines of file", "lines of edit", "repository")


@dataclass(frozen=True, slots=True)
class ShownRun:
    """One run as the page shows it."""

    name: str
    records: dict[str, Record]
    annotations: tuple[Annotation, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)


def cases_of(runs: Sequence[ShownRun]) -> list[Case]:
    """All cases of some runs, in the order in which they are met first."""
    found: dict[str, Case] = {}
    for run in runs:
        for one, record in run.records.items():
            found.setdefault(one, record.case)
    return list(found.values())


def overview(runs: Sequence[ShownRun], cases: Sequence[Case]) -> dict[str, Any]:
    """The object with which the page begins."""
    return {
        "outcomes": [
            {"name": o, "words": words(o), "short": SHORT[o], "right": o in RIGHT_CLASSES} for o in OUTCOMES
        ],
        "runs": [run.name for run in runs],
        "cases": [_row(case, runs) for case in cases],
        "annotations": [[one.object for one in run.annotations] for run in runs],
        "judgements": [[one.object for one in run.judgements] for run in runs],
    }


def sections(runs: Sequence[ShownRun]) -> list[dict[str, Any]]:
    """For each run its name, the words that sum it up, its tables and its plots as SVG."""
    out = []
    for run in runs:
        records = list(run.records.values())
        tables: list[Table] = [outcome_table(records), latency_table(records)]
        tables += [table for by in _GROUPS if len((table := group_table(records, by))[1]) > 1]
        out.append(
            {
                "name": run.name,
                "summary": summary(records),
                "settings": _shown_settings(run.settings),
                "legend": [(o, words(o)) for o in OUTCOMES if any(r.verdict.outcome == o for r in records)],
                "tables": tables,
                "plots": [outcome_plot(records), latency_plot(records)],
            }
        )
    return out


def _shown_settings(settings: dict[str, Any]) -> dict[str, str]:
    """What a reader of the page wants to know: not where the cases lay on somebody's machine."""
    shown = {
        name: str(settings[name])
        for name in ("engine", "model", "endpoint", "command", "formats", "limit", "jobs", "begun", "version")
        if settings.get(name) not in ("", [], None)
    }
    names = [str(one).replace("\\", "/").rstrip("/").rpartition("/")[2] for one in settings.get("cases", ())]
    if names:
        more = len(names) - _MOST_NAMES
        shown["cases"] = ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
    return shown


def _row(case: Case, runs: Sequence[ShownRun]) -> dict[str, Any]:
    return {
        "id": case.id,
        "path": case.path,
        "format": case.format or "?",
        "language": case.language or "?",
        "repository": case.repository,
        "instructions": case.instructions,
        "lines": case.original.count("\n") + 1,
        "known": bool(case.answers) or case.must_refuse,
        "runs": [_result(run.records.get(case.id)) for run in runs],
    }


def _result(record: Record | None) -> dict[str, Any] | None:
    if record is None:
        return None
    verdict, attempt = record.verdict, record.attempt
    return {
        "outcome": verdict.outcome,
        "decided": verdict.decided,
        "why": verdict.why,
        "line": verdict.line,
        "right": record.right,
        "reason": attempt.reason,
        "message": attempt.message,
        "method": attempt.method,
        "seconds": round(attempt.seconds, 3),
        "written": attempt.merged is not None,
        "model": (attempt.model or {}).get("name", ""),
    }
