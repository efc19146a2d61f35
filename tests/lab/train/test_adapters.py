"""LoRA on a frozen model: its formula and slopes, its loss in pieces, and its files."""

from __future__ import annotations

import json

import pytest
import tiny

from fastapply.errors import ModelTrouble, UsageError
from fastapply.models.gguf_header import read_header

pytestmark = pytest.mark.usefixtures("training")


def adapted(folder, *, rank=4, dtype="float32", seed=1):
    """A tiny base whose adapters do something."""
    import torch
    from transformers import AutoModelForCausalLM

    from fastapply_lab.train.adapters import Shape, adapt, adapters

    base = tiny.write_checkpoint(folder, spread=0.05)
    torch.manual_seed(seed)
    model = adapt(AutoModelForCausalLM.from_pretrained(base, dtype=getattr(torch, dtype)), Shape(rank, 8.0))
    with torch.no_grad():
        for _, one in adapters(model):
            one.lora_b.normal_(0, 0.1)
    return base, model


def sample():
    """One with a prompt of 70 tokens and an answer of 300."""
    from fastapply_lab.train.samples import Sample

    return Sample("s", tuple(range(20, 90)), tuple(20 + at * 7 % 300 for at in range(300)), 900)


def test_layer_and_its_slopes_are_those_of_the_formula():
    """Beside what torch makes of the formula by itself."""
    import torch

    from fastapply_lab.train.adapters import AdaptedLinear

    torch.manual_seed(3)
    base = torch.nn.Linear(6, 5)
    base.requires_grad_(requires_grad=False)
    layer = AdaptedLinear(base, 2, 3.0)
    torch.nn.init.normal_(layer.lora_b)
    x = torch.randn(2, 4, 6, requires_grad=True)
    weights = torch.randn(2, 4, 5)
    (layer(x) * weights).sum().backward()
    found = [x.grad, layer.lora_a.grad, layer.lora_b.grad]
    x.grad = layer.lora_a.grad = layer.lora_b.grad = None
    ((base(x) + 1.5 * (x @ layer.lora_a.t()) @ layer.lora_b.t()) * weights).sum().backward()
    for one, other in zip(found, [x.grad, layer.lora_a.grad, layer.lora_b.grad], strict=True):
        assert one is not None
        assert torch.allclose(one, other, atol=1e-5)
    assert torch.allclose(layer(x), layer.merged()(x), atol=1e-5)


def test_new_adapter_changes_nothing(tmp_path):
    """And nothing but adapters is learned, all but the output has one."""
    import torch
    from transformers import AutoModelForCausalLM

    from fastapply_lab.train.adapters import Shape, adapt, adapters

    base = tiny.write_checkpoint(tmp_path / "base", tied=False)
    plain = AutoModelForCausalLM.from_pretrained(base)
    ids = torch.tensor([[5, 6, 7]])
    with torch.inference_mode():
        before = plain(ids).logits
        model = adapt(plain, Shape(4, 8.0))
        assert torch.allclose(model(ids).logits, before, atol=1e-5)
    assert len(list(adapters(model))) == 2 * 7
    learned = {name.rpartition(".")[2] for name, one in model.named_parameters() if one.requires_grad}
    assert learned == {"lora_a", "lora_b"}


@pytest.mark.parametrize("recompute", [False, True])
def test_loss_in_pieces_is_that_of_the_whole(tmp_path, recompute):
    """Its value, its right tokens and its slopes, whatever the padding."""
    import torch

    from fastapply_lab.train.adapters import adapters
    from fastapply_lab.train.lora_loss import answer_loss

    _, model = adapted(tmp_path / "base")
    model.train()
    if recompute:
        import warnings

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    one = sample()
    told = answer_loss(model, one, weight=0.5)
    slopes = [layer.lora_a.grad.clone() for _, layer in adapters(model)]
    model.zero_grad()
    logits = model(torch.tensor([[*one.prompt, *one.answer]])).logits[0, 69:-1]
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor(one.answer), reduction="sum")
    (loss * 0.5).backward()
    assert told.nats == pytest.approx(float(loss.detach()), rel=1e-4)
    assert told.right == int((logits.argmax(-1) == torch.tensor(one.answer)).sum())
    for mine, (_, layer) in zip(slopes, adapters(model), strict=True):
        assert torch.allclose(mine, layer.lora_a.grad, atol=1e-4 * float(mine.abs().max()) + 1e-7)


def test_adapters_of_a_bf16_base_are_float32(tmp_path):
    """And so are their slopes: small ones are not rounded away over a run."""
    import torch

    from fastapply_lab.train.adapters import adapters
    from fastapply_lab.train.lora_loss import answer_loss

    _, model = adapted(tmp_path / "base", dtype="bfloat16")
    answer_loss(model.train(), sample(), weight=1.0)
    kinds = {one.dtype for _, layer in adapters(model) for one in (layer.lora_a, layer.lora_a.grad)}
    assert kinds == {torch.float32}


