"""Hunks into a file: what changes, and what is refused instead."""

from __future__ import annotations

import pytest

from fastapply.merge.hunks import merge_hunks
from fastapply.text import from_text, splice
from fastapply.types import Hunk, HunkList, Segment


def hunk(before, after, number=1, **more):
    """A hunk of one segment, from texts."""
    segment = Segment(tuple(before.splitlines()), tuple(after.splitlines()))
    return Hunk(number, 10 * number, (segment,), **more)


def merge(text, *hunks, form="search_replace", instructions=""):
    """The merged text and the method, or the reasons of the questions."""
    source = from_text(text)
    proposal = merge_hunks(source, HunkList(form, hunks), instructions=instructions)
    if not proposal.certain:
        return tuple(question.reason for question in proposal.questions)
    return splice(source, proposal.splices).text, "done" if proposal.already_applied else proposal.method


def ask(text, *hunks, form="search_replace"):
    """The only question of a merge that is not certain."""
    (question,) = merge_hunks(from_text(text), HunkList(form, hunks)).questions
    return question


REWRITES = {
    "exact": ("a\nb\nc\n", "b", "B", "a\nB\nc\n", "exact"),
    "trailing white space": ("a\nbee  \nc\n", "bee\nc", "bee\nd", "a\nbee  \nd\n", "trailing"),
    "missing indentation": ("  one\n  two\n", "one\ntwo", "one\nTWO", "  one\n  TWO\n", "indentation"),
    "too much indentation": (
        "one\n  two\n",
        "    one\n      two",
        "    one\n      2",
        "one\n  2\n",
        "indentation",
    ),
    "tabs in the file": (
        "if a:\n\tone\n",
        "if a:\n    one",
        "if a:\n    one\n    if b:\n        two",
        "if a:\n\tone\n\tif b:\n\t\ttwo\n",
        "indentation",
    ),
    "blanks in the file": (
        "if a:\n    one\n",
        "if a:\n\tone",
        "if a:\n\tone\n\t\ttwo",
        "if a:\n    one\n        two\n",
        "indentation",
    ),
    "other level width": (
        "if a:\n    one\n    if b:\n        two\n",
        "if a:\n  one\n  if b:\n    two",
        "if a:\n  one\n  if b:\n    two\n    three",
        "if a:\n    one\n    if b:\n        two\n        three\n",
        "indentation",
    ),
    "first line lost its indentation": (
        "class A:\n    def f(self):\n        return 1\n",
        "def f(self):\n        return 1",
        "def f(self):\n        return 2",
        "class A:\n    def f(self):\n        return 2\n",
        "indentation",
    ),
    "first line lost its indentation, more follow": (
        "class A:\n    def f(self):\n        return 1\n",
        "def f(self):\n        return 1",
        "def f(self):\n        if self:\n            return 2\n        return 1",
        "class A:\n    def f(self):\n        if self:\n            return 2\n        return 1\n",
        "indentation",
    ),
    "only line lost its indentation": (
        "class A:\n    def fun(self):\n        return 1\n",
        "def fun(self):",
        "def fun(self):\n        self.go()",
        "class A:\n    def fun(self):\n        self.go()\n        return 1\n",
        "indentation",
    ),
    "dedented with new lines": (
        "class A:\n    def fun(self):\n        return 1\n",
        "def fun(self):",
        "def fun(self):\n    self.go()",
        "class A:\n    def fun(self):\n        self.go()\n        return 1\n",
        "indentation",
    ),
    "column alignment": (
        "first  = 1\nsecond = 2\n",
        "first = 1\nsecond = 2",
        "first = 1\nsecond = 3",
        "first  = 1\nsecond = 3\n",
        "whitespace",
    ),
    "punctuation": (
        "say(\u201chi\u201d) \u2013 twice\nnext\n",
        'say("hi") - twice\nnext',
        'say("hi") - twice\nlast',
        "say(\u201chi\u201d) \u2013 twice\nlast\n",
        "unicode",
    ),
    "missing blank line": (
        "alpha\n\nbeta\ngamma\n",
        "alpha\nbeta\ngamma",
        "alpha\nbeta\nGAMMA",
        "alpha\n\nbeta\nGAMMA\n",
        "near",
    ),
    "spurious blank line": (
        "alpha\nbeta\ngamma\n",
        "alpha\n\nbeta",
        "alpha\n\nBETA",
        "alpha\nBETA\ngamma\n",
        "near",
    ),
    "spurious blank line at the edge": ("alpha\nbeta\n", "\nalpha", "ALPHA", "ALPHA\nbeta\n", "trailing"),
    "drifted context line": (
        "# adds the numbers of a list\ntotal = 0\nfor n in numbers:\n    total += n\nreturn total\n",
        "# adds numbers of the list\ntotal = 0\nfor n in numbers:\n    total += n\nreturn total",
        "# adds numbers of the list\ntotal = 0\nfor n in numbers:\n    total += n\nreturn -total",
        "# adds the numbers of a list\ntotal = 0\nfor n in numbers:\n    total += n\nreturn -total\n",
        "near",
    ),
    "no final newline": ("a\nb", "b", "c\nd", "a\nc\nd", "exact"),
    "deletion": ("a\nb\nc\n", "b\nc", "c", "a\nc\n", "exact"),
    "white space changed on purpose": ("if a:\n  b\nc\n", "  b", "    b", "if a:\n    b\nc\n", "exact"),
}


