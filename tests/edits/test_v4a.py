"""V4A patches: what Codex accepts, and what must be refused with the line named."""

from __future__ import annotations

import pytest

from fastapply.edits.detect import parse_edit
from fastapply.errors import EditError
from fastapply.text import from_text
from fastapply.types import Edit, FileEdit, Hunk, HunkList, Segment, Snippet
from fastapply.values import replace

PATCH = (
    "*** Begin Patch\n*** Update File: src/a.py\n@@ def f():\n-    return 1\n+    return 2\n*** End Patch\n"
)


def patch(text, *hunks, path="src/a.py", **fields):
    """Make the edit of one file that holds these hunks."""
    parts = (HunkList("v4a", hunks),) if hunks else ()
    return Edit("v4a", (FileEdit(path, "update", parts, **fields),), text)


def one(line, before, after, number=1, **fields):
    """Make a hunk of one segment."""
    return Hunk(number, line, (Segment(tuple(before), tuple(after)),), **fields)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param(PATCH, 3, id="bare"),
        pytest.param("```\n" + PATCH + "```\n", 4, id="fenced"),
        pytest.param("apply_patch <<'EOF'\n" + PATCH + "EOF\n", 4, id="heredoc"),
        pytest.param("```sh\napply_patch <<'EOF'\n" + PATCH + "EOF\n```\n", 5, id="heredoc in a fence"),
        pytest.param(PATCH.replace("*** B", "  *** B").replace("Patch\n", "Patch  \n"), 3, id="padded"),
        pytest.param(PATCH.replace("*** End", "\n*** End"), 3, id="blank line before the end"),
        pytest.param(PATCH.replace("\n", "\r\n"), 3, id="CRLF"),
        pytest.param("I'll change the value.\n\n" + PATCH + "\nDone.", 5, id="in a chat"),
    ],
)
def test_a_patch_is_read_in_every_dress(text, line):
    """What stands around a patch does not change what it says."""
    expected = patch(text, one(line, ["    return 1"], ["    return 2"], scopes=("def f():",)))
    assert parse_edit(text, path="a.py") == expected


def test_a_patch_in_the_arguments_of_a_shell_call_is_found():
    """`["bash", "-lc", …]` is how agents run apply_patch."""
    import json

    text = json.dumps({"command": ["bash", "-lc", "apply_patch <<'EOF'\n" + PATCH + "EOF\n"]})
    expected = patch(text, one(4, ["    return 1"], ["    return 2"], scopes=("def f():",)))
    assert parse_edit(text, path="a.py") == expected


def test_scope_lines_follow_one_another_and_end_of_file_is_kept():
    """Several scopes, a first hunk without @@, context, and the end of the file."""
    text = """\
*** Begin Patch
*** Update File: a.py
 import os
+import re
@@ class A:
@@     def f(self):

-        x = 1
+        x = 2
@@
 last
+more
*** End of File
*** End Patch
"""
    expected = patch(
        text,
        one(3, ["import os"], ["import os", "import re"]),
        one(5, ["", "        x = 1"], ["", "        x = 2"], number=2, scopes=("class A:", "def f(self):")),
        one(10, ["last"], ["last", "more"], number=3, at_end=True),
        path="a.py",
    )
    assert parse_edit(text, path="a.py") == expected


def test_the_header_of_a_unified_diff_gives_a_line_and_no_scope():
    """Models mix the two formats: `@@ -3,4 +3,4 @@ class A:` is no scope."""
    text = PATCH.replace("@@ def f():", "@@ -3,4 +3,4 @@ class A:")
    expected = patch(text, one(3, ["    return 1"], ["    return 2"], old_start=3, heading="class A:"))
    assert parse_edit(text, path="a.py") == expected


