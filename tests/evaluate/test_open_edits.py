"""What a model makes of open edits: how it is asked, how it is judged, and how thresholds are set."""

from __future__ import annotations

import json
import math

import pytest
from scripted import SureScriptedModel

from fastapply.evaluate.command import main
from fastapply.evaluate.edits import KnownEdit, write_edits
from fastapply.evaluate.open_command import read_answers
from fastapply.evaluate.open_edits import (
    Answered,
    ask,
    choose_threshold,
    is_open,
    judge_at,
    render,
    wilson_lower,
)
from fastapply.llm.engine import Thresholds

FILE = "def a():\n    go()\n    x = 1\n    stop()\n\n\ndef b():\n    go()\n    x = 1\n    stop()\n"
EITHER = "# ...\n    go()\n    x = 2\n    stop()\n# ...\n"
FIRST = FILE.replace("x = 1", "x = 2", 1)
SURE = "# ...\ndef a():\n    go()\n    x = 2\n    stop()\n# ...\n"


def known(edit: str, expected: str) -> KnownEdit:
    """An edit of `FILE`."""
    return KnownEdit("1-thin", "shop", "c0ffee", "a.py", "python", "lazy", "thin", FILE, edit, expected)


def row(write: str, sure: float, *, same: bool = False) -> Answered:
    """An answer of which only what was written counts."""
    return Answered(
        "1", "shop", "python", "thin", "unmarked_gap", 2, 0, "right", write, sure, "refused", -math.inf, same
    )


def test_only_what_the_closed_form_cannot_decide_is_open():
    """The same change with one more line of context is certain."""
    assert is_open(known(EITHER, FIRST))
    assert not is_open(known(SURE, FIRST))


def test_a_model_writes_and_chooses_and_both_are_judged():
    """It writes the right merge, and finds the second way likelier than the first."""
    model = SureScriptedModel(Thresholds(None, None), (-9.0, -2.0), (-0.25, -50.0))
    model.enqueue(FIRST.removesuffix("\n"), "eos")
    answered = ask(known(EITHER, FIRST), model)
    assert answered is not None
    assert answered.ways == 2
    assert answered.right_way is not None
    assert (answered.write, answered.write_sure) == ("right", -0.25)
    chosen = "right" if answered.right_way == 1 else "wrong"
    assert (answered.choose, answered.choose_sure, answered.same) == (chosen, 7.0, chosen == "right")


def test_a_certain_edit_is_not_asked_about():
    """Nothing is open there."""
    assert ask(known(SURE, FIRST), SureScriptedModel(Thresholds(None, None))) is None


@pytest.mark.parametrize(
    ("right", "of", "lower"), [(0, 0, 0.0), (381, 381, 0.990018), (380, 380, 0.98999), (99, 100, 0.945512)]
)
def test_the_interval_is_that_of_wilson(right, of, lower):
    """381 right ones of 381 are the fewest that make 99 % sure."""
    assert wilson_lower(right, of) == pytest.approx(lower, abs=5e-6)


def test_the_threshold_lets_in_as_much_as_stays_sure_enough():
    """A wrong one among those that are less sure ends it; what was refused decides nothing."""
    rows = [row("right", -at / 1000) for at in range(500)]
    rows += [row("wrong", -0.6), row("right", -0.7), row("refused", -math.inf)]
    found = choose_threshold(rows, "write", 0.99)
    assert found is not None
    assert (found.threshold, found.right, found.wrong) == (-0.499, 500, 0)
    at_all = judge_at(rows, "write", -1.0)
    assert (at_all.right, at_all.wrong, at_all.share) == (501, 1, 502 / 503)


def test_nothing_is_sure_enough_where_there_is_too_little():
    """A hundred right ones prove no 99 %."""
    assert choose_threshold([row("right", -0.1)] * 100, "write", 0.99) is None


def test_agreement_counts_only_where_both_came_to_the_same():
    """What was written and what was chosen are one text."""
    assert judge_at([row("right", -0.1)], "agree", -math.inf).right == 0
    assert judge_at([row("right", -0.1, same=True)], "agree", -math.inf).right == 1


def test_open_edits_are_picked_from_a_file(tmp_path, capsys):
    """With the outcomes of a score only those that it refused are looked at."""
    edits = [known(EITHER, FIRST), known(SURE, FILE)]
    write_edits(edits, tmp_path / "edits.jsonl")
    out = tmp_path / "open.jsonl"
    assert main(["open", str(tmp_path / "edits.jsonl"), "--out", str(out), "--jobs", "1"]) == 0
    assert [json.loads(line)["edit"] for line in out.read_text().splitlines()] == [EITHER]
    score = tmp_path / "score.json"
    score.write_text(json.dumps([{"id": "1-thin", "outcome": "right"}]))
    main(["open", str(tmp_path / "edits.jsonl"), "--out", str(out), "--refused", str(score), "--jobs", "1"])
    assert out.read_text() == ""
    assert "0 open edits" in capsys.readouterr().out


def test_thresholds_are_set_on_some_answers_and_tried_on_others(tmp_path, capsys):
    """The report says both, and what has no threshold."""
    valid, test = tmp_path / "valid.jsonl", tmp_path / "test.jsonl"
    for path, wrong in ((valid, 0), (test, 3)):
        rows = [row("right", -0.1)] * 400 + [row("wrong", -0.1)] * wrong
        lines = (json.dumps({name: getattr(one, name) for name in Answered.__slots__}) for one in rows)
        path.write_text("".join(f"{line}\n" for line in lines))
    assert read_answers(valid) == [row("right", -0.1)] * 400
    assert main(["threshold", str(valid), str(test)]) == 0
    said = capsys.readouterr().out
    assert "write   from -0.100 on: decides 100.0%, right 400, wrong 0, right at least 99.05%" in said
    assert "write   from -0.100 on: decides 100.0%, right 400, wrong 3, right at least 97.8" in said
    assert "choose: no threshold makes it sure enough" in said


def test_the_table_counts_each_outcome():
    """One line for each way to accept."""
    said = render([row("right", -0.1), row("wrong", -0.2)])
    line = "write   right 1 (50.0%)  blank 0 (0.0%)  refused 0 (0.0%)  wrong 1 (50.0%)"
    assert said.splitlines()[1].strip() == line
