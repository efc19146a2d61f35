"""What the models of a merge did, in numbers: for ``--json``, and for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fastapply.types import ModelRun


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
