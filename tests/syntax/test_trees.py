"""Counting what did not parse, also in embedded code."""

from __future__ import annotations

import gc
import subprocess
import sys
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastapply.syntax import (
    definitions,
    error_count,
    error_lines,
    import_names,
    parse,
    string_lines,
    trees,
)

SVELTE = '<script lang="ts">\n  let a: number = 1;\n  {}\n</script>\n\n<style>\n  .a { }\n</style>\n'


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        pytest.param("x = 1\n", "python", (), id="right"),
        pytest.param("x = 1\ny = (\n", "python", (1,), id="error"),
        pytest.param("int f() {\n  return 1\n}\n", "c", (1,), id="missing"),
        pytest.param("x = 1\ry = 2\r", "python", (), id="lone_cr_is_a_line_end"),
        pytest.param("x = 1\ry = )\r", "python", (1,), id="error_after_lone_cr"),
        pytest.param(SVELTE.replace("{}", "let = ;"), "svelte", (2,), id="embedded_script"),
        pytest.param("anything ( at all", None, (), id="no_language"),
    ],
)
def test_error_lines_are_those_of_error_and_missing_nodes(text, language, expected):
    """0-based lines of the whole file, embedded code included."""
    found = error_lines(text, language)
    assert tuple(dict.fromkeys(found)) == expected
    assert error_count(text, language) == len(found)


def test_parse_gives_up_where_a_grammar_does_not_come_to_an_end(monkeypatch):
    """The bound counts progress and not time, so that a text always has the same answer."""
    text = "x = 1\n" * 1000
    assert parse(text, "python") is not None
    monkeypatch.setattr(trees, "_PATIENCE", 0)
    monkeypatch.setattr(trees, "_BYTES_PER_QUESTION", 10_000_000)
    assert parse(text + "y = 2\n", "python") is None


def test_tree_sitter_is_not_imported_with_the_module():
    """Start-up time: the grammar comes with the first text."""
    code = "import sys, fastapply.syntax; print('tree_sitter' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.split() == [
        b"False"
    ]


def test_language_pack_s_slow_package_is_not_imported():
    """A grammar is loaded from its file; the pack's own import takes longer than a merge."""
    code = (
        "import sys; from fastapply.syntax import parse; assert parse('a: 1', 'yaml');"
        "assert parse('x', 'python'); print('tree_sitter_language_pack' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout.split() == [
        b"False"
    ]


@given(
    st.text(st.sampled_from("ab1 \t\n\r\"'`(){}[]<>/*#:;=.,-+é😀\ud800\x00"), max_size=60),
    st.sampled_from(
        ["python", "typescript", "tsx", "svelte", "go", "ruby", "bash", "sql", "yaml", "markdown", "css"]
    ),
)
def test_nothing_raises_for_any_text(text, language):
    """All questions have an answer, whatever the text."""
    lines = len(text.splitlines()) + text.count("\r") + 1
    assert all(0 <= line <= lines for line in error_lines(text, language))
    assert all(0 <= line <= lines for line in string_lines(text, language))
    assert all(one.first_line <= one.last_line <= lines for one in definitions(text, language))
    assert all(one.first_line <= one.last_line for one in import_names(text, language))


def test_parsing_keeps_no_more_memory_than_a_few_times_the_text():
    """However often a grammar tries another way; 64 KiB at a time kept some hundred times as much."""
    text = "".join(
        f"def f{number}[A](x: Option[A])(implicit o: Order[A]): Either[A, Int] = x.map(_ => {number}).get\n"
        for number in range(300)
    )
    parse(text, "scala")
    tracemalloc.start()
    try:
        for number in range(5):
            parse(f"{text}// {number}\n", "scala")
        trees._parse.cache_clear()
        gc.collect()
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 10 * 5 * len(text)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("markdown", "# Head\n\n7\U000c8294\n\n1. one\n2. tw\u00f6\n"),
        ("v", "\n\U0010989e\n\u23b8\n"),
        ("bash", "a >a~\u28b1\U00039888\n"),
    ],
)
def test_a_character_far_beyond_ends_no_process(language, text):
    """In a process of its own: a scanner looked it up in a table of 256."""
    program = (
        "from fastapply.syntax.trees import _parse, parse\n"
        "for _ in range(60):\n"
        "    _parse.cache_clear()\n"
        f"    tree = parse({text!a}, {language!r})\n"
        f"assert tree is not None and tree.root_node.end_byte <= len({text!a}.encode())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
