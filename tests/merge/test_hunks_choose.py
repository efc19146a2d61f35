"""Which of several places is meant, and what does not tell."""

from __future__ import annotations

import pytest

from fastapply.merge.hunks import merge_hunks
from fastapply.text import from_text, splice
from fastapply.types import Hunk, HunkList, Segment

TEXT = "top\ndef f():\n    x = 1\n    return x\nmiddle\ndef g():\n    x = 1\n    return x\nbottom\n"


def hunk(before, after, number=1, **more):
    """A hunk of one segment, from texts."""
    segment = Segment(tuple(before.splitlines()), tuple(after.splitlines()))
    return Hunk(number, 10 * number, (segment,), **more)


def lines_changed(*hunks, form, text=TEXT, instructions=""):
    """The 1-based lines that change, or the reasons of the questions."""
    source = from_text(text)
    proposal = merge_hunks(source, HunkList(form, hunks), instructions=instructions)
    if not proposal.certain:
        return tuple(question.reason for question in proposal.questions)
    assert splice(source, proposal.splices).text != text
    return [change.start + 1 for change in proposal.splices]


TOP, MIDDLE, BOTTOM = (hunk(word, word.upper()) for word in ("top", "middle", "bottom"))
TWICE = hunk("    x = 1", "    x = 2")


def numbered(*hunks):
    """The hunks with their numbers in the edit."""
    return tuple(
        Hunk(i, i, one.segments, one.scopes, one.heading, one.old_start) for i, one in enumerate(hunks, 1)
    )


class TestOrder:
    """Hunks come in the order of the file, as a habit."""

    @pytest.mark.parametrize("form", ["search_replace", "udiff", "v4a"])
    def test_hunk_between_two_others_goes_between_their_places(self, form):
        """Both neighbours have one place and stand in order."""
        assert lines_changed(*numbered(TOP, TWICE, MIDDLE), form=form) == [1, 3, 5]
        assert lines_changed(*numbered(MIDDLE, TWICE, BOTTOM), form=form) == [5, 7, 9]

    def test_one_neighbour_is_enough_only_where_order_is_the_rule(self):
        """V4A hunks follow each other; SEARCH blocks only mostly do."""
        assert lines_changed(*numbered(MIDDLE, TWICE), form="v4a") == [5, 7]
        assert lines_changed(*numbered(MIDDLE, TWICE), form="search_replace") == ("ambiguous",)

    def test_string_replacements_have_no_order(self):
        """Each call stands for itself."""
        assert lines_changed(*numbered(TOP, TWICE, MIDDLE), form="str_replace") == ("ambiguous",)

    def test_order_tells_nothing_once_it_is_broken(self):
        """Hunks out of order may stand anywhere."""
        assert lines_changed(*numbered(BOTTOM, TOP, TWICE, MIDDLE), form="udiff") == ("ambiguous",)
        assert lines_changed(*numbered(BOTTOM, MIDDLE, TOP), form="udiff") == [1, 5, 9]

    def test_as_many_equal_hunks_as_places_go_one_each(self):
        """Two blocks with the same SEARCH for the two places where it stands."""
        pair = numbered(TWICE, hunk("    x = 1", "    x = 3"))
        assert lines_changed(*pair, form="search_replace") == [3, 7]
        assert lines_changed(*pair, form="search_replace", text=TEXT + TEXT) == ("ambiguous", "ambiguous")

    def test_place_that_another_hunk_changes_is_free_for_no_other(self):
        """What one hunk removes, the other cannot mean."""
        whole = hunk("def f():\n    x = 1", "def f():\n    pass")
        assert lines_changed(*numbered(whole, TWICE), form="udiff") == [3, 7]


class TestLineNumbers:
    """Line numbers of a diff are a hint, since models make them up."""

    @pytest.mark.parametrize(("stated", "line"), [(3, 3), (7, 7)])
    def test_stated_line_that_hits_a_place_tells(self, stated, line):
        """Exactly there is more than chance."""
        assert lines_changed(hunk("    x = 1", "    y", old_start=stated), form="udiff") == [line]

    @pytest.mark.parametrize("stated", [None, 1, 5, 40])
    def test_stated_line_between_places_tells_nothing(self, stated):
        """Neither place is clearly nearer."""
        assert lines_changed(hunk("    x = 1", "    y", old_start=stated), form="udiff") == ("ambiguous",)

    def test_numbers_that_are_wrong_elsewhere_tell_nothing(self):
        """One hunk that is off shows that the numbers are made up."""
        hunks = numbered(hunk("bottom", "B", old_start=4), hunk("    x = 1", "    y", old_start=7))
        assert lines_changed(*hunks, form="udiff") == ("ambiguous",)

    def test_numbers_that_are_a_little_off_tell_places_far_apart(self):
        """The file has 60 lines between the two."""
        text = TEXT.replace("middle\n", "middle\n" + "filler\n" * 60)
        other, one = hunk("middle", "m", old_start=7), hunk("    x = 1", "    y", old_start=70)
        assert lines_changed(*numbered(other, one), form="udiff", text=text) == [5, 67]
        far = hunk("    x = 1", "    y", old_start=40)
        assert lines_changed(*numbered(hunk("bottom", "b", old_start=72), far), form="udiff", text=text) == (
            "ambiguous",
        )

    def test_right_diff_is_applied_where_it_says(self):
        """Counts and lines right, as git apply would, although the context stands twice."""
        one = hunk("    x = 1\n    return x", "    x = 1\n    return y", old_start=7, counts_right=True)
        assert lines_changed(one, form="udiff") == [8]

    def test_diff_without_context_needs_a_hunk_that_proves_its_numbers(self):
        """A bare line number is no evidence by itself."""
        bare = hunk("", "new", old_start=4, counts_right=True)
        proof = hunk("middle", "MIDDLE", 2, old_start=5, counts_right=True)
        assert lines_changed(bare, form="udiff") == ("no_context",)
        assert lines_changed(bare, proof, form="udiff") == [5, 5]


