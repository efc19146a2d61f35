"""Repositories that tests of data sets share."""

from __future__ import annotations

import pytest
from histories import history_of


@pytest.fixture(scope="session")
def repos(tmp_path_factory):
    """Three repositories of two modules each, under the MIT licence."""
    root = tmp_path_factory.mktemp("repos")
    names = {"first": ("tea", "salt"), "second": ("wool", "iron"), "third": ("clay", "rope")}
    return {name: history_of(root / name, topics) for name, topics in names.items()}
