"""What a run came to, as JSON for programs: the one object of `--json`, also for errors.

Its keys are explained in `help/json.md`; where nothing came of the edit, `format` and `method` are null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapply.errors import Refused
from fastapply.pipeline.differences import differences

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.errors import FastapplyError
    from fastapply.types import Finding, ModelRun, Question
    from fastapply.workspace.changes import Change, Outcome

SCHEMA = 1
_WRITTEN_ALL_THE_SAME = "not_staged"


def outcome_object(outcome: Outcome, *, path: str | None, seconds: float) -> dict[str, Any]:
    """Make the object of a run that went well; `path` is None for `patch`."""
    changes = outcome.changes
    counts = [change.counts for change in changes]
    rejected = [
        {"reason": one.reason, "message": one.message, "edit_line": one.edit_line} for one in outcome.rejected
    ]
    return _object(
        "partial" if rejected else "unchanged" if outcome.unchanged else "applied",
        {"file": path} if path is not None else {"files": [_file(change) for change in changes]},
        seconds,
        written=outcome.written,
        format=outcome.format,
        method=outcome.method,
        certainty=outcome.certainty,
        added=sum(added for added, _ in counts),
        removed=sum(removed for _, removed in counts),
        findings=finding_objects(one for change in changes for one in (*change.accepted, *change.smoothed)),
        warnings=list(outcome.warnings),
        model=run_object(outcome.models),
        diff="".join(change.diff for change in changes),
        **({"rejected": rejected} if rejected else {}),
    )


def error_object(
    error: FastapplyError, command: str, *, path: str | None = None, seconds: float = 0.0
) -> dict[str, Any]:
    """Make the object of a run that ended without a change."""
    why: dict[str, Any] = {}
    if isinstance(error, Refused):
        why = {
            "certainty": error.certainty,
            "needed": error.needed,
            "decision": error.decision,
            "findings": finding_objects(error.findings),
            "candidates": candidate_objects(error.questions),
            "always": always_rows(error.questions),
            "model": run_object([error.model] if error.model else []),
        }
    return _object(
        "refused" if isinstance(error, Refused) else "error",
        {"files": []} if command == "patch" else {"file": path},
        seconds,
        written=error.reason == _WRITTEN_ALL_THE_SAME,
        reason=error.reason,
        message=error.message,
        hint=error.hint,
        **why,
    )


def _object(status: str, where: dict[str, Any], seconds: float, **said: Any) -> dict[str, Any]:  # noqa: ANN401
    """All keys in their order; what is not said is nothing."""
    return {
        "schema": SCHEMA,
        "status": status,
        "written": False,
        "reason": None,
        "message": "",
        "hint": "",
        **where,
        "format": None,
        "method": None,
        "certainty": None,
        "needed": None,
        "decision": None,
        "added": 0,
        "removed": 0,
        "seconds": round(seconds, 4),
        "findings": [],
        "candidates": [],
        "always": [],
        "warnings": [],
        "model": None,
        "diff": "",
        **said,
    }


def _file(change: Change) -> dict[str, Any]:
    added, removed = change.counts
    return {
        "file": change.path,
        "action": change.action,
        "new_path": change.new_path,
        "status": "unchanged" if change.unchanged else "applied",
        "format": change.format,
        "method": change.method,
        "added": added,
        "removed": removed,
    }


def finding_objects(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """What the verifier found, or what was mended."""
    return [{"code": one.code, "message": one.message, "line": one.line} for one in findings]


def always_rows(questions: Iterable[Question]) -> list[str]:
    """What every candidate does, as rows of a diff."""
    return [row for question in questions for row in question.always_diff]


def candidate_objects(questions: Iterable[Question]) -> list[dict[str, Any]]:
    """The answers to questions: what `pick` takes, and what each of them is."""
    return [
        {
            "pick": number,
            "first": place.lines.first,
            "last": max(place.lines.first, place.lines.last),
            "enclosing": place.enclosing,
            "edit_line": question.edit_line,
            **(
                {"share": place.share, "says": place.says, "diff": list(place.diff)}
                if place.share is not None
                else {"does": list(does)}
                if does
                else {}
            ),
        }
        for question in questions
        for number, (place, does) in enumerate(
            zip(question.candidates, differences(question.candidates), strict=True), 1
        )
    ]


def run_object(runs: Sequence[ModelRun]) -> dict[str, Any] | None:
    """The ``model`` object of ``--json``: all answers of one merge together; None where there were none.

    Speeds are null where a time is not known. `chars_per_second` is what was written over the whole
    latency, first token included, loading not; `finish` is that of the last answer.
    """
    if not runs:
        return None
    used = [run.usage for run in runs]
    prompt = sum(one.prompt_tokens - one.cached_tokens for one in used)
    output = sum(one.output_tokens for one in used)
    return {
        "name": runs[-1].name,
        "prompt_tokens": sum(one.prompt_tokens for one in used),
        "cached_tokens": sum(one.cached_tokens for one in used),
        "output_tokens": output,
        "drafted": sum(one.drafted for one in used),
        "accepted": sum(one.accepted for one in used),
        "steps": sum(one.steps for one in used),
        "prefill_tokens_per_second": _rate(prompt, sum(one.prefill_seconds for one in used)),
        "tokens_per_second": _rate(output, sum(one.decode_seconds for one in used)),
        "chars_per_second": _rate(sum(run.characters for run in runs), sum(one.seconds for one in used)),
        "load_seconds": round(sum(one.load_seconds for one in used), 4),
        "finish": runs[-1].finish,
    }


def _rate(amount: int, seconds: float) -> float | None:
    return round(amount / seconds, 1) if seconds > 0 else None
