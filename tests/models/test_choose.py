"""Scoring answers: the same numbers as one sequence after the other, one token at a time."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fastapply.errors import Refused
from fastapply.models.engine import Score
from fastapply.models.llama.decode import score_answers, spans
from fastapply.models.prompts import ShownToModel, expected_answer, render_prompt

FILE = "def one():\n    x = 1\n    return x\n\n\ndef two():\n    x = 1\n    return x\n\n\nz = 1\n"
OPEN = "<<<<<<< SEARCH\n    return x\n=======\n    return x, x\n>>>>>>> REPLACE\n"
FIRST = FILE.replace("return x", "return x, x", 1)
SECOND = "return x, x".join(FILE.rsplit("return x", 1))
BOTH = FILE.replace("return x", "return x, x")
VOCABULARY = 5


class Chain:
    """A model whose next token depends on all before it, by sums that can be done by hand."""

    def __init__(self, cache, widest):
        self.cache, self.widest = list(cache), widest
        self.rows = 0

    def evaluate(self, tokens, start, outputs):
        """Logits made of the tokens up to each row."""
        assert start == len(self.cache), "the cache holds just what comes before"
        logits = []
        for token in tokens:
            self.cache.append(token)
            self.rows += 1
            logits.append(chain_logits(self.cache))
        return np.asarray(logits[-outputs:], np.float32)

    def forget(self, start):
        """Cut the cache."""
        del self.cache[start:]
        return True


def chain_logits(tokens):
    """The logits behind some tokens."""
    total = sum((place + 1) * token for place, token in enumerate(tokens))
    return [((total + 3 * choice) % 7) / 2 for choice in range(VOCABULARY)]


def by_hand(before, tokens):
    """The sum of logarithms, and that of how far each is below the highest, one token at a time."""
    total, behind, written = 0.0, 0.0, list(before)
    for token in tokens:
        logits = np.asarray(chain_logits(written))
        total += logits[token] - np.log(np.exp(logits).sum())
        behind += logits.max() - logits[token]
        written.append(token)
    return total, behind


LED = st.lists(
    st.tuples(
        st.lists(st.integers(0, VOCABULARY - 1), min_size=1, max_size=9),
        st.floats(-30, 0),
    ),
    min_size=1,
    max_size=6,
)


@given(LED, st.integers(1, 4))
@settings(max_examples=200, deadline=None)
def test_answers_that_cannot_win_any_more_are_left_out(led, widest):
    """The best of all is the same, and none is scored wrongly, whatever they share."""
    answers, leads = [answer for answer, _ in led], [lead for _, lead in led]
    chain = Chain([1, 2], widest)
    scores, last = score_answers(chain, 3, 2, answers, leads)
    wanted = [by_hand([1, 2, 3], answer) for answer in answers]
    known = [one.log_likelihood != -np.inf for one in scores]
    for one, (total, behind), answer in zip(scores, wanted, answers, strict=True):
        if one.log_likelihood != -np.inf:
            assert (one.log_likelihood, one.behind) == pytest.approx((total, behind), abs=1e-5)
            assert one.tokens == len(answer)
    sums = [lead + total for lead, (total, _) in zip(leads, wanted, strict=True)]
    assert any(kept and total == max(sums) for kept, total in zip(known, sums, strict=True))
    assert chain.cache == [1, 2, 3, *last[:-1]]


def test_one_far_behind_takes_no_row():
    """No sum of logarithms is above 0."""
    chain = Chain([], 64)
    scores, _ = score_answers(chain, 1, 0, [[1, 2, 3], [4, 2, 3]], [0.0, -50.0])
    assert chain.rows == 3
    assert scores[1] == Score(-np.inf, 0)


def test_what_answers_begin_with_is_evaluated_once():
    """Two that part at their last token take one row more than one of them."""
    chain = Chain([], 64)
    score_answers(chain, 1, 0, [[1, 2, 3, 4], [1, 2, 3, 0]], [0.0, 0.0])
    assert chain.rows == 4 + 1


def test_what_counts_goes_from_where_answers_part_to_a_few_tokens_behind():
    """The common end is left out, but for its first tokens."""
    end = list(range(20, 60))
    assert spans([[1, 2, 3, *end], [1, 4, *end]]) == (1, (3 + 8, 2 + 8))
    assert spans([[1, 2, 3, 9, 9], [1, 4, 9, 9]]) == (1, (5, 4))
    assert spans([[1, 2], [1, 2, 2]]) == (2, (2, 3))
    assert spans([[1, 2], [1, 2]]) == (2, (2, 2))
    assert spans([[1, *range(2, 100)], [1, 4]]) == (1, (1 + 64, 2))


@pytest.fixture
def opened(llama):  # noqa: ARG001 - skips
    """Open a model by its path; it is closed at the end."""
    from fastapply.models.llama.library import Settings
    from fastapply.models.llama.model import LlamaModel

    models = []

    def open_model(path, **given):
        models.append(LlamaModel(path, name="pointer", style="nano", settings=Settings(threads=1, **given)))
        return models[-1]

    yield open_model
    for model in models:
        model.close()


def one_at_a_time(model, prompt, texts):
    """Scores by a context of its own, from the first token on and without any sharing."""
    from fastapply.models.llama.library import Context

    asked = model.prompt_tokens(prompt)
    answers = [[*model.model.tokenise(text.encode()), model.model.end] for text in texts]
    parted, ends = spans(answers)
    scores = []
    for answer, end in zip(answers, ends, strict=True):
        context = Context(model.model, 2048, model.settings)
        tokens = [*asked, *answer]
        total, counted = 0.0, len(asked) + parted
        for place in range(len(asked) + end - 1):
            row = context.evaluate([tokens[place]], place, 1)[0].astype(np.float64)
            if place + 1 >= counted:
                total += row[tokens[place + 1]] - row.max() - np.log(np.exp(row - row.max()).sum())
        context.close()
        scores.append((total, end - parted))
    return scores


def test_likeliest_answer_is_the_one_that_the_model_writes(answering, opened):
    """Among equal places, and with each number that of one token at a time."""
    prompt = render_prompt("nano", ShownToModel(FILE, OPEN))
    model = opened(answering(prompt, expected_answer("nano", SECOND)))
    texts = [expected_answer("nano", text) for text in (FIRST, SECOND, BOTH, FILE)]
    scores = model.score(prompt, texts, [0.0] * 4).scores
    wanted = one_at_a_time(model, prompt, texts)
    assert [one.tokens for one in scores] == [tokens for _, tokens in wanted]
    assert [one.log_likelihood for one in scores] == pytest.approx(
        [total for total, _ in wanted], rel=1e-3, abs=0.02
    )
    assert max(scores, key=lambda one: one.log_likelihood) == scores[1]
    assert scores[1].behind == 0.0
    assert min(scores[n].behind for n in (0, 2, 3)) > 0.0


@pytest.mark.parametrize("count", [2, 16])
def test_scores_come_in_the_order_of_the_answers(answering, opened, count):
    """From two answers to sixteen; the prompt is kept for the next request."""
    prompt = render_prompt("nano", ShownToModel(FILE, OPEN))
    model = opened(answering(prompt, expected_answer("nano", SECOND)))
    texts = [FILE + "#" * number for number in range(count)]
    scores = model.score(prompt, texts, [0.0] * count).scores
    again = model.score(prompt, texts[::-1], [0.0] * count).scores
    assert len(scores) == count
    assert [one.log_likelihood for one in again[::-1]] == pytest.approx(
        [one.log_likelihood for one in scores], rel=1e-3, abs=0.02
    )
    assert model.prefill(model.prompt_tokens(prompt))[1] == len(model.prompt_tokens(prompt)) - 1


def test_one_answer_alone_has_nothing_that_counts(answering, opened):
    """What it took is told as well: all of the prompt is read, and none of it a second time."""
    prompt = render_prompt("nano", ShownToModel(FILE, OPEN))
    model = opened(answering(prompt, "x"))
    done, again = (model.score(prompt, [FILE], [0.0]) for _ in range(2))
    assert done.scores == again.scores == (Score(0.0, 0),)
    assert (done.usage.cached_tokens, done.usage.output_tokens) == (0, 0)
    assert done.usage.prompt_tokens == again.usage.cached_tokens + 1


def test_answers_that_do_not_fit_are_refused(answering, opened):
    """Counted in tokens, as far as they are evaluated."""
    prompt = render_prompt("nano", ShownToModel(FILE, OPEN))
    model = opened(answering(prompt, "x"), ctx_size=128)
    with pytest.raises(Refused) as caught:
        model.score(prompt, [FILE, SECOND], [0.0, 0.0])
    assert caught.value.reason == "too_long"


def test_answer_after_a_choice_is_the_same(answering, opened):
    """What scoring leaves in the cache does not show in what is written, nor the other way round."""
    from fastapply.models.engine import Drafts, Task

    prompt = render_prompt("nano", ShownToModel(FILE, OPEN))
    model = opened(answering(prompt, expected_answer("nano", SECOND)))
    task = Task(prompt, Drafts(expected_answer("nano", FIRST), FILE, OPEN), 600)
    texts = [expected_answer("nano", text) for text in (FIRST, SECOND)]
    before = model.score(prompt, texts, [0.0, 0.0]).scores
    assert model.complete(task).text == expected_answer("nano", SECOND)
    after = model.score(prompt, texts, [0.0, 0.0]).scores
    assert [one.log_likelihood for one in after] == pytest.approx(
        [one.log_likelihood for one in before], rel=1e-3, abs=0.02
    )


def test_trained_model_finds_right_merges_likelier_than_wrong_ones(opened):
    """A small one that truly merges, where it is at hand: it is not part of fastapply."""
    trial = Path(__file__).parents[2].parent / "shared" / "trial"
    if not trial.exists():
        pytest.skip("the trial model is not on this machine")
    windows = [json.loads(line) for line in (trial / "windows.jsonl").read_text().splitlines()[:60]]
    model, right = opened(trial / "nano-trial.gguf"), []
    for window in [one for one in windows if len(one["original"]) < 900][:10]:
        prompt = render_prompt("nano", ShownToModel(window["original"], window["edit"]))
        texts = [expected_answer("nano", window[key]) for key in ("original", "merged")]
        scores = model.score(prompt, texts, [0.0, 0.0]).scores
        wanted = one_at_a_time(model, prompt, texts)
        assert [one.log_likelihood for one in scores] == pytest.approx(
            [total for total, _ in wanted], rel=0.02, abs=0.3
        )
        right.append(scores[1].log_likelihood > scores[0].log_likelihood)
    assert sum(right) > len(right) / 2  # it is not good
