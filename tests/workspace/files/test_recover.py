from __future__ import annotations

import json
import os
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


@pytest.fixture
def root(tmp_path):
    """A folder with the old files."""
    build(tmp_path / "root", OLD)
    return tmp_path / "root"


def no_links(*_arguments: object, **_options: object) -> None:
    """Stand for `os.link` on a file system that has none."""
    raise OSError(95, "Operation not supported")


def cut_off(root: Path, monkeypatch, after: int, *, links: bool = True) -> None:
    """Leave a change as a kill leaves it, once `after` files were renamed: no cleaning up runs."""
    from fastapply.workspace.files import journal

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

    assert files.recover(root / name) == (f"undid an interrupted change in {root}",)
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
    assert (caught.value.reason, caught.value.hint) == (
        "unfinished",
        "run again; the interrupted run is undone first",
    )
    with files.locked(root / "bystander.py") as held:
        assert held.covers(root / "bystander.py")


def test_what_somebody_wrote_after_the_kill_is_not_overwritten(root, monkeypatch):
    """Their text stays, and the text from before the run is put beside it."""
    cut_off(root, monkeypatch, 1)
    path = root / "a.py"
    path.write_bytes(b"theirs\n")
    (root / "new" / "deep" / "c.py").write_bytes(b"theirs too\n")

    assert files.recover(root) == (
        f"undid an interrupted change in {root}",
        f"{root / 'new' / 'deep' / 'c.py'} changed after the interrupted run; left as is",
        f"{path} changed after the interrupted run; the version before that run is in {path}~",
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

    assert files.recover(root) == (f"undid an interrupted change in {root}",)
    assert listing(root) == {**OLD, "b.py": b"theirs\n"}


def test_a_change_whose_process_lives_is_waited_for_and_not_undone(root, monkeypatch):
    """A journal whose locks are held belongs to somebody."""
    cut_off(root, monkeypatch, 1)
    before = listing(root)
    from fastapply.workspace.files.lock import hold

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
