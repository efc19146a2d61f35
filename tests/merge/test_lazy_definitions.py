"""Definitions that change their name, signature, decorators, comments or place."""

from __future__ import annotations

import pytest
from editing import changed

from fastapply import apply_edit

PYTHON = '''\
import json
import os
import time

from shop import rates


def total(items):
    """Add up the prices."""
    return sum(item.price for item in items)


def label(item):
    return f"{item.name}: {item.price}"


@cached
def lookup(name):
    """Find a rate by its name."""
    started = time.time()
    found = rates.get(name)
    print(time.time() - started)
    return found


def main(items):
    print(total(items))
    print(json.dumps([label(item) for item in items]))
    print(os.getcwd())
'''
TYPED = """\
import { a } from './a';
import { b } from './b';
import { c } from './c';

/**
 * Sends a message.
 */
export async function send(to: string, text: string) {
  const body = a(text);
  await b(to, body);
  return c(body);
}

/** Counts the words of a text. */
function count(text: string) {
  return text.split(' ').length;
}

export function report(text: string) {
  return `${count(text)} words`;
}
"""
LOOKUP = '''\
@cached
def lookup(name):
    """Find a rate by its name."""
    started = time.time()
    found = rates.get(name)
    print(time.time() - started)
    return found


'''

REWRITES = [
    pytest.param(
        "a.py",
        PYTHON,
        '# ...\n\n\ndef price_of(items):\n    """Add up the prices."""\n'
        "    return sum(item.price for item in items)\n\n\n# ...\n\n\ndef main(items):\n"
        "    print(price_of(items))\n    # ...\n",
        changed(PYTHON, ("def total(", "def price_of("), ("print(total(", "print(price_of(")),
        id="a function renamed together with its call",
    ),
    pytest.param(
        "a.ts",
        TYPED,
        "// ...\n\n/** Counts the words of a text. */\nfunction countWords(text: string) {\n"
        "  return text.split(' ').length;\n}\n\nexport function report(text: string) {\n"
        "  return `${countWords(text)} words`;\n}\n",
        changed(TYPED, ("function count(", "function countWords("), ("${count(", "${countWords(")),
        id="a function renamed together with its call in a template",
    ),
    pytest.param(
        "a.ts",
        TYPED,
        "// ...\nexport async function send(to: string, text: string, urgent = false) {\n"
        "  const body = a(text);\n  await b(to, body, urgent);\n  // ...\n}\n// ...\n",
        changed(
            TYPED,
            ("text: string) {\n  const", "text: string, urgent = false) {\n  const"),
            ("b(to, body)", "b(to, body, urgent)"),
        ),
        id="a signature with one parameter more",
    ),
    pytest.param(
        "a.py",
        PYTHON,
        '# ...\n\n@cached\ndef lookup(name, default=None):\n    """Find a rate by its name."""\n    # ...\n'
        "    found = rates.get(name, default)\n    # ...\n\n# ...\n",
        changed(
            PYTHON,
            ("def lookup(name)", "def lookup(name, default=None)"),
            ("rates.get(name)", "rates.get(name, default)"),
        ),
        id="a signature below a decorator",
    ),
    pytest.param(
        "a.py",
        PYTHON,
        "# ...\n\n@cached\n@timed\ndef lookup(name):\n    # ...\n\n# ...\n",
        changed(PYTHON, ("@cached\n", "@cached\n@timed\n")),
        id="a second decorator",
    ),
    pytest.param(
        "a.py",
        PYTHON,
        "# ...\n\n@shared\ndef label(item):\n    # ...\n\n# ...\n",
        changed(PYTHON, ("def label", "@shared\ndef label")),
        id="a first decorator",
    ),
    pytest.param(
        "a.py",
        PYTHON,
        '# ...\n\ndef label(item):\n    """Name and price."""\n    # ...\n\n# ...\n',
        changed(PYTHON, ("def label(item):\n", 'def label(item):\n    """Name and price."""\n')),
        id="a docstring where there was none",
    ),
    pytest.param(
        "a.ts",
        TYPED,
        "// ...\n/**\n * Sends a message, at once.\n */\n"
        "export async function send(to: string, text: string) {\n"
        "  // ...\n}\n// ...\n",
        changed(TYPED, (" * Sends a message.\n", " * Sends a message, at once.\n")),
        id="other words in a doc comment",
    ),
]


