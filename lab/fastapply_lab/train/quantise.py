"""llama.cpp's own quantiser: from a GGUF file of floats to a smaller one."""

from __future__ import annotations

import os

import llama_cpp as llama

from fastapply.errors import ModelTrouble
from fastapply.models.llama.library import silence

_FILE_TYPES = {
    "q8_0": llama.LLAMA_FTYPE_MOSTLY_Q8_0,
    "q6_k": llama.LLAMA_FTYPE_MOSTLY_Q6_K,
    "q5_k": llama.LLAMA_FTYPE_MOSTLY_Q5_K_M,
    "q4_k": llama.LLAMA_FTYPE_MOSTLY_Q4_K_M,
}


def quantise(source: str, target: str, kind: str) -> None:
    """Write `target`; `kind` is one of q8_0, q6_k, q5_k, q4_k, the last two in their mix ``M``.

    A matrix whose width a kind does not take gets a larger one. Raises `ModelTrouble` (``quantiser``).
    """
    silence()
    params = llama.llama_model_quantize_default_params()
    params.ftype = _FILE_TYPES[kind]
    params.nthread = os.cpu_count() or 1
    status = llama.llama_model_quantize(os.fsencode(source), os.fsencode(target), params)
    if status:
        raise ModelTrouble(f"llama.cpp could not quantise {source} to {kind}", reason="quantiser")
