"""`fastapply undo`: what it says, and its exit statuses."""

from __future__ import annotations

import pytest

BEFORE = b"one\ntwo words\n"
AFTER = b"one\n2 words\n"
CHANGE = "<<<<<<< SEARCH\ntwo words\n=======\n2 words\n>>>>>>> REPLACE\n"
PATCH = (
    "*** Begin Patch\n*** Update File: a.txt\n@@\n-two words\n+2 words\n*** Add File: b.txt\n+b\n"
    "*** Delete File: c.txt\n*** End Patch\n"
)
DIFF = b"diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-2 words\n+two words\n"


@pytest.fixture
def applied(fastapply, folder):
    """A file that fastapply has changed."""
    path = folder / "a.txt"
    path.write_bytes(BEFORE)
    assert fastapply("apply", "a.txt", edit=CHANGE).status == 0
    return path


def test_undo_says_what_it_did(fastapply, applied):
    """On standard error, as all commands do; and there is nothing more then."""
    run = fastapply("undo")
    assert (run.status, run.out, run.err) == (0, b"", "a.txt: undone (+1 -1)\n")
    assert applied.read_bytes() == BEFORE
    run = fastapply("undo")
    assert (run.status, run.err.splitlines()[0]) == (
        1,
        "refused: nothing to undo here [nothing_to_undo]",
    )


def test_undo_of_several_files_names_each(fastapply, folder):
    """A file that was made is removed, one that was deleted is restored."""
    (folder / "a.txt").write_bytes(BEFORE)
    (folder / "c.txt").write_bytes(b"c\n")
    assert fastapply("patch", edit=PATCH).status == 0
    run = fastapply("undo", "c.txt")
    assert (run.status, run.err.splitlines()) == (
        0,
        ["a.txt: undone (+1 -1)", "b.txt: removed (+0 -1)", "c.txt: restored (+1 -0)"],
    )
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {"a.txt": BEFORE, "c.txt": b"c\n"}


def test_quiet_undo_says_nothing(fastapply, applied):
    """Where all went well."""
    run = fastapply("undo", "-q")
    assert (run.status, run.out, run.err, applied.read_bytes()) == (0, b"", "", BEFORE)


def test_dry_undo_shows_the_diff_and_leaves_the_file(fastapply, applied):
    """As often as it is asked."""
    for _ in range(2):
        run = fastapply("undo", "--dry-run")
        assert (run.status, run.out, run.err) == (0, DIFF, "a.txt: would be undone (+1 -1)\n")
    assert applied.read_bytes() == AFTER


def test_undo_of_a_changed_file_is_refused(fastapply, applied):
    """Named, with what to do about it; the file stays."""
    applied.write_bytes(b"mine\n")
    run = fastapply("undo")
    assert (run.status, run.err.splitlines()) == (
        1,
        [
            "refused: a.txt changed after fastapply wrote it [changed_since]",
            "hint: to save the old version elsewhere, run fastapply undo FILE -o PATH",
        ],
    )
    assert applied.read_bytes() == b"mine\n"


def test_undo_passes_over_what_git_took_back(fastapply, folder, git):
    """Also a write whose old text was not git's: nothing of either is left."""
    (folder / "a.txt").write_bytes(BEFORE)
    (folder / "b.txt").write_bytes(BEFORE)
    git("add", ".")
    git("commit", "-qm", "before")
    for name, edit in [
        ("b.txt", CHANGE),
        ("a.txt", CHANGE),
        ("a.txt", CHANGE.replace("two words", "one").replace("2", "1")),
    ]:
        assert fastapply("apply", name, edit=edit).status == 0
    ids = [row.split()[2] for row in fastapply("log").out.decode().splitlines()]
    git("checkout", "-q", "a.txt")
    run = fastapply("undo")
    assert (run.status, run.err.splitlines()) == (
        0,
        [f"warning: already reverted, skipped: {ids[0]}, {ids[1]}", "b.txt: undone (+1 -1)"],
    )
    assert (folder / "b.txt").read_bytes() == BEFORE
    assert fastapply("undo").status == 1


