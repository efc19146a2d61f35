"""Counting what came of edits whose answer is known."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from fastapply.evaluate.command import main
from fastapply.evaluate.edits import KnownEdit
from fastapply.evaluate.score import Outcome, apply_by_command, apply_in_process, dump_case, judge

if TYPE_CHECKING:
    from pathlib import Path

BLOCK = "<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n"
EDIT = KnownEdit(
    "1-aider", "r", "c", "a/f.py", "python", "search_replace", "aider", "one\ntwo\n", BLOCK, "one\n2\n"
)


@pytest.mark.parametrize(
    ("got", "outcome"),
    [("one\n2\n", "right"), ("one\n\n2 \n", "blank"), ("1\n2\n", "right"), ("one\ntwo\n", "wrong")],
)
def test_a_result_is_judged_by_its_bytes(got: str, outcome: str) -> None:
    """Right is the expected text or an accepted one; blank lines alone make it `blank`."""
    assert judge(replace(EDIT, accept=("1\n2\n",)), got) == outcome


def test_the_api_is_called_in_process() -> None:
    """A block that fits is right; one that does not is refused, with the reason."""
    assert apply_in_process(EDIT).outcome == "right"
    refused = apply_in_process(replace(EDIT, edit=BLOCK.replace("two", "three")))
    assert refused.outcome == "refused"
    assert refused.said


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ("open(F, 'w', newline='').write('one\\n2\\n')", "right"),
        ("open(F, 'w', newline='').write('other\\n')", "wrong"),
        ("raise SystemExit(1)", "refused"),
        ("open(F, 'w').write('half'); raise SystemExit(1)", "crash"),
        ("1 / 0", "crash"),
    ],
)
def test_a_command_is_judged_by_its_exit_status_and_the_file(
    script: str, outcome: str, tmp_path: Path
) -> None:
    """A refusal that changed the file is a crash, as is a traceback."""
    program = tmp_path / "program.py"
    program.write_text(f"import sys\nF = sys.argv[1]\n{script}\n", encoding="utf-8")
    command = f'"{sys.executable}" "{program}" {{file}} {{edit}}'.replace("\\", "/")
    assert apply_by_command(EDIT, command).outcome == outcome


def test_a_dumped_case_has_the_layout_of_case_folders(tmp_path: Path) -> None:
    """Original, edit, expected, accepted and got under the file's own ending."""
    outcome = Outcome(replace(EDIT, accept=("1\n2\n",)), "wrong", 0.1, got="x\n")
    dump_case(outcome, tmp_path)
    folder = tmp_path / "wrong" / "1-aider"
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert json.loads(texts.pop("case.json"))["filename"] == "f.py"
    assert texts == {
        "original.py": "one\ntwo\n",
        "edit.txt": BLOCK,
        "expected.py": "one\n2\n",
        "accept-1.py": "1\n2\n",
        "got.py": "x\n",
    }


def test_edits_are_made_kept_and_scored_from_the_command_line(
    shop_repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`history --edits` writes a file that `score` reads; the last lines say how many were right."""
    file, rows = tmp_path / "edits.jsonl", tmp_path / "rows.json"
    assert main(["history", "--repo", str(shop_repo), "--count", "12", "--edits", str(file)]) == 0
    assert capsys.readouterr().out == f"12 edits in {file}\n"
    assert main(["score", str(file), "--jobs", "1", "--json", str(rows)]) == 0
    said = capsys.readouterr().out
    assert "silently wrong: " in said
    assert len(json.loads(rows.read_text(encoding="utf-8"))) == 12
