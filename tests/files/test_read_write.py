from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fastapply import files
from fastapply.errors import FileTrouble

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such files or permissions")


def put(path: Path, data: bytes, **options) -> files.Written:
    """Read a file and write it, as a run does."""
    with files.locked(path) as held:
        return files.write(files.read(path), data, held, **options)


def names_in(folder: Path) -> list[str]:
    """The names of what lies in a folder."""
    return sorted(path.name for path in folder.iterdir())


def listing(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def reason_of(action) -> str:
    """The stable code of the trouble that an action meets."""
    with pytest.raises(FileTrouble) as caught:
        action()
    assert caught.value.exit_status == 4
    return caught.value.reason


# --- reading --------------------------------------------------------------------------------------


def test_a_file_is_read_with_all_that_writing_needs(tmp_path):
    """The value holds bytes, text, mode bits and the number of names."""
    path = tmp_path / "a.py"
    path.write_bytes(b"caf\xe9\r\n")
    path.chmod(0o640)

    state = files.read(path)

    mode = 0o640 if os.name != "nt" else 0o666
    assert (state.asked, state.path) == (path, Path(os.path.realpath(path)))
    assert (state.data, state.source.text, state.source.encoding) == (b"caf\xe9\r\n", "café\r\n", "latin-1")
    assert (state.mode, state.links) == (mode, 1)


def test_a_relative_path_is_read_from_the_working_folder(tmp_path, monkeypatch):
    """The name as typed works, and stays right when the working folder changes later."""
    (tmp_path / "a.py").write_bytes(b"x\n")
    monkeypatch.chdir(tmp_path)

    assert files.read("a.py").asked == tmp_path / "a.py"


@pytest.mark.parametrize("name", ["none.py", "none/a.py", "a.py/below", "dangling", "nul\0byte"])
def test_a_missing_file_is_missing(tmp_path, name):
    """Also behind a dangling link, below a file, and under an impossible name."""
    (tmp_path / "a.py").write_bytes(b"")
    (tmp_path / "dangling").symlink_to("nowhere")

    assert reason_of(lambda: files.read(tmp_path / name)) == "missing"


def test_a_folder_is_not_a_file(tmp_path):
    """A folder is refused by name."""
    with pytest.raises(FileTrouble, match="is a folder, not a file") as caught:
        files.read(tmp_path)

    assert caught.value.reason == "not_a_file"


@posix
def test_pipes_sockets_and_devices_are_not_files_and_are_not_waited_for(tmp_path):
    """Opening a pipe that nobody writes to would hang."""
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(tmp_path / "s"))
        found = [
            reason_of(lambda path=path: files.read(path))
            for path in (tmp_path / "pipe", tmp_path / "s", "/dev/null")
        ]

    assert found == ["not_a_file"] * 3


@posix
def test_a_loop_of_links_is_unreadable(tmp_path):
    """Two links to each other lead to no file."""
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    assert reason_of(lambda: files.read(tmp_path / "a")) == "unreadable"


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_without_permission_is_unreadable(tmp_path):
    """What the system does not let us read is said so."""
    path = tmp_path / "a.py"
    path.write_bytes(b"x\n")
    path.chmod(0)

    assert reason_of(lambda: files.read(path)) == "unreadable"


def test_a_binary_file_is_refused_by_name(tmp_path):
    """The message says which file of several it is."""
    path = tmp_path / "a.bin"
    path.write_bytes(b"\0")

    with pytest.raises(FileTrouble) as caught:
        files.read(path)

    assert (caught.value.reason, caught.value.message) == (
        "binary",
        f"{path}: the file is binary (it holds a NUL byte)",
    )


# --- writing one file -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [b"new\r\nlines\r\n", b"no final newline", b"", b"\xff\xfea\x00", b"\xe9 latin", b"x" * 5_000_000],
    ids=["crlf", "no_final_newline", "empty", "utf16", "latin1", "large"],
)
def test_exactly_the_bytes_given_are_written(tmp_path, data):
    """Nothing is translated, and nothing else is left in the folder."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")

    written = put(path, data)

    assert (written, listing(tmp_path)) == (files.Written(), {"a.py": data})


def test_writing_what_is_there_touches_nothing(tmp_path):
    """The twin: equal bytes leave the file and its time alone."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    before = path.stat()

    put(path, b"old\n", backup=True)

    after = path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert listing(tmp_path) == {"a.py": b"old\n"}


