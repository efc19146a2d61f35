"""The group of commands; a command's module is imported when it is called, not before."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

_COMMANDS = {
    "apply": "apply",
    "patch": "patch",
    "batch": "batch",
    "undo": "undo",
    "redo": "redo",
    "log": "log",
    "config": "config",
    "doctor": "doctor",
    "prompt": "prompt",
    "mcp": "mcp",
    "serve": "serve",
    "check-markers": "check_markers",
    "init": "init",
    "git": "git",
    "models": "models",
    "worker": "worker",
    "bench": "bench",
    "evaluate": "evaluate",
    "dataset": "dataset",
    "train": "train",
}
_SETTINGS = {"help_option_names": ["-h", "--help"]}


class Commands(TyperGroup):
    """Finds each command in a module of its own."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002 - Click's class moved
        """Name the commands in the order of the help text."""
        return list(_COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401, ARG002
        """Import the one command that is asked for."""
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"fastapply.cli.{_COMMANDS[cmd_name]}")
        # A callback makes no difference to one command alone, and Typer makes no group of it
        app = typer.Typer(
            name=cmd_name, add_completion=False, rich_markup_mode=None, context_settings=_SETTINGS
        )
        if hasattr(module, "COMMANDS"):  # a group of its own
            said = (module.__doc__ or "").partition("\n")[0].partition(": ")[2]
            app.callback(help=said[:1].upper() + said[1:])(_nothing)
            for name, function in module.COMMANDS.items():
                app.command(name)(function)
        else:
            app.command(cmd_name)(module.command)
        return get_command(app)


def make_group() -> Any:  # noqa: ANN401 - a Click command, from wherever Typer takes Click
    """Build the command line."""
    app = typer.Typer(
        cls=Commands,
        name="fastapply",
        add_completion=False,
        rich_markup_mode=None,
        context_settings=_SETTINGS,
        no_args_is_help=True,
    )
    app.callback()(_fastapply)
    return get_command(app)


def _nothing() -> None:
    return


def _show_version(wanted: bool) -> None:
    if wanted:
        from fastapply import __version__
        from fastapply.cli.output import say

        say(f"fastapply {__version__}")
        raise typer.Exit


def _fastapply(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Put an edit that a coding model wrote into the file it is for, or refuse.

    Exit status: 0 applied, already applied or would apply; 1 refused, file untouched; 2 usage;
    3 applied in part; 4 file trouble; 5 model trouble; 70 a bug of fastapply; 130 interrupted.
    """
