"""Help screens: whole sentences, options in groups, and names that are nearly right."""

from __future__ import annotations

import re

import pytest

from fastapply.cli.commands import make_group


def all_commands():
    """Every command and group with its words, as Click has them."""

    def walk(command, words):
        yield words, command
        for name in command.list_commands(None) if hasattr(command, "list_commands") else ():
            yield from walk(command.get_command(None, name), [*words, name])

    yield from walk(make_group(), [])


ALL = [(words, command) for words, command in all_commands()]


def sentences(command):
    """What a command's screen has to say: its text, its options' texts, its commands' sentences."""
    texts = [*(command.help or "").split("\n\n"), *(getattr(one, "help", "") or "" for one in command.params)]
    return [" ".join(text.replace("\b", "").split()) for text in texts if text]


WIDTHS = [(words, command, columns) for words, command in ALL for columns in ("60", "80", "140")]


@pytest.mark.parametrize(
    ("words", "command", "columns"),
    [one for one in WIDTHS if one[2] == "80" or one[0] in ([], ["apply"], ["models"])],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value if isinstance(value, str) else "",
)
def test_help_screen_cuts_no_sentence(fastapply, monkeypatch, words, command, columns):
    """Whatever the width, each text stands there whole, and no word is broken."""
    monkeypatch.setenv("COLUMNS", columns)
    every = any("--help-all" in one.opts for one in command.params)
    run = fastapply(*words, "--help-all" if every else "--help")
    shown = " ".join(run.out.decode().split())
    assert (run.status, run.err) == (0, "")
    assert [text for text in sentences(command) if text not in shown] == []
    for name in command.list_commands(None) if hasattr(command, "list_commands") else ():
        (row,) = re.findall(rf"^  {name} +(.*(?:\n {{5,}}\S.*)*)", run.out.decode(), re.MULTILINE)
        assert not row.endswith("...")
        assert len(row.split()) > 2


def test_all_options_of_apply_stand_under_a_title(fastapply):
    """In five groups, and none of them among the rest."""
    text = fastapply("apply", "--help-all").out.decode()
    titles = re.findall(r"^(\S.*):$", text, re.MULTILINE)
    assert titles == ["Arguments", "Edit", "Resolving a refusal", "Writing", "Model", "Output"]
    answers = text.partition("Resolving a refusal:")[2].partition("\n\n")[0]
    assert re.findall(r"^  (--[a-z-]+)", answers, re.MULTILINE) == [
        "--at",
        "--pick",
        "--allow",
        "--min-certainty",
        "--review",
    ]


@pytest.mark.parametrize("name", ["apply", "patch"])
def test_help_of_a_long_command_shows_its_ten_most_used_options(fastapply, name):
    """And the way to all of them."""
    text = fastapply(name, "--help").out.decode()
    shown = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", text, re.MULTILINE)
    assert len(shown) == 12
    assert shown[-2:] == ["--help-all", "--help"]


@pytest.mark.parametrize("words", [words for words, _ in ALL], ids=lambda words: " ".join(words) or "alone")
def test_help_screen_has_at_most_45_lines(fastapply, monkeypatch, words):
    """It fits on a screen; only `--help-all` may be longer."""
    monkeypatch.setenv("COLUMNS", "80")
    assert len(fastapply(*words, "--help").out.decode().splitlines()) <= 45


def test_help_screen_of_a_command_with_few_options_has_one_list(fastapply):
    """Groups would only be in the way."""
    text = fastapply("config", "--help").out.decode()
    assert re.findall(r"^(\S.*):$", text, re.MULTILINE) == ["Arguments", "Options"]


def test_command_list_imports_no_command(fastapply, monkeypatch):
    """The sentences stand in one table, so that the list is there at once."""
    monkeypatch.setattr("fastapply.cli.commands.load_command", None)
    assert "check-markers" in fastapply("--help").out.decode()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("aply", "apply"), ("pach", "patch"), ("check-marker", "check-markers"), ("completions", "completion")],
)
def test_command_that_is_nearly_right_gets_a_suggestion(fastapply, typed, meant):
    """One name, and status 2."""
    run = fastapply(typed, "a.py")
    assert (run.status, run.out) == (2, b"")
    assert f"Unknown command '{typed}'. Did you mean '{meant}'?" in run.err


def test_command_that_is_like_no_other_gets_the_way_to_the_list(fastapply):
    """No wild guess."""
    run = fastapply("frobnicate")
    assert run.status == 2
    assert "Did you mean" not in run.err
    assert "Run fastapply --help for a list of commands" in run.err


def test_group_of_commands_suggests_its_own(fastapply):
    """`models lst` is `models list`."""
    run = fastapply("models", "lst")
    assert (run.status, "Did you mean 'list'?" in run.err) == (2, True)


def test_every_command_of_the_list_is_there():
    """Each has a module, with a command or a group of them."""
    from fastapply.cli.commands import SENTENCES, load_command

    assert all(load_command(name).name == name for name in SENTENCES)


@pytest.mark.parametrize(("words", "command"), ALL, ids=[" ".join(words) or "alone" for words, _ in ALL])
def test_every_option_says_what_it_does(words, command):
    """None has only its name."""
    assert words is not None
    assert [one.opts[0] for one in command.params if not getattr(one, "help", "")] == []
