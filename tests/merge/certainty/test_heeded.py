"""What words ask for and a merge does not do: each feature where it speaks, and one where it does not."""

from __future__ import annotations

import pytest

from fastapply.merge.certainty.heeded import Heeded
from fastapply.merge.certainty.said import count_stems, phrases_of_removal
from fastapply.merge.lines import line_table
from fastapply.types import Splice

SHOP = """\
import json
import logging

log = logging.getLogger(__name__)

LIMIT = 20
timeout = 5

class Cart:
    def get(self, key):
        return self.items[key]

    def legacy_total(self):
        return sum(self.items.values())
""".splitlines()


def features(said: str, *splices: Splice) -> dict[str, float]:
    """What is found about changes of the shop, zeros left out."""
    heeded = Heeded(line_table(SHOP, "python"), (), said, count_stems(SHOP))
    return {name: value for name, value in heeded.of(splices).items() if value}


CASES = {
    "a definition that is said to go": (
        "heed.stays",
        ("remove legacy_total from Cart", Splice(6, 7, ("timeout = 6",))),
        ("remove legacy_total from Cart", Splice(11, 14, ())),
    ),
    "what is said not to be needed": (
        "heed.stays",
        ("The `timeout` isn't needed any more.", Splice(5, 6, ("LIMIT = 30",))),
        ("The `timeout` isn't needed any more.", Splice(6, 7, ())),
    ),
    "a function that is to be added": (
        "heed.replaced",
        (
            "add a second get right after the existing one",
            Splice(9, 10, ("    def get(self, key, other=None):",)),
        ),
        (
            "add a second get right after the existing one",
            Splice(11, 11, ("    def get(self, key, other):", "        return other", "")),
        ),
    ),
    "a name that goes though words only add": (
        "heed.taken_over",
        ("I will add a size limit", Splice(6, 7, ("size = 5",))),
        ("I will add a size limit", Splice(6, 7, ("timeout = 5", "size = 5"))),
    ),
    "imports below the code": (
        "heed.import_below",
        ("", Splice(14, 14, ("", "import os"))),
        ("", Splice(2, 2, ("import os",))),
    ),
    "the same import in another way": (
        "heed.import_again",
        ("", Splice(1, 1, ("import json as _json",))),
        ("", Splice(0, 1, ("import json as _json",))),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_feature_speaks_where_words_are_not_followed(name):
    """The second merge does what they ask for, or nothing is asked."""
    feature, (said, wrong), (told, right) = CASES[name]
    assert features(said, wrong).get(feature, 0.0) > 0
    assert feature not in features(told, right)


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("I will remove the flag and its test", ["the flag", "its test"]),
        ("delete parse from util so that nothing is parsed twice", ["parse"]),
        ("the `Trie` import is superfluous", ["the `Trie` import"]),
        ("The old return and the os import go.", ["The old return", "the os import"]),
        ("the new key goes after name", []),
        ("add a key", []),
    ],
)
def test_each_thing_that_is_said_to_go_is_a_phrase(text, things):
    """By itself, without what it is taken from and why; a place is none."""
    assert phrases_of_removal(text) == things
