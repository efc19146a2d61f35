"""What a model is shown of a file, and what its answer changes there."""

from __future__ import annotations

import pytest

from fastapply.models.region import Region, Surroundings, choose_region, find_splices, predict, whole_file
from fastapply.types import Candidate, LineRange, Proposal, Question, Snippet, Splice

FILE = [
    "import os",
    "",
    *(f"A{number} = {number}" for number in range(60)),
    "",
    "class Cart:",
    "    def add(self):",
    "        x = 1",
    "        return x",
    "",
    *(f"    b{number} = {number}" for number in range(60)),
    "",
    "    def pay(self):",
    "        y = 2",
    "        return y",
    "",
    *(f"    c{number} = {number}" for number in range(60)),
]
ADD, PAY, CART = FILE.index("    def add(self):"), FILE.index("    def pay(self):"), FILE.index("class Cart:")


def opened(*splices, nearest=None, candidates=()):
    """A proposal with one open question."""
    return Proposal(splices, "aligned", (Question("ambiguous", "?", candidates=candidates, nearest=nearest),))


def test_region_is_the_blocks_around_what_is_open():
    """With some lines of context, and far less than the file."""
    region = choose_region(FILE, Snippet(("x",), 1), opened(Splice(PAY + 1, PAY + 2, ("        y = 3",))))
    assert region.lines == tuple(range(PAY + 1 - 6, PAY + 2 + 6))


def test_function_is_shown_whole():
    """From the line that opens it to its last one."""
    long = ["def f():", *(f"    x{n} = {n}" for n in range(35)), "", *(f"y{n} = {n}" for n in range(200))]
    region = choose_region(long, Snippet(("x",), 1), opened(Splice(20, 21, ())))
    assert region.lines == tuple(range(36))


def test_very_long_function_is_shown_around_what_is_open():
    """A model would write all of it again."""
    long = ["def f():", *(f"    x{n} = {n}" for n in range(80)), "", *(f"y{n} = {n}" for n in range(200))]
    region = choose_region(long, Snippet(("x",), 1), opened(Splice(40, 41, ())))
    assert region.lines == tuple(range(34, 47))


def test_region_has_all_candidates():
    """One block for each, nothing in between."""
    places = tuple(
        Candidate(LineRange(at + 2, at + 2), "", (Splice(at + 1, at + 2, ()),)) for at in (ADD, PAY)
    )
    region = choose_region(FILE, Snippet(("x",), 1), opened(candidates=places))
    assert {ADD + 1, PAY + 1} <= set(region.lines)
    assert ADD + 30 not in region.lines


def test_unlikely_candidate_is_not_shown():
    """The first of the ranked ones is, however unlikely."""
    places = tuple(
        Candidate(LineRange(at + 2, at + 2), "", (Splice(at + 1, at + 2, ()),), share=0.01)
        for at in (PAY, ADD)
    )
    region = choose_region(FILE, Snippet(("x",), 1), opened(candidates=places))
    assert PAY + 1 in region.lines
    assert ADD + 1 not in region.lines


def test_region_has_the_heads_that_the_edit_shows():
    """A class whose first line the edit shows is not a new one; its last line goes with it."""
    snippet = Snippet(("class Cart:", "    # ... existing code ...", "    def pay(self):"), 1)
    region = choose_region(FILE, snippet, opened(nearest=LineRange(PAY + 2, PAY + 2)))
    assert CART in region.lines
    assert CART + 5 not in region.lines
    assert len(FILE) - 1 in region.lines


def test_small_file_is_shown_whole():
    """There is nothing to save."""
    assert choose_region(FILE[:30], Snippet(("x",), 1), opened(Splice(3, 4, ()))) == whole_file(FILE[:30])


def test_few_lines_between_shown_ones_are_shown():
    """The line in their place would save nothing."""
    around = Surroundings(0, 40, 30)
    for gap, shown in ((4, 8), (5, 4)):
        open_at = (Splice(10, 12, ()), Splice(12 + gap, 14 + gap, ()))
        file = [f"a{n} = {n}" for n in range(99)]
        region = choose_region(file, Snippet(("x",), 1), opened(*open_at), around)
        assert len(region.lines) == shown


HOLE = "[lines 6-8 not shown]"
REGION = Region((2, 3, 4, 8, 9))


def test_hidden_lines_are_one_line_that_says_which():
    """Numbered as people do; what is around the region leaves no line."""
    assert REGION.texts(list("abcdefghijk")) == ("c", "d", "e", HOLE, "i", "j")
    assert REGION.runs == ((2, 5), (8, 10))
    assert whole_file(FILE).texts(FILE) == tuple(FILE)
    assert Region(()).texts([]) == ()


def test_prediction_is_the_region_after_the_best_guess():
    """Splices outside of it, or across what is hidden, are no part of it."""
    splices = (
        *(Splice(0, 1, ("no",)), Splice(3, 4, ("new",)), Splice(4, 9, ("no",)), Splice(5, 5, ("end",))),
        Splice(9, 9, ("more",)),
    )
    found = predict(list("abcdefghij"), REGION, splices)
    assert found == ("c", "new", "e", "end", HOLE, "i", "more", "j")


def test_answer_becomes_splices_of_the_file():
    """In the file's own line numbers; what lies between is not touched."""
    assert find_splices(list("abcdefghij"), REGION, ["c", "D", "e", f"  {HOLE}", "i", "j", "k"]) == (
        Splice(3, 4, ("D",)),
        Splice(10, 10, ("k",)),
    )


def test_change_at_a_hole_stays_on_its_side():
    """New lines above and below it, and none in it."""
    answer = ["c", "d", "E", "x", HOLE, "y", "j"]
    assert find_splices(list("abcdefghij"), REGION, answer) == (
        Splice(4, 5, ("E", "x")),
        Splice(8, 9, ("y",)),
    )


@pytest.mark.parametrize(
    "answer",
    [
        ["c", "d", "e", "i", "j"],
        ["c", "d", "X", "j"],
        ["c", HOLE, "d", "e", HOLE, "i", "j"],
        ["c", "d", "e", "[lines 6-9 not shown]", "i", "j"],
    ],
    ids=["left-out", "written-over", "twice", "changed"],
)
def test_answer_that_does_not_repeat_what_stands_for_hidden_lines_is_a_finding(answer):
    """Nobody can tell what it means for them."""
    found = find_splices(list("abcdefghij"), REGION, answer)
    assert not isinstance(found, tuple)
    assert found.code == "answer_beyond"


def test_lines_of_two_holes_are_repeated_in_their_order():
    """The other way round, code was moved across them."""
    region, file = Region((0, 4, 8)), list("abcdefghi")
    one, other = region.holes
    assert find_splices(file, region, ["a", one, "E", other, "i"]) == (Splice(4, 5, ("E",)),)
    assert not isinstance(find_splices(file, region, ["a", other, "e", one, "i"]), tuple)


def test_lines_for_an_empty_file_are_put_in():
    """It has one place."""
    assert predict([], Region(()), (Splice(0, 0, ("a",)),)) == ("a",)
    assert find_splices([], Region(()), ["a"]) == (Splice(0, 0, ("a",)),)


def test_blank_edges_and_trailing_blanks_stay_the_files():
    """A model that trims its answer changes nothing."""
    file = ["", "a  ", "b", "", ""]
    assert find_splices(file, whole_file(file), ["a", "b"]) == ()


def test_unchanged_answer_has_no_splices():
    """The same lines."""
    assert find_splices(FILE, whole_file(FILE), FILE) == ()
