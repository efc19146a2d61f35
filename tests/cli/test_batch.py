"""`fastapply batch`: its input and output, its exit statuses, and what its options do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

FILES = {"a.txt": b"n = 0\n", "b.txt": b"n = 0\n"}


def line(name, old, new, **more):
    """A line of the input."""
    return json.dumps({"file": name, "edit": {"old_string": old, "new_string": new}, **more}) + "\n"


def counting(name, count):
    """Lines that count a file up."""
    return "".join(line(name, f"n = {n}", f"n = {n + 1}") for n in range(count))


def objects(run):
    """The results, by the number of the line."""
    return sorted((json.loads(row) for row in run.out.splitlines()), key=lambda one: one["line"])


@pytest.fixture(autouse=True)
def two_files(folder):
    """Two files to edit."""
    for name, data in FILES.items():
        (folder / name).write_bytes(data)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_results_are_those_of_apply_with_number_and_id(fastapply, folder, jobs):
    """One line for each; what is for people goes to standard error."""
    run = fastapply(
        "batch", "-j", jobs, edit=line("a.txt", "n = 0", "n = 1", id=[7]) + line("b.txt", "x", "y")
    )
    (folder / "a.txt").write_bytes(FILES["a.txt"])
    first = fastapply(
        "apply", "a.txt", "--json", edit='{"old_string": "n = 0", "new_string": "n = 1"}'
    ).object
    second = fastapply("apply", "b.txt", "--json", edit='{"old_string": "x", "new_string": "y"}').object
    expected = [{"line": 1, "id": [7], **first}, {"line": 2, "id": None, **second}]
    assert [{**one, "seconds": 0} for one in objects(run)] == [{**one, "seconds": 0} for one in expected]
    assert (run.status, run.err) == (1, "2 edits: 1 applied, 1 refused\n")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_dry_run_writes_nothing(fastapply, folder, jobs):
    """The results are there, with diffs; each line is tried on the file as it is."""
    lines = line("a.txt", "n = 0", "n = 1") + line("a.txt", "n = 0", "n = 2") + line("b.txt", "x", "y")
    run = fastapply("batch", "--dry-run", "-j", jobs, edit=lines)
    told = [(one["status"], one["written"], one["diff"][-14:]) for one in objects(run)]
    assert told == [
        ("applied", False, "-n = 0\n+n = 1\n"),
        ("applied", False, "-n = 0\n+n = 2\n"),
        ("refused", False, ""),
    ]
    assert (run.status, run.err) == (1, "3 edits: 2 would apply, 1 refused\n")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == FILES
    assert fastapply("log").out == b""


def test_dry_run_is_no_line_of_a_ledger(fastapply, folder):
    """It would count as done."""
    run = fastapply("batch", "-n", "--ledger", "done", edit=line("a.txt", "n = 0", "n = 1"))
    assert (run.status, (folder / "done").exists()) == (2, False)
    assert "--dry-run and --ledger cannot be used together" in run.err


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ([], 0),
        ([line("a.txt", "n = 0", "n = 1")], 0),
        ([line("a.txt", "n = 0", "n = 1"), line("b.txt", "x", "y")], 1),
        (["{\n", line("b.txt", "x", "y")], 2),
        (["{\n", line("missing.txt", "x", "y"), line("b.txt", "x", "y")], 4),
    ],
    ids=["nothing", "applied", "refused", "usage", "file trouble"],
)
def test_exit_status_is_the_highest_of_all_lines(fastapply, lines, status):
    """0 only where all went well."""
    assert fastapply("batch", "-j", "1", edit="".join(lines)).status == status


def test_empty_lines_count_and_have_no_result(fastapply, folder):
    """So that a line's number is that of an editor."""
    run = fastapply("batch", "-j", "1", edit="\n\n" + line("a.txt", "n = 0", "n = 1") + "\n")
    assert [one["line"] for one in objects(run)] == [3]
    assert (folder / "a.txt").read_bytes() == b"n = 1\n"


def test_edits_come_from_a_file_as_well(fastapply, folder):
    """And one that is not there is file trouble."""
    (folder / "edits.jsonl").write_text(counting("a.txt", 3), encoding="utf-8")
    assert fastapply("batch", "edits.jsonl", "-q").err == ""
    assert (folder / "a.txt").read_bytes() == b"n = 3\n"
    assert fastapply("batch", "no.jsonl").status == 4
    assert fastapply("batch", terminal=True).status == 2


def test_files_are_held_inside_of_root(fastapply, folder, tmp_path):
    """Names that a model wrote do not lead out; inside they start from there."""
    (tmp_path / "secret.txt").write_bytes(b"n = 0\n")
    run = fastapply("batch", edit=line("../secret.txt", "n = 0", "n = 1"))
    assert (run.status, objects(run)[0]["reason"]) == (4, "outside_root")
    run = fastapply("batch", "--root", str(tmp_path), "-j", "1", edit=line("work/a.txt", "n = 0", "n = 1"))
    assert (run.status, (folder / "a.txt").read_bytes()) == (0, b"n = 1\n")
    assert fastapply("batch", "--root", "nowhere", edit="").status == 2


def test_stop_on_error_begins_no_other_line(fastapply, folder):
    """And says how many were not tried."""
    lines = line("a.txt", "n = 0", "n = 1") + line("a.txt", "no", "yes") + line("a.txt", "n = 1", "n = 2")
    run = fastapply("batch", "-j", "1", "--stop-on-error", edit=lines)
    assert (run.status, len(objects(run)), (folder / "a.txt").read_bytes()) == (1, 2, b"n = 1\n")
    assert run.err.startswith("3 edits: 1 applied, 1 refused, 1 not tried")


