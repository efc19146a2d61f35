"""The model path of an edit, with models that do well and models that misbehave."""

from __future__ import annotations

import pytest
from scripted import ScriptedModel

from fastapply import apply_edit
from fastapply.jobs.objects import run_object

FILE = """\
import os


def one():
    x = 0
    return x


def two():
    x = 0
    return x


def three():
    y = 0
    return y
"""
OPEN = "<<<<<<< SEARCH\n    return x\n=======\n    return x + 1\n>>>>>>> REPLACE\n"
MERGED = FILE.replace("def two():\n    x = 0\n    return x\n", "def two():\n    x = 0\n    return x + 1\n")
# nothing says which side of `y = 0` the new line belongs on
LAZY = """\
def three():
    # ... existing code ...
    log(3)
    log(4)
    # ... existing code ...
    return y
"""
LOGGED = FILE.replace("    y = 0\n", "    y = 0\n    log(3)\n    log(4)\n")


def ask(answer, edit=OPEN, finish="end_tag", style="kortix", **options):
    """Apply an edit with a model that gives one answer."""
    model = ScriptedModel(style)
    model.enqueue(answer, finish)
    return apply_edit(FILE, edit, path="a.py", model=model, **options), model


def tagged(text):
    """An answer in the form of the Kortix models."""
    return f"<updated-code>{text}</updated-code>"


def test_model_decides_what_the_closed_form_leaves_open():
    """Its merge passes the verifier and is applied, and what it took is told."""
    result, model = ask(tagged(MERGED))
    assert (result.status, result.text, result.method) == ("applied", MERGED, "model")
    assert [run.name for run in result.models] == ["scripted"]
    assert len(model.history) == 1


def test_model_is_not_asked_where_the_closed_form_is_certain():
    """Nothing of the queue is used."""
    model = ScriptedModel()
    result = apply_edit(FILE, OPEN.replace(" x", " y"), path="a.py", model=model)
    assert (result.status, result.method, model.history) == ("applied", "exact", [])


def test_engine_model_asks_about_certain_edits_as_well():
    """And draws on the certain merge for its draft."""
    merged = FILE.replace("return y", "return y + 1")
    result, model = ask(tagged(merged), OPEN.replace(" x", " y"), engine="model")
    assert (result.status, result.text, result.method) == ("applied", merged, "model")
    assert model.history[0].drafts.predicted == tagged(merged)


def test_model_that_contradicts_a_certain_merge_is_refused():
    """Though its merge may pass the verifier: one of the two is wrong."""
    edit = "# ...\n\ndef two():\n    x = 0\n    y = 1\n    return x\n\n# ...\n"
    merged = FILE.replace("def two():\n    x = 0\n", "def two():\n    x = 0\n    y = 1\n")
    assert apply_edit(FILE, edit, path="a.py").text == merged
    other = FILE.replace("def one():\n    x = 0\n", "def one():\n    x = 0\n    y = 1\n")
    result, _ = ask(tagged(other), edit, engine="model")
    assert (result.status, result.text, result.reason) == ("refused", FILE, "answer_other")


def test_deterministic_engine_never_asks():
    """The refusal is that of the closed form."""
    model = ScriptedModel()
    result = apply_edit(FILE, OPEN, path="a.py", engine="deterministic", model=model)
    assert (result.reason, model.history) == ("ambiguous", [])


def test_callers_pick_goes_before_the_model():
    """Who answers a refusal knows what was meant."""
    model = ScriptedModel()
    result = apply_edit(FILE, OPEN, path="a.py", pick=[2], model=model)
    assert (result.text, model.history) == (MERGED, [])


def test_truncated_edit_is_not_given_to_a_model():
    """It could only make up the rest."""
    model = ScriptedModel()
    edit = "def three():\n    y = 1\n    z = (y +"
    result = apply_edit(FILE, edit, path="a.py", model=model)
    assert (result.status, model.history) == ("refused", [])


@pytest.mark.parametrize(
    ("answer", "finish", "reason", "failure"),
    [
        (
            tagged(MERGED.replace("    y = 0\n", "    # ... existing code ...\n")),
            "end_tag",
            "answer_other",
            "functional_error",
        ),
        ("<updated-code>" + MERGED[:80], "eos", "answer_cut", "truncation"),
        ("<updated-code>" + MERGED, "eos", "answer_cut", "truncation"),
        ("<updated-code>" + "    return x\n" * 90, "endless", "answer_endless", "truncation"),
        (
            "<think>\nwhich one?\n</think>\n\n" + tagged(MERGED),
            "end_tag",
            "answer_around",
            "functional_error",
        ),
        ("Here it is:\n" + tagged(MERGED), "end_tag", "answer_around", "functional_error"),
        (MERGED, "eos", "answer_around", "functional_error"),
        (tagged(FILE), "end_tag", "answer_unchanged", "functional_error"),
        (tagged(MERGED.replace("import os\n", "")), "end_tag", "answer_other", "functional_error"),
    ],
    ids=[
        "marker left in",
        "cut in a line",
        "no end tag",
        "endless repetition",
        "thoughts before the answer",
        "words before the answer",
        "no tags",
        "nothing changed",
        "more changed than asked",
    ],
)
def test_misbehaving_model_is_refused_where_only_the_place_is_open(answer, finish, reason, failure):
    """With the class of its error, the places that fit, and the file as it was."""
    result, _ = ask(answer, finish=finish)
    assert (result.status, result.text, result.reason) == ("refused", FILE, reason)
    assert result.findings[0].failure == failure
    assert [(place.lines.first, place.enclosing) for place in result.candidates] == [
        (6, "def one():"),
        (11, "def two():"),
    ]
    assert "scripted" in result.message
    assert len(result.models) == 1


