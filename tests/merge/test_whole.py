"""A snippet without markers is the whole file, a part of it, or neither can be told."""

from __future__ import annotations

import pytest
from editing import changed

from fastapply import apply_edit

MODULE = '''\
"""Rates of the shop."""

import json

BASE = 100


def load(path):
    """Read the rates."""
    with open(path) as stream:
        return json.load(stream)


def lookup(rates, name):
    """Find a rate."""
    return rates.get(name, BASE)


def raise_all(rates, percent):
    """Raise every rate."""
    return {name: rate * (100 + percent) // 100 for name, rate in rates.items()}


def show(rates):
    """Print every rate."""
    for name, rate in sorted(rates.items()):
        print(name, rate)
'''
SHEET = """\
body {
  color: black;
  margin: 0;
}

a {
  color: blue;
}

h1 {
  font-size: 2em;
}
"""

WHOLE = [
    pytest.param("a.py", MODULE, changed(MODULE, ("BASE = 100", "BASE = 120")), id="one line changed"),
    pytest.param(
        "a.py",
        MODULE,
        changed(
            MODULE,
            ("import json\n", "import json\nimport os\n"),
            ("        print(name, rate)\n", "        print(name, rate, os.linesep)\n"),
        ),
        id="a line added near the top and one changed at the end",
    ),
    pytest.param(
        "a.css",
        SHEET,
        SHEET.replace("blue", "red") + "\nh2 {\n  font-size: 1.5em;\n}\n",
        id="a rule added at the end",
    ),
    pytest.param("a.py", "", MODULE, id="an empty file"),
]


SAID = [
    pytest.param(
        "a.py",
        MODULE,
        changed(
            MODULE,
            ('def lookup(rates, name):\n    """Find a rate."""\n    return rates.get(name, BASE)\n\n\n', ""),
            ("BASE = 100\n\n\n", ""),
        ).replace("import json\n\n", "import json\n\n\n"),
        id="a function and a constant left out",
    ),
    pytest.param("a.txt", "one\n", "two\n", id="another line in a file of one"),
]


@pytest.mark.parametrize(("path", "original", "edit"), WHOLE)
def test_snippet_that_shows_the_whole_file_is_the_whole_file(path, original, edit):
    """The result is the snippet, byte for byte."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("applied", edit)


@pytest.mark.parametrize(("path", "original", "edit"), [*WHOLE, *SAID])
def test_whole_file_in_a_fence_is_the_same_whole_file(path, original, edit):
    """The fence and the words around it are no part of it."""
    result = apply_edit(original, f"Here is the complete file:\n\n```\n{edit}```\n", path=path)
    assert (result.status, result.text) == ("applied", edit)


@pytest.mark.parametrize(("path", "original", "edit"), SAID)
def test_bare_snippet_that_leaves_much_out_is_not_taken_for_the_whole_file(path, original, edit):
    """Nobody says that it is complete, so the text stays."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("refused", original)


@pytest.mark.parametrize(("path", "original", "edit"), [*WHOLE, *SAID])
def test_whole_file_that_is_there_already_is_unchanged(path, original, edit):
    """The same text again is no change."""
    assert original != edit
    result = apply_edit(edit, edit, path=path)
    assert (result.status, result.text) == ("unchanged", edit)


