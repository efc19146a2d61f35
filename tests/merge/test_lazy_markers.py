"""Markers of every comment style stand for the file's own lines; what only looks like one is code."""

from __future__ import annotations

import pytest
from editing import changed

from fastapply import apply_edit

PYTHON = '''\
import os

LIMIT = 10


def load(path):
    """Read a file."""
    with open(path) as stream:
        return stream.read()


def store(path, text):
    """Write a file."""
    with open(path, "w") as stream:
        stream.write(text)


def main():
    text = load("in.txt")
    store("out.txt", text.upper())
'''

SCRIPT = """\
import { send } from './mail';

const limit = 10;

export function open(account) {
  account.active = true;
  account.since = Date.now();
  return account;
}

export function close(account) {
  account.active = false;
  send(account.owner, 'closed');
  return account;
}
"""

SHEET = """\
.card {
  color: black;
  padding: 4px;
}

.card a {
  color: blue;
  text-decoration: none;
}

.footer {
  color: grey;
}
"""

PAGE = """\
<main>
  <h1>Shop</h1>
  <section id="new">
    <p>New things</p>
    <a href="/new">All new</a>
  </section>
  <section id="old">
    <p>Old things</p>
    <a href="/old">All old</a>
  </section>
</main>
"""

QUERY = """\
CREATE TABLE users (
  id integer PRIMARY KEY,
  name text NOT NULL
);

CREATE TABLE orders (
  id integer PRIMARY KEY,
  user_id integer REFERENCES users (id),
  total integer NOT NULL
);
"""

STORE_SWAP = ('open(path, "w")', 'open(path, "w", encoding="utf-8")')
STORE = """\
def store(path, text):
    {0}
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)
"""
CLOSE_SWAP = ("'closed'", "'account closed'")
CLOSE = """\
export function close(account) {{
  account.active = false;
  send(account.owner, 'account closed');
  {0}
}}
"""


def in_python(marker):
    """Show the changed function between two markers and with one in it."""
    return f"{marker}\n\n{STORE.format(marker)}\n\n{marker}\n"


def in_script(marker):
    """Show the changed function behind a marker and with one in it."""
    return f"{marker}\n\n{CLOSE.format(marker)}"


@pytest.mark.parametrize(
    "marker",
    [
        "# ... existing code ...",
        "# ...",
        "#...",
        "# …",
        "# ... rest of the file unchanged",
        "# ... rest of the code ...",
        "# (existing code stays)",
        "# unchanged",
        "# [... existing code ...]",
        "# existing code",
        "...",
        "…",
    ],
)
def test_marker_in_a_hash_comment_keeps_the_lines_it_stands_for(marker):
    """Before, inside and behind the shown function, whatever its wording."""
    result = apply_edit(PYTHON, in_python(marker), path="a.py")
    assert (result.status, result.text) == ("applied", changed(PYTHON, STORE_SWAP))


@pytest.mark.parametrize(
    "marker",
    [
        "// ... existing code ...",
        "// ...",
        "//...",
        "// … rest unchanged",
        "/* ... */",
        "/* ... other functions ... */",
        "/* unchanged */",
        "// (keep the rest)",
        "// ... keep existing code",
        "// rest of the code remains the same",
        "...",
    ],
)
def test_marker_in_a_slash_comment_keeps_the_lines_it_stands_for(marker):
    """Before and inside the shown function, whatever its wording."""
    result = apply_edit(SCRIPT, in_script(marker), path="a.ts")
    assert (result.status, result.text) == ("applied", changed(SCRIPT, CLOSE_SWAP))


REWRITES = [
    pytest.param(
        "a.css",
        SHEET,
        "/* ... */\n\n.card a {\n  color: red;\n  /* ... */\n}\n\n/* ... */\n",
        changed(SHEET, ("blue", "red")),
        id="a sheet with markers in block comments",
    ),
    pytest.param(
        "a.html",
        PAGE,
        "<!-- ... -->\n"
        '  <section id="old">\n'
        "    <p>Very old things</p>\n"
        "    <!-- ... existing markup -->\n"
        "  </section>\n"
        "<!-- ... -->\n",
        changed(PAGE, ("Old things", "Very old things")),
        id="a page with markers in markup comments",
    ),
    pytest.param(
        "a.sql",
        QUERY,
        "-- ...\n\nCREATE TABLE orders (\n  -- ...\n  total numeric NOT NULL\n);\n",
        changed(QUERY, ("total integer", "total numeric")),
        id="a schema with markers in dash comments",
    ),
    pytest.param(
        "a.tsx",
        'export function Box() {\n  return (\n    <div>\n      <Head title="a" />\n      <Body />\n'
        '      <Foot note="b" />\n    </div>\n  );\n}\n',
        'export function Box() {\n  return (\n    <div>\n      {/* ... */}\n      <Foot note="c" />\n'
        "    </div>\n  );\n}\n",
        'export function Box() {\n  return (\n    <div>\n      <Head title="a" />\n      <Body />\n'
        '      <Foot note="c" />\n    </div>\n  );\n}\n',
        id="a component with a marker in a braced comment",
    ),
    pytest.param(
        "a.lua",
        "local limit = 10\n\nlocal function first(list)\n  return list[1]\nend\n\n"
        "local function last(list)\n  local size = #list\n  return list[size]\nend\n",
        "-- ... existing code ...\n\nlocal function last(list)\n  -- ...\n  return list[size] or limit\n"
        "end\n",
        "local limit = 10\n\nlocal function first(list)\n  return list[1]\nend\n\n"
        "local function last(list)\n  local size = #list\n  return list[size] or limit\nend\n",
        id="a script with markers in double dashes",
    ),
    pytest.param(
        "a.ini",
        "[server]\nhost = a.example\nport = 80\n\n[client]\nhost = b.example\nport = 81\n",
        "; ...\n\n[client]\n; ...\nport = 8081\n",
        "[server]\nhost = a.example\nport = 80\n\n[client]\nhost = b.example\nport = 8081\n",
        id="settings with markers in semicolon comments",
    ),
]


