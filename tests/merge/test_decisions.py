"""What is open about a lazy edit is one question with few answers, each of them a whole merge."""

from __future__ import annotations

from math import log

import pytest

from fastapply import apply_edit
from fastapply.merge.candidates import Candidate as Merge
from fastapply.merge.decisions import LEAST_CERTAINTY, MOST, ask, identify, nothing_stands
from fastapply.merge.lazy import merge_snippet
from fastapply.merge.lines import line_table
from fastapply.merge.listing import Request
from fastapply.merge.rank import Ranking
from fastapply.merge.short_diff import MOST_DIFF
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


def asked(*merges, shares=(), question=None, file=FILE, certainty=0.5):
    """The question about merges, the likeliest first."""
    shares = shares or [1 / number for number in range(1, len(merges) + 1)]
    ranking = Ranking(merges, tuple(log(share) for share in shares), certainty, {})
    return ask(request(file), question, ranking)


def answers(question):
    """What the answers say."""
    return [one.says for one in question.candidates]


def test_whether_a_line_goes():
    """One line goes in one merge and stays in the other."""
    question = asked(merge((0, 1, "def load(p):"), (2, 3)), merge((0, 1, "def load(p):")))
    assert (question.reason, question.message, answers(question)) == (
        "uncertain",
        "Does `check(data)` (line 3) go?",
        ["yes, it goes", "no, it stays"],
    )
    assert [one.diff for one in question.candidates] == [
        ("     data = read(path)", "-    check(data)", "     return data"),
        ("     data = read(path)", "     check(data)", "     return data"),
    ]
    assert question.always == (Splice(0, 1, ("def load(p):",)),)


def test_whether_several_lines_go():
    """All of them, some, or none."""
    head = (0, 1, "def load(p):")
    question = asked(merge(head, (1, 3)), merge(head, (2, 3)), merge(head))
    assert (question.message, answers(question)) == (
        "Which lines go: `data = read(path)` and 1 more line (lines 2-3)?",
        ["all of them", "only `check(data)` (line 3)", "none of them"],
    )


