"""Writes the completion scripts of all shells into a folder (this one, if none is named).

    python completions/generate.py [FOLDER]

They are Typer's own: a script asks `fastapply` what may come next each time, so that it need not
change when an option does.
"""

from __future__ import annotations

import sys
from pathlib import Path

from typer.completion import get_completion_script

FILES = {
    "bash": "fastapply.bash",
    "zsh": "_fastapply",
    "fish": "fastapply.fish",
    "powershell": "fastapply.ps1",
}


def write_scripts(folder: Path) -> None:
    """Write one file a shell."""
    for shell, name in FILES.items():
        script = get_completion_script(prog_name="fastapply", complete_var="_FASTAPPLY_COMPLETE", shell=shell)
        (folder / name).write_text(script.strip() + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write_scripts(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
