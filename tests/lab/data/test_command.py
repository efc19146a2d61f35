"""`fastapply dataset write-edits`: how it ends where it cannot begin."""

from __future__ import annotations

import pytest

from fastapply.cli import main

pytestmark = pytest.mark.usefixtures("licences")
WRITE = ("dataset", "write-edits", "--endpoint", "http://127.0.0.1:9")


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ([], 2, "no repositories given"),
        (["--repo", "none"], 4, "none is not a git repository"),
        (["--repos", "none.txt"], 4, "cannot read none.txt"),
        (["--repo", ".", "--longest", "3"], 2, "longest"),
        (["--repo", ".", "--jobs", "0"], 2, "jobs"),
    ],
)
def test_what_makes_no_sense_is_refused(  # noqa: PLR0917
    tmp_path, monkeypatch, capsys, arguments, status, said
):
    """With one line that says so, and nothing written."""
    monkeypatch.chdir(tmp_path)
    assert main([*WRITE, "--out", "out", *arguments]) == status
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_missing_extra_is_named_in_one_line(tmp_path, monkeypatch, capsys):
    """With the command that installs it, and the status of model trouble."""
    monkeypatch.setattr("fastapply_lab.train.find_spec", lambda name: None if name == "ukkonen" else object())
    assert main([*WRITE, "--repo", ".", "--out", str(tmp_path / "out")]) == 5
    assert "ukkonen: not installed [not_installed]" in capsys.readouterr().err
