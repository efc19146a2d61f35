"""Answering a refusal: `pick` and `at` choose among the places that it named."""

from __future__ import annotations

import pytest

from fastapply import apply_edit
from fastapply.pipeline.picks import is_model_step

CODE = """class A:
    def run(self):
        x = 1
        return x


class B:
    def run(self):
        x = 1
        return x
"""
ONE = "<<<<<<< SEARCH\n        x = 1\n=======\n        x = 2\n>>>>>>> REPLACE\n"
TWO = ONE + "<<<<<<< SEARCH\n        return x\n=======\n        return -x\n>>>>>>> REPLACE\n"
LAZY = "# ...\nclass B:\n    def run(self):\n        x = 2\n        return x\n# ...\n"
CERTAIN = "<<<<<<< SEARCH\nclass A:\n=======\nclass C:\n>>>>>>> REPLACE\n"


def nth(text, old, new, number):
    """Replace one occurrence only, the first being 1."""
    parts = text.split(old)
    return old.join(parts[:number]) + new + old.join(parts[number:])


@pytest.mark.parametrize("number", [1, 2])
def test_pick_chooses_one_of_the_places(number):
    """`pick` takes the number of a candidate."""
    assert apply_edit(CODE, ONE, path="a.py", pick=[number]).text == nth(CODE, "x = 1", "x = 2", number)


@pytest.mark.parametrize(("at", "number"), [((3, 3), 1), ((7, 10), 2), ((9, 9), 2), ((1, 2), 1), ((8, 8), 2)])
def test_at_chooses_the_place_in_those_lines(at, number):
    """`at` takes lines that hold one of the places, or lines of the only thing around one of them."""
    assert apply_edit(CODE, ONE, path="a.py", at=at).text == nth(CODE, "x = 1", "x = 2", number)


@pytest.mark.parametrize(("first", "second"), [(1, 1), (1, 2), (2, 1), (2, 2)])
def test_several_picks_answer_several_hunks_in_their_order(first, second):
    """Each open hunk takes the next pick; the certain ones go in as well."""
    wanted = nth(nth(CODE, "x = 1", "x = 2", first), "return x", "return -x", second)
    assert apply_edit(CODE, TWO, path="a.py", pick=[first, second]).text == wanted
    wanted = wanted.replace("class A", "class C")
    assert apply_edit(CODE, CERTAIN + TWO, path="a.py", pick=[first, second]).text == wanted


def test_at_answers_all_hunks_that_have_a_place_there():
    """Lines that hold one place of each open hunk answer all of them."""
    wanted = nth(nth(CODE, "x = 1", "x = 2", 2), "return x", "return -x", 2)
    assert apply_edit(CODE, TWO, path="a.py", at=(7, 10)).text == wanted


@pytest.mark.parametrize(
    "answer",
    [{}, {"pick": [3]}, {"pick": [0]}, {"at": (1, 10)}, {"at": (5, 6)}, {"at": (50, 60)}],
    ids=str,
)
def test_answer_that_names_no_one_place_is_refused(answer):
    """An answer must leave exactly one place."""
    result = apply_edit(CODE, ONE, path="a.py", **answer)
    assert (result.status, result.reason, result.text) == ("refused", "ambiguous", CODE)
    assert [(place.lines.first, place.lines.last) for place in result.candidates] == [(3, 3), (9, 9)]


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ((12, 12), "--at 12 matches no candidate; "),
        ((50, 60), "--at 50-60 matches no candidate; "),
        ((1, 10), "--at 1-10 matches 2 candidates; "),
    ],
    ids=str,
)
def test_lines_that_are_no_answer_are_said_to_be_none(at, said):
    """And then what the question was; an edit that fits nowhere has no places to be outside of."""
    asked = apply_edit(CODE, ONE, path="a.py").message
    assert apply_edit(CODE, ONE, path="a.py", at=at).message == said + asked
    nowhere = ONE.replace("x = 1", "nothing like it")
    assert apply_edit(CODE, nowhere, path="a.py", at=at).message == apply_edit(CODE, nowhere).message


def test_too_few_picks_are_refused():
    """One answer to two questions changes nothing."""
    result = apply_edit(CODE, TWO, path="a.py", pick=[1])
    assert (result.status, result.reason, result.text) == ("refused", "ambiguous", CODE)
    assert len(result.questions) == 2


def names_a_model(result):
    """Whether a hint has the step to a model."""
    return any(map(is_model_step, result.hint.splitlines()))


@pytest.mark.parametrize(("engine", "named"), [("auto", True), ("deterministic", False)])
def test_refusal_names_the_step_to_a_model_where_there_is_none(engine, named):
    """`auto` behaves as `deterministic`, and says what it would take to let a model decide."""
    result = apply_edit(CODE, LAZY, path="a.py", engine=engine, min_certainty=1.0)
    assert result.status == "refused"
    assert names_a_model(result) is named


