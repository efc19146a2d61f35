"""The names in a diff: such that the real `git apply` finds the file, wherever it is called."""

from __future__ import annotations

import os
import subprocess

import pytest

CHANGE = "<<<<<<< SEARCH\ntwo words\n=======\ntwo more words\n>>>>>>> REPLACE\n"
BEFORE = b"one word\ntwo words\nthree words\n"
AFTER = b"one word\ntwo more words\nthree words\n"


@pytest.fixture
def tree(folder, git):
    """A repository with a file at its top, and two in folders."""
    for name in ("top.txt", "sub/a.txt", "sub/deep/b.txt"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(BEFORE)
    git("add", ".")
    git("commit", "-qm", "before")
    return folder


def git_apply(diff, folder, status=0):
    """Let git put a diff in, called in a folder."""
    done = subprocess.run(["git", "apply"], cwd=folder, input=diff, capture_output=True, check=False)
    assert done.returncode == status, done.stderr.decode()


def names(diff):
    """The names in the headers of a diff."""
    return [line for line in diff.decode().splitlines() if line.startswith(("---", "+++"))]


@pytest.mark.parametrize("name", ["a.txt", "./a.txt", "deep/b.txt", "deep/../a.txt"])
@pytest.mark.parametrize("absolute", [False, True], ids=["relative", "absolute"])
def test_git_applies_the_diff_of_a_dry_run_in_a_folder_of_a_repository(
    fastapply, tree, monkeypatch, name, absolute
):
    """Git reads names from the top of the repository, and does nothing with a name that it cannot find."""
    monkeypatch.chdir(tree / "sub")
    file = os.path.join(tree / "sub", name) if absolute else name  # noqa: PTH118 - the dots stay
    shown = fastapply("apply", "-n", file, edit=CHANGE)
    assert (shown.status, (tree / "sub" / name).read_bytes()) == (0, BEFORE)
    git_apply(shown.out, tree / "sub")
    assert (tree / "sub" / name).read_bytes() == AFTER


@pytest.mark.parametrize("called", ["sub", "sub/deep"])
def test_git_applies_the_diff_of_a_file_beside_the_folder_from_the_top(fastapply, tree, monkeypatch, called):
    """Git skips what lies outside of the folder that it is called in, so it is called at the top."""
    monkeypatch.chdir(tree / called)
    shown = fastapply("apply", "-n", "../" * (called.count("/") + 1) + "top.txt", edit=CHANGE)
    assert names(shown.out) == ["--- a/top.txt", "+++ b/top.txt"]
    git_apply(shown.out, tree)
    assert (tree / "top.txt").read_bytes() == AFTER


def test_git_applies_the_diff_that_makes_a_file_in_a_folder_of_a_repository(fastapply, tree, monkeypatch):
    """The name of a file that is not there yet starts from the top as well."""
    monkeypatch.chdir(tree / "sub")
    edit = "*** Begin Patch\n*** Add File: new.txt\n+new\n*** End Patch\n"
    git_apply(fastapply("patch", "-n", edit=edit).out, tree / "sub")
    assert (tree / "sub/new.txt").read_bytes() == b"new\n"


def test_git_applies_the_diff_of_a_patch_with_a_root(fastapply, tree, monkeypatch):
    """Changed and moved files; what is said names them from the root, wherever it is called."""
    monkeypatch.chdir(tree / "sub/deep")
    edit = (
        "*** Begin Patch\n*** Update File: sub/a.txt\n@@\n-two words\n+two more words\n"
        "*** Update File: top.txt\n*** Move to: sub/deep/moved.txt\n@@\n-two words\n+two more words\n"
        "*** End Patch\n"
    )
    shown = fastapply("patch", "-n", "--root", str(tree), edit=edit)
    assert shown.err.splitlines() == [
        "sub/a.txt: would apply (+1 -1)",
        "top.txt: would move to sub/deep/moved.txt (+1 -1)",
    ]
    git_apply(shown.out, tree)
    assert (tree / "sub/a.txt").read_bytes() == AFTER
    assert ((tree / "sub/deep/moved.txt").read_bytes(), (tree / "top.txt").exists()) == (AFTER, False)


def test_git_applies_the_diff_of_an_undo_in_a_folder_of_a_repository(fastapply, tree, monkeypatch):
    """What is said of the undo names the file from the present folder."""
    monkeypatch.chdir(tree / "sub")
    assert fastapply("apply", "a.txt", edit=CHANGE).status == 0
    shown = fastapply("undo", "-n")
    assert shown.err == "a.txt: would be undone (+1 -1)\n"
    git_apply(shown.out, tree / "sub")
    assert (tree / "sub/a.txt").read_bytes() == BEFORE


def test_names_of_a_worktree_start_from_its_own_top(fastapply, tree, git, monkeypatch):
    """There `.git` is a file."""
    git("worktree", "add", "-q", str(tree.parent / "other"))
    monkeypatch.chdir(tree.parent / "other/sub")
    git_apply(fastapply("apply", "-n", "a.txt", edit=CHANGE).out, tree.parent / "other/sub")
    assert (tree.parent / "other/sub/a.txt").read_bytes() == AFTER
    assert (tree / "sub/a.txt").read_bytes() == BEFORE


def test_names_of_another_repository_start_from_its_own_top(fastapply, tree, monkeypatch):
    """Called outside of any repository, with a file of one that does not lie below."""
    (tree.parent / "elsewhere").mkdir()
    monkeypatch.chdir(tree.parent / "elsewhere")
    shown = fastapply("apply", "-n", str(tree / "sub/a.txt"), edit=CHANGE)
    assert names(shown.out) == ["--- a/sub/a.txt", "+++ b/sub/a.txt"]
    git_apply(shown.out, tree)
    assert (tree / "sub/a.txt").read_bytes() == AFTER


def test_names_of_a_repository_inside_of_another_start_from_where_git_is_called(
    fastapply, tree, git, monkeypatch
):
    """Called in the outer one, git reads them from the outer one's top."""
    git("init", "-q", str(tree / "sub/inner"))
    (tree / "sub/inner/c.txt").write_bytes(BEFORE)
    monkeypatch.chdir(tree / "sub")
    shown = fastapply("apply", "-n", "inner/c.txt", edit=CHANGE)
    assert names(shown.out) == ["--- a/sub/inner/c.txt", "+++ b/sub/inner/c.txt"]
    git_apply(shown.out, tree / "sub")
    assert (tree / "sub/inner/c.txt").read_bytes() == AFTER


@pytest.mark.parametrize("absolute", [False, True], ids=["relative", "absolute"])
def test_names_outside_of_repositories_start_from_the_present_folder(fastapply, folder, absolute):
    """As they always did."""
    (folder / "sub").mkdir()
    (folder / "sub/a.txt").write_bytes(BEFORE)
    name = str(folder / "sub/a.txt") if absolute else "sub/a.txt"
    shown = fastapply("apply", "-n", name, edit=CHANGE)
    assert names(shown.out) == ["--- a/sub/a.txt", "+++ b/sub/a.txt"]
    git_apply(shown.out, folder)
    assert (folder / "sub/a.txt").read_bytes() == AFTER
