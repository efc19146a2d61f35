"""Unified diffs: right ones, read as git and unidiff read them, and those that models write."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unidiff.patch import PatchSet

from fastapply import apply_edit
from fastapply.edits.detect import parse_edit
from fastapply.errors import EditError
from fastapply.text import from_text
from fastapply.types import Edit, FileEdit, Hunk, HunkList, Segment, Snippet

FILE = (
    "import os\n\n\nclass A:\n    def f(self):\n        x = 1\n        return x\n\n"
    "    def g(self):\n        return 2\n"
)


def diff(text, *hunks, path=None, **fields):
    """Make the edit of one file that holds these hunks."""
    parts = (HunkList("udiff", hunks),) if hunks else ()
    return Edit("udiff", (FileEdit(path, "update", parts, **fields),), text)


def one(line, before, after, number=1, **fields):
    """Make a hunk of one segment."""
    return Hunk(number, line, (Segment(tuple(before), tuple(after)),), **fields)


RIGHT = """\
--- a/src/a.py
+++ b/src/a.py
@@ -5,3 +5,3 @@ class A:
     def f(self):
-        x = 1
+        x = 2
         return x
"""
BEFORE = ["    def f(self):", "        x = 1", "        return x"]
AFTER = ["    def f(self):", "        x = 2", "        return x"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(RIGHT, id="bare"),
        pytest.param("```diff\n" + RIGHT + "```\n", id="fenced"),
        pytest.param("Sure, here it is:\n\n```diff\n" + RIGHT + "```\n\nLet me know!\n", id="in a chat"),
        pytest.param("diff --git a/src/a.py b/src/a.py\nindex 12..34 100644\n" + RIGHT, id="git's header"),
        pytest.param(RIGHT.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(RIGHT.replace("a.py\n", "a.py\t2024-01-01 10:00:00.000 +0100\n"), id="time stamps"),
        pytest.param(RIGHT + "\nThis changes the value.\n", id="a sentence behind"),
        pytest.param(
            "From 12ab Mon Sep 17\nSubject: x\n---\n a.py | 2 +-\n\n" + RIGHT + "-- \n2.40.1\n", id="mail"
        ),
    ],
)
def test_a_right_diff_is_read_in_every_dress(text):
    """What stands around a well-formed diff does not change what it says."""
    line = text.replace("\r", "").split("\n").index("@@ -5,3 +5,3 @@ class A:") + 1
    hunk = one(line, BEFORE, AFTER, heading="class A:", old_start=5, counts_right=True)
    assert parse_edit(text, path="a.py", original=from_text(FILE)) == diff(text, hunk, path="src/a.py")


@pytest.mark.parametrize(
    ("header", "old_start", "heading"),
    [
        pytest.param("@@ -9,7 +9,9 @@ class A:", 9, "class A:", id="wrong counts"),
        pytest.param("@@ ... @@", None, "", id="dots"),
        pytest.param("@@", None, "", id="bare"),
        pytest.param("@@ @@", None, "", id="empty"),
        pytest.param("@@ def f(self): @@", None, "def f(self):", id="a name between"),
        pytest.param("@@ class A", None, "class A", id="a name behind"),
        pytest.param("@@ ... @@ class A:", None, "class A:", id="dots and a name"),
        pytest.param("@@ -5 @@", 5, "", id="half a range"),
    ],
)
def test_a_header_without_right_numbers_is_a_hint_at_most(header, old_start, heading):
    """Counts that do not fit the body are not believed; line numbers and names are kept."""
    text = RIGHT.replace("@@ -5,3 +5,3 @@ class A:", header)
    expected = diff(text, one(3, BEFORE, AFTER, heading=heading, old_start=old_start), path="src/a.py")
    assert parse_edit(text, path="a.py", original=from_text(FILE)) == expected


def test_a_diff_without_any_header_is_a_hunk():
    """The signs before the lines of a fence are enough."""
    text = "```diff\n     def f(self):\n-        x = 1\n+        x = 2\n         return x\n```\n"
    assert parse_edit(text, path="a.py", original=from_text(FILE)) == diff(text, one(2, BEFORE, AFTER))


def test_signed_lines_in_a_fence_of_the_files_language_are_a_diff():
    """A fence that says python and holds removed lines of the file is a diff all the same."""
    text = "```python\n     def f(self):\n-        x = 1\n+        x = 2\n         return x\n```\n"
    assert parse_edit(text, path="a.py", original=from_text(FILE)) == diff(text, one(2, BEFORE, AFTER))


def test_signed_lines_of_a_list_are_no_diff():
    """List items of a Markdown file begin with a dash and remove nothing."""
    text = "# Things\n\n- one\n- two\n- three\n"
    lines = ("# Things", "", "- one", "- two", "- three")
    expected = Edit("lazy", (FileEdit(None, "update", (Snippet(lines, 1, ended=False),)),), text)
    assert parse_edit(text, path="a.md", original=from_text("# Things\n\n- one\n- two\n")) == expected


@pytest.mark.parametrize("known", [True, False])
def test_context_without_its_leading_blank_gets_the_files_indentation(known):
    """Indentation of context lines that lost their blank is read as the + lines show it."""
    text = "@@ ... @@\n    def f(self):\n-        x = 1\n+        x = 2\n        return x\n"
    edit = parse_edit(text, path="a.py", original=from_text(FILE) if known else None)
    assert edit == diff(text, one(1, BEFORE, AFTER))


def test_context_with_and_without_its_blank_is_decided_line_by_line():
    """One line that lost its blank does not shift the others."""
    text = "@@ ... @@\nclass A:\n     def f(self):\n-        x = 1\n+        x = 2\n"
    before = ["class A:", "    def f(self):", "        x = 1"]
    after = ["class A:", "    def f(self):", "        x = 2"]
    assert parse_edit(text, path="a.py", original=from_text(FILE)) == diff(text, one(1, before, after))


def test_list_items_of_the_file_are_context_where_blanks_are_missing():
    """`- item` is no removal of ` item` when the file has the one and not the other."""
    text = "```diff\n@@ ... @@\nitems:\n- one\n+- one and a half\n- two\n```\n"
    original = from_text("items:\n- one\n- two\n")
    expected = diff(
        text, one(2, ["items:", "- one", "- two"], ["items:", "- one", "- one and a half", "- two"])
    )
    assert parse_edit(text, path="a.yaml", original=original) == expected


def test_removed_lines_that_look_like_file_headers_are_lines():
    """Within right counts `--- x` removes the line `-- x`."""
    text = "--- a/q.sql\n+++ b/q.sql\n@@ -1,3 +1,3 @@\n SELECT 1;\n--- old note\n+++ new note\n SELECT 2;\n"
    hunk = one(
        3,
        ["SELECT 1;", "-- old note", "SELECT 2;"],
        ["SELECT 1;", "++ new note", "SELECT 2;"],
        old_start=1,
        counts_right=True,
    )
    assert parse_edit(text, path="q.sql") == diff(text, hunk, path="q.sql")


def test_a_removed_comment_of_two_dashes_is_no_header_without_counts():
    """`--- words` is a header only with a `+++` line or a hunk behind it."""
    text = "@@ ... @@\n SELECT 1;\n--- old note\n+-- new note\n"
    expected = diff(text, one(1, ["SELECT 1;", "-- old note"], ["SELECT 1;", "-- new note"]))
    assert parse_edit(text, path="q.sql") == expected


def test_markers_cut_a_hunk_and_are_no_lines():
    """`...` lines in a body stand for file lines between two places."""
    text = (
        "```diff\n # ... existing code ...\n     def f(self):\n-        x = 1\n+        x = 2\n"
        " ...\n     def g(self):\n-        return 2\n+        return 3\n```\n"
    )
    expected = diff(
        text,
        one(3, BEFORE[:2], AFTER[:2]),
        one(7, ["    def g(self):", "        return 2"], ["    def g(self):", "        return 3"], number=2),
    )
    assert parse_edit(text, path="a.py", original=from_text(FILE)) == expected


@pytest.mark.parametrize(
    ("body", "says"),
    [
        pytest.param("-a\n+b\n\\ No newline at end of file\n", True, id="new side"),
        pytest.param("-a\n\\ No newline at end of file\n+b\n", False, id="old side"),
        pytest.param("-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n", True, id="both"),
        pytest.param("-a\n+b\n", None, id="neither"),
    ],
)
def test_the_note_about_the_final_newline_is_read_for_the_new_side(body, says):
    """`No newline at end of file` counts where it stands behind the last new line."""
    text = "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n" + body
    hunk = one(3, ["a"], ["b"], old_start=1, counts_right=True, no_newline_after=says)
    assert parse_edit(text, path="a.txt") == diff(text, hunk, path="a.txt")


def test_git_headers_create_delete_move_and_change_modes():
    """The extended headers of git say what becomes of each file."""
    text = """\
