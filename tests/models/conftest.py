"""What tests of the real llama.cpp share: whether it is here, and models that answer as they should."""

from __future__ import annotations

import importlib.util
import os

import pytest

REQUIRED = os.environ.get("FASTAPPLY_TEST_LLAMA")  # before a test takes such variables away


@pytest.fixture
def llama():
    """Skip where llama-cpp-python is not installed; with FASTAPPLY_TEST_LLAMA set, as in CI, fail."""
    if importlib.util.find_spec("llama_cpp") is None:
        assert not REQUIRED, "FASTAPPLY_TEST_LLAMA is set, and llama-cpp-python is not installed"
        pytest.skip("llama-cpp-python is not installed: pip install -e '.[model]'")


@pytest.fixture
def answering(llama, tmp_path):  # noqa: ARG001 - skips
    """Make a GGUF file whose model answers a prompt with a text; gives its path."""
    from pointer_model import point, write_model

    from fastapply.models.llama.library import Model, Settings

    def make(prompt, answer, name="pointer.gguf", *, context=2048):
        path = tmp_path / name
        write_model(path)
        model = Model(str(path), Settings(threads=1))
        tokens = [
            token
            for piece in prompt.pieces
            for token in model.tokenise(piece.text.encode(), special=piece.special)
        ]
        wanted = model.tokenise(answer.encode())
        model.close()
        write_model(path, *point(tokens, wanted), context=context)
        return path

    return make
