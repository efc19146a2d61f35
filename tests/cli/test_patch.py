"""`fastapply patch`: several files change all together or not at all, and never outside of the root."""

from __future__ import annotations

import sys

import pytest

EDIT = """\
*** Begin Patch
*** Update File: src/app.txt
@@
 first line
-second line
+second line, changed
*** Add File: src/new/made.txt
+made here
*** Delete File: old.txt
*** Update File: names.txt
*** Move to: moved/names.txt
@@
-a name
+another name
*** End Patch
"""
BEFORE = {
    "src/app.txt": b"first line\r\nsecond line\r\nthird line\r\n",
    "old.txt": b"old\n",
    "names.txt": b"a name\nmore of it\n",
}
AFTER = {
    "src/app.txt": b"first line\r\nsecond line, changed\r\nthird line\r\n",
    "src/new/made.txt": b"made here\n",
    "moved/names.txt": b"another name\nmore of it\n",
}
KEYS = [
    "schema", "status", "written", "reason", "message", "hint", "files", "format", "method", "certainty",
    "needed", "decision", "added", "removed", "seconds", "findings", "candidates", "always",
    "warnings", "model", "diff",
]  # fmt: skip


def lay_out(folder, files):
    """Write files and the folders they need."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def contents(folder):
    """All files below a folder, git's own left out."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


@pytest.fixture
def tree(folder):
    """The files before."""
    lay_out(folder, BEFORE)
    return folder


def test_all_files_change(fastapply, tree):
    """Changed, made, deleted and moved, with a line for each."""
    run = fastapply("patch", edit=EDIT)
    assert (run.status, run.out, contents(tree)) == (0, b"", AFTER)
    assert run.err.splitlines() == [
        "src/app.txt: applied (+1 -1)",
        "src/new/made.txt: created (+1 -0)",
        "old.txt: deleted (+0 -1)",
        "names.txt: moved to moved/names.txt (+1 -1)",
    ]


def test_root_is_where_names_start(fastapply, folder):
    """Another folder than the present one; the edit comes from a file."""
    lay_out(folder / "tree", BEFORE)
    (folder / "e.txt").write_text(EDIT, encoding="utf-8")
    assert fastapply("patch", "e.txt", "--root", "tree").status == 0
    assert contents(folder / "tree") == AFTER


@pytest.mark.parametrize(
    ("broken", "status"),
    [
        (EDIT.replace("-second line\n", "-no such line\n"), 1),
        (EDIT.replace("old.txt", "no.txt"), 4),
        (EDIT.replace("moved/names.txt", "old.txt"), 4),
        (EDIT.replace("src/new/made.txt", "src/app.txt/made.txt"), 4),
        (EDIT.replace("src/new/made.txt", "names.txt/../../made.txt"), 4),
        (EDIT.replace("*** End Patch\n", ""), 1),
    ],
    ids=["hunk", "missing file", "move onto a file", "file as a folder", "outside", "cut off"],
)
def test_nothing_changes_where_one_part_fails(fastapply, tree, broken, status):
    """The parts before and after the failing one are left out as well."""
    run = fastapply("patch", edit=broken)
    assert (run.status, run.out, contents(tree)) == (status, b"", BEFORE)
    assert run.err


def test_refusal_names_the_file(fastapply, tree):
    """Of several, the one that has to be mended."""
    run = fastapply("patch", edit=EDIT.replace("-second line\n", "-no such line\n"))
    assert run.err.startswith("refused: src/app.txt: hunk 1 (edit line ")
    assert contents(tree) == BEFORE


def test_json_has_an_object_for_each_file(fastapply, tree):
    """`files` in the place of `file`."""
    value = fastapply("patch", "--json", edit=EDIT).object
    assert list(value) == KEYS
    assert (value["status"], value["written"], value["added"], value["removed"]) == ("applied", True, 3, 3)
    assert [(one["file"], one["action"], one["new_path"], one["added"]) for one in value["files"]] == [
        ("src/app.txt", "update", None, 1),
        ("src/new/made.txt", "create", None, 1),
        ("old.txt", "delete", None, 0),
        ("names.txt", "update", "moved/names.txt", 1),
    ]
    assert contents(tree) == AFTER


def test_json_of_a_refusal_has_the_same_keys(fastapply, tree):
    """With no files."""
    run = fastapply("patch", "--json", edit=EDIT.replace("-second line\n", "-no such line\n"))
    assert list(run.object) == KEYS
    assert (run.status, run.object["status"], run.object["files"]) == (1, "refused", [])
    assert contents(tree) == BEFORE


@pytest.mark.parametrize("flag", ["--dry-run", "--check", "--dry-run --json"])
def test_dry_run_writes_nothing(fastapply, tree, flag):
    """No file, no folder."""
    assert fastapply("patch", *flag.split(), edit=EDIT).status == 0
    assert contents(tree) == BEFORE
    assert not (tree / "moved").exists()


