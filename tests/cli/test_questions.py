"""Refusals of lazy edits on the command line: the question, its answers, the limit, and what a pick does."""

from __future__ import annotations

import pytest

from fastapply.errors import Refused
from fastapply.jobs import objects, texts
from fastapply.types import Candidate, LineRange, Question, Splice
from fastapply.values import replace

FILE = "def one():\n    x = 1\n    return x\n\n\ndef two():\n    y = 1\n    z = 2\n    return y + z\n"
LAZY = "# ...\ndef two():\n    y = 1\n    z = 3\n    return y + z\n"
MERGED = FILE.replace("z = 2", "z = 3")
CLEAR = "<<<<<<< SEARCH\n    z = 2\n=======\n    z = 3\n>>>>>>> REPLACE\n"
TWICE = "a = 0\nb = 1\na = 0\nb = 2\n"
UNCLEAR = "<<<<<<< SEARCH\na = 0\n=======\na = 9\n>>>>>>> REPLACE\n"
QUESTION = Question(
    "uncertain",
    "Does `x = 1` (line 9) go?",
    "send a SEARCH/REPLACE block",
    candidates=(
        Candidate(LineRange(9, 9), "", (Splice(8, 9, ()),), 0.7, "yes, it goes", (" def f():", "-    x = 1")),
        Candidate(LineRange(4, 3), "", (), 0.2, "no, it stays"),
    ),
    id="4f0c2a91",
    always=(Splice(3, 3, ("a", "b")), Splice(11, 14, ("c",)), Splice(20, 21, ())),
    always_diff=("+a", "+b"),
)


@pytest.fixture
def lazy(folder):
    """A file; its lazy edit is refused where all certainty is asked for."""
    path = folder / "f.py"
    path.write_text(FILE, encoding="utf-8")
    return path


def refused(*, certainty=0.9696, needed=0.97, question=QUESTION):
    """The refusal with a question."""
    error = Refused(
        question.message,
        reason=question.reason,
        hint=question.hint,
        questions=(question,),
        certainty=certainty,
        needed=needed,
    )
    if error.limit:
        error.message = f"{error.message} ({error.limit})"
    return error


def test_a_question_is_shown_with_its_answers_and_what_all_of_them_do():
    """Each answer with its diff; the limit and the option that moves it; how to answer."""
    assert texts.error_text(refused(), "a.py").splitlines() == [
        "a.py: refused: Does `x = 1` (line 9) go? (96.9 % certain, 97 % needed: --min-certainty) [uncertain]",
        "  1  yes, it goes",
        "        def f():",
        "       -    x = 1",
        "  2  no, it stays",
        "  in any case: +3 -4, at lines 4, 12-14, 21",
        "       +a",
        "       +b",
        "hint: answer with --pick N",
        "hint: or send a SEARCH/REPLACE block",
    ]


def test_a_line_that_all_answers_change_twice_is_named_once():
    """New lines before it, and the line itself."""
    always = (Splice(3, 3, ("a",)), Splice(3, 4, ()))
    question = replace(QUESTION, always=always)
    rows = texts.error_text(refused(question=question), "a.py").splitlines()
    assert "  in any case: +1 -1, at line 4" in rows


@pytest.mark.parametrize(
    ("certainty", "needed", "said"),
    [
        (0.9696, 0.97, "96.9 % certain, 97 % needed"),
        (0.96999999999, 0.97, "96.9 % certain, 97 % needed"),
        (0.966, 0.96737, "96.6 % certain, 96.8 % needed"),
        (0.5, 1.0, "50.0 % certain, 100 % needed"),
        (0.98, 0.97, ""),
        (0.5, None, ""),
        (None, None, ""),
    ],
)
def test_the_limit_is_never_rounded_up_to(certainty, needed, said):
    """And said only where the edit is refused for it."""
    error = refused(certainty=certainty, needed=needed)
    assert error.limit == said
    assert ("--min-certainty" in texts.error_text(error)) is bool(said)


