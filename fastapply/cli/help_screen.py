"""What `--help` shows: whole sentences, and the options of a long command in groups.

A command with very many options shows the most used ones, and all of them under `--help-all`.

Typer's own panels are drawn by Rich, which takes as long to import as everything else together, and
which reads ``[tool.fastapply]`` as a style. So these are Click's plain sections, with coloured titles.
"""

from __future__ import annotations

import inspect
import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from fastapply.terminal.colours import choose_colour, painted, wants_colour
from fastapply.terminal.output import choose_pager, say

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONG = 8
"""Options from which on a command shows them in groups."""

_PANELS = {
    "Edit": (
        "--instructions", "--format", "--engine", "--create", "--clipboard", "--smooth", "--root",
        "--jobs", "--ledger", "--stop-on-error", "--in", "--after", "--before", "--replace",
    ),
    "Resolving a refusal": ("--at", "--pick", "--allow", "--min-certainty", "--review"),
    "Writing": (
        "--dry-run", "--check", "--output", "--backup", "--reject", "--undo", "--stage", "--require-clean",
    ),
    "Model": (
        "--model", "--endpoint", "--full-file", "--conversation", "--model-timeout", "--gpu-layers",
        "--threads", "--ctx-size", "--adapter", "--style",
    ),
    "Server": ("--host", "--port", "--token", "--queue", "--max-body", "--time-limit"),
    "Cases": ("--cases", "--cmd", "--given", "--only", "--most", "--region"),
    "Repositories": ("--repo", "--repos", "--licence", "--per-repo", "--per-held-out", "--per-path"),
    "Shape": ("--vocabulary", "--layers", "--width", "--inner", "--heads", "--rank", "--alpha"),
    "Training": (
        "--tokens", "--batch", "--rate", "--learning-rate", "--epochs", "--steps", "--max-length", "--seed",
        "--recompute", "--dtype", "--device", "--compile",
    ),
    "Checking": ("--validate", "--check-every", "--check-samples", "--save-minutes"),
    "Output": (
        "--out", "--json", "--quiet", "--verbose", "--keep-log", "--show", "--color", "--no-pager",
        "--version", "--help-all", "--help",
    ),
}  # fmt: skip
"""Where each option stands on the screen of a long command, unless it names a title itself."""

_MOST_USED = {
    "apply": (
        "--instructions", "--create", "--clipboard", "--at", "--pick", "--review",
        "--dry-run", "--check", "--output", "--json",
    ),
    "patch": (
        "--root", "--instructions", "--clipboard", "--pick", "--review",
        "--dry-run", "--check", "--stage", "--json", "--quiet",
    ),
    "lora": (
        "--out", "--validate", "--adapter", "--minutes", "--epochs", "--batch", "--learning-rate",
        "--max-length", "--rank", "--dtype",
    ),
}  # fmt: skip
"""What `--help` of these commands shows; `--help-all` shows the other options too."""

_PANEL_OF = {option: panel for panel, options in _PANELS.items() for option in options}
_OTHERS = "Options"
_ALL = "fastapply.help_all"


def _shared(
    color: Annotated[
        Literal["auto", "always", "never"] | None,
        typer.Option(
            "--color",
            metavar="auto|always|never",
            callback=lambda value: value and choose_colour(value),
            is_eager=True,
            expose_value=False,
            help="Use colors. Default: auto, on terminals only.",
        ),
    ] = None,
    no_pager: Annotated[
        bool,
        typer.Option(
            "--no-pager",
            callback=lambda value: value and choose_pager(wanted=False),
            is_eager=True,
            expose_value=False,
            help="Do not use a pager.",
        ),
    ] = False,
) -> None:
    """Hold the options that every command has."""


def _show_all(ctx: typer.Context, value: bool) -> None:
    if value:
        ctx.meta[_ALL] = True
        say(ctx.get_help().rstrip("\n"))
        raise typer.Exit


