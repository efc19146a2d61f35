"""Plain readings: which merges are candidates where no shown line says where the edit goes."""

from __future__ import annotations

import pytest

from fastapply.merge.elements import MergeContext, read_lazy
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
    context = MergeContext(read_lazy(edit.splitlines(), table, language), table)
    found = []
    for draft in plain_drafts(context, said, language):
        splices = splices_of(draft.changes, source.lines)
        found.append(splice(source, splices).text)
        gone = {op.f for op in script_of(context, draft.changes) if op.kind == "delete"}
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


def test_a_new_line_beside_an_anchor_goes_nowhere_else():
    """An edit that shows a line of the file beside its new one is not placed by its kind."""
    edit = "class Store:\n    size = 1\n    depth = 2\n"
    found = results(STORE, edit, "", "python")
    assert found
    assert all("    size = 1\n    depth = 2\n" in text for text in found)


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


STYLES = """\
:root {
  --ink: #111;
}

.card {
  padding: 1rem;
}

.card h3 {
  margin: 0;
}

.badge {
  margin: 0;
}
"""
SCHEMA = """\
CREATE TABLE members (
    id    bigint PRIMARY KEY,
    email text NOT NULL
);

CREATE TABLE loans (
    id bigint PRIMARY KEY
);

CREATE VIEW open_loans AS
SELECT id
FROM loans;
"""
SCRIPT = """\
get_pods() {
\tkubectl get pods
}

dump() {
\tget_pods | while read -r pod; do
\t\techo "$pod"
\tdone
}

main() {
\tdump
}
"""
GRID = """\
class Grid
{
public:
    int size() const
    {
        return size_;
    }

private:
    int size_ = 0;
};
"""
PROJECT = (
    '[project]\nname = "shop"\ndependencies = [\n    "click",\n]\n\n[tool.pytest]\ntestpaths = ["tests"]\n'
)
STEPS = """\
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: pip install .
      - run: pytest -q
"""
ORDERS = """\
interface Customer {
  name: string;
  email: string;
  billing: Address;
}

interface Supplier {
  name: string;
  email: string;
}
"""
KINDS = {
    "rules_by_selector_and_a_new_one_between": (
        STYLES,
        "css",
        ".card {\n  padding: 2rem;\n}\n\n.card--flat {\n  border: 0;\n}\n\n.badge {\n  margin: 1px;\n}\n",
        "",
        STYLES.replace(
            "padding: 1rem;\n}\n", "padding: 2rem;\n}\n\n.card--flat {\n  border: 0;\n}\n"
        ).replace(".badge {\n  margin: 0;", ".badge {\n  margin: 1px;"),
    ),
    "a_rule_of_which_a_place_is_said": (
        STYLES,
        "css",
        ":root {\n  --ink: #222;\n}\n\n.card:hover {\n  top: 1px;\n}\n",
        "a darker ink, and a hover rule after .card h3",
        STYLES.replace("#111", "#222").replace(
            ".card h3 {\n  margin: 0;\n}\n", ".card h3 {\n  margin: 0;\n}\n\n.card:hover {\n  top: 1px;\n}\n"
        ),
    ),
    "statements_of_sql": (
        SCHEMA,
        "sql",
        SCHEMA.replace("NOT NULL\n", "NOT NULL,\n    name  text\n")
        .replace("FROM loans;", "FROM loans\nWHERE open;")
        .replace("CREATE TABLE loans (\n    id bigint PRIMARY KEY\n);\n\n", ""),
        "",
        SCHEMA.replace("NOT NULL\n", "NOT NULL,\n    name  text\n").replace(
            "FROM loans;", "FROM loans\nWHERE open;"
        ),
    ),
    "renamed_with_its_use": (
        SCRIPT,
        "bash",
        SCRIPT[: SCRIPT.index("\nmain")]
        .replace("get_pods", "list_pods")
        .replace("kubectl get pods", "# ... unchanged")
        .replace('echo "$pod"', "# ... unchanged"),
        "rename get_pods to list_pods",
        SCRIPT.replace("get_pods", "list_pods"),
    ),
    "a_new_function_where_it_is_said_and_its_call": (
        SCRIPT,
        "bash",
        "check() {\n\ttrue\n}\n\nmain() {\n\tcheck\n\tdump\n}\n",
        "I will add check after get_pods and call it from main",
        SCRIPT.replace("\n\ndump() {", "\n\ncheck() {\n\ttrue\n}\n\ndump() {").replace(
            "\tdump\n}", "\tcheck\n\tdump\n}"
        ),
    ),
    "braces_on_lines_of_their_own": (
        GRID,
        "cpp",
        "        return size_ + 1;\n",
        "replace the body of size",
        GRID.replace("return size_;", "return size_ + 1;"),
    ),
    "a_section_at_the_end": (
        PROJECT,
        "toml",
        'dependencies = [\n    "click",\n    "rich",\n]\n\n[tool.ruff]\nline-length = 100\n',
        "add rich, and a ruff section at the end",
        PROJECT.replace('"click",\n', '"click",\n    "rich",\n') + "\n[tool.ruff]\nline-length = 100\n",
    ),
    "headers_as_a_path": (
        STEPS,
        "yaml",
        STEPS.replace("    runs-on: ubuntu-latest\n", "")
        .replace("      - uses: actions/checkout@v4\n", "")
        .replace("      - run: pytest", "      - run: ruff check\n      - run: pytest"),
        "",
        STEPS.replace("      - run: pytest", "      - run: ruff check\n      - run: pytest"),
    ),
    "one_of_two_of_that_name": (
        ORDERS,
        "typescript",
        "  phone?: string;\n",
        "add an optional phone to Supplier, after email",
        ORDERS.replace("email: string;\n}", "email: string;\n  phone?: string;\n}"),
    ),
    "wrapped_with_nothing_beside_it": (
        PAGE,
        "html",
        '<section>\n  <div class="inner">\n    <!-- unchanged -->\n  </div>\n</section>\n',
        "",
        PAGE.replace(
            PAGE[PAGE.index("  <div") : PAGE.index("</main>")],
            "  <section>\n" + "".join(f"  {line}\n" for line in PAGE.splitlines()[1:-1]) + "  </section>\n",
        ),
    ),
}


