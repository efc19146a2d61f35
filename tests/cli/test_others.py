"""`fastapply prompt`, `doctor` and `check-markers`."""

from __future__ import annotations

import pytest

from fastapply import apply_edit
from fastapply.teaching import EXAMPLES, PATCH_EXAMPLE


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
def test_examples_of_the_prompt_apply(example):
    """A model that writes what it is taught is understood."""
    result = apply_edit(example.original, example.edit, path=example.path)
    assert (result.status, result.text) == ("applied", example.merged)
    fenced = f"Here is the edit.\n\n```\n{example.edit}```\n"
    assert apply_edit(example.original, fenced, path=example.path).text == example.merged


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
    assert "pip install 'fastapply[model]'" in model["advice"]


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
    assert check["detail"] == f"{user_config}: there is no setting bakcup"


LEFT = {
    "python": ("a.py", "import os\n# ... existing code ...\nx = 1\n", 2),
    "script": ("a.ts", "a();\n// ... rest of the file unchanged\n", 2),
    "markup": ("a.html", "<p>\n<!-- ... existing markup ... -->\n</p>\n", 2),
    "jsx": ("a.tsx", "<p>\n  {/* ... existing code ... */}\n</p>\n", 2),
    "sql": ("a.sql", "select 1;\n-- ... other code unchanged ...\n", 2),
    "ellipsis": ("a.go", "x := 1\n// … remaining methods …\n", 2),
}
FINE = {
    "python's ellipsis": ("a.py", "def f():\n    ...\n"),
    "remark": ("a.js", "// unchanged\nconst keep = 1; // keep the imports\n"),
    "spread": ("a.js", "f(...existing);\nconst a = { ...rest };\n"),
    "loading": ("a.py", "# Waiting for the server ...\nprint('Loading ...')\n"),
    "in a string": ("a.py", 's = """\n# ... existing code ...\n"""\n'),
    "in a fence": ("a.md", "Write\n\n```python\n# ... existing code ...\n```\n"),
    "binary": ("a.bin", "\0# ... existing code ...\n"),
    "empty": ("a.txt", ""),
}


@pytest.mark.parametrize("case", LEFT)
def test_marker_that_was_left_in_fails_the_hook(fastapply, folder, case):
    """The file and the line are named."""
    name, text, line = LEFT[case]
    (folder / name).write_text(text, encoding="utf-8")
    run = fastapply("check-markers", name)
    assert run.status == 1
    assert run.out.decode().startswith(f"{name}:{line}: ")
    assert len(run.out.splitlines()) == 1


@pytest.mark.parametrize("case", FINE)
def test_line_that_may_be_code_passes_the_hook(fastapply, folder, case):
    """What is not surely a marker is none."""
    name, text = FINE[case]
    (folder / name).write_text(text, encoding="utf-8")
    run = fastapply("check-markers", name)
    assert (run.status, run.out) == (0, b"")


def test_hook_looks_at_all_files(fastapply, folder):
    """Also behind one that fails, and with none at all."""
    for name in ("a.py", "b.py", "c.py"):
        (folder / name).write_text("# ... existing code ...\nx = 1\n" if name != "b.py" else "", "utf-8")
    run = fastapply("check-markers", "a.py", "b.py", "c.py")
    assert (run.status, len(run.out.splitlines())) == (1, 2)
    assert fastapply("check-markers").status == 0
    assert fastapply("check-markers", "no.py").status == 4


def test_doctor_says_what_to_do_about_missing_servers(fastapply, monkeypatch):
    """Not needed either."""
    monkeypatch.setattr("fastapply.server.find_spec", lambda _name: None)
    run = fastapply("doctor", "--json")
    (servers,) = [one for one in run.object["checks"] if one["name"] == "servers"]
    assert (run.status, servers["status"], servers["needed"]) == (0, "missing", False)
    assert "pip install 'fastapply[server]'" in servers["advice"]
