"""A model that was measured: the candidate that it speaks for is taken where the facts are for that."""

from __future__ import annotations

from math import log

import pytest
from scripted import TrustedModel

from fastapply import apply_edit
from fastapply.errors import Refused
from fastapply.merge.certainty.weights import load_weights
from fastapply.models.choosing import choose
from fastapply.models.engine import Trust
from fastapply.models.prompts import expected_answer
from fastapply.models.rewrite import prepare_choice, rewrite
from fastapply.models.trust import MOST_SURE, facts_of
from fastapply.pipeline import read_edit
from fastapply.pipeline.parts import propose
from fastapply.text import from_text, splice
from fastapply.types import Candidate, LineRange, Options, Proposal, Question, Snippet, Splice, may_answer
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


def choosing(trust: Trust, *behind: float) -> TrustedModel:
    """A model that finds the candidates so much less likely, one after the other; any more of them by 50."""
    return TrustedModel(trust, (*(-one for one in behind), *[-50.0] * 9))


def chosen(model: TrustedModel, source, part, proposal):
    """What the model is shown, and its choice."""
    focus, prompt = prepare_choice(source, part, proposal, model, language="python", options=Options())
    return focus, choose(focus, prompt, model)


@pytest.mark.parametrize(("weight", "status"), [(1.0, "applied"), (-9.0, "refused")])
def test_the_likeliest_candidate_is_believed_as_far_as_the_facts_go(weight, status):
    """Nothing is written."""
    model = choosing(Trust({"sure": weight}, 0.0, 0.5), 0.0)
    result = apply_edit(TOTAL, SENDS, path="a.py", model=model)
    assert (result.status, result.text) == (status, ADDED if status == "applied" else TOTAL)
    assert result.reason == (None if status == "applied" else "answer_unsure")
    assert [run.finish for run in result.models] == ["choice"]
    assert (len(model.asked), model.history) == (1, [])


def test_the_certainty_of_a_merge_is_that_of_the_score():
    """A caller may ask for more of it."""
    for least, status in ((None, "applied"), (0.97, "refused")):
        model = choosing(Trust({}, 1.0, 0.5), 0.0)
        result = apply_edit(TOTAL, SENDS, path="a.py", model=model, min_certainty=least)
        assert result.status == status
        if least is None:
            assert result.certainty == pytest.approx(0.731, abs=0.001)
        else:
            assert "certainty of 73.1%, and 97.0% are asked for" in result.message


@pytest.mark.parametrize(("behind", "status"), [(0.0, "applied"), (1.0, "applied"), (40.0, "refused")])
def test_a_candidate_is_taken_where_the_model_would_write_it_or_nearly(behind, status):
    """Else there is something that it finds likelier than all of them."""
    model = choosing(Trust({"behind": -1.5}, 2.0, 0.5), behind)
    result = apply_edit(TOTAL, SENDS, path="a.py", model=model)
    assert (result.status, result.text) == (status, ADDED if status == "applied" else TOTAL)


def test_what_the_engine_finds_far_less_likely_is_believed_less():
    """Where the model finds the second of the engine's candidates by far the likeliest."""
    for far, status in ((-0.1, "applied"), (-3.0, "refused")):
        model = choosing(Trust({"far": far}, 3.0, 0.5), 50.0, 0.0)
        assert apply_edit(TOTAL, SENDS, path="a.py", model=model).status == status


def test_choice_is_the_likeliest_by_the_engine_and_the_model_together():
    """The model's word counts half: of two that the engine finds as likely it decides."""
    _, choice = chosen(choosing(Trust({}, 0.0, 0.5), 40.0, 1.5), *opened())
    assert choice is not None
    assert (choice.number, choice.behind) == (1, 1.5)


