"""Every case folder with `--smooth` in a real repository: mended with its findings, or as without it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from fastapply.cli import main

CASES = sorted((Path(__file__).parent / "cases").iterdir())


@pytest.fixture
def repository(request, tmp_path, monkeypatch):
    """The case's files, tracked by git; the present folder."""
    import subprocess

    folder = tmp_path / "repository"
    shutil.copytree(request.param / "repository", folder)
    for arguments in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    monkeypatch.chdir(folder)
    return folder


def apply(case: Path, capsys, *options: str) -> tuple[int, dict[str, Any]]:
    """Apply the edit of a case; the exit status and the object of `--json`."""
    about = json.loads((case / "case.json").read_text(encoding="utf-8"))
    status = main(["apply", "--json", *options, about["file"], str(case / "edit.txt")])
    return status, json.loads(capsys.readouterr().out)


def parameters():
    """All cases, each for the fixture and for the test."""
    return [pytest.param(case, case, id=case.name) for case in CASES]


@pytest.mark.parametrize(("repository", "case"), parameters(), indirect=["repository"])
def test_smoothing_mends_and_says_so_or_touches_nothing(repository, case, capsys):
    """A twin comes out as it does without smoothing."""
    about = json.loads((case / "case.json").read_text(encoding="utf-8"))
    file = repository / about["file"]
    before = file.read_text(encoding="utf-8")
    expected = next(case.glob("expected*"), None)
    status, said = apply(case, capsys, "--smooth")
    if expected is None:
        assert (status, file.read_text(encoding="utf-8")) == (1, before)
        assert [one["code"] for one in said["findings"]] != ["smoothed"]
        return
    assert file.read_text(encoding="utf-8") == expected.read_text(encoding="utf-8"), said
    assert status == 0
    assert said["findings"] == [
        {"code": "smoothed", "message": message, "line": line} for message, line in about["smoothed"]
    ]


@pytest.mark.parametrize(("repository", "case"), parameters(), indirect=["repository"])
def test_nothing_is_mended_where_nobody_asked_for_it(repository, case, capsys):
    """The default: an edit goes in as it is, or not at all."""
    about = json.loads((case / "case.json").read_text(encoding="utf-8"))
    _, said = apply(case, capsys)
    assert "smoothed" not in [one["code"] for one in said["findings"]]
    expected = next(case.glob("expected*"), None)
    text = (repository / about["file"]).read_text(encoding="utf-8")
    assert expected is None or (text == expected.read_text(encoding="utf-8")) == (not about["smoothed"])
