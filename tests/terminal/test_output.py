"""What goes to standard error while a step runs."""

from __future__ import annotations

import time

import pytest

from fastapply.terminal import output


@pytest.mark.parametrize(
    ("terminal", "seconds", "said"),
    [(True, 0.01, "still merging\n"), (True, 60.0, ""), (False, 0.01, "")],
    ids=["slow", "fast", "no terminal"],
)
def test_a_terminal_is_told_of_a_step_that_takes_long(monkeypatch, capsys, terminal, seconds, said):
    """Once; a program that reads standard error is not."""
    monkeypatch.setattr(output, "is_terminal", lambda _: terminal)
    with output.telling_late("still merging", seconds):
        time.sleep(0.3)
    assert capsys.readouterr().err == said
