"""Fitting the vectors of words and features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fastapply.merge.certainty.wording import load_wording, told_words
from fastapply.train.certainty import Part
from fastapply.train.wording import FEWEST, fit_wording, write_wording

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("torch")
pytest.importorskip("scipy")

GROWS, SHRINKS = {"shape.grows": 1.0}, {"shape.shrinks": 1.0}


def parts(count: int) -> list[Part]:
    """Edits that add and edits that drop, each with a candidate that grows and one that shrinks the file."""
    made = []
    for number in range(count):
        adds = number % 2 == 0
        words = ("add" if adds else "drop", "test", f"rare{number}")
        made.append(Part((GROWS, SHRINKS), 0 if adds else 1, {}, words))
    return made


def test_words_learn_what_they_ask_for():
    """Words for adding speak for the one that grows; a word that is said with both speaks for neither."""
    wording = fit_wording(parts(200), {}, rank=4)
    add, drop, test = (wording.reader([word]) for word in ("add", "drop", "test"))
    assert told_words(add, GROWS) > told_words(add, SHRINKS) + 1
    assert told_words(drop, SHRINKS) > told_words(drop, GROWS) + 1
    assert abs(told_words(test, GROWS) - told_words(test, SHRINKS)) < 0.1
    assert not any(word.startswith("rare") for word in wording.words)


def test_what_the_ranking_knows_is_not_learned_again():
    """Where its scores are sure, words have little to add."""
    knows = []
    for one in parts(200):
        facts = [{**facts, "known": float(at == one.right)} for at, facts in enumerate(one.facts)]
        knows.append(Part(tuple(facts), one.right, {}, one.words))
    without, beside = fit_wording(knows, {}, rank=4), fit_wording(knows, {"known": 9.0}, rank=4)
    gain = told_words(without.reader(["add"]), GROWS) - told_words(without.reader(["add"]), SHRINKS)
    rest = told_words(beside.reader(["add"]), GROWS) - told_words(beside.reader(["add"]), SHRINKS)
    assert rest < gain / 4


def test_fates_learn_what_words_ask_for():
    """A name that was said to be dropped is gone by the right candidate, and still there by the other one."""
    made = []
    for number in range(100):
        gone, still = {"drop _>gone": 1.0}, {"drop _>still": 1.0}
        right = number % 2
        made.append(Part((GROWS, GROWS), right, {}, ("drop",), (still, gone) if right else (gone, still)))
    wording = fit_wording(made, {}, rank=2)
    assert wording.fates["drop _>gone"] > 0 > wording.fates["drop _>still"]


def test_too_few_parts_teach_nothing():
    """Neither do parts whose right candidate is not known."""
    assert fit_wording(parts(FEWEST - 1), {}).words == {}
    unknown = [Part(one.facts, -1, {}, one.words) for one in parts(100)]
    assert fit_wording(unknown, {}).words == {}


def test_written_and_read_again(tmp_path: Path):
    """Vector by vector."""
    wording = fit_wording(parts(100), {}, rank=2)
    write_wording(wording, tmp_path / "wording.json")
    assert load_wording(tmp_path / "wording.json") == wording