def test_context_without_its_blank_is_read_as_the_file_has_it():
    """The file decides how deep a context line was that lost its blank."""
    text = (
        "*** Begin Patch\n*** Update File: a.py\n@@\ndef f():\n    x = 0\n-    return 1\n"
        "+    return 2\n*** End Patch"
    )
    original = from_text("def f():\n    x = 0\n    return 1\n")
    expected = patch(
        text,
        one(3, ["def f():", "    x = 0", "    return 1"], ["def f():", "    x = 0", "    return 2"]),
        path="a.py",
    )
    assert parse_edit(text, path="a.py", original=original) == expected


def test_files_are_added_deleted_moved_and_updated_in_one_patch():
    """Each section is a file of its own, in order."""
    text = """\
*** Begin Patch
*** Add File: new.py
+x = 1
+
+y = 2
*** Delete File: gone.py
*** Update File: old.py
*** Move to: lib/new.py
@@
-a
+b
*** End Patch
"""
    assert parse_edit(text) == Edit(
        "v4a",
        (
            FileEdit("new.py", "create", (Snippet(("x = 1", "", "y = 2"), 3, said_whole=True),)),
            FileEdit("gone.py", "delete", ()),
            FileEdit("old.py", "update", (HunkList("v4a", (one(9, ["a"], ["b"]),)),), "lib/new.py"),
        ),
        text,
    )


def test_of_several_files_the_one_that_is_given_is_taken_if_only_that_is_wanted():
    """Else the edit is refused; so it is where none or two names fit the file."""
    text = (
        "*** Begin Patch\n*** Update File: src/a.py\n@@\n-a\n+b\n*** Update File: src/b.py\n@@\n"
        "-c\n+d\n*** End Patch"
    )
    original = from_text("a\n")
    taken = parse_edit(text, path="lib/a.py", original=original, only=True)
    assert taken == replace(patch(text, one(3, ["a"], ["b"])), others=("src/b.py",))
    for path, only in (("lib/a.py", False), ("c.py", True)):
        with pytest.raises(EditError, match=r"2 files: src/a\.py, src/b\.py") as caught:
            parse_edit(text, path=path, original=original, only=only)
        assert (caught.value.reason, "patch" in caught.value.hint) == ("several_files", True)


@pytest.mark.parametrize(
    ("text", "reason", "says"),
    [
        pytest.param("*** Begin Patch\n*** End Patch", "empty_edit", "the patch is empty", id="empty"),
        pytest.param(
            "*** Begin Patch\n*** Update File: a.py\n*** End Patch", "empty_edit", "line 2", id="no hunk"
        ),
        pytest.param(
            "*** Begin Patch\n*** Update File: a.py\n@@\n*** End Patch", "bad_edit", "line 3", id="empty hunk"
        ),
        pytest.param(
            "*** Begin Patch\n*** Update File: a.py\n@@\n same\n*** End Patch",
            "empty_edit",
            "line 3",
            id="same",
        ),
        pytest.param("*** Begin Patch\n*** Rename File: a\n*** End Patch", "bad_edit", "line 2", id="header"),
        pytest.param(
            "*** Begin Patch\n*** Update File: a.py\n@@\n-a\n*** Oops\n*** End Patch",
            "bad_edit",
            "line 5",
            id="note",
        ),
        pytest.param(
            "*** Begin Patch\n*** Add File: a.py\nx\n*** End Patch", "bad_edit", "line 3", id="no plus"
        ),
        pytest.param(
            "*** Begin Patch\n*** Delete File: a.py\n-x\n*** End Patch",
            "bad_edit",
            "line 3",
            id="deleted body",
        ),
        pytest.param(
            "*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b\n", "truncated", "line 1", id="cut off"
        ),
    ],
)
def test_a_broken_patch_is_refused_with_its_line(text, reason, says):
    """The message names the line, so that an agent can mend its patch."""
    with pytest.raises(EditError, match=says) as caught:
        parse_edit(text, path="a.py", original=from_text("a\n"))
    assert caught.value.reason == reason
