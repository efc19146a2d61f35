"""An edit whose markers seem to stay inside a block, and do not, is not written."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from fastapply.dataset.by_rule.alter import Manner
from fastapply.dataset.by_rule.change import make_change
from fastapply.dataset.by_rule.languages import language_of
from fastapply.dataset.by_rule.lookup import Run, runs_of
from fastapply.dataset.by_rule.render import render_lazy
from fastapply.dataset.by_rule.seeming import misleading, outer_lead
from fastapply.dataset.by_rule.write_edit import make_view

if TYPE_CHECKING:
    from fastapply.dataset.by_rule.lookup import View

GO = """package shop

func open(name string) error {
\tlog.Print("opening", name)
\tif name == "" {
\t\treturn errMissing
\t}
\treturn shelf.Open(name)
}

func count(name string) int {
\tlog.Print("counting", name)
\tif name == "" {
\t\treturn countAll(name)
\t}
\treturn shelf.Count(name)
}

func close(name string) error {
\tlog.Print("closing", name)
\treturn shelf.Close(name)
}
"""
PYTHON = """def first(item):
    value = load(item)
    check(value)
    store(value)
    return value


def second(item):
    value = read(item)
    check(value)
    return value


def third(item):
    return drop(item)
"""


def _view(path: str, text: str) -> View:
    language = language_of(path)
    assert language is not None
    lines = tuple(text.splitlines())
    changed = tuple(line.replace("counting", "counting all of") for line in lines)
    return make_view(lines, make_change(lines, changed), language)


@pytest.mark.parametrize(
    ("shown", "strays"),
    [
        ({2, 3, 12, 13}, [Run(12, 14)]),
        ({2, 3, 10, 11, 12, 13}, []),
        ({3, 12, 13}, []),
        ({3, 16, 17, 18}, [Run(16, 19)]),
        ({3, 8, 9, 10}, []),
        ({2, 3, 8, 9, 10}, []),
        ({2, 3, 16, 17, 18}, [Run(16, 19)]),
        ({2, 3, 18, 19}, []),
        ({3, 4, 14, 15}, [Run(14, 16)]),
        ({3, 4, 6, 7}, []),
    ],
    ids=[
        "lines of another function, seemingly in the one that is opened above",
        "lines of another function behind its own opening line",
        "lines of another function where no opening line is shown",
        "the closing line of another function behind lines of one",
        "the closing line of the function that the lines above are in",
        "the closing line of the function that is opened above",
        "the closing line of another function than the one that is opened above",
        "the next function",
        "the closing line of another `if` than the one that is opened above",
        "the closing line of the `if` that is opened above",
    ],
)
def test_a_run_that_seems_to_go_on_in_a_block_has_to(shown: set[int], strays: list[Run]) -> None:
    """What is shown behind a marker is inside the block that it seems to be in, or the run is found."""
    view = _view("shop.go", GO)
    assert misleading(view, frozenset(shown), runs_of(shown)) == strays


def test_a_line_between_an_opening_line_and_a_marker_does_not_end_the_block() -> None:
    """The nearest line of less indentation opens nothing, the one above it does."""
    view = _view(
        "shop.py", PYTHON.replace("    check(value)\n    return", "    if value:\n        return", 1)
    )
    shown = {0, 1, 9, 10}
    assert misleading(view, frozenset(shown), runs_of(shown)) == [Run(9, 11)]


@pytest.mark.parametrize(
    ("shown", "strays"),
    [
        ({0, 1, 13, 14}, [Run(13, 15)]),
        ({0, 1, 2, 3, 4, 13, 14}, []),
        ({1, 2, 13, 14}, []),
        ({0, 1, 4}, []),
    ],
    ids=[
        "the rest of a function and the next one",
        "the next function, behind all of the first",
        "the rest of a function whose opening line is not shown, and the next one",
        "lines inside the function",
    ],
)
def test_no_marker_stands_for_the_rest_of_a_block_that_no_line_closes_and_for_more(
    shown: set[int], strays: list[Run]
) -> None:
    """Indented it would be a gap inside the block; not indented it would say that the block has ended."""
    assert misleading(_view("shop.py", PYTHON), frozenset(shown), runs_of(shown)) == strays


@pytest.mark.parametrize(
    ("shown", "first", "end", "lead"),
    [
        ({2, 3, 18, 19}, 4, 18, ""),
        ({2, 3, 7, 8}, 4, 7, "\t"),
        ({3, 18, 19}, 4, 18, "\t"),
        ({2, 3}, 4, 22, "\t"),
    ],
    ids=[
        "a gap beyond the end of a function that is opened above",
        "a gap inside it",
        "a gap where no opening line is shown",
        "the last gap",
    ],
)
def test_a_marker_stands_no_deeper_than_what_it_stands_for(
    shown: set[int], first: int, end: int, lead: str
) -> None:
    """A marker deeper than an opening line above it would be a gap inside that block only."""
    assert outer_lead(_view("shop.go", GO), frozenset(shown), first, end, "\t") == lead


def test_an_edit_shows_that_a_gap_goes_on_behind_a_function() -> None:
    """In the written edit no marker is inside a block that it reaches beyond."""
    language = language_of("shop.go")
    assert language is not None
    view = _view("shop.go", GO)
    for seed in range(20):
        written = render_lazy(view, frozenset({2, 3, 18, 19}), language, Manner(), Random(seed))
        assert written is not None
        markers = [line for line in written.lines if line.strip() and line not in GO]
        assert len(markers) == 3
        assert not markers[1].startswith("\t")
