"""Training from nothing: the loop, its checkpoints, its log, its measure."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import pytest
import tiny

from fastapply.cli import main
from fastapply.errors import FileTrouble, UsageError
from fastapply_lab.data.windows import to_json

pytestmark = pytest.mark.usefixtures("training")

WINDOWS = [
    tiny.window(
        number,
        f"def f{number}(a):\n    return a + {number}\n",
        f"# ...\n    return a - {number}\n",
        f"def f{number}(a):\n    return a - {number}\n",
    )
    for number in range(12)
]


@pytest.fixture(autouse=True)
def one_thread(training):  # noqa: ARG001 - skips
    """What is summed up in one thread comes out the same each time."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def quiet(_line):
    """Nobody listens."""


@pytest.fixture
def data(tmp_path):
    """Windows to train on, and three of them to measure on."""
    folder = tmp_path / "data"
    folder.mkdir()
    for split, windows in (("train", WINDOWS), ("valid", WINDOWS[:3])):
        (folder / f"{split}.jsonl").write_text("".join(to_json(window) + "\n" for window in windows))
    return folder


def run_of(folder, data, **more):
    """A run in a folder with a tiny model, and its samples."""
    from fastapply_lab.train.decoder import Shape
    from fastapply_lab.train.plan import Plan
    from fastapply_lab.train.prepare import prepare
    from fastapply_lab.train.scratch import Run

    train, valid = prepare(data, folder, 300, quiet)
    plan = {"tokens": 30_000, "batch": 256, "short": 64, "check_every": 15_000, "rate": 5e-3, **more}
    shape = Shape(layers=1, width=32, inner=48, heads=2, kv_heads=2, vocabulary=300, context=512)
    return Run(folder, shape, Plan(**plan)), train, valid


def weights_of(folder):
    """What a run has learned."""
    from safetensors.torch import load_file

    return load_file(str(folder / "model.safetensors"))


def rows_of(folder, kind):
    """Lines of the log."""
    rows = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [row for row in rows if row["kind"] == kind]


def test_run_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path, data, monkeypatch):
    """In the middle of a stretch: the same weights, the same losses in the log, and each line once."""
    import torch

    from fastapply_lab.train import plan as planned
    from fastapply_lab.train import scratch

    monkeypatch.setattr(planned.Plan, "stretch", property(lambda _: 20))
    monkeypatch.setattr(scratch, "STEPS_BETWEEN", 10)
    whole, train, valid = run_of(tmp_path / "whole", data)
    whole.train(train, valid, quiet, compiled=False)
    stopped, train, valid = run_of(tmp_path / "stopped", data)
    steps: list[tuple[int, ...]] = []

    def stop(batch, step=stopped._step):
        if len(steps) == 52:
            raise KeyboardInterrupt
        if len(steps) == 47:
            stopped.save()
        steps.append(batch.samples)
        return step(batch)

    stopped._step = stop
    with pytest.raises(KeyboardInterrupt):
        stopped.train(train, valid, quiet, compiled=False)
    assert [row["tokens"] for row in rows_of(tmp_path / "stopped", "step")] == [2560 * n for n in range(1, 6)]
    again, train, valid = run_of(tmp_path / "stopped", data)
    assert again.steps == 47
    again.train(train, valid, quiet, compiled=False)
    one, two = weights_of(tmp_path / "whole"), weights_of(tmp_path / "stopped")
    assert one.keys() == two.keys()
    assert all(torch.equal(one[name], two[name]) for name in one)
    logs = [
        [(row["tokens"], row.get("exact")) for kind in ("step", "check") for row in rows_of(folder, kind)]
        for folder in (tmp_path / "whole", tmp_path / "stopped")
    ]
    assert logs[0] == logs[1]


def test_run_that_is_over_stays_as_it_is(tmp_path, data):
    """Calling it once more trains no further."""
    import torch

    run, train, valid = run_of(tmp_path / "run", data, tokens=2560)
    run.train(train, valid, quiet, compiled=False)
    before = weights_of(tmp_path / "run")
    again, train, valid = run_of(tmp_path / "run", data, tokens=2560)
    again.train(train, valid, quiet, compiled=False)
    after = weights_of(tmp_path / "run")
    assert (again.steps, again.seen) == (10, 2560)
    assert all(torch.equal(before[name], after[name]) for name in before)


