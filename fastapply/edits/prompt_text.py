"""How to write an edit, told to a coding model: by `fastapply prompt`, and by the tools of the MCP server."""

from __future__ import annotations

from fastapply.values import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """A file, and an edit of it as a model should write it."""

    title: str
    path: str
    original: str
    edit: str


EXAMPLES = (
    Example(
        "A lazy edit: change one method, add another",
        "store.py",
        """\
import json


class Store:
    def __init__(self, path):
        self.path = path
        self.items = {}

    def load(self):
        with open(self.path) as file:
            self.items = json.load(file)

    def get(self, key):
        return self.items[key]
""",
        """\
# ... existing code ...

    def get(self, key, default=None):
        return self.items.get(key, default)

    def put(self, key, value):
        self.items[key] = value
""",
    ),
    Example(
        "SEARCH/REPLACE: a few exact lines",
        "server.ts",
        """\
const port = 3000;
const host = "localhost";

start(port, host);
""",
        """\
<<<<<<< SEARCH
const port = 3000;
=======
const port = Number(process.env.PORT ?? 3000);
>>>>>>> REPLACE
""",
    ),
)

PATCH_EXAMPLE = """\
*** Begin Patch
*** Update File: src/app.py
@@ class App
-    debug = True
+    debug = False
*** Add File: src/version.py
+VERSION = "1.0"
*** Delete File: src/old.py
*** End Patch
"""

_INTRODUCTION = """\
# How to write an edit

Say only what changes. A program puts your edit into the file, and refuses it where it is not sure;
you then get a message that says which lines were meant, and send a better edit. Never renumber,
never repeat a whole file of which little changes.

## For one file

Write the changed code in one fence. Where code of the file stays and you leave it out, put a
comment line `... existing code ...` in the language of the file.
"""

LAZY_RULES = """\
- Copy unchanged lines exactly as they are in the file, indentation included.
- Show at least one unchanged line, or the line that opens the function or class, beside each change.
- Show enough that the place is the only one: of equal lines, show the enclosing definition as well.
- Between two lines that you show with no marker between them, everything else is removed.
  To remove code, show the lines before and after it, and nothing in between; or put a comment
  `(removed NAME)` in its place.
- A function that you show from its first line to its last, with no marker in it, is replaced whole.
- Do not cut the edit off, and do not add remarks inside the code.
"""

_EXACT = """\
For a few exact lines, a SEARCH/REPLACE block does as well: SEARCH holds consecutive lines of the
file that stand there only once, REPLACE what they become. Several blocks may follow one another.
"""

_SEVERAL = """\
## For several files

Name each file. All of them change, or none.
"""


_AGENTS = """\
# Editing files with fastapply

Edit files of this repository with fastapply. Call its MCP tool `edit_file`, or `edit_files` for several
files; `preview_edit` writes nothing. Without the tools, pipe the edit into `fastapply apply FILE -` or
`fastapply patch -`, and say in one sentence what it does: `-i "add a retry to fetch"`.

A refused edit leaves the file as it was. If the refusal asks a question with numbered answers, read the
lines that each answer changes, and those under `in any case`, which every answer changes:

- If one of them is what you mean, make the same call again with `pick` set to the question's id and the
  number, such as `4f0c2a91:1`. On the command line, add `--pick 1`.
- If it lists places instead, make the same call with `at_lines`, such as `41-47`. On the command line,
  add `--at 41-47`.
- If no answer is right, send another edit: a SEARCH/REPLACE block with lines that are only at that place.

Never pick an answer that you have not read, and do not rewrite the whole file instead.

"""


def agents_text() -> str:
    """Give the instructions for agents that `fastapply init` puts into AGENTS.md."""
    return _AGENTS + prompt_text()


def prompt_text() -> str:
    """Give the text for a coding model's system prompt."""
    shown = [
        f"### {one.title}\n\n`{one.path}` is\n\n```\n{one.original}```\n\nthe edit\n\n```\n{one.edit}```\n"
        for one in EXAMPLES
    ]
    return "\n".join([_INTRODUCTION, LAZY_RULES, _EXACT, *shown, f"{_SEVERAL}\n```\n{PATCH_EXAMPLE}```\n"])
