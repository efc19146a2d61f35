"""The table of the README, counted anew on a sample of its sets."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from fastapply_lab.evaluate.figures import HEAD, REFUSE, SETS, row_of
from fastapply_lab.train.ruler import Row

ROOT = Path(__file__).parents[3]


def test_a_row_counts_what_is_right_refused_and_wrong():
    """What must be refused is right where it is refused, and wrong where it is written."""
    outcomes = ("exact", "right", "refused", "wrong")
    clear = [Row(outcome, False, outcome, "", 1.0) for outcome in outcomes]
    assert row_of("some", clear) == "| some | 4 | 2 (50.0 %) | 1 | 1 |"
    refuse = [Row(outcome, True, outcome, "", 1.0) for outcome in ("refused", "wrong")]
    assert row_of(REFUSE, refuse) == f"| {REFUSE} | 2 | 1 | 1 | 1 |"


def test_figures_of_a_sample_are_a_table_of_all_sets():
    """Ten edits of each; none of them is silently wrong, as in the README."""
    done = subprocess.run(
        [sys.executable, "-m", "fastapply_lab", "figures", "--sample", "10", "--jobs", "1"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    head, rows = done.stdout[: len(HEAD)], done.stdout[len(HEAD) :].strip().splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert head == HEAD
    assert [row[0] for row in cells] == [*SETS, REFUSE]
    assert sum(int(row[1]) for row in cells) == 10 * len(SETS)
    assert [row[4] for row in cells] == ["0", "0", "0"]


def test_the_readme_has_the_rows_of_all_sets():
    """By the names that the command prints."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    everyday, commits = SETS
    assert f"| {everyday} | 149 |" in text
    assert f"| {commits} | 162 |" in text
    assert f"| {REFUSE} | 16 |" in text