def test_run_that_starts_from_another_one_has_its_shape_tokenizer_and_weights(tmp_path, data, monkeypatch):
    """It then learns on, and the other run stays as it is."""
    import torch

    first, second = tmp_path / "first", tmp_path / "second"
    small = ["--vocabulary", "300", "--layers", "1", "--width", "32", "--inner", "48", "--heads", "2"]
    common = ["train", "scratch", str(data), "--batch", "256", "--threads", "1", "--no-compile"]
    assert main([*common, "--out", str(first), "--tokens", "0.005", *small]) == 0
    before = weights_of(first)
    seen: list[dict[str, torch.Tensor]] = []
    monkeypatch.setattr(
        "fastapply_lab.train.scratch.Run.train",
        lambda run, *_args, **_more: seen.append({k: v.clone() for k, v in run.decoder.state_dict().items()}),
    )
    assert main([*common, "--out", str(second), "--tokens", "0.005", "--start", str(first)]) == 0
    assert (second / "tokenizer.json").read_bytes() == (first / "tokenizer.json").read_bytes()
    assert all(torch.equal(before[name], seen[0][name]) for name in before)
    monkeypatch.undo()
    assert main([*common, "--out", str(second), "--tokens", "0.005", "--start", str(first)]) == 0
    after = weights_of(second)
    assert not all(torch.equal(before[name], after[name]) for name in before)
    assert all(torch.equal(before[name], now) for name, now in weights_of(first).items())


@pytest.mark.parametrize("missing", ["out", "run", "tokenizer"])
def test_start_without_what_it_needs_is_refused(tmp_path, data, capsys, missing):
    """A folder of its own, a run to start from, and the same tokenizer in both."""
    start, out = tmp_path / "start", tmp_path / "out"
    if missing != "run":
        run, _, _ = run_of(start, data)
        run.decoder.save(start)
    if missing == "tokenizer":
        out.mkdir()
        (out / "tokenizer.json").write_text("{}")
    argv = [
        "train",
        "scratch",
        str(data),
        "--start",
        str(start),
        *([] if missing == "out" else ["--out", str(out)]),
    ]
    assert main(argv) == (2 if missing == "out" else 4)
    assert {"out": "--out", "run": "holds no run", "tokenizer": "another tokenizer"}[
        missing
    ] in capsys.readouterr().err


def test_folder_of_another_run_is_refused(tmp_path, data):
    """A schedule that changes on the way is no schedule; what differs is named."""
    run, _, _ = run_of(tmp_path / "run", data)
    run.save()
    with pytest.raises(UsageError, match=r"holds another run: rate was 0\.005"):
        run_of(tmp_path / "run", data, rate=1e-3)
    run_of(tmp_path / "run", data)


def test_checkpoint_of_before_shapes_were_kept_is_taken(tmp_path, data):
    """Runs that were begun without the note go on."""
    import torch

    run, _, _ = run_of(tmp_path / "run", data)
    run.steps, run.seen = 4, 1024
    run.save()
    state = torch.load(tmp_path / "run" / "last.pt", weights_only=True)
    del state["made_of"]
    torch.save(state, tmp_path / "run" / "last.pt")
    again, _, _ = run_of(tmp_path / "run", data)
    assert (again.steps, again.seen) == (4, 1024)


def test_batch_longer_than_the_context_is_refused(tmp_path, data):
    """Positions beyond it have no angles."""
    with pytest.raises(UsageError, match="a batch of 1024 tokens, and a context of 512"):
        run_of(tmp_path / "run", data, batch=1024)


def greedy(decoder, prompt, most):
    """One token at a time, each time from the start."""
    import torch

    ids = list(prompt)
    for _ in range(most):
        tokens = torch.tensor(ids)
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            scores = decoder.logits(decoder(tokens, [len(ids)]))
        ids.append(int(scores[-1].argmax()))
        if ids[-1] in {4, 5}:
            break
    return ids[len(prompt) :]


@pytest.mark.slow
@pytest.mark.parametrize("tokens", [20_000, 120_000], ids=["half learned", "learned by heart"])
def test_exact_answers_are_those_that_greedy_decoding_writes(tmp_path, data, tokens):
    """The check looks at all next tokens at once, and counts what a decoder would write token by token."""
    from fastapply_lab.train.measure import check

    run, train, valid = run_of(tmp_path / "run", data, tokens=tokens, warmup=0.05)
    run.train(train, valid, quiet, compiled=False)
    found = check(run.decoder, train, run.plan, "cpu")
    written = 0
    for number in range(len(train)):
        ids, prompt = train.sample(number)
        answer = list(ids[prompt:])
        written += greedy(run.decoder, ids[:prompt], len(answer)) == answer
    assert (found.samples, found.exact) == (12, written)
    if tokens > 100_000:
        assert found.exact == 12
        assert found.right_tokens == 1.0
        assert found.bits_per_byte < 0.2


def test_check_measures_only_what_fits_into_a_batch(tmp_path, data):
    """And at most so many samples; without any it tells nothing right."""
    from fastapply_lab.train.measure import Check, check

    run, train, _ = run_of(tmp_path / "run", data)
    longest = int(train.index[:, 2].max())
    shorter = int((train.index[:, 2] < longest).sum())
    plans = [
        replace(run.plan, **more) for more in ({"batch": longest - 1}, {"check_samples": 2}, {"batch": 16})
    ]
    found = [check(run.decoder, train, plan, "cpu") for plan in plans]
    assert [one.samples for one in found] == [shorter, 2, 0]
    assert found[2] == Check(0, 0, 0.0, 0.0)


