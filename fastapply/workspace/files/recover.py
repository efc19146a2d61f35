"""The journal of a change of several files, and how a change that was cut off is undone.

A journal is one JSON file in the user's state folder. It is not kept in the folder that it is about: a
checkout could bring a forged one along, and the next run would follow it, say into `.git/hooks`. It names
every file that the transaction will touch before the first is touched:

    {"version": 1, "root": "/r", "folders": ["/r/new"], "steps": [{"action": "replace", "path": "/r/a",
     "staged": "/r/.fastapply-1.tmp", "kept": "/r/.fastapply-2.old", "old": "<sha256>", "new": "<sha256>"}]}

`staged` holds the new bytes, `kept` is a hard link to (or a copy of) the old file, both beside the file,
so that every move is a rename within one folder. While the journal is called `*.json`, its transaction is
undone by the next run; renaming it to `*.done` is the moment at which all files count as changed, and then
only the kept files are left to remove. Undoing can itself be cut off and begun anew: it restores what is
still kept and removes what is still new. A file that somebody changed after the kill is not overwritten:
the old bytes are put beside it as ``FILE~``.

A transaction holds the locks of all its files while it lives. Hence a journal whose locks can be had
belongs to a dead one.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from fastapply.errors import FileTrouble
from fastapply.folders import state_folder
from fastapply.values import dataclass
from fastapply.workspace.files.lock import WAIT, Held, hold, resolved
from fastapply.workspace.files.write import flush_folder, free_backup_name, place_new, stage, sweep, temporary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_VERSION = 1
_OPEN = ".json"
_DONE = ".done"


@dataclass(frozen=True, slots=True)
class Step:
    """One name in one folder that changes: a file replaced, made or removed."""

    action: Literal["replace", "create", "remove"]
    path: str
    staged: str = ""
    kept: str = ""
    old: str = ""  # sha256 of the bytes; "" where there was no file
    new: str = ""  # "" where there will be none


@dataclass(frozen=True, slots=True)
class Journal:
    """All that a transaction is going to do, and where the journal says so."""

    file: Path
    root: str
    folders: tuple[str, ...]  # made by the transaction, parents first
    steps: tuple[Step, ...]


@contextmanager
def locked(*paths: Path, wait: float = WAIT) -> Iterator[Held]:
    """Hold the locks of these files from before they are read until after they are written.

    A second fastapply on one of them waits, up to `wait` seconds in all. Name all files in one call;
    a thread that holds some must not ask for the same again.

    Raises `FileTrouble`: ``locked``, or ``unfinished`` where a run that changed one of the files was
    killed and `recover` has not undone it yet.
    """
    with hold(paths, wait) as held:
        names = {resolved(path) for path in paths}
        for journal in _journals(_OPEN):
            if any(resolved(step.path) in names for step in journal.steps):
                raise FileTrouble(
                    f"an earlier run on {journal.root} was interrupted",
                    reason="unfinished",
                    hint="run again; the interrupted run is undone first",
                )
        yield held


def recover(path: str | os.PathLike[str], wait: float = WAIT) -> tuple[str, ...]:
    """Undo the transactions that a kill cut off, on the folder or the file `path`.

    Those count whose root holds `path` or lies in it. Call this before `locked`. Returns one message for
    every transaction undone and every file that could not be, for the user to see. A transaction whose
    process is alive is waited for.

    Raises `FileTrouble`: ``locked`` when that takes longer than `wait` seconds, ``not_restored`` when the
    system refuses; the journal is then kept for the next run.
    """
    about = Path(resolved(path))
    messages: list[str] = []
    for journal in (*_journals(_DONE), *_journals(_OPEN)):
        root = Path(journal.root)
        if not (about.is_relative_to(root) or root.is_relative_to(about)):
            continue
        with hold([Path(step.path) for step in journal.steps], wait):
            if not journal.file.exists():
                continue  # its process was alive and has ended it, or another run has undone it
            if journal.file.suffix == _OPEN:
                kept_apart = undo(journal)
                messages += (f"undid an interrupted change in {root}", *kept_apart)
            else:
                clean_up(journal)
    return tuple(messages)


def digest(data: bytes) -> str:
    """Name bytes by their SHA-256."""
    return str(_sha256(data).hexdigest())


def _sha256(data: bytes) -> Any:  # noqa: ANN401 - a hash object of one of three modules
    # hashlib loads OpenSSL, which takes longer than all else that keeping a text does. The small modules
    # behind it are where `random` of the standard library takes its hashes from.
    for name in ("_sha2", "_sha256"):
        with suppress(ImportError, AttributeError):
            return import_module(name).sha256(data)
    from hashlib import sha256

    return sha256(data)


def kept_name(path: Path) -> Path:
    """Name the place beside a file where a transaction keeps the old one."""
    return path.parent / f".fastapply-{os.urandom(8).hex()}.old"


def new_journal(root: Path, folders: Iterable[Path], steps: Iterable[Step]) -> Journal:
    """Write the journal of a transaction that is about to begin; raises `OSError`."""
    import json
    from dataclasses import asdict

    folder = state_folder() / "transactions"
    folder.mkdir(mode=0o700, exist_ok=True)
    sweep(folder)
    file = folder / f"{os.urandom(8).hex()}{_OPEN}"
    journal = Journal(file, str(root), tuple(str(made) for made in folders), tuple(steps))
    content = {"version": _VERSION, "root": journal.root, "folders": journal.folders}
    text = json.dumps({**content, "steps": [asdict(step) for step in journal.steps]})
    staged = temporary(folder)
    try:
        stage(staged, text.encode("ascii"), 0o600)
        staged.replace(file)
    finally:
        staged.unlink(missing_ok=True)
    flush_folder(folder)
    return journal


def declare_done(journal: Journal) -> Journal:
    """Make a transaction count: from here on it is not undone, only cleaned up."""
    done = journal.file.with_suffix(_DONE)
    journal.file.rename(done)
    flush_folder(done.parent)
    return Journal(done, journal.root, journal.folders, journal.steps)


def clean_up(journal: Journal) -> None:
    """Remove what a transaction that counts has left, and its journal last."""
    for step in journal.steps:
        _remove(step.kept)
        _remove(step.staged)
    journal.file.unlink(missing_ok=True)


def undo(journal: Journal) -> tuple[str, ...]:
    """Put everything back as it was before the transaction, and remove its journal last.

    Returns a message for each file that somebody else has changed meanwhile. Raises `FileTrouble`
    (``not_restored``); what could be restored is.
    """
    messages: list[str] = []
    failed: list[str] = []
    for step in reversed(journal.steps):
        try:
            messages += _undo_step(step)
        except OSError as error:
            failed.append(f"{step.path} ({error.strerror or error})")
    if failed:
        raise FileTrouble(
            f"cannot restore {', '.join(failed)}",
            reason="not_restored",
            hint="the next run on these files tries again",
        )
    for folder in reversed(journal.folders):
        with suppress(OSError):  # somebody put a file there
            Path(folder).rmdir()
    for parent in {Path(step.path).parent for step in journal.steps}:
        flush_folder(parent)
    journal.file.unlink(missing_ok=True)
    return tuple(messages)


def _undo_step(step: Step) -> Iterator[str]:
    path, kept = Path(step.path), Path(step.kept)
    now = _digest_of(path)
    if step.action == "create":
        # it is ours if its staged name is gone, or names it
        if now == step.new and (not os.path.lexists(step.staged) or _one_file(step.staged, step.path)):
            path.unlink()
        elif now:
            yield f"{path} changed after the interrupted run; left as is"
    elif os.path.lexists(step.kept):
        if os.path.lexists(step.staged) or _one_file(step.kept, step.path):
            pass  # its turn had not come
        elif now in {"", step.old, step.new}:
            kept.replace(path)
        else:
            saved = free_backup_name(path)
            place_new(kept, saved)
            yield f"{path} changed after the interrupted run; the version before that run is in {saved}"
        kept.unlink(missing_ok=True)  # a rename between two names of one file leaves both
    _remove(step.staged)


def _one_file(name: str, other: str) -> bool:
    return os.path.lexists(other) and Path(name).samefile(other)


def _digest_of(path: Path) -> str:
    if path.is_dir():
        return "a folder"
    try:
        return digest(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return ""


def _remove(path: str) -> None:
    if path:
        with suppress(NotADirectoryError):
            Path(path).unlink(missing_ok=True)


def _journals(suffix: str) -> Iterator[Journal]:
    """Read the journals with that suffix; one that vanishes meanwhile was ended by its process."""
    folder = state_folder() / "transactions"
    try:
        files = sorted(file for file in folder.iterdir() if file.suffix == suffix)
    except FileNotFoundError:
        return
    for file in files:
        with suppress(FileNotFoundError):
            yield _parse(file)


def _parse(file: Path) -> Journal:
    import json

    try:
        content = json.loads(file.read_bytes())
        steps = tuple(Step(**step) for step in content["steps"])
        journal = Journal(file, content["root"], tuple(content["folders"]), steps)
    except (ValueError, KeyError, TypeError) as error:
        raise _useless(file, str(error)) from None
    if content.get("version") != _VERSION:
        raise _useless(file, "unknown version")
    return journal


def _useless(file: Path, why: str) -> FileTrouble:
    return FileTrouble(
        f"the journal {file} of an interrupted run cannot be read: {why}",
        reason="unfinished",
        hint="it is damaged or from a newer fastapply; check the files, then delete it",
    )
