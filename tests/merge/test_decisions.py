"""What is open about a lazy edit is one question with few answers, each of them a whole merge."""

from __future__ import annotations

from math import log

import pytest

from fastapply import apply_edit
from fastapply.merge.candidates import Candidate as Merge
from fastapply.merge.decisions import MOST, MOST_DIFF, ask, identify, nothing_stands
from fastapply.merge.lazy import merge_snippet
from fastapply.merge.lines import line_table
from fastapply.merge.listing import Request
from fastapply.merge.rank import Ranking
from fastapply.text import from_text, splice
from fastapply.types import LineRange, Question, Snippet, Splice

FILE = """\
def load(path):
    data = read(path)
    check(data)
    return data


def save(path, data):
    write(path, data)
    return path
"""
GOES = "# ...\ndef load(path):\n    data = read(path)\n    return data\n# ...\n"


def request(file=FILE, edit="x", said=""):
    """What is asked for, without a language."""
    source = from_text(file)
    snippet = Snippet(tuple(edit.splitlines()), 1)
    return Request(source, snippet, line_table(source.lines, None), None, said)


def merge(*splices, broken=False):
    """A candidate with these changes, of which nothing else matters here."""
    made = tuple(Splice(first, end, tuple(lines)) for first, end, *lines in splices)
    return Merge((), made, (), {}, 0.0, 0, None, broken)  # type: ignore[arg-type]


def asked(*merges, shares=(), question=None, file=FILE):
    """The question about merges, the likeliest first."""
    shares = shares or [1 / number for number in range(1, len(merges) + 1)]
    ranking = Ranking(merges, tuple(log(share) for share in shares), 0.5, {})
    return ask(request(file), question, ranking)


def answers(question):
    """What the answers say."""
    return [one.says for one in question.candidates]


def test_whether_a_line_goes():
    """One line goes in one merge and stays in the other."""
    question = asked(merge((2, 3)), merge((7, 8, "    put(path, data)"), (2, 2, "")), shares=(0.6, 0.4))
    assert question.reason == "uncertain"
    question = asked(merge((0, 1, "def load(p):"), (2, 3)), merge((0, 1, "def load(p):")))
    assert (question.message, answers(question)) == (
        "Does `check(data)` (line 3) go?",
        ["yes, it goes", "no, it stays"],
    )
    assert [one.diff for one in question.candidates] == [("     data = read(path)", "-    check(data)"), ()]
    assert question.always == (Splice(0, 1, ("def load(p):",)),)


def test_whether_several_lines_go():
    """All of them, some, or none."""
    head = (0, 1, "def load(p):")
    question = asked(merge(head, (1, 3)), merge(head, (2, 3)), merge(head))
    assert (question.message, answers(question)) == (
        "Do `data = read(path)` and 1 more line (lines 2-3) go?",
        ["yes, all of them go", "only `check(data)` (line 3) goes", "no, they stay"],
    )


def test_where_new_lines_go():
    """The same lines at several places: each answer says which, by the code around it."""
    new = ("", "", "def drop(path):", "    remove(path)")
    question = asked(merge((4, 4, *new)), merge((9, 9, *new)), merge((0, 0, *new[2:], "", "")))
    assert (question.message, answers(question)) == (
        "Where does `drop` go?",
        ["after `def load(path):` (line 4)", "at the end of the file", "at the top of the file"],
    )
    assert [one.lines for one in question.candidates] == [LineRange(5, 4), LineRange(10, 9), LineRange(1, 0)]
    inside = ("    close(path)",)
    assert answers(asked(merge((4, 4, *inside)), merge((7, 7, *inside)))) == [
        "at the end of `def load(path):` (line 1)",
        "after `def save(path, data):` (line 7)",
    ]


def test_whether_new_lines_replace_old_ones():
    """They come in both merges, and in one of them something goes."""
    new = "    validate(data)"
    question = asked(merge((2, 3, new)), merge((3, 3, new)))
    assert (question.message, answers(question)) == (
        "Does `validate(data)` replace `check(data)` (line 3)?",
        ["yes, it goes", "no, it stays"],
    )


def test_which_merge_is_meant():
    """Nothing that they differ in has one name: each is summed up."""
    question = asked(merge((2, 3, "    validate(data)")), merge((7, 8, "    put(path, data)")))
    assert (question.message, answers(question)) == (
        "Which of these merges is meant?",
        [
            "`check(data)` (line 3) goes, `validate(data)` comes at line 3",
            "`write(path, data)` (line 8) goes, `put(path, data)` comes at line 8",
        ],
    )


def test_answers_that_would_say_the_same_are_summed_up():
    """The old line stays in two of them, with the new one at different places."""
    new = "    validate(data)"
    question = asked(merge((2, 3, new)), merge((3, 3, new)), merge((1, 1, new)))
    assert question.message == "Which of these merges is meant?"
    assert len(set(answers(question))) == len(answers(question)) == 3


