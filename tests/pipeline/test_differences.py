"""Candidates that list the same lines are told apart by what each of them does."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from fastapply import apply_edit
from fastapply.pipeline.differences import differences
from fastapply.types import Candidate, LineRange, Splice

SAME = LineRange(4, 20)


def candidate(*splices, lines=SAME, enclosing="def f():"):
    """One with these changes."""
    return Candidate(lines, enclosing, tuple(Splice(*splice) for splice in splices))


def test_what_all_of_them_do_is_left_out():
    """And the rest is said in words, with the lines of the file and a line that only this one has."""
    both = (3, 4, ("import a",))
    assert differences(
        [
            candidate(both, (9, 9, ("x = 1",))),
            candidate(both, (9, 10, ())),
            candidate(both, (9, 12, ())),
            candidate(both, (9, 12, ("same", "other"))),
            candidate(both, (9, 10, ("same", "x = 2"))),
            candidate(both, (9, 9, ("", "same", "z"))),
            candidate(both, (9, 9, ("", "same", "    z"))),
            candidate(both),
        ]
    ) == [
        ("before line 10 comes 1 line: `x = 1`",),
        ("line 10 goes",),
        ("lines 10-12 go",),
        ("lines 10-12 become 2 lines, among them `other`",),
        ("line 10 becomes 2 lines, among them `x = 2`",),
        ("before line 10 come 3 lines, among them `z`",),
        ("before line 10 come 3 lines, among them `    z`",),
        ("nothing but what the others do as well",),
    ]


def test_candidates_of_other_lines_need_no_words():
    """They differ by their lines, or by what is around them."""
    one, other = candidate((3, 4, ())), candidate((3, 4, ()), lines=LineRange(4, 21))
    assert differences([one, other, candidate((3, 5, ()), enclosing="def g():")]) == [(), (), ()]


def test_many_changes_are_not_all_told():
    """Three, and how many more there are."""
    many = candidate(*((number, number + 1, ()) for number in range(3, 18, 3)))
    assert differences([many, candidate()])[0] == ("line 4 goes", "line 7 goes", "line 10 goes", "and 2 more")


def test_a_splice_that_changes_nothing_is_not_told():
    """An empty one takes no lines out and puts none in."""
    assert differences([candidate((4, 4, ()), (7, 8, ())), candidate()])[0] == ("line 8 goes",)


@pytest.mark.slow
def test_no_two_candidates_of_a_refusal_look_the_same():
    """On a share of edits that models wrote: lines, definition and words together differ."""
    seen = 0
    with lzma.open(Path(__file__).parents[1] / "edits" / "first.jsonl.xz", "rt", encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    for case in cases[::4]:
        result = apply_edit(case["original"], case["edit"], path=case["path"])
        for question in result.questions:
            shown = [
                (one.lines, one.enclosing, does)
                for one, does in zip(question.candidates, differences(question.candidates), strict=True)
            ]
            assert len(set(shown)) == len(shown), case["id"]
            seen += any(does for *_, does in shown)
    assert seen
