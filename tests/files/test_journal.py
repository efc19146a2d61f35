from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING

import pytest

from fastapply import files
from fastapply.errors import FileTrouble
from fastapply.files import Create, Delete, Move, Write

if TYPE_CHECKING:
    from pathlib import Path

OLD = {
    "a.py": b"a\n",
    "b.py": b"b\n",
    "gone.py": b"gone\n",
    "sub/old name.py": b"moved\n",
    "bystander.py": b"-\n",
}
NEW = {
    "a.py": b"A\n",
    "b.py": b"B\r\n",
    "bystander.py": b"-\n",
    "new/deep/c.py": b"C\n",
    "new/name.py": b"MOVED\n",
    "sub/d.py": b"D",
}


def build(root: Path, tree: dict[str, bytes]) -> None:
    """Make files with their folders."""
    for name, data in tree.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


def names_in(folder: Path) -> list[str]:
    """The names of what lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


def listing(root: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes, and every empty folder."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes() if path.is_file() else b"(empty folder)"
        for path in root.rglob("*")
        if path.is_file() or not any(path.iterdir())
    }


def operations(root: Path) -> list[files.Operation]:
    """What turns OLD into NEW: two writes, two new files, a move, and one file removed."""
    return [
        Write(files.read(root / "a.py"), b"A\n"),
        Create(root / "new" / "deep" / "c.py", b"C\n"),
        Delete(files.read(root / "gone.py")),
        Move(files.read(root / "sub" / "old name.py"), root / "new" / "name.py", b"MOVED\n"),
        Create(root / "sub" / "d.py", b"D"),
        Write(files.read(root / "b.py"), b"B\r\n"),
    ]


def change(root: Path, *, backup: bool = False) -> files.Written:
    """Carry out the operations as `patch` does."""
    names = {*OLD, *NEW}
    with files.locked(*(root / name for name in names)) as held:
        return files.commit(root, operations(root), held, backup=backup)


@pytest.fixture
def root(tmp_path):
    """A folder with the old files."""
    build(tmp_path / "root", OLD)
    return tmp_path / "root"


def reason_of(root: Path, *todo: files.Operation, others: tuple[Path, ...] = ()) -> str:
    """The stable code of the trouble that a commit meets."""
    paths = [path for each in todo for path in (getattr(each, "path", None), getattr(each, "state", None))]
    named = [path.path if isinstance(path, files.FileState) else path for path in paths if path]
    with files.locked(*named, *others) as held, pytest.raises(FileTrouble) as caught:
        files.commit(root, todo, held)
    return caught.value.reason


def test_all_operations_are_carried_out(root, state_dir):
    """Files are written, made with their folders, moved and removed, and no trace is left."""
    assert change(root) == files.Written()
    assert listing(root) == {**NEW}
    assert names_in(state_dir / "transactions") == []


def test_nothing_to_do_touches_nothing(root, state_dir):
    """Writes of what is there already need no journal."""
    before = (root / "a.py").stat()
    with files.locked(root / "a.py") as held:
        written = files.commit(root, [Write(files.read(root / "a.py"), b"a\n")], held, backup=True)

    assert (written, listing(root), (root / "a.py").stat().st_ino) == (files.Written(), OLD, before.st_ino)
    assert names_in(state_dir) == ["locks"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no mode bits")
def test_modes_stay_or_become_what_git_asks_for(root):
    """Writes and moves keep the mode bits; a git header sets the right to execute."""
    for name, mode in {"a.py": 0o640, "b.py": 0o600, "sub/old name.py": 0o711}.items():
        (root / name).chmod(mode)
    (root / "gone.py").chmod(0o644)
    todo: list[files.Operation] = [
        Write(files.read(root / "a.py"), b"A\n"),
        Write(files.read(root / "b.py"), b"b\n", 0o100755),
        Move(files.read(root / "sub" / "old name.py"), root / "moved.py", b"moved\n"),
        Move(files.read(root / "gone.py"), root / "tool", b"gone\n", 0o100755),
    ]
    with files.locked(*root.rglob("*"), root / "moved.py", root / "tool") as held:
        files.commit(root, todo, held)

    modes = {
        name: stat.S_IMODE((root / name).stat().st_mode) for name in ("a.py", "b.py", "moved.py", "tool")
    }
    assert modes == {"a.py": 0o640, "b.py": 0o700, "moved.py": 0o711, "tool": 0o755}


def test_hard_links_are_a_warning_and_backups_are_named(root):
    """What the caller has to tell the user comes back for all files."""
    (root / "a.py~").write_bytes(b"earlier\n")
    (root.parent / "other").hardlink_to(root / "b.py")

    written = change(root, backup=True)

    assert written == files.Written(
        (f"{root / 'b.py'} has another name (hard links), which keep the old text",),
        tuple(root / name for name in ("a.py.~2~", "gone.py~", "sub/old name.py~", "b.py~")),
    )
    assert listing(root) == {
        **NEW,
        "a.py~": b"earlier\n",
        "a.py.~2~": b"a\n",
        "gone.py~": b"gone\n",
        "sub/old name.py~": b"moved\n",
        "b.py~": b"b\n",
    }


def test_a_write_goes_through_a_link_that_stays_inside(root):
    """The target is replaced, the link stays."""
    (root / "link.py").symlink_to("a.py")
    with files.locked(root / "link.py") as held:
        files.commit(root, [Write(files.read(root / "link.py"), b"A\n")], held)

    assert ((root / "a.py").read_bytes(), (root / "link.py").readlink().name) == (b"A\n", "a.py")


# --- refusals before anything is touched ----------------------------------------------------------


def test_a_link_is_neither_removed_nor_moved(root):
    """Whether the link or its target was meant cannot be known."""
    (root / "link.py").symlink_to("a.py")
    state = files.read(root / "link.py")

    assert [reason_of(root, Delete(state)), reason_of(root, Move(state, root / "x.py", b""))] == [
        "symlink"
    ] * 2
    assert listing(root) == {**OLD, "link.py": b"a\n"}


def test_a_file_outside_of_the_root_is_never_touched(root, tmp_path):
    """Also when the caller forgot to ask `inside`, and also behind a link."""
    build(tmp_path, {"out.py": b"out\n"})
    (root / "link.py").symlink_to("../out.py")
    (root / "linked").symlink_to("..")
    todo: list[files.Operation] = [
        Write(files.read(tmp_path / "out.py"), b"x"),
        Write(files.read(root / "link.py"), b"x"),
        Create(root / "linked" / "new.py", b"x"),
        Create(root / ".git" / "hooks" / "post-commit", b"x"),
        Move(files.read(root / "a.py"), tmp_path / "a.py", b"x"),
    ]

    assert [reason_of(root, each) for each in todo] == ["outside_root"] * 5
    assert names_in(tmp_path) == ["out.py", "root"]
    assert (tmp_path / "out.py").read_bytes() == b"out\n"


def test_a_new_file_does_not_replace_one(root):
    """Neither a made file nor a moved one."""
    todo: list[files.Operation] = [
        Create(root / "b.py", b"x"),
        Move(files.read(root / "a.py"), root / "b.py", b"x"),
    ]

    assert [reason_of(root, each) for each in todo] == ["exists"] * 2
    assert listing(root) == OLD


def test_two_operations_on_one_path_conflict(root):
    """Which of them counts cannot be known."""
    state = files.read(root / "a.py")
    pairs: list[tuple[files.Operation, files.Operation]] = [
        (Write(state, b"1"), Write(state, b"2")),
        (Write(state, b"1"), Delete(state)),
        (Create(root / "x", b"1"), Create(root / "x", b"2")),
        (Create(root / "x", b"1"), Move(state, root / "x", b"2")),
    ]

    assert [reason_of(root, *pair) for pair in pairs] == ["conflict"] * 4
    assert listing(root) == OLD


def test_a_path_that_is_not_locked_is_a_bug_of_the_caller(root):
    """The proof must cover new places as well."""
    with files.locked(root / "a.py") as held, pytest.raises(ValueError, match="without its lock"):
        files.commit(root, [Move(files.read(root / "a.py"), root / "x.py", b"x")], held)

    assert listing(root) == OLD


@pytest.mark.parametrize("name", ["a.py", "b.py", "gone.py", "sub/old name.py"])
@pytest.mark.parametrize("how", ["changed", "gone", "protected"])
def test_one_file_that_cannot_be_written_stops_all(root, name, how):
    """Whichever of the files it is, none of them changes."""
    todo = operations(root)
    if how == "changed":
        (root / name).write_bytes(b"theirs\n")
    elif how == "gone":
        (root / name).unlink()
    else:
        (root / name).chmod(0o444)
        todo = operations(root)
    before = listing(root)

    assert reason_of(root, *todo) == ("read_only" if how == "protected" else "changed")
    assert listing(root) == before
    if how == "protected":
        (root / name).chmod(0o644)


def test_a_file_cannot_become_a_folder_in_the_same_step(root, state_dir):
    """A new file below a file is trouble, and everything is put back."""
    todo = (Write(files.read(root / "b.py"), b"B"), Create(root / "a.py" / "x.py", b"x"))

    assert reason_of(root, *todo) == "exists"
    assert (listing(root), names_in(state_dir)) == (OLD, ["locks"])


def test_a_file_in_place_of_a_new_folder_is_trouble(root, state_dir):
    """Two new files of which one needs the other to be a folder cannot both be."""
    todo = (Write(files.read(root / "b.py"), b"B"), Create(root / "x", b"x"), Create(root / "x" / "y", b"y"))

    assert reason_of(root, *todo) == "conflict"
    assert (listing(root), names_in(state_dir)) == (OLD, ["locks"])


# --- failures on the way --------------------------------------------------------------------------

_STEPS = ["open", "fsync", "link", "replace", "unlink", "mkdir"]


def count_and_fail(monkeypatch, name: str, at: int, error: BaseException | None) -> list[int]:
    """Let the `at`-th call of one function of `os` fail, or only count the calls."""
    calls: list[int] = []
    real = getattr(os, name)

    def counted(*arguments, **options):
        calls.append(1)
        if error and len(calls) == at:
            raise error
        return real(*arguments, **options)

    monkeypatch.setattr(os, name, counted)
    return calls


@pytest.mark.parametrize("links", [True, False], ids=["hard_links", "no_hard_links"])
@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["full", "ctrl_c"]
)
@pytest.mark.parametrize("name", _STEPS)
def test_a_failure_at_any_step_puts_everything_back(tmp_path, state_dir, *, monkeypatch, name, error, links):
    """Each call of each system function fails once; then all files are old, or all are new."""
    (state_dir / "transactions").mkdir()
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)  # takes most of the time
    at = 0
    outcomes = []
    while True:
        at += 1
        root = tmp_path / f"root{at}"
        build(root, OLD)
        paths = [root / other for other in {*OLD, *NEW}]
        todo = operations(root)
        with files.locked(*paths) as held, monkeypatch.context() as patch:
            if not links:
                count_and_fail(patch, "link", 0, None)
                patch.setattr(os, "link", no_links)
            calls = count_and_fail(patch, name, at, error)
            try:
                files.commit(root, todo, held)
                raised: BaseException | None = None
            except (FileTrouble, KeyboardInterrupt) as caught:
                raised = caught
        files.recover(root)
        outcomes.append(listing(root))
        assert outcomes[-1] == OLD or (outcomes[-1] == NEW)
        if isinstance(raised, FileTrouble):
            assert (raised.reason, outcomes[-1]) == ("disk_full", OLD)
        if raised is None:
            assert outcomes[-1] == NEW
        assert names_in(state_dir / "transactions") == []
        if len(calls) < at:
            break
    assert outcomes[-1] == NEW


def no_links(*_arguments: object, **_options: object) -> None:
    """Stand for `os.link` on a file system that has none."""
    raise OSError(95, "Operation not supported")


def test_what_cannot_be_put_back_is_put_back_by_the_next_run(root, monkeypatch):
    """The journal stays until it has worked."""
    real, calls = os.replace, []

    def stop_working(source, target):
        calls.append(target)
        if len(calls) > 2:  # the journal and the first file
            raise OSError(5, "Input/output error")
        real(source, target)

    with files.locked(*(root / name for name in {*OLD, *NEW})) as held, monkeypatch.context() as patch:
        todo = operations(root)
        patch.setattr(os, "replace", stop_working)
        with pytest.raises(FileTrouble) as caught:
            files.commit(root, todo, held)
    with pytest.raises(FileTrouble) as again, files.locked(root / "a.py"):
        pytest.fail("nobody may work on files that are half changed")

    assert (caught.value.reason, again.value.reason) == ("not_restored", "unfinished")
    assert files.recover(root) == (f"undid a change of {root} that was cut off",)
    assert (listing(root), files.recover(root)) == (OLD, ())


# --- after a kill ---------------------------------------------------------------------------------


def cut_off(root: Path, monkeypatch, after: int, *, links: bool = True) -> None:
    """Leave a change as a kill leaves it, once `after` files were renamed: no cleaning up runs."""
    from fastapply.files import journal

    class Kill(BaseException):
        pass

    real, calls = os.replace, []

    def renamed(source, target):
        if str(target).endswith((".old", ".json")):
            return real(source, target)
        calls.append(target)
        if len(calls) > after:
            raise Kill
        return real(source, target)

    with files.locked(*(root / name for name in {*OLD, *NEW})) as held, monkeypatch.context() as patch:
        todo = operations(root)
        patch.setattr(os, "replace", renamed)
        patch.setattr(journal, "undo", lambda _journal: ())
        if not links:
            patch.setattr(os, "link", no_links)
        with pytest.raises(Kill):
            files.commit(root, todo, held)


@pytest.mark.parametrize("links", [True, False], ids=["hard_links", "no_hard_links"])
@pytest.mark.parametrize("name", ["", "a.py", "new/deep", "none.py"])
def test_the_next_run_in_the_root_undoes_a_change_that_was_cut_off(root, monkeypatch, name, links):
    """Whether it is on the root or on any file below, and only once."""
    cut_off(root, monkeypatch, 1, links=links)
    assert listing(root) != OLD

    assert files.recover(root / name) == (f"undid a change of {root} that was cut off",)
    assert (listing(root), files.recover(root / name)) == (OLD, ())


def test_a_run_elsewhere_leaves_it_alone(root, monkeypatch, tmp_path):
    """The twin: a folder beside, though its name begins alike."""
    build(tmp_path, {"root2/a.py": b"a\n"})
    cut_off(root, monkeypatch, 1)
    before = listing(root)

    with files.locked(tmp_path / "root2" / "a.py"):
        assert files.recover(tmp_path / "root2") == ()
    assert listing(root) == before


def test_nobody_works_on_files_of_a_change_that_was_cut_off(root, monkeypatch):
    """Where the kill came after this run's own look for such changes."""
    cut_off(root, monkeypatch, 1)

    with pytest.raises(FileTrouble) as caught, files.locked(root / "b.py"):
        pytest.fail("the files are half changed")
    assert (caught.value.reason, caught.value.hint) == ("unfinished", "run again: it will be undone first")
    with files.locked(root / "bystander.py") as held:
        assert held.covers(root / "bystander.py")


