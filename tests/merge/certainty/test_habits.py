"""How an edit hides what it does not show."""

from __future__ import annotations

from fastapply.merge.certainty.habits import habits_of
from fastapply.merge.elements import MergeContext, read_lazy
from fastapply.merge.fill import ScriptLine
from fastapply.merge.lines import line_table

FILE = "alpha()\nbeta()\ngamma()\ndelta()\nomega()\n".splitlines()


def habits(edit: str, ops: list[ScriptLine]) -> dict[str, float]:
    """The features of a script for a file of five calls."""
    file = line_table(FILE)
    return habits_of(MergeContext(read_lazy(edit.splitlines(), file), file), ops)


def keep(f: int) -> ScriptLine:
    """A file line that stays and is not shown."""
    return ScriptLine("keep", -1, f)


def gone(f: int) -> ScriptLine:
    """A file line that goes."""
    return ScriptLine("delete", -1, f)


def test_leaving_lines_out_without_a_marker_breaks_the_habit_of_marking_them():
    """One stretch has its marker, the other one has none."""
    edit = "alpha()\n# ... existing code ...\ngamma()\nomega()\n"
    ops = [ScriptLine("match", 0, 0), keep(1), ScriptLine("match", 2, 2), keep(3), ScriptLine("match", 3, 4)]
    assert habits(edit, ops) == {"habit.skips": 0.5}


def test_lines_that_go_between_two_shown_ones_fit_an_edit_that_marks_what_stays():
    """What has no marker in it is meant to go."""
    edit = "alpha()\n# ... existing code ...\ngamma()\nomega()\n"
    ops = [ScriptLine("match", 0, 0), keep(1), ScriptLine("match", 2, 2), gone(3), ScriptLine("match", 3, 4)]
    assert habits(edit, ops) == {"habit.omits": 0.5}


def test_lines_shown_side_by_side_mean_one_thing_in_one_edit():
    """They cannot both stand for a deletion and for lines left out."""
    edit = "alpha()\ngamma()\nomega()\n"
    ops = [ScriptLine("match", 0, 0), keep(1), ScriptLine("match", 1, 2), gone(3), ScriptLine("match", 2, 4)]
    assert habits(edit, ops) == {"habit.mixed": 1.0}


def test_an_edit_that_marks_all_that_it_hides_has_no_such_feature():
    """Nor has one in which new lines come in the place of old ones."""
    edit = "alpha()\n# ... existing code ...\ngamma()\nzeta()\nomega()\n"
    ops = [
        *(ScriptLine("match", 0, 0), keep(1), ScriptLine("match", 2, 2)),
        *(gone(3), ScriptLine("insert", 3, -1), ScriptLine("match", 4, 4)),
    ]
    assert habits(edit, ops) == {}
