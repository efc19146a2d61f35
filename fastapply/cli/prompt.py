"""`fastapply prompt`: the text that teaches a coding model to write edits for fastapply."""

from __future__ import annotations


def command() -> int:
    """Print a prompt that teaches models to write edits for fastapply."""
    from fastapply.edits.prompt_text import prompt_text
    from fastapply.terminal.output import write_out

    write_out(prompt_text().encode())
    return 0
