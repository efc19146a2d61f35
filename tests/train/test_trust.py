"""Fitting when a model is right: rows of its answers, and what is said of them."""

from __future__ import annotations

import json

import pytest
from scripted import TrustedModel

from fastapply.evaluate.cases import Case
from fastapply.llm.engine import Likelihood
from fastapply.llm.prompts import expected_answer
from fastapply.llm.trust import Trust

FILE = "def a():\n    go()\n    x = 1\n    stop()\n\n\ndef b():\n    go()\n    x = 1\n    stop()\n"
EITHER = "# ... existing code ...\n    go()\n    x = 2\n    stop()\n# ... existing code ...\n"
FIRST, SECOND = FILE.replace("x = 1", "x = 2", 1), "x = 2".join(FILE.rsplit("x = 1", 1))


def case(number: int, expected: str = SECOND, edit: str = EITHER) -> Case:
    """An edit that fits at two places, of one of three repositories."""
    return Case(f"c{number}", "a.py", FILE, edit, expected, repository=f"r/{number % 3}", language="python")


def model(*answers: tuple[str, float]) -> TrustedModel:
    """A model that gives these answers, each with its likelihood; of two candidates it likes the first."""
    made = TrustedModel(Trust({}, 0.0, 0.5), *[(-1.0, -3.0)] * len(answers))
    for text, likely in answers:
        made.enqueue(expected_answer("kortix", text), likelihood=Likelihood(likely, likely))
    return made


@pytest.fixture(autouse=True)
def _modules():
    pytest.importorskip("torch")


def test_row_tells_what_came_of_an_edit(tmp_path):
    """Writing and choosing are judged by themselves; a right merge may differ in blank lines."""
    from fastapply.train.trust import read_rows, try_cases

    asked = model((SECOND, -0.1), (FIRST + "\n", -2.0))
    rows = list(try_cases([case(0), case(1), case(2, edit="<<<<")], asked, tmp_path / "rows.jsonl"))
    assert [(row.id, row.reason, row.right) for row in rows] == [("c0", "", True), ("c1", "", False)]
    first = rows[0]
    assert (first.facts["alike"], first.facts["share"], first.facts["least"]) == (1.0, 0.5, -0.1)
    assert first.chosen == pytest.approx(0.881, abs=0.001)
    assert (first.listed, first.chosen_right) == (True, first.first_right)
    assert read_rows(tmp_path / "rows.jsonl") == rows


def test_edit_that_was_answered_is_not_asked_about_again(tmp_path):
    """A run that was stopped goes on."""
    from fastapply.train.trust import try_cases

    out = tmp_path / "rows.jsonl"
    before = list(try_cases([case(0)], model((SECOND, -0.1)), out))
    silent = model((FIRST, -0.1))
    assert list(try_cases([case(0), case(1)], silent, out, chooses=False))[:1] == before
    assert len(silent.history) == 1
    assert silent.asked == []
    assert [json.loads(line)["chosen"] for line in out.read_text().splitlines()][1] == 0.0


def test_answer_that_is_no_merge_has_its_reason(tmp_path):
    """What the model must not write, and what the verifier refuses in any case."""
    from fastapply.train.trust import try_cases

    rows = list(try_cases([case(0)], model((FILE, -0.1)), tmp_path / "rows.jsonl", chooses=False))
    assert [(row.reason, row.written, row.right) for row in rows] == [("answer_unchanged", False, False)]


def test_score_learns_which_fact_tells_right_from_wrong():
    """The likelihood, in this case; where it is high, what is believed is right."""
    from fastapply.train.trust import Row, fit_trust, tell

    rows = [
        Row(
            f"c{n}", f"r/{n % 3}", "", n % 2 == 0, {"least": -0.1 if n % 2 == 0 else -3.0, "alike": 1.0},
            0.0, False, False, True,
        )
        for n in range(30)
    ]  # fmt: skip
    trust, seen = fit_trust(rows, 0.02)
    assert trust.weights["least"] > 0
    assert trust.certainty({"least": -0.1, "alike": 1.0}) >= trust.threshold
    assert trust.certainty({"least": -3.0, "alike": 1.0}) < trust.threshold
    assert [right for _, right, _ in seen] == [True] * 15 + [False] * 15
    said = tell(rows, trust, seen)
    assert said[3] == "writing: 30 decided, right 15 of 30 (50.0%)"
    assert said[-1].endswith("15 decided, right 15 of 15 (100.0%)")
