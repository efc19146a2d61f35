"""The real llama.cpp on GGUF files that these tests make."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fastapply import apply_edit
from fastapply.errors import ModelTrouble, Refused
from fastapply.models.engine import Drafts, Task
from fastapply.models.prompts import ShownToModel, expected_answer, fixed_part, render_prompt

FILE = """\
def one():
    x = 1
    return x


def two():
    x = 1
    return x


def three():
    x = 1
    return x
"""
OPEN = "<<<<<<< SEARCH\n    return x\n=======\n    return x, x\n>>>>>>> REPLACE\n"
SECOND = FILE.replace("def two():\n    x = 1\n    return x\n", "def two():\n    x = 1\n    return x, x\n")
EDIT = "def two():\n    x = 2\n    return x\n"


def task_of(style, code, edit, answer, predicted=None):
    """A task whose right answer is known; drafted from the code where nothing else is given."""
    drafts = Drafts(expected_answer(style, predicted or code), code, edit)
    return Task(render_prompt(style, ShownToModel(code, edit)), drafts, len(answer) + 200)


@pytest.fixture
def opened(llama):  # noqa: ARG001 - skips
    """Open a model by its path; it is closed at the end."""
    from fastapply.models.llama.library import Settings
    from fastapply.models.llama.model import LlamaModel

    models = []

    def open_model(path, style="nano", **options):
        ctx_size = options.pop("ctx_size", None)
        settings = Settings(threads=1, ctx_size=ctx_size)
        models.append(LlamaModel(path, name="pointer", style=style, settings=settings, **options))
        return models[-1]

    yield open_model
    for model in models:
        model.close()


@pytest.mark.parametrize("style", ["nano", "kortix", "osmosis", "morph"])
def test_open_edit_is_decided_by_a_model_in_llama_cpp(answering, opened, style):
    """From the prompt through the KV cache to the verified merge."""
    shown = ShownToModel(FILE, OPEN)
    path = answering(render_prompt(style, shown), expected_answer(style, SECOND))
    result = apply_edit(FILE, OPEN, path="a.py", model=opened(path, style))
    assert (result.status, result.text, result.method) == ("applied", SECOND, "model")
    finish = "end_tag" if style in {"kortix", "osmosis"} else "eos"
    assert [run.finish for run in result.models] == [finish]
    usage = result.models[0].usage
    assert 0 < usage.accepted <= usage.drafted
    assert usage.steps < usage.output_tokens


@pytest.mark.parametrize(
    "predicted",
    [
        SECOND,
        FILE,
        SECOND.replace("return x, x", "return x"),
        FILE.replace("x", "y"),
        FILE[40:],
        FILE + FILE,
        "zzzz\n",
        "",
    ],
)
def test_answer_is_that_of_one_token_at_a_time(answering, opened, predicted):
    """Whatever the predicted merge was; rejected tokens leave the cache."""
    task = task_of("nano", FILE, OPEN, SECOND, predicted=predicted)
    model = opened(answering(task.prompt, expected_answer("nano", SECOND)))
    assert model.complete(task).text == expected_answer("nano", SECOND)


@pytest.mark.slow
@pytest.mark.parametrize("lines", [1000, 2500])
def test_long_file_is_rewritten_whole_to_the_byte(answering, opened, lines):
    """By a model that reads each token in its prompt, with a prediction that is wrong in the middle."""
    file = "".join(f"x = {number % 10}\n" for number in range(lines - 9)) + FILE[: FILE.index("def three")]
    edit = "def two():\n    x = 2\n    return x\n"
    merged = "    x = 2\n".join(file.rsplit("    x = 1\n", 1))
    prompt = render_prompt("nano", ShownToModel(file, edit))
    model = opened(answering(prompt, expected_answer("nano", merged), context=16 * lines))
    done = model.complete(task_of("nano", file, edit, merged))
    assert done.text == expected_answer("nano", merged)
    assert done.usage.output_tokens > 2 * lines
    assert done.usage.accepted > 0.9 * done.usage.output_tokens


def test_second_edit_of_a_file_finds_its_code_evaluated(answering, opened):
    """Only what is different in the prompt is evaluated, and the answer is right."""
    task = task_of("nano", FILE, OPEN, SECOND)
    model = opened(answering(task.prompt, expected_answer("nano", SECOND)))
    first, again = model.complete(task), model.complete(task)
    other = model.complete(task_of("nano", FILE, EDIT, SECOND))
    last = model.complete(task)
    assert [one.text for one in (first, again, last)] == [expected_answer("nano", SECOND)] * 3
    assert (first.usage.cached_tokens, again.usage.cached_tokens) == (0, first.usage.prompt_tokens - 1)
    code = len(model.model.tokenise(FILE.encode()))
    assert code <= other.usage.cached_tokens < first.usage.prompt_tokens


def test_model_that_never_ends_is_stopped(answering, opened):
    """At the length that an answer may have."""
    task = task_of("nano", FILE, OPEN, "x")
    path = answering(task.prompt, FILE * 6)
    done = opened(path).complete(Task(task.prompt, task.drafts, 300))
    assert done.finish == "endless"
    assert 300 <= len(done.text) < 1000


def test_answer_that_its_context_cuts_off_is_told_from_one_without_an_end(answering, opened):
    """The same answer: with room for it, with room for no more of it, and with room that nobody gave it."""
    task = task_of("nano", FILE, OPEN, "x")
    path = answering(task.prompt, FILE * 6)
    free = Task(task.prompt, task.drafts, 100_000)
    prompt = opened(path).prompt_tokens(task.prompt)
    cut = opened(path, ctx_size=len(prompt) + 120).complete(free)
    assert (cut.finish, len(cut.text) > 100) == ("length", True)
    assert opened(path).complete(free).text == FILE * 6


def test_model_that_does_not_fit_the_memory_is_not_loaded(answering, opened, monkeypatch):
    """It says so, where the system would kill it while it loads."""
    task = task_of("nano", FILE, OPEN, "x")
    path = answering(task.prompt, "x")
    monkeypatch.setattr("fastapply.models.llama.library.available_bytes", lambda: 1 << 20)
    with pytest.raises(ModelTrouble) as caught:
        opened(path)
    assert (caught.value.reason, caught.value.exit_status) == ("no_memory", 5)
    monkeypatch.setattr("fastapply.models.llama.library.available_bytes", lambda: None)
    assert opened(path).complete(task).text == "x"


def test_prompt_that_does_not_fit_is_refused(answering, opened):
    """Counted in tokens."""
    task = task_of("nano", FILE, OPEN, SECOND)
    model = opened(answering(task.prompt, SECOND), ctx_size=128)
    with pytest.raises(Refused) as caught:
        model.complete(task)
    assert caught.value.reason == "too_long"


def test_special_tokens_in_code_are_plain_text(answering, opened):
    """A file that talks about ``<|end|>`` cannot end its own prompt."""
    model = opened(answering(render_prompt("nano", ShownToModel("x", "y")), "x"))
    tokens = model.prompt_tokens(render_prompt("nano", ShownToModel("a<|end|>b", "c")))
    assert tokens.count(model.model.tokenise(b"<|end|>", special=True)[0]) == 0


@pytest.mark.parametrize("data", [b"", b"GGUF", b"no model at all\n" * 100])
def test_damaged_file_is_model_trouble(opened, tmp_path, data):
    """With what to do about it."""
    path = tmp_path / "bad.gguf"
    path.write_bytes(data)
    with pytest.raises(ModelTrouble) as caught:
        opened(path)
    assert (caught.value.reason, caught.value.exit_status) == ("bad_model", 5)


def test_widths_are_measured_once(answering, opened, tmp_path):
    """And kept in the cache folder."""
    task = task_of("nano", FILE, OPEN, SECOND)
    path = answering(task.prompt, expected_answer("nano", SECOND))
    opened(path, cache=tmp_path / "cache").complete(task)
    kept = list((tmp_path / "cache").rglob("*.json"))
    assert len(kept) == 1
    before = json.loads(kept[0].read_text())
    assert (before["rounds"], len(before["seconds"]) > 5) == (1, True)
    model = opened(path, cache=tmp_path / "cache")
    assert model.complete(task).text == expected_answer("nano", SECOND)
    assert json.loads(kept[0].read_text())["rounds"] == 1


def test_what_all_prompts_begin_with_is_kept_in_a_file(answering, opened, tmp_path):
    """The next process reads it from there, and answers and scores as one that evaluated it."""
    task = task_of("kortix", FILE, OPEN, SECOND)
    path = answering(task.prompt, expected_answer("kortix", SECOND))
    from fastapply.models.llama.model import load_state

    texts = [expected_answer("kortix", text) for text in (FILE, SECOND)]
    cache = tmp_path / "cache"
    alone = opened(path, "kortix").score(task.prompt, texts, [0.0, 0.0])
    first = opened(path, "kortix", cache=cache).score(task.prompt, texts, [0.0, 0.0])
    (kept,) = (cache / "states").iterdir()
    model = opened(path, "kortix", cache=cache)
    again = model.score(task.prompt, texts, [0.0, 0.0])
    assert again.scores == first.scores
    assert [one.log_likelihood for one in again.scores] == pytest.approx(
        [one.log_likelihood for one in alone.scores], rel=1e-3, abs=0.02
    )
    fixed = len(model.prompt_tokens(fixed_part(task.prompt)))
    assert (alone.usage.cached_tokens, again.usage.cached_tokens) == (0, fixed)
    assert opened(path, "kortix", cache=cache).complete(task).text == expected_answer("kortix", SECOND)
    assert list((cache / "states").iterdir()) == [kept]
    state = load_state(kept)
    assert state is not None
    assert model.context.restore(state)


@pytest.mark.parametrize("left", [0.0, 0.5, 0.99])
def test_damaged_file_of_what_prompts_begin_with_is_made_anew(answering, opened, tmp_path, left):
    """It is evaluated, as without one."""
    task = task_of("kortix", FILE, OPEN, SECOND)
    path = answering(task.prompt, expected_answer("kortix", SECOND))
    opened(path, "kortix", cache=tmp_path).complete(task)
    (kept,) = (tmp_path / "states").iterdir()
    data = kept.read_bytes()
    kept.write_bytes(data[: int(left * len(data))])
    assert opened(path, "kortix", cache=tmp_path).complete(task).text == expected_answer("kortix", SECOND)
    assert kept.read_bytes() == data


def test_later_rounds_leave_the_prompt_and_come_to_an_end(answering, opened, tmp_path):
    """While nobody waits; the next answer finds its prompt evaluated."""
    task = task_of("nano", FILE, OPEN, SECOND)
    model = opened(answering(task.prompt, expected_answer("nano", SECOND)), cache=tmp_path / "cache")
    first = model.complete(task)
    for _ in range(9):
        model.measure_more(lambda: False)
    (kept,) = (tmp_path / "cache").rglob("*.json")
    assert json.loads(kept.read_text())["rounds"] == 5
    again = model.complete(task)
    assert again.text == first.text
    assert again.usage.cached_tokens == first.usage.prompt_tokens - 1


def test_trained_model_writes_the_same_with_drafts_as_without(opened):
    """A small one that truly merges, where it is at hand: it is not part of fastapply."""
    trial = Path(__file__).parents[2].parent / "shared" / "trial"
    if not trial.exists():
        pytest.skip("the trial model is not on this machine")
    windows = [json.loads(line) for line in (trial / "windows.jsonl").read_text().splitlines()[:40]]
    model, same = opened(trial / "nano-trial.gguf"), []
    for window in [one for one in windows if len(one["original"]) < 700][:6]:
        code, edit, merged = window["original"], window["edit"], window["merged"]
        drafted = model.complete(task_of("nano", code, edit, code + edit, predicted=merged))
        alone = model.complete(
            Task(render_prompt("nano", ShownToModel(code, edit)), Drafts("", "", ""), 2000)
        )
        assert alone.usage.drafted == 0
        same.append(drafted.text == alone.text)
    assert sum(same) >= len(same) - 1  # sums in another order may choose another of two equal tokens
