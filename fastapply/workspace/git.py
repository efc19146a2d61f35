"""The only place that asks git, through GitPython, which is slow to import and is loaded when needed.

Paths are passed to git literally (a file may be called `*.py` or `:(top)`), never through a shell, and a
file is looked up in the repository that it lies in: a worktree or a submodule where it is in one, and for
a symbolic link the repository of the file behind it.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from fastapply.errors import FastapplyError, FileTrouble, Refused, UsageError
from fastapply.text import decode
from fastapply.values import dataclass
from fastapply.workspace.files.lock import hold
from fastapply.workspace.files.root import working_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MOST_FILES = 400
_LARGEST = 1_000_000  # bytes of a file that is looked at
_NOT_THE_PROJECTS = frozenset({".git", ".hg", ".svn", ".jj"})


def require_clean(path: str | os.PathLike[str]) -> None:
    """Refuse a file whose present text git could not bring back.

    That is one with changes that are not committed, staged or not, and one that git does not track at
    all (also where it ignores it). A file that does not exist, and did not in the last commit, is clean.

    Raises `Refused` (``dirty``), `UsageError` (``not_a_repository``, ``no_git``), `FileTrouble` (``git``).
    """
    target = Path(os.path.realpath(path))
    look = ("status", "--porcelain=v1", "-z", "--ignored", "--untracked-files=all")
    status = _run(_top_of(target), *look, paths=[target])
    if not status:
        tagged = _run(_top_of(target), "ls-files", "-v", paths=[target])
        if tagged and (tagged[0] == "S" or tagged[0].islower()) and target.exists():
            raise Refused(
                f"git does not check {path} for changes (assume-unchanged or skip-worktree)",
                reason="dirty",
                hint="run git update-index --no-assume-unchanged --no-skip-worktree, "
                "or remove --require-clean",
            )
        return
    if status.startswith(("??", "!!")):
        raise Refused(
            f"{path} is not tracked by git",
            reason="dirty",
            hint="commit it first, or remove --require-clean",
        )
    raise Refused(
        f"{path} has uncommitted changes",
        reason="dirty",
        hint="commit or stash them first, or remove --require-clean",
    )


def require_stageable(paths: Iterable[str | os.PathLike[str]]) -> None:
    """Find out before writing whether `stage` will work: all files in repositories, none ignored.

    Raises `UsageError` (``not_a_repository``, ``ignored``, ``no_git``), `FileTrouble` (``git``).
    """
    for path in paths:
        target = Path(os.path.realpath(path))
        # one that it tracks already it would add, whatever the patterns say
        if _git(_top_of(target), "check-ignore", "--", os.fspath(target), may_answer_no=True):
            raise UsageError(f"{path} is ignored by git and cannot be staged", reason="ignored")


def stage(paths: Iterable[str | os.PathLike[str]]) -> None:
    """`git add` these files as they are now: changed, new, or deleted.

    Each goes to the index of its own repository, in one call for each repository. A deleted file that
    git never knew is nothing to stage.

    Raises `UsageError` (``not_a_repository``, ``no_git``), `FileTrouble` (``git``).
    """
    together: dict[Path, list[Path]] = {}
    for path in paths:
        target = Path(os.path.realpath(path))
        top = _top_of(target)
        if target.exists() or _run(top, "ls-files", paths=[target]):
            together.setdefault(top, []).append(target)
    for top, targets in together.items():
        with hold([top / ".git"]):  # two at a time would find the index locked, and one would give up
            _run(top, "add", "--all", paths=targets)


def list_files(folder: Path, top: Path) -> list[Path]:
    """The files below a folder of a working tree that git tracks, or would by its ignore rules, in order.

    Submodules and other repositories inside come as their folders. A file may have been deleted.
    Raises `UsageError` (``no_git``), `FileTrouble` (``git``).
    """
    names = _run(top, "ls-files", "-z", "--cached", "--others", "--exclude-standard", paths=[folder])
    return [top / name for name in sorted(set(names.split("\0"))) if name]


def _top_of(path: Path) -> Path:
    """Find the working tree that holds `path`, which need not exist. Raises `UsageError`."""
    folder = working_tree(path)
    if folder is not None:
        return folder
    raise UsageError(
        f"{path} is not in a git working tree",
        reason="not_a_repository",
        hint="remove --stage and --require-clean",
    )


def _run(top: Path, *command: str, paths: Iterable[Path]) -> str:
    """Run a git command on paths, and return what it says."""
    # A status that only looks must not lock the index against somebody else's git
    return _git(top, "--literal-pathspecs", "--no-optional-locks", *command, "--", *map(os.fspath, paths))


def _variables(top: Path) -> dict[str, str]:
    """What a hook's variables have to be for another repository than the hook's own, such as a submodule.

    Git hands its hooks GIT_DIR and GIT_INDEX_FILE, and would take them for the repository of any file.
    """
    if not any(name in os.environ for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE")):
        return {}
    folder = _git_folder(top)
    named = os.environ.get("GIT_DIR")
    with suppress(UsageError):
        of_hook = Path(os.path.realpath(named)) if named else _git_folder(_top_of(Path.cwd() / "file"))
        if of_hook == folder:
            return {}
    return {"GIT_DIR": str(folder), "GIT_WORK_TREE": str(top), "GIT_INDEX_FILE": str(folder / "index")}


def _git_folder(top: Path) -> Path:
    """Find where the repository of a working tree lies; a submodule and a worktree name it in a file."""
    marker = top / ".git"
    if marker.is_file():
        _, _, named = marker.read_text(encoding="utf-8", errors="surrogateescape").partition("gitdir:")
        marker = top / named.strip()
    return Path(os.path.realpath(marker))


def _git(top: Path, *arguments: str, may_answer_no: bool = False) -> str:
    try:
        import git
    except ImportError:  # what GitPython raises where there is no git
        raise UsageError("git is not installed", reason="no_git", hint="install git") from None

    try:
        return git.Git(top).execute(["git", *arguments], env=_variables(top))
    except git.GitCommandError as error:
        if may_answer_no and error.status == 1:
            return ""
        said = str(error.stderr).partition("stderr: ")[2].strip(" '\n") or str(error)
        raise FileTrouble(f"git failed in {top}: {said}", reason="git") from None


# --- what the commands for git itself ask -------------------------------------------------------------


def top_of_folder(folder: str | os.PathLike[str]) -> Path | None:
    """Find the top of the working tree that holds a folder; None outside of a repository."""
    try:
        return _top_of(Path(os.path.realpath(folder)) / "file")
    except UsageError:
        return None


def tracked_files(top: Path) -> tuple[str, ...]:
    """Names of all files that git tracks, from the top of a working tree."""
    return _names(_git(top, "ls-files", "-z"))


def staged_files(top: Path) -> tuple[str, ...]:
    """Names of the files that the next commit adds or changes, from the top of a working tree."""
    return _names(_git(top, "diff", "--cached", "--name-only", "--diff-filter=AM", "-z"))


def read_setting(top: Path, name: str) -> str:
    """Read a value of git's configuration; "" where there is none."""
    return _git(top, "config", name, may_answer_no=True)


