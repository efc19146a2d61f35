"""What an apply model makes of edits that the closed form leaves open: by writing, and by choosing.

`find_open` picks the edits out; `ask` asks a model about one, and tells how sure it was, so that a threshold
can be set on some repositories (`choose_threshold`) and tried on others (`judge_at`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapply.errors import FastapplyError, Refused
from fastapply.evaluate.score import OUTCOMES, judge
from fastapply.llm.region import predict
from fastapply.llm.rewrite import may_answer, prepare_task
from fastapply.llm.ways import list_ways
from fastapply.pipeline import Options, propose, read_edit
from fastapply.syntax import language_of
from fastapply.text import from_text, splice
from fastapply.verify import verify

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fastapply.evaluate.edits import KnownEdit
    from fastapply.llm.engine import ChoosingModel, Completion, Task
    from fastapply.llm.prompts import Prompt, StyleName
    from fastapply.text import SourceText
    from fastapply.types import FileEdit, Part, Proposal

CERTAINTIES = ("write", "choose", "agree")
"""By which a row can be accepted: what was written, what was chosen, or both where they are the same."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a model made of one open edit. Likelihoods are natural logarithms.

    Outcomes are those of `score`: ``right``, ``blank``, ``wrong``, or ``refused`` where the merge did not
    pass the verifier, or there was none. `write_sure` is the likelihood of all that was written,
    `choose_sure` how much likelier the chosen way is than the next; minus infinity where there is none.
    """

    id: str
    repo: str
    language: str
    style: str
    reason: str
    ways: int
    right_way: int | None  # the first that is right; 0 is the best guess of the closed form
    guess: str
    write: str
    write_sure: float
    choose: str
    choose_sure: float
    same: bool  # what was written is what was chosen


def is_open(edit: KnownEdit) -> bool:
    """Whether the closed form refuses an edit that a model would be asked about."""
    asked = _read(edit)
    return asked is not None and not asked.proposal.certain and may_answer(asked.proposal)


@dataclass(frozen=True, slots=True)
class _Asked:
    source: SourceText
    file_edit: FileEdit
    part: Part
    proposal: Proposal
    language: str | None


def _read(edit: KnownEdit) -> _Asked | None:
    source = from_text(edit.original)
    language = language_of(edit.path, source.lines[0] if source.lines else "")
    try:
        said = read_edit(edit.edit, path=edit.path, original=source, options=Options())
        if len(said.files) != 1 or len(said.files[0].parts) != 1:
            return None
        part = said.files[0].parts[0]
        proposal = propose(source, part, language=language, options=Options())
    except FastapplyError:  # it cannot be read, or its places cannot be looked for
        return None
    return _Asked(source, said.files[0], part, proposal, language)


def ask(edit: KnownEdit, model: ChoosingModel, *, write: bool = True) -> Answered | None:
    """Let a model write the merge of an open edit, and choose among its ways; None where it is not open.

    Without `write` it only chooses, which takes a tenth of the time.
    """
    from fastapply import apply_edit

    asked = _read(edit)
    if asked is None or asked.proposal.certain:
        return None
    source, proposal = asked.source, asked.proposal
    try:
        region, task = prepare_task(
            source.lines, asked.part, proposal, model, language=asked.language, options=Options()
        )
        ways = list_ways(source, proposal)
        texts = [_answer(predict(source.lines, region, way)) for way in ways]
        sums = [one.log_likelihood for one in model.score(task.prompt, texts)] if len(ways) > 1 else []
    except Refused:
        return None
    watched = _Watched(model)
    result = apply_edit(edit.original, edit.edit, path=edit.path, model=watched if write else None)
    written = watched.last
    wrote, write_sure = "refused", -math.inf
    if result.status in {"applied", "unchanged"} and written is not None:
        wrote = judge(edit, result.text)
        write_sure = model.score(task.prompt, [written.text, ""])[0].log_likelihood
    outcomes = [judge(edit, splice(source, way).text) for way in ways]
    right = [at for at, outcome in enumerate(outcomes) if outcome == "right"]
    choose, choose_sure, best = "refused", -math.inf, -1
    if len(sums) > 1:
        best = max(range(len(sums)), key=sums.__getitem__)
        choose_sure = sums[best] - max(sum_ for at, sum_ in enumerate(sums) if at != best)
        merged = splice(source, ways[best])
        if not verify(source, asked.file_edit, merged, language=asked.language):
            choose = outcomes[best]
    same = best >= 0 and result.status == "applied" and result.text == splice(source, ways[best]).text
    return Answered(
        edit.id,
        edit.repo,
        edit.language,
        edit.style,
        proposal.questions[0].reason,
        len(ways),
        right[0] if right else None,
        judge(edit, splice(source, proposal.splices).text),
        wrote,
        write_sure,
        choose,
        choose_sure,
        same,
    )


def _answer(lines: Sequence[str]) -> str:
    """The answer of the style `nano` for these lines."""
    return "\n".join(lines)


class _Watched:
    """A model that remembers what it wrote last."""

    def __init__(self, model: ChoosingModel) -> None:
        self.model = model
        self.last: Completion | None = None

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def style(self) -> StyleName:
        return self.model.style

    @property
    def context_length(self) -> int:
        return self.model.context_length

    def complete(self, task: Task) -> Completion:
        self.last = self.model.complete(task)
        return self.last

    def score(self, prompt: Prompt, texts: Sequence[str]) -> tuple[Any, ...]:
        return self.model.score(prompt, texts)


def sureness(row: Answered, by: str) -> tuple[str, float]:
    """The outcome of a row by one of `CERTAINTIES`, and how sure it is; ``refused`` where it decides not."""
    if by == "write":
        return row.write, row.write_sure
    if by == "choose":
        return row.choose, row.choose_sure
    return (row.write, row.choose_sure) if row.same else ("refused", -math.inf)


@dataclass(frozen=True, slots=True)
class Judged:
    """What accepting rows from a threshold on comes to; `lower` is of the share right among written."""

    by: str
    threshold: float
    edits: int
    right: int
    wrong: int
    lower: float

    @property
    def share(self) -> float:
        """Of the open edits, those decided."""
        return (self.right + self.wrong) / max(1, self.edits)


def judge_at(rows: Sequence[Answered], by: str, threshold: float) -> Judged:
    """Count the outcomes of what is at least so sure; a result right but for blank lines counts as right."""
    decided = [outcome for outcome, sure in (sureness(row, by) for row in rows) if sure >= threshold]
    right = sum(outcome in {"right", "blank"} for outcome in decided)
    wrong = decided.count("wrong")
    return Judged(by, threshold, len(rows), right, wrong, wilson_lower(right, right + wrong))


def choose_threshold(rows: Sequence[Answered], by: str, least: float = 0.99) -> Judged | None:
    """The threshold that decides most rows with the 95 % interval's lower end at `least` or above."""
    sures = sorted({sure for outcome, sure in (sureness(row, by) for row in rows) if outcome != "refused"})
    tried = (judge_at(rows, by, sure) for sure in sures)
    return max((one for one in tried if one.lower >= least), key=lambda one: one.right, default=None)