class TestNames:
    """Definitions that the edit names."""

    def test_heading_of_a_diff_tells_the_definition(self):
        """Git writes it behind the second @@."""
        assert lines_changed(hunk("    x = 1", "    y", heading="def g():"), form="udiff") == [7]
        assert lines_changed(hunk("    x = 1", "    y", heading="def h():"), form="udiff") == ("ambiguous",)

    @pytest.mark.parametrize(
        ("instructions", "expected"),
        [
            ("I will change g.", [7]),
            ("I will change `f` only", [3]),
            ("Change f like g.", ("ambiguous",)),
            ("Change x.", ("ambiguous",)),
            ("", ("ambiguous",)),
        ],
    )
    def test_instructions_tell_when_they_name_one_definition(self, instructions, expected):
        """Two names, or none, decide nothing."""
        assert lines_changed(TWICE, form="search_replace", instructions=instructions) == expected

    @pytest.mark.parametrize(
        ("instructions", "expected"),
        [
            ("B.get counts from 1", [9]),
            ("change get of class A", [3]),
            ("in A, put counts from 1", [5]),
            ("A#put", [5]),
            ("get", ("ambiguous",)),
            ("get counts as A does", ("ambiguous",)),
            ("A.get as in A.put", ("ambiguous",)),
        ],
    )
    def test_instructions_may_name_a_member_by_its_class(self, instructions, expected):
        """The names are beside each other: else another one may be meant."""
        text = "class A:\n    def get():\n        x = 1\n    def put():\n        x = 1\n\n"
        text += "class B:\n    def get():\n        x = 1\n"
        one = hunk("        x = 1", "        x = 2")
        assert lines_changed(one, form="search_replace", text=text, instructions=instructions) == expected

    @pytest.mark.parametrize(
        ("text", "helps"),
        [
            (TEXT, True),
            ("# A\n    x = 1\n\n# B\n    x = 1\n", False),
            (f"{TEXT}def g():\n    x = 1\n", False),
        ],
        ids=["each in a definition of its own", "in none", "two of one name"],
    )
    def test_the_hint_tells_of_names_where_they_decide(self, text, helps):
        """Each place has a name of its own."""
        (question,) = merge_hunks(from_text(text), HunkList("search_replace", (TWICE,))).questions
        assert ("name the enclosing definition" in question.hint) is helps

    def test_clues_that_disagree_decide_nothing(self):
        """The heading says one place, the stated line another."""
        one = hunk("    x = 1", "    y", heading="def g():", old_start=3)
        assert lines_changed(one, form="udiff") == ("ambiguous",)


class TestScopes:
    """V4A scope lines say where to look."""

    @pytest.mark.parametrize(
        "scope",
        ["def g():", "  def g():", "def g()", "def g(self, other):"],
        ids=["as is", "indented", "bare", "more"],
    )
    def test_hunk_is_looked_for_below_its_scope(self, scope):
        """A scope line may be written a little differently."""
        assert lines_changed(hunk("    x = 1", "    y", scopes=(scope,)), form="v4a") == [7]

    def test_scopes_nest(self):
        """Each is looked for inside the one before it."""
        text = "class A:\n    def f(self):\n        x\nclass B:\n    def f(self):\n        x\n"
        one = hunk("        x", "        y", scopes=("class B:", "def f(self):"))
        assert lines_changed(one, form="v4a", text=text) == [6]
        shallow = hunk("        x", "        y", scopes=("def f(self):",))
        assert lines_changed(shallow, form="v4a", text=text) == ("ambiguous",)

    def test_scope_that_is_missing_is_refused(self):
        """Even where the lines themselves stand once."""
        assert lines_changed(hunk("middle", "m", scopes=("def h():",)), form="v4a") == ("not_found",)

    def test_hunk_that_only_adds_below_a_scope_is_refused(self):
        """It could go to the start of the block or to its end."""
        assert lines_changed(hunk("", "    new", scopes=("def g():",)), form="v4a") == ("no_context",)

    def test_hunk_that_only_adds_goes_to_the_end_of_the_file(self):
        """That is what V4A says of a hunk without context."""
        assert lines_changed(hunk("", "new"), form="v4a") == [10]

    def test_end_of_file_prefers_the_place_that_ends_it(self):
        """The marker is enough to tell it from the others."""
        text = "a\nb\na\n"
        assert lines_changed(hunk("a", "c", at_end=True), form="v4a", text=text) == [3]
        assert lines_changed(hunk("a", "c"), form="v4a", text=text) == ("ambiguous",)
