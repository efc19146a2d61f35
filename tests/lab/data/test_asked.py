"""Windows of cases: what a model is shown in use, and the merge that is right."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from scripted import TrustedModel

from fastapply.cli import main
from fastapply.evaluate.cases import Case
from fastapply.models.engine import Trust
from fastapply.models.prompts import ShownToModel, render_prompt
from fastapply.models.region import find_splices
from fastapply.models.rewrite import prepare_choice
from fastapply.text import from_text, splice
from fastapply.types import Options, Snippet
from fastapply.values import replace
from fastapply_lab.data.asked import Asked, Mixture, ask, mix, refusal_of, window_of
from fastapply_lab.data.windows import Window, read_windows

FILE = (
    "import os\n\n\n"
    + "".join(f"def step_{n}(x):\n    go(x)\n    y = {n}\n    stop(x)\n    return y\n\n\n" for n in range(12))
).rstrip("\n") + "\n"
EITHER = "# ... existing code ...\n    go(x)\n    y = 30\n    stop(x)\n# ... existing code ...\n"
TWO = (
    "The import first:\n\n```python\nimport os, sys\n```\n\nthen the step:\n\n"
    "```python\ndef step_3(x):\n    # ...\n    y = 30\n    # ...\n```\n"
)
CLEAR = (
    "# ... existing code ...\ndef step_3(x):\n    go(x)\n    log(x)\n    y = 3\n    stop(x)\n    return y\n"
    "\n\n# ... existing code ...\n"
)


def case(name: str, edit: str, number: int, **values) -> Case:
    """An edit of one number of the file."""
    expected = FILE.replace(f"    y = {number}\n", f"    y = {number}0\n")
    given = {"path": "a.py", "language": "python", "instructions": f"Make it {number}0."}
    return Case(name, original=FILE, edit=edit, **{**given, "expected": expected, **values})


@pytest.fixture
def opened() -> Asked:
    """An edit that fits at many places, of which one is meant."""
    asked = ask(case("o", EITHER, 3, repository="r/one"))
    assert isinstance(asked, Asked)
    assert asked.open
    return asked


def test_window_shows_what_a_model_is_shown_in_use(opened):
    """The same lines, edit and instructions, and the answer that gives the right file."""
    model = TrustedModel(Trust({}, 0.0, 0.5))
    window = window_of(opened)
    assert isinstance(window, Window)
    assert window.merged
    options = Options(instructions=opened.case.instructions)
    focus, prompt = prepare_choice(
        from_text(FILE), opened.part, opened.proposal, model, language="python", options=options
    )
    shown = ShownToModel(window.original, window.edit, "python", window.instructions)
    assert replace(prompt, about="") == render_prompt("kortix", shown)
    assert (window.instructions, window.style, window.repo) == ("Make it 30.", "open", "r/one")
    found = find_splices(focus.source.lines, focus.region, window.merged.splitlines())
    assert isinstance(found, tuple)
    assert splice(focus.source, found).text == opened.case.expected


def test_region_is_widened_to_hold_the_true_change():
    """What a merge that is wrong did not look at."""
    far = FILE.replace("import os\n", "import os\nimport sys\n").replace(
        "    y = 3\n", "    log(x)\n    y = 3\n"
    )
    clear = ask(case("c", CLEAR, 3))
    assert isinstance(clear, Asked)
    window = window_of(replace(clear, case=replace(clear.case, expected=far)))
    assert isinstance(window, Window)
    assert window.merged
    assert "import os" not in "".join(from_text(FILE).lines[at] for at in clear.focus.region.lines)
    assert "import os\nimport sys\n" in window.merged


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        ("<<<<<<< SEARCH\n    y = 3\n=======\n    y = 30\n>>>>>>> REPLACE\n", "hunks"),
        ("Nothing to do here.\n", "several parts, or none"),
        ("```python\ndef a():\n", "several parts, or none"),
        (
            f"```python\n{CLEAR}```\n\n```python\n{CLEAR}```\n".replace("_3", "_2", 1),
            "several parts, or none",
        ),
    ],
)
def test_edit_that_no_model_is_asked_about_is_no_window(edit, why):
    """Each is counted by its reason."""
    asked = ask(case("x", edit, 3))
    assert asked == why or (why.startswith("several") and isinstance(asked, str))


def test_snippets_of_which_one_is_open_are_asked_about_as_one():
    """As in use; where all are certain by themselves nothing is asked."""
    asked = ask(case("x", TWO, 3))
    assert isinstance(asked, Asked)
    assert isinstance(asked.part, Snippet)
    assert asked.part.lines[:2] == ("import os, sys", "# ...")
    assert asked.part.lines[2] == "def step_3(x):"
    assert asked.open


def test_edit_that_changes_nothing_is_no_window(opened):
    """There would be nothing to learn but a copy."""
    same = replace(opened, case=replace(opened.case, expected=FILE))
    assert window_of(same) == "changes nothing"


def test_refusal_is_an_edit_of_another_file_of_the_same_language(opened):
    """One of the same file, or of another language, is none."""
    other = "# ...\ndef pay(order):\n    log(order)\n    go(order)\n    y = 5\n# ...\n"
    assert refusal_of(opened, case("y", other, 3)) is None
    assert refusal_of(opened, case("y", other, 3, path="a.go", language="go")) is None
    window = refusal_of(opened, case("y", EITHER, 3, path="b.py", instructions="Pay."))
    assert window is not None
    assert (window.merged, window.style, window.instructions) == (None, "other-file", "Pay.")


def test_mixture_keeps_all_that_is_open_and_some_that_is_clear(opened):
    """Half as many, in an order that the seed gives; instructions are left out by chance."""
    clear = [ask(case(f"c{n}", CLEAR, 3)) for n in range(4)]
    asked = [opened, *clear, ask(case("p", EITHER, 5))]
    left_out = Counter[str]()
    mixture = Mixture(clear=0.5, refusals=0.0, without_instructions=1.0)
    windows = list(mix(asked, mixture, left_out))
    assert Counter(window.style for window in windows) == {"open": 2, "clear": 1}
    assert left_out == {"clear": 3}
    assert {window.instructions for window in windows} == {""}
    assert [one.id for one in windows] == [one.id for one in mix(asked, mixture, Counter())]


def test_command_writes_windows_and_holds_repositories_out(tmp_path, capsys):
    """What is held out keeps its instructions; what makes no window is counted."""
    rows = [
        {"id": "a", "repository": "r/one", "edit": EITHER, "number": 7},
        {"id": "b", "repository": "r/two", "edit": EITHER, "number": 5},
        {"id": "c", "repository": "r/two", "edit": "What a nice day.\n", "number": 5},
    ]
    lines = []
    for row in rows:
        number = row.pop("number")
        expected = FILE.replace(f"    y = {number}\n", f"    y = {number}0\n")
        lines.append(json.dumps({**row, "path": "a.py", "original": FILE, "expected": expected}) + "\n")
    (tmp_path / "cases.jsonl").write_text("".join(lines))
    arguments = ["dataset", "windows", str(tmp_path / "cases.jsonl"), "--out", str(tmp_path), "--jobs", "1"]
    assert main([*arguments, "--hold-out", "r/one"]) == 0
    assert [one.id for one in read_windows(tmp_path / "train.jsonl")] == ["b"]
    assert [one.id for one in read_windows(tmp_path / "valid.jsonl")] == ["a"]
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == ["train: 1 windows, 1 open", "valid: 1 windows, 1 open"]
    assert main([*arguments, "--hold-out", "r/none"]) == 2
    assert "no case is from r/none" in capsys.readouterr().err
