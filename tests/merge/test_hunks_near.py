"""Hunks that only resemble the file: what passes, and what tells that another version was meant."""

from __future__ import annotations

import pytest

from fastapply.merge.hunks import merge_hunks
from fastapply.text import from_text, splice
from fastapply.types import Hunk, HunkList, Segment

TEXT = """\
def load(path):
    # Reads the settings of a user.
    with open(path) as file:
        text = file.read()
        lines = text.splitlines()
    settings = parse(lines)
    check(settings, strict=True)
    settings.source = 'disk'
    return settings
"""
SHOWN = TEXT.splitlines()


def merge(before, after, text=TEXT, form="udiff"):
    """The merged text and the method, or the reasons of the questions."""
    source = from_text(text)
    hunk = Hunk(1, 1, (Segment(tuple(before), tuple(after)),))
    proposal = merge_hunks(source, HunkList(form, (hunk,)))
    if not proposal.certain:
        return tuple(question.reason for question in proposal.questions)
    return splice(source, proposal.splices).text, proposal.method


def replaced(lines, old, *new):
    """The lines with one of them replaced by others, or by none."""
    assert lines.count(old) == 1
    at = lines.index(old)
    return [*lines[:at], *new, *lines[at + 1 :]]


CHANGE = "    settings = parse(lines)", "    settings = parse(lines, path)"
EXPECTED = TEXT.replace(*CHANGE)

DRIFTS = {
    "a comment in other words": ("    # Reads the settings of a user.", "    # Reads a user's settings."),
    "one word of a context line": ("    return settings", "    return setting"),
    "a remark behind a line": ("    return settings", "    return settings  # what the user set, checked"),
    "another kind of quotes": ("    settings.source = 'disk'", '    settings.source = "disk"'),
    "a line passed over": ("    # Reads the settings of a user.",),
    "a last line that is not there": ("    return settings", "    return dict(all_of_it)"),
    "a blank line too much": ("    return settings", "", "    return settings"),
}


@pytest.mark.parametrize("drift", DRIFTS.values(), ids=DRIFTS)
def test_context_that_drifted_a_little_is_found(drift):
    """The changed line is the file's own and most of the context too."""
    before = replaced(SHOWN, *drift)
    assert merge(before, replaced(before, *CHANGE)) == (EXPECTED, "near")


REFUSED = {
    "the removed line": (CHANGE[0], "    settings = parse(text)"),
    "a number in the removed line": (CHANGE[0], "    settings = parse(lines, 2)"),
    "the line that opens the function": ("def load(path):", "def save(path):"),
    "the line that opens a block": ("    with open(path) as file:", "    with open(path, 'rb') as file:"),
    "a line in the middle": ("        lines = text.splitlines()", "        rows = list(csv.reader(file))"),
    "a line beside the change, passed over": ("    check(settings, strict=True)",),
}


@pytest.mark.parametrize("drift", REFUSED.values(), ids=REFUSED)
def test_drift_that_tells_another_version_is_refused(drift):
    """A line that carries meaning differs."""
    before = replaced(SHOWN, *drift)
    changed = drift[1] if drift[0] == CHANGE[0] else CHANGE[0]
    after = replaced(before, changed, CHANGE[1])
    assert merge(before, after) == ("not_found",)


def test_most_of_a_short_hunk_must_be_the_file_s():
    """One line of two is no majority."""
    before = ["        text = file.read()", "        lines = text.splitlines(True)"]
    assert merge(before, [*before, "        new = 1"]) == ("not_found",)


def test_twin_is_not_taken_where_the_true_place_has_changed():
    """The first function is as much alike, but for the line that is to be changed."""
    first = "def one(a):\n    b = a.first\n    c = step(b, 1)\n    d = c + b\n    return d\n"
    second = "def two(a):\n    b = a.firsts\n    c = step(b)\n    d = c + b\n    return d\n"
    before = ["    b = a.first", "    c = step(b)", "    d = c + b", "    return d"]
    after = ["    b = a.first", "    c = leap(b)", "    d = c + b", "    return d"]
    assert merge(before, after, second) == (second.replace("step", "leap"), "near")
    assert merge(before, after, first + second) == ("not_found",)


def test_two_places_that_are_alike_are_ambiguous():
    """Blank lines differ at both."""
    text = "alpha\n\nbeta\ngamma\nx\nalpha\n\nbeta\ngamma\n"
    assert merge(["alpha", "beta", "gamma"], ["alpha", "beta", "delta"], text) == ("ambiguous",)
