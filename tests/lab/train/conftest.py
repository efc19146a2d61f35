"""What tests of training share: whether torch is here, and models that are opened and closed."""

from __future__ import annotations

import importlib.util
import os

import pytest

REQUIRED = os.environ.get("FASTAPPLY_TEST_TRAIN")  # before a test takes such variables away
LLAMA = os.environ.get("FASTAPPLY_TEST_LLAMA")
NEEDED = ("torch", "transformers", "tokenizers", "safetensors", "gguf", "matplotlib")


@pytest.fixture
def training():
    """Skip where the extra `train` is not installed; with FASTAPPLY_TEST_TRAIN set, as in CI, fail."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        assert not REQUIRED, f"FASTAPPLY_TEST_TRAIN is set, and {missing} are not installed"
        pytest.skip(f"{' '.join(missing)}: not installed: pip install -e '.[train]'")


@pytest.fixture
def llama():
    """Skip where llama-cpp-python is not installed; with FASTAPPLY_TEST_LLAMA set, as in CI, fail."""
    if importlib.util.find_spec("llama_cpp") is None:
        assert not LLAMA, "llama-cpp-python is not installed"
        pytest.skip("llama-cpp-python is not installed: pip install -e '.[model]'")


@pytest.fixture
def opened(llama):  # noqa: ARG001 - skips
    """Open a GGUF file in llama.cpp; it is closed at the end."""
    from fastapply.models.llama.library import Settings
    from fastapply.models.llama.model import LlamaModel

    models = []

    def open_model(path, style="nano"):
        models.append(LlamaModel(path, name="tiny", style=style, settings=Settings(threads=1)))
        return models[-1]

    yield open_model
    for model in models:
        model.close()
