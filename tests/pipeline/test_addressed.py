"""`where`: an edit that goes beside, in place of, or into a named piece of the file; `at` for any line."""

from __future__ import annotations

import pytest

from fastapply import apply_edit

CODE = """\
class Store:
    def get(self, key):
        value = self.items.get(key)
        return value

    def put(self, key):
        value = self.items.get(key)
        return value


class Cache:
    def get(self, key):
        value = self.items.get(key)
        return value
"""
NEW = "def has(self, key):\n    return key in self.items\n"
METHOD = "    def has(self, key):\n        return key in self.items\n"
BLOCK = "<<<<<<< SEARCH\n        return value\n=======\n        return value or None\n>>>>>>> REPLACE\n"
DIFF = (
    "--- a/s.py\n+++ b/s.py\n@@\n         value = self.items.get(key)\n-        return value\n"
    "+        return value or None\n"
)
LAZY = (
    "# ... existing code ...\n        value = self.items.get(key)\n        if value is None:\n"
    "            raise KeyError(key)\n        return value\n# ... existing code ...\n"
)
RAISES = "        if value is None:\n            raise KeyError(key)\n"


def put(edit, where="", **more):
    """The result for a file of Python."""
    return apply_edit(CODE, edit, path="s.py", where=where, **more)


def changed(first, new, lines=CODE, gone=0):
    """The file with lines put in before a 1-based one, and some of those behind it gone."""
    rows = lines.splitlines(keepends=True)
    return "".join([*rows[: first - 1], new, *rows[first - 1 + gone :]])


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ("after Store.get", changed(6, METHOD + "\n")),
        ("before put", changed(6, METHOD + "\n")),
        ("replace put", changed(6, METHOD, gone=3)),
        ("in Store", changed(9, "\n" + METHOD)),
        ("in Cache", CODE + "\n" + METHOD),
    ],
)
@pytest.mark.parametrize("marked", [False, True])
def test_new_code_goes_where_the_name_says(where, text, marked):
    """Markers around it change nothing; a second time it is there already, or refused."""
    edit = f"# ... existing code ...\n{NEW}# ... existing code ...\n" if marked else NEW
    result = put(edit, where)
    assert (result.status, result.text, result.certainty) == ("applied", text, None)
    again = apply_edit(text, edit, path="s.py", where=where)
    assert (again.status in {"unchanged", "refused"}, again.text) == (True, text)


@pytest.mark.parametrize("edit", [BLOCK, DIFF], ids=["block", "diff"])
@pytest.mark.parametrize(
    ("where", "line"), [("in Store.get", 4), ("in put", 8), ("in Cache", 14), ("in Cache.get", 14)]
)
def test_in_takes_the_place_of_a_hunk_that_is_in_the_name(edit, where, line):
    """Without the name it fits at three places."""
    assert put(edit).reason == "ambiguous"
    assert put(edit, where).text == changed(line, "        return value or None\n", gone=1)


@pytest.mark.parametrize(("where", "line"), [("in Store.get", 4), ("in put", 8), ("in Cache", 14)])
def test_in_merges_a_lazy_edit_in_the_name_alone(where, line):
    """And its certainty is that of a file where nothing else stands."""
    assert put(LAZY).reason == "uncertain"
    result = put(LAZY, where)
    assert (result.text, (result.certainty or 0) > 0.9) == (changed(line, RAISES), True)


def test_what_is_open_in_the_name_as_well_is_asked_about():
    """With the places in it alone, which `pick` answers."""
    result = put(BLOCK, "in Store")
    assert [one.lines.first for one in result.candidates] == [4, 8]
    assert put(BLOCK, "in Store", pick=2).text == changed(8, "        return value or None\n", gone=1)


def test_replacement_with_markers_keeps_what_they_stand_for():
    """It is a lazy edit of that definition."""
    edit = "    def put(self, key):\n        # ... existing code ...\n        return value or None\n"
    assert put(edit, "replace put", min_certainty=0.9).text == changed(
        8, "        return value or None\n", gone=1
    )


def test_edit_that_shows_the_name_itself_is_merged_into_it():
    """It is no new member of it, though none of its telling lines is there."""
    file = "on:\n  push: {}\n  pull_request: {}\njobs: {}\n"
    edit = "on:\n  push:\n    branches: [main]\n"
    result = apply_edit(file, edit, path="a.yml", where="in on", min_certainty=0)
    assert result.text.count("on:") == 1


def test_replacement_that_shows_the_class_around_is_merged():
    """Not put into the class a second time."""
    head, body = "class Cache:\n    def get(self, key):\n", "        value = self.items.get(key)\n"
    edit = f"{head}{body}        return value or 0\n"
    assert put(edit, "replace Cache.get").text == changed(14, "        return value or 0\n", gone=1)


@pytest.mark.parametrize(
    ("edit", "where", "reason", "message"),
    [
        (BLOCK, "after put", "not_code", "`after put` takes new code alone, and the edit has hunks"),
        (LAZY.replace("        if", "        # ...\n        if"), "before put", "not_code", "has markers"),
        (BLOCK.replace("return value\n=", "return x\n="), "in put", "not_found", "is not in the file"),
        (
            "<<<<<<< SEARCH\nclass Cache:\n=======\nclass Cached:\n>>>>>>> REPLACE\n",
            "in Store",
            "outside",
            "the edit is for line 11, which is not in Store",
        ),
        (NEW, "after gets", "no_such_name", "there is no 'gets' in the file"),
        (NEW, "after get", "ambiguous_name", "'get' matches 2 definitions"),
        (NEW, "beside get", "usage", "where 'beside get' names no place"),
        (NEW, "after", "usage", "where 'after' names no place"),
    ],
)
def test_what_does_not_go_there_is_refused(edit, where, reason, message):
    """And the file stays as it is."""
    result = put(edit, where)
    assert (result.status in {"refused", "error"}, result.reason, result.text) == (True, reason, CODE)
    assert message in result.message


@pytest.mark.parametrize(
    ("at", "text"),
    [
        (6, changed(6, METHOD + "\n")),
        (5, changed(6, METHOD + "\n")),
        (11, changed(11, NEW + "\n\n")),
        (1, NEW + "\n\n" + CODE),
    ],
)
def test_new_code_goes_before_the_line_that_is_given(at, text):
    """Nothing of it stands in the file. On a blank line it goes before what comes below."""
    assert put(NEW, at=(at, at)).text == text


@pytest.mark.parametrize("options", [{"at": (5, 5)}, {"where": "after get"}, {"where": "in Cart"}])
def test_a_body_may_have_lines_that_the_file_has(options):
    """A new method that sets what another one sets is new all the same."""
    file = (
        "class Cart:\n    def __init__(self):\n        self.items = []\n\n"
        "    def get(self):\n        return 1\n"
    )
    result = apply_edit(file, "def clear(self):\n    self.items = []\n", path="cart.py", **options)
    assert result.status == "applied"
    assert "\n    def clear(self):\n        self.items = []\n" in result.text
    assert all(line in result.text for line in file.splitlines())


@pytest.mark.parametrize(("at", "line"), [(2, 4), (6, 8), (11, 14), (12, 14)])
def test_lazy_edit_is_merged_in_the_innermost_thing_around_the_line(at, line):
    """Where no candidate has that line."""
    assert put(LAZY, at=(at, at)).text == changed(line, RAISES)


def test_name_in_a_file_that_is_not_there_is_refused():
    """There is nothing to put it beside."""
    result = apply_edit(None, NEW, path="s.py", where="after get", create=True)
    assert (result.status, result.reason) == ("refused", "no_such_name")
