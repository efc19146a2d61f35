"""How lines resemble each other."""

from __future__ import annotations

import pytest

from fastapply.merge.likeness import definition
from fastapply.merge.shortening import shortening


@pytest.mark.parametrize(
    ("shown", "line", "way"),
    [
        ("    return total(first, ...", "    return total(first, second)", "dots"),
        ("value = compute ...", "value = compute(a) + b", "dots"),
        ("    def stub(self) -> None: ...", "    def stub(self) -> None:", None),
        ("    def stub(self) -> None: ...", "    def stub(self) -> None: ...", None),
    ],
)
def test_dots_shorten_a_line_only_where_they_stand_for_something(shown, line, way):
    """Behind all that the file's line has they are new: the body of a function in Python."""
    assert shortening(shown, line) == way


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("inline fun <reified F> F.compare(b: F): Int = 0", "F.compare"),
        ("fun <T : Comparable<T>> List<T>.second(): T {", "List<T>.second"),
        ("fun String.shout() = uppercase()", "String.shout"),
        ('output "vpc_id" {', '"vpc_id"'),
        ('resource "aws_vpc" "main" {', '"aws_vpc" "main"'),
        ("let a = b < c", "a"),
        ("output = read()", None),
    ],
)
def test_a_line_declares_what_is_named_behind_its_keyword(line, name):
    """Type parameters and receivers of Kotlin stand between, and blocks of Terraform have texts for names."""
    assert definition(line) == name
