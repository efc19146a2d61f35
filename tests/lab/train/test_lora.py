"""Tuning a base: from windows to an adapter, and from there into llama.cpp."""

from __future__ import annotations

import json
import math
import os
import signal
from typing import Any

import pytest
import tiny

from fastapply.errors import FileTrouble, ModelTrouble, UsageError
from fastapply_lab.data.windows import to_json

pytestmark = pytest.mark.usefixtures("training")

WINDOWS = [
    tiny.window(
        number, f"a = {number}\nb = {number}\n", f"b = {number + 1}\n", f"a = {number}\nb = {number + 1}\n"
    )
    for number in range(12)
]
REFUSED = tiny.window(99, "a = 1\n", "zzz\n", None)
LONG = tiny.window(98, tiny.CORPUS * 40, "b = 1\n", "x\n")


def write(path, windows):
    """A file of windows."""
    path.write_text("".join(to_json(window) + "\n" for window in windows), encoding="utf-8")
    return path


def recipe(**more):
    """A recipe for a tiny model."""
    from fastapply_lab.train.recipe import Recipe

    given = {
        "dtype": "f32",
        "rank": 8,
        "alpha": 8,
        "learning_rate": 2e-3,
        "batch": 4,
        "epochs": 20,
        "check_every": 10,
        "check_samples": 6,
        "max_length": 2000,
    }
    return Recipe(**{"style": "nano", **given, **more})


