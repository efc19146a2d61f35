"""What an engineer stops at: each feature where it speaks, and beside it a merge of which it says nothing."""

from __future__ import annotations

import pytest

from fastapply.merge.certainty.contradictions import Contradictions, noted_stays
from fastapply.merge.elements import read_lazy
from fastapply.merge.lines import line_table
from fastapply.text import from_text
from fastapply.types import Splice

SHOP = """\
import json

class Cart:
    def get(self, key):
        return self.items[key]

    def total(self):
        return sum(self.items.values())

def load(path):
    return json.loads(path.read_text())

def main(path):
    return load(path)
"""


def features(said: str, *splices: Splice) -> set[str]:
    """Names of what is found about changes of the shop."""
    source = from_text(SHOP)
    table = line_table(source.lines, "python")
    return {
        name for name, value in Contradictions(source, table, said, "python").of(splices).items() if value
    }


CASES = {
    "a method twice": (
        "odd.twice",
        ("", Splice(6, 6, ("    def get(self, key):", "        return 1", ""))),
        ("", Splice(6, 6, ("    def pop(self, key):", "        return 1", ""))),
    ),
    "a class twice": (
        "odd.type_again",
        ("", Splice(11, 11, ("class Cart:", "    pass"))),
        ("", Splice(2, 3, ("class Cart(Base):",))),
    ),
    "a function that goes and is used": (
        "odd.dangling",
        ("", Splice(9, 11, ())),
        ("", Splice(9, 11, ("def load(path):", "    return path"))),
    ),
    "an import that nothing needs any more": (
        "odd.unused",
        ("", Splice(10, 11, ("    return path",))),
        ("", Splice(10, 11, ("    return json.loads(path)",))),
    ),
    "what the words name as a place goes": (
        "odd.place_gone",
        ("add pop after total", Splice(6, 8, ("    def pop(self):", "        return 1"))),
        ("replace total by pop", Splice(6, 8, ("    def pop(self):", "        return 1"))),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_feature_speaks_where_something_is_odd_and_only_there(name):
    """The second merge is like the first, and nothing is odd about it."""
    feature, (said, odd), (other, fine) = CASES[name]
    assert feature in features(said, odd)
    assert feature not in features(other, fine)


def test_what_a_note_says_was_removed_is_gone():
    """A merge that still defines it has not followed the edit."""
    file = line_table(SHOP.splitlines(), "python")
    edit = read_lazy(["# ...", "# (removed load)", "# ..."], file, "python")
    assert noted_stays(edit, SHOP.splitlines()) > 0
    assert noted_stays(edit, [line for line in SHOP.splitlines() if "def load" not in line]) == 0
