"""When a model is right: its answers to open edits whose result is known, and a score that is fitted on them.

Each edit that the deterministic engine refuses goes the way that it goes in use: the model chooses one of the
ranked candidates. A row tells what came of it, and the facts of
`fastapply.models.trust`. What is quoted of the score is, for each repository, what weights say that did not
see it.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from fastapply.errors import Refused
from fastapply.merge.candidates import told
from fastapply.models.choosing import choose
from fastapply.models.engine import Trust
from fastapply.models.rewrite import prepare_choice
from fastapply.models.trust import FACTS, facts_of
from fastapply.pipeline.written import find
from fastapply.text import from_text, splice
from fastapply.types import FileEdit, Options
from fastapply.values import replace
from fastapply_lab.data.asked import ask
from fastapply_lab.train.certainty import threshold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from fastapply.evaluate.cases import Case
    from fastapply.models.engine import ChoosingModel
    from fastapply.types import Usage

_SPREAD = 1.0  # weight of the squared weights, of facts that vary by one, in the sum of all losses
_STEPS = 30  # of Newton's method


@dataclass(frozen=True, slots=True)
class Row:
    """What a model made of one open edit; `reason` says why it came to no choice, "" where it did."""

    id: str
    repository: str
    reason: str
    right: bool  # of the candidate that it chose
    facts: dict[str, float]
    first_right: bool  # of the engine's first candidate
    listed: bool  # the right merge is among the candidates
    seconds: float = 0.0
    usage: dict[str, float] | None = None

    @property
    def source(self) -> str:
        """What other rows share with this one: the repository, of an invented edit nothing."""
        return self.repository or self.id

    @property
    def chosen(self) -> bool:
        """Whether there is a candidate that the verifier does not refuse in any case."""
        return not self.reason


def try_case(case: Case, model: ChoosingModel) -> Row | None:
    """Ask a model about one edit; None where the deterministic engine needs none, or none can be asked.

    Of an edit that must be refused no candidate is right.
    """
    asked = ask(case)
    if isinstance(asked, str) or not asked.open or not (case.answers or case.must_refuse):
        return None
    source, part, proposal = from_text(case.original), asked.part, asked.proposal
    language = case.language or None
    answers = [told(from_text(answer).lines) for answer in case.answers]
    candidates = proposal.questions[0].candidates if len(proposal.questions) == 1 else ()
    listed = [told(splice(source, one.splices).lines) in answers for one in candidates]
    started = time.perf_counter()
    reason, right, facts, usage = "no_candidate", False, dict[str, float](), None
    try:
        options = Options(instructions=case.instructions)
        focus, prompt = prepare_choice(source, part, proposal, model, language=language, options=options)
        choice = choose(focus, prompt, model)
        if choice is not None:
            merged = splice(source, candidates[choice.number].splices)
            findings = find(source, FileEdit(None, "update", (part,)), merged, language, weighed=True)
            reason = findings[0].code if findings else ""
            right = listed[choice.number]
            facts, usage = facts_of(proposal, choice, focus), _usage(choice.usage)
    except Refused as refused:
        reason = refused.reason
    seconds = round(time.perf_counter() - started, 2)
    first = bool(listed) and listed[0]
    return Row(case.id, case.repository, reason, right, facts, first, any(listed), seconds, usage)


def try_cases(cases: Iterable[Case], model: ChoosingModel, out: Path) -> Iterator[Row]:
    """The rows of all open edits, those first that a run that was stopped has left in the file `out`."""
    known = {row.id: row for row in read_rows(out)} if out.exists() else {}
    with out.open("a", encoding="utf-8") as file:
        for case in cases:
            row = known.get(case.id) or try_case(case, model)
            if row is None:
                continue
            if case.id not in known:
                file.write(json.dumps(asdict(row)) + "\n")
                file.flush()
            yield row


def read_rows(path: Path) -> list[Row]:
    """The rows of a file."""
    return [Row(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def fit_trust(rows: Sequence[Row], most_wrong: float) -> tuple[Trust, list[tuple[float, bool, str]]]:
    """The score; and, the surest first, of each merge its certainty, whether it is right, and its id.

    That certainty is by weights that did not see the repository of the merge.
    """
    made = [row for row in rows if row.chosen]
    seen = []
    for row in made:
        unseen = _fit([one for one in made if one.source != row.source])
        seen.append((unseen.certainty(row.facts), row.right, row.id))
    seen.sort(key=lambda one: -one[0])
    least = threshold(seen, most_wrong) - 1e-5  # which is rounded
    return replace(_fit(made), threshold=round(least, 5)), seen


def _fit(rows: Sequence[Row]) -> Trust:
    """Logistic regression of whether a merge is right, by Newton's method, held back by `_SPREAD`."""
    import numpy as np

    names = [name for name in FACTS if any(row.facts.get(name) for row in rows)]
    table = np.array([[row.facts.get(name, 0.0) for name in names] for row in rows])
    right = np.array([float(row.right) for row in rows])
    mean, scale = table.mean(0), table.std(0) + 1e-6
    table = np.concatenate([(table - mean) / scale, np.ones((len(rows), 1))], axis=1)
    held = np.diag([_SPREAD] * len(names) + [1e-3])
    found = np.zeros(len(names) + 1)
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-table @ found))
        slope = table.T @ (chance - right) + held @ found
        curve = (table * (chance * (1 - chance))[:, None]).T @ table + held
        found -= np.linalg.solve(curve, slope)
    weights = found[:-1] / scale
    bias = float(found[-1] - weights @ mean)
    told = {name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True)}
    return Trust(told, round(bias, 4), 0.0)


def tell(rows: Sequence[Row], trust: Trust, seen: Sequence[tuple[float, bool, str]]) -> list[str]:
    """What the rows come to, a line each."""
    count = len(rows)
    chosen = [row for row in rows if row.chosen]
    same = [row for row in chosen if not row.facts["behind"]]
    believed = [right for certainty, right, _ in seen if certainty >= trust.threshold]
    return [
        f"{count} open edits; the right merge is among the candidates of {_share([r.listed for r in rows])}",
        f"engine's first candidate: right {_share([row.first_right for row in rows])}",
        f"choosing: {len(chosen)} decided, right {_share([row.right for row in chosen])}",
        f"just what it would write: {len(same)} decided, right {_share([row.right for row in same])}",
        f"believed from {trust.threshold:.1%} on: {len(believed)} decided, right {_share(believed)}",
    ]


def _share(right: Sequence[bool]) -> str:
    return f"{sum(right)} of {len(right)} ({sum(right) / max(1, len(right)):.1%})"


def _usage(used: Usage) -> dict[str, float]:
    """What a choice took; `output_tokens` are those that were scored."""
    names = ("prompt_tokens", "cached_tokens", "output_tokens", "prefill_seconds", "decode_seconds")
    return {name: round(getattr(used, name), 3) for name in names}
