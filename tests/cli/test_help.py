"""`fastapply help`: topics that ship with the program."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import fastapply as package
from fastapply.cli.help import topics

FOLDER = Path(package.__file__).parent / "help"


def links_shown(text):
    """The text without what is not shown: the languages of fences, and where other topics lie."""
    text = re.sub(r"^(`{3,})\w+$", r"\1", text, flags=re.MULTILINE)
    return re.sub(r"\]\(\w+\.md\)", "]", text)


def test_help_lists_all_topics_with_a_sentence_each(fastapply):
    """A line for each file of the package, and no sentence is cut."""
    run = fastapply("help")
    assert (run.status, run.err) == (0, "")
    rows = [line.split(None, 1) for line in run.out.decode().splitlines() if line.startswith("  ")]
    assert {name for name, _ in rows} == {file.stem for file in FOLDER.glob("*.md")}
    assert [said for _, said in rows if not said.endswith((".", "?"))] == []
    assert [said for _, said in rows if len(said) > 100] == []


@pytest.mark.parametrize("name", [topic.name for topic in topics()])
def test_topic_is_shown_as_it_is_where_nobody_looks(fastapply, name):
    """Markdown, for a file or another program."""
    run = fastapply("help", name)
    assert (run.status, run.err) == (0, "")
    assert run.out == (FOLDER / f"{name}.md").read_bytes()


@pytest.mark.parametrize("name", [topic.name for topic in topics()])
def test_topic_in_colours_has_all_its_words(fastapply, name, monkeypatch):
    """Laid out for a terminal: nothing of the text is eaten as a style."""
    monkeypatch.setenv("COLUMNS", "80")
    run = fastapply("--color", "always", "help", name)
    shown = re.sub(r"\x1b\[[0-9;]*m", "", run.out.decode())
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    assert run.status == 0
    assert b"\x1b[" in run.out
    assert shown.count("…") == text.count("…")
    letters = [Counter(re.sub(r"[^a-zA-Z0-9]", "", one)) for one in (links_shown(text), shown)]
    assert letters[0] - letters[1] == Counter()
    assert max(len(row) for row in shown.splitlines()) <= 80


def test_help_of_a_command_that_is_no_topic_is_its_help_screen(fastapply):
    """`fastapply help apply` is `fastapply apply --help`."""
    assert fastapply("help", "apply").out == fastapply("apply", "--help").out


def test_help_of_an_unknown_topic_suggests_one(fastapply):
    """The nearest of topics and commands."""
    run = fastapply("help", "evaluatoin")
    assert run.status == 2
    assert run.err == "fastapply: unknown topic 'evaluatoin' [usage]\nhint: did you mean 'evaluation'?\n"
    run = fastapply("help", "zzz")
    assert (
        run.err == "fastapply: unknown topic 'zzz' [usage]\nhint: run fastapply help for a list of topics\n"
    )