@pytest.mark.parametrize(
    ("path", "original", "edit", "merged"),
    [
        pytest.param(
            "a.py",
            MODULE,
            'def lookup(rates, name):\n    """Find a rate."""\n    return rates[name]\n',
            changed(MODULE, ("rates.get(name, BASE)", "rates[name]")),
            id="one of four functions",
        ),
        pytest.param(
            "a.css",
            SHEET,
            "body {\n  color: grey;\n  margin: 0;\n}\n",
            changed(SHEET, ("black", "grey")),
            id="one of three rules",
        ),
        pytest.param(
            "a.py",
            MODULE,
            MODULE[MODULE.index("def lookup") :].replace("BASE", "BASE + 1"),
            changed(MODULE, ("name, BASE)", "name, BASE + 1)")),
            id="all but the head of the file",
        ),
    ],
)
def test_snippet_that_shows_a_part_of_the_file_changes_that_part(path, original, edit, merged):
    """Everything else stays."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("applied", merged)


LONG = """\
def load(items):
    \"\"\"Load what is in items, one after the other.\"\"\"
    total = 0
    for item in items[:LIMIT]:
        total += item.price * item.count
        print("loaded", item.name, total)
        item.mark_as_loaded()
    if total > 1000:
        print("that was a lot of money", total)
    return total
"""


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        pytest.param("LIMIT = 10\n\n\n", "", id="a constant above it"),
        pytest.param("import os\n\n\n", "", id="an import above it"),
        pytest.param("#!/usr/bin/env python\n\n", "", id="a first line for the shell"),
        pytest.param("# Copyright: the authors of the shop\n\n", "", id="a licence above it"),
        pytest.param("", "\n\nload(sys.argv)\n", id="a call below it"),
    ],
)
def test_function_shown_alone_is_not_the_whole_file_although_it_is_most_of_it(head, tail):
    """What stands above and below it stays, or the edit is refused."""
    new = changed(LONG, ("total = 0\n", "total = 0\n    check(items)\n"))
    result = apply_edit(head + LONG + tail, new, path="a.py")
    assert (result.status, result.text) in {
        ("applied", head + new + tail),
        ("refused", head + LONG + tail),
    }


SHORT = """\
def load(items):
    total = 0
    for item in items:
        total += item
    return total
"""


@pytest.mark.parametrize("head", ["LIMIT = 10\n\n\n", "import os\n\n\n", '"""Loads."""\n\n'])
def test_function_shown_alone_is_not_the_whole_of_a_short_file(head):
    """What stands above it stays, or the edit is refused."""
    new = changed(SHORT, ("total = 0\n", "total = 0\n    check(items)\n"))
    result = apply_edit(head + SHORT, new, path="a.py")
    assert (result.status, result.text) in {("applied", head + new), ("refused", head + SHORT)}


HEAD = MODULE[: MODULE.index("def lookup")]


@pytest.mark.parametrize(
    ("edit", "format_name"),
    [
        pytest.param(
            '"""Rates of the shop."""\n\nimport json\n\nBASE = 100\n',
            "whole",
            id="the first lines, said to be whole",
        ),
        pytest.param(
            "def convert(value):\n    return value * 2\n", "whole", id="another file, said to be whole"
        ),
        pytest.param(
            "Here is the complete file:\n\n```python\n" + HEAD.replace("100", "120") + "```\n",
            None,
            id="the first half in a fence that is called complete",
        ),
        pytest.param(
            "Here is the complete file:\n\n```python\n" + MODULE[: MODULE.index(" in sorted")],
            None,
            id="a reply that breaks off",
        ),
    ],
)
def test_whole_file_that_drops_most_of_the_file_is_refused(edit, format_name):
    """It is a part whose markers were forgotten, or a reply cut off."""
    result = apply_edit(MODULE, edit, path="a.py", format=format_name)
    assert (result.status, result.text) == ("refused", MODULE)
    assert result.message


@pytest.mark.parametrize(("newline", "final"), [("\r\n", "\r\n"), ("\n", ""), ("\r\n", "")])
def test_whole_file_keeps_the_ends_of_the_lines_that_it_does_not_change(newline, final):
    """New lines get the end that most lines have."""

    def written(text):
        return text.removesuffix("\n").replace("\n", newline) + final

    edit = changed(MODULE, ("BASE = 100\n", "BASE = 100\nTOP = 500\n"))
    result = apply_edit(written(MODULE), edit, path="a.py")
    assert (result.status, result.text) == ("applied", written(edit))
