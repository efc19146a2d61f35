"""Edits that must be refused, made of ones that are right: the answer is that the model cannot tell.

=========== =======================================================================
style       what is wrong with the edit
=========== =======================================================================
other-file  it is for another file: nothing that it shows stands in this one
cut         it ends in the middle of a word, in the middle of what it adds
twice       what it shows stands twice in the file, and either place could be meant
=========== =======================================================================
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fastapply.dataset.windows import joined

if TYPE_CHECKING:
    from random import Random

    from fastapply.dataset.windows import Window

_TELLING = 8  # characters of a line, without white space, that say something


def make_negative(window: Window, other: Window | None, rng: Random) -> Window | None:
    """A window that must be refused, made of one that need not, and of another of its language.

    None where the way that chance chose does not work out.
    """
    way = rng.choice(("other-file", "cut", "twice"))
    if way == "other-file":
        made = _of_other_file(window, other)
    elif way == "cut":
        made = _cut(window, rng)
    else:
        made = _twice(window, rng)
    return made and replace(made, id=f"{window.id}-{way}", style=way, merged=None)


def _of_other_file(window: Window, other: Window | None) -> Window | None:
    if other is None or other.path == window.path or other.language != window.language:
        return None
    if _telling(other.edit) & _telling(window.original):
        return None
    return replace(window, edit=other.edit, format=other.format)


def _cut(window: Window, rng: Random) -> Window | None:
    """The edit of a snippet up to the middle of a new line that is followed by more."""
    lines = window.edit.splitlines()
    known = {line.strip() for line in window.original.splitlines()}
    spots = [
        at
        for at, line in enumerate(lines[:-2])
        if line.strip() not in known and len(line.strip()) >= 2 * _TELLING and "..." not in line
    ]
    if not spots or window.format != "lazy":
        return None
    at = rng.choice(spots)
    line = lines[at]
    lead = len(line) - len(line.lstrip())
    end = rng.randrange(lead + _TELLING // 2, len(line) - _TELLING // 2)
    if not (line[end - 1].isalnum() and line[end].isalnum()):
        return None
    if line.strip() not in {one.strip() for one in (window.merged or "").splitlines()}:
        return None  # a marker in words, or a line of the file that is not shown
    return replace(window, edit=joined([*lines[:at], line[:end]]))


def _twice(window: Window, rng: Random) -> Window | None:
    """A SEARCH block of lines that stand twice in what is shown."""
    lines = window.original.splitlines()
    count = rng.choice((1, 1, 2, 3))
    places: dict[tuple[str, ...], list[int]] = {}
    for at in range(len(lines) - count + 1):
        run = tuple(lines[at : at + count])
        if all(len("".join(line.split())) >= _TELLING for line in run):
            places.setdefault(run, []).append(at)
    repeated = [run for run, found in places.items() if len(found) > 1]
    new = [line for line in (window.merged or "").splitlines() if line not in set(lines)]
    if not repeated or not new:
        return None
    run = rng.choice(repeated)
    after = [*run, rng.choice(new)] if rng.random() < 0.5 else [*run[:-1], rng.choice(new)]
    text = f"<<<<<<< SEARCH\n{joined(run)}=======\n{joined(after)}>>>>>>> REPLACE\n"
    return replace(window, edit=text, format="search_replace")


def _telling(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if len("".join(line.split())) >= _TELLING}
