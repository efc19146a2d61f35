"""The schedule of a run: rates, and which samples come when."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
import tiny

from fastapply.errors import UsageError

pytestmark = pytest.mark.usefixtures("training")


def plan_of(**more):
    """A short run."""
    from fastapply_lab.train.plan import Plan

    return Plan(**{"tokens": 4000, "batch": 40, "short": 10, "growing": 0.5, **more})


def test_rate_rises_stays_and_falls():
    """From next to nothing to all of it, and at last to a twentieth."""
    from fastapply_lab.train.plan import rate_at

    plan = plan_of(warmup=0.1, cooling=0.5)
    assert 0 < rate_at(plan, 0.0) < 0.011
    assert rate_at(plan, 0.1) == rate_at(plan, 0.3) == rate_at(plan, 0.5) == 1.0
    assert rate_at(plan, 0.75) == pytest.approx(0.525)
    assert rate_at(plan, 1.0) == rate_at(plan, 1.2) == pytest.approx(0.05)
    shares = [rate_at(plan, step / 1000) for step in range(1001)]
    assert all(after - before < 0.011 for before, after in pairwise(shares))
    assert all(after >= before for before, after in pairwise(shares[:500]))
    assert all(after <= before for before, after in pairwise(shares[500:]))


def test_rate_without_warming_or_cooling_stays():
    """The corners: nothing is divided by nothing."""
    from fastapply_lab.train.plan import rate_at

    assert rate_at(plan_of(warmup=0.0, cooling=0.0), 0.0) == 1.0
    assert rate_at(plan_of(warmup=0.0, cooling=0.0), 1.0) == 1.0
    assert rate_at(plan_of(warmup=0.0, cooling=1.0), 0.0) == 1.0


def made(tokens, plan, steps=0):
    """The samples of each batch from a step on."""
    from fastapply_lab.train.plan import batches

    return [batch.samples for batch in batches(tokens, plan, steps)]


@pytest.mark.parametrize("tokens", [4000, 40_000], ids=["an order a step", "stretches of five"])
def test_run_that_goes_on_gets_what_would_have_come(tmp_path, tokens):
    """From every step of it, in the middle of a stretch and while samples still grow longer too."""
    data, plan = tiny.store(tmp_path, [3, 9, 14, 22, 31, 40, 12, 8, 5, 17] * 9), plan_of(tokens=tokens)
    whole = made(data, plan)
    assert len(whole) == plan.steps == tokens // 40
    for step in (0, 1, 2, 7, plan.steps // 3, plan.steps // 2 + 3, plan.steps - 1, plan.steps):
        assert made(data, plan, step) == whole[step:]


def test_run_whose_tokens_are_no_whole_batches_goes_beyond_them(tmp_path):
    """The last step is a whole one."""
    assert len(made(tiny.store(tmp_path, [5, 6]), plan_of(tokens=401))) == 11


def test_samples_that_are_used_up_come_again_in_another_order(tmp_path):
    """A stretch of five batches of data for two: none is starved, and the run ends."""
    plan = plan_of(tokens=40_000, growing=0.0)
    assert plan.stretch == 5
    found = made(tiny.store(tmp_path, [15, 16, 17, 18]), plan)
    assert len(found) == plan.steps
    counts = Counter(number for samples in found for number in samples)
    assert set(counts) == {0, 1, 2, 3}
    assert max(counts.values()) - min(counts.values()) < plan.steps // 10
    assert len(set(found)) > 3


def test_short_samples_come_first(tmp_path):
    """The longest that is let in grows, from the middle of the run on all are, and the seed orders them."""
    data, plan = tiny.store(tmp_path, [5, 10, 20, 30, 40]), plan_of()
    found = made(data, plan)
    longest = [max(data.index[number, 2] for number in samples) for samples in found]
    assert max(longest[:1]) <= 10
    assert max(longest[:24]) <= 20
    assert 40 not in longest[:50]
    assert 40 in longest[50:]
    assert found != made(data, plan_of(seed=2))


@pytest.mark.parametrize(
    "short", [2, 10, 40, 500], ids=["shorter than all", "as planned", "a batch", "longer"]
)
def test_there_is_always_a_sample_to_begin_with(tmp_path, short):
    """However short the first ones are to be, and however long."""
    data = tiny.store(tmp_path, [12, 30, 39, 55])
    found = made(data, plan_of(short=short))
    assert len(found) == 100
    assert {number for samples in found for number in samples} == {0, 1, 2}


def test_samples_that_are_all_longer_than_a_batch_are_refused(tmp_path):
    """There is nothing to train on."""
    with pytest.raises(UsageError, match="the shortest sample has 41 tokens"):
        made(tiny.store(tmp_path, [41, 60]), plan_of())
