"""What a part of a model is called in a checkpoint of Hugging Face and in a GGUF file.

Known are the shapes of Qwen2 and Qwen3::

    model.layers.3.self_attn.q_proj.weight    blk.3.attn_q.weight
    model.embed_tokens.weight                 token_embd.weight
"""

from __future__ import annotations

import re

ADAPTER, BASE_FILE = "adapter", "base.json"
"""The folder of the adapter in that of a run; in it stands which base it is for, with its configuration."""
SHAPES = {"Qwen2ForCausalLM": "qwen2", "Qwen3ForCausalLM": "qwen3"}
"""The names of shapes in ``config.json``, and in ``general.architecture``."""
_LAYER = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}
_WHOLE = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
_BACK = {gguf: known for known, gguf in _LAYER.items()}
_WHOLE_BACK = {gguf: known for known, gguf in _WHOLE.items()}
_IN_CHECKPOINT = re.compile(r"model\.layers\.(\d+)\.([a-z_.]+)")
_IN_GGUF = re.compile(r"blk\.(\d+)\.([a-z_]+)")


def gguf_name(module: str) -> str | None:
    """What a GGUF file calls a module of a checkpoint, without ``.weight``; None for one it does not have."""
    match = _IN_CHECKPOINT.fullmatch(module)
    if match is None:
        return _WHOLE.get(module)
    known = _LAYER.get(match[2])
    return known and f"blk.{match[1]}.{known}"


def checkpoint_name(tensor: str) -> str | None:
    """What a checkpoint calls a tensor of a GGUF file, ``.weight`` or ``.bias`` included."""
    module, _, kind = tensor.rpartition(".")
    match = _IN_GGUF.fullmatch(module)
    known = _WHOLE_BACK.get(module) if match is None else _BACK.get(match[2])
    if known is None:
        return None
    return f"{known}.{kind}" if match is None else f"model.layers.{match[1]}.{known}.{kind}"
