"""Which grammar a file gets, and that no grammar of the table can hang."""

from __future__ import annotations

import pytest

from fastapply.syntax import language_of, parse
from fastapply.syntax.languages import known_languages

SHORT_TEXTS = [chr(code) for code in range(128)] + [
    a + b for a in "\n\t\"'`#<>{}()[]/*-+=;:$%&|\\a0 " for b in "\n\"'`#<>{}/*-=:$%\\a "
]


@pytest.mark.parametrize(
    ("path", "first_line", "expected"),
    [
        ("src/app.py", "", "python"),
        ("src\\App.TSX", "", "tsx"),
        ("Makefile", "", "make"),
        ("docker/Dockerfile.dev", "", "dockerfile"),
        ("BUILD.bazel", "", "starlark"),
        ("a/b.tf", "", "hcl"),
        ("page.svelte", "", "svelte"),
        ("bin/tool", "#!/usr/bin/env python3", "python"),
        ("bin/tool", "#!/bin/sh -e", "bash"),
        ("bin/tool", "#!/usr/bin/env -S deno run", "typescript"),
        ("notes", "", None),
        ("a.unknown", "", None),
        ("script.pl", "#!/usr/bin/perl", None),
        (None, "", None),
        (None, "#!/usr/bin/ruby", "ruby"),
    ],
)
def test_language_comes_from_the_name_or_else_from_the_first_line(path, first_line, expected):
    """The name decides; a shebang does where the name says nothing."""
    assert language_of(path, first_line) == expected


@pytest.mark.parametrize("language", sorted(known_languages()))
def test_grammar_reads_short_texts_and_comes_to_an_end(language):
    """Every grammar of the table is there, and none loops on one or two characters."""
    assert all(parse(text, language) is not None for text in SHORT_TEXTS)


def test_language_without_a_grammar_has_no_tree():
    """An unknown name, or none, is no error."""
    assert (parse("x", None), parse("x", "no_such_language")) == (None, None)