@pytest.mark.parametrize(("path", "original", "edit", "merged"), REWRITES)
def test_definition_is_changed_where_it_stands(path, original, edit, merged):
    """There is no second copy, and what belongs to it stays beside it."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("applied", merged)


@pytest.mark.parametrize(("path", "original", "edit", "merged"), REWRITES)
def test_definition_that_is_changed_already_stays(path, original, edit, merged):
    """The same edit a second time is unchanged."""
    assert original != merged
    result = apply_edit(merged, edit, path=path)
    assert (result.status, result.text) == ("unchanged", merged)


IMPORTS = [
    pytest.param(
        "a.py",
        PYTHON,
        "import json\nimport os\n\nfrom shop import rates, taxes\n\n# ...\n\n\n@cached\ndef lookup(name):\n"
        '    """Find a rate by its name."""\n    return rates.get(name) or taxes.get(name)\n\n\n# ...\n',
        changed(
            PYTHON,
            ("import time\n", ""),
            ("import rates", "import rates, taxes"),
            (
                (
                    "    started = time.time()\n    found = rates.get(name)\n"
                    "    print(time.time() - started)\n    return found\n"
                ),
                "    return rates.get(name) or taxes.get(name)\n",
            ),
        ),
        id="an import that nothing uses any more goes",
    ),
    pytest.param(
        "a.py",
        PYTHON,
        "import json\nimport logging\nimport os\nimport time\n\n# ...\n",
        changed(PYTHON, ("import os\n", "import logging\nimport os\n")),
        id="an import between two shown ones",
    ),
    pytest.param(
        "a.c",
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\nint main(void)\n{\n"
        '    char *text = malloc(8);\n    strcpy(text, "hello");\n    printf("%s\\n", text);\n'
        "    free(text);\n    return 0;\n}\n",
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n\n// ...\n",
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n\n"
        "int main(void)\n{\n"
        '    char *text = malloc(8);\n    strcpy(text, "hello");\n    printf("%s\\n", text);\n'
        "    free(text);\n    return 0;\n}\n",
        id="an include behind the last",
    ),
]


@pytest.mark.parametrize(("path", "original", "edit", "merged"), IMPORTS)
def test_imports_shown_at_the_top_become_those_of_the_file(path, original, edit, merged):
    """New ones come in where they are shown."""
    result = apply_edit(original, edit, path=path)
    assert (result.status, result.text) == ("applied", merged)


def test_import_that_the_edit_leaves_out_but_the_file_uses_is_never_lost():
    """Only imports are shown, without one that is used: it stays, or the edit is refused."""
    result = apply_edit(PYTHON, "import json\nimport logging\nimport time\n\n# ...\n", path="a.py")
    kept = changed(PYTHON, ("import os\n", "import logging\nimport os\n"))
    other = changed(PYTHON, ("import os\n", "import os\nimport logging\n"))
    assert (result.status, result.text) in {("refused", PYTHON), ("applied", kept), ("applied", other)}


def test_function_that_is_shown_at_another_place_is_moved():
    """It leaves its old place, which the edit shows as well."""
    edit = (
        '# ...\n\ndef total(items):\n    """Add up the prices."""\n'
        "    return sum(item.price for item in items)\n\n\n" + LOOKUP + "def label(item):\n"
        '    return f"{item.name}: {item.price}"\n\n\ndef main(items):\n    # ...\n'
    )
    merged = changed(PYTHON, (LOOKUP, "")).replace("def label", LOOKUP + "def label")
    result = apply_edit(PYTHON, edit, path="a.py")
    assert (result.status, result.text) == ("applied", merged)


def test_function_that_is_shown_at_another_place_is_never_there_twice():
    """Where its old place is hidden behind a marker, it is moved or the edit is refused."""
    edit = "# ...\n\n" + LOOKUP + "def label(item):\n    # ...\n\n\n# ...\n"
    merged = changed(PYTHON, (LOOKUP, "")).replace("def label", LOOKUP + "def label")
    result = apply_edit(PYTHON, edit, path="a.py")
    assert (result.status, result.text) in {("refused", PYTHON), ("applied", merged)}


def test_function_renamed_while_its_old_name_is_still_called_is_never_silently_lost():
    """The shown one is new, and the called one stays; or the edit is refused."""
    edit = (
        '# ...\n\n\ndef price_of(items):\n    """Add up the prices."""\n'
        "    return sum(item.price for item in items)\n\n\n# ...\n"
    )
    result = apply_edit(PYTHON, edit, path="a.py")
    assert "def total(" in result.text or "total(items)" not in result.text


def test_doc_comment_above_a_rewritten_body_is_never_there_twice():
    """The shown one takes the place of the file's, or the edit is refused."""
    edit = (
        "// ...\n\n/** Finds out how many words there are, blanks left out. */\n"
        "function count(text: string) {\n  return text.trim().split(/\\s+/).length;\n}\n\n// ...\n"
    )
    merged = changed(
        TYPED,
        ("/** Counts the words of a text. */", "/** Finds out how many words there are, blanks left out. */"),
        ("text.split(' ').length", "text.trim().split(/\\s+/).length"),
    )
    result = apply_edit(TYPED, edit, path="a.ts")
    assert (result.status, result.text) in {("applied", merged), ("refused", TYPED)}


