"""Settings at work: `fastapply config`, and what they change about the other commands."""

from __future__ import annotations

import json

import pytest

from fastapply.merge.certainty.weights import load_weights

CHANGE = "<<<<<<< SEARCH\ntwo words\n=======\n2 words\n>>>>>>> REPLACE\n"
PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-two words\n+2 words\n*** End Patch\n"
BEFORE = b"one\ntwo words\n"
AFTER = b"one\n2 words\n"


@pytest.fixture
def project(folder):
    """A folder with a file, and a project's settings."""
    (folder / "a.txt").write_bytes(BEFORE)
    (folder / ".git").mkdir()

    def configure(text):
        (folder / "fastapply.toml").write_text(text, encoding="utf-8")
        return folder

    return configure


def names(folder):
    """The files in a folder."""
    return sorted(path.name for path in folder.iterdir() if path.is_file())


@pytest.mark.parametrize(
    ("command", "edit"), [(["apply", "a.txt"], CHANGE), (["patch"], PATCH)], ids=["apply", "patch"]
)
def test_settings_are_options_that_nobody_has_to_write(fastapply, project, command, edit):
    """And the option that says the contrary wins."""
    folder = project("backup = true\nquiet = true\n")
    run = fastapply(*command, "--no-backup", "--no-quiet", edit=edit)
    assert (run.status, run.err, names(folder)) == (
        0,
        "a.txt: applied (+1 -1)\n",
        ["a.txt", "fastapply.toml"],
    )
    (folder / "a.txt").write_bytes(BEFORE)
    run = fastapply(*command, edit=edit)
    assert (run.status, run.err, names(folder)) == (0, "", ["a.txt", "a.txt~", "fastapply.toml"])


def test_patch_takes_the_settings_of_its_root(fastapply, project, tmp_path, monkeypatch):
    """Wherever it is called."""
    folder = project("backup = true\n")
    monkeypatch.chdir(tmp_path)
    assert fastapply("patch", "--root", str(folder), edit=PATCH).status == 0
    assert "a.txt~" in names(folder)


def test_undo_can_be_switched_off(fastapply, project, monkeypatch):
    """By an option, by a variable, by the user's file: but not by a project."""
    folder = project("undo = false\n")
    run = fastapply("apply", "a.txt", edit=CHANGE)
    assert (run.status, fastapply("undo").status) == (0, 0)
    assert "fastapply.toml: undo is ignored" in run.err
    folder = project("")
    assert fastapply("apply", "a.txt", "--no-undo", edit=CHANGE).status == 0
    assert fastapply("undo").status == 1
    (folder / "a.txt").write_bytes(BEFORE)
    monkeypatch.setenv("FASTAPPLY_UNDO", "0")
    assert fastapply("apply", "a.txt", edit=CHANGE).status == 0
    assert fastapply("undo").status == 1
    (folder / "a.txt").write_bytes(BEFORE)
    assert fastapply("apply", "a.txt", "--undo", edit=CHANGE).status == 0
    assert fastapply("undo").status == 0


def test_limits_of_undo_are_settings(fastapply, project, user_config):
    """The oldest writes go."""
    folder = project("")
    user_config.write_text("undo_entries = 2\n", encoding="utf-8")
    for _ in range(4):
        (folder / "a.txt").write_bytes(BEFORE)
        assert fastapply("apply", "a.txt", edit=CHANGE).status == 0
    assert len(fastapply("log").out.splitlines()) == 2


def test_a_cloned_project_cannot_choose_the_engine(fastapply, project):
    """Not even one that is not installed: the edit goes in, with a warning."""
    folder = project('engine = "model"\nendpoint = "https://example.org"\nmodel = "/tmp/evil.gguf"\n')
    run = fastapply("apply", "a.txt", "-q", edit=CHANGE)
    assert (run.status, (folder / "a.txt").read_bytes()) == (0, AFTER)
    warned = [line.split(": ")[2].split(" ")[0] for line in run.err.splitlines()]
    assert warned == ["engine", "endpoint", "model"]


def test_a_cloned_project_cannot_weaken_the_verifier(fastapply, project, monkeypatch):
    """A merge that does not pass is refused; the user may say otherwise."""
    folder = project('allow = ["parse_error"]\n')
    (folder / "a.json").write_bytes(b'{"one": 1,\n "two": 2}\n')
    bad = '<<<<<<< SEARCH\n "two": 2}\n=======\n "two": [2}\n>>>>>>> REPLACE\n'
    assert fastapply("apply", "a.json", "--json", edit=bad).object["reason"] == "parse_error"
    monkeypatch.setenv("FASTAPPLY_ALLOW", "parse_error")
    assert fastapply("apply", "a.json", edit=bad).status == 0


def test_a_wrong_setting_ends_a_run_before_it_begins(fastapply, project):
    """With status 2, and in JSON for programs."""
    folder = project("bakcup = true\n")
    run = fastapply("apply", "a.txt", edit=CHANGE)
    assert (run.status, (folder / "a.txt").read_bytes()) == (2, BEFORE)
    assert run.err.splitlines()[1] == "hint: did you mean backup?"
    run = fastapply("patch", "--json", edit=PATCH)
    assert (run.status, run.object["status"], run.object["reason"]) == (2, "error", "usage")


def test_config_shows_each_value_and_its_source(fastapply, project, user_config, monkeypatch):
    """As TOML with remarks; and in JSON."""
    folder = project("stage = true\n")
    user_config.write_text('allow = ["parse_error"]\n', encoding="utf-8")
    monkeypatch.setenv("FASTAPPLY_UNDO_DAYS", "7")
    assert fastapply("config").out.decode().splitlines() == [
        'engine = "auto"  # default',
        f'allow = ["parse_error"]  # {user_config}',
        'model = ""  # default',
        'endpoint = ""  # default',
        "backup = false  # default",
        "require_clean = false  # default",
        f"stage = true  # {folder / 'fastapply.toml'}",
        "quiet = false  # default",
        "smooth = false  # default",
        f"min_certainty = {load_weights().threshold}  # default",
        "undo = true  # default",
        "undo_entries = 1000  # default",
        "undo_megabytes = 100  # default",
        "undo_days = 7  # FASTAPPLY_UNDO_DAYS",
        "keep_log = false  # default",
    ]
    shown = fastapply("config", "show", "a.txt", "--json").object
    assert shown["settings"]["stage"] == {
        "value": True,
        "source": "project",
        "where": str(folder / "fastapply.toml"),
    }
    assert shown["settings"]["undo_days"]["source"] == "environment"
    assert shown["settings"]["min_certainty"]["value"] == load_weights().threshold
    assert shown["settings"]["quiet"] == {"value": False, "source": "default", "where": None}
    assert shown["files"] == {"user": str(user_config), "project": str(folder / "fastapply.toml")}


def test_config_names_its_files(fastapply, project, user_config, folder):
    """Also those that are not there."""
    assert fastapply("config", "path").out.decode() == f"user     {user_config}\nproject  (none)\n"
    project("")
    user_config.unlink()
    run = fastapply("config", "path")
    assert run.status == 2
    assert "cannot read the configuration" in run.err
    assert json.loads(fastapply("config", "--json", "path").out)["reason"] == "usage"
    assert names(folder) == ["a.txt", "fastapply.toml"]
