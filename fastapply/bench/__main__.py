"""The process that runs the benchmark: a crash of llama.cpp ends it, and not the command line.

Started with one argument, a JSON object (see `cli.bench`). Writes a JSON object a line: ``{"note": text}``
for people, ``{"row": ...}`` for each case, ``{"summary": ...}`` of what is measured so far beside it, the
last one with ``"complete": true``, or ``{"error": ...}``.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapply.bench.cases import BenchCase, built_in_cases, stretched
from fastapply.bench.measure import Bench, measure_case, prepare
from fastapply.errors import FastapplyError
from fastapply.models.llama.library import Settings
from fastapply.models.llama.model import LlamaModel
from fastapply.models.widths import ROUNDS
from fastapply.models.worker.client import WorkerModel
from fastapply.models.worker.messages import error_object

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHORT, _LONG = 250, 10_000
_ENOUGH_SECONDS = 180.0  # for our own rows, of which there are two at least
_SLOW_SECONDS = 10.0  # of an answer that is not asked for again and again


def main(given: dict[str, Any]) -> int:
    """Run all of it."""
    cases = [BenchCase(**one) for one in given["cases"]] or list(built_in_cases())
    summary = measure(given, cases, region=len(given["cases"]) <= 1)[2]
    say({"summary": summary | {"complete": True}})
    return 0


def measure(
    given: dict[str, Any], cases: Sequence[BenchCase], *, region: bool, replay: bool = False
) -> tuple[list[Bench], list[dict[str, Any]], dict[str, Any]]:
    """Measure a model on cases: what was decoded, the row of each, and the summary.

    With `region` the first case is measured in a long file too. With `replay` the right results are written,
    whatever the model says.
    """
    path, settings = Path(given["model"]), Settings(**given["settings"])
    adapter = Path(given["adapter"]) if given.get("adapter") else None
    say({"note": f"loading {given['name']}"})
    model = LlamaModel(path, name=given["name"], style=given["style"], settings=settings, adapter=adapter)
    benches = [prepare(case, model, replay=replay, full_file=given["full_file"]) for case in cases]
    biggest = max(len(one.prompt) + one.task.longest // 2 for one in benches)
    model.fit(min(biggest, model.context_length))
    say({"note": f"measuring steps of the model; then {len(benches)} cases"})
    model.schedule()
    for _ in range(ROUNDS):  # as a worker comes to it with time
        model.measure_more(lambda: False)
    rows: list[dict[str, Any]] = []
    summary: dict[str, Any] = {
        "model": given["name"],
        "model_mb": path.stat().st_size / 1e6,
        "adapter_mb": adapter.stat().st_size / 1e6 if adapter else None,
        "replay": replay,
        "complete": False,
    }
    began = time.perf_counter()
    for number, bench in enumerate(benches, 1):
        if len(rows) > 1 and time.perf_counter() - began > _ENOUGH_SECONDS:
            say({"note": f"{len(rows)} of {len(benches)} cases took long enough"})
            break
        say({"note": f"case {number} of {len(benches)}: {len(bench.prompt)} tokens to read"})
        rows.append(measure_case(bench, model, rounds=given["rounds"]))
        row = {key: value for key, value in rows[-1].items() if key != "tokens"}
        say({"row": row, "summary": summary | _shares(rows)})
    summary |= {
        "step_milliseconds": {
            width: round(taken * 1e3, 3) for width, taken in model.schedule().seconds.items()
        },
        "peak_memory_mb": _peak_memory(),
        "context_tokens": model.context.size,
        **_shares(rows),
    }
    if region:
        say({"note": f"the same edit in {_SHORT:,} and in {_LONG:,} lines"})
        summary["region"] = _region(cases[0], model, replay=replay)
    model.close()
    say({"note": "the model in a process of its own, as apply uses it"})
    summary["worker"] = _worker(path, adapter, given, benches[0])
    return benches[: len(rows)], rows, summary


def _shares(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Sums over all cases, and over those where the prediction was the output, and where it was not.

    Answers that came to no end are a group of their own: they are refused, however fast.
    """
    told: dict[str, Any] = {}
    for name in ("all", "predicted", "not_predicted", "endless"):
        group = [row for row in rows if name in {"all", row["group"]}]
        if not group:
            continue
        ours, limit = (sum(row[key] for row in group) for key in ("seconds", "limit_seconds"))
        tokens = sum(row["output_tokens"] for row in group)
        alone = sum(row["one_at_a_time_seconds"] for row in group)
        told[name] = {
            "cases": len(group),
            "output_tokens": tokens,
            "tokens_per_second": tokens / ours,
            "limit_tokens_per_second": tokens / limit,
            "one_at_a_time_tokens_per_second": tokens / alone if tokens else 0.0,  # an empty answer
            "share_of_limit": limit / ours,
            "share_of_limit_as_decoded": sum(row["limit_as_decoded_seconds"] for row in group) / ours,
            "share_of_limit_median": statistics.median(row["share_of_limit"] for row in group),
            "drafted": sum(row["drafted"] for row in group),
            "accepted": sum(row["accepted"] for row in group),
            "steps": sum(row["steps"] for row in group),
        }
    compared = [row for row in rows if row["same_as_one_at_a_time"] is not None]
    if compared:
        told["same_as_one_at_a_time"] = sum(row["same_as_one_at_a_time"] for row in compared)
        told["compared"] = len(compared)
        told["fork_margins"] = [row["fork_margin"] for row in compared if row["fork_margin"] is not None]
    return told


