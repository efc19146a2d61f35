"""What the installed llama.cpp can do, found out in a process of its own: loading it may be what crashes.

As a script it writes one JSON object: `gpu` (whether it can offload layers) and `system` (llama.cpp's
own words on the processor).
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from fastapply.errors import ModelTrouble

_SECONDS = 60.0


def ask_backend() -> dict[str, Any]:
    """The object above. Raises `ModelTrouble` (``crashed``) where llama.cpp cannot be loaded."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "fastapply.models.worker.backend"],
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ModelTrouble(f"llama.cpp cannot be tried: {error}", reason="crashed") from None
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"it ended with status {done.returncode}"])[-1]
        raise ModelTrouble(
            f"llama.cpp cannot be loaded: {last}",
            reason="crashed",
            hint="pip install --force-reinstall --no-binary llama-cpp-python llama-cpp-python builds it here",
        )
    told = json.loads(done.stdout)
    return told if isinstance(told, dict) else {}


def _tell() -> dict[str, Any]:
    import llama_cpp as llama

    from fastapply.models.llama.library import silence

    silence()
    return {
        "gpu": bool(llama.llama_supports_gpu_offload()),
        "system": llama.llama_print_system_info().decode(errors="replace").strip(),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_tell()))
