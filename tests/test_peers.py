"""Cases of other tools' own suites: lazy edits, whole files, and edits of several files.

They are read from the folder beside the project, where there is one, and not copied. The formats
that say what stands in the file are in `test_peers_hunks`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fastapply import apply_edit
from fastapply.cli import main

PEERS = Path(__file__).parents[2] / "shared" / "peers"

_KEPT = "a move cannot replace a file that the edit does not show: its text would be lost silently"
_NOTHING_SHARED = (
    "a whole file that holds nothing of the file of today may be for another file, and is refused"
)
_QUIET = "right, but not certain enough without a word"
DECIDED_AGAINST: dict[str, str] = {
    "aider/editblock/test_strip_quoted_wrapping": _NOTHING_SHARED,
    "aider/editblock/test_strip_quoted_wrapping_no_filename": _NOTHING_SHARED,
    "aider/editblock/test_strip_quoted_wrapping_no_wrapping": _NOTHING_SHARED,
    "aider/wholefile/test_update_files_no_filename_single_file_in_chat": _NOTHING_SHARED,
    "aider/wholefile/test_update_files_with_existing_fence": _NOTHING_SHARED,
    "continue/lazy/calculator-stateless.js": "two methods would go that neither edit nor instructions name",
    "continue/lazy/calculator-comments.js": "not certain enough: comments above methods that hold a marker",
    "continue/lazy/calculator-exp.js": "not certain enough: a new method without anything shown below it",
    "continue/lazy/fastapi.py": "not certain enough: an import changes beside a new route",
    "codex/scenario/010_move_overwrites_existing_destination": _KEPT,
    "codex/tool/test_apply_patch_cli_move_overwrites_existing_destination": _KEPT,
    "continue/lazy/gui.js": "its new line stands between two markers, any place between them would do",
}
"""Cases that come out in another way here, with the reason."""


def cases():
    """All cases that the rules of this project are meant to agree with."""
    for path in sorted(PEERS.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            if not {"conflict", "tool-specific"} & set(case.get("tags", ())):
                yield case


def as_parameters(chosen):
    """The chosen cases, or one that is skipped where the folder is not there."""
    if not PEERS.is_dir():
        reason = "the folder with other tools' cases is not beside the project"
        return [pytest.param(None, marks=pytest.mark.skip(reason=reason), id="absent")]
    return [pytest.param(case, id=case["id"]) for case in chosen]


ONE_FILE = [c for c in cases() if c.get("files") is None and c["format"] in {"lazy", "whole"}]
SEVERAL_FILES = [c for c in cases() if c.get("files") is not None]


@pytest.mark.parametrize("case", as_parameters(ONE_FILE))
def test_lazy_and_whole_cases_of_other_tools_come_out_as_there(case):
    """The whole text, or a refusal where that tool fails too; never another text."""
    result = apply_edit(case["original"], case["edit"], path=case["path"])
    if case["id"] in DECIDED_AGAINST:
        assert (result.status, result.text) == ("refused", case["original"])
        return
    outcome = result.text if result.status in {"applied", "unchanged"} else None
    assert outcome == case["expected"], f"{result.reason}: {result.message}"


def write_files(root, files):
    """Lay out a case's files."""
    for name, text in files.items():
        if text is not None:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())


def read_files(root):
    """All files below a folder, by their names."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes().decode()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("case", as_parameters(SEVERAL_FILES))
def test_cases_of_several_files_change_all_files_or_none(case, tmp_path, capsys):
    """`fastapply patch` leaves the folder as that tool does, or untouched where it refuses."""
    root = tmp_path / "root"
    root.mkdir()
    write_files(root, case["files"])
    before = read_files(root)
    edit = tmp_path / "edit"
    edit.write_bytes(case["edit"].encode())
    status = main(["patch", str(edit), "--root", str(root)])
    said = capsys.readouterr().err
    outcome = read_files(root) if status == 0 else None
    if case.get("expect_failure") or case["id"] in DECIDED_AGAINST:
        assert (outcome, read_files(root)) == (None, before), said
        assert status in {1, 4}
        return
    expected = {name: text for name, text in case["expected_files"].items() if text is not None}
    assert outcome == expected, said