@pytest.mark.parametrize(("path", "original", "edit", "merged"), REWRITES)
def test_marker_of_every_comment_style_keeps_the_lines_it_stands_for(path, original, edit, merged):
    """Only the shown change arrives."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("applied", merged)


@pytest.mark.parametrize(("path", "original", "edit", "merged"), REWRITES)
def test_edit_with_markers_that_is_in_place_changes_nothing(path, original, edit, merged):
    """Put in a second time it is unchanged, and no marker is written."""
    assert original != merged
    result = apply_edit(merged, edit, path=path)
    assert (result.status, result.text) == ("unchanged", merged)


STUBS = """\
from typing import Protocol, overload


class Reader(Protocol):
    def read(self) -> str: ...

    def close(self) -> None:
        ...


class Writer(Protocol):
    def write(self, text: str) -> None:
        ...
"""
SPREAD = """\
const base = {
  host: 'a',
  port: 80,
};

export const options = {
  ...base,
  secure: false,
  retries: 3,
};
"""
NOTED = """\
# ... settings of the old server ...
HOST = "a"
PORT = 80

# ... settings of the new server ...
NEW_HOST = "b"
NEW_PORT = 81
"""
TEXTS = '''\
HELP = """
usage: tool FILE
# ... existing code ...
more words
"""


def run(name):
    print(HELP)
    return name
'''


@pytest.mark.parametrize(
    ("path", "original", "edit", "merged"),
    [
        pytest.param(
            "a.py",
            STUBS,
            "# ... existing code ...\n\n\nclass Writer(Protocol):\n"
            '    def write(self, text: str, end: str = "") -> None:\n        ...\n',
            changed(STUBS, ("text: str)", 'text: str, end: str = "")')),
            id="three dots as the body of a function stay code",
        ),
        pytest.param(
            "a.ts",
            SPREAD,
            "// ... existing code ...\n\nexport const options = {\n  ...base,\n  secure: true,\n"
            "  // ... existing code ...\n};\n",
            changed(SPREAD, ("false", "true")),
            id="a spread of an object stays code",
        ),
        pytest.param(
            "a.ts",
            SPREAD,
            "// ... existing code ...\n\nexport const options = {\n  ...base,\n  ...extra,\n"
            "  // ... existing code ...\n};\n",
            changed(SPREAD, ("  ...base,\n", "  ...base,\n  ...extra,\n")),
            id="a new spread is written",
        ),
        pytest.param(
            "a.py",
            NOTED,
            '# ... existing code ...\n\n# ... settings of the new server ...\nNEW_HOST = "c"\n'
            "NEW_PORT = 81\n",
            changed(NOTED, ('"b"', '"c"')),
            id="a comment of the file that looks like a marker stays a comment",
        ),
        pytest.param(
            "a.py",
            TEXTS,
            'HELP = """\nusage: tool [-v] FILE\n# ... existing code ...\nmore words\n"""\n\n\n'
            "# ... existing code ...\n",
            changed(TEXTS, ("tool FILE", "tool [-v] FILE")),
            id="a marker inside a string stays text",
        ),
        pytest.param(
            "a.js",
            "const page = `\n  <p>\n  // ... existing code ...\n  </p>\n`;\n\n"
            "function show(name) {\n  return page + name;\n}\n",
            "// ... existing code ...\n\nfunction show(name) {\n  return page + '\\n' + name;\n}\n",
            "const page = `\n  <p>\n  // ... existing code ...\n  </p>\n`;\n\n"
            "function show(name) {\n  return page + '\\n' + name;\n}\n",
            id="a marker inside a template stays text",
        ),
    ],
)
def test_what_only_looks_like_a_marker_is_code(path, original, edit, merged):
    """It is kept where it stands and written where it is new."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("applied", merged)


@pytest.mark.parametrize("edit", ["# ... existing code ...\n", "...\n", "# ...\n\n# ...\n", "\n\n"])
def test_edit_of_markers_alone_is_refused(edit):
    """It says nothing, and the text stays."""
    result = apply_edit(PYTHON, edit, path="a.py")
    assert (result.status, result.text) == ("refused", PYTHON)


def test_a_new_comment_about_what_remains_is_code():
    """It is no marker, and is not left out."""
    file = "def show(xs):\n    xs = sorted(xs)\n    print(xs)\n    return xs\n"
    edit = (
        "def show(xs):\n    xs = sorted(xs)[:1]\n    # the newest entry stays\n    print(xs)\n    return xs\n"
    )
    result = apply_edit(file, edit, path="a.py", instructions="show the newest entry only")
    assert (result.status, result.text) == ("applied", edit)
