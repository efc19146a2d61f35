"""Features of whole results: what the instructions say goes, what an addition loses, imports left alone."""

from __future__ import annotations

import pytest

from fastapply.merge.certainty.outcome import Outcome
from fastapply.text import from_text, splice
from fastapply.types import Splice

POOL = """\
import java.util.List;
import java.util.concurrent.TimeoutException;

class Pool {
    private final List<String> names = List.of();

    void close() throws TimeoutException {
        names.clear();
    }

    int size() {
        return names.size();
    }
}
"""
PLAIN = Splice(6, 7, ("    void close() {",))
GONE = Splice(9, 12, ())
MORE = Splice(12, 12, ("", "    int spare() {", "        return 0;", "    }"))


def features_of(instructions: str, *splices: Splice, edit: tuple[str, ...] = ()) -> dict[str, float]:
    """Features of what splices make of the class."""
    source = from_text(POOL)
    outcome = Outcome(source.lines, edit, "java", instructions)
    return outcome.of(splice(source, splices).lines, splices)


@pytest.mark.parametrize(
    ("feature", "instructions", "bad", "good"),
    [
        pytest.param(
            "unused_import",
            "",
            (PLAIN,),
            (Splice(1, 2, ()), PLAIN),
            id="an import whose last use went",
        ),
        pytest.param(
            "told_definition_stays",
            "I will remove `size` from Pool and let close throw nothing.",
            (PLAIN,),
            (PLAIN, GONE),
            id="what is said to be removed",
        ),
        pytest.param(
            "only_adds_loses",
            "I will add a method for spare names.",
            (Splice(10, 13, ("    int spare() {", "        return 0;", "    }")),),
            (MORE,),
            id="a method in place of another one",
        ),
        pytest.param(
            "dots_left",
            "",
            (Splice(6, 7, ("    void close(...) {",)),),
            (PLAIN,),
            id="dots for the parameters",
        ),
    ],
)
def test_a_result_that_cannot_be_meant_has_the_feature_and_its_twin_has_not(feature, instructions, bad, good):
    """Both are results of the same instructions."""
    assert features_of(instructions, *bad).get(feature, 0.0) > 0
    assert feature not in features_of(instructions, *good)


def test_where_it_is_removed_from_is_not_what_is_removed():
    """`Pool` stays, and nobody said that it goes."""
    assert "told_definition_stays" not in features_of("I will drop size from Pool.", GONE)
    assert "told_definition_stays" not in features_of("I will drop the throws clause of close.", PLAIN)


def test_an_addition_may_add_to_a_line():
    """A line that stays with something more in it is not lost."""
    longer = Splice(6, 7, ("    void close() throws TimeoutException, Other {",))
    assert "only_adds_loses" not in features_of("I will add an exception.", longer)
    assert "only_adds_loses" not in features_of("I will add a flag and rename close.", GONE)