def _help_all(
    help_all: Annotated[
        bool,
        typer.Option(
            "--help-all",
            callback=_show_all,
            is_eager=True,
            expose_value=False,
            help="Show all options and exit.",
        ),
    ] = False,
) -> None:
    """Hold the option that only commands with a short screen have."""


def shared_options(command: str | None) -> list[Any]:
    """The options that a command of this name has besides its own, made anew."""
    params: list[Any] = []
    for holder in (_shared, _help_all) if command in _MOST_USED else (_shared,):
        app = typer.Typer(add_completion=False)
        app.command()(holder)
        params += get_command(app).params
    return params


class _Screen:
    """The parts of a help screen that commands and groups share."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write the screen, in colours where they are wanted."""
        ctx.color = wants_colour(sys.stdout)
        super().format_help(ctx, formatter)  # type: ignore[misc]

    def get_short_help_str(self, limit: int = 0) -> str:  # noqa: ARG002 - nothing is cut
        """Give the first sentence whole, as completion shows it beside a name."""
        return _sentence(self.help)  # type: ignore[attr-defined]

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write arguments, options in their groups, and commands."""
        title = partial(painted, style="title", wanted=bool(ctx.color))
        arguments, panels = _rows(self.get_params(ctx), ctx)  # type: ignore[attr-defined]
        if arguments:
            with formatter.section(title("Arguments")):
                formatter.write_dl(arguments)
        for name, rows in panels.items():
            with formatter.section(title(name)):
                formatter.write_dl(rows)
        if isinstance(self, Group):
            groups = self.rows_of_commands(ctx)
            width = max(len(name) for rows in groups.values() for name, _ in rows)
            for name, rows in groups.items():
                with formatter.section(title(name)):
                    formatter.write_dl([(f"{command:<{width}}", said) for command, said in rows])


class Command(_Screen, TyperCommand):
    """A command whose help screen groups its options."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002
        """Name the arguments as the screen explains them: ``[OPTIONS] FILE [EDIT|-]``."""
        names = [one.human_readable_name for one in self.params if one.param_type_name == "argument"]
        return ["[OPTIONS]", *names]


class Group(_Screen, TyperGroup):
    """A group whose help screen shows its commands' first sentences whole."""

    def rows_of_commands(self, ctx: Any) -> dict[str, list[tuple[str, str]]]:  # noqa: ANN401
        """Its commands under their titles, each with its sentence."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        return {"Commands": [(name, _sentence(command.help)) for name, command in commands if command]}


def _rows(
    params: Iterable[Any],
    ctx: Any,  # noqa: ANN401
) -> tuple[list[tuple[str, str]], dict[str, list[tuple[str, str]]]]:
    """Rows of the arguments, and of the options by the title that they stand under."""
    found = [(param, param.get_help_record(ctx)) for param in params]
    arguments = [row for param, row in found if row and param.param_type_name == "argument"]
    options = [(param, row) for param, row in found if row and param.param_type_name == "option"]
    if ctx.command.name in _MOST_USED and _ALL not in ctx.meta:
        shown = {*_MOST_USED[ctx.command.name], "--help", "--help-all"}
        options = [(param, row) for param, row in options if shown & set(param.opts)]
    if len(options) < _LONG:
        return arguments, {_OTHERS: [row for _, row in options]}
    panels: dict[str, list[tuple[str, str]]] = {}
    for param, row in options:
        own = getattr(param, "rich_help_panel", None)
        titles = [own] if own else [_PANEL_OF[name] for name in param.opts if name in _PANEL_OF]
        panels.setdefault(titles[0] if titles else _OTHERS, []).append(row)
    order = [*list(_PANELS)[:-1], _OTHERS, list(_PANELS)[-1]]
    return arguments, {name: panels[name] for name in order if name in panels}


def _sentence(text: str | None) -> str:
    """The first paragraph of a help text, in one line."""
    return " ".join(inspect.cleandoc(text or "").partition("\n\n")[0].split())