def test_lazy_edit_without_an_anchor_is_decided_by_the_model():
    """It says on which side of a line that the edit does not show; without it that stays open."""
    result, _ = ask(tagged(LOGGED), LAZY)
    assert (result.status, result.text) == ("applied", LOGGED)
    result = apply_edit(FILE, LAZY, path="a.py")
    assert (result.status, result.reason) == ("refused", "uncertain")


@pytest.mark.parametrize(
    ("answer", "reason", "failure"),
    [
        (LOGGED.replace("    log(3)\n", "    log(3)\n    # ... existing code ...\n"),
         "marker_left", "truncation"),
        (LOGGED.replace("    log(3)\n", "    log(3)\n    audit(3)\n"), "foreign_line", "hallucination"),
        (LOGGED.replace("    log(3)\n", ""), "missing_line", "functional_error"),
        (LOGGED.replace("def one():\n    x = 0\n    return x\n\n\n", ""), "lost_definition", "truncation"),
    ],
    ids=["marker left in", "line made up", "line left out", "function lost"],
)  # fmt: skip
def test_misbehaving_model_is_refused_by_the_verifier(answer, reason, failure):
    """The codes and classes are those of every other merge."""
    result, _ = ask(tagged(answer), LAZY)
    assert (result.status, result.text, result.reason) == ("refused", FILE, reason)
    assert result.findings[0].failure == failure


def test_wrong_order_is_refused():
    """A model that moves a function which the edit does not move."""
    first, second, third = (FILE.index(f"def {name}") for name in ("one", "two", "three"))
    one, two = FILE[first:second], FILE[second:third]
    result, _ = ask(tagged(LOGGED.replace(one + two, two + one)), LAZY)
    assert (result.status, result.text) == ("refused", FILE)
    assert result.reason in {"lost_lines", "lost_definition", "doubled_line"}


def test_region_alone_is_shown_of_a_long_file_and_the_rest_stays():
    """Crooked bytes far from the edit are not touched: CRLF, trailing blanks, a tab."""
    rest = "".join(f"v{number} = {number}\t \r\n" for number in range(400))
    model = ScriptedModel()
    model.enqueue("")
    apply_edit(FILE + rest, OPEN, path="a.py", model=model)
    shown = model.history[0].drafts.original
    assert len(shown.splitlines()) < 60
    answer = shown.replace(
        "def two():\n    x = 0\n    return x\n", "def two():\n    x = 0\n    return x + 1\n"
    )
    model.enqueue(tagged(answer))
    result = apply_edit(FILE + rest, OPEN, path="a.py", model=model)
    assert result.text == MERGED + rest


def test_full_file_shows_all_of_it():
    """Where it fits; `--full-file`."""
    rest = "".join(f"v{number} = {number}\n" for number in range(400))
    model = ScriptedModel()
    model.enqueue(tagged(MERGED + rest))
    result = apply_edit(FILE + rest, OPEN, path="a.py", model=model, full_file=True)
    assert (result.status, result.text) == ("applied", MERGED + rest)
    assert model.history[0].drafts.original == FILE + rest


def test_full_file_that_cannot_fit_falls_back_to_the_region():
    """The context is the model's; nothing is loaded to find that out."""
    rest = "".join(f"v{number} = {number}\n" for number in range(4000))
    model = ScriptedModel(context_length=2048)
    model.enqueue("")
    apply_edit(FILE + rest, OPEN, path="a.py", model=model, full_file=True)
    assert len(model.history[0].drafts.original) < 1000


def test_what_cannot_fit_is_refused_before_the_model_is_asked():
    """With the places, as ever."""
    model = ScriptedModel(context_length=64)
    result = apply_edit(FILE, OPEN, path="a.py", model=model)
    assert (result.status, result.reason, model.history) == ("refused", "too_long", [])
    assert len(result.candidates) == 2


def test_edit_that_shows_nothing_of_the_file_is_not_given_to_a_model():
    """It may be for another file; a model would put it in somewhere."""
    model = ScriptedModel()
    result = apply_edit(FILE, "# ... existing code ...\nz = q(1)\n# ... existing code ...\n", model=model)
    assert (result.status, result.reason, model.history) == ("refused", "not_found", [])


def test_finding_of_a_models_merge_can_be_allowed():
    """As for every other merge."""
    audited = LOGGED.replace("    log(4)\n", "    log(4)\n    audit(4)\n")
    result, _ = ask(tagged(audited), LAZY, allow=["foreign_line"])
    assert (result.status, result.text) == ("applied", audited)


def test_model_object_tells_what_the_answers_took():
    """Sums and speeds; null where a time is not known."""
    result, _ = ask(tagged(MERGED))
    told = run_object(result.models)
    assert told is not None
    assert (told["name"], told["finish"], told["steps"]) == ("scripted", "end_tag", 3)
    assert told["chars_per_second"] == len(tagged(MERGED))
    assert told["prefill_tokens_per_second"] is None
    assert run_object(()) is None
