"""Edits that must be refused: whether each is really undecidable, or for another file."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from fastapply import apply_edit
from fastapply.dataset.by_rule.edits import make_edits
from fastapply.dataset.negatives import make_negative
from fastapply.dataset.windows import Window, make_window

STYLES = ("other-file", "cut", "twice")


@pytest.fixture(scope="module")
def made(repos):
    """Windows, each with the negatives that were made of it."""
    out = []
    windows = [
        window
        for seed, edit in enumerate(make_edits(list(repos.values()), count=120, seed=5))
        if (window := make_window(edit, "MIT", random.Random(seed))) is not None
    ]
    for at, window in enumerate(windows):
        for seed in range(8):
            negative = make_negative(window, windows[at - 1], random.Random(f"{at}:{seed}"))
            if negative is not None:
                out.append((window, windows[at - 1], negative))
    return out


def of_style(made, style):
    """Those of one kind."""
    found = [one for one in made if one[2].style == style]
    assert len(found) >= 5
    return found


def telling(text):
    """Lines that say something, without their white space at both ends."""
    return {line.strip() for line in text.splitlines() if len("".join(line.split())) >= 8}


def test_negatives_have_no_answer_and_tell_of_what_they_are_made(made):
    """`merged` is null, the style says what is wrong, the file and its source are those of the window."""
    assert set(Counter(negative.style for _, _, negative in made)) == set(STYLES)
    for window, _, negative in made:
        assert negative == replace(
            window,
            id=f"{window.id}-{negative.style}",
            style=negative.style,
            merged=None,
            edit=negative.edit,
            format=negative.format,
        )
        assert negative.edit != window.edit


def test_edit_for_another_file_shows_no_telling_line_of_this_one(made):
    """It is the other window's edit as it is, of another path in the same language."""
    for window, other, negative in of_style(made, "other-file"):
        assert (negative.edit, negative.format) == (other.edit, other.format)
        assert other.path != window.path
        assert not telling(negative.edit) & telling(window.original)


def test_edit_that_is_cut_ends_within_a_new_line(made):
    """What it has is the beginning of the whole edit; the rest of its last line is missing."""
    for window, _, negative in of_style(made, "cut"):
        whole, lines = window.edit.splitlines(), negative.edit.splitlines()
        last = whole[len(lines) - 1]
        assert lines[:-1] == whole[: len(lines) - 1]
        assert last.startswith(lines[-1])
        assert last != lines[-1]
        assert (last[len(lines[-1]) - 1] + last[len(lines[-1])]).isalnum()
        assert last.strip() not in {line.strip() for line in window.original.splitlines()}
        assert last.strip() in {line.strip() for line in window.merged.splitlines()}


def test_search_of_lines_that_stand_twice_fits_in_several_places(made):
    """The search stands at least twice in what is shown, and fastapply itself refuses it."""
    for window, _, negative in of_style(made, "twice"):
        search = negative.edit.partition("<<<<<<< SEARCH\n")[2].partition("=======\n")[0].splitlines()
        lines = window.original.splitlines()
        places = [at for at in range(len(lines)) if lines[at : at + len(search)] == search]
        assert len(places) >= 2
        assert apply_edit(window.original, negative.edit, path=window.path).status == "refused"


def window(original, edit, merged, **more):
    """A window as it is made of a commit."""
    values = {"format": "lazy", "path": "a.py", "language": "python", **more}
    names = ("id", "repo", "commit", "licence", "style")
    return Window(**dict.fromkeys(names, "x"), **values, original=original, edit=edit, merged=merged)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (window("first_line = 1\n", "# ...\nfirst_line = 2\n", "first_line = 2\n"), None),
        (
            window("first_line = 1\n", "x\n", "x\n"),
            window("second_line\n", "first_line = 1\nx\n", "x\n", path="b.py"),
        ),
        (
            window("first_line = 1\n", "x\n", "x\n"),
            window("second_line\n", "x\n", "x\n", path="b.go", language="go"),
        ),
        (
            window("a_line_of_it = 1\n", "// the rest is unchanged\na = 1\na = 2\na = 3\n", "a = 1\n"),
            window("second_line\n", "second_line_new\n", "x\n"),
        ),
    ],
    ids=[
        "nothing before it",
        "the edit shows a line of this file",
        "another language",
        "only a marker to cut",
    ],
)
def test_negative_that_could_be_right_is_not_made(one, other):
    """Whichever way chance chooses."""
    assert {make_negative(one, other, random.Random(seed)) for seed in range(60)} == {None}
