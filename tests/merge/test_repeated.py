"""Lines at the ends of new code that the file has beside it."""

from __future__ import annotations

from fastapply.merge.elements import MergeContext, read_lazy
from fastapply.merge.fill import ScriptLine
from fastapply.merge.lines import line_table
from fastapply.merge.repeated import joined

FILE = ["f(", "    a,", ")", "", "g(", "    b,", ")"]


def context(edit):
    """An edit of the file."""
    table = line_table(FILE, "python")
    return MergeContext(read_lazy(edit, table, "python"), table)


def keep(*lines):
    """File lines stay."""
    return [ScriptLine("keep", -1, f) for f in lines]


def put(*lines):
    """Edit lines come."""
    return [ScriptLine("insert", e, -1) for e in lines]


def test_new_lines_are_joined_with_the_same_ones_below():
    """One closing bracket is enough."""
    one = context(["    c,", ")", "# ..."])
    ops, count = joined(one, [*keep(0, 1), *put(0, 1), *keep(2, 3, 4, 5, 6)])
    assert count == 1
    assert ops == [*keep(0, 1), *put(0), ScriptLine("match", 1, 2), *keep(3, 4, 5, 6)]


def test_new_lines_are_joined_with_the_same_ones_above():
    """The entry is there."""
    one = context(["    b,", "    c,"])
    ops, count = joined(one, [*keep(0, 1, 2, 3, 4, 5), *put(0, 1), *keep(6)])
    assert count == 1
    assert ops == [*keep(0, 1, 2, 3, 4), ScriptLine("match", 0, 5), *put(1), *keep(6)]


def test_as_many_lines_as_are_the_same_are_joined():
    """Blank lines between them do not matter."""
    one = context(["h(", ")", "", "g("])
    ops, count = joined(one, [*keep(0, 1), *put(0, 1, 2, 3), *keep(2, 3, 4, 5, 6)])
    assert count == 2, "`)` and `g(`, whatever blank lines are between"
    assert [op.kind for op in ops if op.f in {2, 4}] == ["match", "match"]


def test_other_lines_are_not_joined():
    """Nothing is the same."""
    one = context(["    c,"])
    script = [*keep(0, 1), *put(0), *keep(2, 3, 4, 5, 6)]
    assert joined(one, script) == (script, 0)