def test_undo_of_nothing_but_what_git_took_back_says_so(fastapply, folder, git):
    """The files are what they were before: nobody changed them after the write."""
    (folder / "a.txt").write_bytes(BEFORE)
    git("add", ".")
    git("commit", "-qm", "before")
    assert fastapply("apply", "a.txt", edit=CHANGE).status == 0
    name = fastapply("log").out.decode().split()[2]
    git("checkout", "-q", "a.txt")
    run = fastapply("undo")
    assert (run.status, run.err.splitlines()) == (
        1,
        [
            f"refused: nothing to undo here: already reverted: {name} [changed_since]",
            "hint: run fastapply log to list writes",
        ],
    )


def test_undo_that_is_refused_names_the_write_before(fastapply, applied, folder):
    """It is no longer the last one, so it is undone by its id."""
    (folder / "b.txt").write_bytes(BEFORE)
    assert fastapply("apply", "b.txt", edit=CHANGE).status == 0
    (folder / "b.txt").write_bytes(b"mine\n")
    run = fastapply("undo")
    before = fastapply("log").out.decode().splitlines()[1].split()[2]
    assert run.err.splitlines()[2] == f"hint: to undo the write before it, run fastapply undo {before}"
    assert (fastapply("undo", before).status, applied.read_bytes()) == (0, BEFORE)


def test_undo_writes_the_text_before_to_another_place(fastapply, applied, folder):
    """Bytes as they were; the file itself is left alone."""
    applied.write_bytes(b"mine\n")
    assert fastapply("undo", "a.txt", "-o", "-").out == BEFORE
    assert fastapply("undo", "a.txt", "-o", "saved.txt").status == 0
    assert ((folder / "saved.txt").read_bytes(), applied.read_bytes()) == (BEFORE, b"mine\n")
    assert fastapply("undo", "a.txt", "-o", "-", "--json").status == 2


def test_undo_answers_programs(fastapply, applied):
    """One object, also for a refusal."""
    shown = fastapply("undo", "--json", "-n").object
    done = fastapply("undo", "--json", "a.txt").object
    assert shown == {**done, "written": False, "file": ".", "seconds": shown["seconds"]}
    assert {**done, "seconds": 0, "entry": ""} == {
        "schema": 1,
        "status": "undone",
        "written": True,
        "reason": None,
        "message": "",
        "hint": "",
        "file": "a.txt",
        "files": [{"file": "a.txt", "action": "update"}],
        "entry": "",
        "seconds": 0,
        "diff": DIFF.decode(),
    }
    again = fastapply("undo", "--json", "a.txt")
    assert (again.status, again.object["status"], again.object["reason"]) == (1, "refused", "nothing_to_undo")
    assert applied.read_bytes() == BEFORE


def test_no_write_can_be_undone_where_that_fails_and_the_user_is_told(fastapply, folder, state_dir):
    """The write itself goes well."""
    (state_dir / "undo").write_bytes(b"in the way")
    (folder / "a.txt").write_bytes(BEFORE)
    run = fastapply("apply", "a.txt", edit=CHANGE)
    assert (run.status, (folder / "a.txt").read_bytes()) == (0, AFTER)
    assert run.err.startswith("warning: this write cannot be undone: the old version was not saved (")


def test_a_patch_that_only_shows_or_is_refused_is_no_write(fastapply, applied, folder):
    """Neither dry runs, nor checks, refusals, or edits that are in the file already."""
    (folder / "c.txt").write_bytes(b"c\n")
    before = fastapply("log").out
    for arguments in (["apply", "a.txt"], ["apply", "c.txt"], ["patch", "-n"], ["patch", "--check"]):
        fastapply(*arguments, edit=CHANGE)
    assert (fastapply("log").out, applied.read_bytes()) == (before, AFTER)
