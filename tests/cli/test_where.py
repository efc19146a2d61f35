"""`fastapply apply --in`, `--after`, `--before` and `--replace`: names as addresses."""

from __future__ import annotations

import json

import pytest

STORE = "class Store:\n    def get(self, key):\n        return self.items[key]\n"
NEW = "def has(self, key):\n    return key in self.items\n"
METHOD = "    def has(self, key):\n        return key in self.items\n"
AFTER = f"{STORE}\n{METHOD}"


@pytest.fixture
def store(folder):
    """`store.py`."""
    path = folder / "store.py"
    path.write_text(STORE, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("option", "name", "text"),
    [
        ("--after", "get", AFTER),
        ("--before", "Store.get", STORE.replace(":\n    def", f":\n{METHOD}\n    def")),
        ("--replace", "get", f"class Store:\n{METHOD}"),
        ("--in", "Store", AFTER),
    ],
)
def test_option_says_where_the_code_goes(fastapply, store, option, name, text):
    """The method goes in as deep as its neighbours; what was done is said as for any edit."""
    run = fastapply("apply", "store.py", option, name, edit=NEW)
    assert (run.status, run.err.startswith("store.py: applied"), store.read_text()) == (0, True, text)


def test_unknown_name_is_refused_with_one_that_is_near(fastapply, store):
    """The hint is a name of the file."""
    run = fastapply("apply", "store.py", "--after", "gte", edit=NEW)
    assert (run.status, store.read_text()) == (1, STORE)
    assert run.err == (
        "store.py: refused: there is no 'gte' in the file [no_such_name]\nhint: did you mean Store.get?\n"
    )


@pytest.mark.parametrize("more", [["--before", "get"], ["--at", "2"]])
def test_only_one_place_can_be_named(fastapply, store, more):
    """Two of them make no sense."""
    run = fastapply("apply", "store.py", "--after", "get", *more, edit=NEW)
    assert (run.status, store.read_text()) == (2, STORE)
    assert "--in, --after, --before, --replace and --at cannot be used together" in run.err


def test_line_of_a_batch_names_a_place(fastapply, store):
    """In words, as in Python and over MCP and HTTP."""
    lines = [{"file": "store.py", "edit": NEW, "where": where} for where in ("after get", "beyond get")]
    run = fastapply("batch", "-j", "1", edit="".join(f"{json.dumps(one)}\n" for one in lines))
    statuses = [json.loads(row)["status"] for row in run.out.splitlines()]
    assert (statuses, store.read_text()) == (["applied", "error"], AFTER)
