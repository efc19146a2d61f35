"""`fastapply git`: what git calls: a merge driver, and a hook."""

import subprocess
import sys
from typing import Annotated

import typer

from fastapply.cli.output import tell
from fastapply.errors import FastapplyError, UsageError


def _merge_driver(
    base: Annotated[str, typer.Argument(metavar="%O", help="The common ancestor's version.")],
    ours: Annotated[str, typer.Argument(metavar="%A", help="Our version; the result is written there.")],
    theirs: Annotated[str, typer.Argument(metavar="%B", help="The other version.")],
    name: Annotated[str, typer.Argument(metavar="%P", help="The path of the file.")],
    marker_size: Annotated[
        int, typer.Option("--marker-size", metavar="%L", min=1, help="The length of conflict markers.")
    ] = 7,
) -> int:
    """Merge three versions of a file, as a merge driver of git's.

    Git merges first. Where it finds a conflict, what the other side changed is put into our version as an
    edit; where that is not certain, git's conflict stays, and the exit status is 1.

    git config merge.fastapply.driver 'fastapply git merge-driver %O %A %B %P'
    """
    from fastapply.merge_driver import merge_conflict

    return 0 if merge_conflict(base, ours, theirs, name, marker_size) else 1


def _hook() -> int:
    """Let a command look at every staged file, and put in and stage the edit that it prints.

    The command is git's setting fastapply.reviewer. It gets the name of a file and prints an edit of it in
    any format that fastapply reads, or nothing. An edit that is refused stops the commit. As a hook,
    .git/hooks/pre-commit holds two lines: "#!/bin/sh" and "exec fastapply git hook".
    """
    from fastapply import git

    top = git.top_of_folder(".")
    if top is None:
        raise UsageError("this is not the working tree of a git repository", reason="not_a_repository")
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
            tell(f"{name}: the reviewer ended with status {done.returncode}")
            return 1
        if done.stdout and not _apply(str(top / name), name, done.stdout):
            return 1
    return 0


def _apply(path: str, name: str, edit: bytes) -> bool:
    from fastapply.changes import change_file
    from fastapply.cli.report import error_text, outcome_text
    from fastapply.cli.request import Request, configured, make_job

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
