"""The command line: options in, exit status out. One module a command, imported when it is called.

Exit statuses: 0 applied, or already applied, or would apply; 1 refused, file untouched; 2 usage;
4 file trouble; 5 model trouble; 70 a bug of ours; 130 interrupted.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {
    "apply": "Put an edit into a file.",
    "patch": "Put an edit that names its own files into them: all of them change, or none.",
    "prompt": "Print the text that teaches a coding model to write edits for fastapply.",
    "doctor": "Say what is installed, what works, and what to do about the rest.",
    "check-markers": "Fail on lines such as '# ... existing code ...' that were left in files.",
}


class Commands(TyperGroup):
    """The commands, each imported when it is asked for: start-up is part of the product."""

    def list_commands(self, ctx: object) -> list[str]:  # noqa: ARG002 - the signature is Click's
        """Names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: object, cmd_name: str) -> object:  # type: ignore[override]  # noqa: ARG002
        """Make the command of that name; None where there is none."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"fastapply.cli.{cmd_name.replace('-', '_')}")
        app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        app.command(cmd_name, help=COMMANDS[cmd_name], epilog=getattr(module, "EPILOG", None))(module.command)
        return typer.main.get_command(app)


app = typer.Typer(
    cls=Commands,
    help="Puts an edit that a coding model wrote into the file it is for: local, verified, never silently wrong.",
    epilog="Exit status: 0 applied, already applied or would apply; 1 refused; 2 usage; 4 file trouble; "
    "5 model trouble; 70 a bug; 130 interrupted.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(*, asked: bool) -> None:
    if asked:
        from fastapply import __version__

        typer.echo(f"fastapply {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(  # noqa: ARG001 - its callback ends the run
        False, "--version", is_eager=True, callback=lambda value: _version(asked=value), help="Print the version."
    ),
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        typer.main.get_command(app)(given, prog_name="fastapply")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output went away, which is no failure of ours
        sys.stdout = None
        return 0
    except Exception as error:  # noqa: BLE001 - everything else is a bug, and is reported as one
        from fastapply.cli.bug import report_bug

        return report_bug(error, json="--json" in given)
    return 0
