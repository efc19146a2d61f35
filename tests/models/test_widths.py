"""How long steps take by their width: measured in rounds, what cannot be thrown out, corrected, kept."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from fastapply.models.widths import WIDTHS, Schedule, load_schedule, measure_round, plausible, save_schedule

REAL = {1: 0.071, 2: 0.102, 4: 0.267, 8: 0.342, 16: 0.296, 32: 0.504, 64: 1.13}
"""A base of 1.5 billion parameters on two cores: other kernels from 16 on."""


class Context:
    """A context that notes what it is given, and takes as long as it is told."""

    def __init__(self, monkeypatch, seconds):
        self.now, self.held, self.widths, self._seconds = 0.0, 0, [], seconds
        monkeypatch.setattr("fastapply.models.widths.time.perf_counter", lambda: self.now)

    def evaluate(self, tokens, start, outputs):
        """Take the time of so wide a step."""
        assert start == self.held
        self.held += len(tokens)
        if outputs == len(tokens):
            self.widths.append(len(tokens))
        self.now += self._seconds(len(tokens))
        return np.zeros((outputs, 2), np.float32)

    def forget(self, start):
        """Cut the cache."""
        self.held = min(self.held, start)


def measure(context, known=None, **options):
    """A round over a context."""
    given = {"held": 0, "widest": 256, "room": 2048, **options}
    return measure_round(context.evaluate, context.forget, known, **given)


def test_schedule_lies_on_straight_lines():
    """Between the measured widths, and beyond them in proportion."""
    schedule = Schedule({1: 1.0, 3: 2.0, 5: 4.0})
    assert [schedule.step_seconds(width) for width in (1, 2, 3, 4, 5, 10)] == [1.0, 1.5, 2.0, 3.0, 4.0, 8.0]


def test_times_that_are_not_convex_are_kept():
    """Another kernel is no error."""
    assert plausible(REAL) == REAL


@pytest.mark.parametrize(
    ("seconds", "kept"),
    [
        ({1: 0.071, 2: 0.102, 4: 3.2, 8: 0.342}, {1: 0.071, 2: 0.102, 8: 0.342}),
        ({1: 0.071, 32: 0.504, 64: 2.0}, {1: 0.071, 32: 0.504}),
        ({1: 0.9, 2: 0.102, 4: 0.267}, {1: 0.102, 2: 0.102, 4: 0.267}),
        ({}, {}),
    ],
    ids=["slower-than-single-steps", "slower-than-two-halves", "single-step-slower-than-two", "nothing"],
)
def test_time_that_cannot_be_is_thrown_out(seconds, kept):
    """Something else had the processor while it was taken."""
    assert plausible(seconds) == kept


def test_first_round_times_every_width_that_takes_no_minutes(monkeypatch):
    """Whatever narrower ones came to; the cache is empty again afterwards."""
    context = Context(monkeypatch, lambda width: 0.001 + 0.0001 * width)
    found = measure(context)
    assert tuple(found) == tuple(width for width in WIDTHS if width <= 256)
    assert context.held == 0


def test_first_round_of_a_slow_model_ends_early(monkeypatch):
    """Somebody waits for it; what is left out is taken in proportion until a later round."""
    context = Context(monkeypatch, lambda width: REAL.get(width, width * 0.018))
    found = measure(context)
    assert max(found) == 64
    assert found[16] == pytest.approx(REAL[16])


def test_later_round_makes_way(monkeypatch):
    """A request that came meanwhile waits for one step at most."""
    context = Context(monkeypatch, lambda width: REAL.get(width, width * 0.018))
    context.held = 700
    found = measure(context, Schedule(REAL), held=700, busy=lambda: len(context.widths) >= 3)
    assert tuple(found) == (1, 2, 4)


def test_round_leaves_what_the_cache_holds(monkeypatch):
    """The prompt that is kept is not read again."""
    context = Context(monkeypatch, lambda width: 0.001 * width)
    context.held = 700
    measure(context, Schedule({1: 0.001}), held=700)
    assert context.held == 700


def test_rounds_under_load_are_forgotten_by_a_quiet_one():
    """The fastest time of each width counts, and what the load made implausible comes back."""
    schedule = Schedule({})
    schedule.add_round(
        {width: taken * 9 for width, taken in REAL.items() if width > 2} | {1: 0.5, 2: 0.6},
        today="2026-01-01",
    )
    schedule.add_round(REAL, today="2026-01-02")
    assert schedule.seconds == REAL
    assert (schedule.rounds, schedule.measured) == (2, "2026-01-01")


def test_round_that_made_way_is_taken_in_and_counts_as_none():
    """The next one measures what it left out."""
    schedule = Schedule(REAL, rounds=1, measured="2026-01-01")
    schedule.add_round({1: 0.06, 2: 0.09}, today="2026-01-02")
    assert (schedule.rounds, schedule.seconds) == (1, {**REAL, 1: 0.06, 2: 0.09})


def test_faster_real_step_corrects_the_table():
    """At once, and for ever."""
    schedule = Schedule({**REAL, 16: 0.9})
    assert schedule.learn([(16, 0.3)])
    assert schedule.seconds[16] == 0.3


def test_slower_real_steps_correct_what_is_chosen_by_and_not_what_is_kept():
    """By as much as a width fell behind the others of the same answer."""
    schedule = Schedule(REAL)
    assert not schedule.learn([(1, 0.071), (16, 0.592)] * 4)
    assert schedule.seconds == REAL
    assert schedule.step_seconds(16) == pytest.approx(0.592)


def test_answer_on_a_busy_machine_changes_nothing():
    """All of its steps took twice as long."""
    schedule = Schedule(REAL)
    schedule.learn([(1, 0.142), (16, 0.592)] * 4)
    assert schedule.step_seconds(16) == pytest.approx(REAL[16])


def test_few_slow_steps_change_nothing():
    """One may have been held up."""
    schedule = Schedule(REAL)
    schedule.learn([(1, 0.071)] * 9 + [(16, 0.9)] * 3)
    assert schedule.step_seconds(16) == REAL[16]


def test_schedule_is_kept_with_its_date_and_read_again(tmp_path):
    """In a folder that need not be there."""
    path = tmp_path / "widths" / "a.json"
    save_schedule(path, Schedule({1: 0.5, 8: 1.0}, rounds=2, measured="2026-01-02"))
    kept = load_schedule(path, today=date(2026, 2, 1))
    assert kept is not None
    assert (kept.seconds, kept.rounds, kept.measured) == ({1: 0.5, 8: 1.0}, 2, "2026-01-02")


def test_old_schedule_is_measured_anew(tmp_path):
    """Drivers and libraries change."""
    path = tmp_path / "a.json"
    save_schedule(path, Schedule({1: 0.5, 8: 1.0}, rounds=5, measured="2026-01-02"))
    assert load_schedule(path, today=date(2026, 6, 1)) is None


@pytest.mark.parametrize(
    "seconds", ["{}", "[]", '{"1": 0}', '{"x": 1}', '{"8": 1.0}', '{"1": NaN}', '{"1": "a"}'], ids=repr
)
def test_damaged_schedule_is_no_schedule(tmp_path, seconds):
    """It is measured again."""
    path = tmp_path / "a.json"
    path.write_text(f'{{"measured": "2026-01-02", "rounds": 1, "seconds": {seconds}}}')
    assert load_schedule(path, today=date(2026, 1, 3)) is None


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"1": 0.5}', '{"measured": "x", "rounds": 1, "seconds": {"1": 1}}']
)
def test_file_of_another_kind_is_no_schedule(tmp_path, text):
    """As one without a date, which earlier versions wrote."""
    path = tmp_path / "a.json"
    path.write_text(text)
    assert load_schedule(path) is None
