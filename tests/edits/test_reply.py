"""Bare code, fences and chat replies: which lines are the edit, and which only stand around it."""

from __future__ import annotations

import pytest
from replies import LAZY, LINES, read, refusal, shown

from fastapply.types import Edit, FileEdit, Hunk, HunkList, Segment, Snippet


@pytest.mark.parametrize(
    ("text", "line", "language", "name"),
    [
        pytest.param(LAZY, 1, "", None, id="bare"),
        pytest.param("\n\n" + LAZY + "\n\n", 3, "", None, id="blank lines around"),
        pytest.param("\ufeff" + LAZY, 1, "", None, id="byte order mark"),
        pytest.param("```python\n" + LAZY + "```\n", 2, "python", None, id="fence"),
        pytest.param("~~~py\n" + LAZY + "~~~", 2, "py", None, id="tilde fence"),
        pytest.param("`````\n" + LAZY + "`````\n", 2, "", None, id="long fence"),
        pytest.param(
            "Sure!\n\n```python\n" + LAZY + "```\n\nThis logs the path.\n", 4, "python", None, id="chat"
        ),
        pytest.param("```python app.py\n" + LAZY + "```\n", 2, "python", "app.py", id="info name"),
        pytest.param("```python:src/app.py\n" + LAZY + "```\n", 2, "python", "src/app.py", id="info colon"),
        pytest.param(
            '```python title="src/app.py"\n' + LAZY + "```\n", 2, "python", "src/app.py", id="title"
        ),
        pytest.param("```src/app.py\n" + LAZY + "```\n", 2, "", "src/app.py", id="info is the name"),
        pytest.param("**`src/app.py`**\n\n```py\n" + LAZY + "```\n", 4, "py", "src/app.py", id="bold name"),
        pytest.param("#### File: src/app.py\n```py\n" + LAZY + "```\n", 3, "py", "src/app.py", id="heading"),
        pytest.param(
            "In `app.py` I add a log line:\n```py\n" + LAZY + "```\n", 3, "py", "app.py", id="mention"
        ),
        pytest.param("```py\n# src/app.py\n" + LAZY + "```\n", 3, "py", "src/app.py", id="comment name"),
        pytest.param(
            "```py\n# File: src/app.py\n\n" + LAZY + "```\n", 4, "py", "src/app.py", id="comment file"
        ),
        pytest.param(
            "# filepath: /home/me/app.py\n" + LAZY, 2, "", "/home/me/app.py", id="bare, comment name"
        ),
        pytest.param("Here's the change:\n\n" + LAZY, 3, "", None, id="sentence before bare code"),
        pytest.param(LAZY + "\nThis logs the path before it is read.\n", 1, "", None, id="sentence behind"),
        pytest.param(
            "<think>\nWhich ```fence?\n</think>\n```py\n" + LAZY + "```\n", 5, "py", None, id="thoughts"
        ),
        pytest.param(LAZY.replace("\n", "\r\n"), 1, "", None, id="CRLF"),
    ],
)
def test_a_lazy_snippet_is_read_in_every_dress(text, line, language, name):
    """Names, prose and fences around code do not get into it."""
    lines = LINES
    begin = next((at for at, shown_line in enumerate(lines) if shown_line.strip()), 0)
    got = read(text)
    (part,) = got.files[0].parts
    assert isinstance(part, Snippet)
    trimmed = part.lines if part.lines[0] else part.lines[1:]
    edit_line = part.edit_line + (0 if part.lines[0] else 1)
    assert (trimmed, edit_line, part.language, got.files[0].path) == (lines[begin:], line, language, name)


def test_a_fence_under_a_list_item_loses_its_indentation():
    """The fence's own indentation is taken off its lines, and no more."""
    indented = "".join(f"   {line}\n" if line else "\n" for line in LINES)
    text = "1. Log the path:\n\n   ```python\n" + indented + "   ```\n\n2. Done.\n"
    assert read(text) == shown(text, Snippet(LINES, 4, "python"))