@pytest.mark.parametrize(
    "edit",
    [
        "<<<<<<< SEARCH\nnothing like it at all, anywhere\n=======\nx\n>>>>>>> REPLACE\n",
        "<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n",
        "",
        ONE,
    ],
    ids=["fits nowhere", "searches for nothing", "empty", "fits twice"],
)
def test_refusal_names_no_model_where_none_could_help(edit):
    """What is wrong with the edit itself a model could only guess, and no model decides about hunks."""
    result = apply_edit(CODE, edit, path="a.py")
    assert (result.status, result.exit_status) == ("refused", 1)
    assert not names_a_model(result)


def test_model_engine_without_a_model_is_model_trouble():
    """`engine="model"` does not fall back in silence."""
    result = apply_edit(CODE, CERTAIN, path="a.py", engine="model")
    assert (result.status, result.reason, result.exit_status, result.text) == ("error", "no_model", 5, CODE)
    assert "fastapply models pull apply-1.5b" in result.hint


@pytest.mark.parametrize("pick", [2, "2", [2], ["2"], (2,)], ids=str)
def test_a_pick_is_a_number_or_a_text_or_several_of_them(pick):
    """However it is written."""
    assert apply_edit(CODE, ONE, path="a.py", pick=pick).text == nth(CODE, "x = 1", "x = 2", 2)


@pytest.mark.parametrize("pick", ["2, 1", [2, "1"]], ids=str)
def test_picks_for_several_hunks_may_be_one_text(pick):
    """With commas between them."""
    both = nth(nth(CODE, "x = 1", "x = 2", 2), "return x", "return -x", 1)
    assert apply_edit(CODE, TWO, path="a.py", pick=pick).text == both


@pytest.mark.parametrize("pick", ["two", "2:1", ["4f0c2a91:"], True], ids=str)
def test_a_pick_that_makes_no_sense_is_an_error(pick):
    """As a result, and no exception."""
    result = apply_edit(CODE, ONE, path="a.py", pick=pick)
    assert (result.status, result.reason, result.exit_status, result.text) == ("error", "usage", 2, CODE)


@pytest.mark.parametrize("upper", [False, True])
def test_a_pick_with_the_id_of_the_question_answers_it(upper):
    """In letters of either case."""
    pick = f"{apply_edit(CODE, LAZY, path='a.py', min_certainty=1.0).decision}:1"
    pick = pick.upper() if upper else pick
    assert apply_edit(CODE, LAZY, path="a.py", min_certainty=1.0, pick=pick).status == "applied"


@pytest.mark.parametrize(
    ("file", "edit", "said"),
    [
        (CODE + "\n", LAZY, ""),
        (CODE, LAZY.replace("x = 2", "x = 3"), ""),
        (CODE, LAZY, "in B"),
        (CODE, ONE, ""),
        (CODE, CERTAIN, ""),
    ],
    ids=["another file", "another edit", "other instructions", "hunks", "a clear edit"],
)
def test_a_pick_with_the_id_of_another_question_is_refused(file, edit, said):
    """The file stays as it is, also where nothing is open any more."""
    pick = f"{apply_edit(CODE, LAZY, path='a.py', min_certainty=1.0).decision}:1"
    result = apply_edit(file, edit, path="a.py", min_certainty=1.0, instructions=said, pick=pick)
    assert (result.status, result.reason, result.exit_status) == ("refused", "changed_meanwhile", 1)
    assert result.text == file


def test_a_refusal_says_how_certain_the_edit_is_and_would_have_to_be():
    """And an applied one how certain it is; hunks have neither."""
    refused = apply_edit(CODE, LAZY, path="a.py", min_certainty=1.0)
    assert refused.needed == 1.0
    assert 0 < (refused.certainty or 0) < 1
    assert refused.message.endswith(" % certain, 100 % needed)")
    hunk = apply_edit(CODE, ONE, path="a.py")
    assert (hunk.certainty, hunk.needed, hunk.decision) == (None, None, None)


def test_answers_that_were_not_needed_are_told():
    """Beside a result that is none the worse for it."""
    assert apply_edit(CODE, CERTAIN, path="a.py", pick=1).warnings == (
        "pick 1 was not needed: the edit is clear without it",
    )
    assert apply_edit(CODE, ONE, path="a.py", pick=1, at=(3, 3)).warnings == (
        "at 3 was ignored: the pick decided",
    )
    assert apply_edit(CODE, ONE, path="a.py", pick=1).warnings == ()
