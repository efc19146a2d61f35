"""What every test gets: a state folder of its own, so that locks and journals stay out of the home folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def state_dir(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep locks and journals in a folder of this test."""
    folder = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("FASTAPPLY_STATE_DIR", str(folder))
    return folder