BACKUP = """\
log() {
\techo "$1"
}

main() {
\tlog start
}

main "$@"
"""
STATES = """\
enum State {
  case idle
  case loaded

  var busy: Bool { false }
}
"""
LOCKED = """\
class Cache {
    void put(String key) {
        if (full()) {
            drop();
        }
    }
}
"""
WORDS = {
    "between_two": (
        ORDERS,
        "typescript",
        "  fax: string;\n",
        "In Customer I add fax between name and email",
        ORDERS.replace("email: string;", "fax: string;\n  email: string;", 1),
    ),
    "before_the_function_and_not_its_call": (
        BACKUP,
        "bash",
        "prune() {\n\trm old\n}\n",
        "put prune before main",
        BACKUP.replace("main() {", "prune() {\n\trm old\n}\n\nmain() {"),
    ),
    "the_last_of_its_sort": (
        STATES,
        "swift",
        "case failed\n",
        "I add failed as the last case of State",
        STATES.replace("  case loaded\n", "  case loaded\n  case failed\n"),
    ),
    "the_first_of_its_sort": (
        CONFIG,
        "json",
        '"dev": "vite"\n',
        "Add dev as the first entry of scripts",
        CONFIG.replace('"scripts": {\n', '"scripts": {\n    "dev": "vite",\n'),
    ),
    "a_block_around_one_that_ends_as_deep": (
        LOCKED,
        "java",
        (
            "    void put(String key) {\n        synchronized (lock) {\n"
            "            // ... existing code ...\n        }\n    }\n"
        ),
        "make put hold the lock",
        LOCKED.replace(
            LOCKED[LOCKED.index("        if") : LOCKED.index("    }\n}")],
            "        synchronized (lock) {\n            if (full()) {\n"
            "                drop();\n            }\n        }\n",
        ),
    ),
    "what_was_in_a_try": (
        (
            "function list(res) {\n  try {\n    res.json(rows());\n"
            "  } catch (error) {\n    res.status(500);\n  }\n}\n"
        ),
        "javascript",
        "function list(res) {\n  // ... what was inside the try ...\n}\n",
        "take the try/catch out of list",
        "function list(res) {\n  res.json(rows());\n}\n",
    ),
}


@pytest.mark.parametrize("name", WORDS)
def test_words_that_name_a_place_are_followed(name):
    """Two things that new code goes between, the first or the last of a sort."""
    file, language, edit, said, wanted = WORDS[name]
    assert wanted in results(file, edit, said, language)


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_file_is_read_by_its_units(name):
    """Rules, statements, sections, steps and members have names, whatever the language calls them."""
    file, language, edit, said, wanted = KINDS[name]
    assert wanted in results(file, edit, said, language)


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
