"""What markers name, and what stands where they do."""

from __future__ import annotations

from fastapply.merge.certainty.marked import marked_of, read_markers
from fastapply.merge.certainty.said import count_stems
from fastapply.merge.elements import MergeContext, read_lazy
from fastapply.merge.fill import ScriptLine
from fastapply.merge.lines import line_table

FILE = "def base():\n    pass\ndef listing():\n    pass\ndef close():\n    pass\n".splitlines()


def context(edit: str) -> MergeContext:
    """An edit of three functions."""
    file = line_table(FILE)
    return MergeContext(read_lazy(edit.splitlines(), file), file)


def features(edit: str, ops: list[ScriptLine]) -> dict[str, float]:
    """The features of a script."""
    here = context(edit)
    return marked_of(here, ops, read_markers(here, count_stems(FILE)))


EDIT = "def root():\n    pass\n# ... listing() and close() unchanged ...\n"
REPLACED = [ScriptLine("insert", 0, -1), ScriptLine("delete", -1, 0), ScriptLine("match", 1, 1)]


def test_a_marker_stands_for_what_it_names():
    """All of it is hidden there, and none of it is gone."""
    keeps = [*REPLACED, *(ScriptLine("keep", -1, f) for f in range(2, 6))]
    assert features(EDIT, keeps) == {"marker.fits": 1.0}


def test_what_a_marker_names_and_the_merge_takes_away_speaks_against_it():
    """One of the two functions goes."""
    loses = [
        *REPLACED,
        ScriptLine("delete", -1, 2),
        ScriptLine("delete", -1, 3),
        ScriptLine("keep", -1, 4),
        ScriptLine("keep", -1, 5),
    ]
    found = features(EDIT, loses)
    assert found["marker.named_gone"] == found["marker.named_less"] == 1.0
    assert found["marker.misses"] > 0.3


def test_a_marker_that_says_what_is_gone_names_nothing_that_stays():
    """And one without words of the file names nothing at all."""
    keeps = [*REPLACED, *(ScriptLine("keep", -1, f) for f in range(2, 6))]
    for marker in ("# ... listing() removed ...", "# ... rest of the code ..."):
        assert features(f"def root():\n    pass\n{marker}\n", keeps) == {}


def test_texts_that_a_marker_quotes_stay_as_well():
    """No definition has their names; the lines with them speak."""
    edit = EDIT.replace("listing() and close() unchanged", '"def listing" unchanged')
    loses = [
        *REPLACED,
        ScriptLine("delete", -1, 2),
        ScriptLine("delete", -1, 3),
        ScriptLine("keep", -1, 4),
        ScriptLine("keep", -1, 5),
    ]
    keeps = [*REPLACED, *(ScriptLine("keep", -1, f) for f in range(2, 6))]
    assert features(edit, loses)["marker.named_less"] == 1.0
    assert "marker.named_less" not in features(edit, keeps)
