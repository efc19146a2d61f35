"""Edits in every style: what they say is what the commit did."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from fastapply.dataset.by_rule.edits import make_edits
from fastapply.dataset.by_rule.render import looks_like_marker
from fastapply.dataset.by_rule.write_edit import STYLES
from fastapply.evaluate.cases import Case, read_cases, write_cases

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="module")
def edits(shop_repo: Path) -> list[Case]:
    """Edits of many seeds, so that all styles come up."""
    return [edit for seed in range(30) for edit in make_edits([shop_repo], count=400, seed=seed)]


def text_of(edit: Case) -> str:
    """What the edit must come to."""
    assert edit.expected is not None
    return edit.expected


def of_style(edits: list[Case], *names: str) -> list[Case]:
    """The edits of some styles; at least one."""
    found = [edit for edit in edits if edit.style in names]
    assert found
    return found


def test_nearly_every_style_finds_a_change_to_say(edits: list[Case]) -> None:
    """Only those that need several distant changes in one commit stay out in a repository this small."""
    missing = {style.name for style in STYLES} - {edit.style for edit in edits}
    assert missing <= {"mixed", "aider-elided"}


def test_most_edits_are_lazy() -> None:
    """At least 60 % by the shares of the styles."""
    lazy = sum(style.share for style in STYLES if style.format == "lazy")
    assert lazy / sum(style.share for style in STYLES) >= 0.6


def test_the_same_seed_gives_the_same_edits(shop_repo: Path) -> None:
    """Another seed gives others."""
    first = list(make_edits([shop_repo], count=20, seed=3))
    assert first == list(make_edits([shop_repo], count=20, seed=3))
    assert first != list(make_edits([shop_repo], count=20, seed=4))


def test_edits_survive_the_file_that_keeps_them(edits: list[Case], tmp_path: Path) -> None:
    """Written as JSONL and read again they are equal."""
    path = tmp_path / "edits.jsonl"
    assert write_cases(edits[:50], path) == 50
    assert list(read_cases([path])) == edits[:50]


@pytest.mark.parametrize("style", ["git-diff", "diff"])
def test_git_applies_the_right_diffs(edits: list[Case], style: str, tmp_path: Path) -> None:
    """`git apply` makes the expected file of them."""
    for edit in of_style(edits, style):
        text = re.sub(r"(?s)^.*?`{3,}\w*\n(.*)\n`{3,}.*$", r"\1\n", edit.edit)
        file = tmp_path / edit.path
        file.write_bytes(edit.original.encode())
        subprocess.run(
            ["git", "apply", "-"], input=text.encode(), cwd=tmp_path, check=True, capture_output=True
        )
        assert file.read_bytes().decode() == text_of(edit)


@pytest.mark.parametrize("style", ["aider", "aider-thin", "aider-fenced", "cline"])
def test_plain_replacement_applies_search_replace_blocks(edits: list[Case], style: str) -> None:
    """Every SEARCH stands once in the file, and replacing it gives the expected text."""
    form = r"^(?:<{7}|-{7}) SEARCH\n(.*?)^={7}\n(.*?)^(?:>{7}|\+{7}) REPLACE$"
    blocks = re.compile(form, re.DOTALL | re.MULTILINE)
    for edit in of_style(edits, style):
        text = edit.original
        for search, new in blocks.findall(edit.edit):
            assert text.count(search) == 1
            text = text.replace(search, new)
        assert text == text_of(edit)


@pytest.mark.parametrize("style", ["str-replace", "str-replace-part"])
def test_plain_replacement_applies_json_calls(edits: list[Case], style: str) -> None:
    """Every old string stands once."""
    for edit in of_style(edits, style):
        calls = json.loads(edit.edit)
        text = edit.original
        for call in calls if isinstance(calls, list) else [calls]:
            assert text.count(call["old_string"]) == 1
            text = text.replace(call["old_string"], call["new_string"])
        assert text == text_of(edit)


def _changed(edit: Case) -> set[str]:
    return {line.strip() for line in set(text_of(edit).splitlines()) - set(edit.original.splitlines())} - {""}


def test_lazy_edits_show_every_new_line_in_order(edits: list[Case]) -> None:
    """Without its markers, a lazy edit is a part of the expected file, and holds all that is new."""
    for edit in edits:
        if edit.format != "lazy" or edit.style in {"short-comment", "removal-note", "code-edit-json"}:
            continue
        body = re.sub(r"(?s)^.*?`{3}\w*\n(.*?)`{3}.*$", r"\1", edit.edit)
        lines = [line.strip() for line in body.splitlines() if line.strip() and not _is_marker(line)]
        rest = iter(line.strip() for line in text_of(edit).splitlines())
        assert [line for line in lines if line not in rest] == []
        assert _changed(edit) <= set(lines)


def _is_marker(line: str) -> bool:
    return looks_like_marker(line) or "keep the imports" in line


HABITS: dict[str, Callable[[Case], bool]] = {
    "bare-dots": lambda edit: "..." in [line.strip() for line in edit.edit.splitlines()],
    "tabs-as-4": lambda edit: "\t" not in edit.edit and "\t" in text_of(edit),
    "removal-note": lambda edit: "emoved" in edit.edit,
    "only-definition": lambda edit: "..." not in edit.edit,
    "code-edit-json": lambda edit: json.loads(edit.edit)["target_file"] == edit.path,
    "v4a": lambda edit: edit.edit.startswith("*** Begin Patch\n") and edit.edit.endswith("*** End Patch\n"),
    "v4a-scope": lambda edit: re.search(r"^@@ \S", edit.edit, re.MULTILINE) is not None,
    "v4a-heredoc": lambda edit: edit.edit.startswith("apply_patch <<'EOF'\n"),
    "diff-dots": lambda edit: "@@ ... @@" in edit.edit,
    "diff-no-header": lambda edit: "+++" not in edit.edit,
    "whole-file": lambda edit: text_of(edit) in edit.edit,
    "short-comment": lambda edit: len(edit.accept) == 1,
}


@pytest.mark.parametrize("style", sorted(HABITS))
def test_a_style_has_its_habit(edits: list[Case], style: str) -> None:
    """What the style's name says can be seen in each of its edits."""
    assert [edit.edit for edit in of_style(edits, style) if not HABITS[style](edit)] == []


def test_diffs_with_wrong_numbers_have_them(edits: list[Case]) -> None:
    """Some stated line is not where the hunk belongs; in right diffs every one is."""

    def stated_right(edit: Case) -> bool:
        file = edit.original.splitlines()
        for match in re.finditer(r"^@@ -(\d+),\d+ \+\d+,\d+ @@\n[ -](.*)$", edit.edit, re.MULTILINE):
            if file[int(match[1]) - 1 : int(match[1])] != [match[2]]:
                return False
        return True

    assert all(stated_right(edit) for edit in of_style(edits, "git-diff", "diff"))
    assert not all(stated_right(edit) for edit in of_style(edits, "diff-wrong-numbers"))
