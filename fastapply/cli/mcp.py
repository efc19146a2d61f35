"""`fastapply mcp`: tools for agents over the Model Context Protocol, and the entry in a client's settings."""

import os
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from fastapply.cli import options as opt
from fastapply.cli.exits import INTERRUPTED
from fastapply.errors import UsageError
from fastapply.jobs.request import make_server_opener
from fastapply.server import require_server
from fastapply.server.mcp.install import (
    ClientName,
    Place,
    carry_out,
    entry,
    plan_entry,
    project_place,
    user_place,
)
from fastapply.terminal.output import say, tell


def command(  # noqa: PLR0917 - one parameter an option
    root: Annotated[
        str | None,
        typer.Option("--root", metavar="DIR", help="Allow edits only below this folder."),
    ] = None,
    install: Annotated[
        ClientName | None, typer.Option("--install", help="Add fastapply to this client's settings.")
    ] = None,
    uninstall: Annotated[
        ClientName | None, typer.Option("--uninstall", help="Remove fastapply from this client's settings.")
    ] = None,
    project: Annotated[
        bool, typer.Option("--project", help="Use the project settings in the current directory.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Write settings without asking.")] = False,
    endpoint: opt.Endpoint = None,
    model: opt.ModelName = None,
) -> int:
    """Run the MCP server on standard input and output, or add it to a client.

    The tools edit_file, edit_files and preview_edit change files below --root only. Default: the roots
    that the client names, or else the current directory.
    """
    if root is not None and not Path(root).is_dir():
        raise UsageError(f"--root {root} is not a folder")
    if install is not None and uninstall is not None:
        raise UsageError("--install and --uninstall cannot be used together")
    if uninstall is not None:
        return _change_settings(_place(uninstall, project), None, yes)
    require_server()
    if install is not None:
        wanted = entry(install, _server_command(root, project))
        return _change_settings(_place(install, project), wanted, yes)
    if project or yes:
        raise UsageError("--project and --yes require --install or --uninstall")
    if sys.stdin.isatty():
        tell("fastapply mcp waits for a client on standard input; use --install to set one up")
        signal.signal(signal.SIGINT, _end_at_once)
    open_model = make_server_opener(endpoint, model)
    from fastapply.server.mcp.serve import serve

    serve(Path(root).resolve() if root is not None else None, open_model)
    return 0


def _end_at_once(_signal: int, _frame: object) -> None:
    """End on Ctrl-C: the thread that reads the terminal would wait for a line until then."""
    tell("fastapply: interrupted")
    os._exit(INTERRUPTED)


def _place(client: ClientName, project: bool) -> Place:
    return project_place(client, Path()) if project else user_place(client)


def _server_command(root: str | None, project: bool) -> tuple[str, ...]:
    """How the client starts the server; a project's settings are shared, so no path of this machine.

    ``-P``: else Python would look for modules in the project first, and run what it finds there.
    """
    start = ("fastapply", "mcp") if project else (sys.executable, "-P", "-m", "fastapply", "mcp")
    if root is None:
        return start
    return (*start, "--root", root if project else str(Path(root).resolve()))


def _change_settings(place: Place, wanted: dict[str, object] | None, yes: bool) -> int:
    planned = plan_entry(place, wanted)
    if planned.unchanged:
        tell(f"{place.file}: nothing to do")
        return 0
    say(planned.diff.rstrip("\n"))
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(
                "nothing written: cannot ask, standard input is not a terminal", hint="add --yes"
            )
        tell(f"write {place.file}? [y/N]")
        if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
            tell("nothing written")
            return 0
    backups = carry_out(planned)
    tell(f"{place.file}: written")
    for backup in backups:
        tell(f"the old version is in {backup}")
    return 0
