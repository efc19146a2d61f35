"""`fastapply mcp --install`: one entry in a client's settings; all else stays, and it can be undone."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastapply.cli import main
from fastapply.errors import FileTrouble, UsageError
from fastapply.server.mcp.install import (
    CLIENTS,
    Place,
    carry_out,
    entry,
    plan_entry,
    project_place,
    user_place,
)

ENTRY = entry("cursor", ("fastapply", "mcp"))
OURS = {"command": sys.executable, "args": ["-P", "-m", "fastapply", "mcp"]}


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home folder, and the present folder in it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    return tmp_path


def test_install_puts_one_entry_in_and_uninstall_takes_it_out(home, capfd):
    """The rest keeps its order, its indentation and its line ends; the old text is kept."""
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir()
    before = (
        '{\r\n\t"zürich": [1.5, null],\r\n\t"mcpServers": {\r\n\t\t"other": {"command": "x"}\r\n\t}\r\n}\r\n'
    )
    file.write_bytes(before.encode())
    file.chmod(0o600)
    assert main(["mcp", "--install", "cursor", "--yes"]) == 0
    after = json.loads(file.read_bytes())
    assert after == {"zürich": [1.5, None], "mcpServers": {"other": {"command": "x"}, "fastapply": OURS}}
    assert file.read_bytes().startswith('{\r\n\t"zürich": [\r\n'.encode())
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.with_name("mcp.json~").read_bytes() == before.encode()
    shown = capfd.readouterr().out
    assert '+\t\t"fastapply": {' in shown
    assert main(["mcp", "--install", "cursor", "--yes"]) == 0
    assert capfd.readouterr().out == ""
    assert main(["mcp", "--uninstall", "cursor", "--yes"]) == 0
    assert json.loads(file.read_bytes()) == json.loads(before)


def test_install_makes_the_file_where_there_is_none(home):
    """A project's file names no path of this machine."""
    assert main(["mcp", "--install", "vscode", "--project", "--root", ".", "--yes"]) == 0
    described = {"type": "stdio", "command": "fastapply", "args": ["mcp", "--root", "."]}
    assert json.loads((home / "project/.vscode/mcp.json").read_text()) == {
        "servers": {"fastapply": described}
    }


@pytest.mark.parametrize(
    "text",
    [
        '{"mcpServers": {}} // mine',
        '{"mcpServers": {},}',
        '{"mcpServers": []}',
        "[]",
        '{"mcpServers": {}, "mcpServers": {"a": 1}}',
        '{"mcpServers": {"a": 1, "a": 2}}',
        "{",
        "[" * 100_000,
    ],
    ids=["comment", "comma", "list of servers", "list", "key twice", "server twice", "cut off", "deep"],
)
def test_file_that_is_not_plain_json_stays_as_it_is(text, tmp_path):
    """The hint is the entry, to be put in by hand."""
    file = tmp_path / "mcp.json"
    file.write_text(text)
    with pytest.raises(FileTrouble) as trouble:
        plan_entry(Place(file, "mcpServers"), ENTRY)
    assert trouble.value.reason == "not_json"
    assert '{"mcpServers": {"fastapply": {"command": "fastapply", "args": ["mcp"]}}}' in trouble.value.hint
    assert file.read_text() == text


SETTINGS = st.dictionaries(
    st.text(max_size=5),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=8,
    ),
    max_size=4,
)


@given(
    SETTINGS, st.dictionaries(st.text(max_size=5), st.integers(), max_size=3), st.sampled_from([None, 1, 4])
)
def test_whatever_the_settings_are_they_stay(tmp_path_factory, settings, servers, indent):
    """In and out again gives the same values in the same order."""
    file = tmp_path_factory.mktemp("settings") / "mcp.json"
    place = Place(file, "mcpServers")
    before = {**settings, "mcpServers": servers}
    file.write_text(json.dumps(before, indent=indent))
    carry_out(plan_entry(place, ENTRY))
    assert json.loads(file.read_bytes()) == {**before, "mcpServers": {**servers, "fastapply": ENTRY}}
    carry_out(plan_entry(place, None))
    after = json.loads(file.read_bytes())
    assert list(after.items()) == list(before.items())


