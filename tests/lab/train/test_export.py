"""From a checkpoint to a GGUF file: the same model, the same tokens, and what else the file must say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tiny

from fastapply.errors import ModelTrouble
from fastapply.models.engine import Drafts, Task
from fastapply.models.gguf_header import read_header
from fastapply.models.prompts import ShownToModel, render_prompt
from fastapply.models.rewrite import read_answer
from fastapply.models.store import resolve

pytestmark = pytest.mark.usefixtures("training")

TEXTS = (
    tiny.CORPUS,
    "don't WE'LL 'S  'tis\r\n\r\n\t\t x  \n  \n",
    "naïve façade — 你好, мир! ½ ٣ 🎉🏳️‍🌈 e\u0301\n",
    "<|end|> <|cannot|><|orig|> is text here",
    "a\u00a0b\u2003c\u200bd\x00\x1f\x7f\n",
    "    " * 9 + "x" * 70 + "\n" * 7 + "0123456789 1_000 0xff",
    "",
)


def export(folder, out, kind="f32"):
    """Write the file; what is known of it."""
    from fastapply_lab.train.export import export

    return export(folder, out, kind)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "tied", "dtype"),
    [("qwen2", True, "float32"), ("qwen2", False, "bfloat16"), ("qwen3", True, "float16")],
)
def test_file_gives_the_logits_of_its_checkpoint(opened, tmp_path, shape, tied, dtype):
    """Of every place of a text, in llama.cpp as in torch."""
    import numpy as np
    import torch
    from transformers import AutoModelForCausalLM

    folder = tiny.write_checkpoint(tmp_path / "c", shape=shape, tied=tied, dtype=dtype)
    kind = {"float32": "f32", "float16": "f16", "bfloat16": "f32"}[dtype]
    exported = export(folder, tmp_path / "m.gguf", kind)
    assert set(exported.tensors) == {"F32", kind.upper()}
    model = opened(exported.path)
    tokens = model.model.tokenise(tiny.CORPUS.encode())[:100]
    ours = np.array(model.context.evaluate(tokens, 0, len(tokens)))
    reference = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    with torch.inference_mode():
        theirs = reference(torch.tensor([tokens])).logits[0].numpy()
    assert np.abs(ours - theirs).max() < 0.01 * np.abs(theirs).max()
    assert (ours.argmax(1) == theirs.argmax(1)).mean() > 0.97


@pytest.mark.slow
def test_quantiser_says_what_it_put_in_place_of_what_it_cannot(tmp_path, llama):  # noqa: ARG001
    """Widths of 256 are packed as asked; 704, no multiple of that, is packed in a larger kind."""
    folder = tiny.write_checkpoint(tmp_path / "c", width=256, layers=1, dtype="bfloat16")
    small = export(folder, tmp_path / "m.gguf", "q4_k")
    assert small.tensors["Q4_K"] > 0
    assert small.notes == ("1 matrices are no multiple of 256 wide: Q8_0 in place of q4_k",)
    large = export(folder, tmp_path / "m.gguf", "q8_0")
    assert set(large.tensors) == {"F32", "Q8_0"}
    assert large.notes == ()
    assert small.bytes < large.bytes == large.path.stat().st_size
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["c", "m.gguf"]


def test_file_says_its_style_and_what_else_the_card_holds(tmp_path):
    """So that it can be used by its path alone."""
    folder = tiny.write_checkpoint(tmp_path / "c", layers=1)
    path = export(folder, tmp_path / "any.gguf").path
    chosen = resolve(str(path))
    assert (chosen.style, chosen.context_length) == ("nano", 512)
    header = read_header(path)
    assert header["general.name"] == "tiny"
    assert header["general.license"] == "apache-2.0"
    assert header["general.description"] == "random weights"


def test_file_of_a_checkpoint_without_a_card_is_noted_to_need_a_style(tmp_path):
    """It is written all the same."""
    folder = tiny.write_checkpoint(tmp_path / "c", layers=1, style=None)
    exported = export(folder, tmp_path / "any.gguf")
    assert len(exported.notes) == 1
    assert "--style" in exported.notes[0]
    assert "fastapply.prompt_style" not in read_header(exported.path)


def test_style_that_is_given_stands_in_place_of_the_cards(tmp_path):
    """In the metadata, under the key that the model path reads."""
    from fastapply_lab.train.export import export

    folder = tiny.write_checkpoint(tmp_path / "c", layers=1, style=None)
    exported = export(folder, tmp_path / "any.gguf", "f32", style="morph")
    assert exported.notes == ()
    assert read_header(exported.path)["fastapply.prompt_style"] == "morph"


@pytest.mark.parametrize("special", [tiny.OURS, tiny.CHAT])
def test_llama_cpp_cuts_texts_as_the_tokenizer_does(opened, tmp_path, special):
    """Code, white space, other alphabets, names of special tokens; and the prompts that are made of them."""
    from fastapply_lab.train.lossless import differing_texts
    from fastapply_lab.train.samples import Tokenizer

    folder = tiny.write_checkpoint(tmp_path / "c", special, layers=1)
    style = "nano" if special is tiny.OURS else "kortix"
    model = opened(export(folder, tmp_path / "m.gguf").path, style)
    tokenizer = Tokenizer(folder)
    code = [path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("*.py"))]
    assert differing_texts(tokenizer, model.model, [*TEXTS, *code]) == []
    prompt = render_prompt(model.style, ShownToModel(TEXTS[1], TEXTS[3]))
    assert tokenizer.tokenise_pieces(prompt.pieces) == model.prompt_tokens(prompt)


def test_text_that_a_normaliser_would_change_is_told(opened, tmp_path):
    """llama.cpp has none: the exporter notes it, and the comparison finds the texts."""
    from tokenizers import normalizers

    from fastapply_lab.train.lossless import differing_texts
    from fastapply_lab.train.samples import Tokenizer

    folder = tiny.write_checkpoint(tmp_path / "c", layers=1, normaliser=normalizers.NFC())
    exported = export(folder, tmp_path / "m.gguf")
    assert exported.notes == ("the tokenizer normalises texts, and llama.cpp does not",)
    model = opened(exported.path).model
    assert differing_texts(Tokenizer(folder), model, TEXTS) == [TEXTS[2]]
    assert differing_texts(Tokenizer(folder, normalise=False), model, TEXTS) == []


def test_answer_ends_at_our_two_tokens_and_one_of_them_refuses(opened, tmp_path):
    """The second is named in the metadata as the end of a message, which llama.cpp ends at too."""
    folder = tiny.write_checkpoint(tmp_path / "c", layers=1)
    model = opened(export(folder, tmp_path / "m.gguf").path).model
    ends = [token for token in range(model.vocab_size) if model.ends(token)]
    assert ends == [tiny.OURS.index("<|end|>"), tiny.OURS.index("<|cannot|>")]
    assert [model.refuses(token) for token in ends] == [False, True]


def test_refusal_of_a_model_is_read_as_one(opened, tmp_path):
    """A model of zeros writes its token 0, which is the refusal here."""
    import torch
    from safetensors.torch import load_file, save_file

    special = ("<|cannot|>", "<|orig|>", "<|edit|>", "<|end|>", "<|merge|>")
    folder = tiny.write_checkpoint(tmp_path / "c", special, layers=1)
    weights = load_file(folder / "model.safetensors")
    zeros = {name: torch.zeros_like(tensor) for name, tensor in weights.items()}
    save_file(zeros, folder / "model.safetensors", {"format": "pt"})
    model = opened(export(folder, tmp_path / "m.gguf").path)
    code, edit = "a = 1\n", "a = 2\n"
    done = model.complete(
        Task(render_prompt("nano", ShownToModel(code, edit)), Drafts(code, code, edit), 100)
    )
    assert (done.text, done.finish) == ("", "cannot")
    finding = read_answer(done, "nano", code=code)
    assert not isinstance(finding, str)
    assert finding.code == "answer_cannot"


def test_rows_without_a_token_are_filled_up(opened, tmp_path):
    """An embedding is often larger than its vocabulary."""
    folder = tiny.write_checkpoint(tmp_path / "c", layers=1, rows=512)
    model = opened(export(folder, tmp_path / "m.gguf").path).model
    assert model.vocab_size == 512


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("config.json", {"architectures": ["LlamaForCausalLM"]}, "unknown_shape"),
        ("config.json", {"hidden_act": "gelu"}, "unknown_shape"),
        ("config.json", {"rope_parameters": {"rope_type": "yarn"}}, "bad_checkpoint"),
        ("config.json", {"tie_word_embeddings": False}, "unknown_shape"),
        ("tokenizer.json", {"model": {"type": "Unigram"}}, "bad_tokenizer"),
        ("tokenizer.json", {"pre_tokenizer": {"type": "ByteLevel", "use_regex": True}}, "bad_tokenizer"),
        ("fastapply.json", {"style": "nanno"}, "bad_checkpoint"),
    ],
)
def test_checkpoint_that_llama_cpp_would_read_otherwise_is_refused(tmp_path, name, change, reason):
    """And nothing is written."""
    folder = tiny.write_checkpoint(tmp_path / "c", layers=1)
    held = json.loads((folder / name).read_text())
    (folder / name).write_text(json.dumps({**held, **change}))
    with pytest.raises(ModelTrouble) as caught:
        export(folder, tmp_path / "m.gguf")
    assert caught.value.reason == reason
    assert [path.name for path in tmp_path.iterdir()] == ["c"]


def test_folder_that_is_no_checkpoint_is_refused(tmp_path):
    """Without weights, without a configuration, or with one that is no JSON."""
    folder = tiny.write_checkpoint(tmp_path / "c", layers=1)
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelTrouble, match=r"no model\.safetensors"):
        export(folder, tmp_path / "m.gguf")
    (folder / "config.json").write_text("{")
    with pytest.raises(ModelTrouble, match=r"config\.json is no JSON object"):
        export(folder, tmp_path / "m.gguf")
    with pytest.raises(ModelTrouble, match=r"cannot read config\.json"):
        export(tmp_path, tmp_path / "m.gguf")
