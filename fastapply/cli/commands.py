"""The group of commands; a command's module is imported when it is called, not before.

Those of `fastapply_lab` are in a checkout and not in the wheel: they are listed and run where that package
can be imported, and elsewhere `fastapply` says what they need.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.main import get_command

from fastapply import __version__
from fastapply.cli.help_screen import Command, Group, shared_options
from fastapply.errors import UsageError
from fastapply.terminal.output import say

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS: dict[str, dict[str, str]] = {
    "Edits": {
        "apply": "Apply an edit to a file.",
        "patch": "Apply an edit to several files, all or none.",
        "batch": "Apply many edits, given as JSON lines.",
        "undo": "Undo a write.",
        "redo": "Redo an undone write.",
        "log": "List recent writes.",
        "check-markers": 'Find markers such as "... existing code ..." left in files.',
    },
    "Setup": {
        "init": "Set up a repository: settings, hook, AGENTS.md.",
        "help": "Show a help topic.",
        "config": "Show settings and where they come from.",
        "doctor": "Check the installation.",
        "completion": "Print a shell completion script.",
        "git": "Run as a git merge driver or hook.",
    },
    "Agents and other programs": {
        "prompt": "Print a prompt that teaches models to write edits.",
        "mcp": "Run the MCP server, or add it to a client.",
        "serve": "Run an HTTP server for clients of Morph and Relace.",
    },
    "Models": {
        "models": "Manage apply models, small models that decide unclear edits.",
        "worker": "Manage the background model process.",
        "bench": "Benchmark a model on this machine.",
        "evaluate": "Measure accuracy and compare tools.",
    },
}
"""All commands by group, in the order of the help screen, each with its sentence there."""

LAB = {
    "train": "Train your own apply models (only in a checkout).",
    "dataset": "Build training data for apply models (only in a checkout).",
}
"""The commands of `fastapply_lab`."""
LAB_ADDS = {"evaluate": ("view", "judge", "align")}
"""What it adds to groups of the program."""
HAS_LAB = find_spec("fastapply_lab") is not None  # which imports nothing
if HAS_LAB:
    COMMANDS["Models"] |= LAB

SENTENCES = {name: said for group in COMMANDS.values() for name, said in group.items()}
_SETTINGS: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "context_settings": {"help_option_names": ["-h", "--help"], "max_content_width": 100},
}


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
        if args and args[0] in LAB:
            demand_lab(args[0])
        if args and args[0] not in SENTENCES and not args[0].startswith("-") and not ctx.resilient_parsing:
            near = get_close_matches(args[0], SENTENCES, n=1)
            ctx.fail(
                f"Unknown command {args[0]!r}."
                + (f" Did you mean {near[0]!r}?" if near else " Run fastapply --help for a list of commands.")
            )
        return super().resolve_command(ctx, args)

    def rows_of_commands(self, ctx: Any) -> dict[str, list[tuple[str, str]]]:  # noqa: ANN401, ARG002
        """Each group's commands with their sentences; nothing is imported for them."""
        return {title: list(commands.items()) for title, commands in COMMANDS.items()}


class _LabGroup(Group):
    """A group to which the lab adds commands."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        """Find a command; say so where it is one that only a checkout has."""
        if args and args[0] in LAB_ADDS[str(self.name)]:
            demand_lab(f"{self.name} {args[0]}")
        return super().resolve_command(ctx, args)


def demand_lab(command: str) -> None:
    """Raise `UsageError` (``not_installed``) for a command of the lab where there is none."""
    if not HAS_LAB:
        raise UsageError(
            f"{command} needs a checkout of fastapply: pip install -e '.[dev]' there", reason="not_installed"
        )


def load_command(name: str) -> Any:  # noqa: ANN401 - a Click command, from wherever Typer takes Click
    """Import one command, or one group of commands, by its name."""
    package = "fastapply_lab" if name in LAB else "fastapply"
    module = import_module(f"{package}.cli.{name.replace('-', '_')}")
    app = typer.Typer(cls=_LabGroup if name in LAB_ADDS else Group, name=name, **_SETTINGS)
    if not hasattr(module, "COMMANDS"):
        app.command(name, cls=Command)(module.command)
        return _with_shared_options(get_command(app))
    # A callback makes no difference to one command alone, and Typer makes no group of it
    app.callback(help=SENTENCES[name])(lambda: None)
    functions: dict[str, Callable[..., int]] = dict(module.COMMANDS)
    if name in LAB_ADDS and HAS_LAB:
        functions |= import_module(f"fastapply_lab.cli.{name}").COMMANDS
    for each, function in functions.items():
        app.command(each, cls=Command)(function)
    group = get_command(app)
    for command in group.commands.values():  # type: ignore[attr-defined]
        _with_shared_options(command)
    return group


def make_group() -> Any:  # noqa: ANN401 - a Click command, from wherever Typer takes Click
    """Build the command line."""
    app = typer.Typer(cls=Commands, name="fastapply", no_args_is_help=True, **_SETTINGS)
    app.callback()(_fastapply)
    return _with_shared_options(get_command(app))


def _with_shared_options(command: Any) -> Any:  # noqa: ANN401
    """Give a command the options that all of them have."""
    command.params += shared_options(command.name)
    return command


def _show_version(wanted: bool) -> None:
    if wanted:
        say(f"fastapply {__version__}")
        raise typer.Exit


def _fastapply(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Apply LLM-written edits to your files.

    Exit status: 0 applied, already applied or would apply; 1 refused, file unchanged; 2 usage error;
    3 partly applied; 4 file error; 5 model error; 70 internal error; 130 interrupted.

    Run "fastapply help" for a list of help topics.
    """
