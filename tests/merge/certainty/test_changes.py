"""What an edit script changes, range by range."""

from __future__ import annotations

import pytest

from fastapply.merge.certainty.changes import Change, anchored_of, changes_of, joined, parts_decorator
from fastapply.merge.elements import MergeContext, read_lazy
from fastapply.merge.fill import ScriptLine
from fastapply.merge.lines import line_table

FILE = [f"line {number}" for number in range(10)]


def context(edit: list[str]) -> MergeContext:
    """An edit of a file of ten lines."""
    file = line_table(FILE)
    return MergeContext(read_lazy(edit, file), file)


def test_lines_that_go_and_lines_that_come_are_one_change():
    """Also where a line is the new form of another; what is put in stands before the line below it."""
    ops = [
        ScriptLine("match", 0, 0),
        ScriptLine("near", 1, 1),
        ScriptLine("delete", -1, 2),
        ScriptLine("keep", -1, 3),
        ScriptLine("insert", 2, -1),
        ScriptLine("keep", -1, 4),
    ]
    found = changes_of(context(["line 0", "line one", "new"]), ops)
    assert found == [Change(1, 3, ("line one",)), Change(4, 4, ("new",))]


def test_changes_with_a_few_lines_between_are_joined():
    """The lines between stand in the new text as well; three part no change, four do."""
    file = line_table(FILE)
    near = [Change(1, 2, ("a",)), Change(5, 5, ("b",))]
    assert joined(near, file) == [Change(1, 5, ("a", "line 2", "line 3", "line 4", "b"))]
    far = [Change(1, 2, ("a",)), Change(6, 6, ("b",))]
    assert joined(far, file) == far


RUST = ["/// One account.", "#[derive(Debug)]", "pub struct Account {", "    id: u32,", "}"]


@pytest.mark.parametrize(
    ("change", "language", "parted"),
    [
        (Change(2, 2, ("pub type Number = u32;", "")), "rust", True),
        (Change(2, 2, ("#[serde(rename)]",)), "rust", False),
        (Change(2, 2, ("pub struct Other {", "}", "#[derive(Debug)]")), "rust", False),
        (Change(2, 3, ("pub struct Account<T> {",)), "rust", False),
        (Change(0, 0, ("pub type Number = u32;", "")), "rust", False),
        (Change(2, 2, ("pub type Number = u32;", "")), "toml", False),
        (Change(2, 2, ("pub type Number = u32;", "")), "python", False),
    ],
)
def test_a_definition_between_a_decorator_and_what_it_decorates_parts_them(change, language, parted):
    """Another decorator does not, nor a block that ends with the same one, nor a new form of old lines."""
    assert parts_decorator(line_table(RUST), [change], language) is parted


def test_shown_lines_that_stand_several_times_hold_a_changed_entry_in_no_place():
    """A line that stands once does; both are counted."""
    file = line_table(["def a():", "    emit(x)", "    stop()", "def b():", "    emit(x)", "    wait()"])
    here = MergeContext(read_lazy(["def c():", "    emit(x)"], file), file)
    ops = [ScriptLine("near", 0, 0), ScriptLine("match", 1, 1), ScriptLine("keep", -1, 2)]
    change = Change(0, 3, ("def c():", "    emit(x)", "    stop()"))
    assert set(anchored_of(here, ops, [change])) == {"inside.repeated", "inside.new_thing"}
    once = [ScriptLine("near", 0, 0), ScriptLine("match", 1, 2)]
    assert set(anchored_of(here, once, [change])) == {"inside.unique"}


@pytest.mark.parametrize(
    ("above", "language", "parted"),
    [
        ("@cached", "python", True),
        ("@handlers.delete(handler)", "ruby", False),
        ("@Deprecated(", "kotlin", False),
        ("[toggle]", "typescript", False),
        ("[Fact]", "csharp", True),
    ],
)
def test_what_is_a_decorator_depends_on_the_language(above, language, parted):
    """Nor is one that goes on below parted by what is put in there."""
    change = Change(1, 1, ("def other():", "    pass"))
    assert parts_decorator(line_table([above, "rest(x)"]), [change], language) is parted
