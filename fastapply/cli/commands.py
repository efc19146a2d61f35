"""The group of commands; a command's module is imported when it is called, not before."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.main import get_command

from fastapply.cli.help_screen import Command, Group, shared_options

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS: dict[str, dict[str, str]] = {
    "Edits": {
        "apply": "Put an edit into a file, or refuse and say why.",
        "patch": "Carry out an edit of several files: all change, or none.",
        "batch": "Put many edits in: lines of JSON in, lines of JSON out.",
        "undo": "Put back what a write replaced.",
        "redo": "Do again what was undone last.",
        "log": "List the writes that can be undone, newest first.",
        "check-markers": 'Fail where "... existing code ..." was left in files.',
    },
    "Set up": {
        "init": "Write what a repository wants: settings, hook, AGENTS.md.",
        "help": "Explain a topic, or list all of them.",
        "config": "Show each setting's value and where it comes from.",
        "doctor": "Show what is installed, what works, and what to do.",
        "completion": "Print the script that has a shell complete words.",
        "git": "What git starts: a merge driver, a hook.",
    },
    "Agents and other programs": {
        "prompt": "Print the text that teaches a model to write edits.",
        "mcp": "Serve edit tools to an agent, or set a client up.",
        "serve": "Answer the clients of apply services over HTTP.",
    },
    "Models": {
        "models": "List, fetch and choose apply models.",
        "worker": "Start, show and stop what keeps a model loaded.",
        "bench": "Measure how fast a model writes here.",
        "train": "Train apply models of your own.",
        "dataset": "Make training data for apply models.",
        "evaluate": "Count how often edits go in right, and compare tools.",
    },
}
"""All commands by group, in the order of the help screen, each with its sentence there."""

SENTENCES = {name: said for group in COMMANDS.values() for name, said in group.items()}
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Commands(Group):
    """Finds each command in a module of its own."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002 - Click's class moved
        """Name the commands in the order of the help text."""
        return list(SENTENCES)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401, ARG002
        """Import the one command that is asked for."""
        return load_command(cmd_name) if cmd_name in SENTENCES else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        """Find a command, or say which one may be meant."""
        if args and args[0] not in SENTENCES and not args[0].startswith("-") and not ctx.resilient_parsing:
            near = get_close_matches(args[0], SENTENCES, n=1)
            ctx.fail(
                f"There is no command {args[0]!r}."
                + (f" Did you mean {near[0]!r}?" if near else " fastapply --help lists all commands.")
            )
        return super().resolve_command(ctx, args)

    def rows_of_commands(self, ctx: Any) -> dict[str, list[tuple[str, str]]]:  # noqa: ANN401, ARG002
        """Each group's commands with their sentences; nothing is imported for them."""
        return {title: list(commands.items()) for title, commands in COMMANDS.items()}


def load_command(name: str) -> Any:  # noqa: ANN401 - a Click command, from wherever Typer takes Click
    """Import one command, or one group of commands, by its name."""
    module = import_module(f"fastapply.cli.{name.replace('-', '_')}")
    app = typer.Typer(
        cls=Group, name=name, add_completion=False, rich_markup_mode=None, context_settings=_SETTINGS
    )
    if not hasattr(module, "COMMANDS"):
        app.command(name, cls=Command)(module.command)
        return _with_shared_options(get_command(app))
    # A callback makes no difference to one command alone, and Typer makes no group of it
    app.callback(help=SENTENCES[name])(_nothing)
    functions: dict[str, Callable[..., int]] = module.COMMANDS
    for each, function in functions.items():
        app.command(each, cls=Command)(function)
    group = get_command(app)
    for command in group.commands.values():  # type: ignore[attr-defined]
        _with_shared_options(command)
    return group


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
    return _with_shared_options(get_command(app))


def _with_shared_options(command: Any) -> Any:  # noqa: ANN401
    """Give a command the options that all of them have."""
    command.params += shared_options()
    return command


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

    "fastapply help" lists what there is to read.
    """
