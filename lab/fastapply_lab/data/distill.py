"""From edits whose answer nobody knows to windows: a teacher merges them, the verifier throws out.

Each edit goes the one way of all edits (`pipeline`), with a model that is asked in any case: what its answer
must be, what must agree with it and what the verifier finds is as for users. Edits are cases
(`fastapply.evaluate.cases`); `expected` is not looked at. In the windows that come of it, ``style`` names the
teacher: ``teacher:NAME``.

Beside the windows lies ``FILE.rejected.jsonl``: ``{"id", "reason", "message"}`` of each edit that came to
nothing. What stands in either file is not asked about again.
"""

from __future__ import annotations

import json
import random
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from fastapply.api import apply_to_text
from fastapply.errors import FastapplyError, ModelTrouble
from fastapply.evaluate.cases import Case, read_case_lines
from fastapply.syntax import language_of
from fastapply.text import from_text
from fastapply.types import Options
from fastapply_lab.data.teacher import Teacher, Turn
from fastapply_lab.data.windows import Window, make_window, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from fastapply.models.engine import ApplyModel
    from fastapply.types import Merged

_OF_ONE_EDIT = frozenset({"endpoint_refused", "endpoint_broken", "endpoint_slow"})
"""Trouble that may come from the edit: a prompt that is too long, an answer that a filter stopped."""
_MOST_TROUBLE = 5  # in a row; then it is the server's


@dataclass(frozen=True, slots=True)
class Rejected:
    """An edit that came to nothing: `reason` is that of a refusal, or one of this module's.

    ``unchanged`` (the edit is in the file already), ``several_parts`` (no window shows them all),
    ``disagree`` (too few samples came to the same).
    """

    id: str
    reason: str
    message: str


def distill(
    edits: Iterable[Case], teachers: Sequence[ApplyModel], *, agree: int = 1, jobs: int = 1
) -> Iterator[Window | Rejected]:
    """Ask for the merge of each edit; gives what came of them in their order, as they come.

    `teachers` are asked one after the other until `agree` of them have given the same merge that the verifier
    accepts: one model at several temperatures, or several models. `jobs` edits wait for answers at a time.
    Raises `ModelTrouble` where the teacher cannot be asked.
    """
    turn = Turn()
    asked = [Teacher(teacher, turn) for teacher in teachers]
    troubles: list[Rejected] = []
    coming = iter(edits)
    with ThreadPoolExecutor(jobs) as pool:
        waiting = deque(pool.submit(_ask, edit, asked, agree, turn) for edit in _first(coming, 2 * jobs))
        try:
            while waiting:
                done = waiting.popleft().result()
                waiting.extend(pool.submit(_ask, edit, asked, agree, turn) for edit in _first(coming, 1))
                if isinstance(done, Rejected) and done.reason in _OF_ONE_EDIT:
                    troubles.append(done)
                    if len(troubles) == _MOST_TROUBLE:
                        raise ModelTrouble(
                            f"{done.message}, {_MOST_TROUBLE} times in a row", reason=done.reason
                        )
                else:
                    yield from troubles
                    troubles.clear()
                    yield done
            yield from troubles
        finally:
            for one in waiting:
                one.cancel()


def distill_file(
    source: Path,
    out: Path,
    teachers: Sequence[ApplyModel],
    *,
    agree: int = 1,
    jobs: int = 1,
    watch: Callable[[Window | Rejected], None] | None = None,
) -> Counter[str]:
    """Distil a file of edits into one of windows, and go on where a run was stopped.

    Gives counts: ``kept``, ``known`` (from an earlier run), and the rejected by their reasons.
    Raises `FileTrouble` for a file that holds no edits, `ModelTrouble` as `distill` does.
    """
    rejected = out.with_name(f"{out.name}.rejected.jsonl")
    known = _ids(out) | _ids(rejected)
    counts: Counter[str] = Counter()

    def fresh() -> Iterator[Case]:
        for edit in read_case_lines(source):
            if edit.id in known:
                counts["known"] += 1
            else:
                known.add(edit.id)
                yield edit

    with out.open("a", encoding="utf-8") as kept, rejected.open("a", encoding="utf-8") as thrown:
        for one in distill(fresh(), teachers, agree=agree, jobs=jobs):
            if isinstance(one, Window):
                kept.write(to_json(one) + "\n")
                kept.flush()
            else:
                thrown.write(json.dumps(asdict(one), ensure_ascii=False) + "\n")
                thrown.flush()
            counts["kept" if isinstance(one, Window) else one.reason] += 1
            if watch is not None:
                watch(one)
    return counts


def _ids(path: Path) -> set[str]:
    """The ids in a file that was written before; half a line at its end, of a run that was killed, is cut."""
    if not path.exists():
        return set()
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        path.write_bytes(whole)
    return {json.loads(line)["id"] for line in whole.splitlines()}


def _first(edits: Iterator[Case], count: int) -> list[Case]:
    return [edit for _, edit in zip(range(count), edits, strict=False)]


def _ask(edit: Case, teachers: Sequence[Teacher], agree: int, turn: Turn) -> Window | Rejected:
    """Ask the teachers about one edit until enough of them agree."""
    votes: Counter[str] = Counter()
    last = Rejected(edit.id, "disagree", f"no {agree} of {len(teachers)} samples came to the same")
    with turn:
        for teacher in teachers:
            try:
                merged = _merge(edit, teacher)
            except ModelTrouble as error:
                if error.reason not in _OF_ONE_EDIT:
                    raise
                return Rejected(edit.id, error.reason, error.message)
            except FastapplyError as error:
                if not votes:
                    last = replace(last, reason=error.reason, message=error.message)
                continue
            if merged.unchanged:
                return Rejected(edit.id, "unchanged", "the edit is in the file already")
            votes[merged.text.text] += 1
            if votes[merged.text.text] == agree:
                return _window(edit, merged, teacher)
    return last if not votes else replace(last, reason="disagree")


def _merge(edit: Case, teacher: Teacher) -> Merged:
    options = Options(instructions=edit.instructions, engine="model", open_model=lambda: teacher)
    return apply_to_text(from_text(edit.original), edit.edit, path=edit.path, options=options)


def _window(edit: Case, merged: Merged, teacher: Teacher) -> Window | Rejected:
    known = replace(
        edit,
        format=merged.format,
        style=f"teacher:{teacher.name.partition(' at ')[0]}",
        language=edit.language or language_of(edit.path, edit.original.partition("\n")[0]) or "",
        expected=merged.text.text,
    )
    window = make_window(known, edit.licence, random.Random(edit.id))  # noqa: S311 - repeatable, not secret
    return window or Rejected(edit.id, "several_parts", "no window shows all parts of the edit")
