"""`fastapply git`: what git calls: a merge driver, and a hook."""

import subprocess
import sys
from typing import Annotated

import typer

from fastapply.errors import FastapplyError, UsageError
from fastapply.terminal.output import tell
from fastapply.workspace import git


def _merge_driver(
    base: Annotated[str, typer.Argument(metavar="%O", help="The common ancestor.")],
    ours: Annotated[str, typer.Argument(metavar="%A", help="Our version; the result is written here.")],
    theirs: Annotated[str, typer.Argument(metavar="%B", help="Their version.")],
    name: Annotated[str, typer.Argument(metavar="%P", help="The path of the file.")],
    marker_size: Annotated[
        int, typer.Option("--marker-size", metavar="%L", min=1, help="Conflict marker length.")
    ] = 7,
) -> int:
    """Run as a git merge driver.

    Git merges first. For a conflict, their change is applied to our version as an edit. If that is
    ambiguous, the conflict stays and the exit status is 1.

    To set it up: git config merge.fastapply.driver 'fastapply git merge-driver %O %A %B %P'
    """
    from fastapply.workspace.merge_driver import merge_conflict

    return 0 if merge_conflict(base, ours, theirs, name, marker_size) else 1


def _hook() -> int:
    """Run a reviewer command on each staged file, then apply and stage its edits.

    The git setting fastapply.reviewer names the command. It is called with one file name as its argument
    and prints an edit in any supported format, or nothing. A refused edit stops the commit.

    To set it up, write "#!/bin/sh" and "exec fastapply git hook" to .git/hooks/pre-commit, and run
    chmod +x on that file. This replaces an existing hook, also that of the program pre-commit, which
    uses the same file.
    """
    top = git.top_of_folder(".")
    if top is None:
        raise UsageError("not in a git working tree", reason="not_a_repository")
    reviewer = git.read_setting(top, "fastapply.reviewer")
    if not reviewer:
        return 0
    for name in git.staged_files(top):
        done = subprocess.run(
            ["sh", "-c", f'{reviewer} "$1"', "reviewer", name],
            cwd=top,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            check=False,
        )
        if done.returncode != 0:
            tell(f"{name}: the reviewer exited with status {done.returncode}")
            return 1
        if done.stdout and not _apply(str(top / name), name, done.stdout):
            return 1
    return 0


def _apply(path: str, name: str, edit: bytes) -> bool:
    from fastapply.jobs.request import Request, configured, make_job
    from fastapply.jobs.texts import error_text, outcome_text
    from fastapply.workspace.changes import change_file

    job = make_job(configured(Request(stage=True), path))
    try:
        outcome = change_file(path, edit, job)
    except FastapplyError as error:
        tell(error_text(error, name))
        return False
    for change in outcome.changes:
        tell(outcome_text(change, dry=False))
    sys.stderr.flush()
    return True


COMMANDS = {"merge-driver": _merge_driver, "hook": _hook}
