"""Fitting when a model is right: rows of its answers, and what is said of them."""

from __future__ import annotations

import json

import pytest
from scripted import TrustedModel

from fastapply.evaluate.cases import Case
from fastapply.models.engine import Trust

FILE = "def a():\n    go()\n    x = 1\n    stop()\n\n\ndef b():\n    go()\n    x = 1\n    stop()\n"
EITHER = "# ... existing code ...\n    go()\n    x = 2\n    stop()\n# ... existing code ...\n"
FIRST = FILE.replace("x = 1", "x = 2", 1)
SECOND = "x = 2".join(FILE.rsplit("x = 1", 1))
LIKELY = (-40.0, -1.0, -90.0)
"""Of three candidates, the second of which is the second place."""


def case(number: int, expected: str | None = SECOND, edit: str = EITHER) -> Case:
    """An edit that fits at two places, of one of three repositories; without a result it must be refused."""
    name = f"r/{number % 3}"
    return Case(
        f"c{number}", "a.py", FILE, edit, expected, (), expected is None, repository=name, language="python"
    )


def model(count: int) -> TrustedModel:
    """A model that is asked so often, and likes the second place by far the most."""
    return TrustedModel(Trust({}, 0.0, 0.5), *[LIKELY] * count)


@pytest.fixture(autouse=True)
def _modules():
    pytest.importorskip("numpy")


def test_row_tells_what_came_of_an_edit(tmp_path):
    """A right merge may differ in blank lines; of an edit that must be refused none is right."""
    from fastapply_lab.train.trust import read_rows, try_cases

    cases = [case(0), case(1, SECOND + "\n"), case(2, FIRST), case(3, None), case(4, edit="<<<<")]
    rows = list(try_cases(cases, model(4), tmp_path / "rows.jsonl"))
    assert [(row.id, row.reason, row.right, row.listed, row.first_right) for row in rows] == [
        ("c0", "", True, True, False),
        ("c1", "", True, True, False),
        ("c2", "", False, True, True),
        ("c3", "", False, False, False),
    ]
    assert rows[0].facts["behind"] == 1.0
    assert rows[0].facts["far"] > 0.0
    assert read_rows(tmp_path / "rows.jsonl") == rows


def test_edit_that_was_answered_is_not_asked_about_again(tmp_path):
    """A run that was stopped goes on."""
    from fastapply_lab.train.trust import try_cases

    out = tmp_path / "rows.jsonl"
    before = list(try_cases([case(0)], model(1), out))
    again = model(1)
    assert list(try_cases([case(0), case(1, FIRST)], again, out))[:1] == before
    assert len(again.asked) == 1
    assert [json.loads(line)["right"] for line in out.read_text().splitlines()] == [True, False]


def test_score_learns_which_fact_tells_right_from_wrong():
    """How far the choice is behind, in this case; where it is not, what is believed is right."""
    from fastapply_lab.train.trust import Row, fit_trust, tell

    rows = [
        Row(
            f"c{n}", f"r/{n % 3}", "", n % 2 == 0, {"behind": 0.1 if n % 2 == 0 else 2.0, "far": 1.0},
            False, True,
        )
        for n in range(30)
    ]  # fmt: skip
    trust, seen = fit_trust(rows, 0.02)
    assert trust.weights["behind"] < 0
    assert trust.certainty({"behind": 0.1, "far": 1.0}) >= trust.threshold
    assert trust.certainty({"behind": 2.0, "far": 1.0}) < trust.threshold
    assert [right for _, right, _ in seen] == [True] * 15 + [False] * 15
    said = tell(rows, trust, seen)
    assert said[2] == "choosing: 30 decided, right 15 of 30 (50.0%)"
    assert said[-1].endswith("15 decided, right 15 of 15 (100.0%)")