def test_git_applies_the_diff_of_a_dry_run(fastapply, tree, git):
    """New, deleted, moved and changed files, with their own line ends."""
    git("add", ".")
    git("commit", "-qm", "before")
    shown = fastapply("patch", "-n", edit=EDIT)
    git("apply", "--index", data=shown.out)
    assert contents(tree) == AFTER
    assert "rename names.txt => moved/names.txt" in git("diff", "--cached", "--summary", "-M30%")


@pytest.mark.parametrize(
    "name",
    ["../out.txt", "/etc/out.txt", "a/../../out.txt", "~/out.txt", ".git/hooks/pre-commit", "C:\\out.txt"],
)
@pytest.mark.parametrize("action", ["Add", "Update", "Delete", "Move"])
def test_root_is_never_left(fastapply, tree, name, action):
    """Not by any way to write a name, and not for the target of a move."""
    (tree.parent / "out.txt").write_bytes(b"old\n")
    bodies = {
        "Add": f"*** Add File: {name}\n+x\n",
        "Update": f"*** Update File: {name}\n@@\n-old\n+new\n",
        "Delete": f"*** Delete File: {name}\n",
        "Move": f"*** Update File: old.txt\n*** Move to: {name}\n@@\n-old\n+new\n",
    }
    run = fastapply("patch", "--json", edit=f"*** Begin Patch\n{bodies[action]}*** End Patch\n")
    assert (run.status, run.object["reason"]) == (4, "outside_root")
    assert contents(tree) == BEFORE
    assert (tree.parent / "out.txt").read_bytes() == b"old\n"


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_root_is_not_left_through_a_link(fastapply, tree):
    """A folder that leads out, and a file that does."""
    outside = tree.parent / "outside"
    lay_out(outside, {"f.txt": b"old\n"})
    (tree / "way").symlink_to(outside)
    (tree / "f.txt").symlink_to(outside / "f.txt")
    for name in ("way/f.txt", "f.txt"):
        edit = f"*** Begin Patch\n*** Update File: {name}\n@@\n-old\n+new\n*** End Patch\n"
        assert fastapply("patch", edit=edit).status == 4
    assert contents(outside) == {"f.txt": b"old\n"}


def test_edit_without_names_is_refused(fastapply, tree):
    """It belongs to apply."""
    run = fastapply("patch", edit="<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE\n")
    assert (run.status, contents(tree)) == (1, BEFORE)
    assert "fastapply apply" in run.err


def test_new_file_is_not_written_over_another(fastapply, tree):
    """Refused where the file has another text; in place already where it has this one."""
    edit = "*** Begin Patch\n*** Add File: old.txt\n+{}\n*** End Patch\n"
    run = fastapply("patch", "--json", edit=edit.format("new"))
    assert (run.status, run.object["reason"], contents(tree)) == (1, "exists", BEFORE)
    run = fastapply("patch", "--json", edit=edit.format("old"))
    assert (run.status, run.object["status"], contents(tree)) == (0, "unchanged", BEFORE)


def test_diff_that_deletes_must_show_the_file_as_it_is(fastapply, tree):
    """A file that has changed meanwhile is not deleted."""
    edit = (
        "diff --git a/old.txt b/old.txt\ndeleted file mode 100644\n"
        "--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-{}\n"
    )
    assert fastapply("patch", edit=edit.format("something")).status == 1
    assert contents(tree) == BEFORE
    assert fastapply("patch", edit=edit.format("old")).status == 0
    assert "old.txt" not in contents(tree)


def test_backup_keeps_every_old_text(fastapply, tree):
    """Of changed, moved and deleted files."""
    assert fastapply("patch", "--backup", edit=EDIT).status == 0
    kept = {name: data for name, data in contents(tree).items() if name.endswith("~")}
    assert kept == {f"{name}~": data for name, data in BEFORE.items()}


def test_one_file_named_in_a_lazy_edit_is_changed(fastapply, folder):
    """A fence that names its file."""
    lay_out(folder, {"m.py": b"def one():\n    return 1\n\n\ndef two():\n    return 2\n"})
    edit = "m.py\n```python\n# ... existing code ...\n\ndef two():\n    return 22\n```\n"
    assert fastapply("patch", edit=edit).status == 0
    assert contents(folder) == {"m.py": b"def one():\n    return 1\n\n\ndef two():\n    return 22\n"}


def test_root_that_is_no_folder_is_a_usage_error(fastapply, folder):
    """Status 2."""
    (folder / "f").write_bytes(b"")
    assert fastapply("patch", "--root", "f", edit=EDIT).status == 2
    assert fastapply("patch", "--root", "none", edit=EDIT).status == 2


def test_terminal_as_input_gets_a_hint(fastapply, tree):
    """As for apply."""
    run = fastapply("patch", terminal=True)
    assert (run.status, "fastapply patch < edit.txt" in run.err) == (2, True)
    assert contents(tree) == BEFORE
