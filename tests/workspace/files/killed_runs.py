"""Kill runs that write, hundreds of times, and look at what they leave (started by `test_killed.py`).

Each run is a forked process that is killed with SIGKILL: by itself before its n-th call of the system, for
every n there is, and by its parent after a random time. The outcomes are printed as JSON.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from fastapply import folders
from fastapply.errors import Refused
from fastapply.workspace import files
from fastapply.workspace.changes import replacing
from fastapply.workspace.undo import undo_last

if TYPE_CHECKING:
    from collections.abc import Callable

OLD = {"a.py": b"a\n" * 50_000, "b.py": b"b\n", "sub/gone.py": b"gone\n", "sub/old.py": b"moved\n"}
NEW = {"a.py": b"A\n" * 60_000, "b.py": b"B\n", "new/deep/c.py": b"C\n", "new/name.py": b"MOVED\n"}


def build(root: Path) -> None:
    """Make the folder as it is before a run."""
    shutil.rmtree(root, ignore_errors=True)
    for name, data in OLD.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


def listing(root: Path) -> dict[str, bytes]:
    """Every file below a folder with its bytes."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }


def write_one(root: Path) -> None:
    """Replace one file, as `apply` does."""
    with files.locked(root / "a.py") as held:
        files.write(files.read(root / "a.py"), NEW["a.py"], held)


def write_all(root: Path, held: files.Held | None = None) -> None:
    """Turn OLD into NEW, as `patch` does."""
    if held is None:
        with files.locked(*(root / name for name in {*OLD, *NEW})) as held_now:
            write_all(root, held_now)
    else:
        operations: list[files.Operation] = [
            files.Write(files.read(root / "a.py"), NEW["a.py"]),
            files.Create(root / "new" / "deep" / "c.py", NEW["new/deep/c.py"]),
            files.Delete(files.read(root / "sub" / "gone.py")),
            files.Move(files.read(root / "sub" / "old.py"), root / "new" / "name.py", NEW["new/name.py"]),
            files.Write(files.read(root / "b.py"), NEW["b.py"]),
        ]
        files.commit(root, operations, held)


def write_kept(root: Path) -> None:
    """Turn OLD into NEW with the old bytes kept, as `patch` does; what it removes and makes is named."""
    with files.locked(*(root / name for name in {*OLD, *NEW})) as held:
        replaced = [
            *(replacing(files.read(root / name), NEW.get(name), None) for name in OLD),
            *(files.Replaced(root / name, None, None, NEW[name]) for name in NEW.keys() - OLD.keys()),
        ]
        with files.remembered(replaced, files.Keep()):
            write_all(root, held)


def undo(root: Path) -> None:
    """Turn NEW into OLD."""
    undo_last(str(root))


def recover(root: Path) -> None:
    """Look for what a killed run left, as every run does first."""
    files.recover(root)


def run(work: Callable[[Path], None], root: Path, *, at: int = 0, after: float | None = None) -> bool:
    """Fork a run, have it killed at its `at`-th call or `after` some seconds; whether it came to its end."""
    child = os.fork()
    if child == 0:
        if at:
            _kill_self_at(at)
        work(root)
        os._exit(0)
    if after is not None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        sys.exit(f"a run failed, killed at {at} or after {after}")
    return os.WIFEXITED(status)


def _kill_self_at(at: int) -> None:
    calls = 0

    def count(event: str, _arguments: tuple[object, ...]) -> None:
        nonlocal calls
        if event == "open" or event.startswith(("os.", "fcntl.")):
            calls += 1
            if calls == at:
                os.kill(os.getpid(), signal.SIGKILL)

    fsync = os.fsync

    def counted_fsync(descriptor: int) -> None:
        count("os.fsync", ())
        fsync(descriptor)

    vars(os)["fsync"] = counted_fsync  # the one call that Python does not report
    sys.addaudithook(count)


