"""What is drawn while somebody waits."""

from __future__ import annotations

import io

from rich.console import Console

from fastapply.llm.engine import Progress
from fastapply.view import show_answer


def test_waiting_for_a_model_shows_what_it_does():
    """It loads and reads for as long as that takes, and then writes; at the end nothing of it is left."""
    drawn = io.StringIO()
    show = show_answer(Console(file=drawn, force_terminal=True, width=100))
    for stage in ("loading", "reading"):
        show(Progress(0, 0, 400, stage))
        assert f"model {stage}" in drawn.getvalue()
    show(Progress(100, 30, 400))
    show(Progress(200, 60, 400))
    show(None)
    told = drawn.getvalue()
    assert "model writing" in told
    assert "50 %" in told
    assert told.endswith("\x1b[2K")