def test_file_that_changed_after_it_was_shown_is_not_written(tmp_path):
    """The client may write its settings at any time."""
    file = tmp_path / "mcp.json"
    file.write_text("{}")
    planned = plan_entry(Place(file, "mcpServers"), ENTRY)
    file.write_text('{"theme": "dark"}')
    with pytest.raises(FileTrouble) as trouble:
        carry_out(planned)
    assert trouble.value.reason == "changed"
    assert file.read_text() == '{"theme": "dark"}'


def test_link_to_the_settings_stays_a_link(tmp_path):
    """People keep such files in a repository."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/mcp.json").write_text("{}")
    file = tmp_path / "mcp.json"
    file.symlink_to("kept/mcp.json")
    carry_out(plan_entry(Place(file, "mcpServers"), ENTRY))
    assert file.is_symlink()
    assert json.loads((tmp_path / "kept/mcp.json").read_text()) == {"mcpServers": {"fastapply": ENTRY}}


def test_without_a_terminal_and_yes_nothing_is_written(home, capfd, monkeypatch):
    """The change is shown; the answer can't be asked for."""
    monkeypatch.setattr("sys.stdin", (home / "nothing").open("w+"))
    assert main(["mcp", "--install", "cursor"]) == 2
    sys.stdin.close()
    said = capfd.readouterr()
    assert '"fastapply": {' in said.out
    assert "--yes" in said.err
    assert not (home / ".cursor").exists()


@pytest.mark.parametrize(("answer", "written"), [("y\n", True), ("n\n", False), ("", False)])
def test_user_is_asked_on_a_terminal(answer, written, home, capfd, monkeypatch):
    """Only a yes counts."""
    file = (home / "answer").open("w+")
    file.write(answer)
    file.seek(0)
    monkeypatch.setattr("sys.stdin", Terminal(file))
    assert main(["mcp", "--install", "cursor"]) == 0
    file.close()
    assert "? [y/N]" in capfd.readouterr().err
    assert (home / ".cursor/mcp.json").exists() == written