@posix
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o664, 0o4711, 0o200 | 0o400])
def test_mode_bits_stay(tmp_path, mode):
    """Whatever the umask, and with the bits beyond permission."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    path.chmod(mode)

    put(path, b"new\n")

    assert stat.S_IMODE(path.stat().st_mode) == mode


@posix
@pytest.mark.parametrize(
    ("old", "asked", "expected"),
    [(0o644, 0o100755, 0o755), (0o640, 0o755, 0o750), (0o755, 0o100644, 0o644), (0o600, 0o644, 0o600)],
)
@pytest.mark.parametrize("data", [b"old\n", b"new\n"])
def test_a_mode_of_git_sets_or_takes_the_right_to_execute(tmp_path, old, asked, expected, data):
    """Git knows one bit; who may read stays as it was, with or without new bytes."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    path.chmod(old)

    put(path, data, mode=asked)

    assert (stat.S_IMODE(path.stat().st_mode), path.read_bytes()) == (expected, data)


def test_the_mode_of_a_link_is_not_one_of_a_file(tmp_path):
    """A diff that turns a file into a symbolic link or a submodule is refused."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")

    assert [reason_of(lambda mode=mode: put(path, b"new", mode=mode)) for mode in (0o120000, 0o160000)] == [
        "not_a_file",
        "not_a_file",
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="extended attributes are set by a call of Linux")
def test_extended_attributes_stay(tmp_path):
    """What other programs have written beside the bytes is kept."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    try:
        os.setxattr(path, "user.origin", b"here")
    except OSError:
        pytest.skip("this file system has no extended attributes")

    put(path, b"new\n")

    assert os.getxattr(path, "user.origin") == b"here"


@posix
@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only the superuser can give files away"
)
def test_the_owner_stays(tmp_path):
    """A run as superuser does not take a user's file."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    os.chown(path, 1234, 2345)

    put(path, b"new\n")

    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


def test_a_symbolic_link_stays_and_its_target_is_edited(tmp_path):
    """Links to links, out of other folders, lead to the file that is replaced."""
    (tmp_path / "real").mkdir()
    (tmp_path / "links").mkdir()
    target = tmp_path / "real" / "a.py"
    target.write_bytes(b"old\n")
    (tmp_path / "links" / "one").symlink_to("../real/a.py")
    (tmp_path / "links" / "two").symlink_to("one")

    put(tmp_path / "links" / "two", b"new\n")

    assert target.read_bytes() == b"new\n"
    assert [str((tmp_path / "links" / name).readlink()) for name in ("one", "two")] == ["../real/a.py", "one"]
    assert names_in(tmp_path / "links") + names_in(tmp_path / "real") == ["one", "two", "a.py"]


def test_a_link_in_the_way_is_followed_before_dots(tmp_path):
    """`link/../a.py` is beside the link's target, as the system has it."""
    (tmp_path / "far" / "deep").mkdir(parents=True)
    (tmp_path / "far" / "a.py").write_bytes(b"far\n")
    (tmp_path / "a.py").write_bytes(b"near\n")
    (tmp_path / "link").symlink_to("far/deep")

    assert files.read(tmp_path / "link" / ".." / "a.py").data == (b"far\n" if os.name != "nt" else b"near\n")


