"""Near-identical blocks: order, an enclosing name or a distant line decides, or the edit is refused."""

from __future__ import annotations

import pytest
from editing import SWITCHES, changed

from fastapply import apply_edit

HANDLERS = """\
class Users {
  load(id) {
    const row = this.db.find(id);
    if (!row) {
      return null;
    }
    return row;
  }

  name() {
    return 'users';
  }
}

class Orders {
  load(id) {
    const row = this.db.find(id);
    if (!row) {
      return null;
    }
    return row;
  }

  name() {
    return 'orders';
  }
}

class Bills {
  load(id) {
    const row = this.db.find(id);
    if (!row) {
      return null;
    }
    return row;
  }

  name() {
    return 'bills';
  }
}
"""
CHECKS = """\
def test_first(client):
    page = client.get("/first")
    assert page.status == 200
    assert page.user is None


def test_second(client):
    page = client.get("/second")
    assert page.status == 200
    assert page.user is None


def test_third(client):
    page = client.get("/third")
    assert page.status == 200
    assert page.user is None
"""
LOAD = """\
  load(id) {
    const row = this.db.find(id);
    if (!row) {
      return null;
    }
    return row;
  }
"""
LOAD_ANEW = """\
  load(id) {
    const row = this.db.find(id);
    if (!row) {
      throw new Error('none');
    }
    return row;
  }
"""


def in_class(name, old=LOAD, new=LOAD_ANEW):
    """Change the method of one class."""
    head, rest = HANDLERS.split(f"class {name} {{\n")
    return head + f"class {name} {{\n" + rest.replace(old, new, 1)


REWRITES = [
    pytest.param(
        "a.js",
        HANDLERS,
        "// ...\nclass Orders {\n" + LOAD_ANEW + "  // ...\n}\n// ...\n",
        in_class("Orders"),
        id="the enclosing class is named",
    ),
    pytest.param(
        "a.js",
        HANDLERS,
        "// ...\n" + LOAD_ANEW + "\n  name() {\n    return 'bills';\n  }\n}\n",
        in_class("Bills"),
        id="a line behind it stands once",
    ),
    pytest.param(
        "a.js",
        HANDLERS,
        "class Users {\n  // ...\n}\n\nclass Orders {\n  // ...\n}\n\nclass Bills {\n"
        + LOAD_ANEW
        + "  // ...\n}\n",
        in_class("Bills"),
        id="the third of three that are shown in order",
    ),
    pytest.param(
        "a.py",
        CHECKS,
        '# ...\n\ndef test_second(client):\n    page = client.get("/second")\n    assert page.status == 200\n'
        '    assert page.user == "bo"\n\n\n# ...\n',
        changed(
            CHECKS,
            (
                'get("/second")\n    assert page.status == 200\n    assert page.user is None\n',
                'get("/second")\n    assert page.status == 200\n    assert page.user == "bo"\n',
            ),
        ),
        id="one of three functions that only differ in their names",
    ),
    pytest.param(
        "a.py",
        CHECKS,
        '# ...\n    page = client.get("/third")\n    # ...\n    assert page.user == "bo"\n',
        CHECKS.removesuffix("is None\n") + '== "bo"\n',
        id="a distant line tells which",
    ),
    pytest.param(
        "a.c",
        SWITCHES,
        "// ...\nint price_of(int kind)\n{\n    switch (kind) {\n    // ...\n    case LARGE:\n"
        "        return 30;\n"
        "    // ...\n    }\n}\n",
        changed(SWITCHES, ("return 25", "return 30")),
        id="a case of the second of two switches",
    ),
    pytest.param(
        "a.c",
        SWITCHES,
        "int size_of(int kind)\n{\n    switch (kind) {\n    case SMALL:\n        return 1;\n"
        "    case MEDIUM:\n"
        "        return 4;\n    // ...\n    }\n}\n\n// ...\n",
        changed(
            SWITCHES, ("        return 1;\n", "        return 1;\n    case MEDIUM:\n        return 4;\n")
        ),
        id="a new case in the first of two switches",
    ),
]


