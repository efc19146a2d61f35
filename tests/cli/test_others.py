"""`fastapply prompt` and `doctor`."""

from __future__ import annotations

import pytest

from fastapply import apply_edit
from fastapply.edits.prompt_text import EXAMPLES, PATCH_EXAMPLE

MERGED = (
    """\
import json


class Store:
    def __init__(self, path):
        self.path = path
        self.items = {}

    def load(self):
        with open(self.path) as file:
            self.items = json.load(file)

    def get(self, key, default=None):
        return self.items.get(key, default)

    def put(self, key, value):
        self.items[key] = value
""",
    """\
const port = Number(process.env.PORT ?? 3000);
const host = "localhost";

start(port, host);
""",
)


@pytest.mark.parametrize(
    ("example", "merged"),
    list(zip(EXAMPLES, MERGED, strict=True)),
    ids=lambda one: getattr(one, "title", ""),
)
def test_examples_of_the_prompt_apply(example, merged):
    """A model that writes what it is taught is understood."""
    result = apply_edit(example.original, example.edit, path=example.path)
    assert (result.status, result.text) == ("applied", merged)
    fenced = f"Here is the edit.\n\n```\n{example.edit}```\n"
    assert apply_edit(example.original, fenced, path=example.path).text == merged


def test_patch_example_of_the_prompt_applies(fastapply, folder):
    """All of its files change."""
    (folder / "src").mkdir()
    (folder / "src/app.py").write_text("class App:\n    debug = True\n", encoding="utf-8")
    (folder / "src/old.py").write_text("x = 1\n", encoding="utf-8")
    assert fastapply("patch", edit=PATCH_EXAMPLE.replace("class App", "class App:")).status == 0
    assert fastapply("patch", edit=PATCH_EXAMPLE).status != 0  # the old file is gone
    assert (folder / "src/app.py").read_text(encoding="utf-8") == "class App:\n    debug = False\n"


def test_prompt_shows_rules_and_all_examples(fastapply):
    """On standard output, and nothing else."""
    run = fastapply("prompt")
    text = run.out.decode()
    assert (run.status, run.err) == (0, "")
    assert text.startswith("# How to write an edit\n")
    assert all(example.edit in text for example in EXAMPLES)
    assert PATCH_EXAMPLE in text
    assert len(text) < 6000


def test_doctor_finds_all_that_is_needed(fastapply):
    """One line for each check."""
    run = fastapply("doctor")
    assert run.status == 0
    assert run.out.decode().splitlines()[0].startswith("ok       fastapply ")
    assert "grammars" in run.out.decode()


def test_doctor_says_what_to_do_about_a_missing_model(fastapply, monkeypatch):
    """Not needed: the status stays 0."""
    monkeypatch.setattr("fastapply.cli.doctor.find_spec", lambda _name: None)
    run = fastapply("doctor", "--json")
    (model,) = [one for one in run.object["checks"] if one["name"] == "llama-cpp-python"]
    assert (run.status, run.object["ok"], model["status"], model["needed"]) == (0, True, "missing", False)
    assert "pip install '.[model]'" in model["advice"]


def test_doctor_fails_where_something_needed_is_broken(fastapply, monkeypatch, tmp_path):
    """A state folder that cannot be made."""
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("FASTAPPLY_STATE_DIR", str(tmp_path / "file" / "state"))
    run = fastapply("doctor", "--json")
    broken = [one["name"] for one in run.object["checks"] if one["status"] == "broken"]
    assert (run.status, run.object["ok"], broken) == (1, False, ["state folder"])


def test_doctor_finds_a_mistake_in_the_configuration(fastapply, user_config):
    """The file and the key are named, and what may be meant."""
    user_config.write_text("bakcup = true\n", encoding="utf-8")
    run = fastapply("doctor", "--json")
    (check,) = [one for one in run.object["checks"] if one["status"] == "broken"]
    assert (run.status, check["name"], check["advice"]) == (1, "configuration", "did you mean backup?")
    assert check["detail"] == f"{user_config}: unknown setting bakcup"


def test_doctor_says_what_to_do_about_missing_servers(fastapply, monkeypatch):
    """Not needed either."""
    monkeypatch.setattr("fastapply.server.find_spec", lambda _name: None)
    run = fastapply("doctor", "--json")
    (servers,) = [one for one in run.object["checks"] if one["name"] == "servers"]
    assert (run.status, servers["status"], servers["needed"]) == (0, "missing", False)
    assert "pip install '.[server]'" in servers["advice"]
