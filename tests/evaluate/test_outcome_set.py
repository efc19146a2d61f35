"""163 outcomes that are not the expected bytes, and how often the suggested class is what readers say.

``outcomes.jsonl.xz`` has a case a line, with `merged` (what was written), `source` (who wrote it: an engine
at a commit, another tool, a model, or a change by hand of a right result), `first` and `second` (the class at
two readings in different orders, the second without a look at the first), `other` (what another reader says,
who saw neither), and `class` (the settled one). Of the model's answers `second` is the other reader's.
"""

from __future__ import annotations

import json
import lzma
from collections import Counter
from pathlib import Path

import pytest

from fastapply.evaluate.cases import case_from, read_cases
from fastapply.evaluate.engines import Attempt
from fastapply.evaluate.outcomes import CLASSES, decide
from fastapply_lab.evaluate.align import kappa

FILE = Path(__file__).parent / "outcomes.jsonl.xz"
BY_HAND = (
    "a line dropped",
    "a line made up",
    "the end cut off",
    "a comment changed",
    "two definitions swapped",
)


@pytest.fixture(scope="module")
def lines():
    """The lines as objects."""
    with lzma.open(FILE, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_the_set_is_what_it_says(lines):
    """A third by engines and other tools, the rest by hand in equal shares; each with its licence."""
    sources = Counter(line["source"] for line in lines)
    assert {source: sources.pop(source) for source in BY_HAND} == dict.fromkeys(BY_HAND, 20)
    assert sources.pop("model apply-1.5b") == 13
    assert sources.total() == 50
    assert all(source.startswith(("engine at ", "git apply")) for source in sources)
    assert all(
        line["licence"] and line["repository"] and line["merged"] != line["expected"] for line in lines
    )
    assert len(list(read_cases([FILE]))) == len({line["id"] for line in lines}) == 163


def _kappa(lines, one, other):
    pairs = [(line[one], line[other]) for line in lines]
    return kappa([[pairs.count((a, b)) for b in CLASSES] for a in CLASSES])


def test_two_readings_agree(lines):
    """In 146 of the 150 that no model wrote; where they differ the settled class is one of the two."""
    read = [line for line in lines if not line["source"].startswith("model")]
    assert sum(line["first"] == line["second"] for line in read) == 146
    assert _kappa(read, "first", "second") == pytest.approx(0.961, abs=1e-3)
    assert all(line["class"] in {line["first"], line["second"]} for line in lines)


def test_another_reader_agrees(lines):
    """With the settled class of all but one of the 150, and with the first reading of 158 of all."""
    read = [line for line in lines if not line["source"].startswith("model")]
    assert sum(line["class"] == line["other"] for line in read) == 149
    assert _kappa(read, "class", "other") == pytest.approx(0.990, abs=1e-3)
    assert sum(line["first"] == line["other"] for line in lines) == 158
    assert _kappa(lines, "first", "other") == pytest.approx(0.954, abs=1e-3)


def test_the_suggested_class_is_right_in_four_of_five(lines):
    """Of all, and of each class that the set has."""
    right, seen = Counter[str](), Counter[str]()
    for line in lines:
        case = case_from(line, "")
        assert case is not None
        seen[line["class"]] += 1
        right[line["class"]] += decide(case, Attempt("applied", line["merged"])).outcome == line["class"]
    assert seen == {
        "functional_error": 75,
        "non_functional": 49,
        "truncation": 22,
        "hallucination": 16,
        "correct": 1,
    }
    assert right.total() / seen.total() >= 0.8
    assert all(right[name] / seen[name] >= 0.8 for name in seen if seen[name] > 1)
