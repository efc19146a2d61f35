"""What a model is shown of a file, and what its answer changes there."""

from __future__ import annotations

from fastapply.llm.region import Region, choose_region, find_splices, predict, whole_file
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


def test_long_function_is_shown_whole():
    """From the line that opens it to its last one."""
    long = ["def f():", *(f"    x{n} = {n}" for n in range(80)), "", *(f"y{n} = {n}" for n in range(200))]
    region = choose_region(long, Snippet(("x",), 1), opened(Splice(40, 41, ())))
    assert region.lines == tuple(range(81))


def test_region_has_all_candidates():
    """One block for each, nothing in between."""
    places = tuple(
        Candidate(LineRange(at + 2, at + 2), "", (Splice(at + 1, at + 2, ()),)) for at in (ADD, PAY)
    )
    region = choose_region(FILE, Snippet(("x",), 1), opened(candidates=places))
    assert {ADD + 1, PAY + 1} <= set(region.lines)
    assert ADD + 30 not in region.lines


def test_region_has_the_heads_that_the_edit_shows():
    """A class whose first line the edit shows is not a new one; its last line goes with it."""
    snippet = Snippet(("class Cart:", "    # ... existing code ...", "    def pay(self):"), 1)
    region = choose_region(FILE, snippet, opened(nearest=LineRange(PAY + 2, PAY + 2)))
    assert CART in region.lines
    assert CART + 5 not in region.lines
    assert len(FILE) - 1 in region.lines


def test_small_file_is_shown_whole():
    """There is nothing to save."""
    assert choose_region(FILE[:40], Snippet(("x",), 1), opened(Splice(3, 4, ()))) == whole_file(FILE[:40])


def test_prediction_is_the_region_after_the_best_guess():
    """Splices outside of it are no part of it."""
    region = Region((2, 3, 4, 8, 9))
    splices = (Splice(0, 1, ("no",)), Splice(3, 4, ("new",)), Splice(9, 9, ("more",)))
    assert predict(list("abcdefghij"), region, splices) == ("c", "new", "e", "i", "more", "j")


def test_answer_becomes_splices_of_the_file():
    """In the file's own line numbers; what lies between is not touched."""
    region = Region((2, 3, 4, 8, 9))
    assert find_splices(list("abcdefghij"), region, ["c", "D", "e", "i", "j", "k"]) == (
        Splice(3, 4, ("D",)),
        Splice(10, 10, ("k",)),
    )


def test_change_across_hidden_lines_is_a_finding():
    """Whether by replacing both sides of the gap, or by writing into it."""
    region = Region((2, 3, 4, 8, 9))
    for answer in (["c", "d", "X", "j"], ["c", "d", "e", "X", "i", "j"]):
        found = find_splices(list("abcdefghij"), region, answer)
        assert not isinstance(found, tuple)
        assert found.code == "answer_beyond"


def test_blank_edges_and_trailing_blanks_stay_the_files():
    """A model that trims its answer changes nothing."""
    file = ["", "a  ", "b", "", ""]
    assert find_splices(file, whole_file(file), ["a", "b"]) == ()


def test_unchanged_answer_has_no_splices():
    """The same lines."""
    assert find_splices(FILE, whole_file(FILE), FILE) == ()
