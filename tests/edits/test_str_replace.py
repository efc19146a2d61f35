"""Tool calls in JSON: the arguments that agents' editing tools take."""

from __future__ import annotations

import json

import pytest

from fastapply.edits.detect import parse_edit
from fastapply.errors import EditError
from fastapply.text import from_text
from fastapply.types import Edit, FileEdit, Hunk, HunkList, Segment, Snippet


def calls(text, *hunks, path=None):
    """Make the edit of one file with a part for each replacement."""
    parts = tuple(HunkList("str_replace", (hunk,)) for hunk in hunks)
    return Edit("str_replace", (FileEdit(path, "update", parts),), text)


def one(before, after, number=1, line=1, **fields):
    """Make a replacement within lines."""
    return Hunk(number, line, (Segment(tuple(before), tuple(after)),), within_line=True, **fields)


SIMPLE = {"file_path": "a.py", "old_string": "x = 1\n", "new_string": "x = 2\n"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param(json.dumps(SIMPLE), 1, id="bare"),
        pytest.param(json.dumps(SIMPLE, indent=2), 1, id="indented"),
        pytest.param("```json\n" + json.dumps(SIMPLE, indent=2) + "\n```", 2, id="fenced"),
        pytest.param("I call the tool:\n\n```\n" + json.dumps([SIMPLE]) + "\n```\n", 4, id="list in a chat"),
        pytest.param(json.dumps({"name": "Edit", "arguments": SIMPLE}), 1, id="name and arguments"),
        pytest.param(
            json.dumps({"name": "Edit", "arguments": json.dumps(SIMPLE)}), 1, id="arguments as a string"
        ),
        pytest.param(
            json.dumps({"type": "function", "function": {"name": "Edit", "arguments": json.dumps(SIMPLE)}}),
            1,
            id="openai",
        ),
        pytest.param(json.dumps({"type": "tool_use", "name": "Edit", "input": SIMPLE}), 1, id="anthropic"),
        pytest.param(
            json.dumps(
                {"command": "str_replace", "path": "a.py", "old_str": "x = 1\n", "new_str": "x = 2\n"}
            ),
            1,
            id="command",
        ),
        pytest.param(
            '{"path": "a.py", "edits": [{"oldText": "x = 1\\n", "newText": "x = 2\\n"}]}', 1, id="oldText"
        ),
        pytest.param(
            '{"file_path": "a.py", "old_string": "x = 1\n", "new_string": "x = 2\n"}', 1, id="raw line feeds"
        ),
        pytest.param(json.dumps(SIMPLE).replace("\\n", "\\r\\n"), 1, id="CRLF in strings"),
    ],
)
def test_a_replacement_is_read_in_every_dress(text, line):
    """Wrappers, fences and key spellings do not change what a call says."""
    assert parse_edit(text, path="a.py") == calls(
        text, one(["x = 1", ""], ["x = 2", ""], line=line), path="a.py"
    )


def test_edits_of_a_list_are_parts_that_follow_one_another():
    """Each replacement applies to what the one before it left."""
    text = (
        '{"edits":[{"old_string":"x","new_string":"a","replace_all":true},'
        '{"old_string":"a","new_string":"b"}]}'
    )
    expected = calls(text, one(["x"], ["a"], replace_all=True), one(["a"], ["b"], number=2))
    assert parse_edit(text, path="a.js") == expected


def test_several_calls_one_after_the_other_are_read_with_their_lines():
    """Objects that follow each other are as good as a list."""
    text = '{"old_string":"a","new_string":"b"}\n{"old_string":"c","new_string":"d"}\n'
    expected = calls(text, one(["a"], ["b"]), one(["c"], ["d"], number=2, line=2))
    assert parse_edit(text, path="a.js") == expected


def test_calls_for_several_files_are_a_file_each():
    """Without one FILE each call's path counts."""
    text = json.dumps([SIMPLE, {**SIMPLE, "file_path": "b.py"}])
    edit = parse_edit(text)
    assert [(file.path, len(file.parts)) for file in edit.files] == [("a.py", 1), ("b.py", 1)]


def test_an_empty_old_string_inserts_into_a_file_and_fills_an_empty_one():
    """What stands at the start of a file can be nothing."""
    text = '{"old_string":"","new_string":"a\\n"}'
    assert parse_edit(text, path="a.js", original=from_text("b\n")) == calls(text, one([""], ["a", ""]))
    whole = Snippet(("a",), 1, said_whole=True)
    filled = Edit("str_replace", (FileEdit(None, "update", (whole,)),), text)
    assert parse_edit(text, path="a.js", original=from_text("")) == filled
    created = Edit("str_replace", (FileEdit(None, "create", (whole,)),), text)
    assert parse_edit(text, path="a.js") == created


