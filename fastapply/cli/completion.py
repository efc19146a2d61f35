"""`fastapply completion SHELL`: the script that has a shell complete, and the answers that it asks for.

The scripts of bash, zsh and fish call ``fastapply`` with ``_FASTAPPLY_COMPLETE=words`` and the words of the
command line up to the cursor as arguments. The answer is a line that says what may stand there (``words``,
``files``, ``folders``, ``nothing``), and then a word a line with a tab and its description:

    words
    --dry-run	Show the diff without writing.

They lie in the folder ``completions`` of a checkout. PowerShell's script is Typer's own, and asks Typer.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

VARIABLE = "_FASTAPPLY_COMPLETE"
WORDS = "words"

Shell = Literal["bash", "zsh", "fish", "powershell"]
Words = list[tuple[str, str]]  # each with what is said of it

_KINDS = {"DIR": "folders", "RUN": "folders"} | dict.fromkeys(
    ("N", "TEXT", "LINES", "SECONDS", "TOKENS", "URL", "0..1", "NAME", "COMMAND", "MIB", "SPDX"), "nothing"
)
"""What may stand where a metavar does; files elsewhere."""

_FILES = {"bash": "fastapply.bash", "zsh": "_fastapply", "fish": "fastapply.fish"}


def command(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh, fish or powershell.")],
) -> int:
    """Print a shell completion script.

    bash: add "source <(fastapply completion bash)" to ~/.bashrc.
    zsh: save the script as _fastapply in a folder of $fpath.
    fish: save the script as ~/.config/fish/completions/fastapply.fish.
    powershell: append the script to $PROFILE.
    """
    from fastapply.terminal.output import write_out

    write_out(script(shell).encode())
    return 0


def script(shell: Shell) -> str:
    """The completion script of a shell."""
    if shell != "powershell":
        package = Path(__file__).parents[1]
        inside = package / "completions"  # of an installed package; in a checkout they are beside it
        folder = inside if inside.exists() else package.parent / "completions"
        return (folder / _FILES[shell]).read_text(encoding="utf-8")
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    text = get_completion_script(prog_name="fastapply", complete_var=VARIABLE, shell=shell)
    return str(text).strip() + "\n"


def answer(words: Sequence[str]) -> int:
    """Print what may stand where the last of these words is being typed."""
    from fastapply.terminal.output import say

    kind, found = suggestions(words)
    say("\n".join([kind, *(f"{word}\t{' '.join(said.split())}" for word, said in found)]))
    return 0


def suggestions(words: Sequence[str]) -> tuple[str, Words]:
    """What may stand at the last word: ``words`` and which, ``files``, ``folders`` or ``nothing``."""
    *before, typed = [word for word in words if word != "="] or [""]  # bash makes a word of "="
    if words and words[-1] == "=":
        before, typed = [*before, typed], ""
    option, equals, value = typed.partition("=") if typed.startswith("--") else ("", "", typed)
    parameter, found = _known(before, typed)
    if not found:
        wanted = _values_of(parameter)
        if isinstance(wanted, str):
            return wanted, []
        found = [(word, said) for word, said in wanted if word.startswith(value)]
    return WORDS, [(f"{option}{equals}{word}" if equals else word, said) for word, said in found]


def _known(before: Sequence[str], typed: str) -> tuple[Any, Words]:
    """What Click finds: the command or the parameter that the word belongs to, and what it suggests."""
    from typer._completion_classes import BashComplete

    from fastapply.cli.commands import SENTENCES, Commands, make_group

    group = make_group()
    inside: Any = inspect.getmodule(BashComplete.__mro__[1])  # Click, from wherever Typer takes it
    context = inside._resolve_context(group, {}, "fastapply", list(before))  # noqa: SLF001
    place, typed = inside._resolve_incomplete(context, list(before), typed)  # noqa: SLF001
    if isinstance(place, Commands) and not typed.startswith("-"):
        return place, [pair for pair in SENTENCES.items() if pair[0].startswith(typed)]
    found = place.shell_complete(context, typed)
    return place, [(item.value, item.help or "") for item in found if item.type == "plain"]


def _values_of(parameter: Any) -> Iterable[tuple[str, str]] | str:  # noqa: ANN401
    """What a parameter takes, by its metavar: words, or the name of their kind."""
    if getattr(parameter, "param_type_name", "") not in {"option", "argument"}:
        return ()
    shown = str(parameter.metavar or "").strip("[]")
    if shown == "CODE":
        from fastapply.verify import CODES

        return [(code, "") for code in CODES]
    if shown == "TOPIC":
        from fastapply.cli.help import topics

        return [(topic.name, topic.said) for topic in topics()]
    if shown == "STYLE":
        from fastapply.models.prompts import STYLES

        return [(style, "") for style in STYLES]
    if shown == "NAME|PATH":
        from fastapply.models.store import entries

        return [(entry.name, entry.title) for entry in entries()]
    if shown == "auto|always|never":
        return [(word, "") for word in shown.split("|")]
    if hasattr(parameter.type, "choices"):
        return ()
    return _KINDS.get(shown, "files" if isinstance(parameter.type.name, str) else "nothing")


def answer_typer() -> None:
    """Let Typer answer, in PowerShell."""
    from typer.completion import completion_init  # type: ignore[attr-defined]

    completion_init()
