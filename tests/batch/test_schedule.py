"""Who works on which line when: order, processes, kills."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from many_edits import as_lines, build, listing, make_edits

from fastapply.batch import schedule
from fastapply.batch.ledger import Done, Ledger
from fastapply.batch.schedule import Batch
from fastapply.batch.work import Setup, do_line
from fastapply.cli import main
from fastapply.jobs.request import Request
from fastapply.values import replace

COUNT = "VERSION = {}"


def edit(name, old, new, **more):
    """A line that replaces a text."""
    return {"file": name, "edit": {"old_string": old, "new_string": new}, **more}


def run(edits, jobs, ledger=None, **setup):
    """Run a batch in the present folder; the results in the order of the input."""
    kept = Ledger(str(ledger)) if ledger else None
    batch = Batch(Setup(Request(), ledger=str(ledger) if ledger else None, **setup), jobs, kept)
    done = list(batch.run(as_lines(edits).splitlines(keepends=True)))
    return [one.object for one in sorted(done, key=lambda one: one.object["line"])]


def plain(value):
    """A result without what differs from run to run."""
    return {key: one for key, one in value.items() if key not in {"seconds", "line", "id"}}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in."""
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


@pytest.mark.parametrize("jobs", [1, 3])
def test_edits_of_one_file_go_in_in_order(folder, jobs):
    """Each of them fits only after the one before."""
    (folder / "a.txt").write_bytes(b"VERSION = 0\n")
    results = run([edit("a.txt", f"VERSION = {n}", f"VERSION = {n + 1}") for n in range(30)], jobs)
    assert [one["status"] for one in results] == ["applied"] * 30
    assert (folder / "a.txt").read_bytes() == b"VERSION = 30\n"


@pytest.mark.skipif(os.name == "nt", reason="links need a right on Windows")
def test_names_of_one_file_are_one_file(folder):
    """Through links, and by other ways to write its path."""
    (folder / "d").mkdir()
    (folder / "d/a.txt").write_bytes(b"VERSION = 0\n")
    (folder / "link.txt").symlink_to("d/a.txt")
    (folder / "e").symlink_to("d")
    names = ["d/a.txt", "link.txt", "e/a.txt", "./d/../d/a.txt", str(folder / "d/a.txt")]
    edits = [edit(names[n % 5], f"VERSION = {n}", f"VERSION = {n + 1}") for n in range(20)]
    assert {one["status"] for one in run(edits, 3)} == {"applied"}
    assert (folder / "d/a.txt").read_bytes() == b"VERSION = 20\n"


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_line_that_fails_stops_no_other(folder, jobs):
    """Neither of the same file nor of others."""
    (folder / "a.txt").write_bytes(b"VERSION = 0\n")
    edits = [
        edit("a.txt", "VERSION = 0", "VERSION = 1"),
        edit("a.txt", "VERSION = 0", "VERSION = 5"),
        edit("missing.txt", "a", "b"),
        edit("../outside.txt", "a", "b"),
        {"file": "a.txt"},
        edit("a.txt", "VERSION = 1", "VERSION = 2"),
    ]
    (folder.parent / "outside.txt").write_bytes(b"a\n")
    results = run(edits, jobs)
    assert [(one["status"], one["reason"]) for one in results] == [
        ("applied", None),
        ("refused", "not_found"),
        ("error", "missing"),
        ("error", "outside_root"),
        ("error", "usage"),
        ("applied", None),
    ]
    assert (folder.parent / "outside.txt").read_bytes() == b"a\n"
    assert (folder / "a.txt").read_bytes() == b"VERSION = 2\n"


def test_results_come_while_the_input_is_still_open(folder):
    """A program may wait for a result before it writes the next line."""
    (folder / "a.txt").write_bytes(b"VERSION = 0\n")
    may_go_on = threading.Event()

    def rows():
        yield as_lines([edit("a.txt", "VERSION = 0", "VERSION = 1")])
        assert may_go_on.wait(30)
        yield as_lines([edit("a.txt", "VERSION = 1", "VERSION = 2")])

    seen = []
    for done in Batch(Setup(Request()), 2).run(rows()):
        seen.append(done.object["status"])
        may_go_on.set()
    assert seen == ["applied", "applied"]


def test_a_stopped_batch_begins_no_other_line(folder):
    """What was begun comes to its end."""
    (folder / "a.txt").write_bytes(b"VERSION = 0\n")
    edits = [edit("a.txt", f"VERSION = {n}", f"VERSION = {n + 1}") for n in range(20)]
    batch, seen = Batch(Setup(Request()), 1), []
    for done in batch.run(as_lines(edits).splitlines()):
        seen.append(done.object["status"])
        batch.stop()
    assert (seen, (folder / "a.txt").read_bytes()) == (["applied"], b"VERSION = 1\n")


def test_an_input_that_breaks_is_raised(folder):  # noqa: ARG001 - the folder to work in
    """Not swallowed by the thread that reads."""

    def rows():
        yield b"{}\n"
        raise OSError(5, "Input/output error")

    with pytest.raises(OSError, match="Input/output"):
        list(Batch(Setup(Request()), 1).run(rows()))


