"""A GGUF file as the base of a run: the same weights, the same tokens; and what a run takes of memory."""

from __future__ import annotations

import pytest
import tiny

from fastapply.errors import ModelTrouble

pytestmark = pytest.mark.usefixtures("training")


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "tied", "kind"), [("qwen2", True, "f32"), ("qwen3", False, "q8_0")])
def test_gguf_file_becomes_a_checkpoint_that_computes_the_same(llama, tmp_path, shape, tied, kind):  # noqa: ARG001
    """Once; the logits are those of llama.cpp, and so are the tokens."""
    import numpy as np
    import torch
    from transformers import AutoModelForCausalLM

    from fastapply.models.llama.library import Settings
    from fastapply.models.llama.model import LlamaModel
    from fastapply_lab.train.base import open_base
    from fastapply_lab.train.export import export
    from fastapply_lab.train.samples import Tokenizer

    folder = tiny.write_checkpoint(tmp_path / "c", shape=shape, tied=tied, dtype="bfloat16", style=None)
    path = export(folder, tmp_path / "m.gguf", kind).path
    said: list[str] = []
    found = open_base(str(path), said.append)
    assert open_base(str(path), said.append) == found
    assert len(said) == 1
    model = LlamaModel(path, name="x", style="nano", settings=Settings(threads=1))
    tokenizer = Tokenizer(found)
    for text in (tiny.CORPUS, "naïve 你好 <|end|> 's\r\n\t x", ""):
        assert tokenizer.tokenise(text) == model.model.tokenise(text.encode())
    assert tokenizer.tokenise("<|end|>", special=True) == model.model.tokenise(b"<|end|>", special=True)
    ids = model.model.tokenise(tiny.CORPUS.encode())[:60]
    ours = np.array(model.context.evaluate(ids, 0, len(ids)))
    model.close()
    reference = AutoModelForCausalLM.from_pretrained(found, dtype=torch.float32)
    with torch.inference_mode():
        theirs = reference(torch.tensor([ids])).logits[0].numpy()
    assert np.abs(ours - theirs).max() < 0.03 * np.abs(theirs).max()


def test_folders_and_names_are_taken_as_they_are(tmp_path):
    """Only a file is made into something else."""
    from fastapply_lab.train.base import open_base

    assert open_base(str(tmp_path)) == str(tmp_path)
    assert open_base("Qwen/Qwen2.5-Coder-1.5B") == "Qwen/Qwen2.5-Coder-1.5B"


def test_gguf_file_of_another_shape_is_trouble(tmp_path):
    """Before anything is written."""
    from pointer_model import write_model

    from fastapply_lab.train.base import open_base

    write_model(tmp_path / "gpt2.gguf")
    with pytest.raises(ModelTrouble, match="it is of the shape gpt2"):
        open_base(str(tmp_path / "gpt2.gguf"))


def test_memory_is_counted_before_anything_is_loaded(tmp_path):
    """Of weights and adapters to the byte; longer samples and no computing again take more."""
    from fastapply_lab.train.lora_memory import estimate
    from fastapply_lab.train.recipe import Recipe

    base = str(tiny.write_checkpoint(tmp_path / "base"))
    size = (tmp_path / "base/model.safetensors").stat().st_size
    need = estimate(base, Recipe(rank=4, dtype="f32"))
    assert need.base == pytest.approx(size, rel=0.05)
    linears = (
        64 * 64 * 2 + 64 * 32 * 2 + 64 * 176 * 3
    )  # of one layer: q and o, k and v, the feed-forward part
    assert linears > 0
    sides = (64 + 64) * 2 + (64 + 32) * 2 + (64 + 176) * 3
    assert need.adapters == 2 * 4 * sides * 16
    assert estimate(base, Recipe(dtype="bf16")).base * 2 == estimate(base, Recipe(dtype="f32")).base
    assert estimate(base, Recipe(max_length=8192)).sample > 4 * need.sample / 4
    assert estimate(base, Recipe(recompute=False)).sample > estimate(base, Recipe()).sample


def test_run_that_does_not_fit_is_refused_with_what_would(tmp_path, monkeypatch):
    """Before the base is loaded, with the longest samples that fit."""
    from fastapply_lab.train import lora_memory
    from fastapply_lab.train.recipe import Recipe

    base = str(tiny.write_checkpoint(tmp_path / "base"))
    plan = Recipe(max_length=1 << 20)
    assert lora_memory.check_memory(base, Recipe()).bytes < 2e9
    monkeypatch.setattr(lora_memory, "available_bytes", lambda: 2_000_000_000)
    with pytest.raises(ModelTrouble) as caught:
        lora_memory.check_memory(base, plan)
    assert caught.value.reason == "no_memory"
    most = int(caught.value.hint.split()[1])
    assert lora_memory.check_memory(base, Recipe(max_length=most)).bytes <= 2_000_000_000
