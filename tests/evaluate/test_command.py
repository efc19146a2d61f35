"""`fastapply evaluate` from the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from making import BLOCK, WANTED, case, cases_file, make_run, record, some_records, tool

from fastapply.cli import main
from fastapply.evaluate.records import read_records, read_settings

FOLDERS = Path(__file__).parents[1] / "cases"
MISSING = BLOCK.replace("saving %s", "nothing of this")


@pytest.fixture
def source(tmp_path):
    """Three cases: one that fits, one that does not, and one whose result is not known."""
    cases = [case(1), case(2, edit=MISSING, format="other"), case(3, expected=None)]
    return cases_file(tmp_path / "cases.jsonl", *cases)


def test_run_counts_what_came_of_the_cases(source, tmp_path, capsys):
    """In tables, and in two lines that say it all."""
    run = str(tmp_path / "run")
    assert main(["evaluate", "run", source, "--engine", "deterministic", "--out", run, "--show"]) == 0
    said = capsys.readouterr().out
    assert "refused          store/2  not_found" in said
    assert "3 cases: 1 right (33.3 %, 6.1 to 79.2 %): exact 1, blank lines 0, same code 0; refused 1" in said
    assert "1 whose right result is not known" in said
    settings = read_settings(Path(run))
    assert (settings["engine"], settings["cases"], settings["limit"]) == ("deterministic", [source], 60)
    assert {one.case.id for one in read_records(Path(run))} == {"store/1", "store/2", "store/3"}


def test_run_as_json(source, tmp_path, capsys):
    """The same counts for programs."""
    run = str(tmp_path / "run")
    assert main(["evaluate", "run", source, "--engine", "deterministic", "--out", run, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["tried"], found["exact"], found["refused"]) == (3, 1, 1)
    assert [row["format"] for row in found["groups"]["format"]] == ["other", "search"]


def test_case_folders_come_out_as_their_own_tests_say(tmp_path, capsys):
    """None is written wrong, and those that must be refused are right when they are."""
    run = str(tmp_path / "run")
    command = ["evaluate", "run", str(FOLDERS), "--engine", "deterministic", "--out", run, "--only", "00"]
    assert main(command) == 0
    assert "not as expected 0" in capsys.readouterr().out


def test_another_tool_beside_ours(source, tmp_path, capsys):
    """`compare` has a column each; formats that the tool does not know are not applicable."""
    ours, other = str(tmp_path / "ours"), str(tmp_path / "other")
    writes = tool(tmp_path, f"open(F, 'w', newline='').write({WANTED!r})")
    assert main(["evaluate", "run", source, "--engine", "deterministic", "--out", ours]) == 0
    command = ["evaluate", "run", source, "--cmd", writes, "--format", "search", "--out", other]
    assert main([*command, "--name", "their tool"]) == 0
    capsys.readouterr()
    assert main(["evaluate", "compare", ours, other, "--show"]) == 0
    said = capsys.readouterr().out
    assert re.match(r"outcome +ours +their tool\n", said)
    assert "store/2: refused, n/a" in said
    assert "3 cases in common, 1 with different outcomes" in said
    assert main(["evaluate", "compare", ours, other, "--json", "--by", "language"]) == 0
    assert json.loads(capsys.readouterr().out)["differences"] == [
        {"id": "store/2", "outcomes": ["refused", "not_applicable"]}
    ]


def test_merges_that_are_given_are_classed_as_others_are(tmp_path, capsys):
    """Nothing is applied; a line without a merge counts as refused."""
    source = cases_file(tmp_path / "cases.jsonl", case(1, merged=WANTED), case(2, merged=""), case(3))
    assert main(["evaluate", "run", source, "--given", "--out", str(tmp_path / "run")]) == 0
    outcomes = {one.case.id: one.verdict.outcome for one in read_records(tmp_path / "run")}
    assert outcomes == {"store/1": "correct", "store/2": "truncation", "store/3": "refused"}
    assert "exact 1" in capsys.readouterr().out


def test_a_report_shows_the_tables_of_runs(tmp_path, capsys):
    """Of each under its name, as `run` shows them."""
    runs = [str(make_run(tmp_path / name, some_records())) for name in ("a", "b")]
    assert main(["evaluate", "report", *runs]) == 0
    first, second = capsys.readouterr().out.split("b\n\n")
    assert first == f"a\n\n{second}"
    assert second.startswith("outcome ")
    assert "6 cases: 2 right" in second


def test_a_report_is_written(tmp_path, capsys):
    """Of several runs, whose folders name them."""
    runs = [str(make_run(tmp_path / name, some_records())) for name in ("a", "b")]
    out = tmp_path / "report.html"
    assert main(["evaluate", "report", *runs, "-o", str(out)]) == 0
    assert capsys.readouterr().out.startswith(f"{out}: 6 cases, 0.")
    assert out.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "CASES", "--out", "run", "--cmd", "t {file}", "--engine", "model"], "--cmd cannot be used"),
        (["run", "CASES", "--out", "run", "--cmd", "t"], "names no {file}"),
        (["run", "CASES", "--out", "run", "--given", "--engine", "model"], "--given cannot be used"),
        (
            ["run", "CASES", "--out", "run", "--engine", "deterministic", "--model", "x"],
            "--engine deterministic cannot be used",
        ),
        (["run", "CASES", "--out", "run", "--endpoint", "nowhere"], "is not a URL"),
        (["run", "CASES", "--out", "run", "--only", "nothing"], "no cases found"),
        (["compare", "one"], "two or more runs"),
        (["compare", "one", "two", "--by", "mood"], "unknown --by value: mood"),
        (["judge", "RUN"], "no judge is set"),
        (["view", "EMPTY"], "has no results"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(  # noqa: PLR0917 - fixtures
    arguments, said, source, tmp_path, monkeypatch, capsys
):
    """With a message that says what."""
    monkeypatch.chdir(tmp_path)
    make_run(tmp_path / "one", [record(WANTED)])
    make_run(tmp_path / "empty", [])
    words = {"CASES": source, "RUN": "one", "EMPTY": "empty"}
    assert main(["evaluate", *(words.get(word, word) for word in arguments)]) == 2
    assert said in capsys.readouterr().err


def test_a_folder_that_is_no_run_is_trouble(tmp_path, capsys):
    """And says what makes one."""
    assert main(["evaluate", "align", str(tmp_path)]) == 4
    assert "create one with fastapply evaluate run CASES --out RUN" in capsys.readouterr().err