@pytest.mark.parametrize("case", REWRITES.values(), ids=REWRITES)
def test_hunk_is_put_where_it_belongs(case):
    """The file's own bytes stay, new lines are indented as the file is."""
    text, before, after, expected, method = case
    assert merge(text, hunk(before, after)) == (expected, method)


REFUSALS = {
    "several places": ("a\nb\na\n", "a", "c", ("ambiguous",)),
    "several places at a loose tier": ("  word\n    word\n", "word", "c", ("ambiguous",)),
    "missing": ("alpha\nbeta\n", "gamma", "delta", ("not_found",)),
    "removed line of another version": (
        "one = 1\ntwo = 2\nthree = 3\nfour = 4\n",
        "one = 1\ntwo = 20\nthree = 3\nfour = 4",
        "one = 1\nthree = 3\nfour = 4",
        ("not_found",),
    ),
    "twin that another header opens": (
        "def add(cart):\n    check(cart)\n    cart.total()\n    return cart\n",
        "def sub(cart):\n    check(cart)\n    cart.total()\n    return cart",
        "def sub(cart):\n    check(cart)\n    cart.total()\n    return None",
        ("not_found",),
    ),
    "most context lines differ": (
        "alpha = 1\nbeta = 2\ngamma = 3\n",
        "alpha = 10\nbeta = 20\ngamma = 3",
        "alpha = 10\nbeta = 20\ngamma = 4",
        ("not_found",),
    ),
    "empty search in a file with lines": ("a\n", "", "b", ("empty_search",)),
    "only blank lines": ("a\n\nb\n", "\n", "c", ("no_context",)),
    "brackets that drifted": ("a {\n    }\n", "  }", "  };", ("not_found",)),
    "nothing left that tells it is done": ("a\nb\n", "gone", "", ("not_found",)),
}


@pytest.mark.parametrize("case", REFUSALS.values(), ids=REFUSALS)
def test_hunk_is_refused(case):
    """What is not certain is a question, never the first of several."""
    text, before, after, reasons = case
    assert merge(text, hunk(before, after)) == reasons


def test_all_hunks_go_in_or_none():
    """A hunk that is not found takes the others with it."""
    assert merge("a\nb\n", hunk("a", "A"), hunk("zeta", "Z", 2)) == ("not_found",)
    assert merge("a\nb\n", hunk("a", "A"), hunk("b", "B", 2)) == ("A\nB\n", "exact")


def test_method_is_the_least_strict_tier_used():
    """One exact hunk does not make the other one exact."""
    assert merge("aaa\n  bbb\n", hunk("aaa", "A"), hunk("bbb", "B", 2)) == ("A\n  B\n", "indentation")


def test_empty_search_fills_an_empty_file():
    """A new file has no lines beside which it could go."""
    assert merge("", hunk("", "a\nb")) == ("a\nb\n", "exact")


def test_replace_all_changes_every_place():
    """Said so, several places are no question."""
    assert merge("a\nb\na\n", hunk("a", "c", replace_all=True)) == ("c\nb\nc\n", "exact")


def test_elided_lines_stay():
    """Lines between two segments are the file's, and the later segment stays in the block."""
    text = "f() {\n  a\n  b\n  end\n}\ng() {\n  c\n  end\n}\n"
    segments = (Segment(("f() {",), ("f() {",)), Segment(("  end", "}"), ("  stop", "}")))
    assert merge(text, Hunk(1, 1, segments)) == (text.replace("end", "stop", 1), "exact")


def test_elided_lines_with_two_ends_are_ambiguous():
    """The changed line after the elision stands twice in the block."""
    text = "f() {\n  a\n  end\n  b\n  end\n}\n"
    segments = (Segment(("f() {",), ("f() {",)), Segment(("  end",), ("  stop",)))
    assert merge(text, Hunk(1, 1, segments)) == ("ambiguous",)


def test_elided_lines_may_leave_the_block_where_nothing_stands_twice():
    """Each segment has one place in the whole file; with a second one it is refused."""
    text = "f() {\n  first\n}\ng() {\n  last\n}\n"
    segments = (Segment(("  first",), ("  first",)), Segment(("  last", "}"), ("  least", "}")))
    assert merge(text, Hunk(1, 1, segments)) == (text.replace("last", "least"), "exact")
    assert merge(text + text, Hunk(1, 1, segments)) == ("not_found",)


def test_places_with_the_same_result_are_one():
    """Which of two equal neighbours goes makes no difference."""
    assert merge("x\nsame\nsame\ny\n", hunk("same", "")) == ("x\nsame\ny\n", "exact")


