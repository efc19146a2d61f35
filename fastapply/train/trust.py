"""When a model is right: its answers to open edits whose result is known, and scores that are fitted on them.

Each edit that the deterministic engine refuses goes the way that it goes in use: the model scores the ranked
candidates, if it is to, and writes its merge. A row tells what came of both, and the facts of
`fastapply.llm.trust`. What is quoted of the scores is, for each repository, what weights say that did not see
it.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from fastapply.dataset.asked import Asked, ask
from fastapply.errors import Refused
from fastapply.llm.choosing import Choice
from fastapply.llm.rewrite import Written, choose_candidate, prepare_task, write
from fastapply.llm.trust import CHOICE_FACTS, FACTS, Trust, facts_of_choice
from fastapply.merge.candidates import told
from fastapply.pipeline import Options
from fastapply.text import from_text, splice
from fastapply.train.certainty import threshold
from fastapply.types import FileEdit, Finding
from fastapply.values import replace
from fastapply.verify import CONSTRAINTS, verify

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from fastapply.evaluate.cases import Case
    from fastapply.llm.engine import ChoosingModel

_SPREAD = 1.0  # weight of the squared weights, of facts that vary by one, in the sum of all losses
_STEPS = 30  # of Newton's method


@dataclass(frozen=True, slots=True)
class Row:
    """What a model made of one open edit; `reason` says why it came to no merge, "" where it did."""

    id: str
    repository: str
    reason: str
    right: bool  # of the merge that was written
    facts: dict[str, float]
    choice: dict[str, float]  # facts of the candidate that is chosen; none where there is nothing to choose
    chosen_right: bool
    first_right: bool  # of the engine's first candidate
    listed: bool  # the right merge is among the candidates
    seconds: float = 0.0
    usage: dict[str, float] | None = None

    @property
    def written(self) -> bool:
        """Whether there is a merge that the verifier does not refuse in any case."""
        return not self.reason


def try_case(case: Case, model: ChoosingModel, *, chooses: bool = True) -> Row | None:
    """Ask a model about one edit; None where the deterministic engine needs none, or none can be asked."""
    asked = ask(case)
    if isinstance(asked, str) or not asked.open or not case.answers:
        return None
    started = time.perf_counter()
    source, language = from_text(case.original), case.language or None
    options = Options(instructions=case.instructions)
    reason, written, choice = "", None, Choice()
    try:
        task = prepare_task(
            source.lines, asked.part, asked.proposal, model, language=language, options=options
        )
        if chooses:
            choice = choose_candidate(source.lines, asked.proposal, task, model)
        written = write(
            source, asked.part, asked.proposal, model, asked=task, choice=choice, language=language
        )
        if isinstance(written.splices, Finding):
            reason = written.splices.code
    except Refused as refused:
        reason = refused.reason
    return _row(asked, choice, written, reason, time.perf_counter() - started)


def try_cases(
    cases: Iterable[Case], model: ChoosingModel, out: Path, *, chooses: bool = True
) -> Iterator[Row]:
    """The rows of all open edits, those first that a run that was stopped has left in the file `out`."""
    known = {row.id: row for row in read_rows(out)} if out.exists() else {}
    with out.open("a", encoding="utf-8") as file:
        for case in cases:
            row = known.get(case.id) or try_case(case, model, chooses=chooses)
            if row is None:
                continue
            if case.id not in known:
                file.write(json.dumps(asdict(row)) + "\n")
                file.flush()
            yield row


def read_rows(path: Path) -> list[Row]:
    """The rows of a file."""
    return [Row(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


Judged = tuple[float, bool, str]
"""The certainty of a merge by weights that did not see its repository, whether it is right, and its id."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The scores; and, the surest first, choices and merges by weights that did not see their repository."""

    trust: Trust
    choices: list[Judged]
    merges: list[Judged]

    def believed(self) -> list[bool]:
        """Of each edit that is decided, the choice before what is written, whether that is right."""
        found = dict[str, bool]()
        choosing = self.trust.choosing
        for seen, least in (
            (self.choices, choosing.threshold if choosing is not None else 1.0),
            (self.merges, self.trust.threshold),
        ):
            for certainty, right, name in seen:
                if certainty >= least:
                    found.setdefault(name, right)
        return list(found.values())


def fit_trust(rows: Sequence[Row], most_wrong: float) -> Fitted:
    """Fit both scores; that of choosing only where at least two repositories have a choice."""
    trust, merges = _fit_one(
        [(row.facts, row.right, row.id, row.repository) for row in rows if row.written], FACTS, most_wrong
    )
    chose = [(row.choice, row.chosen_right, row.id, row.repository) for row in rows if row.choice]
    if len({repository for *_, repository in chose}) < 2:
        return Fitted(trust, [], merges)
    choosing, choices = _fit_one(chose, CHOICE_FACTS, most_wrong)
    return Fitted(replace(trust, choosing=choosing), choices, merges)


