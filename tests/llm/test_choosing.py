"""A model of which is known how sure it has to be chooses among the ways of an open edit, or writes."""

from __future__ import annotations

import pytest
from scripted import ScriptedModel, SureScriptedModel

from fastapply import apply_edit
from fastapply.llm.engine import Thresholds
from fastapply.llm.ways import list_ways
from fastapply.pipeline import Options, propose, read_edit
from fastapply.text import from_text, splice

FILE = """\
def total(items):
    count = 0
    for item in items:
        count += item.amount
    log(count)
    notify(count)
    audit(count)
    check(count)
    return count
"""
GAP = """\
# ... existing code ...
    for item in items:
        count += item.price
    return count
# ... existing code ...
"""
REMOVED = """\
def total(items):
    count = 0
    for item in items:
        count += item.price
    return count
"""
KEPT = FILE.replace("amount", "price")


def ways_of(edit: str, file: str = FILE) -> list[str]:
    """The texts that an open edit may make of a file."""
    source = from_text(file)
    part = read_edit(edit, path="a.py", original=source, options=Options()).files[0].parts[0]
    proposal = propose(source, part, language="python", options=Options())
    assert proposal.questions
    return [splice(source, way).text for way in list_ways(source, proposal)]


def test_lines_left_out_without_a_marker_may_be_removed_or_kept():
    """The best guess comes first, then the other answer."""
    ways = ways_of(GAP)
    assert ways[:2] == [REMOVED, KEPT]
    assert len(ways) == len(set(ways))


def test_an_edit_that_fits_at_two_places_has_two_ways():
    """Candidates of a question are merges as they are."""
    file = "def a():\n    go()\n    x = 1\n    stop()\n\n\ndef b():\n    go()\n    x = 1\n    stop()\n"
    edit = "# ... existing code ...\n    go()\n    x = 2\n    stop()\n# ... existing code ...\n"
    one = file.replace("x = 1", "x = 2", 1)
    other = "x = 2".join(file.rsplit("x = 1", 1))
    assert set(ways_of(edit, file)) == {one, other}


def test_an_edit_for_another_file_has_no_ways():
    """There is nothing to choose from where nothing fits."""
    assert ways_of("# ... existing code ...\nfunc main() {\n\tprintln(3)\n}\n# ... existing code ...\n") == []


def likely(first: float, *others: float) -> tuple[float, ...]:
    """Scores for all ways of `GAP`."""
    return (first, *others, *[-99.0] * (len(ways_of(GAP)) - 1 - len(others)))


def test_the_likeliest_way_is_taken_where_it_is_sure():
    """It is written by choosing alone: the model is not asked to write."""
    model = SureScriptedModel(Thresholds(None, 5.0), likely(-1.0, -9.0))
    applied = apply_edit(FILE, GAP, path="a.py", model=model)
    assert (applied.status, applied.method, applied.text) == ("applied", "model", REMOVED)
    assert model.history == []
    assert applied.models[0].finish == "choice"


def test_a_chosen_way_goes_to_the_verifier_like_any_other_merge():
    """Lines that the edit shows side by side are so in the result, however sure a model is of another way."""
    model = SureScriptedModel(Thresholds(None, 5.0), likely(-9.0, -1.0))
    refused = apply_edit(FILE, GAP, path="a.py", model=model)
    assert (refused.status, refused.reason, refused.text) == ("refused", "not_removed", FILE)


def test_a_margin_below_the_threshold_decides_nothing():
    """What it then writes is judged by the other threshold, which nothing reaches here."""
    model = SureScriptedModel(Thresholds(None, 5.0), likely(-1.0, -5.9))
    model.enqueue(REMOVED.removesuffix("\n"), "eos")
    refused = apply_edit(FILE, GAP, path="a.py", model=model)
    assert (refused.status, refused.reason, refused.text) == ("refused", "answer_unsure", FILE)
    assert len(model.history) == 1


@pytest.mark.parametrize(("sure", "status"), [(-0.05, "applied"), (-0.2, "refused")])
def test_what_is_written_must_be_likely_as_a_whole(sure, status):
    """The likelihood of all of the answer is compared with the threshold for writing."""
    model = SureScriptedModel(Thresholds(-0.1, None), (sure, -500.0))
    model.enqueue(REMOVED.removesuffix("\n"), "eos")
    result = apply_edit(FILE, GAP, path="a.py", model=model)
    assert result.status == status
    assert result.text == (REMOVED if status == "applied" else FILE)
    assert model.asked == [(REMOVED.removesuffix("\n"), "")]


def test_a_model_without_thresholds_is_asked_to_write():
    """Nothing is known of how sure a public model has to be: it writes, and the verifier judges."""
    model = ScriptedModel("nano")
    model.enqueue(REMOVED.removesuffix("\n"), "eos")
    assert apply_edit(FILE, GAP, path="a.py", model=model).text == REMOVED
