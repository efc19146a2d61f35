from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from fastapply.errors import FileTrouble
from fastapply.workspace import files
from fastapply.workspace.files import Create, Delete, Move, Write

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


def test_all_operations_are_carried_out(root, state_dir):
    """Files are written, made with their folders, moved and removed, and no trace is left."""
    assert change(root) == files.Written()
    assert listing(root) == {**NEW}
    assert names_in(state_dir / "transactions") == []


def test_nothing_to_do_touches_nothing(root, state_dir):
    """Writes of what already exists need no journal."""
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
        (f"{root / 'b.py'} has another name (hard links), which keep the old version",),
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
    assert files.recover(root) == (f"undid an interrupted change in {root}",)
    assert (listing(root), files.recover(root)) == (OLD, ())
