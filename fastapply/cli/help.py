"""`fastapply help [TOPIC]`: what there is to read, which ships with the program as Markdown."""

import re
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer

import fastapply
from fastapply.errors import UsageError
from fastapply.terminal.colours import is_terminal, wants_colour
from fastapply.terminal.output import say, say_row
from fastapply.values import dataclass

_ORDER = (
    "formats",
    "refusals",
    "json",
    "batch",
    "undo",
    "git",
    "configuration",
    "servers",
    "models",
    "speed",
    "training",
    "evaluation",
)
"""How topics are listed; others stand behind these."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A text to read: its name, the sentence below its title, and where it lies."""

    name: str
    said: str
    file: Path


def command(
    topic: Annotated[
        str | None, typer.Argument(metavar="[TOPIC]", help="A topic or a command. Default: list all topics.")
    ] = None,
) -> int:
    """Show a help topic, or list all topics.

    For the options of a command, run "fastapply COMMAND --help".
    """
    if topic is None:
        return _list()
    found = {one.name: one for one in topics()}
    if topic in found:
        return _show(found[topic])
    from fastapply.cli.commands import SENTENCES, make_group

    if topic in SENTENCES:
        make_group().main([topic, "--help"], prog_name="fastapply", standalone_mode=False)
        return 0
    near = get_close_matches(topic, [*found, *SENTENCES], n=1)
    raise UsageError(
        f"unknown topic {topic!r}",
        hint=f"did you mean {near[0]!r}?" if near else "run fastapply help for a list of topics",
    )


def topics() -> list[Topic]:
    """All topics, in the order of the list."""
    files = {file.stem: file for file in (Path(fastapply.__file__).parent / "help").glob("*.md")}
    known = [name for name in _ORDER if name in files]
    names = [*known, *sorted(files.keys() - set(known))]
    return [Topic(name, _sentence(files[name]), files[name]) for name in names]


def _sentence(file: Path) -> str:
    """The first sentence below the title, in one line."""
    text = " ".join(file.read_text(encoding="utf-8").partition("\n")[2].split())
    return re.split(r"(?<=[.?]) ", text, maxsplit=1)[0].replace("`", "")


def _list() -> int:
    found = topics()
    width = max(len(topic.name) for topic in found)
    say("Topics, shown by fastapply help TOPIC:\n")
    for topic in found:
        say_row(f"  {topic.name:<{width}}  {topic.said}", hang=width + 4, style="name")
    say("\nFor commands, run fastapply --help. For options, run fastapply COMMAND --help.")
    return 0


def _show(topic: Topic) -> int:
    from fastapply.terminal.pager import show_text, text_pager

    text = topic.file.read_text(encoding="utf-8")
    if is_terminal(sys.stdout) or wants_colour(sys.stdout):
        from fastapply.terminal.view import render_markdown

        # another topic is called by its name; where its file lies helps nobody here
        text = re.sub(r"\[([\w-]+)\]\(\1\.md\)", r"`\1`", text)
        text = render_markdown(text, colour=wants_colour(sys.stdout))
    show_text(text, text_pager())
    return 0