diff --git a/new.sh b/new.sh
new file mode 100755
index 0000000..1
--- /dev/null
+++ b/new.sh
@@ -0,0 +1,2 @@
+#!/bin/sh
+true
diff --git a/gone.py b/gone.py
deleted file mode 100644
--- a/gone.py
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/old name.py b/lib/new name.py
similarity index 100%
rename from old name.py
rename to lib/new name.py
diff --git a/run b/run
old mode 100644
new mode 100755
diff --git "a/na\\303\\257ve.txt" "b/na\\303\\257ve.txt"
--- "a/na\\303\\257ve.txt"
+++ "b/na\\303\\257ve.txt"
@@ -1 +1 @@
-a
+b
"""
    created = FileEdit(
        "new.sh", "create", (Snippet(("#!/bin/sh", "true"), 7, said_whole=True),), new_mode=0o755
    )
    deleted = one(13, ["x"], [], old_start=1, counts_right=True)
    changed = one(25, ["a"], ["b"], number=2, old_start=1, counts_right=True)
    assert parse_edit(text) == Edit(
        "udiff",
        (
            created,
            FileEdit("gone.py", "delete", (HunkList("udiff", (deleted,)),)),
            FileEdit("old name.py", "update", (), new_path="lib/new name.py"),
            FileEdit("run", "update", (), new_mode=0o755),
            FileEdit("naïve.txt", "update", (HunkList("udiff", (changed,)),)),
        ),
        text,
    )


def test_dev_null_with_removed_lines_changes_the_file_that_is_there():
    """A model's wrong /dev/null creates nothing when the hunk removes lines."""
    text = "--- /dev/null\n+++ file.txt\n@@ ... @@\n-Original\n+Modified\n"
    assert parse_edit(text, path="file.txt") == diff(
        text, one(3, ["Original"], ["Modified"]), path="file.txt"
    )


