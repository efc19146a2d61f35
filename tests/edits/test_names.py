"""File names in an edit's text, and text that only looks like one."""

from __future__ import annotations

import pytest

from fastapply.edits.names import aimed_at, comment_label, label_of, mentions, read_info
from fastapply.edits.udiff import git_names, header_name, same_file


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("src/app.py", "src/app.py"),
        ("  `src/app.py`:", "src/app.py"),
        ("### src/app.py", "src/app.py"),
        ("**src/app.py**", "src/app.py"),
        ("**`src/app.py`**:", "src/app.py"),
        ("1. `src/app.py` (new)", "src/app.py"),
        ("File: src/app.py", "src/app.py"),
        ("#### File: `my files/app.py`", "my files/app.py"),
        ("<path>src/app.py</path>", "src/app.py"),
        ("C:\\work\\app.py", "C:\\work\\app.py"),
        ("Makefile", "Makefile"),
        (".env", ".env"),
        ("app/[id]/page.tsx", "app/[id]/page.tsx"),
        ("This is src/app.py", None),
        ("e.g.", None),
        ("...", None),
        ("1.2.3", None),
        ("https://example.org/a.py", None),
        ("foo()", None),
        ("Done.", None),
        ("```python", None),
    ],
)
def test_a_label_is_a_line_with_a_name_and_nothing_else(line, name):
    """Decoration is taken off; sentences, versions, links and calls are no names."""
    assert label_of(line) == name


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ("python", ("python", None)),
        ("Python src/app.py", ("python", "src/app.py")),
        ("ts:src/app.ts", ("ts", "src/app.ts")),
        ("12:40:src/app.ts", ("", "src/app.ts")),
        ('tsx {1,3} title="src/app.tsx"', ("tsx", "src/app.tsx")),
        ("path=src/app.py", ("", "src/app.py")),
        ("src/app.py", ("", "src/app.py")),
        ("", ("", None)),
        ("c++", ("c++", None)),
        ("objective-c", ("objective-c", None)),
    ],
)
def test_an_info_string_gives_language_and_name(info, expected):
    """All usual spellings of a name in an info string are read."""
    assert read_info(info) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("# src/app.py", ("src/app.py", False)),
        ("// File: src/app.ts", ("src/app.ts", True)),
        ("// filepath: /home/me/app.ts", ("/home/me/app.ts", True)),
        ("<!-- index.html -->", ("index.html", False)),
        ("/* app.css */", ("app.css", False)),
        ("# see src/app.py", None),
        ("# todo", None),
        ("x = 'a.py'", None),
    ],
)
def test_a_comment_that_is_a_name_is_a_label(line, expected):
    """Only a comment that holds nothing else names the file."""
    assert comment_label(line) == expected


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("And in `tests/test_app.py`:", "tests/test_app.py"),
        ("Then replace `test/auth.test.ts` with this:", "test/auth.test.ts"),
        ("so `vitest.config.ts` needs:", "vitest.config.ts"),
        ("And here is `b.txt`:", "b.txt"),
        ("This uses `utils.py` and logs:", None),
        ("The helper of `utils.py` now takes a flag. Change it:", None),
        ("Call it with `self.name`:", None),
    ],
)
def test_a_sentence_that_ends_at_a_name_says_where_code_goes(line, name):
    """A name in the middle of a sentence is only a mention."""
    assert aimed_at(line) == name


def test_mentions_are_names_with_a_known_extension():
    """Attributes, calls and numbers in prose are no files."""
    text = "In `src/a.py` and **b.ts**, not `self.name`, `request.json`, `f.read()`, v1.2, console.log; c.md."
    assert mentions(text) == ("src/a.py", "b.ts", "c.md")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a/src/x.py", "a/src/x.py"),
        ("a/x.py\t2024-01-01 10:00:00", "a/x.py"),
        ("x.py 2024-01-01 10:00:00.000 +0100", "x.py"),
        ("dir with blanks/x.py", "dir with blanks/x.py"),
        ('"b/na\\303\\257ve.txt"', "b/naïve.txt"),
        ('"b/tab\\there"', "b/tab\there"),
    ],
)
def test_names_of_diff_headers_lose_stamps_and_quotes(text, name):
    """What stands behind `---` is a name, and maybe a time stamp."""
    assert header_name(text) == name


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("a/x.py b/x.py", ("a/x.py", "b/x.py")),
        ("a/x y.py b/x y.py", ("a/x y.py", "b/x y.py")),
        ("a/old.py b/new.py", ("a/old.py", "b/new.py")),
        ('"a/\\303\\251" "b/\\303\\251"', ("a/é", "b/é")),
    ],
)
def test_both_names_of_a_git_header_are_found(line, names):
    """Blanks in names do not confuse the split, nor do quotes."""
    assert git_names(line) == names


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("a/x.py", "b/x.py", ("x.py", "x.py")),
        ("old/x.py", "new/x.py", ("x.py", "x.py")),
        ("a/x.py", "a/x.py", ("a/x.py", "a/x.py")),
        ("x.py", "y.py", ("x.py", "y.py")),
        ("/dev/null", "b/x.py", ("/dev/null", "x.py")),
    ],
)
def test_prefixes_are_what_both_sides_differ_in(old, new, names):
    """Only a first component that differs, with an equal rest, is a prefix."""
    assert same_file(old, new, git=False) == names
