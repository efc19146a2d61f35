"""A model that was measured: the candidate that it speaks for is taken where the facts are for that."""

from __future__ import annotations

from math import log
from typing import Literal

import pytest
from scripted import TrustedModel

from fastapply import apply_edit
from fastapply.errors import Refused
from fastapply.merge.certainty.weights import load_weights
from fastapply.models.choosing import MOST_BEHIND, choose
from fastapply.models.engine import Trust
from fastapply.models.focus import focus_on_open
from fastapply.models.prompts import expected_answer
from fastapply.models.rewrite import ask, rewrite
from fastapply.models.trust import MOST_SURE, facts_of
from fastapply.pipeline import read_edit
from fastapply.pipeline.parts import propose
from fastapply.text import from_text, splice
from fastapply.types import Candidate, LineRange, Options, Proposal, Question, Snippet, Splice
from fastapply.values import replace

TOTAL = """\
def total(items):
    count = 0
    for item in items:
        count += item.amount
    log(count)
    notify(count)
    audit(count)
    check(count)
    record(count)
    store(count)
    publish(count)
    report(count)
    close(count)
    return count


def average(items):
    count = total(items)
    log(count)
    return count
"""
SENDS = "# ...\n    check(count)\n    send(count)\n# ...\n"
ADDED = TOTAL.replace("    check(count)\n", "    check(count)\n    send(count)\n")


@pytest.fixture(autouse=True)
def unsure_engine(monkeypatch):
    """The engine is certain of no edit, so that each is the model's to decide."""
    weights = replace(load_weights(), scales=((1.0, -2.0),) * 3)
    monkeypatch.setattr("fastapply.merge.lazy.load_weights", lambda: weights)


def opened(file: str = TOTAL, edit: str = SENDS):
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


@pytest.mark.parametrize(("weight", "status"), [(1.0, "applied"), (-9.0, "refused")])
def test_the_first_candidate_written_is_believed_as_far_as_the_facts_go(weight, status):
    """Nothing is scored, since there is nothing to compare it with."""
    model = TrustedModel(Trust({"sure": weight}, 0.0, 0.5))
    model.enqueue(said(ADDED))
    result = apply_edit(TOTAL, SENDS, path="a.py", model=model)
    assert (result.status, result.text) == (status, ADDED if status == "applied" else TOTAL)
    assert result.reason == (None if status == "applied" else "answer_unsure")
    assert model.asked == []


def test_the_certainty_of_a_merge_is_that_of_the_score():
    """A caller may ask for more of it."""
    for least, status in ((None, "applied"), (0.97, "refused")):
        model = TrustedModel(Trust({}, 1.0, 0.5))
        model.enqueue(said(ADDED))
        result = apply_edit(TOTAL, SENDS, path="a.py", model=model, min_certainty=least)
        assert result.status == status
        if least is None:
            assert result.certainty == pytest.approx(0.731, abs=0.001)
        else:
            assert "certainty of 73.1%, and 97.0% are asked for" in result.message


@pytest.mark.parametrize(("written", "status"), [(-1.0, "applied"), (-30.0, "applied"), (4.0, "refused")])
def test_a_candidate_is_taken_where_the_model_finds_it_about_as_likely_as_what_it_wrote(written, status):
    """What it wrote is none of them, and is scored beside them."""
    _, _, proposal = opened()
    count = len(proposal.questions[0].candidates)
    model = TrustedModel(Trust({"behind": -1.5}, 2.0, 0.5), (0.0, *[-9.0] * (count - 1), written))
    model.enqueue(said(ADDED + "\n\nx = 1\n"))
    result = apply_edit(TOTAL, SENDS, path="a.py", model=model)
    assert (result.status, result.text) == (status, ADDED if status == "applied" else TOTAL)
    assert len(model.asked[0]) == count + 1


