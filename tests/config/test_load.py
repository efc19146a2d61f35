"""The layers of the configuration: which value wins, what a project may not set, and what is refused."""

from __future__ import annotations

import os

import pytest

from fastapply.config import load
from fastapply.config.keys import KEYS, NEVER_OF_A_PROJECT
from fastapply.errors import UsageError
from fastapply.merge.certainty.weights import load_weights


@pytest.fixture
def project(tmp_path):
    """A repository with a folder two levels down."""
    root = tmp_path / "project"
    (root / "src/deep").mkdir(parents=True)
    (root / ".git").mkdir()
    return root


def put(folder, text, name="fastapply.toml"):
    """Write a configuration file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def sources(found):
    """Where each value comes from that is no default."""
    return {
        name: (setting.value, setting.source, setting.where)
        for name, setting in found.settings.items()
        if setting.source != "default"
    }


def test_without_files_and_variables_all_is_default(project, user_config):
    """Each key has a value, and no file of a project is named."""
    found = load(project)
    assert {name: found[name] for name in found.settings} == {key.name: key.default for key in KEYS.values()}
    assert (sources(found), found.project_file, found.user_file) == ({}, None, user_config)


def test_the_nearest_layer_wins(project, user_config, monkeypatch):
    """Environment over project over user over default, key by key; lists are not joined."""
    put(
        user_config.parent,
        'backup = true\nstage = true\nquiet = true\nallow = ["parse_error"]',
        "config.toml",
    )
    own = put(project, "stage = false\nquiet = false")
    monkeypatch.setenv("FASTAPPLY_QUIET", "yes")
    monkeypatch.setenv("FASTAPPLY_ALLOW", "lost_lines, doubled_line")
    assert sources(load(project / "src/deep/file.py")) == {
        "backup": (True, "user", str(user_config)),
        "stage": (False, "project", str(own)),
        "quiet": (True, "environment", "FASTAPPLY_QUIET"),
        "allow": (("lost_lines", "doubled_line"), "environment", "FASTAPPLY_ALLOW"),
    }


def test_user_file_lies_where_the_platform_wants_it(project, tmp_path, monkeypatch):
    """Unless a variable names another one."""
    import platformdirs

    monkeypatch.delenv("FASTAPPLY_CONFIG")
    monkeypatch.setattr(platformdirs, "user_config_path", lambda name, **_rest: tmp_path / name)
    assert load(project).user_file == tmp_path / "fastapply" / "config.toml"
    (tmp_path / "fastapply").mkdir()
    put(tmp_path / "fastapply", "undo = false", "config.toml")
    assert load(project)["undo"] is False


@pytest.mark.parametrize("table", ["[tool.fastapply]\nstage = true\n", "tool.fastapply.stage = true\n"])
def test_pyproject_with_the_table_is_a_project_file(project, table):
    """However the table is written."""
    file = put(project, f"[project]\nname = 'x'\n\n{table}" if table[0] == "[" else table, "pyproject.toml")
    assert load(project / "src").project_file == file
    assert load(project / "src")["stage"] is True


@pytest.mark.parametrize(
    "text",
    ["[project]\nname = 'x'\n", "[project]\nname = 'fastapply'\n", "[tool]\nfastapply = 3\n"],
    ids=["not named", "named elsewhere", "no table"],
)
def test_pyproject_without_the_table_is_none(project, text):
    """Its name alone says nothing."""
    put(project, text, "pyproject.toml")
    found = load(project)
    assert (sources(found), found.project_file, found.warnings) == ({}, None, ())


def test_search_goes_up_past_a_pyproject_without_the_table(project):
    """A package inside of a project has a pyproject.toml of its own."""
    put(project / "src", "[project]\nname = 'fastapply-plugin'\n", "pyproject.toml")
    file = put(project, "stage = true")
    assert load(project / "src/deep").project_file == file


def test_nearest_project_file_is_the_only_one(project):
    """Files further up are not read, and fastapply.toml comes before pyproject.toml."""
    put(project, "stage = true\nquiet = true")
    near = put(project / "src", "quiet = false")
    put(project / "src", "[tool.fastapply]\nbackup = true\n", "pyproject.toml")
    assert sources(load(project / "src/deep")) == {"quiet": (False, "project", str(near))}


def test_search_ends_where_the_repository_ends(project):
    """What lies above belongs to somebody else."""
    put(project.parent, "stage = true")
    assert load(project / "src").project_file is None
    (project / ".git").rmdir()
    assert load(project / "src").project_file == project.parent / "fastapply.toml"


@pytest.mark.skipif(os.name == "nt", reason="links need a right on Windows")
def test_settings_are_those_of_the_file_behind_a_link(project, tmp_path):
    """As with git: the repository that the file lies in."""
    file = put(project, "stage = true")
    (project / "a.py").touch()
    (tmp_path / "link.py").symlink_to(project / "a.py")
    assert load(tmp_path / "link.py").project_file == file


USERS_OWN = sorted(key.name for key in KEYS.values() if key.project == "no")


NEVER = ["api_key", "api-key", "endpoint", "endpoint_key", "model", "models_folder", "worker_idle", "command"]


@pytest.mark.parametrize("name", [*USERS_OWN, *NEVER, "undo-days"])
@pytest.mark.parametrize("pyproject", [False, True])
def test_a_project_cannot_set_what_is_the_users_own(project, name, pyproject):
    """Ignored whatever the value is, with a warning that names the file and the key; the rest counts."""
    text = f'{name} = "https://example.org"\nstage = true\n'
    file = put(project, f"[tool.fastapply]\n{text}", "pyproject.toml") if pyproject else put(project, text)
    found = load(project)
    (warning,) = found.warnings
    assert warning.startswith(f"{file}: {name} is ignored: only your user configuration")
    assert sources(found) == {"stage": (True, "project", str(file))}


def test_only_harmless_keys_are_a_projects():
    """Whoever adds a key has to think about this list."""
    may = {key.name for key in KEYS.values() if key.project != "no"}
    assert may == {"backup", "require_clean", "stage", "quiet", "min_certainty"}
    assert not any(NEVER_OF_A_PROJECT.match(name) for name in may)


def test_a_project_can_only_raise_the_certainty_that_is_asked_for(project, user_config):
    """Above the user's, or above the default threshold where the user has set none."""
    fitted = max(load_weights().threshold, load_weights().threshold_without_instructions)
    file = put(project, "min_certainty = 0.5")
    found = load(project)
    assert (found["min_certainty"], sources(found)) == (None, {})
    assert found.warnings == (
        f"{file}: min_certainty = 0.5 is ignored: a project file can only raise it, and {fitted} counts",
    )
    put(project, f"min_certainty = {(1 + fitted) / 2}")
    assert load(project)["min_certainty"] == (1 + fitted) / 2
    put(user_config.parent, "min_certainty = 0.4", "config.toml")
    put(project, "min_certainty = 0.5")
    assert (load(project)["min_certainty"], load(project).warnings) == (0.5, ())
    put(user_config.parent, "min_certainty = 0.6", "config.toml")
    assert (load(project)["min_certainty"], len(load(project).warnings)) == (0.6, 1)


