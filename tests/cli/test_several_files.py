"""`fastapply apply FILE` with an edit of several files, and with one that bears another file's name."""

from __future__ import annotations

import pytest

A = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
CHANGED = A.replace("return 1", "return 10")
PATCH = (
    "*** Begin Patch\n*** Update File: src/a.py\n@@\n-    return 1\n+    return 10\n"
    "*** Add File: src/new.py\n+x = 1\n*** Delete File: src/old.py\n"
    "*** Update File: src/b.py\n*** Move to: src/c.py\n@@\n-b = 1\n+b = 2\n*** End Patch\n"
)
DIFF = (
    "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n def one():\n-    return 1\n+    return 10\n"
    "--- a/src/b.py\n+++ b/src/b.py\n@@ -1 +1 @@\n-b = 1\n+b = 2\n"
)
REPLY = (
    "In `src/a.py`:\n\n```python\ndef one():\n    return 10\n```\n\n"
    "And in `tests/test_a.py`:\n\n```python\ndef test_one():\n    assert one() == 10\n```\n"
)
CALLS = (
    '[{"path": "src/a.py", "old_string": "return 1", "new_string": "return 10"},'
    ' {"path": "src/b.py", "old_string": "b = 1", "new_string": "b = 2"}]'
)
SEVERAL = [
    pytest.param(PATCH, ["src/a.py", "src/new.py", "src/old.py", "src/b.py"], id="patch"),
    pytest.param(DIFF, ["src/a.py", "src/b.py"], id="diff"),
    pytest.param(REPLY, ["src/a.py", "tests/test_a.py"], id="reply"),
    pytest.param(CALLS, ["src/a.py", "src/b.py"], id="tool calls"),
]


@pytest.fixture
def file(folder):
    """`src/a.py`."""
    (folder / "src").mkdir()
    path = folder / "src/a.py"
    path.write_text(A, encoding="utf-8")
    return path


@pytest.mark.parametrize(("edit", "names"), SEVERAL)
def test_edit_of_several_files_is_refused(fastapply, file, edit, names):
    """It names the files, and the command that takes them all."""
    run = fastapply("apply", "src/a.py", edit=edit)
    assert (run.status, file.read_text()) == (1, A)
    assert run.err == (
        f"src/a.py: refused: the edit is for {len(names)} files: {', '.join(names)} [several_files]\n"
        "hint: use `fastapply patch`, or `--only` to apply the part for this file alone\n"
    )


@pytest.mark.parametrize(("edit", "names"), SEVERAL)
def test_only_takes_the_part_for_the_file_and_says_what_is_left_out(fastapply, file, edit, names):
    """On standard error, and as a warning in `--json`."""
    run = fastapply("apply", "src/a.py", "--only", "--json", "--min-certainty", "0", edit=edit)
    assert (run.status, file.read_text()) == (0, CHANGED)
    left_out = f"left out, because of --only: {', '.join(names[1:])}"
    assert run.object["warnings"] == [left_out]
    assert f"warning: {left_out}\n" in run.err


def test_edit_of_several_files_of_which_none_is_the_file_is_refused_with_only_too(fastapply, folder):
    """Nothing says which part is meant."""
    (folder / "z.py").write_text("z = 1\n", encoding="utf-8")
    run = fastapply("apply", "z.py", "--only", "--json", edit=DIFF)
    assert (run.status, run.object["reason"]) == (1, "several_files")


@pytest.mark.parametrize("name", ["src/a.py", "a.py", "/project/src/a.py", "./src/a.py"])
def test_edit_whose_name_ends_alike_is_for_the_file(fastapply, file, name):
    """Whatever folder it is written from; only then nothing is said."""
    edit = f"*** Begin Patch\n*** Update File: {name}\n@@\n-    return 1\n+    return 10\n*** End Patch\n"
    run = fastapply("apply", "src/a.py", edit=edit)
    assert (run.status, run.err, file.read_text()) == (0, "src/a.py: applied (+1 -1)\n", CHANGED)


@pytest.mark.parametrize(
    "edit",
    [
        DIFF.replace("src/a.py", "lib/http.py").partition("--- a/src/b.py")[0],
        "lib/http.py\n<<<<<<< SEARCH\n    return 1\n=======\n    return 10\n>>>>>>> REPLACE\n",
        "`lib/http.py`:\n\n```python\ndef one():\n    return 10\n\n\ndef two():\n    return 2\n```\n",
    ],
    ids=["diff", "blocks", "whole"],
)
def test_edit_with_another_name_is_applied_where_it_fits_and_that_is_said(fastapply, file, edit):
    """Every hunk has one place, or the merge is certain."""
    run = fastapply("apply", "src/a.py", edit=edit)
    assert (run.status, file.read_text()) == (0, CHANGED)
    assert run.err == (
        "warning: the edit names lib/http.py; applied to src/a.py\nsrc/a.py: applied (+1 -1)\n"
    )


NEAR = (
    "<<<<<<< SEARCH\ndef first_one(counts):  # of all\n    total = counts + 1\n    return total\n=======\n"
    "def first_one(counts):  # of all\n    total = counts + 1\n    return total + 1\n>>>>>>> REPLACE\n"
)
SIMILAR = "def first_one(counts):\n    total = counts + 1\n    return total\n"


def test_edit_with_another_name_that_only_nearly_fits_is_refused(fastapply, folder):
    """It may be for a file that looks alike. Under the file's own name it is applied."""
    (folder / "b.py").write_text(SIMILAR, encoding="utf-8")
    run = fastapply("apply", "b.py", edit="lib/http.py\n" + NEAR)
    assert (run.status, (folder / "b.py").read_text()) == (1, SIMILAR)
    assert run.err.splitlines()[0] == (
        "b.py: refused: the edit is for lib/http.py, and its lines are only similar to those of b.py "
        "[other_file]"
    )
    assert fastapply("apply", "b.py", "--dry-run", edit="lib/b.py\n" + NEAR).status == 0


def test_another_name_in_words_alone_says_nothing(fastapply, file):
    """A sentence may be about any file."""
    edit = "This works as in `lib/http.py` now.\n\n```python\n" + CHANGED + "```\n"
    run = fastapply("apply", "src/a.py", edit=edit)
    assert (run.status, run.err, file.read_text()) == (0, "src/a.py: applied (+1 -1)\n", CHANGED)
