"""What `init` makes of texts: settings, pre-commit's file, marked parts, attributes."""

from __future__ import annotations

import tomllib

import pytest
import yaml

from fastapply.config.keys import KEYS
from fastapply.errors import UsageError
from fastapply.init import settings_text, with_attributes, with_hook, with_marked
from fastapply.merge.certainty.weights import load_weights

MARKS = ("<!-- begin -->", "<!-- end -->")
HOOK = """\
  - repo: local
    hooks:
      - id: fastapply-markers
        name: no lazy markers left behind
        entry: fastapply check-markers
        language: system
        types: [text]
"""
EXISTING = """\
# Run by CI as well.
minimum_pre_commit_version: "3.0"

repos:  # in this order
  - repo: https://example.org/hooks
    rev: v1.2.3  # bumped by hand
    hooks:
      - id: trim   # first
      # - id: off

# What is left to CI
ci:
  skip: [slow]
"""


def test_settings_are_all_commented_out_and_say_what_a_project_may_set():
    """Without the signs of comments, they are the defaults."""
    text = settings_text()
    assert tomllib.loads(text) == {}
    bare = "\n".join(row[2:] for row in text.splitlines() if " = " in row)
    defaults = {key.name: key.default for key in KEYS.values() if key.project != "no"}
    assert tomllib.loads(bare) == defaults | {"min_certainty": load_weights().threshold}  # which is fitted


def test_hook_goes_behind_the_last_repository_and_comments_stay():
    """Every other line is as it was."""
    head, tail = EXISTING.split("      # - id: off\n")
    assert with_hook(EXISTING) == f"{head}{HOOK}      # - id: off\n{tail}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", f"repos:\n{HOOK}"),
        ("repos: []\n", f"repos:\n{HOOK}"),
        ("repos:\n", f"repos:\n{HOOK}"),
        (
            "repos:\n- repo: meta\n  hooks:\n  - id: identity\nfail_fast: true\n",
            "repos:\n- repo: meta\n  hooks:\n  - id: identity\n"
            + "".join(f"{row[2:]}\n" for row in HOOK.splitlines())
            + "fail_fast: true\n",
        ),
        ("---\nci: {}\nrepos:\n    - repo: meta\n      hooks: [{id: identity}]\n", None),
    ],
    ids=["no file", "an empty list", "nothing", "without indentation", "four blanks"],
)
def test_hook_is_indented_as_the_list_is(text, expected):
    """And the file parses to what it was, and the hook."""
    after = with_hook(text)
    assert expected is None or after == expected
    repositories = yaml.safe_load(after)["repos"]
    assert repositories[-1] == yaml.safe_load(HOOK)[0]
    assert repositories[:-1] == ((yaml.safe_load(text) or {}).get("repos") or [])


def test_hook_that_is_there_already_changes_nothing():
    """Also from another repository, or called twice."""
    remote = (
        "repos:\n  - repo: https://example.org/fastapply\n    rev: v1\n    hooks: [{id: fastapply-markers}]\n"
    )
    assert with_hook(remote) == remote
    once = with_hook(EXISTING)
    assert with_hook(once) == once


@pytest.mark.parametrize(
    "text",
    [
        "repos: [{repo: meta, hooks: [{id: identity}]}]\n",
        "{repos: []}\n",
        "repos: &all\n  - repo: meta\n    hooks: []\n",
        "repos: [\n",
        "- repo: meta\n",
        "repos: meta\n",
        "ci: {}\n",
        'repos:\n  - repo: meta\n    hooks: []\n    note: "two\n\n\n    lines"\nrepos:\n  - repo: meta\n',
    ],
)
def test_hook_is_not_put_into_what_lines_cannot_be_added_to(text):
    """The lines to add are in the hint."""
    with pytest.raises(UsageError) as caught:
        with_hook(text)
    assert caught.value.reason == "pre_commit"
    assert "- id: fastapply-markers" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "<!-- begin -->\nnew\n<!-- end -->\n"),
        ("# Mine\n", "# Mine\n\n<!-- begin -->\nnew\n<!-- end -->\n"),
        ("# Mine", "# Mine\n\n<!-- begin -->\nnew\n<!-- end -->\n"),
        ("a\n<!-- begin -->\nold\nold\n<!-- end -->\nb\n", "a\n<!-- begin -->\nnew\n<!-- end -->\nb\n"),
        ("<!-- begin -->\n<!-- end -->", "<!-- begin -->\nnew\n<!-- end -->\n"),
    ],
)
def test_marked_part_is_added_once_and_then_replaced(text, expected):
    """What stands around it stays."""
    once = with_marked(text, "new\n", MARKS, "AGENTS.md")
    assert once == expected
    assert with_marked(once, "new\n", MARKS, "AGENTS.md") == expected


@pytest.mark.parametrize(
    "text",
    [
        "<!-- begin -->\n",
        "<!-- end -->\n",
        "<!-- end -->\n<!-- begin -->\n",
        "<!-- begin -->\n<!-- end -->\n<!-- begin -->\n<!-- end -->\n",
    ],
)
def test_marks_that_are_no_pair_are_left_alone(text):
    """Somebody's text could be lost."""
    with pytest.raises(UsageError, match="do not match"):
        with_marked(text, "new\n", MARKS, "AGENTS.md")


def test_attributes_name_the_kinds_of_source_files_that_are_tracked():
    """And none that programs write."""
    tracked = ("a.py", "b/c.py", "b/d.tsx", "package-lock.json", "README.md", "Makefile", "logo.png")
    assert with_attributes("*.png binary\n", tracked) == (
        "*.png binary\n\n# fastapply: begin, written by fastapply init\n"
        "*.py merge=fastapply\n*.tsx merge=fastapply\n# fastapply: end\n"
    )
    assert with_attributes("", ("logo.png", "README.md")) is None
