"""What sort of change words speak of."""

from __future__ import annotations

import math

import pytest

from fastapply.merge.certainty.wording import (
    FILE,
    Wording,
    fates_of,
    load_wording,
    read_spoken,
    told_words,
)

EDIT = ["# ...", "def f():", "    return 1"]


def test_words_pairs_and_the_first_one():
    """Without "I will", endings and words that say nothing; pairs have these too."""
    found = read_spoken("I\u2019ll also rename the helpers", EDIT, 1).words
    assert set(found) == {
        "^renam", "renam", "helper", "renam_the", "the_helper", "#markers1", "#lines0", "#code",
    }  # fmt: skip


def test_words_around_the_code():
    """They count as well, but none of them is the first one."""
    found = read_spoken("Add a test\nHere is the change:\n", EDIT * 10, 9).words
    assert {"^add", "test", "here", "chang", "#chat", "#markers6", "#lines3"} <= set(found)
    assert not any(word.startswith("^") and word != "^add" for word in found)


def test_nothing_said():
    """What is left is how the edit looks."""
    found = read_spoken("", EDIT, 2)
    assert found.words == ("#code", "#lines0", "#markers2")
    assert found.mentions == ()


def test_what_is_said_is_weighed_against_what_changes():
    """Vectors of the words add up; a word that nobody knows counts nothing."""
    wording = Wording({"add": "1 0", "drop": "-1 2"}, {"shape.grows": "2 0", "skip": "0 3"}, {})
    alone, both = wording.reader(["add", "never"]), wording.reader(["add", "drop"])
    assert told_words(alone, {"shape.grows": 1.5, "skip": 9.0}) == pytest.approx(3.0)
    assert told_words(both, {"shape.grows": 1.5, "skip": 1.0}) == pytest.approx(6.0)
    assert wording.reader(["never"]) == {}


def test_names_with_the_words_before_them():
    """Each with the first word of its clause; words that say nothing are no mentions."""
    found = read_spoken("I will rename loadAll to fetchAll, after the tests", EDIT, 1).mentions
    assert [(one.before, one.first, sorted(one.stems)) for one in found] == [
        ("^", "renam", ["rename"]),
        ("renam", "renam", ["load"]),
        ("to", "renam", ["fetch"]),
        ("the", "after", ["test"]),
    ]


@pytest.mark.parametrize(
    ("hunks", "fate"),
    [
        ([(["load(1)", "load(2)"], ["fetch(1)"])], "gone"),
        ([(["load(1)"], ["load(2)"])], "touched"),
        ([(["load(1)"], ["fetch(1)"])], "less"),
        ([([], ["load(3)"])], "more"),
        ([([], ["other()"])], "still"),
    ],
)
def test_what_becomes_of_a_name(hunks, fate):
    """By the lines of the file that have it, two at first."""
    spoken = read_spoken("Drop load", EDIT, 1)
    found = fates_of(spoken.mentions, {"load": 2, "drop": 0}, hunks)
    assert set(found) == {f"drop _>{fate}", f"drop..._>{fate}", f"_>{fate}"}
    assert found[f"drop _>{fate}"] == pytest.approx(1 / (1 + math.log(2)))


def test_a_name_that_the_file_does_not_have():
    """It is new where lines with it come, and nothing otherwise."""
    spoken = read_spoken("Add fetchAll", EDIT, 1)
    assert fates_of(spoken.mentions, {}, [([], ["x = fetchAll()"])])["add _>new"] == 1
    assert fates_of(spoken.mentions, {}, [([], ["x = 1"])]) == {}


def test_weights_of_fates_add_up():
    """Those that nobody knows count nothing."""
    wording = Wording({}, {}, {"drop _>gone": 0.5})
    assert wording.of_fates({"drop _>gone": 2.0, "drop _>still": 1.0}) == 1.0


def test_the_file_that_ships():
    """All vectors are as long, and words for adding speak more for new lines than those for removing."""
    wording = load_wording(FILE)
    lengths = {
        len(vector.split()) for table in (wording.words, wording.features) for vector in table.values()
    }
    assert len(lengths) == 1
    added = told_words(wording.reader(["^add", "add"]), {"shape.hunks.insert": 1.0, "shape.comes": 2.0})
    removed = told_words(wording.reader(["^remov", "remov"]), {"shape.hunks.insert": 1.0, "shape.comes": 2.0})
    assert added > removed