def test_windows_that_are_missing_are_named(tmp_path, data):
    """An empty file is one too, and is read again once it holds some."""
    (data / "valid.jsonl").write_text("")
    with pytest.raises(FileTrouble, match=r"valid\.jsonl holds no windows"):
        run_of(tmp_path / "run", data)
    (data / "valid.jsonl").write_text(to_json(WINDOWS[0]) + "\n")
    assert len(run_of(tmp_path / "run", data)[2]) == 1


def test_command_trains_and_goes_on(tmp_path, data, capsys):
    """Tokenizer, model, log and picture lie in the folder; a second call has nothing left to do."""
    from fastapply_lab.train.checkpoint import read_checkpoint

    out = tmp_path / "out"
    arguments = ["train", "scratch", str(data), "--out", str(out), "--tokens", "0.03", "--vocabulary", "300"]
    arguments += ["--layers", "1", "--width", "32", "--inner", "48", "--heads", "2", "--batch", "256"]
    assert main([*arguments, "--no-compile", "--threads", "1"]) == 0
    said = capsys.readouterr().out
    assert "exact " in said
    assert said.endswith(f"the model is in {out}\n")
    held = read_checkpoint(out)
    assert (held.card.style, held.config["hidden_size"]) == ("nano", 32)
    assert len(held.tokenizer["model"]["vocab"]) <= held.config["vocab_size"] == 300
    assert (out / "log.png").read_bytes().startswith(b"\x89PNG")
    assert len(rows_of(out, "check")) == 1
    assert main([*arguments, "--no-compile"]) == 0
    assert "tokens/s" not in capsys.readouterr().out
    assert main([*arguments, "--no-compile", "--seed", "2"]) == 2
    assert "holds another run: seed was 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "status", "said"),
    [(["--width", "30", "--heads", "4"], 2, "--width 30 is not a multiple"), ([], 4, "has no train.jsonl")],
)
def test_command_says_what_cannot_be(tmp_path, capsys, more, status, said):
    """Before it learns anything."""
    assert main(["train", "scratch", str(tmp_path), "--out", str(tmp_path / "out"), *more]) == status
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


LOG = """\
{"kind": "step", "tokens": 1000000, "seconds": 1.0, "loss": 3.0, "tokens_per_second": 1.0}
{"kind": "check", "tokens": 1000000, "seconds": 1.0, "samples": 4, "exact": 1, "right_tokens": 0.5}
{"kind": "step", "tokens": 2000000, "seconds": 2.0, "loss": 2.0, "tokens_per_second": 1.0}
{"kind": "step", "tok"""


def write_run(folder, text=LOG):
    """A run folder with a log."""
    folder.mkdir(parents=True)
    (folder / "log.jsonl").write_text(text)
    return folder


def test_log_is_read_as_curves(tmp_path):
    """A line that a kill cut off is passed over."""
    from fastapply_lab.train.plot import Curve, read_curve

    assert read_curve(write_run(tmp_path / "a")) == Curve("a", ((1.0, 3.0), (2.0, 2.0)), ((1.0, 0.25),))


@pytest.mark.parametrize("text", [None, '{"kind": "step"}\n'], ids=["absent", "of something else"])
def test_what_is_no_log_is_refused(tmp_path, text):
    """And named."""
    from fastapply_lab.train.plot import read_curve

    folder = tmp_path / "a"
    if text is not None:
        write_run(folder, text)
    with pytest.raises(FileTrouble, match=r"a/log\.jsonl"):
        read_curve(folder)


def test_runs_are_drawn_into_one_picture(tmp_path, capsys):
    """The same logs give the same bytes, one run less gives others; a run without a log is refused."""
    one, two = write_run(tmp_path / "one"), write_run(tmp_path / "two", LOG.replace("3.0", "4.0"))
    pictures: list[bytes] = []
    for runs in ([one, two], [one, two], [one]):
        out = tmp_path / f"{len(pictures)}.png"
        assert main(["train", "plot", *map(str, runs), "--out", str(out)]) == 0
        assert capsys.readouterr().out == f"{out}: {len(runs)} runs\n"
        pictures.append(out.read_bytes())
    assert pictures[0].startswith(b"\x89PNG")
    assert pictures[0] == pictures[1] != pictures[2]
    assert main(["train", "plot", str(tmp_path), "--out", str(tmp_path / "none.png")]) == 4
    assert not (tmp_path / "none.png").exists()


def test_training_goes_on_without_pictures(tmp_path, data, monkeypatch):
    """Where matplotlib is missing."""
    monkeypatch.setattr("fastapply_lab.train.plot.find_spec", lambda _: None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    run, train, valid = run_of(tmp_path / "run", data, tokens=512)
    run.train(train, valid, quiet, compiled=False)
    assert rows_of(tmp_path / "run", "check")
    assert not (tmp_path / "run" / "log.png").exists()