@pytest.fixture(autouse=True)
def one_thread(training):  # noqa: ARG001 - skips
    """What is summed up in one thread comes out the same each time."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.slow
def test_base_is_tuned_and_its_adapter_runs_in_llama_cpp(llama, tmp_path):  # noqa: ARG001
    """The loss falls, and base and adapter write what they write in torch; so does the merged checkpoint."""
    from fastapply_lab.train.export import export
    from fastapply_lab.train.lora import tune
    from fastapply_lab.train.lossless import check

    base = tiny.write_checkpoint(tmp_path / "base", width=128, spread=0.05)
    data = write(tmp_path / "data.jsonl", [*WINDOWS, REFUSED, LONG])
    lines: list[dict[str, Any]] = []
    tuned = tune(
        str(base),
        data,
        tmp_path / "out",
        recipe(),
        validation=write(tmp_path / "v.jsonl", WINDOWS),
        merge=True,
        watch=lines.append,
    )
    assert (tuned.steps, tuned.samples, tuned.left_out) == (80, 13, {"too_long": 1})
    steps = [line for line in lines if line["kind"] == "step"]
    assert [line["step"] for line in steps] == list(range(1, 81))
    assert steps[-1]["loss"] < 0.5 * steps[0]["loss"]
    assert steps[-1]["next_token_right"] > steps[0]["next_token_right"]
    assert steps[-1]["left_seconds"] == 0 < steps[0]["left_seconds"]
    checks = [line for line in lines if line["kind"] == "check"]
    assert [(line["step"], line["samples"]) for line in checks] == [(at, 6) for at in range(10, 81, 10)]
    kept = [json.loads(line) for line in (tmp_path / "out/log.jsonl").read_text().splitlines()]
    assert kept == [{key: line[key] for key in line if key != "left_seconds"} for line in lines]
    assert (tmp_path / "out/log.png").read_bytes().startswith(b"\x89PNG")
    assert tuned.validation is not None
    assert {**checks[-1], **tuned.validation.to_object()} == checks[-1]
    plain = export(base, tmp_path / "base.gguf", "f32")
    adapter = export(tmp_path / "out", tmp_path / "adapter.gguf", "f32")
    (loss,) = check(tmp_path / "out", [plain.path], WINDOWS, "nano", adapter=adapter.path, threads=1)
    assert loss.equal + sum(fork.margin < 0.02 for fork in loss.forks) == 12
    assert loss.tokenised_otherwise == ()
    assert tuned.merged is not None
    whole = export(tuned.merged, tmp_path / "m.gguf", "f32")
    assert whole.notes == ()
    (loss,) = check(tuned.merged, [whole.path], WINDOWS, "nano", threads=1)
    assert loss.equal + sum(fork.margin < 0.02 for fork in loss.forks) == 12
    with pytest.raises(UsageError):
        check(tmp_path / "out", [plain.path], WINDOWS, "nano", threads=1)


@pytest.mark.slow
def test_gguf_file_is_tuned_as_it_is(llama, tmp_path):  # noqa: ARG001
    """Its adapter says which file it is for, and goes on that file in llama.cpp."""
    from fastapply_lab.train.export import export
    from fastapply_lab.train.lora import tune
    from fastapply_lab.train.lossless import check

    folder = tiny.write_checkpoint(tmp_path / "base", dtype="bfloat16", spread=0.05)
    base = export(folder, tmp_path / "base.gguf", "bf16").path
    data, said = write(tmp_path / "data.jsonl", WINDOWS), list[str]()
    tuned = tune(str(base), data, tmp_path / "out", recipe(steps=2, dtype="bf16"), tell=said.append)
    assert said[0].startswith("base.gguf is made into a checkpoint, once: ")
    assert json.loads((tuned.adapter / "base.json").read_text())["base"] == str(base)
    adapter = export(tmp_path / "out", tmp_path / "a.gguf", "f16")
    assert adapter.notes[0].startswith("an adapter for base.gguf: ")
    (loss,) = check(tmp_path / "out", [base], WINDOWS[:3], "nano", adapter=adapter.path, threads=1)
    assert (loss.answers, loss.tokenised_otherwise) == (3, ())


def test_loss_in_bits_is_that_of_the_answers_bytes(tmp_path):
    """At a rate of nothing, the adapters change nothing: the base's own loss, counted by hand."""
    import torch
    from transformers import AutoModelForCausalLM

    from fastapply_lab.train.lora import tune

    base = tiny.write_checkpoint(tmp_path / "base", tiny.CHAT, style=None, spread=0.05)
    data = write(tmp_path / "data.jsonl", WINDOWS[:1])
    tuned = tune(str(base), data, tmp_path / "out", recipe(style="kortix", learning_rate=0.0, epochs=1))
    from fastapply_lab.train.samples import Tokenizer, make_sample

    sample = make_sample(WINDOWS[0], Tokenizer(base), "kortix")
    assert sample is not None
    text = "<updated-code>a = 0\nb = 1\n</updated-code>"
    assert sample.bytes == len(text)
    model = AutoModelForCausalLM.from_pretrained(base)
    with torch.inference_mode():
        logits = model(torch.tensor([[*sample.prompt, *sample.answer]])).logits[0].log_softmax(-1)
    at = range(len(sample.prompt) - 1, len(sample) - 1)
    nats = -sum(float(logits[place, token]) for place, token in zip(at, sample.answer, strict=True))
    assert tuned.last is not None
    assert tuned.last.bits == pytest.approx(nats / math.log(2) / len(text), rel=1e-4)
    assert tuned.last.loss == pytest.approx(nats / len(sample.answer), rel=1e-4)