def test_kept_adapter_does_the_same_again(tmp_path):
    """In peft's layout, with all that peft wants to know."""
    import torch
    from transformers import AutoModelForCausalLM

    from fastapply_lab.train.adapters import load, read_weights, save

    base, model = adapted(tmp_path / "base")
    save(model, tmp_path / "a", "some/base")
    config = json.loads((tmp_path / "a/adapter_config.json").read_text())
    assert (config["peft_type"], config["r"], config["lora_alpha"]) == ("LORA", 4, 8.0)
    assert set(config["target_modules"]) == {
        *("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"),
    }
    assert "model.layers.0.self_attn.q_proj" in read_weights(tmp_path / "a")
    again = load(AutoModelForCausalLM.from_pretrained(base), tmp_path / "a")
    ids = torch.tensor([[5, 6, 7, 8]])
    with torch.inference_mode():
        assert torch.equal(again(ids).logits, model(ids).logits)


@pytest.mark.parametrize(
    "change",
    [{"use_rslora": True}, {"peft_type": "IA3"}, {"r": None}],
    ids=["scaled-otherwise", "of-another-kind", "damaged"],
)
def test_adapter_that_is_odd_is_trouble(tmp_path, change):
    """It is not used as if it were a plain one."""
    from fastapply_lab.train.adapters import read_shape, save

    _, model = adapted(tmp_path / "base")
    save(model, tmp_path / "a", "some/base")
    path = tmp_path / "a/adapter_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ModelTrouble) as caught:
        read_shape(tmp_path / "a")
    assert caught.value.reason == "bad_adapter"


def test_adapter_of_another_base_is_trouble(tmp_path):
    """Its matrices do not fit."""
    from transformers import AutoModelForCausalLM

    from fastapply_lab.train.adapters import load, save

    _, model = adapted(tmp_path / "base")
    save(model, tmp_path / "a", "some/base")
    other = tiny.write_checkpoint(tmp_path / "other", width=128)
    with pytest.raises(ModelTrouble, match=r"the base has no model\.layers\.0"):
        load(AutoModelForCausalLM.from_pretrained(other), tmp_path / "a")


@pytest.fixture
def run(tmp_path):
    """A folder as `train lora` leaves it."""
    from fastapply_lab.train.lora_model import save_adapter

    base, model = adapted(tmp_path / "base", rank=8)
    save_adapter(model, str(base), tmp_path / "run/adapter", style="nano", name="mine")
    return base, model, tmp_path / "run"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["f32", "f16", "bf16", "q8_0"])
def test_exported_adapter_does_in_llama_cpp_what_it_does_in_torch(llama, run, tmp_path, kind):  # noqa: ARG001
    """The logits of every place of a text; and it does something."""
    import numpy as np
    import torch

    from fastapply.models.llama.library import Settings
    from fastapply.models.llama.model import LlamaModel
    from fastapply_lab.train.export import export

    base, model, folder = run
    plain, adapter = export(base, tmp_path / "b.gguf", "f32"), export(folder, tmp_path / "a.gguf", kind)
    assert "fastapply models use BASE --adapter" in adapter.notes[0]
    header = read_header(adapter.path)
    assert (header["general.type"], header["adapter.type"]) == ("adapter", "lora")
    assert (header["adapter.lora.alpha"], header["fastapply.prompt_style"]) == (8.0, "nano")
    ids = list(range(20, 120))
    with torch.inference_mode():
        theirs = model(torch.tensor([ids])).logits[0].numpy()
    found = []
    for on_it in (adapter.path, None):
        opened = LlamaModel(plain.path, name="x", style="nano", settings=Settings(threads=1), adapter=on_it)
        found.append(np.array(opened.context.evaluate(ids, 0, len(ids))))
        opened.close()
    size = np.abs(theirs).max()
    assert np.abs(found[0] - theirs).max() < 0.02 * size
    assert np.abs(found[1] - theirs).max() > 0.05 * size


def test_adapter_is_not_written_in_a_kind_that_it_cannot_have(run, tmp_path):
    """And no half file is left."""
    from fastapply_lab.train.export import export

    with pytest.raises(UsageError, match="cannot be written as q4_k"):
        export(run[2], tmp_path / "a.gguf", "q4_k")
    assert not list(tmp_path.glob("a.gguf*"))


def test_adapter_that_is_damaged_is_trouble_in_llama_cpp(llama, run, tmp_path):  # noqa: ARG001
    """Told as such, and not as a crash."""
    from fastapply.models.llama.library import Model, Settings
    from fastapply_lab.train.export import export

    base, _, folder = run
    plain, adapter = export(base, tmp_path / "b.gguf", "f32"), export(folder, tmp_path / "a.gguf", "f32")
    adapter.path.write_bytes(adapter.path.read_bytes()[:2000])
    with pytest.raises(ModelTrouble) as caught:
        Model(str(plain.path), Settings(threads=1), adapter=str(adapter.path))
    assert caught.value.reason == "bad_adapter"