def test_a_merge_that_is_alone_is_shown_whole():
    """There is nothing that all do beside it."""
    question = asked(merge((2, 3)))
    assert (question.message, answers(question)) == (
        "Is this merge meant: `check(data)` (line 3) goes?",
        ["yes"],
    )
    assert (question.candidates[0].diff, question.always) == (
        ("     data = read(path)", "-    check(data)"),
        (),
    )


def test_there_are_few_answers_and_none_without_a_chance():
    """Nor one that the check refuses in any case, nor one that changes nothing, but for the first."""
    many = [merge((number, number + 1)) for number in range(4)]
    assert len(asked(*many).candidates) == MOST
    assert len(asked(*many[:2], shares=(1, 0.003)).candidates) == 1
    assert len(asked(many[0], merge((1, 2), broken=True), merge()).candidates) == 1


def test_a_long_diff_is_cut():
    """In the middle, with the number of lines that are left out."""
    diff = asked(merge((2, 3, *"abcdefghijkl")), merge((2, 3))).candidates[0].diff
    assert (len(diff), diff[0], diff[-1]) == (MOST_DIFF, "     data = read(path)", "+l")
    assert "  ... 7 more lines" in diff


def test_what_is_known_to_be_wrong_is_said_first():
    """With its own reason; a question ends as one."""
    known = Question("not_found", "no line of it stands in the file; did you mean line 1?")
    question = asked(merge((2, 3)), question=known)
    assert question.reason == "not_found"
    assert question.message == f"{known.message} Is this merge meant: `check(data)` (line 3) goes?"


def test_the_id_is_that_of_file_edit_and_instructions():
    """Each of them makes another question; no candidate has a part in it."""
    ids = {
        identify(one)
        for one in (request(), request(FILE + "\n"), request(edit="y"), request(said="z"), request())
    }
    assert len(ids) == 4
    assert all(len(one) == 8 and set(one) <= set("0123456789abcdef") for one in ids)
    assert asked(merge((2, 3))).id == asked(merge((1, 2))).id == nothing_stands(request()).id


@pytest.mark.parametrize(
    "edit",
    [
        GOES,
        "# ...\ndef drop(path):\n    remove(path)\n# ...\n",
        "def load(path):\n    # ...\n    log(path)\n    # ...\n",
        "def save(path, data):\n    put(path, data)\n    return path\n",
    ],
    ids=["goes", "where", "replaces", "without markers"],
)
def test_each_answer_can_be_picked_and_is_what_is_written(edit):
    """By its number with the question's id; the text is the file with just that answer's changes."""
    refused = apply_edit(FILE, edit, path="a.py", min_certainty=1.0)
    assert (refused.status, len(refused.questions)) == ("refused", 1)
    assert 1 <= len(refused.candidates) <= MOST
    for number, one in enumerate(refused.candidates, 1):
        picked = apply_edit(FILE, edit, path="a.py", min_certainty=1.0, pick=f"{refused.decision}:{number}")
        wanted = splice(from_text(FILE), one.splices).text
        assert (picked.status, picked.text) == ("applied" if wanted != FILE else "unchanged", wanted)


def test_a_proposal_says_how_certain_it_would_have_to_be():
    """What the caller asked for, or the fitted threshold; nothing where the edit is no use at all."""
    snippet = Snippet(tuple(GOES.splitlines()), 1)
    source = from_text(FILE)
    assert merge_snippet(source, snippet, language="python", min_certainty=0.5).needed == 0.5
    fitted = merge_snippet(source, snippet, language="python").needed
    assert fitted is not None
    assert 0.5 < fitted < 1
    whole = Snippet(("import os",), 1, said_whole=True)
    assert merge_snippet(from_text(FILE * 4), whole, language="python").needed is None


BODY = "    a = 1\n    b = 2\n    c = 3\n    d = 4\n    return a\n"
ALIKE = f"def one():\n{BODY}\n\ndef two():\n{BODY}"


def test_the_lines_to_search_for_stand_only_once():
    """A block of them fits at the doubtful place; where that takes many lines, none are shown."""
    question = asked(merge((11, 12)), merge((11, 12, "    c = 5")), file=ALIKE)
    block = question.hint.partition("searches for:\n")[2]
    assert block.splitlines()[0] == "def two():"
    assert ALIKE.count(block) == 1
    edit = f"<<<<<<< SEARCH\n{block}\n=======\n{block.replace('c = 3', 'c = 5')}\n>>>>>>> REPLACE\n"
    assert apply_edit(ALIKE, edit, path="a.py").text == ALIKE[:-33] + ALIKE[-33:].replace("c = 3", "c = 5")
    many = "".join(f"def f{n}():\n{BODY * 3}\n\n" for n in range(2))
    assert asked(merge((8, 9)), merge((8, 9, "    c = 5")), file=many).hint == "send a SEARCH/REPLACE block"