def test_each_candidate_is_put_in_place_of_its_few_lines():
    """The texts differ in the lines that are open, and the prompt shows no more than those around them."""
    source, part, proposal = opened()
    model = choosing(Trust({}, 0.0, 0.5), 0.0)
    focus, _ = chosen(model, source, part, proposal)
    merges = [splice(focus.source, one.splices).lines for one in focus.proposal.questions[0].candidates]
    assert len(model.asked[0]) == len(merges)
    for text, merge in zip(model.asked[0], merges, strict=True):
        inside = text.removeprefix("<updated-code>").removesuffix("</updated-code>").splitlines()
        shown = [line for line in inside if "not shown" not in line]
        assert set(shown) <= set(merge)
        assert len(shown) < len(merge) - 5
    assert "def average(items):" not in model.prompts[0].messages[-1].text
    assert model.prompts[0].about == proposal.questions[0].message


def test_a_single_candidate_is_compared_with_the_file_as_it_is():
    """Where they part it tells what the model would write; the file as it is can never be the choice."""
    source, part, proposal = opened()
    question = proposal.questions[0]
    alone = replace(proposal, questions=(replace(question, candidates=question.candidates[:1]),))
    model = choosing(Trust({}, 0.0, 0.5), 2.0, 0.0)
    focus, choice = chosen(model, source, part, alone)
    assert choice is not None
    assert (choice.number, choice.behind) == (0, 2.0)
    shown = "".join(f"{line}\n" for line in focus.region.texts(focus.source.lines))
    assert model.asked[0][1] == expected_answer("kortix", shown)


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
    model = choosing(Trust({}, 9.0, 0.5), 0.0)
    focus, choice = chosen(model, source, part, proposal)
    assert not focus.region.holds(focus.proposal.questions[0].candidates[0].splices)
    assert choice is not None
    assert choice.number == 1


@pytest.mark.parametrize(
    ("certainty", "reason", "asked"),
    [(0.5, "uncertain", True), (0.95, "uncertain", False), (0.95, "unnamed_loss", True)],
)
def test_a_merge_that_is_never_written_however_certain_is_no_question_for_a_model(certainty, reason, asked):
    """It leaves something of the edit undone; what it removes without a word a model may confirm."""
    _, _, proposal = opened()
    question = replace(proposal.questions[0], reason=reason)
    assert may_answer(replace(proposal, questions=(question,), certainty=certainty, needed=0.9)) == asked


def test_without_a_candidate_nothing_is_asked():
    """There is nothing to choose."""
    source, part, _ = opened()
    proposal = Proposal((), "aligned", (Question("uncertain", "nothing fits"),), certainty=0.0)
    model = TrustedModel(Trust({}, 9.0, 0.5))
    with pytest.raises(Refused) as caught:
        rewrite(source, part, proposal, model, language="python", options=Options())
    assert (caught.value.reason, caught.value.questions) == ("answer_unsure", proposal.questions)
    assert model.asked == []


def test_facts_of_a_choice():
    """Of the first candidate, and of one that the engine finds less likely than the model does."""
    source, part, proposal = opened()
    focus, choice = chosen(choosing(Trust({}, 0.0, 0.5), 0.0), source, part, proposal)
    assert choice is not None
    assert proposal.certainty
    sure = pytest.approx(log(proposal.certainty / (1 - proposal.certainty)))
    assumed = float(focus.assumed)
    facts = facts_of(proposal, choice, focus)
    assert facts == {"sure": sure, "far": 0.0, "behind": 0.0, "assumed": assumed}
    first, second = (one.share for one in proposal.questions[0].candidates[:2])
    facts = facts_of(proposal, replace(choice, number=1, behind=4.0), focus)
    assert facts == {
        "sure": sure,
        "far": pytest.approx(log(first / second), abs=0.2),  # shares are rounded
        "behind": 2.0,
        "assumed": assumed,
    }


@pytest.mark.parametrize(("certainty", "sure"), [(None, -MOST_SURE), (0.5, 0.0), (1.0, MOST_SURE)])
def test_log_odds_have_bounds(certainty, sure):
    """No certainty is none; a whole one is no infinity."""
    source, part, proposal = opened()
    focus, choice = chosen(choosing(Trust({}, 0.0, 0.5), 0.0), source, part, proposal)
    assert choice is not None
    assert facts_of(replace(proposal, certainty=certainty), choice, focus)["sure"] == sure
