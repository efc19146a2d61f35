"""A file with five functions, an edit of each, and how a review of them is answered."""

from __future__ import annotations

import pexpect

NAMES = ("one", "two", "three", "four", "five")
BEFORE = "import os\n\n\n" + "\n\n".join(
    f'def {name}():\n    """Say {name}."""\n    first = 1\n    second = 2\n    third = 3\n'
    "    return first + second\n"
    for name in NAMES
)


def wanted(*names: str) -> str:
    """The file with the functions of these names changed as the edit has it."""
    text = BEFORE
    for name in names:
        text = text.replace(f'"""Say {name}."""', f'"""Say {name}, loudly."""')
    return text


EDIT = "".join(
    f'<<<<<<< SEARCH\n    """Say {name}."""\n=======\n    """Say {name}, loudly."""\n>>>>>>> REPLACE\n'
    for name in NAMES
)


def answer(child, *answers: str) -> None:
    """Answer the questions, one after the other."""
    for one in answers:
        child.expect(r"\]\? ")
        child.sendline(one)


def end(child) -> tuple[int, str]:
    """Wait for the end; the exit status, and what was said since the last answer."""
    child.expect(pexpect.EOF)
    child.close()
    return child.exitstatus, child.before.replace("\r\n", "\n")
