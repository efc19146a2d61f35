"""Edits of other tools' own suites and of the shared cases, read in place where they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fastapply.edits.detect import parse_edit
from fastapply.errors import EditError
from fastapply.text import decode, from_text
from fastapply.types import HunkList, Snippet

SHARED = Path(__file__).parents[3] / "shared"
PEERS = SHARED / "peers"
CASES = SHARED / "cases"
UNREADABLE = {
    "aider/editblock/test_find_original_update_blocks_missing_filename": "truncated",
    "aider/editblock/test_find_original_update_blocks_unclosed": "truncated",
    "codex/scenario/005_rejects_empty_patch": "empty_edit",
    "codex/scenario/008_rejects_empty_update_hunk": "empty_edit",
    "codex/scenario/013_rejects_invalid_hunk_header": "bad_edit",
    "codex/tool/test_apply_patch_cli_rejects_empty_patch": "empty_edit",
    "codex/tool/test_apply_patch_cli_rejects_empty_update_hunk": "empty_edit",
    "codex/tool/test_apply_patch_cli_rejects_invalid_hunk_header": "bad_edit",
    "sys/015-c-truncated-output": "truncated",
}


def load_peers():
    """Give every case of the other tools' suites: format, edit, path and original."""
    for file in sorted(PEERS.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            original = case.get("original")
            one = original is not None
            yield pytest.param(
                case["id"],
                case["format"],
                case["edit"],
                case["path"] if one else None,
                from_text(original) if one else None,
                id=case["id"],
            )


def load_cases():
    """Give every shared case in the same form."""
    for file in sorted(CASES.glob("*/*/case.json")):
        case = json.loads(file.read_text(encoding="utf-8"))
        original = next(file.parent.glob("original*"))
        edit = (file.parent / "edit.txt").read_bytes().decode()
        yield pytest.param(
            case["id"],
            case["format"],
            edit,
            "file" + original.suffix,
            decode(original.read_bytes()),
            id=case["id"],
        )


ALL = [*load_peers(), *load_cases()]


@pytest.mark.skipif(not ALL, reason="the shared cases are not beside this checkout")
@pytest.mark.parametrize(("name", "form", "text", "path", "original"), ALL)
def test_every_known_edit_is_read_in_its_format(name, form, text, path, original):
    """Each edit is read in the format that its case states, or refused where it is no edit at all."""
    if name in UNREADABLE:
        with pytest.raises(EditError) as caught:
            parse_edit(text, path=path, original=original, only=True)
        assert caught.value.reason == UNREADABLE[name]
        return
    edit = parse_edit(text, path=path, original=original, only=True)
    parts = [part for file in edit.files for part in file.parts]
    kinds = {part.format if isinstance(part, HunkList) else "lazy" for part in parts}
    if form in {"lazy", "whole"}:
        assert all(isinstance(part, Snippet) for part in parts)
    elif form == "mixed":
        assert (edit.format, len(kinds)) == ("mixed", 2)
    else:
        assert edit.format == form


@pytest.mark.skipif(not ALL, reason="the shared cases are not beside this checkout")
@pytest.mark.parametrize(("name", "form", "text", "path", "original"), ALL)
def test_every_line_that_an_edit_shows_is_one_of_its_text(name, form, text, path, original):
    """No reader makes a line up: what is shown stands in the edit, but for signs and escapes."""
    if name in UNREADABLE or form == "str_replace":
        return
    edit = parse_edit(text, path=path, original=original, only=True)
    for file in edit.files:
        for part in file.parts:
            if isinstance(part, HunkList):
                shown = [line for hunk in part.hunks for s in hunk.segments for line in (*s.before, *s.after)]
            else:
                shown = list(part.lines)
            assert [line for line in shown if line not in text] == []