class TestDone:
    """Edits that are in the file already."""

    @pytest.mark.parametrize(
        ("text", "before", "after"),
        [
            ("alpha = 2\n", "alpha = 1", "alpha = 2"),
            ("one\nnew\ntwo\n", "one\ntwo", "one\nnew\ntwo"),
            ("one\ntwo\n", "one\nold\ntwo", "one\ntwo"),
            ("    deeper\n", "deeper", "    deeper"),
            ("one\n", "one", "one"),
        ],
        ids=["changed", "inserted", "deleted", "indented", "nothing to do"],
    )
    def test_hunk_that_is_in_place_is_done(self, text, before, after):
        """Its after-side stands once and its before-side no more."""
        assert merge(text, hunk(before, after)) == (text, "done")

    def test_before_side_that_matches_is_applied(self):
        """An after-side in the file is no reason to leave the edit out."""
        assert merge("old = 1\nnew = 2\n", hunk("old = 1", "new = 2")) == ("new = 2\nnew = 2\n", "exact")

    def test_deletion_from_the_edge_is_not_taken_for_done(self):
        """A line that stands in many versions does not tell that its neighbour is gone."""
        assert merge("one\ntwo\n", hunk("old\none", "one")) == ("not_found",)

    def test_after_side_at_several_places_is_not_taken_for_done(self):
        """Lines that stand twice may both be someone else's."""
        assert merge("return None\nx\nreturn None\n", hunk("return foo", "return None")) == ("not_found",)

    def test_edit_of_which_a_part_is_done_is_refused(self):
        """Some hunks in place and others not is neither applied nor unchanged."""
        done, open_ = hunk("alpha = 1", "alpha = 2"), hunk("beta = 1", "beta = 2", 2)
        assert merge("alpha = 2\nbeta = 1\n", done, open_) == ("partly_applied",)
        assert merge("alpha = 2\nbeta = 2\n", done, open_) == ("alpha = 2\nbeta = 2\n", "done")


class TestSequence:
    """Blocks that build on each other, or get in each other's way."""

    def test_later_block_may_match_what_an_earlier_one_wrote(self):
        """Other tools apply these formats block by block."""
        blocks = hunk("one", "two"), hunk("two", "three", 2)
        assert merge("zero\none\n", *blocks) == ("zero\nthree\n", "exact")

    def test_diff_hunks_are_all_read_against_the_file(self):
        """A diff describes one old file and one new one."""
        assert merge("zero\none\n", hunk("one", "two"), hunk("two", "three", 2), form="udiff") == (
            "not_found",
        )

    def test_changes_of_the_same_line_are_refused(self):
        """Two hunks cannot both decide what a line becomes."""
        both = hunk("one", "two"), hunk("one", "three", 2)
        assert merge("one\n", *both, form="v4a") == ("overlap",)
        assert merge("one\n", *both) == ("overlap",)

    def test_block_that_is_given_twice_is_applied_once(self):
        """A model that repeats itself means one change."""
        assert merge("one\n", hunk("one", "two"), hunk("one", "two", 2)) == ("two\n", "exact")

    def test_shared_context_is_no_overlap(self):
        """Only changed lines count."""
        hunks = hunk("a\nb\nc", "A\nb\nc"), hunk("b\nc\nd", "b\nc\nD", 2)
        assert merge("a\nb\nc\nd\n", *hunks, form="udiff") == ("A\nb\nc\nD\n", "exact")


class TestMessages:
    """A refusal is enough to write the edit again."""

    def test_missing_lines_are_shown_beside_the_nearest(self):
        """Names the hunk, the lines that were meant, and how they differ."""
        question = ask(
            "def f():\n    a = 1\n    return a\n", hunk("    a = 2\n    return a", "    return 0", 3)
        )
        assert question.nearest is not None
        assert (question.nearest.first, question.nearest.last) == (2, 3)
        assert question.edit_line == 30
        assert question.message == (
            "hunk 3 (edit line 30): its SEARCH ('a = 2' and 1 more line) is not in the file; "
            "did you mean lines 2-3?\n-     a = 2\n+     a = 1\n      return a"
        )

    def test_all_places_are_named(self):
        """Each candidate tells its lines, its definition and what would become of the file."""
        text = "def f():\n    x\ndef g():\n    x\n"
        question = ask(text, hunk("    x", "    y"))
        assert question.message == (
            "hunk 1 (edit line 10): 'x' fits at 2 places: line 2 (in 'def f():'); line 4 (in 'def g():')"
        )
        assert [splice(from_text(text), one.splices).text for one in question.candidates] == [
            "def f():\n    y\ndef g():\n    x\n",
            "def f():\n    x\ndef g():\n    y\n",
        ]

    def test_candidate_holds_the_other_hunks_too(self):
        """Picking it answers the only question, so it is the whole merge."""
        question = ask("a\nb\nend\na\nb\n", hunk("b", "c"), hunk("end", "END", 2))
        assert [splice(from_text("a\nb\nend\na\nb\n"), one.splices).text for one in question.candidates] == [
            "a\nc\nEND\na\nb\n",
            "a\nb\nEND\na\nc\n",
        ]
