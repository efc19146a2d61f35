from __future__ import annotations

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


def reason_of(root: Path, *todo: files.Operation, others: tuple[Path, ...] = ()) -> str:
    """The stable code of the trouble that a commit meets."""
    paths = [path for each in todo for path in (getattr(each, "path", None), getattr(each, "state", None))]
    named = [path.path if isinstance(path, files.FileState) else path for path in paths if path]
    with files.locked(*named, *others) as held, pytest.raises(FileTrouble) as caught:
        files.commit(root, todo, held)
    return caught.value.reason


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
