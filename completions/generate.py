"""Writes the completion scripts of all shells into a folder (this one, if none is named).

    python completions/generate.py [FOLDER]

They are what `fastapply completion SHELL` prints, kept here for packagers. A script asks `fastapply` what
may come next each time, so that it need not change when an option does.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fastapply.cli.completion import Shell, script

FILES: dict[Shell, str] = {
    "bash": "fastapply.bash",
    "zsh": "_fastapply",
    "fish": "fastapply.fish",
    "powershell": "fastapply.ps1",
}


def write_scripts(folder: Path) -> None:
    """Write one file a shell."""
    for shell, name in FILES.items():
        (folder / name).write_text(script(shell), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write_scripts(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
