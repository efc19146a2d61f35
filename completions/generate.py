"""Writes the completion script of PowerShell, Typer's own, into a folder (this one, if none is named).

    python completions/generate.py [FOLDER]

The scripts beside it are those that `fastapply completion SHELL` prints. A script asks `fastapply` what
may come next each time, so that it need not change when an option does.
"""

from __future__ import annotations

import sys
from pathlib import Path

from fastapply.cli.completion import script


def write_script(folder: Path) -> None:
    """Write the file."""
    (folder / "fastapply.ps1").write_text(script("powershell"), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write_script(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
