"""Lines inside strings, and names that imports bind."""

from __future__ import annotations

import pytest

from fastapply.syntax import Import, import_names, string_lines


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        pytest.param('x = """a\nb\n"""\ny = 1\n', "python", {1, 2}, id="triple_quotes"),
        pytest.param("x = `a\nb`;\ny();\n", "javascript", {1}, id="template"),
        pytest.param("x = `a\n${f(\n  1)}\nb`;\n", "javascript", {1, 3}, id="code_in_a_template_is_code"),
        pytest.param("cat <<EOF\na\nb\nEOF\nx\n", "bash", {1, 2}, id="heredoc"),
        pytest.param('val a = """\n  x\n  """\n', "kotlin", {1, 2}, id="raw_string"),
        pytest.param("a: |\n  x\n  y\nb: 1\n", "yaml", {1, 2}, id="block_scalar"),
        pytest.param('x = "a"\n', "python", set(), id="one_line"),
        pytest.param('x = """a\nb\n"""\n', None, set(), id="no_language"),
    ],
)
def test_lines_that_begin_inside_a_string_are_told(text, language, expected):
    """The line on which a string begins is code; those below, up to its end, are text."""
    found = string_lines(text, language)
    assert {line for line in found if line < text.count("\n")} == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("import a.b\nimport c as d\n", "python", (("a",), ("d",))),
        ("from a import (\n    b,\n    c as d,\n)\n", "python", (("b", "d"),)),
        ("from __future__ import annotations\nfrom a import *\n", "python", ((), ())),
        ("import a, {b, c as d} from 'x';\nimport 'y';\n", "typescript", (("a", "b", "d"), ())),
        ("import * as ns from 'x';\nimport type { T } from 'y';\n", "typescript", (("ns",), ("T",))),
        ("import a.b.C;\nimport static a.B.d;\nimport a.*;\n", "java", (("C",), ("d",), ())),
        ("import a.B\nimport a.C as D\n", "kotlin", (("B",), ("D",))),
        (
            'package x\n\nimport (\n\t"net/http"\n\ty "a/b/v2"\n\t"a/c/v3"\n\t_ "d"\n)\n',
            "go",
            (("http",), ("y",), ("c",), ()),
        ),
        ("use std::{fmt, io::{self, Read as R}};\nuse a::B;\n", "rust", (("fmt", "io", "R"), ("B",))),
        ("<?php\nuse A\\B as C;\nuse A\\{D, E};\n", "php", (("C",), ("D", "E"))),
        ("using System;\nusing F = A.B;\n", "csharp", ((), ("F",))),
        ("x = 1\n", "python", ()),
        ("import a\n", None, ()),
    ],
)
def test_import_statements_give_the_names_they_bind(text, language, expected):
    """One entry a statement; names that cannot be told are left out."""
    assert tuple(one.names for one in import_names(text, language)) == expected


def test_import_has_its_lines():
    """0-based, both inclusive."""
    assert import_names("x = 1\nfrom a import (\n    b,\n)\n", "python") == (Import(1, 3, ("b",)),)