def test_a_question_as_json():
    """The answers with their diffs; an empty place is that before its first line."""
    value = objects.error_object(refused(), "apply", path="a.py")
    assert (value["decision"], value["certainty"], value["needed"]) == ("4f0c2a91", 0.9696, 0.97)
    assert value["always"] == ["+a", "+b"]
    assert value["candidates"] == [
        {
            "pick": 1, "first": 9, "last": 9, "enclosing": "", "edit_line": 1, "share": 0.7,
            "says": "yes, it goes", "diff": [" def f():", "-    x = 1"],
        },
        {
            "pick": 2, "first": 4, "last": 4, "enclosing": "", "edit_line": 1, "share": 0.2,
            "says": "no, it stays", "diff": [],
        },
    ]  # fmt: skip


def test_a_refused_lazy_edit_says_what_is_open(fastapply, lazy):
    """For people and for programs the same."""
    told = fastapply("apply", lazy.name, "--min-certainty", "1", edit=LAZY)
    value = fastapply("apply", lazy.name, "--min-certainty", "1", "--json", edit=LAZY).object
    assert (told.status, value["needed"], lazy.read_text(encoding="utf-8")) == (1, 1.0, FILE)
    assert 0 < value["certainty"] < 1
    assert len(value["decision"]) == 8
    rows = told.err.splitlines()
    assert rows[0].startswith(f"f.py: refused: {value['message'][:-1]}: --min-certainty) [")
    assert [row for row in rows if row.startswith(("  1  ", "  2  ", "  3  "))] == [
        f"  {one['pick']}  {one['says']}" for one in value["candidates"]
    ]
    number = "N" if len(value["candidates"]) > 1 else "1"
    assert f"hint: answer with --pick {number}" in rows


def test_places_of_hunks_are_listed_as_lines(fastapply, lazy):
    """They have no question with an id, and lines answer them as well."""
    lazy.write_text(TWICE, encoding="utf-8")
    run = fastapply("apply", lazy.name, edit=UNCLEAR)
    rows = run.err.splitlines()
    assert rows[1:3] == ["  1: line 1", "  2: line 3"]
    assert rows[-1] == "hint: or answer with --pick N or --at LINES"
    assert "apply model" not in run.err
    value = fastapply("apply", lazy.name, "--json", edit=UNCLEAR).object
    assert (value["decision"], value["needed"], value["certainty"]) == (None, None, None)


def test_a_pick_with_the_id_of_the_question_answers_it(fastapply, lazy):
    """And no other question."""
    options = ("apply", lazy.name, "--min-certainty", "1")
    name = fastapply(*options, "--json", edit=LAZY).object["decision"]
    assert fastapply(*options, "--pick", f"{name}:1", edit=LAZY).status == 0
    assert lazy.read_text(encoding="utf-8") == MERGED


def test_a_pick_for_a_file_that_has_changed_is_refused(fastapply, lazy):
    """Nothing is written, and the question of now is shown; a number alone answers it."""
    options = ("apply", lazy.name, "--min-certainty", "1")
    name = fastapply(*options, "--json", edit=LAZY).object["decision"]
    changed = FILE.replace("x = 1", "x = 7")
    lazy.write_text(changed, encoding="utf-8")
    run = fastapply(*options, "--pick", f"{name}:1", edit=LAZY)
    assert (run.status, lazy.read_text(encoding="utf-8")) == (1, changed)
    assert run.err.startswith(f"f.py: refused: the question has changed since it had the id {name}; ")
    assert "[changed_meanwhile]" in run.err
    value = fastapply(*options, "--pick", f"{name}:1", "--json", edit=LAZY).object
    assert value["decision"] not in {None, name}
    assert fastapply(*options, "--pick", "1", edit=LAZY).status == 0
    assert lazy.read_text(encoding="utf-8") == MERGED.replace("x = 1", "x = 7")


def test_a_pick_for_a_question_that_nobody_asks_any_more_is_refused(fastapply, lazy):
    """The edit is clear, but the answer was for something else."""
    run = fastapply("apply", lazy.name, "--pick", "4f0c2a91:1", edit=CLEAR)
    assert (run.status, lazy.read_text(encoding="utf-8")) == (1, FILE)
    assert "the question has changed since it had the id 4f0c2a91: nothing is open now" in run.err
    assert "[changed_meanwhile]" in run.err


