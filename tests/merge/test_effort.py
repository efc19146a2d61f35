"""The work of one merge is bounded, and what is refused for it says what to send instead."""

from __future__ import annotations

from random import Random

import pytest

from fastapply import apply_edit
from fastapply.merge import effort
from fastapply.merge.effort import Effort

MARKER = "# ... existing code ...\n"


def _letters(count: int, *, seed: int) -> str:
    rng = Random(seed)  # noqa: S311 - repeatable, not secret
    return "".join(rng.choice("ab") + "\n" for _ in range(count))


@pytest.mark.parametrize("marker", ["", MARKER], ids=["without markers", "between markers"])
def test_lines_that_stand_everywhere_are_refused_before_they_cost_too_much(
    marker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is written, and the refusal says what to send."""
    monkeypatch.setattr(effort, "MOST", 20_000)
    edit = marker + _letters(200, seed=1) + marker
    result = apply_edit(_letters(1000, seed=2), edit, path="letters.py")
    assert (result.status, result.reason) == ("refused", "too_repetitive")
    assert result.text == _letters(1000, seed=2)
    assert "SEARCH/REPLACE" in result.hint


@pytest.mark.slow
def test_a_thousand_lines_of_one_letter_come_to_an_end() -> None:
    """The bound as it is in use; without it this takes minutes."""
    result = apply_edit(_letters(5000, seed=2), _letters(1000, seed=1), path="letters.py")
    assert (result.status, result.reason) == ("refused", "too_repetitive")


def test_many_lines_that_stand_once_stay_far_below_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand shown lines of a file of five thousand, one of them changed."""
    spent: list[Effort] = []
    start = Effort.__init__

    def begin(self: Effort, most: int | None = None) -> None:
        spent.append(self)
        start(self, most)

    monkeypatch.setattr(Effort, "__init__", begin)
    lines = [f"value_{number} = load({number})\n" for number in range(5000)]
    shown = lines[2000:3000]
    shown[500] = "value_2500 = load(2500, cached=True)\n"
    result = apply_edit("".join(lines), MARKER + "".join(shown) + MARKER, path="values.py")
    assert result.text == "".join([*lines[:2000], *shown, *lines[3000:]])
    assert all(one.left > 0.9 * effort.MOST for one in spent)
    assert spent