def merge_bytes(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    r"""Put two changes of one text side by side; None where they meet, or where there is no git.

    Changes meet where they touch the same line or lines next to each other. No repository is needed.
    ``merge_bytes(b"a\\nb\\nc\\n", b"A\\nb\\nc\\n", b"a\\nb\\nC\\n")`` is ``b"A\\nb\\nC\\n"``.
    """
    from tempfile import TemporaryDirectory

    if theirs in {ours, base}:
        return ours
    if ours == base:
        return theirs
    with TemporaryDirectory(prefix="fastapply-") as folder:  # which nobody else may read
        one, old, other = (Path(folder) / name for name in ("ours", "base", "theirs"))
        for side, text in ((one, ours), (old, base), (other, theirs)):
            side.write_bytes(text)
        try:
            merged = merge_file(one, old, other, folder=folder)
        except (OSError, UsageError):
            return None
    return merged[0] if merged is not None and not merged[1] else None


def merge_file(
    ours: Path, base: Path, theirs: Path, marker_size: int = 7, *, folder: str | None = None
) -> tuple[bytes, int] | None:
    """Merge three files as git does: the text, with conflicts marked, and how many those are.

    None where git cannot: for binary files. Raises `UsageError` (``no_git``).
    """
    import subprocess

    labels = ("-L", "ours", "-L", "base", "-L", "theirs")
    command = ["git", "merge-file", "-p", f"--marker-size={marker_size}", *labels]
    try:
        done = subprocess.run(
            [*command, "--", *map(os.fspath, (ours, base, theirs))],
            cwd=folder,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise UsageError("git is not installed", reason="no_git", hint="install git") from None
    return None if done.returncode > 128 else (done.stdout, done.returncode)


def _names(listed: str) -> tuple[str, ...]:
    return tuple(name for name in listed.split("\0") if name)


def files_with(top: Path, word: str, patterns: Iterable[str]) -> tuple[str, ...]:
    """Names of tracked files that hold a whole word, among those that match patterns such as ``*.py``."""
    look = ("grep", "-l", "-z", "-w", "-F", "-I", "-e", word, "--", *patterns)
    return _names(_git(top, "--no-optional-locks", *look, may_answer_no=True))


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository of a file, asked how it imports a name: looks at tracked files, and only reads.

    `name` is the file's path from its top, with slashes.
    """

    top: Path
    name: str

    def others_with(self, word: str, suffixes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
        """Give name and text of other files that hold a word, of files whose names end so."""
        try:
            names = files_with(self.top, word, [f"*{suffix}" for suffix in suffixes])
        except FastapplyError:
            return
        for name in names[:_MOST_FILES]:
            file = self.top / name
            try:
                if name != self.name and file.stat().st_size <= _LARGEST:
                    yield name, decode(file.read_bytes()).text
            except (OSError, FastapplyError):
                continue

    def package(self) -> str:
        """The folder of the package of Node that the file belongs to, with a slash; "" for the top."""
        for folder in PurePosixPath(self.name).parents[:-1]:
            if (self.top / folder / "package.json").is_file():
                return f"{folder}/"
        return ""


def open_repository(base: str, path: str | None) -> Repository | None:
    """Find the repository of a file whose path is relative to `base`; None where it is in none."""
    if path is None:
        return None
    place = Path(os.path.realpath(Path(base) / path))
    top = top_of_folder(place.parent)
    return None if top is None else Repository(top, place.relative_to(top).as_posix())


def files_of(names: Iterable[str]) -> Iterator[str]:
    """The files that are named, and those of the folders that are, each once and under the name as given.

    Inside of a git repository they are what git tracks or would track, by its ignore rules; elsewhere all but
    what belongs to a version control system. Links are not followed: what they name is elsewhere.

    ``["a.py", "src"]`` gives ``a.py``, ``src/b.py``, ``src/c/d.py``. A name of nothing is given as it is.
    Raises `FileTrouble` (``unreadable``) for a folder, `UsageError` (``no_git``) and `FileTrouble` (``git``)
    for one of a repository.
    """
    for name in dict.fromkeys(names):
        if os.path.isdir(name):  # noqa: PTH112 - a name with a NUL is none
            yield from _below(name)
        else:
            yield name


def _below(folder: str) -> Iterator[str]:
    real = Path(os.path.realpath(folder))
    top = working_tree(real / "file")
    if top is None:
        yield from _all_below(folder)
        return
    from fastapply.workspace.git import list_files

    for path in list_files(real, top):
        shown = os.path.normpath(os.path.join(folder, os.path.relpath(path, real)))  # noqa: PTH118
        try:
            mode = os.lstat(path).st_mode
        except OSError:  # git knows it, and it was deleted
            continue
        if stat.S_ISREG(mode):
            yield shown
        elif stat.S_ISDIR(mode):  # a repository of its own, or a submodule
            yield from _below(shown)


def _all_below(folder: str) -> Iterator[str]:
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda one: one.name)
    except OSError as error:
        raise FileTrouble(
            f"cannot read the folder {folder}: {error.strerror or error}", reason="unreadable"
        ) from None
    for entry in entries:
        shown = os.path.normpath(entry.path)
        if entry.is_file(follow_symlinks=False):
            yield shown
        elif entry.is_dir(follow_symlinks=False) and entry.name not in _NOT_THE_PROJECTS:
            # A folder below may be the working tree of a repository
            yield from _below(shown) if os.path.lexists(f"{entry.path}/.git") else _all_below(shown)