def _region(case: BenchCase, model: LlamaModel, *, replay: bool) -> dict[str, float]:
    """The model's time for one edit in a short file and in a long one, as `auto` asks it."""
    taken = {}
    for lines in (_SHORT, _LONG):
        bench = prepare(stretched(case, lines), model, replay=replay, full_file=False)
        best = float("inf")
        for turn in range(3):
            if turn and best > _SLOW_SECONDS:
                break
            model.fit(len(bench.prompt) * 2)
            model.forget()
            row = measure_case(bench, model, rounds=1)
            best = min(best, row["seconds"] + row["prompt_tokens"] / row["prefill_tokens_per_second"])
        taken[f"seconds_in_{lines}_lines"] = best
    taken["ratio"] = taken[f"seconds_in_{_LONG}_lines"] / taken[f"seconds_in_{_SHORT}_lines"]
    return taken


def _worker(path: Path, adapter: Path | None, given: dict[str, Any], bench: Bench) -> dict[str, float]:
    """A worker's first answer, which loads the model, and what a later one takes beyond the model's time."""
    worker = WorkerModel(
        path,
        name=given["name"],
        style=given["style"],
        context_length=0,
        settings=given["settings"],
        adapter=adapter,
        idle_seconds=30.0,
    )
    began = time.perf_counter()
    cold_usage = worker.complete(bench.task).usage
    cold = time.perf_counter() - began
    overheads = []
    for _ in range(5 if cold < _SLOW_SECONDS else 1):
        began = time.perf_counter()
        usage = worker.complete(bench.task).usage
        overheads.append(time.perf_counter() - began - usage.seconds)
    peak = _worker_memory(worker.start().pid)
    worker.stop()
    return {
        "peak_memory_mb": peak,
        "cold_seconds": cold,
        "load_seconds": cold_usage.load_seconds,
        "warm_overhead_seconds": min(overheads),
    }


def _worker_memory(pid: int) -> float:
    """The most memory that a process had, in MB; 0 where the system does not say."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    peak = next((line for line in status.splitlines() if line.startswith("VmHWM:")), "VmHWM: 0 kB")
    return int(peak.split()[1]) * 1024 / 1e6


def _peak_memory() -> float:
    """The most memory that this process had, in MB; 0 where the system does not say."""
    if sys.platform == "win32":
        return 0.0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


def say(value: dict[str, Any]) -> None:
    """Write one object."""
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    try:
        sys.exit(main(json.loads(sys.argv[1])))
    except FastapplyError as failure:
        say({"error": error_object(failure)})
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
