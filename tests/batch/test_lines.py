from __future__ import annotations

import json

import pytest

from fastapply.batch.work import read_line


def test_a_line_says_file_edit_and_options():
    """All of what `apply` takes, by the names of its options."""
    given = {
        "file": "a.py",
        "edit": "x",
        "id": {"any": 1},
        "instructions": "do it",
        "format": "whole",
        "at": "1-2",
        "pick": 2,
        "allow": ["parse_error"],
        "create": True,
    }
    line = read_line(3, json.dumps(given).encode())
    assert (line.number, line.file, line.edit, line.id, line.error) == (3, "a.py", b"x", {"any": 1}, None)
    assert dict(line.options) == {
        "instructions": "do it",
        "format_name": "whole",
        "at": "1-2",
        "pick": [2],
        "allow": ["parse_error"],
        "create": True,
    }


def test_an_edit_may_be_the_object_of_a_tool_call():
    """It is read as its JSON."""
    call = {"old_string": "ä", "new_string": "b"}
    assert json.loads(read_line(1, json.dumps({"file": "a", "edit": call}).encode()).edit) == call


@pytest.mark.parametrize(
    ("pick", "read"),
    [(2, [2]), ("2", ["2"]), ("4f0c2a91:1", ["4f0c2a91:1"]), ([1, "4f0c2a91:1"], [1, "4f0c2a91:1"])],
    ids=str,
)
def test_a_pick_is_a_number_a_text_or_a_list(pick, read):
    """What the texts mean is read where all of their options are."""
    line = read_line(1, json.dumps({"file": "a", "edit": "", "pick": pick}).encode())
    assert dict(line.options) == {"pick": read}


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        (b"", "line 7 is not valid JSON"),
        (b"{", "line 7 is not valid JSON"),
        (b"\xff", "line 7 is not valid JSON"),
        (b"[" * 100_000, "line 7 is not valid JSON"),
        (b'["a.py", "x"]', "line 7 must be an object with file and edit"),
        (b"{}", "line 7 has no file or edit"),
        (b'{"file": "a"}', "line 7 has no edit"),
        (b'{"file": 1, "edit": ""}', "line 7: file cannot be 1"),
        (b'{"file": "a", "edit": null}', "line 7: edit cannot be null"),
        (b'{"file": "a", "edit": "", "instrutions": ""}', "line 7: unknown key instrutions"),
        (b'{"file": "a", "edit": "", "pick": true}', "line 7: pick cannot be true"),
        (b'{"file": "a", "edit": "", "pick": [true]}', "line 7: pick cannot be [true]"),
        (b'{"file": "a", "edit": "", "allow": "x"}', 'line 7: allow cannot be "x"'),
        (b'{"file": "a", "edit": "", "create": 1}', "line 7: create cannot be 1"),
        (b'{"file": "a", "edit": "", "format": "fancy"}', "line 7: unknown format fancy"),
        (b'{"file": "a", "edit": "\\ud83d"}', "the edit ends inside a UTF-8 character"),
    ],
)
def test_a_line_that_makes_no_sense_comes_back_with_its_error(raw, complaint):
    """And nothing is raised: the other lines are fine."""
    error = read_line(7, raw).error
    assert error is not None
    assert error.message.startswith(complaint)


def test_a_wrong_line_keeps_what_tells_whose_it_is():
    """File and id, where they can be read."""
    line = read_line(1, b'{"file": "a.py", "id": 5, "edti": ""}')
    assert (line.file, line.id, line.error is not None) == ("a.py", 5, True)
