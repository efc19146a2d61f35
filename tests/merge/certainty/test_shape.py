"""The shape of a change: kinds of lines, and what sorts of hunks it has."""

from __future__ import annotations

from math import log1p

import pytest

from fastapply.merge.certainty.shape import hunks_of, kind_of, shape_of
from fastapply.types import Splice

FILE = ["import os", "", "def f(x):", "    # why", "    return x", "", "def g():", "    log('g')"]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("from os import path", "import"),
        ("#include <stdio.h>", "decorator"),
        ("    // why", "comment"),
        ("  * more of it", "comment"),
        ("# why", "comment"),
        ("## Title", "heading"),
        ("@decorated", "decorator"),
        ("export async function f() {", "define"),
        ("pub(crate) fn f() {", "define"),
        ("public static void main()", "call"),
        ("    it('works', () => {", "test"),
        ("  if (x) {", "control"),
        ("return x", "leave"),
        ("console.log(x)", "log"),
        ("const x = 1", "declare"),
        ("self.x = 1", "assign"),
        ("name: value", "key"),
        ("- item", "item"),
        ('"item",', "item"),
        ("  });", "closer"),
        ("f(x)", "call"),
        ("some words of prose", "other"),
    ],
)
def test_kind_of_a_line(line: str, kind: str):
    """By its first word, modifiers left aside, or by its first sign."""
    assert kind_of(line) == kind


def test_lines_put_in_are_one_hunk_of_insertion():
    """Nothing goes."""
    found = shape_of(hunks_of(FILE, [Splice(5, 5, ("", "def h():", "    return 1", ""))]))
    assert found == {
        "shape.comes": log1p(2),
        "shape.comes.define": log1p(1),
        "shape.comes.leave": log1p(1),
        "shape.grows": log1p(2),
        "shape.defines_more": log1p(1),
        "shape.hunks.insert": log1p(1),
    }


def test_lines_that_stay_inside_a_splice_do_not_count():
    """Only the comment goes, though the splice writes the lines around it again."""
    found = shape_of(hunks_of(FILE, [Splice(2, 5, ("def f(x):", "    return x"))]))
    assert found == {
        "shape.goes": log1p(1),
        "shape.goes.comment": log1p(1),
        "shape.shrinks": log1p(1),
        "shape.hunks.delete": log1p(1),
    }


def test_a_definition_that_moves():
    """It goes in one hunk and comes in another one."""
    found = shape_of(hunks_of(FILE, [Splice(2, 5, ()), Splice(8, 8, ("", *FILE[2:5]))]))
    assert found["shape.moves"] == log1p(3)
    assert "shape.defines_more" not in found
    assert "shape.grows" not in found


def test_a_hunk_that_replaces():
    """As many lines, or more, or fewer."""
    same = shape_of(hunks_of(FILE, [Splice(4, 5, ("    return 2 * x",))]))
    assert same["shape.hunks.replace"] == same["shape.hunks.same_size"] == log1p(1)
    longer = shape_of(hunks_of(FILE, [Splice(4, 5, ("    y = 2 * x", "    return y"))]))
    assert "shape.hunks.longer" in longer
    assert "shape.hunks.shorter" not in longer


def test_nothing_changes():
    """White space alone is no change."""
    assert shape_of(hunks_of(FILE, [Splice(2, 3, ("def  f(x):",))])) == {}
