"""What is drawn while somebody waits."""

from __future__ import annotations

import io

from rich.console import Console

from fastapply.models.engine import Progress
from fastapply.terminal.view import rows_of, show_answer
from fastapply.text import from_text
from fastapply.text.diff import Sides


def test_waiting_for_a_model_shows_what_it_does():
    """It loads and reads for as long as that takes, and then writes; at the end nothing of it is left."""
    drawn = io.StringIO()
    show = show_answer(Console(file=drawn, force_terminal=True, width=100))
    for stage in ("loading", "reading"):
        show(Progress(0, 0, 400, stage, "Where does `get` go?"))
        assert f"model {stage}: Where does `get` go?" in drawn.getvalue()
    show(Progress(100, 30, 400))
    show(Progress(200, 60, 400))
    show(None)
    told = drawn.getvalue()
    assert "model writing" in told
    assert "50 %" in told
    assert told.endswith("\x1b[2K")


def test_changed_words_of_a_diff_are_marked_and_its_signs_coloured(monkeypatch):
    """The rest of a changed line has the colour of its side alone, and is not bold."""
    monkeypatch.delenv("COLORFGBG", raising=False)
    change = Sides("a.txt", from_text("keep\ntotal one\n"), from_text("keep\ntotal two\nmore\n"))
    rows = rows_of(change)[-3:]
    assert [row.plain for row in rows] == ["-total one", "+total two", "+more"]
    shown = [[(span.start, span.end, str(span.style)) for span in row.spans] for row in rows]
    assert (7, 10, "bold on #86242b") in shown[0]
    assert (7, 10, "bold on #1f6b32") in shown[1]
    assert [style for row in shown for _, _, style in row if style.startswith("bold on")] == [
        "bold on #86242b",
        "bold on #1f6b32",
    ]
    assert [row[0] for row in shown] == [
        (0, 10, "#e4e4e4 on #3f1518"),
        (0, 10, "#e4e4e4 on #12341c"),
        (0, 5, "#e4e4e4 on #12341c"),
    ]
    assert [next(style for first, last, style in row if (first, last) == (0, 1)) for row in shown] == [
        "bold red",
        "bold green",
        "bold green",
    ]


def test_diff_on_a_light_terminal_has_light_colours(monkeypatch):
    """Where the terminal says so."""
    change = Sides("a.txt", from_text("one\n"), from_text("two\n"))
    monkeypatch.setenv("COLORFGBG", "0;15")
    assert str(rows_of(change)[-1].spans[0].style) == "#1f2328 on #dafbe1"
    monkeypatch.setenv("COLORFGBG", "15;0")
    assert str(rows_of(change)[-1].spans[0].style) == "#e4e4e4 on #12341c"