def test_code_edit_is_read_as_whatever_format_it_is_in():
    """The code_edit of an apply tool may be lazy, or blocks."""
    lazy = {"target_file": "a.py", "instructions": "I will", "code_edit": "# ... existing code ...\nx = 2\n"}
    text = json.dumps(lazy)
    snippet = Snippet(("# ... existing code ...", "x = 2"), 1, ended=False)
    assert parse_edit(text, path="a.py") == Edit("lazy", (FileEdit("a.py", "update", (snippet,)),), text)
    blocks = json.dumps({**lazy, "code_edit": "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"})
    hunk = Hunk(1, 1, (Segment(("x = 1",), ("x = 2",)),))
    expected = Edit(
        "search_replace", (FileEdit("a.py", "update", (HunkList("search_replace", (hunk,)),)),), blocks
    )
    assert parse_edit(blocks, path="a.py") == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"command": "create", "path": "a.py", "file_text": "x = 1\\n"}', id="create"),
        pytest.param(
            '{"name": "write_file", "arguments": {"path": "a.py", "content": "x = 1\\n"}}', id="write"
        ),
    ],
)
def test_a_written_file_is_whole(text):
    """A tool that writes files says the complete text."""
    snippet = Snippet(("x = 1",), 1, said_whole=True)
    expected = Edit("str_replace", (FileEdit("a.py", "create", (snippet,)),), text)
    assert parse_edit(text, path="a.py") == expected


def test_an_insertion_by_line_stands_behind_that_line():
    """`insert_line` 2 puts the text between the second line and the third, 0 in front of the first."""
    text = '{"command": "insert", "path": "a.py", "insert_line": 2, "insert_text": "x\\n"}'
    hunk = Hunk(1, 1, (Segment(("b",), ("b", "x")),), old_start=2, counts_right=True)
    part = HunkList("udiff", (hunk,))
    expected = Edit("str_replace", (FileEdit("a.py", "update", (part,)),), text)
    assert parse_edit(text, path="a.py", original=from_text("a\nb\nc\n")) == expected
    top = parse_edit(text.replace("2", "0"), path="a.py", original=from_text("a\nb\nc\n"))
    (first,) = top.files[0].parts
    assert first == HunkList(
        "udiff", (Hunk(1, 1, (Segment(("a",), ("x", "a")),), old_start=1, counts_right=True),)
    )


def test_json_without_a_calls_keys_is_the_text_of_a_json_file():
    """A lazy or whole JSON file is content, also where it has a path and a content."""
    text = '{\n  "path": "a",\n  "content": "b"\n}\n'
    lines = ("{", '  "path": "a",', '  "content": "b"', "}")
    expected = Edit("lazy", (FileEdit(None, "update", (Snippet(lines, 1, ended=False),)),), text)
    assert parse_edit(text, path="x.json", original=from_text('{\n  "path": "a"\n}\n')) == expected


@pytest.mark.parametrize(
    ("text", "reason", "says"),
    [
        pytest.param('{"old_string": "a", "new_str', "truncated", "line 1", id="cut off in a key"),
        pytest.param(
            '{"old_string": "a",\n "new_string": "b', "truncated", "line 2", id="cut off in a string"
        ),
        pytest.param('{"old_string": "a" "new_string": "b"}', "bad_edit", "line 1", id="no comma"),
        pytest.param('{"old_string": "a"}', "bad_edit", "no new_string", id="half a call"),
        pytest.param(
            '{"command": "insert", "path": "a", "insert_line": 9, "insert_text": "x"}',
            "bad_edit",
            "9",
            id="line",
        ),
        pytest.param(
            '[{"command": "insert", "path": "a", "insert_line": 1, "insert_text": "x"},'
            '{"path": "a", "old_str": "a", "new_str": "b"}]',
            "bad_edit",
            "cannot be combined",
            id="insertion among others",
        ),
    ],
)
def test_a_broken_call_is_refused(text, reason, says):
    """JSON that breaks off is told from JSON that is wrong."""
    with pytest.raises(EditError, match=says) as caught:
        parse_edit(text, path="a.py", original=from_text("a\n"))
    assert caught.value.reason == reason
