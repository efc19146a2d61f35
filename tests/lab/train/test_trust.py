"""Fitting when a model is right: rows of its answers, and what is said of them."""

from __future__ import annotations

import json

import pytest
from scripted import TrustedModel

from fastapply.evaluate.cases import Case
from fastapply.models.engine import Trust
from fastapply.models.prompts import expected_answer

FILE = "def a():\n    go()\n    x = 1\n    stop()\n\n\ndef b():\n    go()\n    x = 1\n    stop()\n"
EITHER = "# ... existing code ...\n    go()\n    x = 2\n    stop()\n# ... existing code ...\n"
FIRST = FILE.replace("x = 1", "x = 2", 1)
SECOND = "x = 2".join(FILE.rsplit("x = 1", 1))
LIKELY = (-40.0, -1.0, -90.0)
"""Of three candidates, the second of which is the second place."""


def case(number: int, expected: str = SECOND, edit: str = EITHER) -> Case:
    """An edit that fits at two places, of one of three repositories."""
    return Case(f"c{number}", "a.py", FILE, edit, expected, repository=f"r/{number % 3}", language="python")


def model(*answers: str, written: tuple[float, ...] = ()) -> TrustedModel:
    """A model that gives these answers; of the candidates it likes the second place by far the most.

    It is asked only where it did not write the first one; `written` is of what is no candidate's very text.
    """
    made = TrustedModel(Trust({}, 0.0, 0.5), *[(*LIKELY, *written)] * len(answers))
    for text in answers:
        made.enqueue(expected_answer("kortix", text))
    return made


@pytest.fixture(autouse=True)
def _modules():
    pytest.importorskip("torch")


def test_row_tells_what_came_of_an_edit(tmp_path):
    """Writing and choosing are judged by themselves; a right merge may differ in blank lines."""
    from fastapply_lab.train.trust import read_rows, try_cases

    asked = model(SECOND + "\n", FIRST, written=(-1.0,))
    rows = list(try_cases([case(0), case(1), case(2, edit="<<<<")], asked, tmp_path / "rows.jsonl"))
    assert [(row.id, row.reason, row.right, row.wrote) for row in rows] == [
        ("c0", "", True, "right"),
        ("c1", "", False, "wrong"),
    ]
    assert rows[0].facts["behind"] == 0.0
    assert rows[0].facts["far"] > 0.0
    assert [(row.listed, row.first_right) for row in rows] == [(True, False)] * 2
    assert read_rows(tmp_path / "rows.jsonl") == rows


def test_edit_that_was_answered_is_not_asked_about_again(tmp_path):
    """A run that was stopped goes on."""
    from fastapply_lab.train.trust import try_cases

    out = tmp_path / "rows.jsonl"
    before = list(try_cases([case(0)], model(SECOND), out))
    silent = model(FIRST)
    assert list(try_cases([case(0), case(1)], silent, out))[:1] == before
    assert len(silent.history) == 1
    assert [json.loads(line)["right"] for line in out.read_text().splitlines()] == [True, False]


def test_answer_that_is_no_merge_has_its_reason_and_speaks_for_a_candidate_all_the_same(tmp_path):
    """What the model must not write is no merge; its likelihood is one."""
    from fastapply_lab.train.trust import try_cases

    asked = TrustedModel(Trust({}, 0.0, 0.5), (*LIKELY, 0.0))
    asked.enqueue(expected_answer("kortix", FILE))
    rows = list(try_cases([case(0)], asked, tmp_path / "rows.jsonl"))
    assert [(row.wrote, row.chosen, row.right) for row in rows] == [("answer_unchanged", True, True)]
    assert rows[0].facts["behind"] == 1.0


def test_score_learns_which_fact_tells_right_from_wrong():
    """How far the choice is behind, in this case; where it is not, what is believed is right."""
    from fastapply_lab.train.trust import Row, fit_trust, tell

    rows = [
        Row(
            f"c{n}", f"r/{n % 3}", "", n % 2 == 0, {"behind": 0.1 if n % 2 == 0 else 2.0, "far": 1.0},
            "right", False, True,
        )
        for n in range(30)
    ]  # fmt: skip
    trust, seen = fit_trust(rows, 0.02)
    assert trust.weights["behind"] < 0
    assert trust.certainty({"behind": 0.1, "far": 1.0}) >= trust.threshold
    assert trust.certainty({"behind": 2.0, "far": 1.0}) < trust.threshold
    assert [right for _, right, _ in seen] == [True] * 15 + [False] * 15
    said = tell(rows, trust, seen)
    assert said[3] == "choosing: 30 decided, right 15 of 30 (50.0%)"
    assert said[-1].endswith("15 decided, right 15 of 15 (100.0%)")
