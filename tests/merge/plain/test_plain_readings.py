"""Plain readings: which merges are candidates where no shown line says where the edit goes."""

from __future__ import annotations

import pytest

from fastapply.merge.elements import Scene, read_lazy
from fastapply.merge.lines import line_table
from fastapply.merge.plain.commas import with_commas
from fastapply.merge.plain.draft import script_of, splices_of
from fastapply.merge.plain.readings import plain_drafts
from fastapply.text import from_text, splice
from fastapply.types import Splice

STORE = """\
import json
import os


class Store:
    size = 1

    def load(self):
        rows = read()
        return rows

    def get(self, key):
        return self.items[key]


def main():
    store = Store()
    store.load()
"""
ROWS = "insert into roles values\n    ('a', 1),\n    ('b', 2);\n"
CONFIG = '{\n  "name": "shop",\n  "scripts": {\n    "build": "tsc",\n    "test": "vitest"\n  }\n}\n'
PAGE = """\
<main>
  <div class="inner">
    <p>One</p>
    <p>Two</p>
  </div>
</main>
"""


def results(file: str, edit: str, said: str, language: str | None) -> list[str]:
    """The texts that the plain readings of an edit give."""
    source = from_text(file)
    table = line_table(source.lines, language)
    scene = Scene(read_lazy(edit.splitlines(), table, language), table)
    found = []
    for draft in plain_drafts(scene, said, language):
        splices = splices_of(draft.changes, source.lines)
        found.append(splice(source, splices).text)
        gone = {op.f for op in script_of(scene, draft.changes) if op.kind == "delete"}
        assert gone <= {f for one in splices for f in range(one.start, one.end)}
    return found


METHOD = "    def put(self, key, value):\n        self.items[key] = value\n"
BODY = "        rows = read(self.path)\n        self.items = dict(rows)\n"
PLAIN = {
    "after_what_is_named": (
        METHOD,
        "add put after load",
        STORE.replace("    def get", METHOD + "\n    def get"),
    ),
    "before_what_is_named": (
        METHOD,
        "I will add put before `load`.",
        STORE.replace("    def load", METHOD + "\n    def load"),
    ),
    "at_the_end_of_a_class": (
        METHOD,
        "add put at the end of Store",
        STORE.replace("self.items[key]\n", "self.items[key]\n\n" + METHOD),
    ),
    "at_the_end_of_the_file": (
        "def usage():\n    print(1)\n",
        "add usage at the end of the file",
        STORE + "\n\ndef usage():\n    print(1)\n",
    ),
    "beside_its_kind": (
        "import logging\n",
        "",
        STORE.replace("import os\n", "import logging\nimport os\n"),
    ),
    "in_its_class_others_stay": (
        "class Store:\n    def get(self, key):\n        return self.items.get(key)\n",
        "",
        STORE.replace("self.items[key]", "self.items.get(key)"),
    ),
    "new_member_behind_the_one_shown_before_it": (
        "class Store:\n    def load(self):\n        return read()\n\n" + METHOD,
        "",
        STORE.replace("        rows = read()\n        return rows\n", "        return read()\n\n" + METHOD),
    ),
    "in_place_of_what_is_said_to_be_replaced": (
        "def run():\n    Store().load()\n",
        "I will replace main with run",
        STORE[: STORE.index("def main")] + "def run():\n    Store().load()\n",
    ),
    "body_without_its_header": (
        BODY,
        "replace the body of load",
        STORE.replace("        rows = read()\n        return rows\n", BODY),
    ),
    "wrapped": (
        "    def load(self):\n        with lock:\n            # ... existing code ...\n",
        "",
        STORE.replace(
            "        rows = read()\n        return rows\n",
            "        with lock:\n            rows = read()\n            return rows\n",
        ),
    ),
}


@pytest.mark.parametrize("name", PLAIN)
def test_the_right_merge_is_a_candidate(name):
    """Byte for byte, blank lines as such things have them in the file."""
    edit, said, wanted = PLAIN[name]
    assert wanted in results(STORE, edit, said, "python")


def test_nothing_is_placed_where_an_anchor_says_where_it_goes():
    """An edit that shows a line of the file beside its new one is aligned, and not placed by its kind."""
    edit = "class Store:\n    size = 1\n    depth = 2\n"
    assert all("plain.place" not in text for text in results(STORE, edit, "", "python"))
    assert len(results(STORE, edit, "", "python")) == 1


def test_rows_get_their_commas_and_the_last_one_the_semicolon():
    """What ended the list ends it again."""
    wanted = ROWS.replace("2);\n", "2),\n    ('c', 3);\n")
    assert wanted in results(ROWS, "    ('c', 3)\n", "add c as the last row", "sql")


def test_the_last_entry_of_json_gets_a_comma_before_a_new_one():
    """And the new one none."""
    wanted = CONFIG.replace('"vitest"\n', '"vitest",\n    "lint": "eslint ."\n')
    assert wanted in results(CONFIG, '"lint": "eslint ."\n', "add a lint script after test", "json")


def test_a_block_of_which_only_a_marker_is_shown_is_taken_out():
    """Its lines get the indentation that it had."""
    wanted = "<main>\n  <p>One</p>\n  <p>Two</p>\n</main>\n"
    edit = "<main>\n  <!-- the paragraphs, unchanged -->\n</main>\n"
    assert wanted in results(PAGE, edit, "take the paragraphs out of the inner div", "html")


@pytest.mark.parametrize(
    ("splices", "mended"),
    [
        (
            (Splice(5, 5, ('    "lint": "x"',)),),
            (Splice(4, 5, ('    "test": "vitest",', '    "lint": "x"')),),
        ),
        (
            (Splice(5, 5, ('    "lint": "x",',)),),
            (Splice(4, 5, ('    "test": "vitest",', '    "lint": "x"')),),
        ),
        ((Splice(4, 4, ('    "lint": "x"',)),), (Splice(4, 4, ('    "lint": "x",',)),)),
        ((Splice(4, 4, ('    "lint": "x",',)),), None),
        ((Splice(4, 5, ()),), None),
    ],
    ids=["last", "last_with_one", "middle", "nothing_lacks", "deletion"],
)
def test_commas_between_entries(splices, mended):
    """The line above a new last entry gets one, a new entry in the middle as well."""
    assert with_commas(splices, line_table(CONFIG.splitlines(), "json"), "json") == mended


def test_lines_that_are_no_list_get_no_commas():
    """Statements have none between them."""
    table = line_table(STORE.splitlines(), "python")
    assert with_commas((Splice(9, 9, ("        rows.sort()",)),), table, "python") is None
