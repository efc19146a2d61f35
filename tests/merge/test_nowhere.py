"""Edits of which neither a shown line nor a word says where they go: never written, whatever is asked for."""

from __future__ import annotations

import pytest

from fastapply import apply_edit

POEM = "alpha beta\ngamma delta\nepsilon zeta\n"


@pytest.mark.parametrize("least", [0.0, 0.5, None])
def test_an_edit_that_fits_nowhere_is_refused_at_any_certainty(least):
    """No line of it is in the file, and it is of no kind that the file has."""
    result = apply_edit(POEM, "def render(page):\n    return page.text\n", path="a.py", min_certainty=least)
    assert (result.status, result.text) == ("refused", POEM)


def test_a_word_that_says_where_is_enough_for_a_caller_who_asks_for_no_certainty():
    """The twin: "at the end of the file" places it."""
    file = "def one():\n    return 1\n"
    edit = "def two():\n    return 2\n"
    said = "add two at the end of the file"
    result = apply_edit(file, edit, path="a.py", instructions=said, min_certainty=0.0)
    assert (result.status, result.text) == ("applied", f"{file}\n\n{edit}")


def test_the_first_answer_for_an_edit_of_another_file_takes_nothing_away():
    """The message says what to check."""
    edit = "def render(page):\n    return page.text\n"
    result = apply_edit(POEM, edit, path="a.py")
    assert result.message.startswith("none of the edit's context lines are in the file")
    assert result.reason == "not_found"
    taken = apply_edit(POEM, edit, path="a.py", pick=[1])
    assert taken.text.startswith(POEM)


CONFIG = """\
{
  "name": "shop",
  "compilerOptions": {
    "target": "es2022",
    "strict": false,
    "jsx": "react-jsx"
  }
}
"""


@pytest.mark.parametrize("indented", ["", "    "], ids=["at the margin", "indented"])
def test_a_line_that_ends_in_a_comma_may_be_complete(indented):
    """It is asked about, as it may be cut off; the answer puts it in."""
    edit = f'{indented}"strict": true,\n'
    result = apply_edit(CONFIG, edit, path="tsconfig.json", instructions="turn on strict mode")
    assert (result.status, result.reason) == ("refused", "truncated")
    assert 'ends in `"strict": true,`, and seems to be cut off. Does ' in result.message
    picked = apply_edit(CONFIG, edit, path="tsconfig.json", instructions="turn on strict mode", pick=1)
    assert (picked.status, picked.text) == ("applied", CONFIG.replace("false", "true"))


def test_a_line_that_stops_inside_a_call_is_no_entry():
    """There is nothing to answer: the rest of it is missing."""
    result = apply_edit("a = 1\nb = 2\n", "a = 1\nb = total(\n", path="a.py")
    assert (result.reason, result.candidates) == ("truncated", ())


@pytest.mark.parametrize(
    ("path", "file", "edit"),
    [
        ("a.sql", "CREATE TABLE a (\n    id INTEGER,\n    name TEXT\n);\n", "    email TEXT UNIQUE,\n"),
        ("package.json", '{\n  "scripts": {\n    "dev": "vite"\n  }\n}\n', '    "preview": "vite preview"\n'),
    ],
    ids=["SQL", "JSON"],
)
def test_indented_words_are_code(path, file, edit):
    """A chat reply stands at the margin."""
    assert apply_edit(file, edit, path=path).reason != "no_edit"
    assert apply_edit(file, "I have updated the file as you asked.\n", path=path).reason == "no_edit"


WRAPPED = """\
function Page() {
  return (
    <div className="page">
      <div className="page-inner">
        <Input />
      </div>
    </div>
  );
}
"""


def test_an_edit_that_changes_nothing_is_asked_about_where_words_say_that_something_goes():
    """What is said to go stands in the file; the twin says nothing of that."""
    edit = '  return (\n    <div className="page">\n      {/* ... input */}\n    </div>\n  );\n'
    said = "I will remove the page-inner wrapper div and keep its children"
    asked = apply_edit(WRAPPED, edit, path="a.jsx", instructions=said)
    assert asked.status != "unchanged"
    assert apply_edit(WRAPPED, edit, path="a.jsx", min_certainty=0.0).status == "unchanged"


def test_a_small_file_whose_import_an_edit_does_not_show_keeps_it():
    """It is no whole file; with the import it is."""
    file = 'import os\n\nLIMIT = 1\n\nroute("/a", a)\nroute("/b", b)\n'
    edit = 'LIMIT = 2\n\n# ---- existing routes ----\nroute("/a", a)\nroute("/b", b)\n'
    assert apply_edit(file, edit, path="a.py", instructions="raise the limit").text.startswith("import os\n")
    whole = f"import os\n\n{edit}"
    assert apply_edit(file, whole, path="a.py", instructions="raise the limit").text == whole
