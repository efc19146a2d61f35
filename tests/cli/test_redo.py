"""`undo` and `redo` beside other changes and by id: what is put back, what stays, and what is refused."""

from __future__ import annotations

import pytest

LINES = [f"line {number}" for number in range(1, 13)]


def text(**changed):
    """The twelve lines, some of them changed: ``text(l2="two")``."""
    return "".join(f"{changed.get(f'l{number}', line)}\n" for number, line in enumerate(LINES, 1)).encode()


def change(old, new):
    """An edit that changes one line."""
    return f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


@pytest.fixture
def path(folder):
    """A file of twelve lines."""
    file = folder / "a.txt"
    file.write_bytes(text())
    return file


@pytest.fixture
def ids(fastapply):
    """The ids of the writes, newest first."""

    def read():
        return [entry["entry"] for entry in fastapply("log", "--json").object["entries"]]

    return read


def refused(run, reason="changed_since"):
    """What a refusal says."""
    assert (run.status, run.out) == (1, b"")
    assert f"[{reason}]" in run.err
    return run.err.splitlines()


def test_undo_keeps_a_change_far_away(fastapply, path):
    """The old line comes back, and the other one stays as somebody made it."""
    assert fastapply("apply", "a.txt", edit=change("line 2", "two")).status == 0
    path.write_bytes(text(l2="two", l9="nine"))
    shown = fastapply("undo", "-n")
    assert (shown.status, shown.err) == (0, "a.txt: would be undone (+1 -1), other changes kept\n")
    assert b"\n-two\n+line 2\n" in shown.out
    assert b"nine" not in shown.out
    run = fastapply("undo", "--json")
    assert (run.status, path.read_bytes()) == (0, text(l9="nine"))
    assert run.object["files"] == [{"file": "a.txt", "action": "update", "merged": True}]
    assert fastapply("redo").err == "a.txt: redone (+1 -1), other changes kept\n"
    assert path.read_bytes() == text(l2="two", l9="nine")


@pytest.mark.parametrize("line", ["l1", "l2", "l3"])
def test_undo_is_refused_where_the_changes_meet(fastapply, path, line):
    """The same line, or the next one."""
    assert fastapply("apply", "a.txt", edit=change("line 2", "two")).status == 0
    path.write_bytes(text(**{"l2": "two", line: "mine"}))
    before = path.read_bytes()
    assert refused(fastapply("undo")) == [
        "refused: a.txt changed after fastapply wrote it [changed_since]",
        "hint: to save the old version elsewhere, run fastapply undo FILE -o PATH",
    ]
    assert path.read_bytes() == before


def test_undo_of_a_file_that_is_as_before_is_refused(fastapply, path):
    """Somebody has put it back already."""
    assert fastapply("apply", "a.txt", edit=change("line 2", "two")).status == 0
    path.write_bytes(text())
    refused(fastapply("undo"))
    path.write_bytes(text(l9="nine"))
    refused(fastapply("undo"))
    assert path.read_bytes() == text(l9="nine")


def test_undo_of_an_older_write_keeps_the_newer_one(fastapply, path, ids):
    """By its id, or the first letters of it; then the newer one goes as well."""
    assert fastapply("apply", "a.txt", edit=change("line 2", "two")).status == 0
    assert fastapply("apply", "a.txt", edit=change("line 9", "nine")).status == 0
    newer, older = ids()
    assert fastapply("undo", older[:5]).err == "a.txt: undone (+1 -1), other changes kept\n"
    assert path.read_bytes() == text(l9="nine")
    assert fastapply("undo").err == "a.txt: undone (+1 -1), other changes kept\n"
    assert path.read_bytes() == text()
    refused(fastapply("undo"), "nothing_to_undo")
    assert fastapply("redo", older).status == 0
    assert path.read_bytes() == text(l2="two")
    assert ids() == [older, newer]


def test_undo_of_an_older_write_is_refused_where_a_newer_one_is_in_its_way(fastapply, path, ids):
    """The newer one is named; once that is undone, all is as before."""
    assert fastapply("apply", "a.txt", edit=change("line 2", "two")).status == 0
    assert fastapply("apply", "a.txt", edit=change("two", "2")).status == 0
    newer, older = ids()
    assert refused(fastapply("undo", older))[1] == (
        f"hint: newer writes changed the same lines: undo {newer} first"
    )
    assert path.read_bytes() == text(l2="2")
    assert [fastapply("undo", name).status for name in (newer, older)] == [0, 0]
    assert path.read_bytes() == text()


def test_redo_does_again_what_was_undone_last(fastapply, path):
    """As often as there was an undo, in the reverse order."""
    for number in (2, 5, 9):
        edit = change(f"line {number}", f"<{number}>")
        assert fastapply("apply", "a.txt", edit=edit).status == 0
    seen = []
    for command in ("undo", "undo", "undo", "redo", "redo", "redo"):
        assert fastapply(command, "-q").status == 0
        seen.append(path.read_bytes())
    assert seen == [
        text(l2="<2>", l5="<5>"),
        text(l2="<2>"),
        text(),
        text(l2="<2>"),
        text(l2="<2>", l5="<5>"),
        text(l2="<2>", l5="<5>", l9="<9>"),
    ]
    assert refused(fastapply("redo"), "nothing_to_undo") == [
        "refused: nothing to redo here [nothing_to_undo]",
        "hint: run fastapply log --all to list writes in all folders",
    ]


def test_redo_is_refused_where_the_file_has_other_changes_there(fastapply, path):
    """And what was done since stays."""
    assert fastapply("apply", "a.txt", edit=change("line 2", "two")).status == 0
    assert fastapply("undo").status == 0
    path.write_bytes(text(l2="mine"))
    assert refused(fastapply("redo")) == ["refused: a.txt changed after the undo [changed_since]"]
    assert path.read_bytes() == text(l2="mine")