@pytest.mark.parametrize("name", ["backup", "require_clean"])
def test_a_project_cannot_take_back_a_precaution(project, user_config, name):
    """It may ask for one, and may say no where the user has not asked."""
    file = put(project, f"{name} = false")
    assert sources(load(project)) == {name: (False, "project", str(file))}
    put(user_config.parent, f"{name} = true", "config.toml")
    found = load(project)
    assert sources(found) == {name: (True, "user", str(user_config))}
    assert found.warnings == (f"{file}: {name} = false is ignored: your user configuration sets it to true",)
    put(user_config.parent, "", "config.toml")
    put(project, f"{name} = true")
    assert load(project)[name] is True


@pytest.mark.parametrize(
    ("text", "complaint", "hint"),
    [
        ("backupp = true", "unknown setting backupp", "did you mean backup?"),
        ("require-cleen = true", "unknown setting require-cleen", "did you mean require_clean?"),
        ("xyzzy = 1", "unknown setting xyzzy", "there are: engine, allow, "),
        ('backup = "yes"', "backup must be true or false, not 'yes'", ""),
        ("backup = 1", "backup must be true or false, not 1", ""),
        ("min_certainty = 1.1", "min_certainty must be a number from 0 to 1, not 1.1", ""),
        ("min_certainty = true", "min_certainty must be a number from 0 to 1, not True", ""),
        ("undo_days = 0", "undo_days must be a whole number from 1, not 0", ""),
        ("undo_days = true", "undo_days must be a whole number from 1, not True", ""),
        ("undo_days = 1.5", "undo_days must be a whole number from 1, not 1.5", ""),
        ("engine = 3", "engine must be a word, not 3", ""),
        ('engine = "modle"', "engine cannot be 'modle'", "did you mean model?"),
        ('allow = "parse_error"', "allow must be a list of words, not 'parse_error'", ""),
        ('allow = ["parse_eror"]', "allow cannot be 'parse_eror'", "did you mean parse_error?"),
        ("backup = true\nundo-days = 1\nundo_days = 2", "undo_days is set twice", ""),
        ("backup = ", "is not valid TOML", ""),
    ],
)
def test_a_mistake_in_the_user_file_is_a_usage_error(project, user_config, text, complaint, hint):
    """The file and the key are named."""
    put(user_config.parent, text, "config.toml")
    with pytest.raises(UsageError) as caught:
        load(project)
    assert caught.value.message.startswith(str(user_config))
    assert complaint in caught.value.message
    assert caught.value.hint.startswith(hint)


