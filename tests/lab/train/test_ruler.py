"""The ruler: what counts as right, refused and wrong, and the line of a set."""

from __future__ import annotations

from fastapply.evaluate.cases import Case
from fastapply_lab.train.ruler import measure, row_of

FILE = "a = 1\nb = 2\n"
BLOCK = "<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n"


def case(expected: str | None, *, search: str = "b = 2", must_refuse: bool = False) -> Case:
    """A one-block edit of the file."""
    return Case("x", "x.py", FILE, BLOCK.format(search, "b = 3"), expected, must_refuse=must_refuse)


def test_outcomes() -> None:
    """Bytes, blank lines aside, another text, and a refusal."""
    assert measure(case("a = 1\nb = 3\n")).outcome == "exact"
    assert measure(case("a = 1\n\nb = 3\n")).outcome == "right"
    assert measure(case("a = 1\nb = 4\n")).outcome == "wrong"
    refused = measure(case("a = 1\nb = 3\n", search="c = 9"))
    assert (refused.outcome, refused.why.partition(":")[0]) == ("refused", "not_found")


def test_a_written_merge_that_must_be_refused_counts_as_wrong() -> None:
    """So does nothing else of such a case."""
    rows = [
        measure(case("a = 1\nb = 3\n")),
        measure(case(None, must_refuse=True)),
        measure(case(None, search="c = 9", must_refuse=True)),
    ]
    assert row_of("set", rows).split()[1:-1] == ["1", "1", "100.0%", "1", "0", "1", "2", "1"]
