"""`fastapply prompt`: the text that teaches a coding model to write edits for fastapply."""

from __future__ import annotations

import sys
from importlib import resources


def read_prompt() -> str:
    """The text, which stands in `prompt.md` beside this module."""
    return resources.files("fastapply.cli").joinpath("prompt.md").read_text(encoding="utf-8")


def command() -> None:
    """Run the command."""
    sys.stdout.write(read_prompt())
