"""What of an edit is still open, as a model is asked about it."""

from __future__ import annotations

import pytest
from scripted import ScriptedModel

from fastapply.errors import Refused
from fastapply.models.focus import MARKER, focus_on_open, unfocused
from fastapply.models.prompts import expected_answer
from fastapply.models.rewrite import prepare_task, rewrite
from fastapply.pipeline import read_edit
from fastapply.pipeline.parts import propose
from fastapply.text import from_text, splice
from fastapply.types import Candidate, LineRange, Options, Proposal, Question, Snippet, Splice

FAR = 40
FILE = "\n".join([
    "def first(a):",
    "    one = 1",
    "    return one",
    "",
    *(f"A{number} = {number}" for number in range(FAR)),
    "",
    "def last(b):",
    "    two = 2",
    "    three = 3",
    "    return two",
    "",
])  # fmt: skip
LAST = FILE.splitlines().index("def last(b):")
EDIT = """\
def first(a):
    one = 11
    return one

# ... existing code ...

def last(b):
    two = 22
    return two
"""
ONE, TWO = Splice(1, 2, ("    one = 11",)), Splice(LAST + 1, LAST + 2, ("    two = 22",))
KEPT, GONE = (ONE, TWO), (ONE, Splice(LAST + 1, LAST + 3, ("    two = 22",)))


def opened(*ways: tuple[Splice, ...], shares: tuple[float, ...] = (0.6, 0.4)) -> Proposal:
    """A proposal whose candidates are these."""
    candidates = tuple(
        Candidate(LineRange(1, 1), "", way, share=share) for way, share in zip(ways, shares, strict=True)
    )
    question = Question("uncertain", "?", candidates=candidates, nearest=LineRange(20, 22))
    return Proposal(ways[0], "aligned", (question,), certainty=0.6)


def snippet(text: str = EDIT) -> Snippet:
    """A snippet of this text."""
    return Snippet(tuple(text.splitlines()), 1)


def test_what_all_candidates_do_is_put_in_and_neither_it_nor_its_lines_of_the_edit_are_shown():
    """The model sees the one function that is open, of the file and of the edit."""
    source = from_text(FILE)
    focus = focus_on_open(source, snippet(), opened(KEPT, GONE))
    assert focus.settled == (ONE,)
    assert focus.source.lines[1] == "    one = 11"
    shown = focus.region.texts(focus.source.lines)
    assert "def first(a):" not in shown
    assert "def last(b):" in shown
    assert isinstance(focus.part, Snippet)
    assert focus.part.lines == (
        "",
        "# ... existing code ...",
        "",
        "def last(b):",
        "    two = 22",
        "    return two",
    )
    assert focus.assumed == 0
    assert focus.listed == (0, 1)


def test_a_candidate_makes_of_the_settled_file_what_it_makes_of_the_file():
    """With what is put in already left out of it."""
    source = from_text(FILE)
    proposal = opened(KEPT, GONE)
    focus = focus_on_open(source, snippet(), proposal)
    for number, one in zip(focus.listed, focus.proposal.questions[0].candidates, strict=True):
        assert splice(focus.source, one.splices) == splice(
            source, proposal.questions[0].candidates[number].splices
        )


