"""A model that was measured: the candidate that it speaks for is taken where the facts are for that."""

from __future__ import annotations

from math import log

import pytest
from scripted import ScriptedModel, TrustedModel

from fastapply import apply_edit
from fastapply.errors import Refused
from fastapply.llm.choosing import MOST_BEHIND, choose
from fastapply.llm.engine import Finish, Likelihood
from fastapply.llm.focus import focus_on_open
from fastapply.llm.prompts import expected_answer
from fastapply.llm.rewrite import ask, rewrite
from fastapply.llm.trust import LEAST_TOKEN, LEAST_TOTAL, Trust, facts_of
from fastapply.pipeline import Options, propose, read_edit
from fastapply.text import from_text, splice
from fastapply.types import Proposal, Question

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
LATE = "# ...\n    count = 0\n    check(count)\n    ping(count)\n# ...\n"


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
    assert model.asked == []  # what it wrote is the engine's first candidate


def test_the_certainty_of_a_merge_is_that_of_the_score():
    """A caller may ask for more of it."""
    for least, status in ((None, "applied"), (0.9, "refused")):
        model = TrustedModel(Trust({}, 1.0, 0.5))
        model.enqueue(said(ADDED), likelihood=Likelihood(-0.1, -0.1))
        result = apply_edit(TOTAL, EARLY, path="a.py", model=model, min_certainty=least)
        assert result.status == status
        if least is None:
            assert result.certainty == pytest.approx(0.731, abs=0.001)
        else:
            assert "certainty of 73.1%, and 90.0% are asked for" in result.message


@pytest.mark.parametrize(("written", "status"), [(-1.0, "applied"), (-30.0, "applied"), (4.0, "refused")])
def test_a_candidate_is_taken_where_the_model_finds_it_about_as_likely_as_what_it_wrote(written, status):
    """What it wrote is none of them, and is scored beside them."""
    _, _, proposal = opened()
    count = len(proposal.questions[0].candidates)
    model = TrustedModel(Trust({"behind": -1.5}, 2.0, 0.5), (0.0, *[-9.0] * (count - 1), written))
    model.enqueue(said(ADDED + "\n\nx = 1\n"), likelihood=Likelihood(-0.1, -0.1))
    result = apply_edit(TOTAL, EARLY, path="a.py", model=model)
    assert (result.status, result.text) == (status, ADDED if status == "applied" else TOTAL)
    assert len(model.asked[0]) == count + 1


def test_what_a_right_merge_may_have_counts_and_does_not_refuse():
    """That a definition goes is one fact among others, for a model that was measured."""
    source, part, proposal = opened(edit=LATE)
    candidates = proposal.questions[0].candidates
    lost = next(
        number
        for number, one in enumerate(candidates)
        if "def average" not in splice(source, one.splices).text
    )
    text = splice(source, candidates[lost].splices).text
    shown = focus_on_open(source, part, proposal).listed
    likely = [0.0 if number == lost else -50.0 for number in shown]
    for found, status in ((-1.0, "applied"), (-5.0, "refused")):
        model = TrustedModel(Trust({"found": found}, 3.0, 0.5), tuple(likely))
        model.enqueue(said(text))
        assert apply_edit(TOTAL, LATE, path="a.py", model=model).status == status
    plain = ScriptedModel()
    plain.enqueue(said(text))
    assert apply_edit(TOTAL, LATE, path="a.py", model=plain).reason == "lost_definition"


def answered(text: str, likely: tuple[float, ...] = (), finish: Finish = "end_tag"):
    """The model, and what it answered to the open edit."""
    source, part, proposal = opened()
    model = TrustedModel(trusting(), *([likely] if likely else []))
    model.enqueue(said(text), finish, Likelihood(-99.0, -9.0))
    answer = ask(source, part, proposal, model, language="python", options=Options())
    return model, answer, (source, part, proposal)


def test_choice_is_the_likeliest_by_the_engine_and_the_model_together():
    """The model's word counts half: of two that the engine finds as likely it decides."""
    _, _, proposal = opened()
    shares = [one.share for one in proposal.questions[0].candidates]
    likely = [-40.0] * len(shares)
    likely[1] = 0.0
    model, answer, _ = answered(TOTAL + "\n\nx = 1\n", (*likely, 1.5))
    choice = choose(answer.focus, answer.task, answer.completion, model)
    assert choice is not None
    assert (choice.number, choice.behind) == (1, 1.5)


def test_an_answer_without_an_end_is_as_far_off_as_can_be():
    """It is not scored, since it would be no whole one."""
    _, _, proposal = opened()
    count = len(proposal.questions[0].candidates)
    model, answer, _ = answered(TOTAL * 9, tuple(-float(n) for n in range(count)), "endless")
    choice = choose(answer.focus, answer.task, answer.completion, model)
    assert choice is not None
    assert (choice.number, choice.behind, len(model.asked[0])) == (0, MOST_BEHIND, count)


@pytest.mark.parametrize(("text", "reason"), [(ADDED, "answer_unsure"), (TOTAL, "answer_unchanged")])
def test_without_a_candidate_nothing_that_the_model_writes_is_believed(text, reason):
    """There is nothing that it could agree with."""
    source, part, _ = opened()
    proposal = Proposal((), "aligned", (Question("uncertain", "nothing fits"),), certainty=0.0)
    model = TrustedModel(Trust({}, 9.0, 0.5))
    model.enqueue(said(text), likelihood=Likelihood(-0.1, -0.1))
    with pytest.raises(Refused) as caught:
        rewrite(source, part, proposal, model, language="python", options=Options())
    assert (caught.value.reason, caught.value.questions) == (reason, proposal.questions)


def test_facts_of_a_choice():
    """Shares are those of the candidate; likelihoods have a floor."""
    model, answer, (source, part, proposal) = answered(ADDED)
    choice = choose(answer.focus, answer.task, answer.completion, model)
    assert choice is not None
    assert proposal.certainty
    assert facts_of(source, part, proposal, choice, answer, language="python") == {
        "share": proposal.questions[0].candidates[0].share,
        "sure": pytest.approx(log(proposal.certainty / (1 - proposal.certainty))),
        "behind": 0.0,
        "assumed": float(answer.focus.assumed),
        "total": LEAST_TOTAL,
        "least": LEAST_TOKEN,
        "found": 0.0,
    }
