"""`fastapply config [show|path] [PLACE]`: which value each setting has, and where it comes from."""

from typing import Annotated, Any, Literal

import typer

from fastapply.config import Configuration, load
from fastapply.config.keys import Value
from fastapply.terminal.output import say, tell


def command(
    action: Annotated[
        Literal["show", "path"], typer.Argument(help="show: print settings; path: print file locations.")
    ] = "show",
    place: Annotated[
        str, typer.Argument(metavar="[PLACE]", help="The file or folder to read settings for.")
    ] = ".",
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> int:
    """Show settings and where they come from.

    Highest priority first: command-line option, environment variable FASTAPPLY_..., the project's
    fastapply.toml or [tool.fastapply] in pyproject.toml, the user's config.toml, the default.
    """
    found = load(place)
    for warning in found.warnings:
        tell(f"warning: {warning}")
    if json:
        from fastapply.terminal.output import show_json

        show_json(_object(found))
    elif action == "path":
        say(f"user     {found.user_file}" + ("" if found.user_file.exists() else "  (does not exist)"))
        say(f"project  {found.project_file or '(none)'}")
    else:
        for name, setting in found.settings.items():
            say(f"{name} = {_shown(_counts(setting.value))}  # {setting.where or setting.source}")
    return 0


def _object(found: Configuration) -> dict[str, Any]:
    from fastapply.jobs.objects import SCHEMA

    return {
        "schema": SCHEMA,
        "files": {
            "user": str(found.user_file),
            "project": str(found.project_file) if found.project_file else None,
        },
        "settings": {
            name: {"value": _counts(setting.value), "source": setting.source, "where": setting.where or None}
            for name, setting in found.settings.items()
        },
        "warnings": list(found.warnings),
    }


def _counts(value: Value) -> Value:
    """The value that counts: `min_certainty` has a fitted one where none is set."""
    if value is not None:
        return value
    from fastapply.config.read import fitted_certainty

    return fitted_certainty()


def _shown(value: Value) -> str:
    """A value as TOML has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return str(value) if isinstance(value, int | float) else f'"{value}"'