def test_a_name_without_gits_prefixes_keeps_its_folder():
    """`a/` is a folder when both sides have it."""
    text = "--- a/x.py\n+++ a/x.py\n@@ -1 +1 @@\n-a\n+b\n"
    assert parse_edit(text).files[0].path == "a/x.py"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("diff --git a/x b/x\nBinary files a/x and b/x differ\n", "binary", id="binary"),
        pytest.param(
            "diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 3\n", "binary", id="git binary"
        ),
        pytest.param("--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n a\n b\n", "bad_edit", id="nothing changes"),
        pytest.param("diff --cc x.py\n@@@ -1,1 -1,1 +1,1 @@@\n- a\n -b\n++c\n", "bad_edit", id="of a merge"),
    ],
)
def test_a_diff_that_cannot_be_applied_is_refused(text, reason):
    """Binary patches, diffs of merges and diffs without a change end in a reason."""
    with pytest.raises(EditError) as caught:
        parse_edit(text, path="x.py", original=from_text("a\nb\n"))
    assert caught.value.reason == reason


LINES = st.lists(st.text(st.sampled_from("ab-+@ \t\\#"), max_size=6), max_size=12)


@given(LINES, LINES, st.integers(0, 3))
def test_well_formed_diffs_are_read_as_unidiff_reads_them(old, new, context):
    """On what difflib writes our reading and that of the library agree, hunk for hunk."""
    text = "\n".join(difflib.unified_diff(old, new, "a/x.py", "b/x.py", n=context, lineterm=""))
    if not text:
        return
    theirs = [
        (
            hunk.source_start,
            tuple(line.value.removesuffix("\n") for line in hunk if not line.is_added),
            tuple(line.value.removesuffix("\n") for line in hunk if not line.is_removed),
        )
        for hunk in PatchSet(text + "\n")[0]
    ]
    (part,) = parse_edit(text).files[0].parts
    assert isinstance(part, HunkList)
    ours = [(hunk.old_start, hunk.segments[0].before, hunk.segments[0].after) for hunk in part.hunks]
    assert (ours, all(hunk.counts_right for hunk in part.hunks)) == (theirs, True)


def test_lines_of_context_above_a_bare_hunk_header_are_no_code():
    """A diff whose first lines lack their blanks is a diff all the same."""
    result = apply_edit("a = 1\nb = 2\nc = 3\n", "```\na = 1\nb = 2\n@@\n-c = 3\n+c = 4\n```\n", path="a.py")
    assert (result.status, result.format, result.text) == ("applied", "udiff", "a = 1\nb = 2\nc = 4\n")


def test_file_with_signs_and_hunk_headers_of_its_own_is_no_diff():
    """Templates behind `__END__` begin with `@@`, and Slim's lines with a minus sign."""
    before = "one = 1\ntwo = 2\n\n__END__\n\n@@ first\n- a = 1\n| Say\n"
    after = before + "\n@@ second\n| More\n"
    result = apply_edit(before, f"```ruby\n{after}```\n", path="a.rb")
    assert (result.status, result.text) in {("applied", after), ("refused", before)}
