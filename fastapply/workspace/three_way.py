"""Two changes of one text put side by side, where they do not meet: by `git merge-file`.

    base ─┬─ ours   ─┐
          └─ theirs ─┴─▶ `merge_bytes` ─▶ both changes, or None

Changes meet where they touch the same line or lines next to each other. No repository is needed.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory


def merge_bytes(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    r"""The text with both changes; None where they meet, or where there is no git.

    ``merge_bytes(b"a\\nb\\nc\\n", b"A\\nb\\nc\\n", b"a\\nb\\nC\\n")`` is ``b"A\\nb\\nC\\n"``.
    """
    if theirs in {ours, base}:
        return ours
    if ours == base:
        return theirs
    with TemporaryDirectory(prefix="fastapply-") as folder:  # which nobody else may read
        for name, text in (("base", base), ("ours", ours), ("theirs", theirs)):
            (Path(folder) / name).write_bytes(text)
        command = ["git", "merge-file", "-p", "ours", "base", "theirs"]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
        except OSError:
            return None
    return None if done.returncode else done.stdout
