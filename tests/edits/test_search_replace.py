"""SEARCH/REPLACE blocks as coding models write them, and the slips that must be refused."""

from __future__ import annotations

import pytest

from fastapply.edits.detect import parse_edit
from fastapply.errors import EditError
from fastapply.text import from_text
from fastapply.types import Edit, FileEdit, Hunk, HunkList, Segment, Snippet

BLOCK = "<<<<<<< SEARCH\na = 1\n=======\na = 2\n>>>>>>> REPLACE\n"


def blocks(text, *hunks, path=None):
    """Make the edit of one file that holds these hunks."""
    return Edit("search_replace", (FileEdit(path, "update", (HunkList("search_replace", hunks),)),), text)


def one(line, before, after, number=1, **fields):
    """Make a hunk of one segment."""
    return Hunk(number, line, (Segment(tuple(before), tuple(after)),), **fields)


@pytest.mark.parametrize(
    ("text", "line", "path"),
    [
        pytest.param(BLOCK, 1, None, id="bare"),
        pytest.param("src/a.py\n" + BLOCK, 2, "src/a.py", id="name on the line before"),
        pytest.param(
            "### `src/a.py`\n\n```python\n" + BLOCK + "```\n", 4, "src/a.py", id="name above the fence"
        ),
        pytest.param("```python src/a.py\n" + BLOCK + "```\n", 2, "src/a.py", id="name in the info string"),
        pytest.param("```\nsrc/a.py\n" + BLOCK + "```\n", 3, "src/a.py", id="name inside the fence"),
        pytest.param("```\nsrc/a.py\n```\n```python\n" + BLOCK + "```", 5, "src/a.py", id="name in a fence"),
        pytest.param(
            "Do this:\n\n~~~~\n" + BLOCK + "~~~~\nThat is all.", 4, None, id="tilde fence in a chat"
        ),
        pytest.param(
            BLOCK.replace("SEARCH", "SEARCH  ").replace("=\n", "= \n"), 1, None, id="trailing blanks"
        ),
        pytest.param(
            BLOCK.replace("SEARCH", "ORIGINAL").replace("REPLACE", "UPDATED"), 1, None, id="updated"
        ),
        pytest.param(
            "------- SEARCH\na = 1\n=======\na = 2\n+++++++ REPLACE\n", 1, None, id="the dashes of Cline"
        ),
        pytest.param("<<<<< SEARCH\na = 1\n=====\na = 2\n>>>>> REPLACE", 1, None, id="five of each"),
        pytest.param(
            "<<<<<<<<< SEARCH\na = 1\n=========\na = 2\n>>>>>>>>> REPLACE", 1, None, id="nine of each"
        ),
        pytest.param(BLOCK.replace("\n", "\r\n"), 1, None, id="CRLF"),
        pytest.param(
            "<replace_in_file>\n<path>src/a.py</path>\n<diff>\n" + BLOCK + "</diff>\n</replace_in_file>",
            4,
            "src/a.py",
            id="tags of Cline",
        ),
        pytest.param(
            "1. Change it:\n\n   ```py\n   " + BLOCK.rstrip().replace("\n", "\n   ") + "\n   ```\n",
            4,
            None,
            id="indented under a list item",
        ),
    ],
)
def test_a_block_is_read_in_every_dress(text, line, path):
    """Fences, prose, names and marker lengths around a block do not change what it says."""
    expected = blocks(text, one(line, ["a = 1"], ["a = 2"]), path=path)
    assert parse_edit(text, path="a.py", original=from_text("a = 1\n")) == expected


def test_blocks_without_a_name_belong_to_the_file_named_last():
    """A name holds until the next one."""
    text = "a.py\n" + BLOCK + "\n" + BLOCK + "\nb.py\n" + BLOCK
    assert parse_edit(text) == Edit(
        "search_replace",
        (
            FileEdit(
                "a.py",
                "update",
                (
                    HunkList(
                        "search_replace",
                        (one(2, ["a = 1"], ["a = 2"]), one(8, ["a = 1"], ["a = 2"], number=2)),
                    ),
                ),
            ),
            FileEdit(
                "b.py",
                "update",
                (HunkList("search_replace", (one(15, ["a = 1"], ["a = 2"], number=3),)),),
            ),
        ),
        text,
    )


