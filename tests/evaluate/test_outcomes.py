"""Which class a result falls into: decided by bytes, blank lines or the tree, else suggested."""

from __future__ import annotations

from dataclasses import replace

import pytest
from making import CASE, FILE, WANTED

from fastapply.evaluate.engines import Attempt
from fastapply.evaluate.outcomes import decide, same_code

_SAVE, _REMOVE = WANTED.index("def save"), WANTED.index("def remove")
SWAPPED = WANTED[:_SAVE] + WANTED[_REMOVE:] + "\n\n" + WANTED[_SAVE:_REMOVE].rstrip() + "\n"
REMOVING = '    log.info("removing %s", path)\n'
MADE_UP = WANTED.replace("unlink()", "unlink()\n    audit.note(path)")


def verdict(merged, case=CASE):
    """The outcome, and how it is known."""
    found = decide(case, Attempt("applied", merged))
    return found.outcome, found.decided


@pytest.mark.parametrize(
    ("merged", "outcome", "decided"),
    [
        pytest.param(WANTED, "correct", "bytes", id="to the byte"),
        pytest.param(WANTED.replace("\n\n\n", "\n"), "non_functional", "blank", id="blank lines"),
        pytest.param(WANTED.replace("):\n", "):  \n"), "non_functional", "blank", id="line ends"),
        pytest.param(WANTED.replace("# where", "# just where"), "non_functional", "tree", id="comment"),
        pytest.param(WANTED.replace("path, text", "path,text"), "non_functional", "tree", id="spacing"),
        pytest.param(SWAPPED, "non_functional", "tree", id="functions in another order"),
        pytest.param(WANTED.replace(REMOVING, ""), "functional_error", "suggested", id="line dropped"),
        pytest.param(
            WANTED.replace(REMOVING, REMOVING * 2), "functional_error", "suggested", id="line twice"
        ),
        pytest.param(FILE, "functional_error", "suggested", id="nothing done"),
        pytest.param(MADE_UP, "hallucination", "suggested", id="made up"),
        pytest.param(WANTED[:_REMOVE], "truncation", "suggested", id="end cut off"),
        pytest.param(WANTED[:-12], "truncation", "suggested", id="cut within a line"),
        pytest.param(
            WANTED.replace(REMOVING, "    # ... existing code ...\n"),
            "truncation",
            "suggested",
            id="marker left",
        ),
        pytest.param("from files import path\n" + WANTED, "smoothing", "suggested", id="needed import"),
        pytest.param("import os\n" + WANTED, "hallucination", "suggested", id="import of nothing used"),
    ],
)
def test_a_merge_beside_its_known_answer(merged, outcome, decided):
    """What is not decided is suggested."""
    assert verdict(merged) == (outcome, decided)


def test_an_accepted_result_is_as_right_as_the_expected_one():
    """Each of them is compared by bytes first."""
    assert verdict("other\n", replace(CASE, accept=("other\n",))) == ("correct", "bytes")


def test_the_line_that_shows_it_is_named():
    """By its number in the merge."""
    found = decide(CASE, Attempt("applied", MADE_UP))
    assert found.line is not None
    assert MADE_UP.split("\n")[found.line - 1] == "    audit.note(path)"


@pytest.mark.parametrize(
    ("merged", "outcome"),
    [
        pytest.param(WANTED, "correct", id="nothing against it"),
        pytest.param(MADE_UP, "hallucination", id="made up"),
        pytest.param(WANTED[:_SAVE] + "log = 1\n", "truncation", id="end gone"),
        pytest.param(
            WANTED.replace(REMOVING, "    # ... rest of the code ...\n"), "truncation", id="marker left"
        ),
        pytest.param("from files import path\n" + WANTED, "smoothing", id="needed import"),
        pytest.param(FILE, "functional_error", id="new line not in it"),
        pytest.param(
            WANTED.replace("        return file.read()\n", ""), "functional_error", id="does not parse"
        ),
    ],
)
def test_a_merge_without_a_known_answer_is_held_against_file_and_edit(merged, outcome):
    """All that a program can say is a suggestion."""
    unknown = replace(CASE, expected=None)
    if outcome == "functional_error" and merged != FILE:
        merged = merged.replace("    with open(path) as file:\n", "    with open(path as file:\n")
        unknown = replace(unknown, edit=unknown.edit + "    with open(path as file:\n")
    assert verdict(merged, unknown) == (outcome, "suggested")


def test_a_refusal_is_right_only_where_it_was_asked_for():
    """And a merge where the edit had to be refused is wrong."""
    must_refuse = replace(CASE, expected=None, must_refuse=True)
    refused = Attempt("refused", reason="not_found")
    assert decide(must_refuse, refused).right
    assert not decide(CASE, refused).right
    assert not decide(must_refuse, Attempt("applied", WANTED)).right


@pytest.mark.parametrize("status", ["crashed", "timed_out", "not_applicable"])
def test_an_end_without_a_merge_is_its_own_outcome(status):
    """The classes are for merges."""
    assert decide(CASE, Attempt(status)).outcome == status


GF = "int g() { return f(); }\nint f() { return 1; }\n"
TWICE = "def f():\n    a()\n\ndef f():\n    b()\n"


@pytest.mark.parametrize(
    ("language", "one", "other", "same"),
    [
        ("python", "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n", False),
        ("python", 'def f():\n    """One."""\n    g()\n', 'def f():\n    """Two."""\n    g()\n', True),
        ("python", 'x = "a  b"\n', 'x = "a b"\n', False),
        ("python", "x = 1  # noqa: E1\n", "x = 1\n", False),
        ("python", TWICE, TWICE.replace("a()", "c()").replace("b()", "a()").replace("c()", "b()"), False),
        ("go", "package a\n\n//go:build linux\n", "package a\n", False),
        ("go", "package a\n\nvar x = 1 + 2\n", "package a\n\nvar x = 1 - 2\n", False),
        ("typescript", "const a = `x ${y} z`;\n", "const a = `x  ${y} z`;\n", False),
        (
            "typescript",
            "class A {\n  b() {}\n  c() {}\n}\n",
            "class A {\n    c() {}\n\n    b() {}\n}\n",
            True,
        ),
        ("yaml", "a:\n  b: 1\nc: 2\n", "a:\n  b: 1\n  c: 2\n", False),
        ("rust", "/// Doc.\nfn f() { g(); }\n", "fn f() {\n    g();\n}\n", True),
        ("cpp", "int f() { return 1; }\nint g() { return f(); }\n", GF, False),
        ("php", "<?php\n/** @dataProvider a */\nfunction f() {}\n", "<?php\nfunction f() {}\n", False),
        ("", "a b\n", "a  b\n", False),
    ],
)
def test_same_code_is_told_from_other_code(language, one, other, same):
    """White space and comments do not count, but in strings, by indentation, and where they steer a tool."""
    assert same_code(one, other, language) is same