@pytest.mark.slow
def test_run_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path):
    """After any step: the same weights, bit for bit, and the same log but for its times."""
    from safetensors.torch import load_file

    from fastapply_lab.train.lora import tune

    base = tiny.write_checkpoint(tmp_path / "base", spread=0.05)
    data = write(tmp_path / "data.jsonl", WINDOWS)
    plan = recipe(epochs=4)
    tune(str(base), data, tmp_path / "whole", plan)

    def stop(line):
        if line["step"] in {3, 8}:
            os.kill(os.getpid(), signal.SIGTERM if line["step"] == 3 else signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            tune(str(base), data, tmp_path / "parts", plan, watch=stop)
    assert (tmp_path / "parts/adapter/adapter_model.safetensors").exists()
    assert signal.getsignal(signal.SIGINT) is before
    seen = []
    tune(str(base), data, tmp_path / "parts", plan, watch=lambda line: seen.append(line["step"]))
    assert seen == [9, 10, 11, 12]
    weights = "adapter/adapter_model.safetensors"
    one, other = (load_file(tmp_path / run / weights) for run in ("whole", "parts"))
    assert all(bool((one[name] == other[name]).all()) for name in one)
    assert all(bool((one[name] != 0).any()) for name in one)
    logs = [
        [
            {**json.loads(line), "seconds": 0}
            for line in (tmp_path / run / "log.jsonl").read_text().splitlines()
        ]
        for run in ("whole", "parts")
    ]
    assert logs[0] == logs[1]


def test_run_of_so_many_minutes_ends_in_time_and_with_a_low_rate(tmp_path):
    """The rate falls with the time, however many steps there would be; another call adds nothing."""
    from fastapply_lab.train.lora import tune

    base = tiny.write_checkpoint(tmp_path / "base", spread=0.05)
    data = write(tmp_path / "data.jsonl", WINDOWS)
    plan = recipe(epochs=10_000, minutes=0.04)
    tuned = tune(str(base), data, tmp_path / "out", plan)
    rows = [json.loads(line) for line in (tmp_path / "out/log.jsonl").read_text().splitlines()]
    assert tuned.steps == rows[-1]["step"] < 30_000
    assert sum(row["seconds"] for row in rows) == pytest.approx(2.4, abs=1.0)
    assert rows[-1]["rate"] < 0.2 * max(row["rate"] for row in rows)
    again = tune(str(base), data, tmp_path / "out", plan)
    assert again.steps == tuned.steps


def test_run_of_another_recipe_is_not_gone_on_with(tmp_path):
    """What is in the folder stays; what changes no weight may be otherwise."""
    from fastapply_lab.train.lora import tune

    base = tiny.write_checkpoint(tmp_path / "base", layers=1)
    data = write(tmp_path / "data.jsonl", WINDOWS)
    tune(str(base), data, tmp_path / "out", recipe(steps=1))
    tune(str(base), data, tmp_path / "out", recipe(steps=1, recompute=False, save_minutes=1.0))
    with pytest.raises(UsageError, match="another learning_rate, rank"):
        tune(str(base), data, tmp_path / "out", recipe(steps=1, rank=4, learning_rate=1.0))
    write(data, WINDOWS[:3])
    with pytest.raises(UsageError, match="another data"):
        tune(str(base), data, tmp_path / "out", recipe(steps=1))


def test_run_goes_on_from_the_adapter_of_another(tmp_path):
    """Its weights are the first ones; a run from another adapter, or from none, is another run."""
    from safetensors.torch import load_file

    from fastapply_lab.train.lora import tune

    base = str(tiny.write_checkpoint(tmp_path / "base", layers=1, spread=0.05))
    data = write(tmp_path / "data.jsonl", WINDOWS)
    first = tune(base, data, tmp_path / "first", recipe(steps=2)).adapter
    still = recipe(steps=1, learning_rate=0.0)
    for number, start in enumerate((tmp_path / "first", first)):
        gone_on = tune(base, data, tmp_path / f"next{number}", still, start=start).adapter
        weights = [load_file(folder / "adapter_model.safetensors") for folder in (first, gone_on)]
        assert weights[0].keys() == weights[1].keys()
        assert all(bool((weights[0][name] == weights[1][name]).all()) for name in weights[0])
    with pytest.raises(UsageError, match="another adapter"):
        tune(base, data, tmp_path / "next0", still)
    with pytest.raises(UsageError, match="has rank 8 and alpha 8") as raised:
        tune(base, data, tmp_path / "wide", recipe(steps=1, rank=4), start=first)
    assert raised.value.hint == "go on with --rank 8 --alpha 8"
    with pytest.raises(ModelTrouble, match="is no adapter to use"):
        tune(base, data, tmp_path / "none", still, start=tmp_path)


def test_merged_checkpoint_says_its_style_and_normalises_nothing(tmp_path):
    """It was trained on texts as they are, as llama.cpp reads them."""
    from tokenizers import normalizers

    from fastapply_lab.train.checkpoint import read_checkpoint
    from fastapply_lab.train.lora import tune

    base = tiny.write_checkpoint(
        tmp_path / "base", tiny.CHAT, style=None, layers=1, normaliser=normalizers.NFC(), tokens=300
    )
    data = write(tmp_path / "data.jsonl", WINDOWS)
    plan = recipe(style="kortix", steps=1)
    tuned = tune(str(base), data, tmp_path / "out", plan, name="mine", merge=True)
    assert tuned.merged is not None
    checkpoint = read_checkpoint(tuned.merged)
    assert checkpoint.tokenizer["normalizer"] is None
    assert (checkpoint.card.style, checkpoint.card.name) == ("kortix", "mine")


@pytest.mark.parametrize(
    ("style", "left_out"), [("nano", {"too_long": 1}), ("kortix", {"no_refusal": 1, "too_long": 1})]
)
def test_what_cannot_be_a_sample_is_counted(tmp_path, style, left_out):
    """Refusals where the style has no words for them, and what is too long: nothing is cut."""
    from fastapply_lab.train.lora_data import read_data
    from fastapply_lab.train.samples import Tokenizer

    special = tiny.OURS if style == "nano" else tiny.CHAT
    tiny.write_tokenizer(tmp_path, special)
    data = read_data(write(tmp_path / "d.jsonl", [*WINDOWS, REFUSED, LONG]), Tokenizer(tmp_path), style, 2000)
    assert data.left_out == left_out
    assert len(data) == 14 - sum(left_out.values())
    if style == "nano":
        assert data[12].answer == (tiny.OURS.index("<|cannot|>"),)


def test_epoch_sees_each_sample_once_in_an_order_of_its_own(tmp_path):
    """The last batch is a smaller one."""
    from fastapply_lab.train.lora_data import read_data
    from fastapply_lab.train.samples import Tokenizer

    tiny.write_tokenizer(tmp_path)
    data = read_data(write(tmp_path / "d.jsonl", WINDOWS), Tokenizer(tmp_path), "nano", 2000)

    def epoch(number):
        return [[one.id for one in data.batch(1, number, first, 5)] for first in range(0, 12, 5)]

    assert [len(batch) for batch in epoch(0)] == [5, 5, 2]
    assert sorted(name for batch in epoch(0) for name in batch) == sorted(window.id for window in WINDOWS)
    assert epoch(0) == epoch(0) != epoch(1)


def test_base_without_the_tokens_of_a_style_is_refused(tmp_path):
    """Or without a tokenizer, or with data that are none."""
    from fastapply_lab.train.lora import tune

    base = tiny.write_checkpoint(tmp_path / "base", tiny.CHAT, layers=1)
    data = write(tmp_path / "data.jsonl", WINDOWS)
    with pytest.raises(ModelTrouble, match=r"has no <\|edit\|> <\|end\|> <\|merge\|> <\|orig\|>"):
        tune(str(base), data, tmp_path / "out", recipe())
    with pytest.raises(ModelTrouble, match="no sample to train on"):
        tune(str(base), write(tmp_path / "l.jsonl", [LONG]), tmp_path / "out", recipe(style="kortix"))
    (tmp_path / "bad.jsonl").write_text("{}\n")
    with pytest.raises(FileTrouble, match="no windows"):
        tune(str(base), tmp_path / "bad.jsonl", tmp_path / "out", recipe(style="kortix"))
    (base / "tokenizer.json").unlink()
    with pytest.raises(ModelTrouble, match=r"has no tokenizer\.json"):
        tune(str(base), data, tmp_path / "out", recipe(style="kortix"))
