"""Definitions, keys and sections that a merge takes away, and whether somebody named them."""

from __future__ import annotations

import pytest

from fastapply.merge.entries import Losses, find_entries
from fastapply.merge.lines import line_table
from fastapply.merge.whole import replace_whole

CLASS = [
    "class Store:",
    "    size = 1",
    "",
    "    def load(self):",
    "        rows = []",
    "        return rows",
]
TABLES = ["[tool.black]", "line-length = 100", "", "[tool.ruff]", "line-length = 110"]


def lost(before, after, said="", edit=(), language="python"):
    """Names of what is lost."""
    file = line_table(before, language)
    splices = replace_whole(line_table(after, language), file)
    return [one.name for one in Losses(file, edit, said, language).of(splices)]


def test_members_count_and_what_a_body_sets_does_not():
    """A class's field is an entry, a function's variable none."""
    names = [one.name for one in find_entries(line_table(CLASS, "python"), "python")]
    assert names == ["Store", "size", "load"]


@pytest.mark.parametrize(
    ("said", "edit", "names"),
    [
        ("", (), ["load"]),
        ("I will remove load", (), []),
        ("I will add save after load", (), ["load"]),
        ("", ("# removed load",), []),
        ("I will rewrite the whole file", (), []),
    ],
    ids=["nobody", "instructions", "as_a_place", "comment", "whole_file"],
)
def test_a_method_goes_only_where_it_is_named(said, edit, names):
    """By the instructions or by a comment of the edit, and not as the place of something else."""
    assert lost(CLASS, CLASS[:2], said, edit) == names


STRUCT = ["type Config struct {", "\tAddr string", "\tLegacy bool", "\tWorkers int", "}"]
SUITE = ["class Suite:", "    def token(self):", "        pass", "", "    def name(self):", "        pass"]


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("remove the Legacy field", ["Workers"]),
        ("remove Legacy and Workers", []),
        ("rewrite the Config struct", ["Legacy", "Workers"]),
    ],
)
def test_where_words_say_what_goes_no_other_field_does(said, names):
    """A field of a struct is an entry as a method is."""
    assert lost(STRUCT, STRUCT[:2] + STRUCT[4:], said, language="go") == names


def test_what_is_said_to_stay_is_not_named_by_it():
    """Nor is it by words for another one."""
    said = "Remove the name test. The token test stays as it was."
    assert lost(SUITE, SUITE[:1], said) == ["token"]


def test_keys_of_a_named_section_go_with_it():
    """TOML has no indentation that would say so."""
    assert lost(TABLES, TABLES[3:], "I will remove black", language="toml") == []
    assert lost(TABLES, TABLES[3:], "I will bump ruff", language="toml") == ["tool.black", "line-length"]


def test_a_key_that_moves_is_not_lost():
    """Only how often a name stands counts."""
    assert lost(["a: 1", "b: 2"], ["b: 2", "a: 1"], language="yaml") == []
    assert lost(["a: 1", "b: 2"], ["c: 3"], "add c", language="yaml") == ["a", "b"]
