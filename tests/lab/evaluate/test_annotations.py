"""Annotations: appended at once, the last word of each person counts."""

from __future__ import annotations

import json

import pytest

from fastapply.errors import UsageError
from fastapply_lab.evaluate.annotations import ANNOTATIONS, annotate, choices_of, read_annotations


def test_the_last_word_of_each_person_counts(tmp_path):
    """Others keep theirs, and the file keeps all."""
    annotate(tmp_path, "store/1", "ann", "correct")
    annotate(tmp_path, "store/1", "bob", "truncation", "the end")
    annotate(tmp_path, "store/1", "ann", "hallucination", "see line 3")
    found = read_annotations(tmp_path)
    said = [(one.who, one.choice, one.note) for one in found]
    assert said == [("bob", "truncation", "the end"), ("ann", "hallucination", "see line 3")]
    assert len((tmp_path / ANNOTATIONS).read_text(encoding="utf-8").splitlines()) == 3
    assert choices_of(found, "ann") == {"store/1": "hallucination"}


def test_a_class_can_be_taken_back(tmp_path):
    """The note stays, if it is sent along."""
    annotate(tmp_path, "store/1", "ann", "correct")
    annotate(tmp_path, "store/1", "ann", None, "not sure")
    (found,) = read_annotations(tmp_path)
    assert (found.choice, found.note) == (None, "not sure")
    assert choices_of([found], "ann") == {}


def test_who_and_when_are_in_the_line(tmp_path):
    """In UTC, to the millisecond."""
    annotate(tmp_path, "store/1", " ann ", "refused")
    line = json.loads((tmp_path / ANNOTATIONS).read_text(encoding="utf-8"))
    assert (line["who"], line["class"]) == ("ann", "refused")
    assert line["when"].endswith("+00:00")


@pytest.mark.parametrize(
    ("who", "choice", "note"), [("ann", "wrong", ""), ("", "correct", ""), ("ann", "correct", "x" * 10_001)]
)
def test_what_is_no_annotation_is_not_kept(who, choice, note, tmp_path):
    """Nor half of it."""
    with pytest.raises(UsageError):
        annotate(tmp_path, "store/1", who, choice, note)
    assert not (tmp_path / ANNOTATIONS).exists()


def test_lines_of_others_are_passed_over(tmp_path):
    """A file that somebody edited by hand spoils nothing."""
    annotate(tmp_path, "store/1", "ann", "correct")
    with (tmp_path / ANNOTATIONS).open("a", encoding="utf-8") as file:
        file.write('{"case": 1}\n[]\n{"case": "a", "who": "b", "when": "c", "class": "good"}\n')
    assert [one.who for one in read_annotations(tmp_path)] == ["ann"]