def test_start_line_of_roo_is_a_hint_and_no_content():
    """The header of a Roo block is taken off and gives the hunk its line."""
    text = "<<<<<<< SEARCH\n:start_line:12\n:end_line:12\n-------\na\n=======\nb\n>>>>>>> REPLACE\n"
    assert parse_edit(text, path="a.py") == blocks(text, one(1, ["a"], ["b"], old_start=12))


def test_a_line_of_dashes_without_roo_header_is_content():
    """Dashes alone at the start of a block stand in the file."""
    text = "<<<<<<< SEARCH\n-------\na\n=======\n-------\nb\n>>>>>>> REPLACE\n"
    assert parse_edit(text, path="a.rst") == blocks(text, one(1, ["-------", "a"], ["-------", "b"]))


def test_escaped_markers_are_content_without_the_backslash():
    """A backslash before a marker makes it a line of the file."""
    text = "<<<<<<< SEARCH\n\\<<<<<<< HEAD\nx\n\\=======\ny\n\\>>>>>>> main\n=======\nx\n>>>>>>> REPLACE\n"
    expected = one(1, ["<<<<<<< HEAD", "x", "=======", "y", ">>>>>>> main"], ["x"])
    assert parse_edit(text, path="a.py") == blocks(text, expected)


def test_conflict_markers_inside_a_block_keep_their_own_divider():
    """The ======= of a conflict in the file does not part the halves."""
    text = "<<<<<<< SEARCH\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> main\n=======\nx\n>>>>>>> REPLACE\n"
    expected = one(1, ["<<<<<<< HEAD", "x", "=======", "y", ">>>>>>> main"], ["x"])
    assert parse_edit(text, path="a.py") == blocks(text, expected)


def test_an_underline_of_the_file_is_told_from_the_divider_by_the_file():
    """Of several ======= lines the one is meant that leaves the most lines of the file before it."""
    text = "<<<<<<< SEARCH\nTitle\n=======\n\nold\n=======\nTitle\n=======\n\nnew\n>>>>>>> REPLACE\n"
    original = from_text("Intro\n\nTitle\n=======\n\nold\nmore\n")
    expected = one(1, ["Title", "=======", "", "old"], ["Title", "=======", "", "new"])
    assert parse_edit(text, path="a.rst", original=original) == blocks(text, expected)


@pytest.mark.parametrize("original", ["Title\n=======\n\nolder\n", "something else\n"])
def test_an_underline_that_nothing_tells_from_the_divider_is_refused(original):
    """Where the file has no such lines, or goes on with the underline, no split is taken on trust."""
    text = "<<<<<<< SEARCH\nTitle\n=======\n\nold\n=======\nnothing\n>>>>>>> REPLACE\n"
    with pytest.raises(EditError, match="2 lines of =") as caught:
        parse_edit(text, path="a.rst", original=from_text(original))
    assert caught.value.reason == "ambiguous_edit"


def test_a_second_divider_right_before_the_end_is_a_slip():
    """In a file without such lines, and only there, the second ======= is left out."""
    text = "<<<<<<< SEARCH\na\n=======\nb\n=======\n>>>>>>> REPLACE\n"
    expected = blocks(text, one(1, ["a"], ["b"]))
    assert parse_edit(text, path="a.py", original=from_text("a\n")) == expected


def test_elided_lines_in_both_halves_cut_the_hunk():
    """Equal `...` lines in both halves stand for file lines."""
    text = (
        "<<<<<<< SEARCH\ndef f():\n    ...\n    b()\n=======\ndef f(x):\n    ...\n    c()\n>>>>>>> REPLACE\n"
    )
    segments = (Segment(("def f():",), ("def f(x):",)), Segment(("    b()",), ("    c()",)))
    original = from_text("def f():\n    a()\n    b()\n")
    assert parse_edit(text, path="a.py", original=original) == blocks(text, Hunk(1, 1, segments))


