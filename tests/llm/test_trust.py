"""A model that was measured: its merge is believed where the facts about it say that it is right."""

from __future__ import annotations

import pytest
from scripted import ScriptedModel, TrustedModel

from fastapply import apply_edit
from fastapply.llm.choosing import choose
from fastapply.llm.engine import Likelihood
from fastapply.llm.prompts import expected_answer
from fastapply.llm.rewrite import prepare_task
from fastapply.llm.trust import LEAST_TOKEN, LEAST_TOTAL, Trust, facts_of
from fastapply.pipeline import Options, propose, read_edit
from fastapply.text import from_text
from fastapply.types import Splice

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
ADDED = TOTAL.replace("    count = 0\n", "    count = 0\n    return count\n")
SHORT = "def total(items):\n    count = 0\n    return count\n" + TOTAL[TOTAL.index("\n\ndef average") :]

HEADLESS = TOTAL.replace("    for item in items:\n", "    return count\n")


def opened(file: str = TOTAL, edit: str = EARLY):
    """Source, part and proposal of an edit that is open."""
    source = from_text(file)
    part = read_edit(edit, path="a.py", original=source, options=Options()).files[0].parts[0]
    proposal = propose(source, part, language="python", options=Options())
    assert proposal.questions
    return source, part, proposal


def said(text: str) -> str:
    """A merge as the scripted model writes it."""
    return expected_answer("kortix", text)


def trusting(**weights: float) -> Trust:
    """A score of these weights, of which half a chance is enough."""
    return Trust(weights, 0.0, 0.5)


@pytest.mark.parametrize(("least", "status"), [(-0.1, "applied"), (-3.0, "refused")])
def test_a_copying_slip_shows_in_the_token_that_the_model_was_least_sure_of(least, status):
    """The same text is written by a sure model and refused of one that was in doubt."""
    model = TrustedModel(Trust({"least": 2.0}, 1.0, 0.5))
    model.enqueue(said(ADDED), likelihood=Likelihood(least, least))
    result = apply_edit(TOTAL, EARLY, path="a.py", model=model)
    assert (result.status, result.text) == (status, ADDED if status == "applied" else TOTAL)
    assert result.reason == (None if status == "applied" else "answer_unsure")


def test_the_certainty_of_a_merge_is_that_of_the_score():
    """A caller may ask for more of it."""
    for least, status in ((None, "applied"), (0.9, "refused")):
        model = TrustedModel(trusting(alike=1.0))
        model.enqueue(said(SHORT), likelihood=Likelihood(-0.1, -0.1))
        result = apply_edit(TOTAL, EARLY, path="a.py", model=model, min_certainty=least)
        assert result.status == status
        if least is None:
            assert result.certainty == pytest.approx(0.731, abs=0.001)
        else:
            assert "certainty of 73.1%, and 90.0% are asked for" in result.message


@pytest.mark.parametrize(("text", "status"), [(ADDED, "applied"), (TOTAL + "\n\nx = 1\n", "refused")])
def test_a_merge_that_is_no_candidate_is_believed_less(text, status):
    """Two ways to the same text speak for it."""
    model = TrustedModel(Trust({"alike": 3.0}, -1.0, 0.5))
    model.enqueue(said(text), likelihood=Likelihood(-0.1, -0.1))
    assert apply_edit(TOTAL, EARLY, path="a.py", model=model).status == status


def test_what_a_right_merge_may_have_counts_and_does_not_refuse():
    """Lines that went without being named are one fact among others, for a model that was measured."""
    model = TrustedModel(Trust({"found": -1.0}, 3.0, 0.5))
    model.enqueue(said(HEADLESS), likelihood=Likelihood(-0.1, -0.1))
    assert apply_edit(TOTAL, EARLY, path="a.py", model=model).text == HEADLESS
    plain = ScriptedModel()
    plain.enqueue(said(HEADLESS))
    assert apply_edit(TOTAL, EARLY, path="a.py", model=plain).reason == "lost_lines"


def test_the_model_is_asked_to_choose_where_its_choice_counts():
    """Once for all candidates, before it writes."""
    _, _, proposal = opened()
    count = len(proposal.questions[0].candidates)
    model = TrustedModel(trusting(chosen=1.0), tuple(-float(n) for n in range(count)))
    model.enqueue(said(ADDED), likelihood=Likelihood(-0.1, -0.1))
    assert apply_edit(TOTAL, EARLY, path="a.py", model=model).status == "applied"
    assert len(model.asked) == 1
    unasked = TrustedModel(trusting(alike=1.0))
    unasked.enqueue(said(ADDED), likelihood=Likelihood(-0.1, -0.1))
    assert apply_edit(TOTAL, EARLY, path="a.py", model=unasked).status == "applied"
    assert unasked.asked == []


def test_a_choice_is_a_share_of_each_candidate():
    """All together one; the likeliest has most."""
    source, part, proposal = opened()
    candidates = proposal.questions[0].candidates[:2]
    model = TrustedModel(trusting(), (-1.0, -3.0))
    region, task = prepare_task(source.lines, part, proposal, model, language="python", options=Options())
    assert choose(source.lines, candidates, region, task, model) == pytest.approx((0.881, 0.119), abs=0.001)
    assert choose(source.lines, candidates[:1], region, task, model) == ()


def test_facts_of_a_merge_that_is_a_candidate_and_of_one_that_is_none():
    """Shares are those of the candidate; likelihoods have a floor."""
    source, part, proposal = opened()
    candidates = proposal.questions[0].candidates
    given = {"candidates": candidates, "language": "python"}
    one = facts_of(
        source,
        part,
        (Splice(2, 2, ("", "    return count")),),
        chosen=[0.9, *[0.0] * (len(candidates) - 1)],
        likelihood=Likelihood(-1.5, -1.0),
        **given,
    )
    assert one.pop("found") == 0.0
    assert one == {
        "alike": 1.0,
        "share": candidates[0].share,
        "chosen": 0.9,
        "total": -1.5,
        "least": -1.0,
    }
    other = facts_of(
        source, part, (Splice(0, 4, ()),), chosen=(), likelihood=Likelihood(-99.0, -9.0), **given
    )
    assert other == {
        "alike": 0.0,
        "share": 0.0,
        "chosen": 0.0,
        "total": LEAST_TOTAL,
        "least": LEAST_TOKEN,
        "found": 1.0,
    }