@pytest.mark.parametrize(("names", "said"), [(1, "another name"), (2, "2 other names")])
def test_a_broken_hard_link_is_a_warning(tmp_path, names, said):
    """The other names keep the old text, and the user is told so."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    for number in range(names):
        (tmp_path / f"other{number}").hardlink_to(path)

    written = put(path, b"new\n")

    assert written.warnings == (f"{path} has {said} (hard links), which keep the old text",)
    assert ((tmp_path / "other0").read_bytes(), path.read_bytes()) == (b"old\n", b"new\n")


def test_backups_are_numbered_and_never_overwritten(tmp_path):
    """Each backup holds the bytes before its own write, mode bits included."""
    path = tmp_path / "a.py"
    path.write_bytes(b"0\n")
    path.chmod(0o600)

    backups = [put(path, data, backup=True).backups for data in (b"1\n", b"2\n", b"3\n")]

    assert [[backup.name for backup in made] for made in backups] == [["a.py~"], ["a.py.~2~"], ["a.py.~3~"]]
    assert listing(tmp_path) == {"a.py": b"3\n", "a.py~": b"0\n", "a.py.~2~": b"1\n", "a.py.~3~": b"2\n"}
    assert {stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()} == {
        0o600 if os.name != "nt" else 0o666
    }


# --- what stops a write ---------------------------------------------------------------------------


def _other_bytes(path: Path) -> None:
    path.write_bytes(b"OLD\n")


def _other_bytes_same_size_and_time(path: Path) -> None:
    status = path.stat()
    path.write_bytes(b"OLD\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _gone(path: Path) -> None:
    path.unlink()


def _link_leads_elsewhere(path: Path) -> None:
    path.rename(path.with_name("b.py"))
    path.symlink_to("b.py")


@pytest.mark.parametrize(
    "change", [_other_bytes, _other_bytes_same_size_and_time, _gone, _link_leads_elsewhere]
)
def test_a_file_that_changed_since_it_was_read_is_left_alone(tmp_path, change):
    """Somebody else's change is never overwritten."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    with files.locked(path) as held:
        state = files.read(path)
        change(path)
        before = listing(tmp_path)

        assert reason_of(lambda: files.write(state, b"new\n", held, backup=True)) == "changed"

    assert listing(tmp_path) == before


def test_a_file_that_was_only_touched_is_written(tmp_path):
    """The twin: another time on the same bytes is no change."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    with files.locked(path) as held:
        state = files.read(path)
        os.utime(path, ns=(1, 1))
        files.write(state, b"new\n", held)

    assert listing(tmp_path) == {"a.py": b"new\n"}


def test_a_change_during_the_staging_is_noticed(tmp_path, monkeypatch):
    """The last look is directly before the replacing."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    fsync = os.fsync

    def change_meanwhile(descriptor: int) -> None:
        fsync(descriptor)
        path.write_bytes(b"theirs\n")

    with files.locked(path) as held:
        state = files.read(path)
        monkeypatch.setattr(os, "fsync", change_meanwhile)
        assert reason_of(lambda: files.write(state, b"new\n", held)) == "changed"

    assert listing(tmp_path) == {"a.py": b"theirs\n"}


def test_a_write_protected_file_is_left_alone(tmp_path):
    """Its folder would let us replace it, but somebody meant the protection."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    path.chmod(0o444)

    assert reason_of(lambda: put(path, b"new\n")) == "read_only"
    assert listing(tmp_path) == {"a.py": b"old\n"}
    path.chmod(0o644)


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="the superuser may write everywhere")
def test_a_write_protected_folder_is_trouble(tmp_path):
    """No temporary file can be made there."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    tmp_path.chmod(0o555)

    assert reason_of(lambda: put(path, b"new\n")) == "read_only"
    tmp_path.chmod(0o755)
    assert listing(tmp_path) == {"a.py": b"old\n"}


@posix
def test_a_full_disk_leaves_the_old_file(tmp_path):
    """A write that the system cuts short is no new file, and its temporary file is gone."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")
    script = """
import resource, sys
from fastapply import errors, files
path = files.read(sys.argv[1]).path
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    with files.locked(path) as held:
        files.write(files.read(path), b"x" * 100_000, held, backup=True)
except errors.FileTrouble as trouble:
    print(trouble.reason)