@pytest.mark.parametrize(
    ("before", "after", "original"),
    [
        pytest.param("def f():\n    ...", "def f(x):\n    ...", "def f():\n    ...\n", id="the file has it"),
        pytest.param("def f():\n    ...", "def f():\n    return 1", "def f():\n    pass\n", id="in one half"),
    ],
)
def test_dots_that_are_code_stay_content(before, after, original):
    """Python's own `...` elides nothing."""
    text = f"<<<<<<< SEARCH\n{before}\n=======\n{after}\n>>>>>>> REPLACE\n"
    expected = blocks(text, one(1, before.split("\n"), after.split("\n")))
    assert parse_edit(text, path="a.py", original=from_text(original)) == expected


def test_an_empty_search_writes_a_new_file():
    """Without a file there, an empty SEARCH half is the file's whole text."""
    text = "b.py\n<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE\n"
    snippet = Snippet(("x = 1",), 4, said_whole=True)
    assert parse_edit(text, path="b.py") == Edit(
        "search_replace", (FileEdit("b.py", "create", (snippet,)),), text
    )
    filled = Edit("search_replace", (FileEdit("b.py", "update", (snippet,)),), text)
    assert parse_edit(text, path="b.py", original=from_text("")) == filled


def test_an_empty_search_for_a_file_with_lines_stays_a_hunk_without_a_place():
    """What to do with it is for the merge to say: here it has no before-side."""
    text = "<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE\n"
    expected = blocks(text, one(1, [], ["x = 1"]))
    assert parse_edit(text, path="b.py", original=from_text("y = 1\n")) == expected


def test_an_empty_replace_removes_lines():
    """An empty REPLACE half leaves nothing, not a blank line."""
    text = "<<<<<<< SEARCH\na = 1\n=======\n>>>>>>> REPLACE\n"
    assert parse_edit(text, path="a.py") == blocks(text, one(1, ["a = 1"], []))


def test_fences_inside_a_block_are_content():
    """A block that changes Markdown holds fence lines as they are."""
    text = "```markdown\n<<<<<<< SEARCH\n```sh\nrun\n```\n=======\n```sh\nwalk\n```\n>>>>>>> REPLACE\n```\n"
    assert parse_edit(text, path="README.md") == blocks(
        text, one(2, ["```sh", "run", "```"], ["```sh", "walk", "```"])
    )


def test_a_block_that_the_file_itself_holds_is_no_edit():
    """Documentation of the format is told from an edit by the file."""
    original = from_text("Write blocks:\n\n" + BLOCK + "\nThat is all.\n")
    text = "Write blocks:\n\n" + BLOCK + "\nThat is the whole of it.\n"
    edit = parse_edit(text, path="guide.md", original=original)
    assert edit == Edit(
        "lazy", (FileEdit(None, "update", (Snippet(tuple(text.split("\n")[:-1]), 1, ended=False),)),), text
    )


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        pytest.param("<<<<<<< SEARCH\na\n=======\nb\n", "truncated", "line 1", id="no end"),
        pytest.param("<<<<<<< SEARCH\na\n", "truncated", "line 1", id="no divider and no end"),
        pytest.param("a.py\n" + BLOCK + "\n<<<<<<< SEARCH\na\n=====", "truncated", "line 8", id="second"),
        pytest.param(
            "<<<<<<< SEARCH\na\n=======\nb\n\n" + BLOCK, "truncated", "line 1", id="next one begins"
        ),
        pytest.param("<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", "bad_edit", "line 1", id="no divider"),
        pytest.param("```py\n" + BLOCK, "truncated", "line 1", id="fence never closed"),
    ],
)
def test_a_broken_block_is_refused_with_its_line(text, reason, line):
    """A block that is cut off is never half an edit."""
    with pytest.raises(EditError, match=line) as caught:
        parse_edit(text, path="a.py", original=from_text("a\n"))
    assert caught.value.reason == reason


def test_a_marker_between_blocks_is_refused():
    """Lazy code outside of any block would be lost."""
    text = BLOCK + "\n# ... existing code ...\ndef f():\n    pass\n"
    with pytest.raises(EditError, match="line 7") as caught:
        parse_edit(text, path="a.py", original=from_text("a = 1\n"))
    assert caught.value.reason == "ambiguous_edit"