@pytest.mark.parametrize(
    ("options", "file", "edit", "said"),
    [
        (["--pick", "2"], FILE, CLEAR, "pick 2 was not needed: the edit is clear without it"),
        (["--at", "3"], FILE, CLEAR, "at 3 was not needed: the edit is clear without it"),
        (["--pick", "2", "--at", "1-2"], TWICE, UNCLEAR, "at 1-2 was ignored: the pick decided"),
        (["--pick", "2", "--pick", "1"], TWICE, UNCLEAR, "pick 1 was not needed: nothing else was open"),
    ],
    ids=["pick", "at", "both", "one too many"],
)  # fmt: skip
def test_an_answer_that_was_not_needed_is_said_to_be_so(fastapply, lazy, options, file, edit, said):  # noqa: PLR0917
    """The edit goes in all the same."""
    lazy.write_text(file, encoding="utf-8")
    run = fastapply("apply", lazy.name, *options, "--json", "-n", edit=edit)
    assert (run.status, run.object["status"], run.object["warnings"]) == (0, "applied", [said])
    assert run.err == f"warning: {said}\n"


def test_an_answer_that_was_needed_is_not_said_to_be_spare(fastapply, lazy):
    """Neither a pick nor lines."""
    lazy.write_text(TWICE, encoding="utf-8")
    for options in (["--pick", "2"], ["--at", "3"]):
        run = fastapply("apply", lazy.name, *options, "--json", "-n", edit=UNCLEAR)
        assert (run.object["warnings"], run.err) == ([], "")


@pytest.mark.parametrize("pick", ["one", "0", "1;2", "4f0c:1", "4f0c2a91:", ":1", "4f0c2a91:0"])
def test_a_pick_that_is_none_is_a_wrong_call(fastapply, lazy, pick):
    """Before anything is read."""
    run = fastapply("apply", lazy.name, "--pick", pick, edit=LAZY)
    assert (run.status, lazy.read_text(encoding="utf-8")) == (2, FILE)


def test_picks_of_a_patch_are_for_whichever_file_is_open(fastapply, folder):
    """A file that is clear does not need them, and nobody is warned about that."""
    (folder / "a.txt").write_text(TWICE, encoding="utf-8")
    (folder / "b.txt").write_text("c = 0\n", encoding="utf-8")
    edit = f"b.txt\n{UNCLEAR.replace('a =', 'c =')}\na.txt\n{UNCLEAR}"
    run = fastapply("patch", "--pick", "2", "--json", edit=edit)
    assert (run.status, run.object["warnings"]) == (0, [])
    assert (folder / "a.txt").read_text(encoding="utf-8") == "a = 0\nb = 1\na = 9\nb = 2\n"


def _step(run):
    return [row for row in run.err.splitlines() if row.startswith("hint: or let an apply model decide: ")]


def test_the_step_to_a_model_is_told_once(fastapply, lazy):
    """Under the first refusal that a model could answer, and under no other one, nor one of hunks."""
    lazy.write_text(TWICE, encoding="utf-8")
    assert _step(fastapply("apply", lazy.name, edit=UNCLEAR)) == []
    lazy.write_text(FILE, encoding="utf-8")
    runs = [fastapply("apply", lazy.name, "--min-certainty", "1", edit=LAZY) for _ in range(3)]
    assert [len(_step(run)) for run in runs] == [1, 0, 0]
    said = [[row for row in run.err.splitlines() if row not in _step(run)] for run in runs]
    assert said[0] == said[1] == said[2]


def test_the_step_to_a_model_is_told_where_nothing_can_be_noted(fastapply, lazy, state_dir):
    """Rather once too often."""
    (state_dir / "told").write_bytes(b"in the way")
    runs = [fastapply("apply", lazy.name, "--min-certainty", "1", edit=LAZY) for _ in range(2)]
    assert [len(_step(run)) for run in runs] == [1, 1]


@pytest.mark.parametrize("here", [True, False])
def test_the_step_to_a_model_names_the_extra_where_that_is_missing(fastapply, lazy, monkeypatch, here):
    """Each command of it works as it stands."""
    monkeypatch.setattr("fastapply.pipeline.picks.find_spec", lambda _: object() if here else None)
    (row,) = _step(fastapply("apply", lazy.name, "--min-certainty", "1", edit=LAZY))
    commands = "`fastapply models pull apply-1.5b`, then `fastapply models use apply-1.5b`"
    extra = " (needs the extra `model`: install this checkout with `pip install '.[model]'`)"
    assert row == f"hint: or let an apply model decide: {commands}{'' if here else extra}"
