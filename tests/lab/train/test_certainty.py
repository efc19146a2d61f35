"""Fitting the weights of lazy edits: what it reads, what it learns, and what it writes."""

from __future__ import annotations

import gzip
import json
import math

import pytest

from fastapply.merge.certainty.weights import Forest, Tree, Weights, group_of, load_weights, scaled
from fastapply_lab.train.certainty import (
    Part,
    Sample,
    collect,
    fit,
    for_other_files,
    put_in_already,
    read_cases,
    threshold,
    without_instructions,
    write_weights,
)
from fastapply_lab.train.forest import SURE, Growth, grow, matrix, odds_of, scale

ORIGINAL = "def f(x):\n    y = x + 1\n    return y\n\n\ndef g(x):\n    return x\n"
CASE = {
    "id": "one-01",
    "repository": "some/one",
    "path": "a.py",
    "format": "lazy",
    "instructions": "I will add 2",
    "original": ORIGINAL,
    "edit": "# ...\ndef f(x):\n    y = x + 2\n# ...\n",
    "expected": ORIGINAL.replace("x + 1", "x + 2"),
}


def samples(count: int) -> list[Sample]:
    """Cases of four repositories in which the good candidate has a feature that the bad one lacks."""
    made = []
    for number in range(count):
        good = {"beside.renewed": 1.0, "beside.deleted": 0.1 * (number % 3)}
        bad = {"beside.unbalanced": 1.0, "out.breaks": 1.0}
        features = (good, bad) if number % 2 else (bad, good)
        part = Part(features, 0 if number % 2 else 1)
        made.append(Sample(f"case-{number}", f"some/repository-{number % 4}", reached=True, parts=(part,)))
    return made


def test_collect_finds_which_candidate_gives_the_result():
    """The right one is among the candidates, and none is where the result is another."""
    found = collect(CASE, load_weights())
    assert found is not None
    assert found.reached
    assert found.parts[0].right >= 0
    other = collect({**CASE, "expected": "def f(x):\n    return 7\n"}, load_weights())
    assert other is not None
    assert not other.reached
    assert other.parts[0].right == -1


def test_weights_learn_what_tells_the_right_one():
    """Of repositories that a weight did not see, all come first; what needs a parser chooses nobody."""
    pytest.importorskip("lightgbm")
    weights, predicted = fit(samples(400))
    assert weights.local["beside.renewed"] > 0 > weights.local["beside.unbalanced"]
    assert "out.breaks" not in weights.local
    assert "out.breaks" not in weights.cheap
    good, bad = {"beside.renewed": 1.0}, {"beside.unbalanced": 1.0, "out.breaks": 1.0}
    assert weights.score(good) > weights.score(bad)
    assert [right for _, right, _ in predicted] == [True] * 400


def test_threshold_is_the_lowest_with_few_enough_wrong_ones():
    """Rows are sorted by certainty; one wrong of four is too many for a tenth."""
    rows = [(0.9, True, "a"), (0.8, True, "b"), (0.7, False, "c"), (0.6, True, "d")]
    assert threshold(rows, 0.1) == 0.8
    assert threshold(rows, 0.25) == 0.6


def test_written_weights_are_read_as_they_were(tmp_path):
    """A tree a line."""
    tree = Tree((0, -1, 1, -1, -1), (0.5, 0.25, 1.5, 0.75, 1.0), (2, 0, 4, 0, 0))
    sure = Forest(("lead", "margin"), (tree, tree), -0.25)
    scales = ((1.5, -0.25), (1.0, 0.0), (1.0, 0.5))
    weights = Weights({"beside.renewed": 1.5}, {"plain": 0.5}, {"out.breaks": -2.0}, sure, scales, 0.9, 0.95)
    write_weights(weights, tmp_path / "weights.json")
    assert load_weights(tmp_path / "weights.json") == weights


FEW = Growth(trees=40, leaves=4, rate=0.3, asked=1.0, drawn=1.0, fewest=2, spread=0.0)