def test_what_rules_cannot_decide_goes_to_the_process_with_the_model(folder, monkeypatch):
    """That is this one, which loads it once; later lines of the file wait."""
    (folder / "a.txt").write_bytes(b"one\nsame\ntwo\nsame\nVERSION = 0\n")
    unclear = edit("a.txt", "same", "other")
    asked = []

    def here(line, key, setup, ledger=None):
        asked.append((line.number, setup.request.engine, setup.leaves_open))
        (folder / "a.txt").write_bytes(b"a model wrote this\nVERSION = 0\n")
        return do_line(
            line, key, replace(setup, request=replace(setup.request, engine="deterministic")), ledger
        )

    monkeypatch.setattr(schedule, "do_line", here)
    setup = Setup(Request(engine="deterministic"), leaves_open=True)
    batch = Batch(setup, 2)
    lines = as_lines([unclear, edit("a.txt", "VERSION = 0", "VERSION = 1")])
    results = [done.object for done in batch.run(lines.splitlines())]
    assert asked == [(1, "auto", False)]
    assert [one["line"] for one in results] == [1, 2]
    assert (folder / "a.txt").read_bytes() == b"a model wrote this\nVERSION = 1\n"


def apply_each(edits, scratch, capsysbinary):
    """Run `fastapply apply --json` on one edit after the other; the results."""
    results = []
    capsysbinary.readouterr()
    for each in edits:
        text = each["edit"] if isinstance(each["edit"], str) else json.dumps(each["edit"])
        scratch.write_text(text, encoding="utf-8")
        main(["apply", each["file"], str(scratch), "--json"])
        results.append(json.loads(capsysbinary.readouterr().out))
    return results


@pytest.mark.slow
def test_a_thousand_edits_side_by_side_equal_the_same_one_by_one(tmp_path, monkeypatch, capsysbinary):
    """Files and results, byte for byte: 1,000 edits of 100 files with 4 processes."""
    edits = make_edits(100, 1000, seed=1)
    for name in ("one by one", "batch"):
        build(tmp_path / name, 100)
    monkeypatch.chdir(tmp_path / "one by one")
    expected = apply_each(edits, tmp_path / "edit", capsysbinary)
    monkeypatch.chdir(tmp_path / "batch")
    results = run(edits, 4)
    assert listing(tmp_path / "batch") == listing(tmp_path / "one by one")
    assert list(map(plain, results)) == list(map(plain, expected))
    statuses = [one["status"] for one in expected]
    assert min(statuses.count("applied"), statuses.count("refused")) > 50


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows cannot send SIGKILL")
@pytest.mark.parametrize("seed", [1, 2])
def test_a_batch_that_is_killed_and_run_again_loses_no_edit_and_makes_none_twice(tmp_path, monkeypatch, seed):
    """SIGKILL at random moments, to the process and to its workers, until a run comes to its end."""
    choose = random.Random(seed)  # noqa: S311 - when to kill is no secret
    edits = make_edits(40, 300, seed)
    (tmp_path / "edits.jsonl").write_bytes(as_lines(edits))
    wanted = tmp_path / "one by one"
    build(wanted, 40)
    monkeypatch.chdir(wanted)
    expected = run(edits, 1)
    root = tmp_path / "killed"
    build(root, 40)
    arguments = ["batch", "../edits.jsonl", "--jobs", "4", "--ledger", "../ledger", "-q"]
    kills, out = 0, b""
    while True:
        ran = subprocess.Popen(
            [sys.executable, "-m", "fastapply", *arguments],
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        more = choose.randint(0, 60_000)
        killer = threading.Thread(target=kill, args=(ran, tmp_path / "ledger", more, choose.random() < 0.5))
        killer.start()
        out, said = ran.communicate()
        killer.join()
        if ran.returncode != -signal.SIGKILL:
            assert (ran.returncode, said) == (1, b"")
            break
        kills += 1
        assert kills < 60
    results = sorted((json.loads(row) for row in out.splitlines()), key=lambda one: one["line"])
    assert kills > 5
    assert listing(root) == listing(wanted)
    assert list(map(plain, results)) == list(map(plain, expected))


def kill(ran, ledger, more, with_workers):
    """Kill a run once its ledger has grown by so much: alone, or with all of its workers."""
    enough = (ledger.stat().st_size if ledger.exists() else 0) + more
    while ran.poll() is None and (not ledger.exists() or ledger.stat().st_size < enough):
        time.sleep(0.001)
    if ran.poll() is not None:
        return
    if with_workers:
        os.killpg(ran.pid, signal.SIGKILL)
    else:
        ran.kill()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no list of processes here")
def test_a_worker_that_is_killed_takes_no_other_line_with_it(folder):
    """With a ledger, all that was done is known, and each of the others goes in or says that it failed."""
    for number in range(10):
        (folder / f"{number}.txt").write_bytes(b"VERSION = 0\n")
    edits = [edit(f"{n % 10}.txt", f"VERSION = {n // 10}", f"VERSION = {n // 10 + 1}") for n in range(300)]
    ledger = folder.parent / "ledger"
    batch = Batch(Setup(Request(), ledger=str(ledger)), 3, Ledger(str(ledger)))
    seen: dict[int, Done] = {}
    for done in batch.run(as_lines(edits).splitlines()):
        seen[done.object["line"]] = done
        if len(seen) in {20, 60}:
            os.kill(worker_of(os.getpid()), signal.SIGKILL)
            time.sleep(0.05)
    assert len(seen) == 300
    versions = [int((folder / f"{n}.txt").read_bytes()[10:]) for n in range(10)]
    for n, version in enumerate(versions):
        applied = sum(seen[line].object["status"] == "applied" for line in range(n + 1, 301, 10))
        assert applied == version


def worker_of(parent):
    """The newest child of a process that is a worker."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii").split()
    workers = [child for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]
    return int(workers[-1])
