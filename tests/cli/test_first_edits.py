"""What a newcomer tries first, through the command line: right, or a question and the file untouched."""

from __future__ import annotations

from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class First:
    """A file, an edit and words for it, and what the file becomes."""

    name: str
    file: str
    edit: str
    said: str
    right: str


PAIR = """\
class Pair:
    def f(self):
        return 1

    def g(self):
        return 2
"""
CALCULATOR = """\
class Calculator {
  constructor(precision) {
    this.precision = precision;
  }

  add(a, b) {
    return round(a + b, this.precision);
  }
}
"""
STORE = """\
class Store(
    private val field: Field,
    private val clock: Clock,
) {
    fun load() = field.read(clock.now())
}
"""
CALLS = """\
import { track, flush } from "./metrics";

export function close(session) {
  track("close", session.id);
  track("close", session.id);
  flush();
}

export function pause(session) {
  track("pause", session.id);
  flush();
}
"""
PANEL = """\
def panel(user):
    if flags.PANEL:
        rows = load(user)
        return render(rows)
    return None


def footer():
    return ""
"""
FIRST = [
    First(
        "class_shown_with_one_of_its_two_methods",
        PAIR,
        "class Pair:\n    def g(self):\n        return 20\n",
        "",
        PAIR.replace("return 2\n", "return 20\n"),
    ),
    First("key_for_a_small_mapping", "a: 1\nb: 2\n", "c: 3\n", "add c", "a: 1\nb: 2\nc: 3\n"),
    First(
        "function_after_another",
        "function foo() {\n  return 1;\n}\n",
        "function bar() {\n  return 2;\n}\n",
        "add bar after foo",
        "function foo() {\n  return 1;\n}\n\nfunction bar() {\n  return 2;\n}\n",
    ),
    First(
        "class_shown_with_an_old_and_a_new_method",
        CALCULATOR,
        "class Calculator {\n  add(a, b) {\n    return round(a + b, this.precision);\n  }\n\n"
        "  multiply(a, b) {\n    return round(a * b, this.precision);\n  }\n}\n",
        "add multiply",
        CALCULATOR.replace(
            "  }\n}\n", "  }\n\n  multiply(a, b) {\n    return round(a * b, this.precision);\n  }\n}\n"
        ),
    ),
    First(
        "field_beside_one_of_a_like_name",
        STORE,
        "    private val newField: Field,\n    private val clock: Clock,\n",
        "",
        STORE.replace("    private val clock", "    private val newField: Field,\n    private val clock"),
    ),
    First(
        "one_of_two_equal_calls",
        CALLS,
        'export function close(session) {\n  track("close", session.id);\n  flush();\n}\n',
        "I will remove the call that stands there twice",
        CALLS.replace('  track("close", session.id);\n', "", 1),
    ),
    First(
        "comment_that_tells_of_a_removal",
        CALLS,
        "export function pause(session) {\n  // removed the track call\n  flush();\n}\n",
        "I will no longer track pauses",
        CALLS.replace('  track("pause", session.id);\n', ""),
    ),
    First(
        "body_without_the_flag_around_it",
        PANEL,
        "def panel(user):\n    # ... the body, without the flag around it ...\n",
        "the flag is gone",
        PANEL.replace(
            "    if flags.PANEL:\n        rows = load(user)\n        return render(rows)\n    return None\n",
            "    rows = load(user)\n    return render(rows)\n",
        ),
    ),
    First(
        "line_of_an_env_file",
        "APP_ENV=local\nQUEUE_CONNECTION=sync\nCACHE_STORE=file\n",
        "QUEUE_CONNECTION=redis\n",
        "",
        "APP_ENV=local\nQUEUE_CONNECTION=redis\nCACHE_STORE=file\n",
    ),
    First(
        "key_of_a_json_file",
        '{\n  "name": "shop",\n  "scripts": {\n    "build": "tsc",\n    "test": "vitest"\n  }\n}\n',
        '"lint": "eslint ."\n',
        "add a lint script after test",
        '{\n  "name": "shop",\n  "scripts": {\n    "build": "tsc",\n    "test": "vitest",\n'
        '    "lint": "eslint ."\n  }\n}\n',
    ),
    First(
        "import_beside_the_others",
        "import os\nimport sys\n\n\ndef run():\n    return os.getcwd(), sys.argv\n",
        "import json\n",
        "add the json import",
        "import json\nimport os\nimport sys\n\n\ndef run():\n    return os.getcwd(), sys.argv\n",
    ),
    First(
        "method_at_the_end_of_a_class",
        PAIR + "\n\ndef main():\n    return Pair()\n",
        "    def h(self):\n        return 3\n",
        "add h at the end of Pair",
        PAIR + "\n    def h(self):\n        return 3\n\n\ndef main():\n    return Pair()\n",
    ),
    First(
        "function_at_the_end_of_a_file",
        "def one():\n    return 1\n\n\ndef two():\n    return 2\n",
        "def three():\n    return 3\n",
        "add three at the end of the file",
        "def one():\n    return 1\n\n\ndef two():\n    return 2\n\n\ndef three():\n    return 3\n",
    ),
    First(
        "route_after_another",
        'const app = express();\n\napp.get("/users", listUsers);\napp.post("/users", createUser);\n\n'
        "app.listen(3000);\n",
        'app.delete("/users/:id", deleteUser);\n',
        "add the delete route after the post route",
        'const app = express();\n\napp.get("/users", listUsers);\napp.post("/users", createUser);\n'
        'app.delete("/users/:id", deleteUser);\n\napp.listen(3000);\n',
    ),
]
NAMES = {
    "class_shown_with_one_of_its_two_methods": "pair.py",
    "key_for_a_small_mapping": "a.yaml",
    "field_beside_one_of_a_like_name": "Store.kt",
    "body_without_the_flag_around_it": "panel.py",
    "line_of_an_env_file": ".env",
    "key_of_a_json_file": "package.json",
    "import_beside_the_others": "run.py",
    "method_at_the_end_of_a_class": "pair.py",
    "function_at_the_end_of_a_file": "numbers.py",
}


RIGHT = {
    "line_of_an_env_file",
    "key_of_a_json_file",
    "function_after_another",
    "route_after_another",
    "class_shown_with_an_old_and_a_new_method",
    "function_at_the_end_of_a_file",
    "comment_that_tells_of_a_removal",
    "method_at_the_end_of_a_class",
}
"""Those that are written; the others are a question so far."""


@pytest.mark.parametrize("first", FIRST, ids=lambda one: one.name)
def test_nothing_that_a_newcomer_tries_is_silently_wrong(fastapply, folder, first):
    """Written as it is meant, or a question, with the file as it was."""
    path = folder / NAMES.get(first.name, "file.js")
    path.write_text(first.file)
    (folder / "edit.txt").write_text(first.edit)
    run = fastapply("apply", path.name, "edit.txt", "--instructions", first.said, "--engine", "deterministic")
    wanted = (0, first.right) if first.name in RIGHT else (1, first.file)
    assert (run.status, path.read_text()) == wanted
