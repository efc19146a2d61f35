"""What a line says, how deep it stands and which block it opens."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastapply.merge.lines import columns, is_closer, line_table

PIECES = [
    "", "    ", "a", "  a", "    a", "\ta", "\t\ta", "}", "  }", "{", "  {", "if a:", "  else:", "    return",
    "#if A", "#endif", "case 1:", "  case 2:", '"""', "`", "// x", "  # x", "end", "label:", ");", "</div>",
]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "width"),
    [("a", 0), ("  a", 2), ("\ta", 4), ("  \ta", 4), ("\t a", 5), ("", 0)],
)
def test_depth_is_counted_in_columns(line, width):
    """A tab goes on to the next multiple of four."""
    assert columns(line) == width


@pytest.mark.parametrize("key", ["}", "});", "]", "end", "fi", "esac", "</div>", "*/", '"""', "},", ")"])
def test_line_that_only_closes_a_block_is_a_closer(key):
    """Brackets, keywords, tags and the ends of comments."""
    assert is_closer(key)


@pytest.mark.parametrize("key", ["", "a", "{", "}else{", "ending", "<div>", "file", "(a)", "return;"])
def test_line_that_says_more_is_no_closer(key):
    """Openers, words and code are not."""
    assert not is_closer(key)


def blocks(text):
    """Each line with text, with the line that opens its block and the end of the block it opens."""
    table = line_table(text.split("\n"))
    return [(n, table.parents[n], table.ends[n]) for n, key in enumerate(table.keys) if key]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(
            "def f():\n    a\n\n    b\nc", [(0, -1, 4), (1, 0, 2), (3, 0, 4), (4, -1, 5)], id="indentation"
        ),
        pytest.param("f() {\n  a\n}\nb", [(0, -1, 2), (1, 0, 2), (2, -1, 3), (3, -1, 4)], id="braces"),
        pytest.param(
            "f()\n{\n  a\n}",
            [(0, -1, 3), (1, 0, 2), (2, 0, 3), (3, -1, 4)],
            id="a brace on a line of its own",
        ),
        pytest.param(
            "if a:\n    b\nelse:\n    c",
            [(0, -1, 4), (1, 0, 2), (2, 0, 4), (3, 2, 4)],
            id="else belongs to its if",
        ),
    ],
)
def test_blocks_are_read_off_the_indentation(text, found):
    """Blank lines at its end are no part of a block."""
    assert blocks(text) == found


def test_line_inside_a_string_belongs_to_the_line_that_opens_it():
    """Its own indentation means nothing."""
    table = line_table(['x = """', "far left", "    far right", '"""', "y = 1"], "python")
    assert table.in_string == frozenset({1, 2, 3})
    assert [table.parents[n] for n in (1, 2, 4)] == [0, 0, -1]


def test_marker_opens_no_block():
    """A line that is skipped is nobody's parent."""
    lines = ["class A:", "  # ...", "    def f(self):", "        a"]
    table = line_table(lines, skip=frozenset({1}))
    assert table.parents == (-1, 0, 0, 2)
    assert table.ends[1] == 2


def test_same_words_with_other_white_space_have_the_same_key():
    """A key is a line without any white space."""
    table = line_table(["a = f( b )", "\ta=f(b)", "a = f(c)"])
    assert table.keys[0] == table.keys[1]
    assert table.keys[0] != table.keys[2]
    assert table.where() == {"a=f(b)": [0, 1], "a=f(c)": [2]}


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=40))
@settings(deadline=None, max_examples=150)
def test_blocks_of_any_text_are_a_tree(lines):
    """A parent stands before its children and its block holds them; an end lies beyond its line."""
    table = line_table(lines)
    size = len(lines)
    for sequence in (table.lines, table.keys, table.depths, table.parents, table.ends, table.weights):
        assert len(sequence) == size
    for number in range(size):
        parent = table.parents[number]
        assert -1 <= parent < number
        assert number < table.ends[number] <= size
        assert (table.depths[number] == -1.0) == (not table.keys[number])
        if parent >= 0:
            assert table.keys[parent]
            assert table.depths[parent] < table.depths[number]
            assert number < table.ends[parent]
            assert table.ends[number] <= table.ends[parent]


@given(st.lists(st.sampled_from(PIECES), max_size=30), st.integers(1, 12))
@settings(deadline=None, max_examples=100)
def test_more_indentation_everywhere_leaves_the_blocks(lines, more):
    """Only relative depth counts, where nothing mends it."""
    plain = [line for line in lines if not line.startswith(("#", "label")) and "\t" not in line]
    moved = [" " * more + line if line.strip() else line for line in plain]
    here, there = line_table(plain, "c"), line_table(moved, "c")
    assert (here.parents, here.ends) == (there.parents, there.ends)