def test_only_the_lines_beside_a_long_place_are_shown():
    """A model that writes sees the whole function; one that chooses three lines on each side and the head."""
    body = [f"    b{number} = {number}" for number in range(FAR // 2)]
    source = from_text("\n".join([*"abcdefg", "def long():", *body, "    return 1", "", *"hijklmn"]))
    ways = ((Splice(20, 21, ("    new = 1",)),), (Splice(21, 22, ("    new = 1",)),))
    part = snippet("    b11 = 11\n    new = 1\n    b14 = 14\n")
    assert focus_on_open(source, part, opened(*ways)).region.runs == ((7, 8), (17, 25))
    assert unfocused(source, part, opened(*ways)).region.runs == ((7, 29),)


@pytest.mark.parametrize(
    ("settled", "edit", "assumed"),
    [
        (ONE, EDIT, 0),
        (ONE, EDIT.replace("    return one\n", "# ...\n"), 0),
        (Splice(2, 2, ("    more()",)), EDIT.replace("    return one\n", "    more()\n# ...\n"), 1),
        (
            Splice(1, 3, ("    return 1",)),
            EDIT.replace("    one = 11\n    return one\n", "    return 1\n"),
            1,
        ),
    ],
)
def test_what_the_edit_does_not_show_in_its_place_is_assumed(settled, edit, assumed):
    """A new line beside a marker may take the place of a hidden one; lines that go may have been left out."""
    ways = ((settled, TWO), (settled, GONE[1]))
    focus = focus_on_open(from_text(FILE), snippet(edit), opened(*ways))
    assert focus.assumed == assumed
    assert "def first(a):" not in focus.region.texts(focus.source.lines)


def test_an_unlikely_candidate_keeps_nothing_open():
    """What it does not share with the likely ones it cannot be told by, and it is not shown."""
    other = (Splice(0, 1, ("def other(a):",)), TWO)
    focus = focus_on_open(from_text(FILE), snippet(), opened(KEPT, GONE, other, shares=(0.6, 0.39, 0.01)))
    assert focus.settled == (ONE,)
    assert focus.listed == (0, 1)


def test_an_edit_without_a_marker_gets_one_only_between_its_lines():
    """As its author left out without a word what is above and below."""
    edit = "def first(a):\n    one = 11\n\nA5 = 5\n\ndef last(b):\n    two = 22\n    return two\n"
    focus = focus_on_open(from_text(FILE), snippet(edit), opened(KEPT, GONE))
    assert isinstance(focus.part, Snippet)
    assert focus.part.lines[-3:] == ("def last(b):", "    two = 22", "    return two")
    assert MARKER not in focus.part.lines
    ends = (Splice(1, 2, ("    one = 11",)), TWO)
    both = opened(ends, (Splice(1, 3, ("    one = 11",)), GONE[1]))
    focus = focus_on_open(from_text(FILE), snippet(edit), both)
    assert isinstance(focus.part, Snippet)
    assert focus.part.lines.count(MARKER) == 1
    assert "A5 = 5" not in focus.part.lines


def test_an_edit_whose_candidates_are_not_ranked_is_shown_as_it_is():
    """Places of a hunk are no merges of the whole edit."""
    one = Candidate(LineRange(2, 2), "", KEPT)
    proposal = Proposal(KEPT, "aligned", (Question("ambiguous", "?", candidates=(one, one)),))
    source, part = from_text(FILE), snippet()
    assert focus_on_open(source, part, proposal) == unfocused(source, part, proposal)


def test_all_of_a_single_candidate_is_open():
    """It has nothing to differ from but the file as it is."""
    focus = focus_on_open(from_text(FILE), snippet(), opened(KEPT, shares=(1.0,)))
    assert (focus.settled, focus.listed) == ((), (0,))
    assert focus.source.text == FILE
    assert {"def first(a):", "def last(b):"} <= set(focus.region.texts(focus.source.lines))


def test_focus_of_a_real_edit_keeps_its_right_candidate():
    """One function is plain, what of the other is to stay is not; the plain one is put in."""
    source = from_text(FILE)
    part = read_edit(EDIT, path="a.py", original=source, options=Options()).files[0].parts[0]
    proposal = propose(source, part, language="python", options=Options(min_certainty=1.0))
    focus = focus_on_open(source, part, proposal)
    assert len(focus.region.lines) < len(source.lines) // 2
    for number, one in zip(focus.listed, focus.proposal.questions[0].candidates, strict=True):
        assert splice(focus.source, one.splices) == splice(
            source, proposal.questions[0].candidates[number].splices
        )


def test_a_model_of_which_nothing_is_known_is_asked_about_all_of_the_edit():
    """What was put in without it would be written though it changes nothing."""
    model = ScriptedModel()
    source = from_text(FILE)
    proposal = opened(KEPT, GONE)
    assert focus_on_open(source, snippet(), proposal).settled
    focus, task = prepare_task(source, snippet(), proposal, model, language="python", options=Options())
    model.enqueue(expected_answer("kortix", task.drafts.original))
    with pytest.raises(Refused) as caught:
        rewrite(source, snippet(), proposal, model, language="python", options=Options())
    assert caught.value.reason == "answer_unchanged"
    assert model.history[0].drafts == task.drafts
    assert (focus.source, task.drafts.edit) == (source, EDIT)
