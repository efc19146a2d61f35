"""--stage, --require-clean, and diffs that the real `git apply` takes."""

from __future__ import annotations

import sys

import pytest

CHANGE = "<<<<<<< SEARCH\ntwo words\n=======\ntwo more words\n>>>>>>> REPLACE\n"
BEFORE = b"one word\ntwo words\nthree words\n"
AFTER = b"one word\ntwo more words\nthree words\n"


@pytest.fixture
def committed(folder, git):
    """A file in a repository."""
    path = folder / "a.txt"
    path.write_bytes(BEFORE)
    git("add", "a.txt")
    git("commit", "-qm", "before")
    return path


def test_stage_adds_what_was_written(fastapply, committed, git):
    """The index has the new text."""
    assert fastapply("apply", "a.txt", "--stage", edit=CHANGE).status == 0
    assert git("show", ":a.txt").encode() == AFTER == committed.read_bytes()


def test_stage_of_a_dry_run_adds_nothing(fastapply, committed, git):
    """Neither file nor index."""
    assert fastapply("apply", "a.txt", "--stage", "-n", edit=CHANGE).status == 0
    assert (git("show", ":a.txt").encode(), committed.read_bytes()) == (BEFORE, BEFORE)


def test_stage_outside_of_a_repository_is_a_usage_error(fastapply, folder):
    """Found before anything is written."""
    (folder / "a.txt").write_bytes(BEFORE)
    assert fastapply("apply", "a.txt", "--stage", edit=CHANGE).status == 2
    assert (folder / "a.txt").read_bytes() == BEFORE


def test_stage_of_a_patch_adds_new_deleted_and_moved_files(fastapply, committed, git):
    """All of them."""
    edit = (
        "*** Begin Patch\n*** Add File: b.txt\n+new\n"
        "*** Update File: a.txt\n*** Move to: c.txt\n@@\n-two words\n+two more words\n*** End Patch\n"
    )
    assert fastapply("patch", "--stage", edit=edit).status == 0
    assert git("status", "--porcelain").splitlines() == ["A  b.txt", "R  a.txt -> c.txt"]
    assert not committed.exists()


def test_file_with_changes_is_refused_where_clean_is_required(fastapply, committed):
    """A clean one is not."""
    assert fastapply("apply", "a.txt", "--require-clean", edit=CHANGE).status == 0
    run = fastapply("apply", "a.txt", "--require-clean", "--json", edit=CHANGE.replace("two", "three", 2))
    assert (run.status, run.object["reason"], committed.read_bytes()) == (1, "dirty", AFTER)


ROWS = {
    "tracked": (0, 0, 0),
    "changed": (0, 0, 1),
    "untracked": (0, 0, 1),
    "ignored": (0, 2, 1),
    "missing": (0, 0, 0),
    "elsewhere": (0, 2, 2),
}


@pytest.mark.parametrize("option", [None, "--stage", "--require-clean"])
@pytest.mark.parametrize("kind", ROWS)
def test_files_are_treated_as_the_readme_says(fastapply, committed, git, kind, option):
    """A file that is not edited is as it was; one that is staged is in the index as it is on the disk."""
    folder = committed.parent
    (folder / ".gitignore").write_bytes(b"*.log\n")
    name = {"untracked": "u.txt", "ignored": "i.log", "missing": "m.txt", "elsewhere": "../e.txt"}.get(
        kind, "a.txt"
    )
    path = folder / name
    before = None if kind == "missing" else BEFORE + (b"mine\n" if kind == "changed" else b"")
    if before is not None:
        path.write_bytes(before)
    edit = CHANGE if before is not None else f"*** Begin Patch\n*** Add File: {name}\n+two\n*** End Patch\n"
    run = fastapply("apply", name, *([option] if option else []), edit=edit)
    assert run.status == ROWS[kind][[None, "--stage", "--require-clean"].index(option)]
    after = path.read_bytes() if path.exists() else None
    assert (after == before) == (run.status != 0)
    if option == "--stage" and run.status == 0:
        assert git("show", f":{name}").encode() == after
        assert git("diff", "--cached", "--name-only").split() == [name]


@pytest.mark.parametrize(
    "name", ["a.txt", "with space/a b.txt", "ä/ü\u4e2d.txt", 'quo"te.txt', "trailing .txt "]
)
@pytest.mark.parametrize(
    "before",
    [
        BEFORE,
        BEFORE.replace(b"\n", b"\r\n"),
        b"one word\r\ntwo words\nthree words",
        b"one word\ntwo words",
        b"\xef\xbb\xbftwo words\n",
        b"caf\xe9\ntwo words\n",
    ],
    ids=["lf", "crlf", "mixed", "no final newline", "byte order mark", "latin-1"],
)
@pytest.mark.skipif(sys.platform == "win32", reason="names that Windows does not allow")
def test_git_applies_the_diff_of_a_change(fastapply, folder, git, name, before):
    """Byte for byte what fastapply itself would write."""
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(before)
    shown = fastapply("apply", name, "-n", edit=CHANGE)
    assert shown.status == 0
    assert fastapply("apply", name, "-o", "result", edit=CHANGE).status == 0
    git("apply", data=shown.out)
    assert path.read_bytes() == (folder / "result").read_bytes() != before


@pytest.mark.parametrize("text", ["", "x\n", "x", "a\r\nb\r\n"], ids=["empty", "line", "no newline", "crlf"])
@pytest.mark.parametrize("mode", ["100644", "100755"])
def test_git_diffs_of_new_and_deleted_files_go_both_ways(fastapply, folder, git, text, mode):
    """A diff that git wrote makes the file, and ours of it is the same to git."""
    path = folder / "n x.txt"
    path.write_bytes(text.encode())
    path.chmod(0o755 if mode == "100755" else 0o644)
    git("add", ".")
    diff = git("diff", "--cached")
    git("rm", "-qf", "--", "n x.txt")
    shown = fastapply("patch", "-n", edit=diff)
    assert shown.status == 0
    git("apply", data=shown.out)
    assert path.read_bytes() == text.encode()
    path.unlink()
    assert fastapply("patch", edit=diff).status == 0
    assert path.read_bytes() == text.encode()
    if sys.platform != "win32":
        assert bool(path.stat().st_mode & 0o100) == (mode == "100755")
    delete = "*** Begin Patch\n*** Delete File: n x.txt\n*** End Patch\n"
    git("apply", data=fastapply("patch", "-n", edit=delete).out)
    assert not path.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no mode bits there")
def test_git_applies_the_diff_of_a_mode_and_a_name(fastapply, committed, folder, git):
    """A move with a new mode and no change of the text."""
    edit = (
        "diff --git a/a.txt b/b.txt\nold mode 100644\nnew mode 100755\n"
        "similarity index 100%\nrename from a.txt\nrename to b.txt\n"
    )
    git("apply", data=fastapply("patch", "-n", edit=edit).out)
    assert ((folder / "b.txt").read_bytes(), committed.exists()) == (BEFORE, False)
    assert (folder / "b.txt").stat().st_mode & 0o100