@pytest.mark.parametrize("around", ["", "# ...\n"])
def test_body_below_a_header_of_several_lines_is_replaced(around):
    """The line that ends the header opens the body, and the body that is shown is the whole one."""
    before = (
        "import os\n\n\ndef main(\n    name: str,\n    size: int = 3,\n):\n    os.log(name)\n\n\nmain()\n"
    )
    shown = "def main(\n    name: str,\n    size: int = 3,\n):\n    print(name)\n"
    result = apply_edit(before, f"{around}{shown}\n\n{around}" if around else shown, path="a.py")
    assert (result.status, result.text) == ("applied", before.replace("os.log(name)", "print(name)"))


QUEUE = """\
class Queue {
  push(task) {
    this.items.push(task);
    this.next();
  }

  next() {
    if (this.running >= this.limit) {
      return;
    }
    const task = this.items.shift();
    if (!task) {
      return;
    }
    this.running += 1;
    task().finally(() => {
      this.running -= 1;
      this.next();
    });
  }
}

module.exports = Queue;
"""


def test_body_rewritten_from_end_to_end_takes_the_place_of_the_old_one_however_long_that_was():
    """Nothing but the header is shared, and what follows is new, too."""
    new = (
        "  next() {\n    while (this.running < this.limit && this.items.length > 0) {\n"
        "      this.run(this.items.shift());\n    }\n  }\n\n  async run(task) {\n    this.running += 1;\n"
        "    await task();\n    this.running -= 1;\n    this.next();\n  }\n}\n\nmodule.exports = Queue;\n"
    )
    result = apply_edit(QUEUE, f"  // ...\n\n{new}", path="queue.js")
    assert result.text == QUEUE[: QUEUE.index("  next() {")] + new


def test_last_function_of_an_edit_is_rewritten_to_its_end():
    """Its old body shares no line with the new one."""
    original = (
        "def fetch(url):\n    return get(url)\n\n\ndef fetch_all(urls):\n    results = []\n"
        "    for url in urls:\n        try:\n            results.append(fetch(url))\n"
        "        except TimeoutError:\n            results.append(None)\n    return results\n"
    )
    new = (
        "def fetch_one(url):\n    try:\n        return fetch(url)\n    except TimeoutError:\n"
        "        return None\n\n\ndef fetch_all(urls):\n    return [fetch_one(url) for url in urls]\n"
    )
    result = apply_edit(original, f"# ...\n\n{new}", path="fetch.py")
    assert result.text == original[: original.index("def fetch_all")] + new