_Known = tuple[dict[str, float], bool, str, str]
"""Facts, whether what they are about is right, the id of the edit, and its repository."""


def _fit_one(known: Sequence[_Known], facts: Sequence[str], most_wrong: float) -> tuple[Trust, list[Judged]]:
    seen = []
    for about, right, name, repository in known:
        unseen = _fit([one for one in known if one[3] != repository], facts)
        seen.append((unseen.certainty(about), right, name))
    seen.sort(key=lambda one: -one[0])
    least = threshold(seen, most_wrong) - 1e-5  # which is rounded
    return replace(_fit(known, facts), threshold=round(least, 5)), seen


def _fit(known: Sequence[_Known], facts: Sequence[str]) -> Trust:
    """Logistic regression of whether something is right, by Newton's method, held back by `_SPREAD`."""
    import numpy as np

    names = [name for name in facts if any(one[0].get(name) for one in known)]
    table = np.array([[one[0].get(name, 0.0) for name in names] for one in known])
    right = np.array([float(one[1]) for one in known])
    mean, scale = table.mean(0), table.std(0) + 1e-6
    table = np.concatenate([(table - mean) / scale, np.ones((len(known), 1))], axis=1)
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


def tell(rows: Sequence[Row], fitted: Fitted) -> list[str]:
    """What the rows come to, a line each."""
    count = len(rows)
    made = [row for row in rows if row.written]
    chose = [row for row in rows if row.choice]
    both = [row for row in made if row.facts["alike"]]
    trust = fitted.trust
    choosing = trust.choosing.threshold if trust.choosing is not None else 1.0
    chosen = [right for certainty, right, _ in fitted.choices if certainty >= choosing]
    written = [right for certainty, right, _ in fitted.merges if certainty >= trust.threshold]
    believed = fitted.believed()
    return [
        f"{count} open edits; the right merge is among the candidates of {_share([r.listed for r in rows])}",
        f"engine's first candidate: right {_share([row.first_right for row in rows])}",
        f"choosing: {len(chose)} decided, right {_share([row.chosen_right for row in chose])}",
        f"writing: {len(made)} decided, right {_share([row.right for row in made])}",
        f"written like a candidate: {len(both)} decided, right {_share([row.right for row in both])}",
        f"choice believed from {choosing:.1%} on: {len(chosen)} decided, right {_share(chosen)}",
        f"merge believed from {trust.threshold:.1%} on: {len(written)} decided, right {_share(written)}",
        f"both, the choice first: {len(believed)} decided, right {_share(believed)}",
    ]


def _share(right: Sequence[bool]) -> str:
    return f"{sum(right)} of {len(right)} ({sum(right) / max(1, len(right)):.1%})"


def trust_line(trust: Trust) -> str:
    """The lines for the registry's entry of a model."""

    def weights(one: Trust) -> str:
        told = ", ".join(f"{name} = {value}" for name, value in one.weights.items())
        return f"weights = {{ {told} }}\nbias = {one.bias}\nthreshold = {one.threshold}"

    lines = f"[model.trust]\n{weights(trust)}"
    if trust.choosing is not None:
        lines += f"\n\n[model.trust.choosing]\n{weights(trust.choosing)}"
    return lines


def _row(asked: Asked, choice: Choice, written: Written | None, reason: str, seconds: float) -> Row:
    case = asked.case
    source = from_text(case.original)
    answers = [told(from_text(answer).lines) for answer in case.answers]
    questions = asked.proposal.questions
    candidates = questions[0].candidates if len(questions) == 1 else ()
    right = [told(splice(source, one.splices).lines) in answers for one in candidates]
    best = choice.best
    merged = None
    if written is not None and not isinstance(written.splices, Finding):
        merged = splice(source, written.splices)
        findings = verify(
            source, FileEdit(None, "update", (asked.part,)), merged, language=case.language or None
        )
        reason = next((one.code for one in findings if one.code in CONSTRAINTS), "")
    return Row(
        case.id,
        case.repository,
        reason,
        merged is not None and told(merged.lines) in answers,
        written.facts if written is not None else {},
        facts_of_choice(choice, best, asked.proposal) if best is not None else {},
        best is not None and right[best],
        bool(right) and right[0],
        any(right),
        round(seconds, 2),
        _usage(written),
    )


def _usage(written: Written | None) -> dict[str, float] | None:
    if written is None:
        return None
    used = written.run.usage
    names = ("prompt_tokens", "output_tokens", "drafted", "accepted", "steps")
    numbers: dict[str, Any] = {name: getattr(used, name) for name in names}
    return {
        **numbers,
        "prefill_seconds": round(used.prefill_seconds, 3),
        "decode_seconds": round(used.decode_seconds, 3),
    }