def kill_one(root: Path, rounds: int) -> Counter[str]:
    """Kill writes of one file; after each it is the old one or the new one, and can be written again."""
    outcomes: Counter[str] = Counter()

    def judge(*, ended: bool) -> None:
        now = listing(root)
        left = {name for name in now if name.startswith(".fastapply-") and name.endswith(".tmp")}
        rest = {name: data for name, data in now.items() if name not in left}
        word = {OLD["a.py"]: "old", NEW["a.py"]: "new"}.get(rest["a.py"], "BROKEN")
        if (
            rest != {**OLD, "a.py": rest["a.py"]}
            or len(left) > 1
            or (ended and (word, left) != ("new", set()))
        ):
            word = "BROKEN"
        outcomes[word] += 1

    at, ended = 0, False
    while not ended:
        at += 1
        build(root)
        ended = run(write_one, root, at=at)
        judge(ended=ended)
    for duration in _random_times(write_one, root, rounds):
        build(root)
        judge(ended=run(write_one, root, after=duration))
        write_one(root)
    return outcomes


def kill_all(root: Path, rounds: int, seed: int) -> Counter[str]:
    """Kill changes of several files, then the runs that undo them; at the end all are old or all new."""
    choose = random.Random(seed)  # noqa: S311 - which moments to try is no secret
    outcomes: Counter[str] = Counter()

    def judge(*, ended: bool) -> None:
        while choose.random() < 0.7 and not run(recover, root, at=choose.randint(1, 40)):
            outcomes["killed while undoing"] += 1
        files.recover(root)
        now = listing(root)
        word = "old" if now == OLD else "new" if now == NEW else "BROKEN"
        folders = (root / "new").exists()
        if folders != (word == "new") or (ended and word != "new") or files.recover(root):
            word = "BROKEN"
        outcomes[word] += 1

    at, ended = 0, False
    while not ended:
        at += 1
        build(root)
        ended = run(write_all, root, at=at)
        judge(ended=ended)
    for duration in _random_times(write_all, root, rounds):
        build(root)
        judge(ended=run(write_all, root, after=duration))
    return outcomes


def kill_undo(root: Path, rounds: int) -> Counter[str]:
    """Kill writes that are kept, or their undoing; then there are the old files, or one undo gives them."""
    outcomes: Counter[str] = Counter()
    state = folders.state_folder() / "undo"

    def judge(kind: str) -> None:
        for attempt in (1, 2):
            files.recover(root)
            word = "old" if listing(root) == OLD else "new" if listing(root) == NEW else "BROKEN"
            if attempt == 1:
                outcomes[f"{kind} {word}"] += 1
            try:
                undo_last(str(root))
            except Refused as refused:
                if refused.reason != "nothing_to_undo":
                    word = "BROKEN"
            else:
                if word != "new":
                    word = "BROKEN"
            # A kill at the very end of an undo may leave an empty folder, and no file
            if listing(root) != OLD or word == "BROKEN":
                outcomes["BROKEN"] += 1

    def start(*, written: bool) -> None:
        build(root)
        shutil.rmtree(state, ignore_errors=True)
        if written:
            write_kept(root)

    for kind, work in (("write", write_kept), ("undo", undo)):
        at, ended = 0, False
        while not ended:
            at += 1
            start(written=kind == "undo")
            ended = run(work, root, at=at)
            judge(kind)
        for _ in range(rounds):
            start(written=kind == "undo")
            run(work, root, after=random.uniform(0, 0.03))  # noqa: S311
            judge(kind)
    return outcomes


def _random_times(work: Callable[[Path], None], root: Path, rounds: int) -> list[float]:
    durations = []
    for _ in range(3):
        build(root)
        started = time.perf_counter()
        run(work, root)
        durations.append(time.perf_counter() - started)
    longest = 1.1 * sorted(durations)[1]
    return [random.uniform(0, longest) for _ in range(rounds)]  # noqa: S311


if __name__ == "__main__":
    folder, number = Path(sys.argv[1]), int(sys.argv[2])
    one = kill_one(folder / "one", number)
    several = kill_all(folder / "all", number, seed=number)
    left = sorted(path.name for path in (folders.state_folder() / "transactions").iterdir())
    journals = [name for name in left if not name.endswith(".tmp")]
    undone = kill_undo(folder / "undo", number)
    sys.stdout.write(json.dumps({"one": one, "all": several, "undo": undone, "journals": journals}))