"""
    ran = subprocess.run([sys.executable, "-c", script, path], check=True, capture_output=True, text=True)

    assert ran.stdout == "disk_full\n"
    assert listing(tmp_path) == {"a.py": b"old\n", "a.py~": b"old\n"}


def test_a_replacing_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    """A file held open by another program on Windows, say."""
    path = tmp_path / "a.py"
    path.write_bytes(b"old\n")

    def refuse(_source, _target):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "replace", refuse)

    assert reason_of(lambda: put(path, b"new\n")) == "write_failed"
    assert listing(tmp_path) == {"a.py": b"old\n"}


def test_writing_without_the_lock_is_a_bug_of_the_caller(tmp_path):
    """The proof of the lock must be for this file."""
    path, other = tmp_path / "a.py", tmp_path / "b.py"
    path.write_bytes(b"old\n")
    with files.locked(other) as held, pytest.raises(ValueError, match="without its lock"):
        files.write(files.read(path), b"new\n", held)

    assert listing(tmp_path) == {"a.py": b"old\n"}


# --- new files, and output where the user wants it ------------------------------------------------


def test_a_new_file_is_made_with_the_users_umask(tmp_path):
    """As any other program would make it, executable where git says so."""
    names = {"a.py": None, "b.sh": 0o100755}
    old = os.umask(0o027)
    try:
        for name, mode in names.items():
            with files.locked(tmp_path / name) as held:
                files.create(tmp_path / name, b"new\n", held, mode=mode)
    finally:
        os.umask(old)

    assert listing(tmp_path) == {"a.py": b"new\n", "b.sh": b"new\n"}
    if os.name != "nt":
        assert [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in names] == [0o640, 0o750]


@pytest.mark.parametrize("links", [True, False], ids=["hard_links", "no_hard_links"])
def test_making_a_file_never_replaces_one(tmp_path, monkeypatch, links):
    """Neither a file nor a dangling link, and no matter what the file system can do."""
    (tmp_path / "a.py").write_bytes(b"old\n")
    (tmp_path / "link").symlink_to("nowhere")
    if not links:
        monkeypatch.setattr(os, "link", _no_links)

    for name in ("a.py", "link"):
        path = tmp_path / name
        with files.locked(path) as held:
            assert reason_of(lambda path=path, held=held: files.create(path, b"new\n", held)) == "exists"
    with files.locked(tmp_path / "b.py") as held:
        files.create(tmp_path / "b.py", b"new\n", held)

    assert listing(tmp_path) == {"a.py": b"old\n", "b.py": b"new\n"}


def _no_links(*_arguments: object, **_options: object) -> None:
    raise OSError(95, "Operation not supported")


def test_a_new_file_needs_its_folder(tmp_path):
    """A mistyped folder is not made."""
    path = tmp_path / "none" / "a.py"
    with files.locked(path) as held:
        assert reason_of(lambda: files.create(path, b"new\n", held)) == "missing"

    assert listing(tmp_path) == {}


def test_output_goes_where_the_user_says_whatever_is_there(tmp_path):
    """An existing file, binary or not, is replaced and keeps its mode; a new one is made."""
    (tmp_path / "old").write_bytes(b"\0")
    (tmp_path / "old").chmod(0o600)
    (tmp_path / "link").symlink_to("behind")
    for name in ("old", "new", "link"):
        with files.locked(tmp_path / name) as held:
            files.save(tmp_path / name, b"out\n", held)

    assert listing(tmp_path) == dict.fromkeys(("behind", "link", "new", "old"), b"out\n")
    assert (tmp_path / "link").is_symlink()
    if os.name != "nt":
        assert stat.S_IMODE((tmp_path / "old").stat().st_mode) == 0o600


@posix
def test_output_to_a_device_is_written_into_it():
    """/dev/null is not replaced by a file."""
    with files.locked(Path("/dev/null")) as held:
        files.save(Path("/dev/null"), b"out\n", held)

    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_output_to_a_folder_or_a_protected_file_is_trouble(tmp_path):
    """The twin: these are left alone."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "old").write_bytes(b"old\n")
    (tmp_path / "old").chmod(0o444)

    found = []
    for name in ("folder", "old"):
        with files.locked(tmp_path / name) as held:
            found.append(reason_of(lambda name=name, held=held: files.save(tmp_path / name, b"out\n", held)))

    assert (found, listing(tmp_path)) == (["not_a_file", "read_only"], {"old": b"old\n"})
    (tmp_path / "old").chmod(0o644)


def test_what_a_killed_run_left_is_removed_by_a_later_write(tmp_path):
    """Only after an hour, and only files that are named as ours."""
    names = {
        ".fastapply-00.tmp": 7200,
        ".fastapply-01.tmp": 60,
        "fastapply.tmp": 7200,
        ".fastapply-2.old": 7200,
    }
    for name, age in names.items():
        (tmp_path / name).write_bytes(b"x")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    (tmp_path / "a.py").write_bytes(b"old\n")

    put(tmp_path / "a.py", b"new\n")

    assert sorted(listing(tmp_path)) == [".fastapply-01.tmp", ".fastapply-2.old", "a.py", "fastapply.tmp"]