def test_options_hold_for_every_line_and_a_lines_own_for_itself(fastapply, folder):
    """Backups, codes that are allowed, the choice of a place."""
    (folder / "c.txt").write_bytes(b"same\nother\nsame\n")
    run = fastapply("batch", "-j", "1", "--backup", edit=line("c.txt", "same", "new", pick=2))
    assert (run.status, (folder / "c.txt").read_bytes()) == (0, b"same\nother\nnew\n")
    assert (folder / "c.txt~").read_bytes() == b"same\nother\nsame\n"
    run = fastapply("batch", "-j", "1", edit=line("c.txt", "other", "more", pick="4f0c2a91:1"))
    assert (run.status, objects(run)[0]["reason"]) == (1, "changed_meanwhile")
    run = fastapply("batch", "-j", "1", edit=line("c.txt", "other", "more", pick="1"))
    assert objects(run)[0]["warnings"] == ["pick 1 was not needed: the edit is clear without it"]
    assert fastapply("batch", "--allow", "nothing", edit="").status == 2


def test_each_line_can_be_undone(fastapply, folder):
    """A transaction of its own."""
    assert fastapply("batch", "-j", "2", edit=counting("a.txt", 3)).status == 0
    assert fastapply("undo").status == 0
    assert (folder / "a.txt").read_bytes() == b"n = 2\n"
    assert fastapply("batch", "--no-undo", edit=line("a.txt", "n = 2", "n = 9")).status == 0
    assert fastapply("undo").status == 1


def test_settings_of_a_files_project_hold_and_warnings_are_said_once(fastapply, folder):
    """As with `apply`."""
    (folder / "fastapply.toml").write_text("backup = true\nundo = false\n", encoding="utf-8")
    run = fastapply("batch", "-j", "2", edit=counting("a.txt", 3))
    assert (run.status, (folder / "a.txt~").read_bytes()) == (0, b"n = 0\n")
    assert run.err.count("undo is ignored") == 1


def test_a_ledger_lets_a_second_run_do_only_what_is_left(fastapply, folder):
    """Results of lines that are done come again, and the files are not touched again."""
    adding = [line("a.txt", "n = 0\n", f"n = 0\n+ {n}\n") for n in range(3)]
    run = fastapply("batch", "--ledger", "ledger", "-j", "1", edit="".join(adding[:2]))
    again = fastapply("batch", "--ledger", "ledger", "-j", "1", edit="".join(adding))
    assert (run.status, again.status, objects(again)[:2]) == (0, 0, objects(run))
    assert (folder / "a.txt").read_bytes() == b"n = 0\n+ 2\n+ 1\n+ 0\n"
    (folder / "b.txt").write_bytes(b"no ledger\n")
    assert fastapply("batch", "--ledger", "b.txt", edit="").status == 2


def test_require_clean_asks_before_the_first_edit_of_a_file(fastapply, folder, git):
    """What the batch itself has written is no change of others."""
    git("add", ".")
    git("commit", "-qm", "before")
    run = fastapply("batch", "-j", "2", "--require-clean", edit=counting("a.txt", 3))
    assert (run.status, (folder / "a.txt").read_bytes()) == (0, b"n = 3\n")
    run = fastapply("batch", "-j", "2", "--require-clean", edit=line("a.txt", "n = 3", "n = 4") * 2)
    assert [one["reason"] for one in objects(run)] == ["dirty", "dirty"]


def test_stage_adds_all_files_of_all_processes(fastapply, folder, git):
    """They do not get into each other's way at git's index."""
    lines = ""
    for number in range(12):
        (folder / f"{number}.txt").write_bytes(b"n = 0\n")
        lines += counting(f"{number}.txt", 2)
    git("add", ".")
    git("commit", "-qm", "before")
    run = fastapply("batch", "-j", "4", "--stage", edit=lines)
    assert (run.status, run.err) == (0, "24 edits: 24 applied\n")
    assert git("diff", "--cached", "--name-only").split() == sorted(f"{n}.txt" for n in range(12))
    assert git("diff", "--name-only") == ""


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to one process")
def test_interrupt_lets_what_was_begun_come_to_its_end(folder):
    """Every edit that went in has its result; status 130."""
    ran = subprocess.Popen(
        [sys.executable, "-m", "fastapply", "batch", "-j", "2"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert ran.stdin is not None
    assert ran.stdout is not None
    ran.stdin.write(counting("a.txt", 500).encode())
    ran.stdin.flush()  # and stays open
    first = ran.stdout.readline()
    time.sleep(0.05)
    ran.send_signal(signal.SIGINT)
    ran.wait(60)  # standard input is open still, and a thread waits there
    out, said = ran.communicate()
    results = [json.loads(row) for row in (first + out).splitlines()]
    assert {one["status"] for one in results} == {"applied"}
    assert (folder / "a.txt").read_bytes() == f"n = {len(results)}\n".encode()
    assert (ran.returncode, b" not tried\n" in said, len(results) < 500) == (130, True, True)


def test_progress_is_shown_on_a_terminal(fastapply, monkeypatch):
    """On standard error; results stay what they are."""
    monkeypatch.setattr("fastapply.cli.batch.wants_colour", lambda stream: stream is sys.stderr)
    run = fastapply("batch", "-j", "1", edit=counting("a.txt", 2))
    assert [one["status"] for one in objects(run)] == ["applied", "applied"]
    assert "2/2" in run.err
