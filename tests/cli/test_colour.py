"""Colours: when they are shown, and what of a message they mark."""

from __future__ import annotations

import io
import re
import sys

import pytest

from fastapply.terminal.colours import choose_colour, wants_colour
from fastapply.terminal.layout import lay_out

LAZY = "def f():\n    return 2\n"
VARIABLES = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "COLUMNS")
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


class Terminal(io.StringIO):
    """A stream that somebody looks at."""

    def isatty(self):
        """Say so."""
        return True


@pytest.fixture(autouse=True)
def _no_wishes(monkeypatch):
    """Leave colours to the test."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    choose_colour("auto")


@pytest.mark.parametrize(
    ("variables", "terminal", "file"),
    [
        ({}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "0"}, False, False),
        ({"CLICOLOR_FORCE": "1"}, True, True),
        ({"CLICOLOR_FORCE": "0"}, True, False),
        ({"CLICOLOR": "0"}, False, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, False),
    ],
)
def test_variables_decide_about_colours(monkeypatch, variables, terminal, file):
    """As no-color.org, force-color.org and bixense.com/clicolors have them."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert (wants_colour(Terminal()), wants_colour(io.StringIO())) == (terminal, file)


@pytest.mark.parametrize("place", ["before", "behind"])
@pytest.mark.parametrize(("choice", "shown"), [("always", True), ("never", False), ("auto", False)])
def test_option_decides_before_every_variable(  # noqa: PLR0917 - pytest names them
    fastapply, folder, monkeypatch, place, choice, shown
):
    """Before the command or among its options."""
    (folder / "a.py").write_text("def f():\n    return 1\n", encoding="utf-8")
    monkeypatch.setenv("FORCE_COLOR", "1" if choice == "never" else "0")
    wish = ["--color", choice]
    words = [*wish, "apply", "-n", "a.py"] if place == "before" else ["apply", "-n", *wish, "a.py"]
    run = fastapply(*words, edit=LAZY)
    assert run.status == 0
    assert (b"\x1b[" in run.out, "\x1b[" in run.err) == (shown, shown)


def test_wish_of_one_run_is_not_that_of_the_next(fastapply, folder):
    """A library user calls `main` more than once."""
    (folder / "a.py").write_text("def f():\n    return 1\n", encoding="utf-8")
    assert b"\x1b[" in fastapply("apply", "-n", "--color", "always", "a.py", edit=LAZY).out
    assert b"\x1b[" not in fastapply("apply", "-n", "a.py", edit=LAZY).out


def test_unknown_choice_of_colours_is_a_usage_error(fastapply):
    """The three that there are stand in the message."""
    run = fastapply("log", "--color", "sometimes")
    assert run.status == 2
    assert all(word in run.err for word in ("auto", "always", "never"))


def test_refusal_marks_file_outcome_code_numbers_and_hints(fastapply, folder):
    """And its words are those that a log gets."""
    (folder / "a.py").write_text("x = 1\ny = 1\nx = 1\n", encoding="utf-8")
    edit = "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n"
    fastapply("apply", "a.py", edit=edit)  # what is told once is told here
    plain = fastapply("apply", "a.py", edit=edit)
    coloured = fastapply("apply", "--color", "always", "a.py", edit=edit)
    assert (plain.status, coloured.status) == (1, 1)
    assert ESCAPE.sub("", coloured.err) == plain.err
    assert coloured.err.startswith("\x1b[1ma.py\x1b[0m: \x1b[1;31mrefused\x1b[0m: ")
    assert "\x1b[2m[ambiguous]\x1b[0m\n" in coloured.err
    assert "  \x1b[1m1: \x1b[0mline 1" in coloured.err
    assert "\n\x1b[36mhint: \x1b[0m" in coloured.err


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("a.py: applied (+3 -1)", "<1>a.py<0>: <32>applied<0> (<32>+3<0> <31>-1<0>)"),
        ("a.py: would apply (+3 -1)", "<1>a.py<0>: <33>would apply<0> (<32>+3<0> <31>-1<0>)"),
        (
            "refused: there is no write [nothing_to_undo]",
            "<1;31>refused: <0>there is no write <2>[nothing_to_undo]<0>",
        ),
        ("warning: no such key", "<33>warning: <0>no such key"),
        ("fastapply: no file [usage]", "<1;31>fastapply: <0>no file <2>[usage]<0>"),
        ("see the file a.py: it is new", "see the file a.py: it is new"),
        ("3 edits: 2 applied, 1 refused", "3 edits: 2 applied, 1 refused"),
    ],
)
def test_line_is_coloured_where_it_counts(line, shown):
    """And nowhere else."""
    coloured = lay_out(line, None, colour=True)
    assert re.sub(r"\x1b\[([0-9;]*)m", r"<\1>", coloured) == shown


@pytest.mark.parametrize("width", range(12, 90, 7))
def test_lines_are_broken_between_words(width):
    """Each word stays whole, in its order; rows are no longer than the terminal where words allow."""
    text = "cart.ts: refused: hunk 1 (line 2): 'return;' fits twice [ambiguous]\nhint: do it\n  1: lines 3-4"
    rows = lay_out(text, width, colour=False).split("\n")
    assert " ".join(" ".join(rows).split()) == " ".join(text.split())
    assert [row for row in rows if len(row) > width and " " in row.strip()] == []


def test_rows_of_a_broken_line_stand_behind_its_label():
    """A hint's second row below its first word."""
    shown = lay_out("hint: add lines of context that stand only there", 24, colour=False)
    assert shown == "hint: add lines of\n      context that stand\n      only there"


def test_row_of_a_list_is_broken_between_words_and_hangs(monkeypatch):
    """Its first word has the style, its further rows stand below its text."""
    from fastapply.terminal import output

    said: list[str] = []
    monkeypatch.setattr(output, "say", said.append)
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("COLUMNS", "24")
    output.say_row("ok   git   one of the newest versions", hang=11, style="good")
    assert said == ["\x1b[32mok\x1b[0m   git   one of the\n           newest\n           versions"]
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    output.say_row("ok   git   one of the newest versions", hang=11, style="good")
    assert said[1] == "ok   git   one of the newest versions"


def test_message_on_a_terminal_is_as_wide_as_that(monkeypatch):
    """COLUMNS counts, as it does for every program."""
    from fastapply.terminal.output import tell

    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("NO_COLOR", "1")
    tell("a.py: refused: there is nothing here that could be said in one row")
    assert max(map(len, stream.getvalue().splitlines())) <= 30
    assert "\x1b" not in stream.getvalue()


def test_escape_sequence_of_a_file_is_not_sent_to_the_terminal(fastapply, folder):
    """Colours are ours alone."""
    (folder / "a.py").write_text("x = '\x1b[31m'\nx = '\x1b[31m'\n", encoding="utf-8")
    edit = "<<<<<<< SEARCH\nx = '\x1b[31m'\n=======\nx = 2\n>>>>>>> REPLACE\n"
    run = fastapply("apply", "--color", "always", "a.py", edit=edit)
    assert run.status == 1
    assert "\x1b[31m" not in run.err
