"""The user's folders: for locks, journals and what is kept, for models, and for measurements of this machine.

`FASTAPPLY_STATE_DIR` moves all of them.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from fastapply.errors import FileTrouble

STATE_VARIABLE = "FASTAPPLY_STATE_DIR"


def state_folder() -> Path:
    """The user's folder for locks and journals: `FASTAPPLY_STATE_DIR`, or where the system wants it.

    Where that cannot be made (no home, or a read-only one), a folder of the user's in the system's
    temporary folder. Raises `FileTrouble` (``locked``) when there is none that the user alone can write.
    """
    named = os.environ.get(STATE_VARIABLE)
    if named:
        usual = Path(named)
    else:
        import platformdirs

        usual = platformdirs.user_state_path("fastapply", appauthor=False)
    try:
        usual.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        if named:
            raise no_locks(usual, error) from None
    else:
        if os.access(usual, os.W_OK | os.X_OK):
            return usual
    return _temporary_state_folder()


def _temporary_state_folder() -> Path:
    import tempfile

    user = os.getuid() if sys.platform != "win32" else os.environ.get("USERNAME", "user")
    folder = Path(tempfile.gettempdir()) / f"fastapply-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
    except OSError as error:
        raise no_locks(folder, error) from None
    if sys.platform != "win32" and (
        not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or status.st_mode & 0o022
    ):
        # Somebody else could put a journal there, and the next run would follow it
        raise no_locks(folder, PermissionError("it is not owned by you alone"))
    return folder


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


def no_locks(folder: Path, error: OSError) -> FileTrouble:
    """The trouble of a folder that locks cannot be kept in."""
    return FileTrouble(
        f"cannot keep locks in {folder}: {error.strerror or error}",
        reason="locked",
        hint=f"set {STATE_VARIABLE} to a folder that you own",
    )
