"""`fastapply apply` in trouble: files that are not there or no text, useless edits, signals and bugs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

WORDS = "alpha beta\ngamma delta\nepsilon zeta\n"
CHANGE = "<<<<<<< SEARCH\ngamma delta\n=======\ngamma DELTA\n>>>>>>> REPLACE\n"
CHANGED = "alpha beta\ngamma DELTA\nepsilon zeta\n"


@pytest.fixture
def words(folder):
    """A file of three lines."""
    path = folder / "a.txt"
    path.write_bytes(WORDS.encode())
    return path


def test_missing_file_is_file_trouble(fastapply, folder):
    """Status 4, and nothing is made."""
    run = fastapply("apply", "no.txt", "--json", edit=CHANGE)
    value = run.object
    assert (run.status, value["status"], value["reason"], value["file"]) == (4, "error", "missing", "no.txt")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    "edit",
    [
        "*** Begin Patch\n*** Add File: n.txt\n+one\n+two\n*** End Patch\n",
        "--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n",
        "n.txt\n<<<<<<< SEARCH\n=======\none\ntwo\n>>>>>>> REPLACE\n",
    ],
    ids=["add file", "diff from /dev/null", "empty SEARCH"],
)
def test_edit_that_says_so_makes_the_file(fastapply, folder, edit):
    """Without --create."""
    run = fastapply("apply", "n.txt", edit=edit)
    assert (run.status, run.err) == (0, "n.txt: created (+2 -0)\n")
    assert (folder / "n.txt").read_bytes() == b"one\ntwo\n"


def test_whole_file_makes_the_file_with_create_only(fastapply, folder):
    """A fence alone may be meant for a file whose name was misspelt."""
    edit = "```python\nprint(1)\n```\n"
    assert fastapply("apply", "n.py", edit=edit).status == 4
    assert not (folder / "n.py").exists()
    assert fastapply("apply", "n.py", "--create", edit=edit).status == 0
    assert (folder / "n.py").read_bytes() == b"print(1)\n"


def test_lazy_edit_makes_no_file(fastapply, folder):
    """A marker would become text."""
    run = fastapply("apply", "n.py", "--create", edit="a = 1\n# ... existing code ...\n")
    assert run.status in {1, 4}
    assert not (folder / "n.py").exists()


@pytest.mark.parametrize(
    "edit",
    [
        "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n",
        "diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n",
    ],
    ids=["delete", "move"],
)
def test_deleting_and_moving_belongs_to_patch(fastapply, words, edit):
    """Refused with the name of the command that does it."""
    run = fastapply("apply", "a.txt", edit=edit)
    assert (run.status, words.read_bytes()) == (1, WORDS.encode())
    assert "fastapply patch" in run.err


@pytest.mark.skipif(sys.platform == "win32", reason="no mode bits there")
def test_mode_of_a_git_diff_is_set(fastapply, words):
    """The right to execute, with and without a change of the text."""
    edit = "diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755\n"
    assert fastapply("apply", "a.txt", edit=edit).status == 0
    assert words.stat().st_mode & 0o111
    assert words.read_bytes() == WORDS.encode()


# --- what is no text, or cannot be read -----------------------------------------------------------


def test_binary_file_is_file_trouble(fastapply, words):
    """Status 4, the file as it was."""
    words.write_bytes(b"a\0b")
    run = fastapply("apply", "a.txt", "--json", edit=CHANGE)
    assert (run.status, run.object["reason"], words.read_bytes()) == (4, "binary", b"a\0b")


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (b"", "empty_edit"),
        (b" \n\n", "empty_edit"),
        (b"a\0b", "binary"),
        (CHANGE.replace("DELTA", "é").encode()[:-28] + b"\xc3", "bad_encoding"),
        (b"Sure, I will do that for you.\n", None),
        (b"<<<<<<< SEARCH\ngamma delta\n=======\nx\n", "truncated"),
    ],
    ids=["empty", "blank", "binary", "cut in a character", "prose", "cut block"],
)
def test_useless_edit_is_refused(fastapply, words, edit, reason):
    """Status 1 with a stable reason."""
    run = fastapply("apply", "a.txt", "--json", edit=edit)
    assert (run.status, run.object["status"], words.read_bytes()) == (1, "refused", WORDS.encode())
    assert reason is None or run.object["reason"] == reason


def test_missing_edit_is_file_trouble(fastapply, words):
    """Status 4, and the edit is named."""
    run = fastapply("apply", "a.txt", "no-edit.txt")
    assert (run.status, words.read_bytes()) == (4, WORDS.encode())
    assert "no-edit.txt" in run.err


def test_folder_is_no_file(fastapply, folder):
    """Neither as the file nor as the edit."""
    (folder / "d").mkdir()
    assert fastapply("apply", "d", edit=CHANGE).status == 4
    (folder / "a.txt").write_text(WORDS, encoding="utf-8")
    assert fastapply("apply", "a.txt", "d").status == 4


def test_file_that_changes_meanwhile_is_left_alone(fastapply, words, monkeypatch):
    """Status 4: somebody else wrote it between reading and writing."""
    from fastapply import pipeline

    def merge_slowly(*given, **named):
        merged = pipeline.merge_edit(*given, **named)
        words.write_bytes(b"somebody else was here\n")
        return merged

    monkeypatch.setattr("fastapply.workspace.changes.merge_edit", merge_slowly)
    run = fastapply("apply", "a.txt", "--json", edit=CHANGE)
    assert (run.status, run.object["reason"]) == (4, "changed")
    assert words.read_bytes() == b"somebody else was here\n"


def test_broken_hard_link_is_a_warning(fastapply, words, folder):
    """The other name keeps the old text, and that is said even with --quiet."""
    (folder / "other.txt").hardlink_to(words)
    run = fastapply("apply", "a.txt", "--quiet", edit=CHANGE)
    assert (run.status, (folder / "other.txt").read_bytes()) == (0, WORDS.encode())
    assert run.err.startswith("warning: ")
    assert words.read_bytes() == CHANGED.encode()


def test_module_is_the_command_line(folder, words):
    """`python -m fastapply` is a real process with a real exit status."""
    done = subprocess.run(
        [sys.executable, "-m", "fastapply", "apply", "a.txt"],
        cwd=folder, input=CHANGE.encode(), capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.splitlines() == [b"a.txt: applied (+1 -1)"]
    assert words.read_bytes() == CHANGED.encode()


# --- interruptions and bugs -----------------------------------------------------------------------


def test_bug_of_ours_names_its_log(fastapply, words, monkeypatch, state_dir):
    """Status 70, a short message, the traceback in a file."""

    def fail(*_given, **_named):
        raise RuntimeError("boom")

    monkeypatch.setattr("fastapply.cli.run.change_file", fail)
    run = fastapply("apply", "a.txt", edit=CHANGE)
    (log,) = (state_dir / "logs").iterdir()
    assert (run.status, "Traceback" in run.err, str(log) in run.err) == (70, False, True)
    assert "RuntimeError: boom" in log.read_text(encoding="utf-8")
    run = fastapply("apply", "a.txt", "--json", edit=CHANGE)
    assert (run.status, run.object["status"], run.object["reason"]) == (70, "error", "internal")
    assert words.read_bytes() == WORDS.encode()


def test_interrupted_run_ends_with_130(fastapply, words, monkeypatch):
    """Whatever it was doing."""

    def stop(*_given, **_named):
        raise KeyboardInterrupt

    monkeypatch.setattr("fastapply.cli.run.change_file", stop)
    for options in ([], ["--engine", "auto"]):
        assert fastapply("apply", "a.txt", *options, edit=CHANGE).status == 130
    assert words.read_bytes() == WORDS.encode()


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal there")
def test_signal_while_waiting_for_the_edit_ends_with_130(folder):
    """A real process, a real signal."""
    (folder / "a.txt").write_text(WORDS, encoding="utf-8")
    command = [sys.executable, "-c", "import sys; from fastapply.cli import main; sys.exit(main())"]
    with subprocess.Popen(
        [*command, "apply", "a.txt"], cwd=folder, stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"x" * 1_000_000)  # more than a pipe holds: it is being read when this returns
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert (process.returncode, said) == (130, b"fastapply: interrupted\n")


def test_reader_that_goes_away_is_no_error(folder):
    """As in `fastapply apply -n ... | head -1`."""
    (folder / "a.txt").write_text("x\n" * 50_000, encoding="utf-8")
    (folder / "e.txt").write_text("--- a\n+++ b\n@@ -1 +1,2 @@\n+y\n x\n", encoding="utf-8")
    command = [sys.executable, "-c", "import sys; from fastapply.cli import main; sys.exit(main())"]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*command, "apply", "a.txt", "e.txt", "-o", "-"],
        cwd=folder, stdout=writing, stderr=subprocess.PIPE, check=False,
    )  # fmt: skip
    os.close(writing)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