def test_two_lazy_fences_are_two_parts_in_order():
    """A reply may show one place after the other."""
    second = 'def save_settings(path, settings):\n    log.info("saving %s", path)\n    # ...\n'
    text = f"First:\n\n```python\n{LAZY}```\n\nand then:\n\n```python\n{second}```\n"
    lines = tuple(second.split("\n")[:-1])
    assert read(text) == shown(text, Snippet(LINES, 4, "python"), Snippet(lines, 17, "python"))


def test_a_lazy_fence_and_blocks_are_mixed():
    """Parts of several formats keep the order of the text."""
    text = (
        f"```python\n{LAZY}```\n\n```\n<<<<<<< SEARCH\nimport logging\n=======\nimport logging, os\n"
        f">>>>>>> REPLACE\n```\n"
    )
    edit = read(text)
    assert (edit.format, [type(part) for part in edit.files[0].parts]) == ("mixed", [Snippet, HunkList])


@pytest.mark.parametrize(
    ("lead", "fence"),
    [
        pytest.param("Install the dependency:", "```sh\nnpm install x\n```", id="shell command"),
        pytest.param("Then run it like this:", "```\npython app.py\n```", id="command without a language"),
        pytest.param("You can now use it like this:", "```python\nload_settings('a.ini')\n```", id="usage"),
        pytest.param("For example:", "```python\ns = load_settings('a')\nprint(s)\n```", id="example"),
        pytest.param("Which prints:", "```text\nINFO loading a.ini\n```", id="output"),
        pytest.param("The output is:", "```\nINFO loading a.ini\n```", id="output without a language"),
        pytest.param(
            "The old code was:", "```python\ndef load_settings(path):\n    ...\n```", id="the code before"
        ),
        pytest.param(
            "Currently you have:",
            "```python\ndef load_settings(path):\n    with open(path) as stream:\n```",
            id="quoted from the file",
        ),
        pytest.param("In `config.json` you need:", '```json\n{"level": "info"}\n```', id="another language"),
        pytest.param(
            "`tests/test_app.py`:", "```python\ndef test_log():\n    assert log\n```", id="another name"
        ),
        pytest.param("The new line is", '```python\n    log.info("loading %s", path)\n```', id="excerpt"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_fences_that_are_no_edit_are_left_out(lead, fence, first):
    """Commands, examples, output, quotes and other files' code stand beside the edit, in any order."""
    edit = f"Change `app.py`:\n\n```python\n{LAZY}```"
    text = f"{lead}\n\n{fence}\n\n{edit}\n" if first else f"{edit}\n\n{lead}\n\n{fence}\n"
    (part,) = read(text, only=True).files[0].parts
    assert isinstance(part, Snippet)
    assert part.lines == LINES


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Replace this:", "with:"),
        ("Change", "to this:"),
        ("Before:", "After:"),
        ("Find this line:", "Replace it with"),
    ],
)
def test_two_fences_of_old_and_new_are_a_block(first, second):
    """Lines of the file in one fence and their replacement in the next say what goes where."""
    text = f"{first}\n\n```python\nimport logging\n```\n\n{second}\n\n```python\nimport logging, os\n```\n"
    hunk = Hunk(1, 4, (Segment(("import logging",), ("import logging, os",)),))
    assert read(text) == Edit(
        "search_replace", (FileEdit(None, "update", (HunkList("search_replace", (hunk,)),)),), text
    )


def test_two_fences_whose_first_is_not_in_the_file_are_no_block():
    """Without those lines in the file nothing is searched for: the merge sees two snippets."""
    text = "Replace this:\n\n```python\nimport loguru\n```\n\nwith:\n\n```python\nimport logging, os\n```\n"
    expected = shown(
        text, Snippet(("import loguru",), 4, "python"), Snippet(("import logging, os",), 10, "python")
    )
    assert read(text) == expected


def test_tags_around_an_edit_are_no_lines_of_it():
    """What agents wrap an edit in is taken off, unless the file has such a line."""
    text = f"<code_edit>\n{LAZY}</code_edit>\n"
    assert read(text) == shown(text, Snippet(LINES, 2, ended=False))
    html = "<code>\nx\n</code>\n"
    assert read(html, "a.html", "<code>\ny\n</code>\n") == shown(
        html, Snippet(("<code>", "x", "</code>"), 1, ended=False)
    )


def test_a_name_behind_the_edit_turns_to_another_file():
    """`And in tests/test_x.py:` below the edit is for that file; above it, it may be this one."""
    other = "```python\ndef test_log():\n    assert log is not None\n```\n"
    below = f"```python\n{LAZY}```\n\nAnd in `tests/test_log.py`:\n\n{other}"
    assert refusal(below) == "several_files"
    named = shown(below, Snippet(LINES, 2, "python"), others=("tests/test_log.py",))
    assert read(below, only=True) == named
    above = f"In `tests/test_log.py`:\n\n{other}\nThen:\n\n```python\n{LAZY}```\n"
    assert len(read(above).files[0].parts) == 2


@pytest.mark.parametrize(
    "text",
    ["def f():\n<<<<<<< HEAD\n    x\n=======\n    y\n>>>>>>> main\n", "x\n=======\ny\n>>>>>>> REPLACE\n"],
)
def test_markers_of_conflicts_and_halves_of_blocks_are_no_code(text):
    """They are refused, unless the file has such lines."""
    assert refusal(text) == "bad_edit"
    assert read(text, original=text) == shown(text, Snippet(tuple(text.split("\n")[:-1]), 1, ended=False))


def test_signed_lines_without_fence_and_header_are_a_diff():
    """Lines of the file with signs before them are a diff without any dress."""
    text = " def load_settings(path):\n-    with open(path) as stream:\n+    with path.open() as stream:\n"
    segment = Segment(
        ("def load_settings(path):", "    with open(path) as stream:"),
        ("def load_settings(path):", "    with path.open() as stream:"),
    )
    part = HunkList("udiff", (Hunk(1, 1, (segment,)),))
    assert read(text) == Edit("udiff", (FileEdit(None, "update", (part,)),), text)


def test_code_that_nothing_sets_apart_from_the_edit_is_kept():
    """A second fence without a reason against it is a part, for the merge to place or refuse."""
    text = (
        f"```python\n{LAZY}```\n\nAnd add this helper:\n\n```python\ndef helper(x):\n    return x + 1\n```\n"
    )
    assert [part.lines for part in read(text).files[0].parts] == [
        LINES,
        ("def helper(x):", "    return x + 1"),
    ]


@pytest.mark.parametrize(
    "words",
    [
        "Here is the full updated `app.py`:",
        "Here's the complete file:",
        "The entire module now reads:",
        "Replace `app.py` with this:",
        "Replace the contents of the file with:",
    ],
)
def test_words_that_claim_a_whole_file_are_heard(words):
    """The claim is the reply's own; the merge judges it."""
    text = f"{words}\n\n```python\nimport os\n\nprint(os.name)\n```\n"
    (part,) = read(text).files[0].parts
    assert isinstance(part, Snippet)
    assert (part.said_whole, read(text).format) == (True, "whole")


@pytest.mark.parametrize(
    "words",
    [
        "Here is the updated function:",
        "Only the changed parts of the full file are shown:",
        "This is not the complete file:",
        "Here is the updated `app.py`:",
        "Replace the function in the file with:",
    ],
)
def test_words_that_claim_less_are_no_claim(words):
    """Without clear words nothing is said to be whole."""
    text = f"{words}\n\n```python\nimport os\n\nprint(os.name)\n```\n"
    (part,) = read(text).files[0].parts
    assert isinstance(part, Snippet)
    assert (part.said_whole, read(text).format) == (False, "lazy")
