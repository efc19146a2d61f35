"""Counts, shares and intervals, and runs side by side."""

from __future__ import annotations

import pytest
from making import WANTED, case, record, some_records

from fastapply.errors import UsageError
from fastapply.evaluate.tables import (
    beside,
    differences,
    group_columns,
    group_table,
    latency_table,
    outcome_columns,
    outcome_table,
    pairs,
    percentile,
    sign_test,
    size_of,
    summary,
    sums,
    wilson,
)


def test_wilson_is_that_of_the_literature():
    """Newcombe 1998, table I: 81 of 263 and 0 of 20."""
    assert [round(end, 4) for end in wilson(81, 263)] == [0.2553, 0.3662]
    assert [round(end, 4) for end in wilson(0, 20)] == [0.0, 0.1611]
    assert wilson(0, 0) == (0.0, 1.0)


def test_percentile_is_the_nearest_rank():
    """Of ten values the median is the fifth, and 99 % the last."""
    values = list(map(float, range(1, 11)))
    assert [percentile(values, share) for share in (0.5, 0.9, 0.99, 1)] == [5, 9, 10, 10]
    assert percentile([], 0.5) == 0


def test_sign_test_counts_both_tails():
    """Five of five is one in sixteen; nothing is no evidence."""
    assert sign_test(5, 0) == pytest.approx(0.0625)
    assert sign_test(0, 0) == 1
    assert sign_test(3, 3) == 1


def test_sums_count_as_the_scorer_of_case_folders_does():
    """By bytes, blank lines, and what is neither; a refusal is no merge."""
    one = sums(some_records())
    assert (one.tried, one.exact, one.blank, one.same_code, one.refused, one.other) == (6, 1, 0, 1, 1, 3)
    assert (one.right, one.written) == (2, 5)


def test_a_summary_says_what_is_right_and_what_is_not():
    """With intervals, and what was not tried."""
    text = summary([*some_records(), record(None, case(9), status="not_applicable")])
    assert text.startswith("6 cases: 2 right (33.3 %, 9.7 to 70.0 %): exact 1, blank lines 0, same code 1;")
    assert "not as expected 3 (60.0 % of written, 23.1 to 88.2 %)" in text
    assert text.endswith("1 not tried")


def test_outcomes_are_listed_with_what_is_only_suggested():
    """In the order of the classes."""
    _, rows = outcome_table(some_records())
    assert [(row[0], row[1], row[4]) for row in rows] == [
        ("correct", "1", "0"),
        ("non-functional", "1", "0"),
        ("functional error", "1", "1"),
        ("hallucination", "1", "1"),
        ("truncation", "1", "1"),
        ("refused", "1", "0"),
    ]


def test_groups_have_a_row_each():
    """By format, with each outcome that occurs."""
    records = [record(WANTED, case(1, format="lazy")), record(None, case(2)), record(WANTED, case(3))]
    head, rows = group_table(records, "format")
    assert head == ("format", "cases", "right", "share", "95 %", "correct", "refused")
    assert [row[:4] + row[5:] for row in rows] == [
        ("lazy", "1", "1", "100.0 %", "1", ""),
        ("search", "2", "1", "50.0 %", "1", "1"),
    ]


def test_latency_is_told_as_percentiles_and_as_characters_a_second():
    """All of a merge over all of its time."""
    records = [record(WANTED, case(n), seconds=0.5) for n in range(3)]
    _, rows = latency_table(records)
    assert rows[0] == ("all", "3", "0.500", "0.500", "0.500", "0.500", f"{2 * len(WANTED):,}")


@pytest.mark.parametrize(
    ("lines", "size"), [(0, "1 to 100"), (99, "1 to 100"), (100, "101 to 300"), (5000, "1001 and more")]
)
def test_sizes_are_groups_of_lines(lines, size):
    """Of a file or an edit."""
    assert size_of("x\n" * lines) == size


def two_runs():
    """The first has 1 to 3 right, the second 3 and 4, and does not try 5."""
    wrong = WANTED.replace("unlink", "rename")
    first = [record(WANTED if n <= 3 else wrong, case(n), seconds=0.1) for n in range(1, 6)]
    second = [record(WANTED if n in {3, 4} else None, case(n), seconds=0.2) for n in range(1, 5)]
    second.append(record(None, case(5), status="not_applicable"))
    return beside({"one": first, "two": second})


def test_runs_are_put_side_by_side_on_their_common_cases():
    """A column each; what was not tried does not count."""
    head, rows = outcome_columns(two_runs())
    cells = {row[0]: row[1:] for row in rows}
    assert head == ("outcome", "one", "two")
    assert cells["correct"] == ("3", "2")
    assert cells["n/a"] == ("", "1")
    assert cells["right"] == ("3/5 60.0 % (23 to 88)", "2/4 50.0 % (15 to 85)")
    assert cells["median seconds"] == ("0.100", "0.200")


def test_a_group_that_was_not_tried_is_not_applicable():
    """And no share of zero."""
    runs = beside({"a": [record(WANTED)], "b": [record(None, status="not_applicable")]})
    assert group_columns(runs, "format")[1] == [("search", "1", "1/1 100.0 % (21 to 100)", "n/a")]


def test_pairs_say_what_only_one_has_right():
    """Of the cases that both tried, with the chance of so uneven a count."""
    assert pairs(two_runs())[1] == [("one", "two", "4", "2", "1", "1")]


def test_differences_name_the_cases():
    """With the outcome of each run."""
    assert [one.id for one in differences(two_runs())] == ["store/1", "store/2", "store/4", "store/5"]


def test_runs_without_a_common_case_cannot_be_compared():
    """There is nothing to compare."""
    with pytest.raises(UsageError, match="no cases in common"):
        beside({"a": [record(WANTED, case(1))], "b": [record(WANTED, case(2))]})