def test_what_somebody_wrote_after_the_kill_is_not_overwritten(root, monkeypatch):
    """Their text stays, and the text from before the run is put beside it."""
    cut_off(root, monkeypatch, 1)
    path = root / "a.py"
    path.write_bytes(b"theirs\n")
    (root / "new" / "deep" / "c.py").write_bytes(b"theirs too\n")

    assert files.recover(root) == (
        f"undid a change of {root} that was cut off",
        f"{root / 'new' / 'deep' / 'c.py'} was changed after the run was cut off: left as it is",
        f"{path} was changed after the run was cut off: the text before that run is in {path}~",
    )
    assert listing(root) == {
        **OLD,
        "a.py": b"theirs\n",
        "a.py~": b"a\n",
        "new/deep/c.py": b"theirs too\n",
    }


def test_what_somebody_wrote_before_its_turn_needs_no_second_copy(root, monkeypatch):
    """The run had not come to that file, so its old text is nobody's concern."""
    cut_off(root, monkeypatch, 0)
    (root / "b.py").write_bytes(b"theirs\n")

    assert files.recover(root) == (f"undid a change of {root} that was cut off",)
    assert listing(root) == {**OLD, "b.py": b"theirs\n"}


def test_a_change_whose_process_lives_is_waited_for_and_not_undone(root, monkeypatch):
    """A journal whose locks are held belongs to somebody."""
    cut_off(root, monkeypatch, 1)
    before = listing(root)
    from fastapply.files.lock import hold

    with hold([root / "b.py"]), pytest.raises(FileTrouble) as caught:
        files.recover(root, wait=0.1)

    assert (caught.value.reason, listing(root)) == ("locked", before)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"{}", b'{"version": 2, "root": "/", "folders": [], "steps": []}']
)
def test_a_journal_that_cannot_be_read_is_named(root, state_dir, content):
    """Whoever is asked to look needs to know where."""
    (state_dir / "transactions").mkdir()
    file = state_dir / "transactions" / "1.json"
    file.write_bytes(content)

    with pytest.raises(FileTrouble) as caught:
        files.recover(root)

    assert (caught.value.reason, str(file) in caught.value.message) == ("unfinished", True)


def test_a_journal_in_the_root_is_not_followed(root):
    """A checkout may bring along whatever it likes."""
    steps = [{"action": "create", "path": str(root / "a.py"), "new": "0" * 64}]
    forged = {"version": 1, "root": str(root), "folders": [], "steps": steps}
    build(root, {".fastapply/1.json": json.dumps(forged).encode(), "transactions/1.json": b"{}"})
    before = listing(root)

    assert (files.recover(root), listing(root)) == ((), before)