@pytest.mark.parametrize(("path", "original", "edit", "merged"), REWRITES)
def test_edit_of_one_of_several_equal_blocks_finds_the_one_it_means(path, original, edit, merged):
    """Its twins keep their bytes."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("applied", merged)


@pytest.mark.parametrize(("path", "original", "edit", "merged"), REWRITES)
def test_edit_of_one_of_several_equal_blocks_is_not_given_to_its_twin(path, original, edit, merged):
    """Where it is in place already, it is unchanged or refused, never put into another block."""
    assert original != merged
    result = apply_edit(merged, edit, path=path)
    assert (result.status in {"unchanged", "refused"}, result.text) == (True, merged)


LOADS = "// ...\n" + LOAD_ANEW + "// ...\n"
ARM = "// ...\n    default:\n        return -1;\n    // ...\n"
ASSERTION = '# ...\n    assert page.status == 200\n    assert page.user == "bo"\n# ...\n'


@pytest.mark.parametrize(
    ("path", "original", "edit", "places"),
    [
        pytest.param("a.js", HANDLERS, LOADS, {5, 19, 33}, id="a method that three classes have"),
        pytest.param("a.js", HANDLERS, LOAD_ANEW, {5, 19, 33}, id="the same without markers"),
        pytest.param("a.c", SWITCHES, ARM, {5, 9, 21}, id="a case that two switches have"),
        pytest.param("a.py", CHECKS, ASSERTION, {4, 10, 16}, id="lines that three functions have"),
    ],
)
def test_edit_that_fits_several_blocks_is_refused_with_all_of_them(path, original, edit, places):
    """Each place is named, and nothing is written."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.reason, result.text) == ("refused", "uncertain", original)
    assert {candidate.lines.first for candidate in result.candidates} == places
    assert len(result.candidates) == len(places)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_refused_edit_can_be_answered_with_the_number_of_its_place(number):
    """Every candidate holds the merge that it stands for."""
    result = apply_edit(HANDLERS, LOADS, path="a.js", pick=[number])
    asked = apply_edit(HANDLERS, LOADS, path="a.js").candidates[number - 1]
    name = {1: "Users", 13: "Orders", 25: "Bills"}[max(n for n in (1, 13, 25) if n <= asked.lines.first)]
    assert (result.status, result.text) == ("applied", in_class(name))


@pytest.mark.parametrize(
    ("path", "original", "edit", "instructions", "merged"),
    [
        pytest.param(
            "a.js",
            HANDLERS,
            LOADS,
            "Make Orders throw when there is no row",
            in_class("Orders"),
            id="a class",
        ),
        pytest.param(
            "a.py",
            CHECKS,
            ASSERTION,
            "expect the user in test_third",
            CHECKS.removesuffix("is None\n") + '== "bo"\n',
            id="a function",
        ),
        pytest.param(
            "a.c",
            SWITCHES,
            ARM,
            "price_of gives -1 for unknown kinds",
            SWITCHES.removesuffix("return 0;\n    }\n}\n") + "return -1;\n    }\n}\n",
            id="a function with a switch",
        ),
    ],
)
def test_instructions_that_name_one_enclosing_definition_decide(path, original, edit, instructions, merged):
    """The place inside the named definition is taken."""
    result = apply_edit(original, edit, path=path, instructions=instructions)
    assert (result.status, result.text) == ("applied", merged)


@pytest.mark.parametrize(
    ("path", "original", "edit", "instructions"),
    [
        pytest.param("a.js", HANDLERS, LOADS, "Throw when there is no row", id="none of them"),
        pytest.param("a.js", HANDLERS, LOADS, "Make Users and Orders throw", id="two of them"),
        pytest.param("a.js", HANDLERS, LOADS, "Make load throw", id="a name that all of them have"),
        pytest.param(
            "a.py", CHECKS, ASSERTION, "expect the user in test_fourth", id="a name that is not there"
        ),
        pytest.param("a.py", CHECKS, ASSERTION, "expect the user in test_thirds", id="a longer name"),
        pytest.param("a.c", SWITCHES, ARM, "both size_of and price_of give -1", id="both of two"),
    ],
)
def test_instructions_that_name_two_or_none_decide_nothing(path, original, edit, instructions):
    """The edit is refused as if they were not there."""
    result = apply_edit(original, edit, path=path, instructions=instructions)
    assert (result.status, result.reason, result.text) == ("refused", "uncertain", original)
