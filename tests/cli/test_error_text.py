"""What a refusal says on the terminal, line by line."""

from __future__ import annotations

from fastapply.errors import Refused
from fastapply.jobs.texts import error_text
from fastapply.types import Question


def test_lines_to_search_for_are_printed_as_they_stand_in_the_file():
    """Blank lines and equal ones included, so that a block made of them is found."""
    hint = "send a block; the lines:\n    }\n\n    }\nvoid f() {"
    questions = (Question("uncertain", "may mean this or that", hint=hint),)
    error = Refused("may mean this or that", reason="uncertain", hint=hint, questions=questions)
    assert error_text(error, "a.c").splitlines() == [
        "a.c: refused: may mean this or that [uncertain]",
        "hint: send a block; the lines:",
        "hint:     }",
        "hint:",
        "hint:     }",
        "hint: void f() {",
    ]


def test_hints_of_several_questions_are_each_said_once():
    """The first one is that of the error itself."""
    questions = tuple(Question("ambiguous", f"place {n}", hint="add context lines") for n in (1, 2))
    error = Refused("place 1", reason="ambiguous", hint="add context lines", questions=questions)
    assert error_text(error).count("hint: add context lines") == 1