@pytest.mark.usefixtures("path")
def test_redo_of_a_patch_does_all_of_it_again(fastapply, folder):
    """Files that it made, deleted and moved, and their folders."""
    (folder / "gone.txt").write_bytes(b"g\n")
    edit = (
        "*** Begin Patch\n*** Update File: a.txt\n*** Move to: moved/b.txt\n@@\n-line 2\n+two\n"
        "*** Delete File: gone.txt\n*** Add File: deep/er/new.txt\n+new\n*** End Patch\n"
    )
    assert fastapply("patch", edit=edit).status == 0

    def tree():
        return {
            each.relative_to(folder).as_posix(): each.read_bytes()
            for each in folder.rglob("*")
            if each.is_file()
        }

    after = tree()
    assert fastapply("undo").status == 0
    assert tree() == {"a.txt": text(), "gone.txt": b"g\n"}
    run = fastapply("redo")
    assert (run.status, tree()) == (0, after)
    assert sorted(run.err.splitlines()) == [
        "a.txt: removed (+0 -12)",
        "deep/er/new.txt: created (+1 -0)",
        "gone.txt: removed (+0 -1)",
        "moved/b.txt: created (+12 -0)",
    ]
    assert fastapply("undo").status == 0
    assert tree() == {"a.txt": text(), "gone.txt": b"g\n"}


def test_redo_is_refused_where_a_file_is_in_its_place(fastapply, folder):
    """One that it would make."""
    edit = "*** Begin Patch\n*** Add File: new.txt\n+new\n*** End Patch\n"
    assert fastapply("patch", edit=edit).status == 0
    assert fastapply("undo").status == 0
    (folder / "new.txt").write_bytes(b"mine\n")
    refused(fastapply("redo"))
    assert (folder / "new.txt").read_bytes() == b"mine\n"


def test_a_text_written_elsewhere_by_undo_is_no_write_that_the_next_undo_takes(fastapply, path, folder):
    """The new file stays, and the write before is undone."""
    assert fastapply("apply", "a.txt", edit=change("line 2", "two")).status == 0
    assert fastapply("undo", "a.txt", "-o", "saved.txt").status == 0
    assert (folder / "saved.txt").read_bytes() == text()
    assert fastapply("undo").err == "a.txt: undone (+1 -1)\n"
    assert (folder / "saved.txt").read_bytes() == path.read_bytes() == text()


def test_what_undo_replaced_elsewhere_comes_back_by_its_id(fastapply, path, folder, ids):
    """It is in the list, and the next undo is still the write before."""
    (folder / "saved.txt").write_bytes(b"mine\n")
    assert fastapply("apply", "a.txt", edit=change("line 2", "two")).status == 0
    assert fastapply("undo", "a.txt", "-o", "saved.txt").status == 0
    aside, write = ids()
    assert fastapply("undo").err == "a.txt: undone (+1 -1)\n"
    assert (folder / "saved.txt").read_bytes() == text()
    assert fastapply("undo", aside).status == 0
    assert ((folder / "saved.txt").read_bytes(), path.read_bytes()) == (b"mine\n", text())
    assert write in ids()


def test_undo_by_id_works_in_every_folder_and_writes_elsewhere(fastapply, path, ids, tmp_path, monkeypatch):
    """A write is called the same everywhere."""
    assert fastapply("apply", "a.txt", edit=change("line 2", "two")).status == 0
    (name,) = ids()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert fastapply("undo", name, "-o", "-").out == text()
    assert fastapply("undo", name).err == f"{path}: undone (+1 -1)\n"
    assert path.read_bytes() == text()


def test_a_write_that_there_is_not_is_refused(fastapply, path, ids):
    """Also one that is already undone, and the reverse; a file that is called like an id is a file."""
    assert fastapply("apply", "a.txt", edit=change("line 2", "two")).status == 0
    (name,) = ids()
    assert refused(fastapply("undo", "0123456"), "nothing_to_undo")[0] == (
        "refused: no file or write 0123456 found [nothing_to_undo]"
    )
    assert refused(fastapply("redo", name), "nothing_to_undo") == [
        f"refused: the write {name} is not undone [nothing_to_undo]",
        f"hint: run fastapply undo {name} to reverse it",
    ]
    (path.parent / name).write_bytes(b"")
    refused(fastapply("undo", name), "nothing_to_undo")
    (path.parent / name).unlink()
    assert fastapply("undo", name).status == 0
    refused(fastapply("undo", name), "nothing_to_undo")


def test_a_file_that_is_gone_and_called_like_an_id_is_a_file(fastapply, folder):
    """Its deletion is undone by its name."""
    (folder / "beef").write_bytes(b"b\n")
    assert fastapply("patch", edit="*** Begin Patch\n*** Delete File: beef\n*** End Patch\n").status == 0
    assert fastapply("undo", "beef").err == "beef: restored (+1 -0)\n"
    assert (folder / "beef").read_bytes() == b"b\n"


def test_log_says_yes_where_an_undo_would_keep_other_changes(fastapply, path):
    """Also for the write below one that can be undone."""
    for number in (2, 6):
        assert fastapply("apply", "a.txt", edit=change(f"line {number}", f"<{number}>")).status == 0
    path.write_bytes(text(l2="<2>", l6="<6>", l10="ten"))
    assert [each["undoable"] for each in fastapply("log", "--json").object["entries"]] == [True, True]
    path.write_bytes(text(l2="<2>", l6="six"))
    assert [each["undoable"] for each in fastapply("log", "--json").object["entries"]] == [False, True]
    assert [fastapply("undo").status, path.read_bytes()] == [1, text(l2="<2>", l6="six")]