@pytest.mark.parametrize("text", ["backupp = true", "backup = 1", "backup = "])
def test_a_mistake_in_a_projects_own_file_is_a_usage_error(project, text):
    """As in the user's."""
    file = put(project, text)
    with pytest.raises(UsageError, match=r"fastapply\.toml") as caught:
        load(project)
    assert str(file) in caught.value.message


@pytest.mark.parametrize("text", ["[tool.fastapply\n", "x = " + "[" * 5000, "[tool.fastapply]\nx = \xff"])
def test_a_broken_pyproject_is_a_warning(project, text):
    """It is somebody else's file, and perhaps the one that is to be mended."""
    (project / "pyproject.toml").write_text("# fastapply\n" + text, encoding="latin-1")
    found = load(project)
    assert (sources(found), found.project_file, len(found.warnings)) == ({}, None, 1)
    assert "pyproject.toml is not valid TOML" in found.warnings[0]


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("backup", "1", True),
        ("backup", "On", True),
        ("stage", " yes ", True),
        ("undo", "0", False),
        ("undo", "FALSE", False),
        ("undo_days", "7", 7),
        ("min_certainty", "0.97", 0.97),
        ("min_certainty", "1", 1.0),
        ("engine", "deterministic", "deterministic"),
        ("allow", "parse_error", ("parse_error",)),
        ("allow", ",", ()),
        ("quiet", "", False),
    ],
)
def test_variables_are_read(project, monkeypatch, name, text, value):
    """As people write them; an empty one is none."""
    monkeypatch.setenv(KEYS[name].variable, text)
    assert load(project)[name] == value


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("backup", "maybe"),
        ("undo_days", "-1"),
        ("undo_days", "1e3"),
        ("min_certainty", "high"),
        ("min_certainty", "1.01"),
        ("min_certainty", "nan"),
        ("undo_days", "0"),
        ("engine", "gpu"),
        ("allow", "no"),
    ],
)
def test_a_variable_that_makes_no_sense_is_a_usage_error(project, monkeypatch, name, text):
    """Named."""
    monkeypatch.setenv(KEYS[name].variable, text)
    with pytest.raises(UsageError, match=KEYS[name].variable):
        load(project)


def test_a_configuration_that_is_named_has_to_be_there(project, monkeypatch, tmp_path):
    """A slip of the pen is no configuration."""
    monkeypatch.setenv("FASTAPPLY_CONFIG", str(tmp_path / "no.toml"))
    with pytest.raises(UsageError, match=r"cannot read the configuration .*no\.toml"):
        load(project)


def test_no_parser_is_loaded_where_there_is_nothing_to_parse(tmp_path):
    """Start-up stays what it is for everybody who configures nothing."""
    import subprocess
    import sys

    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    code = (
        "import sys, fastapply.config as c; c.load('.'); "
        "print({'tomllib', 'fastapply.config.read'} & {*sys.modules})"
    )
    environment = {name: value for name, value in os.environ.items() if name != "FASTAPPLY_CONFIG"}
    environment |= {"XDG_CONFIG_HOME": str(tmp_path / "none"), "APPDATA": str(tmp_path / "none")}
    environment |= {"HOME": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "set()\n"
