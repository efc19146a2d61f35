from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from fastapply.errors import FileTrouble, Refused, UsageError
from fastapply.workspace import git

if TYPE_CHECKING:
    from pathlib import Path

_NAMES = [
    "plain.py",
    "with space.py",
    "naïve_名前.py",
    "sub/deep/er.py",
    "-n",
    "[a].py",
    ":(top)x.py",
    "$HOME.py",
]
if os.name == "nt":
    _NAMES = _NAMES[:4]


def run(folder: Path, *arguments: str) -> str:
    """Run git as a test needs it, and return what it says."""
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    ran = subprocess.run(
        ["git", *identity, "-c", "core.quotePath=false", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    return ran.stdout


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository whose files are all committed."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    root = tmp_path / "a repo"
    for name in _NAMES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"one\n")
    (root / ".gitignore").write_bytes(b"*.log\nbuild/\n")
    run(tmp_path, "init", "-q", str(root))
    run(root, "add", "--all")
    run(root, "commit", "-q", "-m", "first")
    return root


def staged(root: Path) -> list[str]:
    """The names in the index that differ from the last commit, with what happened to them."""
    return run(root, "diff", "--cached", "--name-status", "--no-renames", "-z").split("\0")[:-1]


@pytest.mark.parametrize("name", _NAMES)
def test_a_committed_file_is_clean(repository, name):
    """Names that look like options, patterns or variables are only names."""
    git.require_clean(repository / name)

    assert staged(repository) == []


@pytest.mark.parametrize("name", _NAMES)
def test_a_changed_file_is_dirty(repository, name):
    """The twin of the above: each of these names is really looked at."""
    (repository / name).write_bytes(b"two\n")

    with pytest.raises(Refused) as caught:
        git.require_clean(repository / name)

    assert (caught.value.reason, caught.value.message) == (
        "dirty",
        f"{repository / name} has uncommitted changes",
    )


def test_a_staged_change_is_dirty(repository):
    """What is staged is not committed yet."""
    (repository / "plain.py").write_bytes(b"two\n")
    run(repository, "add", "plain.py")

    with pytest.raises(Refused, match="uncommitted"):
        git.require_clean(repository / "plain.py")


def test_a_change_of_another_file_does_not_matter(repository):
    """Only the file asked for must be clean."""
    (repository / "plain.py").write_bytes(b"two\n")

    git.require_clean(repository / "with space.py")


def test_a_pattern_name_does_not_match_other_files(repository):
    """`[a].py` is that file, not `a.py`."""
    (repository / "a.py").write_bytes(b"new\n")

    git.require_clean(repository / "sub" / "deep" / "er.py")
    with pytest.raises(Refused, match="not tracked"):
        git.require_clean(repository / "a.py")


@pytest.mark.parametrize("name", ["new.py", "x.log", "build/x.py", "fresh/new.py"])
def test_an_untracked_file_is_dirty(repository, name):
    """Git could not bring back what it never had, also where it ignores the file."""
    (repository / name).parent.mkdir(exist_ok=True)
    (repository / name).write_bytes(b"new\n")

    with pytest.raises(Refused) as caught:
        git.require_clean(repository / name)

    assert (caught.value.reason, "not tracked by git" in caught.value.message) == ("dirty", True)


@pytest.mark.parametrize("name", ["none.py", "no/such/folder/none.py"])
def test_a_file_that_is_not_there_and_never_was_is_clean(repository, name):
    """An edit that makes a new file has nothing to lose."""
    git.require_clean(repository / name)


def test_a_deleted_file_is_dirty(repository):
    """That a tracked file is gone is a change that is not committed."""
    (repository / "plain.py").unlink()

    with pytest.raises(Refused, match="uncommitted"):
        git.require_clean(repository / "plain.py")


@pytest.mark.parametrize("ask", [git.require_clean, lambda path: git.require_stageable([path])])
def test_outside_of_a_repository_asking_git_is_wrong_usage(tmp_path, ask):
    """There is no last commit to compare with, and no index."""
    path = tmp_path / "plain.py"
    path.write_bytes(b"one\n")

    with pytest.raises(UsageError) as caught:
        ask(path)

    assert caught.value.reason == "not_a_repository"


def test_gits_own_files_are_in_no_working_tree(repository):
    """A file below `.git` can be neither clean nor staged."""
    with pytest.raises(UsageError) as caught:
        git.require_clean(repository / ".git" / "config")

    assert caught.value.reason == "not_a_repository"


@pytest.mark.parametrize("bare", [False, True], ids=["worktree", "worktree_of_a_bare_repository"])
def test_a_worktree_has_its_own_index(repository, tmp_path, bare):
    """Files of a linked worktree are judged and staged there."""
    source = repository
    if bare:
        source = tmp_path / "bare.git"
        run(tmp_path, "clone", "-q", "--bare", str(repository), str(source))
    tree = tmp_path / "tree ü"
    run(source, "worktree", "add", "-q", "-b", "other", str(tree))
    git.require_clean(tree / "sub" / "deep" / "er.py")
    (tree / "plain.py").write_bytes(b"two\n")

    git.stage([tree / "plain.py"])

    assert staged(tree) == ["M", "plain.py"]
    assert staged(repository) == []
    with pytest.raises(Refused):
        git.require_clean(tree / "plain.py")


def test_stage_adds_changed_new_and_deleted_files_and_no_others(repository):
    """The index takes exactly the files named."""
    for name in ("plain.py", "with space.py", "naïve_名前.py", "unnamed.py"):
        (repository / name).write_bytes(b"two\n")
    (repository / "fresh").mkdir()
    (repository / "fresh" / "new *.py").write_bytes(b"new\n")
    (repository / "sub" / "deep" / "er.py").unlink()
    (repository / "sub" / "deep").rmdir()
    named = ["plain.py", "naïve_名前.py", "fresh/new *.py", "sub/deep/er.py", "never.py"]

    git.stage([repository / name for name in named])

    assert staged(repository) == [
        "A", "fresh/new *.py", "M", "naïve_名前.py", "M", "plain.py", "D", "sub/deep/er.py",
    ]  # fmt: skip


def test_stage_serves_several_repositories(repository, tmp_path):
    """Each file goes to the index of the repository it lies in."""
    inner = repository / "inner"
    run(tmp_path, "init", "-q", str(inner))
    (inner / "a.py").write_bytes(b"new\n")
    (repository / "plain.py").write_bytes(b"two\n")

    git.stage([inner / "a.py", repository / "plain.py"])

    assert run(inner, "diff", "--cached", "--name-only", "--no-renames").split() == ["a.py"]
    assert staged(repository) == ["M", "plain.py"]


@pytest.fixture
def submodule(repository, tmp_path):
    """A submodule of the repository, with a file of its own."""
    run(tmp_path, "init", "-q", "other")
    (tmp_path / "other/inner.py").write_bytes(b"one\n")
    run(tmp_path / "other", "add", "--all")
    run(tmp_path / "other", "commit", "-q", "-m", "first")
    run(repository, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "../other", "module")
    run(repository, "commit", "-q", "-m", "module")
    return repository / "module"


def test_a_submodule_has_its_own_index(repository, submodule):
    """Its files are judged and staged there; the outer index stays."""
    git.require_clean(submodule / "inner.py")
    (submodule / "inner.py").write_bytes(b"two\n")
    with pytest.raises(Refused):
        git.require_clean(submodule / "inner.py")
    git.stage([submodule / "inner.py"])

    assert (staged(submodule), staged(repository)) == (["M", "inner.py"], [])


def test_a_hooks_variables_are_for_its_own_repository_only(repository, submodule, monkeypatch):
    """Git tells its hooks which index they work on: that of another repository is another one."""
    for variable, value in (("GIT_DIR", ".git"), ("GIT_INDEX_FILE", ".git/index")):
        monkeypatch.setenv(variable, str(repository / value))
    for path in (submodule / "inner.py", repository / "plain.py"):
        path.write_bytes(b"two\n")
    git.stage([submodule / "inner.py", repository / "plain.py"])
    for variable in ("GIT_DIR", "GIT_INDEX_FILE"):
        monkeypatch.delenv(variable)

    assert (staged(submodule), staged(repository)) == (["M", "inner.py"], ["M", "plain.py"])


def test_a_hooks_index_takes_what_is_staged(repository, monkeypatch):
    """`git commit FILE` lets its hooks work on an index beside the usual one."""
    (repository / ".git/other").write_bytes((repository / ".git/index").read_bytes())
    (repository / "plain.py").write_bytes(b"two\n")
    monkeypatch.chdir(repository)
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/other")
    git.stage([repository / "plain.py"])
    there = staged(repository)
    monkeypatch.delenv("GIT_INDEX_FILE")

    assert (there, staged(repository)) == (["M", "plain.py"], [])


@pytest.mark.parametrize("told", ["--assume-unchanged", "--skip-worktree"])
def test_a_file_that_git_does_not_look_at_is_dirty(repository, told):
    """Nobody knows whether it has changes."""
    run(repository, "update-index", told, "plain.py")
    with pytest.raises(Refused, match="does not check"):
        git.require_clean(repository / "plain.py")
    git.require_clean(repository / "with space.py")


def test_stage_follows_a_link_to_the_file_behind_it(repository, tmp_path):
    """What was written is the target, so that is staged."""
    link = tmp_path / "link.py"
    link.symlink_to(repository / "plain.py")
    (repository / "plain.py").write_bytes(b"two\n")

    git.stage([link])

    assert staged(repository) == ["M", "plain.py"]


def test_a_relative_path_is_taken_from_the_working_folder(repository, monkeypatch):
    """The command line hands paths over as they were typed."""
    monkeypatch.chdir(repository / "sub")
    (repository / "sub" / "deep" / "er.py").write_bytes(b"two\n")

    git.stage(["deep/er.py"])

    assert staged(repository) == ["M", "sub/deep/er.py"]


def test_an_ignored_file_is_known_not_to_be_stageable_before_it_is_written(repository):
    """The caller can refuse `--stage` while the file is still untouched."""
    git.require_stageable([repository / "plain.py", repository / "not yet.py"])

    with pytest.raises(UsageError) as caught:
        git.require_stageable([repository / "build" / "x.py"])

    assert (caught.value.reason, caught.value.message) == (
        "ignored",
        f"{repository / 'build' / 'x.py'} is ignored by git and cannot be staged",
    )


def test_a_tracked_file_is_stageable_where_a_pattern_ignores_it(repository):
    """Git goes on tracking a file that was added by force."""
    (repository / "x.log").write_bytes(b"one\n")
    run(repository, "add", "-f", "x.log")
    run(repository, "commit", "-q", "-m", "log")
    (repository / "x.log").write_bytes(b"two\n")

    git.require_stageable([repository / "x.log"])
    git.stage([repository / "x.log"])

    assert staged(repository) == ["M", "x.log"]


def test_what_git_says_is_passed_on(repository):
    """An index that is locked is trouble with a file, in git's words."""
    (repository / ".git" / "index.lock").write_bytes(b"")
    (repository / "plain.py").write_bytes(b"two\n")

    with pytest.raises(FileTrouble) as caught:
        git.stage([repository / "plain.py"])

    assert (caught.value.reason, "index.lock" in caught.value.message) == ("git", True)


def test_looking_does_not_wait_for_a_locked_index(repository):
    """Whether a file is clean can be asked while another git works."""
    (repository / ".git" / "index.lock").write_bytes(b"")

    git.require_clean(repository / "plain.py")


def test_without_git_the_option_is_wrong_usage(repository):
    """A machine without git gets a sentence, not a traceback."""
    script = (
        "import sys\nfrom fastapply import errors\nfrom fastapply.workspace import git\n"
        "try:\n    git.require_clean(sys.argv[1])\n"
        "except errors.UsageError as error:\n    print(error.reason)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, str(repository / "plain.py")],
        env={**os.environ, "PATH": str(repository)},
        check=True,
        capture_output=True,
        text=True,
    )

    assert ran.stdout == "no_git\n"


def test_gitpython_is_imported_only_when_git_is_asked():
    """GitPython takes longer to import than a whole run may take."""
    script = "import sys, fastapply.workspace.git; print('git' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)

    assert ran.stdout == "False\n"
