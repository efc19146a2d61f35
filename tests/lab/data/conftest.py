"""Repositories that tests of data sets share."""

from __future__ import annotations

import importlib.util
import os

import pytest
from histories import history_of

REQUIRED = os.environ.get("FASTAPPLY_TEST_TRAIN")  # before a test takes such variables away


@pytest.fixture(scope="session")
def licences():
    """Skip where nothing knows licences; with FASTAPPLY_TEST_TRAIN set, as in CI, fail."""
    if any(importlib.util.find_spec(name) is None for name in ("identify", "ukkonen")):
        assert not REQUIRED, "FASTAPPLY_TEST_TRAIN is set, and identify[license] is not installed"
        pytest.skip("identify[license]: not installed: pip install -e '.[train]'")


@pytest.fixture(scope="session")
def repos(tmp_path_factory):
    """Three repositories of two modules each, under the MIT licence."""
    root = tmp_path_factory.mktemp("repos")
    names = {"first": ("tea", "salt"), "second": ("wool", "iron"), "third": ("clay", "rope")}
    return {name: history_of(root / name, topics) for name, topics in names.items()}