def test_what_the_engine_finds_far_less_likely_is_believed_less():
    """Where the model wrote the second of the engine's candidates, and finds it by far the likeliest."""
    source, part, proposal = opened()
    candidates = proposal.questions[0].candidates
    shown = focus_on_open(source, part, proposal).listed
    text = splice(source, candidates[1].splices).text
    likely = [0.0 if number == 1 else -50.0 for number in shown]
    for far, status in ((-0.1, "applied"), (-3.0, "refused")):
        model = TrustedModel(Trust({"far": far}, 3.0, 0.5), tuple(likely))
        model.enqueue(said(text))
        assert apply_edit(TOTAL, SENDS, path="a.py", model=model).status == status


def answered(text: str, likely: tuple[float, ...] = (), finish: Literal["end_tag", "endless"] = "end_tag"):
    """The model, and what it answered to the open edit."""
    source, part, proposal = opened()
    model = TrustedModel(trusting(), *([likely] if likely else []))
    model.enqueue(said(text), finish)
    answer = ask(source, part, proposal, model, language="python", options=Options(), focused=True)
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


def test_a_candidate_that_takes_away_what_the_model_does_not_see_is_never_chosen():
    """Kept and gone look the same there, but for the line of the hole."""
    lines = ["def a():", "    x = 1", *(f"    y{n} = {n}" for n in range(80)), "    return x", "", *"bcdefgh"]
    source = from_text("".join(f"{line}\n" for line in lines))
    new = Splice(1, 2, ("    x = 2",))
    ways = ((new, Splice(2, 82, ())), (new, Splice(83, 84, ())))
    candidates = tuple(
        Candidate(LineRange(2, 2), "", way, share=share) for way, share in zip(ways, (0.9, 0.1), strict=True)
    )
    proposal = Proposal(
        ways[0], "aligned", (Question("uncertain", "?", candidates=candidates),), certainty=0.9
    )
    part = Snippet(("def a():", "    x = 2", "    return x"), 1)
    model = TrustedModel(Trust({}, 9.0, 0.5), (0.0, -1.0))
    focus = focus_on_open(source, part, proposal)
    assert not focus.region.holds(focus.proposal.questions[0].candidates[0].splices)
    model.enqueue(said("".join(f"{line}\n" for line in focus.region.texts(focus.source.lines))))
    answer = ask(source, part, proposal, model, language="python", options=Options(), focused=True)
    choice = choose(answer.focus, answer.task, answer.completion, model)
    assert choice is not None
    assert choice.number == 1


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
    model.enqueue(said(text))
    with pytest.raises(Refused) as caught:
        rewrite(source, part, proposal, model, language="python", options=Options())
    assert (caught.value.reason, caught.value.questions) == (reason, proposal.questions)


def test_facts_of_a_choice():
    """Of the first candidate, and of one that the engine finds less likely than the model does."""
    model, answer, (_, _, proposal) = answered(ADDED)
    choice = choose(answer.focus, answer.task, answer.completion, model)
    assert choice is not None
    assert proposal.certainty
    sure = pytest.approx(log(proposal.certainty / (1 - proposal.certainty)))
    assumed = float(answer.focus.assumed)
    facts = facts_of(proposal, choice, answer.focus)
    assert facts == {"sure": sure, "far": 0.0, "behind": 0.0, "assumed": assumed}
    first, second = (one.share for one in proposal.questions[0].candidates[:2])
    other = replace(choice, number=1, behind=4.0)
    facts = facts_of(proposal, other, answer.focus)
    assert facts == {
        "sure": sure,
        "far": pytest.approx(log(first / second), abs=0.2),  # shares are rounded
        "behind": 2.0,
        "assumed": assumed,
    }


@pytest.mark.parametrize(("certainty", "sure"), [(None, -MOST_SURE), (0.5, 0.0), (1.0, MOST_SURE)])
def test_log_odds_have_bounds(certainty, sure):
    """No certainty is none; a whole one is no infinity."""
    model, answer, (_, _, proposal) = answered(ADDED)
    choice = choose(answer.focus, answer.task, answer.completion, model)
    assert choice is not None
    assert facts_of(replace(proposal, certainty=certainty), choice, answer.focus)["sure"] == sure
