"""Cases of other tools' own suites, for the formats that say what stands in the file.

They are read from the folder beside the project, where there is one, and not copied.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fastapply.edits.detect import parse_edit
from fastapply.errors import EditError, Refused
from fastapply.merge.hunks import merge_hunks
from fastapply.text import from_text, splice
from fastapply.types import HunkList

PEERS = Path(__file__).parents[2] / "shared" / "peers"
FORMATS = {"search_replace", "udiff", "v4a", "str_replace"}

_OTHER_RULE = "a match must be unique at its tier"
_OWN_END = "a line that replaces another one gets its end, not the end that most lines have"
_FINAL_NEWLINE = "the file's own final newline stays, also where it has none"
_STR = "continue/str_replace/executeFindAndReplace > "
_CODEX = "codex/tool/test_apply_patch_cli_"
_MULTI = "continue/str_replace/multiEdit shared validation > executeMultiFindAndReplace > "
DECIDED_AGAINST = {
    "aider/editblock/test_replace_multiple_matches": _OTHER_RULE,
    "aider/editblock/test_replace_multiple_matches_missing_whitespace": _OTHER_RULE,
    _CODEX + "allows_overlapping_eof_chunks_in_legacy_mode": "overlapping hunks are refused",
    _CODEX + "uses_legacy_line_handling_without_rollout_env": "line ends are the file's own",
    "codex/scenario/024_preserves_mixed_line_endings": _OWN_END,
    _CODEX + "preserves_untouched_mixed_line_endings": _OWN_END,
    _CODEX + "uses_crlf_for_new_trailing_newline": _FINAL_NEWLINE,
    _CODEX + "updates_file_appends_trailing_newline": _FINAL_NEWLINE,
    "continue/udiff/should correctly apply multiple diff blocks": (
        "its context is indented in several ways, and its new lines have blanks where the file has tabs"
    ),
    _STR
    + "indentation adjustment > should handle whitespaceIgnoredMatch with different internal whitespace": (
        "a line that the edit does not change keeps the file's bytes"
    ),
    _MULTI + "should handle whitespace differences using findSearchMatch": (
        "old_string has one line and the file three: line breaks are not white space"
    ),
}


def cases():
    """All one-file cases of our formats that say what comes of an existing file."""
    for path in sorted(PEERS.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            if (
                case["format"] in FORMATS
                and case.get("original") is not None
                and case["id"] not in DECIDED_AGAINST
            ):
                yield pytest.param(case, id=case["id"])


CASES = list(cases())


def merge_edit(source, text, path):
    """The text that the file becomes."""
    (file,) = parse_edit(text, path=path, original=source).files
    if file.action == "create" or not all(isinstance(part, HunkList) for part in file.parts):
        pytest.skip("the edit gives the whole file: not a merge of hunks")
    for part in file.parts:
        assert isinstance(part, HunkList)
        proposal = merge_hunks(source, part)
        if not proposal.certain:
            raise Refused(proposal.questions[0].message)
        source = splice(source, proposal.splices)
    return source.text


@pytest.mark.skipif(not CASES, reason="the folder with other tools' cases is not beside the project")
@pytest.mark.parametrize("case", CASES)
def test_case_of_another_tool_comes_out_as_there(case):
    """The whole text, or a refusal where that tool fails too."""
    source = from_text(case["original"])
    try:
        outcome = merge_edit(source, case["edit"], case["path"])
    except (EditError, Refused):
        outcome = None
    assert outcome == case.get("expected")
