"""Training of apply models, and the way from a checkpoint to a GGUF file.

    windows ─ samples ─▶ tokens ─ lora ─▶ checkpoint ─ export ─▶ GGUF ─ lossless ─▶ what was lost

A *checkpoint* is a folder in the layout of Hugging Face: ``config.json``, ``model.safetensors``,
``tokenizer.json``, and ``fastapply.json``, which says the style of its prompts. Needs the extra
``fastapply[train]``, and nothing of `fastapply apply` imports it.
"""

from __future__ import annotations

from importlib.util import find_spec

from fastapply.errors import ModelTrouble

INSTALL = "pip install -e '.[train]' in a checkout of fastapply"


def demand(*modules: str) -> None:
    """Raise `ModelTrouble` (``not_installed``) where a module that training needs is not installed."""
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        raise ModelTrouble(f"{' and '.join(missing)}: not installed", reason="not_installed", hint=INSTALL)


def demand_llama() -> None:
    """Raise `ModelTrouble` (``no_model``) where llama.cpp is not installed."""
    from fastapply.models import opening

    if find_spec("llama_cpp") is None:
        raise ModelTrouble("llama-cpp-python is not installed", reason="no_model", hint=opening.INSTALL)