class Terminal:
    """A standard input that says that it is a terminal."""

    def __init__(self, file):
        self.readline = file.readline

    def isatty(self):
        """Say so."""
        return True


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("system", ["linux", "darwin", "win32"])
def test_every_client_has_its_place_under_the_home_folder(client, system, monkeypatch):
    """Except Claude Desktop, which there is not on Linux."""
    monkeypatch.delenv("APPDATA", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    home = Path("/home/me")
    if (client, system) == ("claude-desktop", "linux"):
        with pytest.raises(UsageError):
            user_place(client, home=home, system=system)
        return
    place = user_place(client, home=home, system=system)
    assert place.file.is_relative_to(home)
    keys = {"codex": "mcp_servers", "vscode": "servers", "zed": "context_servers"}
    assert place.key == keys.get(client, "mcpServers")


def test_clients_without_a_project_file_say_so():
    """Their settings are the user's only."""
    with pytest.raises(UsageError, match="no project settings"):
        project_place("windsurf", Path("/p"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["--install", "cursor", "--uninstall", "cursor"],
        ["--install", "emacs"],
        ["--yes"],
        ["--project"],
        ["--root", "no/such/folder"],
    ],
)
def test_options_that_make_no_sense_are_usage_errors(arguments, home, capfd):
    """Status 2, nothing written."""
    assert main(["mcp", *arguments]) == 2
    assert capfd.readouterr().out == ""
    assert list(home.iterdir()) == [home / "project"]


@pytest.mark.parametrize("arguments", [["mcp"], ["serve"], ["mcp", "--install", "cursor", "--yes"]])
def test_without_the_extra_one_line_names_it(arguments, home, capfd, monkeypatch):
    """Status 2, and what to install."""
    monkeypatch.setattr("fastapply.server.find_spec", lambda _name: None)
    assert main(arguments) == 2
    assert "pip install '.[server]'" in capfd.readouterr().err
    assert list(home.iterdir()) == [home / "project"]


ZED = """\
// Zed settings
{
  "theme": "One", // dark
  /* servers */
  "context_servers": {
    "other": {"command": "x"}, // mine
  },
}
"""
CODEX = """\
# mine
model = "o"

[mcp_servers.other]
command = "x" # y

[profiles.a]
model = "p"
"""


@pytest.mark.parametrize(
    ("client", "file", "before"),
    [
        ("zed", ".config/zed/settings.json", ZED),
        ("zed", ".config/zed/settings.json", '{\n  // nothing yet\n  "theme": "One"\n}\n'),
        ("zed", ".config/zed/settings.json", "{}\n"),
        ("zed", ".config/zed/settings.json", '{\r\n  "context_servers": {}\r\n}\r\n'),
        ("codex", ".codex/config.toml", CODEX),
        ("codex", ".codex/config.toml", CODEX.replace("\n", "\r\n")),
    ],
    ids=["comments", "no servers", "nothing", "CRLF", "TOML", "TOML with CRLF"],
)
def test_settings_that_are_more_than_json_keep_all_that_is_theirs(home, capfd, client, file, before):
    """Each line that was there stays, comments and all; out again, once more."""
    place = home / file
    place.parent.mkdir(parents=True)
    place.write_bytes(before.encode())
    assert main(["mcp", "--install", client, "--yes"]) == 0
    after = place.read_bytes().decode()
    if client == "codex":
        assert tomllib.loads(after)["mcp_servers"]["fastapply"] == OURS
        assert after.startswith(before)
    else:
        entry_of = json.loads("".join(after.partition('"fastapply": ')[2]).partition("}")[0] + "}")
        assert entry_of == OURS
    assert ("\r\n" in after) == ("\r\n" in before)
    assert after.count("\n") == after.count("\r\n") or "\r\n" not in before
    capfd.readouterr()
    assert main(["mcp", "--install", client, "--yes"]) == 0
    assert capfd.readouterr().out == ""  # nothing to do
    assert main(["mcp", "--install", client, "--root", ".", "--yes"]) == 0
    assert place.read_text().count("fastapply") == after.count("fastapply")
    assert main(["mcp", "--uninstall", client, "--yes"]) == 0
    assert "fastapply" not in place.read_text()
    if client == "codex" or "other" in before:
        assert place.read_bytes() == before.encode()


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("toml", "model = "),
        ("toml", 'mcp_servers = {other = {command = "x"}}\n'),
        ("toml", "mcp_servers = 1\n"),
        ("jsonc", '{"servers": [],}'),
        ("jsonc", "{ // cut off"),
        ("jsonc", "[]"),
    ],
)
def test_settings_whose_layout_is_another_stay_as_they_are(tmp_path, kind, text):
    """The hint is the entry, to be put in by hand."""
    file = tmp_path / "settings"
    file.write_text(text)
    key = "mcp_servers" if kind == "toml" else "servers"
    with pytest.raises(FileTrouble) as trouble:
        plan_entry(Place(file, key, kind), ENTRY)
    by_hand = '[mcp_servers.fastapply]\ncommand = "fastapply"\nargs = ["mcp"]'
    assert (by_hand if kind == "toml" else '{"servers": {"fastapply": {') in trouble.value.hint
    assert file.read_text() == text


def test_each_client_has_a_place_in_the_users_home(tmp_path):
    """Where its documentation says."""
    code = ".config/Code/User"
    assert {
        client: user_place(client, home=tmp_path, system="linux").file.relative_to(tmp_path).as_posix()
        for client in ("cline", "codex", "zed")
    } == {
        "cline": f"{code}/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
        "codex": ".codex/config.toml",
        "zed": ".config/zed/settings.json",
    }
    assert user_place("zed", home=tmp_path, system="darwin").file == tmp_path / ".config/zed/settings.json"
    assert project_place("codex", tmp_path).file == tmp_path / ".codex/config.toml"
