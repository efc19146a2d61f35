"""`fastapply dataset build`: what it prints, and how it ends."""

from __future__ import annotations

import pytest
from histories import make_repo

from fastapply.cli import main
from fastapply.dataset.windows import read_windows

pytestmark = pytest.mark.usefixtures("licences")


def test_data_is_made_of_a_list(repos, tmp_path, capsys):
    """Three files and a page; a repository without a licence is named."""
    make_repo(tmp_path / "closed")
    listed = tmp_path / "list.txt"
    listed.write_text(f"{repos['first']}\nvalid {repos['second']}\nclosed\n")
    out = tmp_path / "out"
    assert main(["dataset", "build", "--repos", str(listed), "--out", str(out), "--jobs", "1"]) == 0
    counts = [len(list(read_windows(out / f"{split}.jsonl"))) for split in ("train", "valid", "test")]
    assert min(counts[:2]) > 0
    assert counts[2] == 0
    assert capsys.readouterr().out == (
        f"first: {counts[0]} windows\nsecond: {counts[1]} windows\n"
        f"closed: left out, no permissive licence\n{sum(counts)} windows in {out}\n"
    )
    page = (out / "STATISTICS.md").read_text()
    assert f"{sum(counts)} windows of 2 repositories" in page
    assert "| closed | no permissive licence |" in page


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ([], 2, "no repositories given"),
        (["--repo", "none"], 4, "none is not a git repository"),
        (["--repos", "none.txt"], 4, "cannot read none.txt"),
        (["--repo", ".", "--negatives", "1.5"], 2, "negatives"),
        (["--repo", ".", "--jobs", "0"], 2, "jobs"),
    ],
)
def test_what_makes_no_sense_is_refused(  # noqa: PLR0917
    tmp_path, monkeypatch, capsys, arguments, status, said
):
    """With one line that says so, and nothing written."""
    monkeypatch.chdir(tmp_path)
    assert main(["dataset", "build", "--out", "out", *arguments]) == status
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_missing_extra_is_named_in_one_line(tmp_path, monkeypatch, capsys):
    """With the command that installs it, and the status of model trouble."""
    monkeypatch.setattr("fastapply.train.find_spec", lambda name: None if name == "ukkonen" else object())
    assert main(["dataset", "build", "--repo", ".", "--out", str(tmp_path / "out")]) == 5
    assert "ukkonen: not installed [not_installed]" in capsys.readouterr().err