def test_trees_learn_what_no_sum_can():
    """Right where one of two features holds and not both: a sum of weights cannot say that."""
    pytest.importorskip("lightgbm")
    features = [{"lead": float(n % 2), "margin": float(n // 2 % 2)} for n in range(402)]
    right = [n < 30 or one["lead"] != one["margin"] for n, one in enumerate(features)]
    names = ["lead", "margin"]
    forest = grow(matrix(features, names), right, names, FEW, weights=[1.0] * len(features))
    assert forest.odds({"lead": 1.0}) > 1.5 < forest.odds({"margin": 1.0})
    assert forest.odds({}) < -1.5 > forest.odds({"lead": 1.0, "margin": 1.0})
    assert odds_of(forest, matrix(features, names), names).tolist() == pytest.approx(
        [forest.odds(one) for one in features]
    )


def test_an_invented_edit_is_taken_for_the_file_of_another_one():
    """Of the same language, and to be refused; edits of commits are not."""
    invented = [{**CASE, "id": f"{n}", "repository": "", "original": f"x = {n}\n"} for n in range(4)]
    found = for_other_files([*invented, CASE], 1.0)
    assert [case["id"] for case in found] == ["0!", "1!", "2!", "3!"]
    assert all(case["expect_failure"] and case["expected"] is None for case in found)
    assert all(case["original"] != one["original"] for case, one in zip(found, invented, strict=True))
    sample = collect({**found[0], "original": ORIGINAL}, load_weights())
    assert sample is not None
    assert not sample.reached
    assert for_other_files([CASE], 1.0) == []


def test_some_cases_are_taken_without_their_instructions():
    """Every other one of them at a half, and always the same ones."""
    cases = [{**CASE, "id": str(number), "instructions": "I add it."} for number in range(4)]
    quiet = without_instructions(cases, 0.5)
    assert [(case["id"], case["instructions"]) for case in quiet] == [("1#", ""), ("3#", "")]
    assert without_instructions(cases, 0.0) == []
    assert len(without_instructions(cases, 1.0)) == 4


def test_trees_of_one_kind_of_rows_say_how_many_there_were():
    """Where all were right there is nothing to ask for."""
    pytest.importorskip("lightgbm")
    forest = grow(matrix([{"lead": 1.0}] * 30, ["lead"]), [True] * 30, ["lead"], SURE, weights=[1.0] * 30)
    assert forest.trees == ()
    assert 0.95 < scaled(forest.odds({"lead": -5.0}), 1.0, 0.0) < 1.0


def test_odds_are_scaled_to_how_often_they_were_right():
    """Four of five with odds of nine to one were right: that is what such odds are worth."""
    pytest.importorskip("scipy")
    nine = math.log(9)
    right = [number % 5 != 0 for number in range(100)] + [number % 5 == 0 for number in range(100)]
    slope, shift = scale([nine] * 100 + [-nine] * 100, right)
    assert abs(scaled(-nine, slope, shift) - 0.2) < 0.02
    assert abs(scaled(nine, slope, shift) - 0.8) < 0.02


@pytest.mark.parametrize(
    ("features", "group"),
    [
        ({"first.plain": 1.0, "first.seen.file": 1.0}, 0),
        ({"first.plain": 1.0, "first.aligned": 1.0, "first.seen.file": 1.0}, 1),
        ({"first.aligned": 1.0, "first.seen.file": 9.0}, 2),
    ],
)
def test_an_edit_is_scaled_as_others_of_its_group(features, group):
    """By whether lines of the file say where it goes, and by the size of the file."""
    weights = Weights({}, {}, {}, Forest((), (), 0.5), ((1.0, 0.0), (1.0, 1.0), (2.0, 0.0)), 0.9, 0.9)
    assert group_of(features) == group
    assert weights.certainty(features) == pytest.approx(scaled(0.5, *weights.scales[group]))


def test_cases_are_read_from_lines_and_folders(tmp_path):
    """Those of formats that say where they go are left out, and those without a result but refused ones."""
    refused = {**CASE, "id": "two-02", "expected": None, "expect_failure": True}
    lines = [CASE, {**CASE, "format": "udiff"}, {**CASE, "expected": None}, refused]
    (tmp_path / "cases.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    folder = tmp_path / "folders" / "001-one"
    folder.mkdir(parents=True)
    (folder / "original.py").write_text(ORIGINAL)
    (folder / "edit.txt").write_text(CASE["edit"])
    (folder / "expected.py").write_text(CASE["expected"])
    (folder / "case.json").write_text(json.dumps({"instructions": "", "must_refuse": False}))
    found = read_cases([tmp_path / "cases.jsonl.gz", tmp_path / "folders"])
    assert [(case["id"], case["expected"]) for case in found] == [
        ("one-01", CASE["expected"]),
        ("two-02", None),
        ("001-one", CASE["expected"]),
    ]


def test_some_edits_come_a_second_time_for_the_file_that_they_have_changed():
    """Nothing is to change then; the same ones are chosen for the same share."""
    cases = [{**CASE, "id": f"case-{number}"} for number in range(10)]
    found = put_in_already(cases, 0.2)
    assert [case["id"] for case in found] == ["case-4=", "case-9="]
    assert all(case["original"] == case["expected"] == CASE["expected"] for case in found)
    sample = collect(found[0], load_weights())
    assert sample is not None
    assert sample.reached
    assert sample.parts[0].facts[sample.parts[0].right].get("out.idle") == 1.0
