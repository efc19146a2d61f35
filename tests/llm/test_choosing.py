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
def a():
    go()
    x = 1
    stop()


def b():
    go()
    x = 1
    stop()
"""
EITHER = "# ... existing code ...\n    go()\n    x = 2\n    stop()\n# ... existing code ...\n"
FIRST = FILE.replace("x = 1", "x = 2", 1)
SECOND = "x = 2".join(FILE.rsplit("x = 1", 1))


TOTAL = """\
def total(items):
    count = 0
    for item in items:
        count += item.amount
    log(count)
    notify(count)
    audit(count)
    check(count)
    return count


def average(items):
    count = total(items)
    log(count)
    return count
"""
EARLY = "# ...\n    count = 0\n    return count\n# ...\n"


def ways_of(edit: str, file: str = FILE) -> list[str]:
    """The texts that an open edit may make of a file."""
    source = from_text(file)
    part = read_edit(edit, path="a.py", original=source, options=Options()).files[0].parts[0]
    proposal = propose(source, part, language="python", options=Options())
    assert proposal.questions
    return [splice(source, way).text for way in list_ways(source, proposal)]


def test_an_edit_that_fits_at_two_places_has_two_ways():
    """Candidates of a question are merges as they are."""
    assert set(ways_of(EITHER)) == {FIRST, SECOND}


def test_a_line_that_may_be_new_or_an_old_one_may_be_put_in_or_replace():
    """The best guess comes first, then the other answer, and no way comes twice."""
    ways = ways_of(EARLY, TOTAL)
    assert ways[0] == TOTAL.replace("    count = 0\n", "    count = 0\n    return count\n")
    assert TOTAL.replace("    for item in items:\n", "    return count\n") in ways
    assert len(ways) == len(set(ways))


def test_an_edit_for_another_file_has_no_ways():
    """There is nothing to choose from where nothing fits."""
    assert ways_of("# ... existing code ...\nfunc main() {\n\tprintln(3)\n}\n# ... existing code ...\n") == []


def likely(text: str, margin: float) -> tuple[float, ...]:
    """Scores for the ways of `EITHER`, of which this one is likelier."""
    return tuple(-1.0 if way == text else -1.0 - margin for way in ways_of(EITHER))


@pytest.mark.parametrize("text", [FIRST, SECOND])
def test_the_likeliest_way_is_taken_where_it_is_sure(text):
    """It is written by choosing alone: the model is not asked to write."""
    model = SureScriptedModel(Thresholds(None, 5.0), likely(text, 5.0))
    applied = apply_edit(FILE, EITHER, path="a.py", model=model)
    assert (applied.status, applied.method, applied.text) == ("applied", "model", text)
    assert model.history == []
    assert applied.models[0].finish == "choice"


def test_a_margin_below_the_threshold_decides_nothing():
    """It is not asked to write either, where nothing that it writes is sure enough."""
    model = SureScriptedModel(Thresholds(None, 5.0), likely(FIRST, 4.9))
    refused = apply_edit(FILE, EITHER, path="a.py", model=model)
    assert (refused.status, refused.reason, refused.text) == ("refused", "answer_unsure", FILE)
    assert model.history == []


def test_a_model_that_does_not_choose_surely_may_write_surely():
    """What it writes is judged by the other threshold."""
    model = SureScriptedModel(Thresholds(-0.1, 5.0), likely(FIRST, 4.9), (-0.01, -500.0))
    model.enqueue(FIRST.removesuffix("\n"), "eos")
    assert apply_edit(FILE, EITHER, path="a.py", model=model).text == FIRST


@pytest.mark.parametrize(("written", "status"), [(FIRST, "applied"), (SECOND, "refused")])
def test_what_is_chosen_and_written_alike_is_taken(written, status):
    """Two ways to ask one model that come to the same; neither would be sure enough alone."""
    model = SureScriptedModel(Thresholds(None, None, 1.0), likely(FIRST, 1.5))
    model.enqueue(written.removesuffix("\n"), "eos")
    result = apply_edit(FILE, EITHER, path="a.py", model=model)
    assert (result.status, result.text) == (status, FIRST if status == "applied" else FILE)
    assert len(model.history) == 1
    assert result.reason == (None if status == "applied" else "answer_unsure")


def test_a_choice_too_close_is_not_asked_to_be_written():
    """Below the margin agreement would count for nothing."""
    model = SureScriptedModel(Thresholds(None, None, 2.0), likely(FIRST, 1.5))
    refused = apply_edit(FILE, EITHER, path="a.py", model=model)
    assert (refused.reason, model.history) == ("answer_unsure", [])


def test_a_chosen_way_goes_to_the_verifier_like_any_other_merge():
    """A loop that loses its head and keeps its body is refused, however sure a model is of it."""
    broken = TOTAL.replace("    for item in items:\n", "    return count\n")
    scores = tuple(-1.0 if way == broken else -50.0 for way in ways_of(EARLY, TOTAL))
    model = SureScriptedModel(Thresholds(None, 5.0), scores)
    refused = apply_edit(TOTAL, EARLY, path="a.py", model=model)
    assert (refused.status, refused.reason, refused.text) == ("refused", "lost_lines", TOTAL)


@pytest.mark.parametrize(("sure", "status"), [(-0.05, "applied"), (-0.2, "refused")])
def test_what_is_written_must_be_likely_as_a_whole(sure, status):
    """The likelihood of all of the answer is compared with the threshold for writing."""
    model = SureScriptedModel(Thresholds(-0.1, None), (sure, -500.0))
    model.enqueue(SECOND.removesuffix("\n"), "eos")
    result = apply_edit(FILE, EITHER, path="a.py", model=model)
    assert (result.status, result.text) == (status, SECOND if status == "applied" else FILE)
    assert model.asked == [(SECOND.removesuffix("\n"), "")]


def test_a_model_without_thresholds_is_asked_to_write():
    """Nothing is known of how sure a public model has to be: it writes, and the verifier judges."""
    model = ScriptedModel("nano")
    model.enqueue(FIRST.removesuffix("\n"), "eos")
    assert apply_edit(FILE, EITHER, path="a.py", model=model).text == FIRST
