"""Makes a small GGUF file whose model copies by attention: each token it writes it reads in its prompt.

One layer of the GPT-2 shape. The embedding of position `p` holds a code of its own, which is its key, and
the code of the position whose token is to be written at `p + 1`, which is its query; the value is the code
of the token that stands there. So the answer depends on what the KV cache holds, place for place: a cache
that lost or kept a token too many shows. A position may also be told to write a token by itself, as the
one that ends the sequence.
"""

from __future__ import annotations

import gguf
import numpy as np

CODE = 64  # dimensions of a code
WIDTH = 4 * CODE  # token, key, query, output
SPECIAL = ("<|end|>", "<|orig|>", "<|edit|>", "<|merge|>", "<|im_start|>", "<|im_end|>")
MERGES = (
    ("Ġ", "Ġ"), ("ĠĠ", "ĠĠ"), ("Ċ", "ĠĠĠĠ"), ("Ċ", "Ċ"), ("r", "e"), ("t", "u"), ("r", "n"), ("re", "tu"),
    ("retu", "rn"), ("d", "e"), ("de", "f"), ("Ġ", "x"), ("Ġ", "="), ("Ġ", "return"), ("o", "n"),
)  # fmt: skip
"""Enough for tokens to fall together otherwise after an insertion than before it."""
END = 0


def _byte_names() -> list[str]:
    """The names of the 256 bytes in a GPT-2 vocabulary."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    names = {byte: chr(byte) for byte in shown}
    hidden = [byte for byte in range(256) if byte not in names]
    names.update({byte: chr(256 + number) for number, byte in enumerate(hidden)})
    return [names[byte] for byte in range(256)]


def vocabulary() -> list[str]:
    """All tokens; the special ones first."""
    return [*SPECIAL, *_byte_names(), *("".join(pair) for pair in MERGES)]


def write_model(path, reads=None, writes=None, *, context=1024):
    """Write the file.

    `reads` says for a position which position's token comes next, `writes` which token itself does; of a
    position that neither names nothing is known.
    """
    reads, writes = reads or {}, writes or {}
    random = np.random.default_rng(3)
    tokens = vocabulary()
    codes = random.choice([-1.0, 1.0], (len(tokens), CODE))
    places = random.choice([-1.0, 1.0], (context, CODE))
    embedding = np.zeros((len(tokens), WIDTH))
    embedding[:, :CODE] = codes
    position = np.zeros((context, WIDTH))
    position[:, CODE : 2 * CODE] = places
    for place, source in reads.items():
        position[place, 2 * CODE : 3 * CODE] = places[source]
    for place, token in writes.items():
        position[place, 3 * CODE :] = codes[token] * 3
    attend = np.zeros((3 * WIDTH, WIDTH))  # rows: query, key, value
    eye = np.eye(CODE)
    attend[:CODE, 2 * CODE : 3 * CODE] = eye * 6
    attend[WIDTH : WIDTH + CODE, CODE : 2 * CODE] = eye * 6
    attend[2 * WIDTH : 2 * WIDTH + CODE, :CODE] = eye
    out = np.zeros((WIDTH, WIDTH))
    out[3 * CODE :, :CODE] = eye
    head = np.zeros((len(tokens), WIDTH))
    head[:, 3 * CODE :] = codes

    writer = gguf.GGUFWriter(str(path), "gpt2")
    writer.add_name("pointer")
    writer.add_context_length(context)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(CODE)
    writer.add_head_count(1)
    writer.add_layer_norm_eps(1e-5)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    kinds = [gguf.TokenType.CONTROL] * len(SPECIAL)
    writer.add_token_types([*kinds, *[gguf.TokenType.NORMAL] * (len(tokens) - len(SPECIAL))])
    writer.add_token_merges([" ".join(pair) for pair in MERGES])
    writer.add_eos_token_id(END)
    writer.add_add_bos_token(False)
    ones, zeros = np.ones(WIDTH), np.zeros(WIDTH)
    tensors = {
        "token_embd.weight": embedding,
        "position_embd.weight": position,
        "output_norm.weight": ones,
        "output_norm.bias": zeros,
        "output.weight": head,
        "blk.0.attn_norm.weight": ones,
        "blk.0.attn_norm.bias": zeros,
        "blk.0.attn_qkv.weight": attend,
        "blk.0.attn_qkv.bias": np.zeros(3 * WIDTH),
        "blk.0.attn_output.weight": out,
        "blk.0.attn_output.bias": zeros,
        "blk.0.ffn_norm.weight": ones,
        "blk.0.ffn_norm.bias": zeros,
        "blk.0.ffn_up.weight": np.zeros((CODE, WIDTH)),
        "blk.0.ffn_up.bias": np.zeros(CODE),
        "blk.0.ffn_down.weight": np.zeros((WIDTH, CODE)),
        "blk.0.ffn_down.bias": zeros,
    }
    for name, values in tensors.items():
        writer.add_tensor(name, values.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_adapter(path, *, architecture="gpt2"):
    """Write a LoRA adapter for such a file: it adds to the feed-forward part, which comes to nothing."""
    writer = gguf.GGUFWriter(str(path), architecture)
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", 1.0)
    writer.add_string("fastapply.prompt_style", "nano")
    writer.add_tensor("blk.0.ffn_up.weight.lora_a", np.ones((1, WIDTH), np.float32))
    writer.add_tensor("blk.0.ffn_up.weight.lora_b", np.ones((CODE, 1), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def point(prompt, answer):
    """What to read and write for a model that answers a prompt, both as tokens.

    Each token is read where it stands in the prompt, close behind the one before it if it can be.
    """
    found: dict[int, list[int]] = {}
    for place, token in enumerate(prompt):
        found.setdefault(token, []).append(place)
    reads, writes, last = {}, {}, 0
    for number, token in enumerate(answer):
        at = len(prompt) - 1 + number
        if token in found:
            last = min(found[token], key=lambda place: abs(place - last - 1))
            reads[at] = last
        else:
            writes[at] = token
    writes[len(prompt) - 1 + len(answer)] = END
    return reads, writes