def wilson_lower(right: int, of: int, z: float = 1.96) -> float:
    """The lower end of the 95 % interval of a share (Wilson 1927); 0 of nothing."""
    if not of:
        return 0.0
    share = right / of
    centre = share + z * z / (2 * of)
    spread = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return (centre - spread) / (1 + z * z / of)


def render(rows: Sequence[Answered], settled: Iterable[Judged] = ()) -> str:
    """A table of outcomes, then one line for each threshold."""
    count = max(1, len(rows))
    guess = sum(row.guess in {"right", "blank"} for row in rows)
    among = sum(row.right_way is not None for row in rows)
    best = f"best guess right {guess / count:.1%}, the right one among the ways {among / count:.1%}"
    lines = [f"{len(rows)} open edits; {best}"]
    for by in CERTAINTIES:
        outcomes = [sureness(row, by)[0] for row in rows]
        told = (f"{kind} {(n := outcomes.count(kind))} ({n / count:.1%})" for kind in OUTCOMES[:-1])
        lines.append(f"  {by:<7} {'  '.join(told)}")
    lines += [
        f"  {one.by:<7} from {one.threshold:.3f} on: decides {one.share:.1%}, "
        f"right {one.right}, wrong {one.wrong}, right at least {one.lower:.2%}"
        for one in settled
    ]
    return "\n".join(lines)
