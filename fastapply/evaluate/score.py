"""Applying edits whose answer is known, and counting what came of them.

The outcomes are those of the case folders' scorer: `right` (byte for byte, or one of the results
that are equally right), `blank` (right but for blank lines and white space at line ends),
`refused`, `wrong` (written, and something else: the worst), `crash`. An edit that is taken to be
in the file already counts as written.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from fastapply.evaluate.edits import KnownEdit

OUTCOMES = ("right", "blank", "refused", "wrong", "crash")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one edit. `got` is the written text, `said` a refusal's reason and message."""

    edit: KnownEdit
    outcome: str
    seconds: float
    got: str | None = None
    said: str = ""


def judge(edit: KnownEdit, got: str) -> str:
    """Compare a written result with the right ones."""
    answers = (edit.expected, *edit.accept)
    if got in answers:
        return "right"
    return "blank" if any(_squash(got) == _squash(answer) for answer in answers) else "wrong"


def _squash(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def apply_in_process(edit: KnownEdit) -> Outcome:
    """Apply through the Python API."""
    from fastapply import apply_edit

    start = time.perf_counter()
    try:
        result = apply_edit(edit.original, edit.edit, path=edit.path)
    except Exception as error:  # noqa: BLE001 - a crash is an outcome to be counted
        return Outcome(edit, "crash", time.perf_counter() - start, said=f"{type(error).__name__}: {error}")
    seconds = time.perf_counter() - start
    if result.status not in {"applied", "unchanged"}:
        said = f"{getattr(result, 'reason', '')}: {getattr(result, 'message', '')}"
        return Outcome(edit, "refused", seconds, said=said)
    return Outcome(edit, judge(edit, result.text), seconds, got=result.text)


def apply_by_command(edit: KnownEdit, command: str) -> Outcome:
    """Run a command such as `fastapply apply {file} {edit}` in a fresh folder."""
    with tempfile.TemporaryDirectory() as folder:
        file, said = Path(folder, PurePosixPath(edit.path).name), Path(folder, "the-edit.txt")
        file.write_bytes(edit.original.encode())
        said.write_bytes(edit.edit.encode())
        argv = [part.format(file=file.name, edit=said.name) for part in shlex.split(command)]
        start = time.perf_counter()
        try:
            done = subprocess.run(
                argv, cwd=folder, capture_output=True, timeout=120, stdin=subprocess.DEVNULL, check=False
            )
        except subprocess.TimeoutExpired:
            return Outcome(edit, "crash", time.perf_counter() - start, said="no answer in 120 s")
        seconds = time.perf_counter() - start
        got = file.read_bytes().decode("utf-8", "replace")
    words = (done.stderr + done.stdout).decode("utf-8", "replace")
    if done.returncode < 0 or "Traceback (most recent call last)" in words:
        return Outcome(edit, "crash", seconds, said=words[-400:])
    if done.returncode != 0:
        return Outcome(edit, "refused" if got == edit.original else "crash", seconds, said=words[:400])
    return Outcome(edit, judge(edit, got), seconds, got=got)


def report(edits: Iterable[KnownEdit], options: argparse.Namespace) -> int:
    """Apply all edits, print the tables, write what was asked for."""
    only = options.only
    picked = (e for e in edits if only in e.id or only in {e.style, e.format, e.language})
    chosen = islice(picked, options.limit or None)
    run = partial(apply_by_command, command=options.cmd) if options.cmd else apply_in_process
    if options.jobs > 1:
        with ProcessPoolExecutor(options.jobs) as pool:
            outcomes = list(pool.map(run, chosen, chunksize=8))
    else:
        outcomes = [run(edit) for edit in chosen]
    print_report(outcomes)
    for outcome in outcomes:
        if outcome.outcome in options.show.split(","):
            _say(
                f"{outcome.outcome:<8} {outcome.edit.id} {outcome.edit.repo} {outcome.edit.path} "
                f"{outcome.said[:160]!r}"
            )
    if options.json is not None:
        options.json.write_text(json.dumps([_as_row(o) for o in outcomes], indent=1), encoding="utf-8")
    if options.dump is not None:
        for outcome in outcomes:
            if outcome.outcome != "right":
                dump_case(outcome, options.dump)
    return 0


def _as_row(outcome: Outcome) -> dict[str, object]:
    row = asdict(outcome)
    edit = row.pop("edit")
    kept = ("id", "repo", "commit", "path", "language", "format", "style")
    return {**{key: edit[key] for key in kept}, **{k: v for k, v in row.items() if k != "got"}}


def print_report(outcomes: list[Outcome]) -> None:
    """Counts by format, style and language, the share of silent errors, and times."""
    for key in ("format", "language", "style"):
        _say(f"by {key}")
        groups: dict[str, list[Outcome]] = {}
        for outcome in outcomes:
            groups.setdefault(getattr(outcome.edit, key), []).append(outcome)
        for name in sorted(groups):
            _say(_row(name, groups[name]))
    lazy = [o for o in outcomes if o.edit.format == "lazy"]
    _say(_row("lazy", lazy))
    _say(_row("all", outcomes))
    wrong = sum(o.outcome == "wrong" for o in outcomes)
    written = sum(o.outcome in {"right", "blank", "wrong"} for o in outcomes)
    times = sorted(o.seconds for o in outcomes) or [0.0]
    _say(
        f"silently wrong: {wrong} = {100 * wrong / max(1, len(outcomes)):.2f} % of all, "
        f"{100 * wrong / max(1, written):.2f} % of written;  seconds an edit: "
        f"median {times[len(times) // 2]:.4f}, p95 {times[len(times) * 95 // 100]:.4f}, most {times[-1]:.2f}"
    )


def _row(name: str, group: list[Outcome]) -> str:
    counts = Counter(o.outcome for o in group)
    told = "  ".join(f"{kind} {counts[kind]}" for kind in OUTCOMES if counts[kind])
    right = counts["right"]
    return f"  {name:<18} {right:>5}/{len(group):<5} {100 * right / max(1, len(group)):5.1f} %  {told}"


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def dump_case(outcome: Outcome, folder: Path) -> None:
    """Write an edit as a case folder: original, edit.txt, expected, accept-N, got, case.json."""
    edit = outcome.edit
    ext = PurePosixPath(edit.path).suffix
    case = folder / outcome.outcome / edit.id
    case.mkdir(parents=True, exist_ok=True)
    files = {f"original{ext}": edit.original, "edit.txt": edit.edit, f"expected{ext}": edit.expected}
    files |= {f"accept-{n}{ext}": text for n, text in enumerate(edit.accept, start=1)}
    if outcome.got is not None:
        files[f"got{ext}"] = outcome.got
    for name, text in files.items():
        (case / name).write_bytes(text.encode())
    meta = {"id": edit.id, "filename": PurePosixPath(edit.path).name, "language": edit.language}
    meta |= {"format": edit.format, "category": edit.style, "difficulty": "-", "instructions": ""}
    meta |= {"outcome": outcome.outcome, "said": outcome.said, "repo": edit.repo, "commit": edit.commit}
    (case / "case.json").write_text(json.dumps(meta, indent=1), encoding="utf-8")
