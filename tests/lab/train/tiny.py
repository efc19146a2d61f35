"""Makes checkpoints of some thousand weights: of the shapes of Qwen2 and Qwen3, with a tokenizer of ours."""

from __future__ import annotations

import json

CORPUS = """\
def total(lines):
    # ... existing code ...
    for line in lines:
        if line.cents > 100:
            return line.quantity * line.cents
    return sum(line.cents for line in lines)


class Cart:
    def add(self, line):
        self.lines.append(line)

\tif (a != b) { return a->b; }
"""
OURS = ("<|orig|>", "<|edit|>", "<|merge|>", "<|end|>", "<|cannot|>", "<|pad|>")
CHAT = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


def write_tokenizer(folder, special=OURS, *, normaliser=None, tokens=400, split=None):
    """A byte-level BPE with the split of Qwen2, learned from the corpus above; gives its size."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

    from fastapply_lab.train.vocabulary import QWEN2_SPLIT

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(split or QWEN2_SPLIT), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    if normaliser is not None:
        tokenizer.normalizer = normaliser
    trainer = trainers.BpeTrainer(
        vocab_size=tokens,
        special_tokens=list(special),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([CORPUS], trainer)
    tokenizer.save(str(folder / "tokenizer.json"))
    return tokenizer.get_vocab_size()


def write_checkpoint(
    folder,
    special=OURS,
    *,
    style="nano",
    shape="qwen2",
    width=64,
    layers=2,
    tied=True,
    dtype="float32",
    spread=0.2,
    rows=None,
    **tokenizer,
):
    """A checkpoint with random weights, `spread` wide enough that it does not write one token for ever."""
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM, Qwen3Config, Qwen3ForCausalLM

    folder.mkdir(parents=True, exist_ok=True)
    size = write_tokenizer(folder, special, **tokenizer)
    torch.manual_seed(5)
    config_class, model_class = {
        "qwen2": (Qwen2Config, Qwen2ForCausalLM),
        "qwen3": (Qwen3Config, Qwen3ForCausalLM),
    }[shape]
    more = {"head_dim": 32} if shape == "qwen3" else {}
    config = config_class(
        vocab_size=rows or size,
        hidden_size=width,
        intermediate_size=width * 11 // 4,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        tie_word_embeddings=tied,
        initializer_range=spread,
        bos_token_id=None,
        eos_token_id=3 if special is OURS else 0,
        pad_token_id=None,
        **more,
    )
    model = model_class(config).to(getattr(torch, dtype))
    with torch.no_grad():
        for name, weights in model.named_parameters():
            if name.endswith("bias"):  # they begin as zeros, which would show nothing
                weights.normal_(0, spread)
    model.save_pretrained(folder)
    if style is not None:
        card = {"style": style, "name": "tiny", "licence": "apache-2.0", "notes": "random weights"}
        (folder / "fastapply.json").write_text(json.dumps(card))
    return folder


def window(number, original, edit, merged):
    """A window as `dataset windows` writes it."""
    from fastapply_lab.data.windows import Window

    return Window(
        f"w{number}", "tiny", "0" * 40, "a.py", "MIT", "python", "lazy", "plain", original, edit, merged
    )


def store(folder, lengths, prompts=None):
    """Samples of these lengths, whose ids tell the sample and the place in it."""
    import numpy as np

    from fastapply_lab.train.packing import Tokens

    folder.mkdir(parents=True, exist_ok=True)
    rows, ids, at = [], [], 0
    for number, length in enumerate(lengths):
        rows.append((at, (prompts or [1] * len(lengths))[number], length, 3))
        ids += [100 * (number + 1) + place for place in range(length)]
        at += length
    np.array(ids, dtype=np.uint16).tofile(folder / "tokens.bin")
    np.save(folder / "index.npy", np.array(rows, dtype=np.int64).reshape(-1, 4))
    return Tokens(folder)
