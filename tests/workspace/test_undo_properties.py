"""Random edits, undos and changes by others: undo restores bytes and mode, or touches nothing."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from undoing import JOB, edit, posix, reason_of, state_of

from fastapply.workspace.changes import change_file
from fastapply.workspace.patches import change_files
from fastapply.workspace.undo import redo_last, undo_last

NAMES = ("a.txt", "b.txt", "d/c.txt")
TEXTS = (
    b"count = 0\n",
    b"one\r\ncount = 0\r\ntwo\r\n",
    b"\xef\xbb\xbfcount = 0",
    b"caf\xe9\ncount = 0\r\nlast",
)
MODES = (0o644, 0o600, 0o666, 0o755, 0o711, 0o640)
WHICH = st.integers(0, len(NAMES) - 1)
STEPS = st.one_of(
    st.tuples(st.just("apply"), WHICH),
    st.tuples(st.just("mode"), WHICH),
    st.tuples(
        st.just("patch"), st.dictionaries(WHICH, st.sampled_from(["update", "delete", "move"]), min_size=1)
    ),
    st.tuples(st.just("undo"), st.one_of(st.none(), WHICH)),
    st.tuples(st.just("undo"), st.one_of(st.none(), WHICH)),
    st.tuples(st.just("write"), WHICH, st.sampled_from(TEXTS)),
    st.tuples(st.just("chmod"), WHICH, st.sampled_from(MODES)),
    st.tuples(st.just("delete"), WHICH),
)


class Model:
    """A folder, and what undo must do in it: a list of (before, after) of every write."""

    def __init__(self, root, start):
        """Make the files."""
        self.root, self.writes = root, []
        self.numbers = iter(range(1, 1000))
        for name, (data, mode) in zip(NAMES, start, strict=True):
            self.put(name, data, mode)

    def put(self, name, data, mode):
        """Write a file as somebody else would."""
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        path.chmod(mode)

    def now(self):
        """All files with bytes and mode."""
        return {
            path.relative_to(self.root).as_posix(): state_of(path)
            for path in self.root.rglob("*")
            if path.is_file()
        }

    def write(self, work):
        """Let fastapply write, and note what that changed."""
        before = self.now()
        work()
        after = self.now()
        changed = {
            name: (before.get(name), after.get(name))
            for name in before.keys() | after.keys()
            if before.get(name) != after.get(name)
        }
        assert changed
        self.writes.append(changed)

    def apply(self, which):
        """Count one file up."""
        name = NAMES[which]
        if state_of(self.root / name):
            old, new = self.next_line(name)
            self.write(lambda: change_file(str(self.root / name), edit(old, new), JOB))

    def next_line(self, name):
        """The line of a file that counts, and what it becomes."""
        (line,) = [part for part in (self.root / name).read_bytes().splitlines() if b"count = " in part]
        return line.decode("utf-8-sig"), f"count = {next(self.numbers)}"

    def mode(self, which):
        """Let a git header set or take the right to execute."""
        name = NAMES[which]
        state = state_of(self.root / name)
        if state:
            new = "100644" if state[1] & 0o100 else "100755"
            diff = f"diff --git a/{name} b/{name}\nold mode 100644\nnew mode {new}\n"
            self.write(lambda: change_files(str(self.root), diff.encode(), JOB))

    def patch(self, actions):
        """Change, make, delete and move several files at once."""
        rows = []
        for which, action in actions.items():
            name = NAMES[which]
            if not state_of(self.root / name):
                rows += [f"*** Add File: {name}", "+count = 0"]
            elif action == "delete":
                rows += [f"*** Delete File: {name}"]
            else:
                old, new = self.next_line(name)
                rows += [f"*** Update File: {name}"]
                rows += [f"*** Move to: moved/{next(self.numbers)}.txt"] if action == "move" else []
                rows += ["@@", f"-{old}", f"+{new}"]
        edit_text = "\n".join(["*** Begin Patch", *rows, "*** End Patch", ""])
        self.write(lambda: change_files(str(self.root), edit_text.encode(), JOB))

    def undo(self, which):
        """Undo, which must do all that the list says, or nothing."""
        place = self.root if which is None else self.root / NAMES[which]
        before = self.now()
        there = [
            number
            for number in reversed(range(len(self.writes)))
            if which is None or NAMES[which] in self.writes[number]
        ]
        if not there:
            assert (reason_of(place), self.now()) == ("nothing_to_undo", before)
            return
        index = next((number for number in there if not self.reverted(number, before)), there[0])
        changed = self.writes[index]
        if all(self.same(before.get(name), old, new) for name, (old, new) in changed.items()):
            name = undo_last(str(place)).entry.name
            redo_last(name)
            texts = {path: state[0] for path, state in self.now().items()}
            assert texts == {path: state[0] for path, state in before.items()}
            undo_last(name)
            wanted = {**before, **{name: old for name, (old, _) in changed.items()}}
            assert self.now() == {name: state for name, state in wanted.items() if state}
            del self.writes[index]
        else:
            assert (reason_of(place), self.now()) == ("changed_since", before)

    def reverted(self, number, now):
        """Whether all files of a write are again as they were before it, or before an older one."""
        return all(
            not self.same(now.get(name), old, new)
            and any(now.get(name) == one[name][0] for one in self.writes[: number + 1] if name in one)
            for name, (old, new) in self.writes[number].items()
        )

    @staticmethod
    def same(now, old, new):
        """Whether a file is as it was written; the mode of a file that was made is the system's."""
        return now == new or (old is None and now is not None and new is not None and now[0] == new[0])

    def take(self, step):
        """Do one step."""
        kind, *given = step
        if kind in {"write", "chmod", "delete"}:
            path = self.root / NAMES[given[0]]
            state = state_of(path)
            if kind == "write":
                self.put(NAMES[given[0]], given[1], state[1] if state else 0o644)
            elif state and kind == "chmod":
                path.chmod(given[1])
            elif state:
                path.unlink()
            return
        getattr(self, kind)(*given)


@posix
@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    start=st.tuples(*[st.tuples(st.sampled_from(TEXTS), st.sampled_from(MODES)) for _ in NAMES]),
    steps=st.lists(STEPS, min_size=3, max_size=14),
)
def test_undo_restores_bytes_and_mode_or_touches_nothing(start, steps, state_dir):
    """Over any sequence of edits of one and several files, undos and foreign changes."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.rmtree(state_dir / "undo", ignore_errors=True)
        model = Model(Path(folder).resolve(), start)
        for step in steps:
            model.take(step)
        foreign = any(step[0] in {"write", "chmod", "delete"} for step in steps)
        if not foreign:
            while model.writes:
                model.undo(None)
            assert model.now() == dict(zip(NAMES, start, strict=True))
