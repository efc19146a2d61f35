"""What becomes of names and their words."""

from __future__ import annotations

from math import log1p

import pytest

from fastapply.merge.certainty.terms import Terms
from fastapply.types import Splice

FILE = [
    "impl Debug for Lite<Block> {",
    "    fn fmt() { write(self.block) }",
    "}",
    "",
    "impl Debug for Lite<Table> {",
    "    fn fmt() { write(self.table) }",
    "}",
    "",
    "impl Debug for Lite<Chair> {",
    "    fn fmt() { write(self.chair) }",
    "}",
]
EDIT = [
    "// ...",
    *FILE[:3],
    "",
    "impl Debug for Lite<Lamp> {",
    "    fn fmt() { write(self.lamp) }",
    "}",
    "// ...",
]
NEW = ("impl Debug for Lite<Lamp> {", "    fn fmt() { write(self.lamp) }")
SAID = "I will implement Debug for Lite<Lamp>."


def test_sibling_that_is_replaced_loses_words_of_which_nobody_spoke():
    """`table` goes, of which nobody spoke; both lines are built as their successors."""
    features = Terms(FILE, EDIT, SAID).of([Splice(4, 6, NEW)])
    assert features["terms.unsaid"] == pytest.approx(log1p(1)), "`table` is gone, and nobody said so"
    assert features["terms.said_more"] == pytest.approx(log1p(1)), "`lamp` is what was spoken of"
    assert features["terms.sibling"] == 1, "both lines are built as their successors, and others are too"
    assert "terms.said_gone" not in features


def test_entry_that_is_put_in_takes_nothing_away():
    """Nothing goes."""
    features = Terms(FILE, EDIT, SAID).of([Splice(4, 4, (*NEW, "}", ""))])
    assert not {"terms.unsaid", "terms.sibling", "terms.hidden"} & set(features)
    assert features["terms.said_more"] > 0


def test_name_that_was_said_and_stands_nowhere_any_more():
    """It was to go."""
    gone = Terms(FILE, EDIT, "I will replace Table by Lamp.").of([Splice(4, 6, NEW)])
    assert gone["terms.said_gone"] == pytest.approx(log1p(1))
    assert "terms.unsaid" not in gone, "it was spoken of"


def test_lines_that_a_marker_names_are_hidden_ones():
    """It says that they stay."""
    edit = [FILE[0], "// ... table and chair ..."]
    features = Terms(FILE, edit, "").of([Splice(4, 6, NEW)])
    assert features["terms.marked"] > 0
    assert features["terms.unsaid_hidden"] == pytest.approx(log1p(1))
    assert "terms.marked" not in Terms(FILE, ["// ...", FILE[0], "// ..."], "").of([Splice(4, 6, NEW)])


def test_rare_names_between_two_shown_lines_are_told_from_hidden_ones():
    """What the edit shows on both sides of them makes the difference."""
    shown = Terms(FILE, [*FILE[:4], *FILE[7:]], "").of([Splice(4, 7, ())])
    assert shown["terms.rare"] == pytest.approx(log1p(2))
    assert not shown.keys() & {"terms.rare_hidden", "terms.hidden"}
    hidden = Terms(FILE, FILE[:4], "").of([Splice(4, 7, ())])
    assert hidden["terms.rare_hidden"] == pytest.approx(log1p(2))
    assert "terms.rare" not in hidden


def test_new_lines_that_have_the_rare_names_of_those_below_them():
    """They resemble what they leave there."""
    features = Terms(FILE, EDIT, "").of([Splice(5, 5, ("    fn fmt() { write(self.table).end() }",))])
    assert features["terms.kept_below"] == 1


def test_nothing_that_changes_has_no_features():
    """White space is no change of names."""
    assert Terms(FILE, EDIT, SAID).of([Splice(4, 6, ("  " + FILE[4], FILE[5]))]) == {}
    assert Terms(FILE, EDIT, SAID).of([]) == {}
    assert Terms([], EDIT, SAID).of([Splice(0, 0, NEW)])["terms.said_more"] > 0
