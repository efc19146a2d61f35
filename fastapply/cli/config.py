"""`fastapply config [show|path] [PLACE]`: which value each setting has, and where it comes from."""

from typing import Annotated, Any, Literal

import typer

from fastapply.cli import options as opt
from fastapply.config import Configuration, load
from fastapply.config.keys import Value
from fastapply.config.read import that_counts
from fastapply.jobs.objects import SCHEMA
from fastapply.terminal.output import say, show_json, tell


def command(
    action: Annotated[
        Literal["show", "path"], typer.Argument(help="show: print settings; path: print file locations.")
    ] = "show",
    place: Annotated[
        str, typer.Argument(metavar="[PLACE]", help="The file or folder to read settings for.")
    ] = ".",
    json: opt.AsJson = False,
) -> int:
    """Show settings and where they come from.

    Highest priority first: command-line option, environment variable FASTAPPLY_..., the project's
    fastapply.toml or [tool.fastapply] in pyproject.toml, the user's config.toml, the default.
    """
    found = load(place)
    for warning in found.warnings:
        tell(f"warning: {warning}")
    if json:
        show_json(_object(found))
    elif action == "path":
        say(f"user     {found.user_file}" + ("" if found.user_file.exists() else "  (does not exist)"))
        say(f"project  {found.project_file or '(none)'}")
    else:
        for name, setting in found.settings.items():
            say(f"{name} = {_shown(that_counts(setting.value))}  # {setting.where or setting.source}")
    return 0


def _object(found: Configuration) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "files": {
            "user": str(found.user_file),
            "project": str(found.project_file) if found.project_file else None,
        },
        "settings": {
            name: {
                "value": that_counts(setting.value),
                "source": setting.source,
                "where": setting.where or None,
            }
            for name, setting in found.settings.items()
        },
        "warnings": list(found.warnings),
    }


def _shown(value: Value) -> str:
    """A value as TOML has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return str(value) if isinstance(value, int | float) else f'"{value}"'