def test_where_new_lines_go():
    """The same lines at several places: each answer says which, by the code around it."""
    new = ("", "", "def drop(path):", "    remove(path)")
    question = asked(merge((4, 4, *new)), merge((9, 9, *new)), merge((0, 0, *new[2:], "", "")))
    assert (question.message, answers(question)) == (
        "Where does `drop` go?",
        ["after `def load(path):` (lines 1-4)", "at the end of the file", "at the top of the file"],
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


def test_what_new_lines_replace():
    """One of several lines, or nothing; of lines that look the same what they are in is named."""
    new = "    validate(data)"
    question = asked(merge((2, 3, new)), merge((3, 4, new)), merge((1, 1, new)))
    assert (question.message, answers(question)) == (
        "What does `validate` replace?",
        [
            "`check(data)` (line 3)",
            "`return data` (line 4)",
            "nothing, it goes after `def load(path):` (line 1)",
        ],
    )
    data = "[cache]\ntimeout = 5\n\n[queue]\ntimeout = 5\n"
    question = asked(merge((1, 2, "timeout = 9")), merge((4, 5, "timeout = 9")), file=data)
    assert (question.message, answers(question)) == (
        "What does `timeout = 9` replace?",
        ["`timeout = 5` (line 2) in `[cache]`", "`timeout = 5` (line 5) in `[queue]`"],
    )


def test_a_comma_is_no_other_line():
    """The last entry of a list gets one where another follows it, and has not gone."""
    data = "a = [\n    1,\n    2\n]\n\nb = [\n    3\n]\n"
    ends = merge((2, 3, "    2,", "    9")), merge((6, 7, "    3,", "    9"))
    question = asked(*ends, file=data)
    assert (question.message, answers(question)) == (
        "Where does `9` go?",
        ["at the end of `a = [` (line 1)", "at the end of `b = [` (line 6)"],
    )


def test_whether_new_lines_are_added():
    """The other answer does nothing more than all do, and is shown where the line would be."""
    head = (0, 1, "def load(p):")
    question = asked(merge(head, (3, 3, "    log(p)")), merge(head))
    assert (question.message, answers(question)) == (
        "Is `log(p)` added after `check(data)` (line 3)?",
        ["yes", "no"],
    )
    assert question.candidates[1].diff == (
        "     data = read(path)",
        "     check(data)",
        "     return data",
    )


def test_which_change_is_meant():
    """Nothing that they differ in has one name: each is summed up."""
    question = asked(merge((2, 3, "    validate(data)")), merge((7, 8, "    put(path, data)")))
    assert (question.message, answers(question)) == (
        "Which change is meant?",
        [
            "replace `check(data)` (line 3) with `validate(data)`",
            "replace `write(path, data)` (line 8) with `put(path, data)`",
        ],
    )


def test_how_far_new_lines_are_indented():
    """The same lines at the same place: the depth is the answer."""
    question = asked(merge((8, 9, "    return path", "    x = 1")), merge((9, 9, "x = 1")))
    assert (question.message, answers(question)) == (
        "Where does `x = 1` go?",
        ["at the end of the file, indented by 4", "at the end of the file, not indented"],
    )


def test_whether_lines_are_indented():
    """They stand under a new line in both answers, and in one of them deeper."""
    block = ("    if path:", "        data = read(path)", "        check(data)")
    question = asked(merge((1, 3, *block)), merge((1, 1, block[0])))
    assert (question.message, answers(question)) == (
        "Does the edit indent `data = read(path)` (line 2) and 1 more?",
        ["yes", "no, it stays as it is"],
    )


def test_answers_that_would_say_the_same_are_told_apart():
    """By what they differ in among themselves."""
    one, two = (0, 1, "def load(p, *, safe):"), (5, 6, "", "", "def put(p):", "    pass")
    question = asked(merge(one, (4, 4, *two[3:])), merge(one, (9, 9, *two[3:])), merge((2, 3)))
    said = answers(question)
    assert len(set(said)) == 3
    assert said[0].endswith("after `def load(path):` (lines 1-4)")
    assert said[1].endswith("at the end of the file")


def test_the_same_change_is_found_in_other_splices():
    """A block that could be cut at two places, and a line that is taken out and put in again."""
    added = ("", "", "def drop(path):", "    remove(path)")
    shifted = merge((4, 4, *added), (7, 8)), merge((3, 4, "    return data", *added))
    question = asked(*shifted)
    assert question.message == "Does `write(path, data)` (line 8) go?"
    assert [one.lines for one in question.always] == [(*added[2:], "", "")]


@pytest.mark.parametrize(
    "brace", ["    void Run()\n    {", "    void Run() {"], ids=["own line", "same line"]
)
def test_a_block_is_named_by_what_it_is(brace):
    """Not by a brace that stands alone on its line."""
    file = f"class Job\n{{\n{brace}\n        Start();\n    }}\n}}\n"
    lines = file.splitlines()
    at = lines.index("        Start();")
    question = asked(
        merge((at + 1, at + 1, "        Stop();")), merge((at, at, "        Stop();")), file=file
    )
    assert answers(question)[0].startswith("at the end of `void Run()")


def test_a_merge_that_is_alone_is_shown_whole():
    """There is nothing that all do beside it; what it does at one place is the question."""
    question = asked(merge((2, 3)))
    assert (question.message, answers(question)) == (
        "Does `check(data)` (line 3) go?",
        ["yes, it goes"],
    )
    assert (question.candidates[0].diff, question.always) == (
        ("     data = read(path)", "-    check(data)", "     return data"),
        (),
    )
    question = asked(merge((2, 3), (7, 8, "    put(path, data)")))
    assert (question.message, answers(question)) == ("Is this change meant?", ["yes (+1 -2)"])


def test_there_are_few_answers_and_none_without_a_chance():
    """Nor one that the check refuses in any case, nor one that changes nothing."""
    many = [merge((number, number + 1)) for number in range(4)]
    assert len(asked(*many).candidates) == MOST
    assert len(asked(*many[:2], shares=(1, 0.009)).candidates) == 1
    assert len(asked(many[0], merge((1, 2), broken=True), merge()).candidates) == 1
    assert len(asked(merge((1, 2), broken=True), many[0]).candidates) == 1


@pytest.mark.parametrize(
    ("merges", "certainty", "message"),
    [
        ([merge((2, 3)), merge((3, 4))], LEAST_CERTAINTY / 2, "no merge of the edit is likely to be right"),
        ([merge((2, 3), broken=True)], 0.5, "no merge of the edit is likely to be right"),
        ([merge()], 0.5, "the edit changes nothing: all its lines are already in the file"),
    ],
    ids=["unlikely", "broken", "no change"],
)
def test_no_answer_is_offered_that_is_none(merges, certainty, message):
    """The message says why, and what is known to be wrong with the edit is said instead."""
    question = asked(*merges, certainty=certainty)
    assert (question.message, question.candidates) == (message, ())
    assert question.id == identify(request())
    known = Question("not_found", "none of the edit's context lines are in the file", "check the file")
    question = asked(*merges, question=known, certainty=certainty)
    assert (question.reason, question.message, question.hint) == (known.reason, known.message, known.hint)


def test_a_long_diff_is_cut():
    """In the middle, with the number of lines that are left out; of many places the last ones are."""
    diff = asked(merge((2, 3, *"abcdefghijkl")), merge((2, 3))).candidates[0].diff
    assert (len(diff), diff[0], diff[-1]) == (MOST_DIFF, "-    check(data)", "     return data")
    assert "  ... 7 more lines" in diff
    many = "".join(f"{letter}{n}\n" for n in range(9) for letter in "abcde")
    goes = merge(*((number, number + 1) for number in range(1, 45, 5)))
    diff = asked(goes, merge((0, 1)), file=many).candidates[0].diff
    assert (len(diff), diff[-1]) == (MOST_DIFF, "  ... and at 2 more places")


def test_lines_that_are_only_indented_anew_are_one_row():
    """From two of them on; the number says how far, and which way."""
    deeper = merge(
        (1, 4, "    if path:", "        data = read(path)", "        check(data)", "        return data")
    )
    assert asked(deeper).candidates[0].diff == (
        " def load(path):",
        "+    if path:",
        "  ... lines 2-4 indented by 4",
        " def save(path, data):",
    )
    assert asked(merge((1, 3, "data = read(path)", "check(data)"))).candidates[0].diff[1:-1] == (
        "  ... lines 2-3 unindented by 4",
    )
    assert asked(merge((2, 3, "\tcheck(data)"))).candidates[0].diff[1:-1] == (
        "-    check(data)",
        "+\tcheck(data)",
    )


def test_what_other_answers_do_as_well_is_shortened_first():
    """What an answer alone does is shown; in two answers, beside each other, the rest is the same."""
    both = [f"    step({n})" for n in range(9)]
    question = asked(merge((2, 3, *both, "    last(1)")), merge((2, 3, *both, "    last(2)")), merge((5, 6)))
    assert [one.diff for one in question.candidates[:2]] == [
        (
            "-    check(data)",
            "+    step(0)",
            "+    step(1)",
            "+    step(2)",
            "  ... 4 more lines",
            "+    step(7)",
            "+    step(8)",
            f"+    last({n})",
        )
        for n in (1, 2)
    ]


def test_what_every_answer_does_is_shown():
    """Once, as a short diff; lines that another answer only indents are not said to go."""
    head = (0, 1, "def load(p):")
    question = asked(merge(head, (2, 3)), merge(head))
    assert question.always_diff == ("-def load(path):", "+def load(p):", "     data = read(path)")
    block = ("    data = read(path)", "    check(data)")
    indented = merge(head, (1, 3, *(f"    {line}" for line in block)))
    assert asked(indented, merge(head, (1, 3))).always == (Splice(0, 1, ("def load(p):",)),)
    assert asked(merge((2, 3))).always_diff == ()


def test_what_is_known_to_be_wrong_is_said_first():
    """With its own reason."""
    known = Question("not_found", "none of the edit's context lines are in the file")
    question = asked(merge((2, 3)), question=known)
    assert question.reason == "not_found"
    assert question.message == f"{known.message}. Does `check(data)` (line 3) go?"


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


def test_where_the_likeliest_merge_loses_something_another_answer_keeps_it():
    """However unlikely: one word has to be enough, and "yes" alone would take a method away."""
    file = "class Pair:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
    edit = "class Pair:\n    def g(self):\n        return 3\n"
    kept = file.replace("return 2", "return 3")
    asked = apply_edit(file, edit, path="pair.py", instructions="return 3 from g")
    assert (asked.status, asked.reason) == ("refused", "uncertain")
    texts = [
        apply_edit(file, edit, path="pair.py", instructions="return 3 from g", pick=[number]).text
        for number in range(1, len(asked.candidates) + 1)
    ]
    assert kept in texts
