"""The user's folders of the model path. `FASTAPPLY_STATE_DIR` moves all of them, as it does the others."""

from __future__ import annotations

import os
from pathlib import Path

from fastapply.workspace.files.lock import STATE_VARIABLE


def models_folder() -> Path:
    """Where pulled models are; it need not exist yet."""
    named = os.environ.get(STATE_VARIABLE)
    if named:
        return Path(named) / "models"
    import platformdirs

    return platformdirs.user_data_path("fastapply", appauthor=False) / "models"


def cache_folder() -> Path:
    """Where measurements of this machine are kept; nothing in it is missed when it goes."""
    named = os.environ.get(STATE_VARIABLE)
    if named:
        return Path(named) / "cache"
    import platformdirs

    return platformdirs.user_cache_path("fastapply", appauthor=False)
