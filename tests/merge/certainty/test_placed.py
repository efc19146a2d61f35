"""Where the instructions say that something stands, and what they say stays or is replaced."""

from __future__ import annotations

import pytest

from fastapply.merge.certainty.changes import Change
from fastapply.merge.certainty.placed import placed_of, read_places
from fastapply.merge.certainty.said import count_stems
from fastapply.merge.lines import line_table

LINES = """\
def load(path):
    return read(path)


def save(path):
    write(path)


def main():
    load("a")
    save("a")
""".splitlines()
NEW = ("def check(path):", "    return bool(path)", "")
AFTER_LOAD, AFTER_SAVE, AT_END = Change(3, 3, NEW), Change(7, 7, NEW), Change(11, 11, NEW)


def features(said: str, *changes: Change) -> dict[str, float]:
    """Features of changes of the file above."""
    return placed_of(read_places(said, count_stems(LINES)), line_table(LINES), changes)


@pytest.mark.parametrize(
    ("said", "there", "elsewhere"),
    [
        ("I will add check after load", AFTER_LOAD, AFTER_SAVE),
        ("I will add check before `main`.", AFTER_SAVE, AFTER_LOAD),
        ("I will put check between load and save", AFTER_LOAD, AFTER_SAVE),
        ("Put this next to main:", AT_END, AFTER_LOAD),
    ],
)
def test_a_change_where_it_was_said_to_be_has_the_feature(said, there, elsewhere):
    """And at another place the other one."""
    assert features(said, there).get("told.placed", 0) > features(said, elsewhere).get("told.placed", 0)
    assert features(said, elsewhere)["told.misplaced"] > features(said, there).get("told.misplaced", 0)


def test_the_end_of_the_file_is_told_from_other_places():
    """Closing lines may follow."""
    assert features("I will append check at the end of the file", AT_END) == {"told.end_file": 1.0}
    assert features("I will append check at the end of the file", Change(5, 5, ("    x = 1",))) == {
        "told.end_missed": 1.0
    }


def test_what_is_said_to_stay_and_goes_is_a_feature():
    """By the words of the clause that says so."""
    said = "I will add check (save stays)"
    assert features(said, AFTER_LOAD) == {"told.stay_kept": 1.0}
    assert features(said, Change(4, 6, NEW))["told.stay_lost"] == 1.0


def test_what_is_said_to_be_replaced_and_stays_is_a_feature():
    """Its twin is the merge in which it goes."""
    said = "I will rename save to store"
    assert features(said, Change(4, 5, ("def store(path):",)), Change(10, 11, ('    store("a")',))) == {
        "told.swapped": 1.0
    }
    assert features(said, Change(7, 7, ("def store(path):", "    write(path)")))["told.unswapped"] == 1.0


def test_nothing_said_about_places_is_no_feature():
    """Words that the file does not have are none either."""
    assert features("I will add check", AFTER_LOAD) == {}
    assert features("I will add check after lunch", AFTER_LOAD) == {}


def test_what_new_lines_are_said_to_stand_beside_is_not_gone():
    """A merge that replaces it is not the one that was spoken of."""
    said = "I will add check after load"
    assert "told.place_lost" not in features(said, AFTER_LOAD)
    assert features(said, Change(0, 3, NEW))["told.place_lost"] == 1.0
