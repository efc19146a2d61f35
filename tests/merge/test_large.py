"""A very large file: an edit is merged in the pieces that it shows, with the same result as in all of it."""

from __future__ import annotations

import pytest

from fastapply.merge import large
from fastapply.merge.fill import ScriptLine
from fastapply.merge.gap import changed, keep
from fastapply.merge.lazy import merge_snippet
from fastapply.text import from_text, splice
from fastapply.types import Snippet


def function(number):
    """One of many functions."""
    return (
        f"def function_{number}(value):\n    total = value + {number}\n    if total > 9:\n"
        f"        log(total)\n    return total\n\n\n"
    )


FILE = "import json\n\n\n" + "".join(function(number) for number in range(4000))


def edit_of(number, more=""):
    """A change of one function."""
    return (
        f"{more}# ... existing code ...\n\n\ndef function_{number}(value):\n    total = value * {number}\n"
        "    # ... existing code ...\n\n\n# ... existing code ...\n"
    )


def merged(edit, file=FILE, **options):
    """The text that an edit makes of the file, whether it is certain, and the sizes of what was merged."""
    source = from_text(file)
    proposal = merge_snippet(source, Snippet(tuple(edit.splitlines()), 1), language="python", **options)
    return proposal.certain, splice(source, proposal.splices).text


@pytest.fixture
def sizes(monkeypatch):
    """Lines of the texts that are looked at."""
    seen = []
    real = large.merge_in_pieces

    def spy(source, snippet, language, merge):
        def count(part):
            seen.append(len(part.lines))
            return merge(part)

        return real(source, snippet, language, count)

    monkeypatch.setattr("fastapply.merge.lazy.merge_in_pieces", spy)
    return seen


@pytest.mark.parametrize("number", [0, 5, 2345, 3999])
def test_a_change_far_down_takes_the_piece_around_it(sizes, number):
    """At the top, in the middle, at the end; lines are those of the whole file."""
    certain, text = merged(edit_of(number))
    assert certain
    assert text == FILE.replace(f"total = value + {number}\n", f"total = value * {number}\n")
    assert sizes
    assert max(sizes) < 2000


def test_changes_at_two_places_take_two_pieces(sizes):
    """An import at the top and a function far below."""
    certain, text = merged(edit_of(3000, "import json\nimport os\n\n\n"))
    assert certain
    assert text == FILE.replace("value + 3000\n", "value * 3000\n").replace("json\n", "json\nimport os\n")
    assert max(sizes) < 2000


@pytest.mark.parametrize(
    ("file", "edit"),
    [
        (FILE + function(2345), edit_of(2345)),
        (FILE, "# ... existing code ...\n    total = value\n    return total\n# ... existing code ...\n"),
        (FILE, edit_of(3000, "def function_3500(value):\n# ... existing code ...\n")),
        (
            FILE.replace("log(total)", "log(total + 1)", 1),
            edit_of(2345).replace("    # ", "        log(total + 1)\n    # "),
        ),
    ],
    ids=["twice in the file", "no line that is alone", "not in order", "a line that is elsewhere"],
)  # fmt: skip
def test_the_whole_file_is_looked_at_where_pieces_do_not_settle_it(file, edit):
    """No line says where a run belongs, or a line of it is somewhere else."""
    source = from_text(file)
    snippet = Snippet(tuple(edit.splitlines()), 1)
    assert large.merge_in_pieces(source, snippet, "python", lambda _: pytest.fail("merged")) is None


@pytest.mark.parametrize("used", [False, True], ids=["used nowhere", "used elsewhere"])
def test_a_name_that_is_used_elsewhere_is_not_taken_away_by_pieces(used):
    """The function goes from a piece, its call is in lines that were not looked at."""
    file = FILE
    if used:
        head, below, tail = FILE.partition("def function_900(value):\n")
        file = head + below + tail.replace("log(total)", "function_2000(total)", 1)
    shown = "".join(function(number) for number in (1999, 2001))
    edit = f"# ... existing code ...\n\n\n{shown}# ... existing code ...\n"
    source = from_text(file)
    snippet = Snippet(tuple(edit.splitlines()), 1)

    def merge(part):
        said = "remove function_2000"
        return merge_snippet(part, snippet, language="python", instructions=said, min_certainty=0.0)

    proposal = large.merge_in_pieces(source, snippet, "python", merge)
    if used:
        assert proposal is None
    else:
        assert proposal is not None
        assert splice(source, proposal.splices).text == file.replace(function(2000), "")


@pytest.mark.parametrize("other", [(), (0,), (3,), (4096, 4097), (9999,), (1, 4098, 8200, 9998)])
def test_what_does_not_keep_a_line_is_found_in_a_long_script(other):
    """In a list and in a tuple, and also where lines are left out between two that stay."""
    ops = [*keep(0, 5000), *keep(7000, 12000)]
    for n in other:
        ops[n] = ScriptLine("insert", n, -1)
    wanted = [(n, ops[n]) for n in other]
    assert changed(ops) == changed(tuple(ops)) == wanted
